//! `pliant rig`

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pliant::distance::Metric;
use pliant::io::gltf::{self, ExportOptions, WeightFormat};
use pliant::io::{self};
use pliant::model::{Asset, JointKind, Rig, Weights};
use pliant::pipeline::{Covering, Method, Observer, Outcome, Pipeline, PlacedHandle, Recipe};
use pliant::report::{Report, Warning};
use pliant::weights::{Atlas, Diffusion, Domain, Energy, Transition, Visibility};
use serde::Serialize;

use crate::Failure;
use crate::args::{DiffusionArg, DomainArg, FormatArg, MetricArg, RigArgs, VisibilityArg};
use crate::clock::Clock;
use crate::examples;
use crate::files::{self, Output};

pub fn run(args: &RigArgs) -> Result<(), Failure> {
    files::output_kind(&args.output, &[Output::Glb])?;
    let recipe = recipe(args)?;
    let mut clock = Clock::start();
    let mut report = Report::default();
    let asset = read(args, &recipe, &mut report)?;
    let read_seconds = clock.seconds();

    let mut pipeline = Pipeline::new(Arc::new(asset));
    if recipe.method == Method::Examples {
        pipeline.set_examples(examples::read(args, pipeline.asset(), &mut report)?);
    }
    let outcome = pipeline.run(&recipe, &mut clock)?;
    report.absorb(outcome.report.clone());

    let start = clock.seconds();
    let options = ExportOptions {
        skeleton: Some(&outcome.rig.skeleton),
        weights: Some(outcome.rig.weights()),
        format: format(args.weights),
        pose: None,
        ..Default::default()
    };
    let glb = gltf::write_glb(&outcome.rig.asset, &options)?;
    files::write(&args.output, &glb)?;
    let write_seconds = clock.seconds() - start;

    report.warnings().iter().for_each(|warning| eprintln!("pliant: note: {warning}"));
    if let Some(path) = &args.report {
        let times = Times { read: read_seconds, write: write_seconds, total: clock.seconds() };
        let summary = Summary::new(&recipe, &outcome, &report, &times);
        files::write(path, serde_json::to_string_pretty(&summary)?.as_bytes())?;
    }
    Ok(())
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
    if let Some(name) = &args.method {
        recipe.method = Method::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
            format!("there is no method '{name}'; there is {}", names.join(", "))
        })?;
    }
    if let Some(most) = args.max_influences {
        recipe.max_influences = most;
    }
    atlas_options(args, &mut recipe.atlas)?;
    if let Some(falloff) = args.falloff {
        recipe.distance.falloff = falloff;
    }
    if let Some(visibility) = args.visibility {
        recipe.distance.visibility = match visibility {
            VisibilityArg::Exact => Visibility::Exact,
            VisibilityArg::Cheap => Visibility::Cheap,
            VisibilityArg::Off => Visibility::Off,
        };
    }
    if let Some(conductance) = args.conductance {
        recipe.heat.conductance = conductance;
        recipe.glow.conductance = conductance;
    }
    if let Some(diffusion) = args.diffusion {
        recipe.glow.diffusion = match diffusion {
            DiffusionArg::On => Diffusion::On,
            DiffusionArg::Off => Diffusion::Off,
        };
    }
    if let Some(domain) = args.domain {
        recipe.bbw.domain = match domain {
            DomainArg::Auto => Domain::Auto,
            DomainArg::Surface => Domain::Surface,
            DomainArg::Volume => Domain::Volume,
        };
    }
    for text in &args.point {
        recipe.handles.push(point(text)?);
    }
    recipe.deforms.extend(args.include.iter().map(|joint| (joint.clone(), true)));
    recipe.deforms.extend(args.exclude.iter().map(|joint| (joint.clone(), false)));
    recipe.check()?;
    Ok(recipe)
}

