//! `pliant rig`

use std::path::Path;
use std::sync::Arc;

use pliant::io;
use pliant::io::gltf::{self, ExportOptions};
use pliant::model::Asset;
use pliant::pipeline::{
    Method, Observer, Pipeline, PlacedHandle, Recipe, RigReport, labels_from_text, set_value_at,
};
use pliant::report::Report;
use pliant::weights::PartMotion;
use pliant_fitting::fit::FittedSkeleton;
use serde::Serialize;

use crate::Failure;
use crate::args::RigArgs;
use crate::clock::Clock;
use crate::examples;
use crate::files::{self, Output};
use crate::fit;

pub fn run(args: &RigArgs) -> Result<(), Failure> {
    let kind = files::output_kind(&args.output, &[Output::Glb, Output::Vrm])?;
    let recipe = recipe(args)?;
    let mut clock = Clock::start();
    let mut report = Report::default();
    let (asset, fitted_skeleton) = read(args, &recipe, &mut report)?;
    files::check_avatar(&args.output, kind, &asset)?;
    let read_seconds = clock.seconds();

    let mut pipeline = Pipeline::new(Arc::new(asset));
    if recipe.method == Method::Examples {
        pipeline.set_examples(examples::read(args, pipeline.asset(), &mut report)?);
    }
    if let Some(path) = &args.labels {
        pipeline.set_labels(Some(labels(path, &recipe, pipeline.asset())?));
    }
    let outcome = pipeline.run(&recipe, &mut clock)?;
    report.absorb(outcome.report.clone());

    let start = clock.seconds();
    let options = ExportOptions {
        skeleton: Some(&outcome.rig.skeleton),
        weights: Some(outcome.rig.weights()),
        format: args.weights,
        pose: None,
        ..Default::default()
    };
    let glb = gltf::write_glb(&outcome.rig.asset, &options)?;
    files::write_glb(&args.output, &glb, &args.glb)?;
    let write_seconds = clock.seconds() - start;

    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    if outcome.method == Method::Source {
        eprintln!("pliant: note: the weights of the file are kept; --method NAME computes others");
    }
    if let Some(path) = &args.report {
        let rig = RigReport::of(&outcome, &report);
        let total_seconds = clock.seconds();
        let summary = FileReport { rig, fitted_skeleton, read_seconds, write_seconds, total_seconds };
        files::write(path, serde_json::to_string_pretty(&summary)?.as_bytes())?;
    }
    Ok(())
}

/// The report of a run, and the time for files.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileReport {
    #[serde(flatten)]
    rig: RigReport,
    /// What was fitted, with `--skeleton auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted_skeleton: Option<FittedSkeleton>,
    /// With the time for fitting.
    read_seconds: f64,
    write_seconds: f64,
    total_seconds: f64,
}

fn recipe(args: &RigArgs) -> Result<Recipe, Failure> {
    let mut recipe = match &args.recipe {
        Some(path) => {
            let text = String::from_utf8(files::read(path)?.bytes)
                .map_err(|_| format!("{} is not text", path.display()))?;
            Recipe::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => Recipe::default(),
    };
    let mut value = recipe.to_value();
    let given = args.parameters.values()?;
    let of_labels = args.labels.as_ref().map(|_| Method::Atlas);
    let of_parameters = || given.iter().find_map(|(parameter, _)| method_of(&parameter.path));
    if args.recipe.is_none()
        && let Some(method) = of_labels.or_else(of_parameters)
    {
        set_value_at(&mut value, METHOD, method.name().into());
    }
    for (parameter, given) in given {
        set_value_at(&mut value, &parameter.path, given);
    }
    recipe = Recipe::from_value(value)?;
    for text in &args.point {
        recipe.handles.push(point(text)?);
    }
    recipe.deforms.extend(args.include.iter().map(|joint| (joint.clone(), true)));
    recipe.deforms.extend(args.exclude.iter().map(|joint| (joint.clone(), false)));
    for text in &args.loose_part {
        let (name, motion) = loose_part(text)?;
        recipe.loose_part_motions.insert(name, motion);
    }
    recipe.check()?;
    Ok(recipe)
}

/// The joint of every solve vertex, from a file.
fn labels(path: &Path, recipe: &Recipe, asset: &Asset) -> Result<Vec<u32>, Failure> {
    let method = recipe.method.on(asset);
    if method != Method::Atlas {
        return Err(format!("--labels is for --method atlas, not {}", method.name()).into());
    }
    let text = String::from_utf8(files::read(path)?.bytes);
    let text = text.map_err(|_| format!("{} is not text", path.display()))?;
    labels_from_text(&text, asset).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The path of the method in a recipe.
const METHOD: &str = "method";

/// The method that a parameter belongs to. Giving one chooses the method, unless another is named.
fn method_of(path: &str) -> Option<Method> {
    let (section, _) = path.split_once('.')?;
    Method::ALL.into_iter().find(|method| method.name() == section)
}

/// Parses `NAME=X,Y,Z`. Names may contain an equals sign.
fn point(text: &str) -> Result<PlacedHandle, Failure> {
    let parsed = text.rsplit_once('=').and_then(|(name, place)| {
        let numbers: Result<Vec<f32>, _> = place.split(',').map(|number| number.trim().parse()).collect();
        Some(PlacedHandle::point(name, numbers.ok()?.try_into().ok()?))
    });
    parsed.ok_or_else(|| format!("--point {text}: write it as NAME=X,Y,Z, three numbers").into())
}

/// Parses `NAME=MOTION`. Names may contain an equals sign.
fn loose_part(text: &str) -> Result<(String, PartMotion), Failure> {
    let parsed = text.rsplit_once('=').and_then(|(name, motion)| {
        let motion = serde_json::from_value(motion.trim().into()).ok()?;
        Some((name.to_owned(), motion))
    });
    parsed.ok_or_else(|| {
        format!("--loose-part {text}: write it as NAME=MOTION or INDEX=MOTION, rigid, soft or method").into()
    })
}

/// The model with its skeleton, and what was fitted.
fn read(
    args: &RigArgs,
    recipe: &Recipe,
    report: &mut Report,
) -> Result<(Asset, Option<FittedSkeleton>), Failure> {
    let files = files::read_with_references(&args.model)?;
    let mut asset = io::read_model(&files, report).map_err(files::about(&args.model))?;
    if args.skeleton.as_deref() == Some(Path::new(fit::AUTO)) {
        let fitted = fit::fit(&asset, &files, &args.fitting)?;
        let (skeleton, clips) = fit::rigged(&fitted, report)?;
        asset.set_skeleton(skeleton, clips);
        return Ok((asset, Some(fitted)));
    }
    fit::check_unused(&args.fitting)?;
    if let Some(path) = &args.skeleton {
        let files = files::read_with_references(path)?;
        let read = io::read_skeleton(&files, report).map_err(files::about(path))?;
        asset.set_skeleton(read.skeleton, read.clips);
    } else if asset.skeleton.is_none() && (!recipe.method.uses_handles() || recipe.handles.is_empty()) {
        let hint = "fit one with --skeleton auto, give one with --skeleton FILE (GLB, FBX, BVH, TGF, or JSON with heads and tails), or handles with --method bbw --point NAME=X,Y,Z";
        return Err(format!("{} has no skeleton; {hint}", args.model.display()).into());
    }
    Ok((asset, None))
}

/// Reads a model and the files it refers to.
pub fn read_model(path: &Path, report: &mut Report) -> Result<Asset, Failure> {
    let files = files::read_with_references(path)?;
    io::read_model(&files, report).map_err(files::about(path))
}
