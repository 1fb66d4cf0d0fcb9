//! The report of a run: what was rigged, times, weights, regions, convergence, warnings. The page
//! and the command line share it.

use serde::Serialize;

use super::example_fit_report::ExampleFitReport;
use super::model_info::{JointInfo, joint_names};
use super::{Method, Outcome};
use crate::model::{RegionOverlay, Skeleton};
use crate::report::{Report, WarningInfo};
use crate::weights::{LoosePart, PartMotion};

/// The report of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RigReport {
    /// How weights were computed.
    pub method: Method,
    /// Render vertices.
    pub vertices: usize,
    /// Vertices of the solve mesh, with seams welded.
    pub solve_vertices: usize,
    /// Triangles of the render mesh.
    pub triangles: usize,
    /// The stages that ran, in order; those with cached results are missing.
    pub stages: Vec<StageInfo>,
    /// The sum of all stages.
    pub seconds: f64,
    /// The joints of the skeleton, and which of them deform the skin.
    pub joints: Vec<JointInfo>,
    /// Number of bones.
    pub bones: usize,
    /// The largest number of influences of a vertex.
    pub max_influences: usize,
    /// The mean number of influences.
    pub mean_influences: f64,
    /// The least weight above zero.
    pub min_weight: f32,
    /// The greatest weight.
    pub max_weight: f32,
    /// The largest difference of the sum of a vertex's weights from one.
    pub max_sum_error: f32,
    /// The regions of an atlas; empty for other methods.
    pub regions: Vec<RegionInfo>,
    /// Share of the vertices in more than one grown region.
    pub overlap: f64,
    /// Number of these vertices.
    pub overlap_vertices: usize,
    /// The parts that got their weights from the body beneath them.
    pub loose_parts: Vec<LoosePartInfo>,
    /// How a method that iterates ended.
    pub convergence: Option<ConvergenceInfo>,
    /// The result of example fitting.
    pub example_fit: Option<ExampleFitReport>,
    /// Warnings of the reader and of all stages.
    pub warnings: Vec<WarningInfo>,
}

/// One region of an atlas.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RegionInfo {
    /// The name of its joint.
    pub joint: String,
    /// Number of vertices of the solve mesh.
    pub vertices: usize,
    /// The length of its boundary curves, in units of the model.
    pub boundary_length: f64,
}

/// A part of the mesh that no bone runs through. Its index in the list names it in recipes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LoosePartInfo {
    /// The name of the mesh that it is in.
    pub name: String,
    /// How it moves.
    pub motion: PartMotion,
    /// Number of vertices of the solve mesh.
    pub vertices: usize,
    /// Its first vertex, in rest space.
    pub at: [f32; 3],
    /// The name of the joint that this vertex follows most.
    pub joint: String,
}

/// The time of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StageInfo {
    /// A stable name.
    pub stage: String,
    /// Seconds.
    pub seconds: f64,
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ConvergenceInfo {
    /// Number of iterations.
    pub iterations: usize,
    /// The largest violation of the optimality conditions.
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

impl RigReport {
    /// Describes a run; `read` has the warnings of the reader.
    pub fn of(outcome: &Outcome, read: &Report) -> Self {
        let (rig, overlay) = (&outcome.rig, outcome.region_overlay.as_ref());
        let weights = rig.weights();
        let all = || weights.rows().flatten().map(|influence| influence.weight);
        let mut report = read.clone();
        report.absorb(outcome.report.clone());
        Self {
            method: outcome.method,
            vertices: rig.asset.render.positions.len(),
            solve_vertices: rig.asset.mesh.positions().len(),
            triangles: rig.asset.render.triangles.len(),
            stages: outcome
                .times
                .iter()
                .map(|time| StageInfo { stage: time.stage.name().to_owned(), seconds: time.seconds })
                .collect(),
            seconds: outcome.times.iter().map(|time| time.seconds).sum(),
            joints: JointInfo::all(&rig.skeleton),
            bones: rig.skeleton.bones().len(),
            max_influences: weights.max_influences(),
            mean_influences: all().count() as f64 / weights.vertices().max(1) as f64,
            min_weight: all().reduce(f32::min).unwrap_or_default(),
            max_weight: all().reduce(f32::max).unwrap_or_default(),
            max_sum_error: weights.max_sum_error(),
            regions: overlay.map_or(Vec::new(), |overlay| RegionInfo::all(overlay, &rig.skeleton)),
            overlap: overlay.map_or(0.0, RegionOverlay::overlap_share),
            overlap_vertices: overlay.map_or(0, RegionOverlay::overlap_vertices),
            loose_parts: LoosePartInfo::all(outcome),
            convergence: outcome.convergence.map(|found| ConvergenceInfo {
                iterations: found.iterations,
                residual: found.residual,
                converged: found.converged,
            }),
            example_fit: ExampleFitReport::of(outcome),
            warnings: WarningInfo::all(&report),
        }
    }
}

impl RegionInfo {
    /// Describes all regions.
    pub fn all(overlay: &RegionOverlay, skeleton: &Skeleton) -> Vec<Self> {
        let names = joint_names(skeleton);
        let sizes = overlay.regions.sizes();
        let describe = |(region, &vertices): (usize, &usize)| Self {
            joint: names[overlay.regions.regions[region].joint].clone(),
            vertices,
            boundary_length: overlay.regions.boundary_length(region as u32),
        };
        sizes.iter().enumerate().map(describe).collect()
    }
}

impl LoosePartInfo {
    /// Describes all parts.
    fn all(outcome: &Outcome) -> Vec<Self> {
        let Some(parts) = &outcome.loose_parts else { return Vec::new() };
        let (rig, names) = (&outcome.rig, joint_names(&outcome.rig.skeleton));
        let (positions, render_from_solve) = (rig.asset.mesh.positions(), rig.asset.render_from_solve());
        let describe = |part: &LoosePart| {
            let first = part.vertices[0] as usize;
            let vertex = render_from_solve[first];
            let joint = rig.weights().dominant(vertex as usize) as usize;
            let mesh = rig.asset.render.parts.iter().find(|part| part.vertices.contains(&vertex));
            let name = mesh.map_or(String::new(), |mesh| mesh.name.clone());
            let at = positions[first].to_array();
            Self { name, motion: part.motion, vertices: part.vertices.len(), at, joint: names[joint].clone() }
        };
        parts.parts().iter().map(describe).collect()
    }
}