/// `NAME=X,Y,Z`; names may have an equals sign of their own.
fn point(text: &str) -> Result<PlacedHandle, Failure> {
    let parsed = text.rsplit_once('=').and_then(|(name, place)| {
        let numbers: Result<Vec<f32>, _> = place.split(',').map(|number| number.trim().parse()).collect();
        Some(PlacedHandle::point(name, numbers.ok()?.try_into().ok()?))
    });
    parsed.ok_or_else(|| format!("--point {text}: write it as NAME=X,Y,Z, three numbers").into())
}

fn atlas_options(args: &RigArgs, atlas: &mut Atlas) -> Result<(), Failure> {
    let metric = |arg: MetricArg| match arg {
        MetricArg::Euclidean => Metric::Euclidean,
        MetricArg::Dijkstra => Metric::Dijkstra,
        MetricArg::Smooth => Metric::Smooth,
        MetricArg::Harmonic => Metric::Harmonic,
    };
    atlas.k = args.k.unwrap_or(atlas.k);
    for pair in &args.k_joint {
        let parsed = pair.rsplit_once('=').and_then(|(name, k)| Some((name, k.parse::<f64>().ok()?)));
        let (name, k) = parsed.ok_or_else(|| format!("--k-joint {pair}: write it as NAME=K, K a number"))?;
        atlas.k_joints.insert(name.to_owned(), k);
    }
    atlas.distance = args.distance.map_or(atlas.distance, metric);
    atlas.overlap_distance = args.overlap_distance.map(metric).or(atlas.overlap_distance);
    if let Some(text) = &args.transition {
        atlas.transition = transition(text)?;
    }
    Ok(())
}

/// A preset's name, or points as `x,y;x,y`.
fn transition(text: &str) -> Result<Transition, Failure> {
    if let Some((_, preset)) = Transition::PRESETS.into_iter().find(|(name, _)| *name == text) {
        return Ok(preset);
    }
    let point = |pair: &str| {
        let (x, y) = pair.split_once(',')?;
        Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
    };
    let points: Option<Vec<[f64; 2]>> = text.split(';').map(point).collect();
    let names = Transition::PRESETS.map(|(name, _)| name).join(", ");
    let hint = || format!("--transition {text}: give {names}, or points of a curve such as 0.3,0.1;0.7,0.9");
    Ok(Transition::Curve(points.ok_or_else(hint)?))
}

fn read(args: &RigArgs, recipe: &Recipe, report: &mut Report) -> Result<Asset, Failure> {
    let mut asset = read_model(&args.model, report)?;
    if let Some(path) = &args.skeleton {
        let files = files::read_with_neighbours(path)?;
        let read = io::read_skeleton(&files, report).map_err(files::about(path))?;
        asset.set_skeleton(read.skeleton, read.clips);
    } else if asset.skeleton.is_none() && (!recipe.method.uses_handles() || recipe.handles.is_empty()) {
        let hint = "give one with --skeleton FILE (GLB, .tgf or JSON with heads and tails), or handles with --method bbw --point NAME=X,Y,Z";
        return Err(format!("{} has no skeleton; {hint}", args.model.display()).into());
    }
    Ok(asset)
}

/// A model from the disk, with the files it refers to.
pub fn read_model(path: &Path, report: &mut Report) -> Result<Asset, Failure> {
    let files = files::read_with_neighbours(path)?;
    io::read_model(&files, report).map_err(files::about(path))
}

fn format(format: FormatArg) -> WeightFormat {
    match format {
        FormatArg::Float => WeightFormat::Float,
        FormatArg::U16 => WeightFormat::U16,
        FormatArg::U8 => WeightFormat::U8,
    }
}

struct Times {
    read: f64,
    write: f64,
    total: f64,
}

#[derive(Serialize)]
struct Summary {
    method: &'static str,
    vertices: usize,
    solve_vertices: usize,
    triangles: usize,
    joints: usize,
    bones: usize,
    seconds: BTreeMap<&'static str, f64>,
    weights: WeightSummary,
    #[serde(flatten)]
    covering: Option<CoveringSummary>,
    #[serde(flatten)]
    convergence: Option<ConvergenceSummary>,
    warnings: Vec<WarningSummary>,
}

