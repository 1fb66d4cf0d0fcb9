//! `pliant fit`, and `--skeleton auto`.

use glam::Vec3;
use pliant::fit::range_of_motion;
use pliant::io::{self, File};
use pliant::model::{Asset, Clip, Skeleton};
use pliant::report::Report;
use pliant_fitting::fit::{FitError, Fitted, Request, UNCERTAIN, fit_humanoid};
use pliant_fitting::json::skeleton_json;
use pliant_fitting::table::Table;

use crate::Failure;
use crate::args::{FitArgs, FittingArgs};
use crate::files;
use crate::rig::read_model;

/// The value of `--skeleton` for a fitted one.
pub const AUTO: &str = "auto";

pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let mut report = Report::default();
    let asset = read_model(&args.model, &mut report)?;
    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    let fitted = fit(&asset, &args.fitting)?;
    files::write(&args.output, skeleton_json(&fitted, args.fitting.names).as_bytes())
}

/// A skeleton for the mesh of an asset, with a clip that moves it.
pub fn fitted(
    asset: &Asset,
    args: &FittingArgs,
    report: &mut Report,
) -> Result<(Skeleton, Vec<Clip>), Failure> {
    let bytes = skeleton_json(&fit(asset, args)?, args.names).into_bytes();
    let read = io::read_skeleton(&[File { name: "fitted.json".to_owned(), bytes }], report)?;
    let clips = range_of_motion(&read.skeleton).into_iter().collect();
    Ok((read.skeleton, clips))
}

/// Fits, and prints what is uncertain.
fn fit(asset: &Asset, args: &FittingArgs) -> Result<Fitted, Failure> {
    let markers = args.marker.iter().map(|text| marker(text)).collect::<Result<Vec<_>, _>>()?;
    let request = Request {
        positions: asset.mesh.positions(),
        triangles: asset.mesh.triangles(),
        orientation: args.orientation.as_deref().map(orientation).transpose()?,
        promised: asset.source.as_ref().map(|_| [Vec3::Y, Vec3::Z]),
        markers: &markers,
    };
    let fitted = fit_humanoid(&Table::built_in(), &request).map_err(|error| match error {
        FitError::Empty => "there is nothing to fit a skeleton to: the mesh has no volume",
        FitError::UnknownMarker => "--marker: there is no such joint; `pliant help fit` lists them",
    })?;
    let doubtful: Vec<&str> = fitted
        .joints
        .iter()
        .filter(|joint| joint.confidence < UNCERTAIN)
        .map(|joint| joint.name)
        .collect();
    if !doubtful.is_empty() {
        eprintln!(
            "pliant: note: these joints are uncertain; place them with --marker JOINT=X,Y,Z: {}",
            doubtful.join(", ")
        );
    }
    if fitted.orientation_confidence < UNCERTAIN {
        eprintln!("pliant: note: up and front are uncertain; --orientation UP,FRONT states them");
    }
    Ok(fitted)
}

/// Parses `JOINT=X,Y,Z`.
fn marker(text: &str) -> Result<(String, Vec3), Failure> {
    let parsed = text.rsplit_once('=').and_then(|(name, place)| {
        let numbers: Result<Vec<f32>, _> = place.split(',').map(|number| number.trim().parse()).collect();
        let numbers: [f32; 3] = numbers.ok()?.try_into().ok()?;
        numbers.iter().all(|n| n.is_finite()).then(|| (name.to_owned(), Vec3::from(numbers)))
    });
    parsed.ok_or_else(|| format!("--marker {text}: write it as JOINT=X,Y,Z, three numbers").into())
}

/// Parses two axes, for example `+Y,+Z`.
fn orientation(text: &str) -> Result<[Vec3; 2], Failure> {
    let axis = |word: &str| match word.trim().trim_start_matches('+').to_ascii_uppercase().as_str() {
        "X" => Some(Vec3::X),
        "Y" => Some(Vec3::Y),
        "Z" => Some(Vec3::Z),
        "-X" => Some(-Vec3::X),
        "-Y" => Some(-Vec3::Y),
        "-Z" => Some(-Vec3::Z),
        _ => None,
    };
    let parsed = text.split_once(',').and_then(|(up, front)| Some([axis(up)?, axis(front)?]));
    parsed
        .filter(|[up, front]| up.dot(*front) == 0.0)
        .ok_or_else(|| format!("--orientation {text}: write it as two axes, for example +Y,+Z").into())
}
