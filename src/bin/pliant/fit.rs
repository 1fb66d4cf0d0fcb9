//! `pliant fit`, and `pliant rig --skeleton auto`.

use glam::{Quat, Vec3};
use pliant::fit::range_of_motion;
use pliant::io::{self, File, Format, sniff};
use pliant::model::{Asset, Clip, Skeleton};
use pliant::report::Report;
use pliant_fitting::fit::{FitOptions, FittedSkeleton, Fitter, Orientation, UNCERTAIN};
use pliant_fitting::table::Table;

use crate::Failure;
use crate::args::{FitArgs, FittingArgs};
use crate::files;

/// The value of `--skeleton` for a fitted one.
pub const AUTO: &str = "auto";

pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let mut report = Report::default();
    let files = files::read_with_references(&args.model)?;
    let asset = io::read_model(&files, &mut report).map_err(files::about(&args.model))?;
    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    let fitted = fit(&asset, &files, &args.fitting)?;
    files::write(&args.output, serde_json::to_string_pretty(&fitted)?.as_bytes())
}

/// Fits a skeleton to the mesh of an asset that was read from `files`, and prints what is
/// uncertain.
pub fn fit(asset: &Asset, files: &[File], args: &FittingArgs) -> Result<FittedSkeleton, Failure> {
    let options = FitOptions {
        plan: args.plan,
        orientation: args.orientation.as_deref().map(orientation).transpose()?,
        promised: promised(asset, files),
        fingers: args.fingers.map(usize::from),
        markers: args.marker.iter().map(|text| marker(text)).collect::<Result<_, _>>()?,
        names: args.names.unwrap_or_default(),
    };
    // The mesh that gets weights. Rigid parts of a model with a skeleton are props and weapons.
    let (positions, triangles) = (asset.mesh.positions().to_vec(), asset.mesh.triangles().to_vec());
    let fitted = Fitter::new(Table::built_in(), positions, triangles)?.fit(&options)?;
    print_notes(&fitted);
    Ok(fitted)
}

/// The skeleton that was fitted, with a clip that moves it.
pub fn rigged(fitted: &FittedSkeleton, report: &mut Report) -> Result<(Skeleton, Vec<Clip>), Failure> {
    let file = File { name: "fitted skeleton".to_owned(), bytes: serde_json::to_vec(fitted)? };
    let skeleton = io::read_skeleton(&[file], report)?.skeleton;
    let clips = range_of_motion(&skeleton).into_iter().collect();
    Ok((skeleton, clips))
}

/// Refuses options that say how a skeleton is fitted if none is.
pub fn check_unused(args: &FittingArgs) -> Result<(), Failure> {
    let FittingArgs { plan, marker, orientation, fingers, names } = args;
    let given = [
        ("--plan", plan.is_some()),
        ("--marker", !marker.is_empty()),
        ("--orientation", orientation.is_some()),
        ("--fingers", fingers.is_some()),
        ("--names", names.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(format!("{option} is for fitted skeletons: add --skeleton {AUTO}").into()),
        None => Ok(()),
    }
}

/// Up and front by the convention of the format. STL files have none: many are Z up.
fn promised(asset: &Asset, files: &[File]) -> Option<Orientation> {
    let format = files.first().and_then(|file| sniff(&file.bytes));
    if matches!(format, Some(Format::StlBinary | Format::StlAscii)) {
        return None;
    }
    // Exact for the two angles that occur.
    let front = if asset.front_yaw() == 0.0 {
        Vec3::Z
    } else {
        (Quat::from_rotation_y(asset.front_yaw()) * Vec3::Z).round()
    };
    Some(Orientation { up: Vec3::Y.to_array(), front: front.to_array() })
}

/// Prints what the user should know.
fn print_notes(fitted: &FittedSkeleton) {
    fitted.warnings.iter().for_each(|warning| eprintln!("pliant: note: {}", warning.message));
    if fitted.orientation_confidence < UNCERTAIN {
        let [up, front] = [fitted.orientation.up, fitted.orientation.front].map(axis_name);
        eprintln!(
            "pliant: note: up ({up}) and front ({front}) are uncertain; --orientation UP,FRONT states them"
        );
    }
    if fitted.plan_confidence < UNCERTAIN {
        eprintln!("pliant: note: the kind of body is uncertain; --plan PLAN states it");
    }
    let uncertain: Vec<&str> = fitted
        .bones
        .iter()
        .filter(|bone| bone.confidence < UNCERTAIN)
        .map(|bone| bone.label.as_str())
        .collect();
    if !uncertain.is_empty() {
        let labels = uncertain.join(", ");
        eprintln!("pliant: note: uncertain joints, which --marker JOINT=X,Y,Z places: {labels}");
    }
}

/// Parses `JOINT=X,Y,Z`.
fn marker(text: &str) -> Result<(String, [f32; 3]), Failure> {
    let parsed = text.split_once('=').and_then(|(label, place)| {
        let numbers: Result<Vec<f32>, _> = place.split(',').map(|number| number.trim().parse()).collect();
        let place: [f32; 3] = numbers.ok()?.try_into().ok()?;
        place.iter().all(|number| number.is_finite()).then(|| (label.to_owned(), place))
    });
    parsed.ok_or_else(|| format!("--marker {text}: write it as JOINT=X,Y,Z, three numbers").into())
}

/// The axes of an orientation by their names.
const AXES: [(&str, Vec3); 6] = [
    ("+X", Vec3::X),
    ("+Y", Vec3::Y),
    ("+Z", Vec3::Z),
    ("-X", Vec3::NEG_X),
    ("-Y", Vec3::NEG_Y),
    ("-Z", Vec3::NEG_Z),
];

/// Parses two axes, for example `+Y,+Z` or `z,-y`.
fn orientation(text: &str) -> Result<Orientation, Failure> {
    let axis = |word: &str| {
        let word = word.trim().to_ascii_uppercase();
        let found = AXES.iter().find(|(name, _)| *name == word || name.strip_prefix('+') == Some(&word));
        found.map(|(_, axis)| *axis)
    };
    let parsed = text.split_once(',').and_then(|(up, front)| Some((axis(up)?, axis(front)?)));
    let parsed = parsed.filter(|(up, front)| up.dot(*front) == 0.0);
    parsed
        .map(|(up, front)| Orientation { up: up.to_array(), front: front.to_array() })
        .ok_or_else(|| format!("--orientation {text}: write it as two axes, for example +Y,+Z").into())
}

/// The name of the axis nearest to a direction.
fn axis_name(direction: [f32; 3]) -> &'static str {
    let direction = Vec3::from(direction);
    let nearest = AXES.iter().max_by(|a, b| a.1.dot(direction).total_cmp(&b.1.dot(direction)));
    nearest.map_or("", |(name, _)| name)
}