/// How a method that iterates went.
#[derive(Serialize)]
struct ConvergenceSummary {
    iterations: usize,
    residual: f64,
    converged: bool,
    #[serde(flatten)]
    lessons: Option<ExampleFitJson>,
}

/// What was learned from examples.
#[derive(Serialize)]
struct ExampleFitJson {
    energy: Vec<Energy>,
    /// Shares of the mesh's diagonal.
    example_rms: RmsSummary,
}

#[derive(Serialize)]
struct RmsSummary {
    before: f64,
    after: f64,
}

/// The regions of an atlas.
#[derive(Serialize)]
struct CoveringSummary {
    regions: Vec<RegionSummary>,
    overlap: OverlapSummary,
}

#[derive(Serialize)]
struct RegionSummary {
    bone: String,
    vertices: usize,
    boundary_length: f64,
}

#[derive(Serialize)]
struct OverlapSummary {
    vertices: usize,
    share: f64,
}

#[derive(Serialize)]
struct WeightSummary {
    max_sum_error: f32,
    min: f32,
    max: f32,
    max_influences: usize,
    mean_influences: f64,
}

/// A warning for programs and for people.
#[derive(Serialize)]
pub struct WarningSummary {
    code: &'static str,
    message: String,
}

impl WarningSummary {
    pub fn of(warning: &Warning) -> Self {
        Self { code: warning.code(), message: warning.to_string() }
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Summary {
    fn new(recipe: &Recipe, outcome: &Outcome, report: &Report, times: &Times) -> Self {
        let Rig { asset, skeleton, .. } = &outcome.rig;
        let mut seconds: BTreeMap<&'static str, f64> = BTreeMap::new();
        // Distances are measured twice where overlaps and weights have different ones.
        for time in &outcome.times {
            *seconds.entry(time.stage.name()).or_default() += time.seconds;
        }
        seconds.extend([("read", times.read), ("write", times.write), ("total", times.total)]);
        Self {
            method: recipe.method.name(),
            vertices: asset.render.positions.len(),
            solve_vertices: asset.mesh.positions().len(),
            triangles: asset.render.triangles.len(),
            joints: skeleton.joints().iter().filter(|joint| joint.kind != JointKind::Helper).count(),
            bones: skeleton.bones().len(),
            seconds,
            weights: WeightSummary::of(outcome.rig.weights()),
            covering: outcome.covering.as_ref().map(|covering| CoveringSummary::of(covering, &outcome.rig)),
            convergence: outcome.convergence.map(|found| ConvergenceSummary {
                iterations: found.iterations,
                residual: found.residual,
                converged: found.converged,
                lessons: outcome.example_fit.as_ref().map(|lessons| ExampleFitJson {
                    energy: lessons.energy.clone(),
                    example_rms: RmsSummary { before: lessons.rms[0], after: lessons.rms[1] },
                }),
            }),
            warnings: report.warnings().iter().map(WarningSummary::of).collect(),
        }
    }
}

impl CoveringSummary {
    fn of(covering: &Covering, rig: &Rig) -> Self {
        let regions = &covering.regions;
        let summary = |(region, &vertices): (usize, &usize)| RegionSummary {
            bone: rig.skeleton.joints()[regions.regions[region].joint].name.clone(),
            vertices,
            boundary_length: regions.boundary_length(region as u32),
        };
        Self {
            regions: regions.sizes().iter().enumerate().map(summary).collect(),
            overlap: OverlapSummary {
                vertices: covering.overlap_vertices(),
                share: covering.overlap_share(),
            },
        }
    }
}

impl WeightSummary {
    fn of(weights: &Weights) -> Self {
        let all = || weights.rows().flatten().map(|influence| influence.weight);
        Self {
            max_sum_error: weights.max_sum_error(),
            min: all().fold(f32::INFINITY, f32::min),
            max: all().fold(0.0, f32::max),
            max_influences: weights.max_influences(),
            mean_influences: all().count() as f64 / weights.vertices().max(1) as f64,
        }
    }
}
