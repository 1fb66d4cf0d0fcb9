//! What a page is told about a model and about a run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::example_fit_info::ExampleFitReport;
use crate::io::gltf::morph_count;
use crate::model::{Asset, Clip, Exclusion, JointKind, RegionOverlay, Skeleton};
use crate::pipeline::{Method, Outcome, Recipe};
use crate::report::{self, Report};

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// For people: a file's name, or a cast member's.
    pub name: String,
    /// As drawn and exported.
    pub vertices: usize,
    /// After welding seams.
    pub solve_vertices: usize,
    /// As drawn.
    pub triangles: usize,
    /// Of the box around it, along X, Y and Z.
    pub size: [f32; 3],
    /// How many materials it has.
    pub materials: usize,
    /// How many images its materials use.
    pub textures: usize,
    /// The skeleton's joints, parents' names included; empty when it has none.
    pub joints: Vec<JointInfo>,
    /// The motions it came with.
    pub clips: Vec<ClipInfo>,
    /// The most joints a vertex follows by the file's own weights, if it has any.
    pub stored_influences: Option<usize>,
    /// How many morph targets its file has.
    pub morph_targets: usize,
    /// What was odd in the files.
    pub warnings: Vec<Warning>,
}

/// One joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct JointInfo {
    /// Names that occur twice are numbered, so that each means one joint.
    pub name: String,
    /// The joint it hangs on.
    pub parent: Option<String>,
    /// Whether flesh follows it.
    pub deforms: bool,
    /// Why not, as a clause.
    pub because: Option<String>,
    /// Whether the skin lists it; other nodes only move joints.
    pub in_skin: bool,
    /// Whether it is a handle that was put on the skin.
    pub is_handle: bool,
    /// Where it turns, in rest space.
    pub head: [f32; 3],
}

/// One motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClipInfo {
    /// Names that occur twice are numbered.
    pub name: String,
    /// In seconds.
    pub duration: f32,
    /// How many properties of joints it moves.
    pub tracks: usize,
}

/// Something odd that was coped with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Warning {
    /// A stable name for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RigReport {
    /// How weights were found.
    pub method: Method,
    /// The stages that ran; those answered from memory are not among them.
    pub stages: Vec<StageInfo>,
    /// All of them together.
    pub seconds: f64,
    /// The skeleton's joints, with which of them deform.
    pub joints: Vec<JointInfo>,
    /// How many bones the flesh follows.
    pub bones: usize,
    /// The most joints any vertex follows.
    pub max_influences: usize,
    /// How many a vertex follows on average.
    pub mean_influences: f64,
    /// How far the weights of any vertex are from summing to one.
    pub max_sum_error: f32,
    /// The regions of an atlas; empty for other methods.
    pub regions: Vec<RegionInfo>,
    /// Which share of the vertices lies in more than one grown region.
    pub overlap: f64,
    /// How learning went, when the method learns.
    pub learning: Option<ExampleFitReport>,
    /// What was odd, in the files and in the run.
    pub warnings: Vec<Warning>,
}

/// The flesh of one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RegionInfo {
    /// The joint's name.
    pub joint: String,
    /// How many vertices it has, seams welded.
    pub vertices: usize,
    /// The length of its borders, in the model's units.
    pub boundary_length: f64,
}

/// How long a stage took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StageInfo {
    /// A stable name.
    pub stage: String,
    /// How long.
    pub seconds: f64,
}

impl ModelInfo {
    /// What there is to tell about `asset`; `report` is what reading it gave.
    pub fn of(asset: &Asset, report: &Report) -> Self {
        let (low, high) = crate::model::bounds_of(&asset.render.positions);
        Self {
            name: asset.name.clone(),
            vertices: asset.render.positions.len(),
            solve_vertices: asset.mesh.positions().len(),
            triangles: asset.render.triangles.len(),
            size: (high - low).to_array(),
            materials: asset.materials.len(),
            textures: asset.textures.len(),
            joints: asset.skeleton.as_ref().map_or(Vec::new(), JointInfo::all),
            clips: ClipInfo::all(&asset.clips),
            stored_influences: asset.stored_weights.as_ref().map(crate::model::Weights::max_influences),
            morph_targets: morph_count(asset),
            warnings: Warning::all(report),
        }
    }
}

impl JointInfo {
    /// Of every joint.
    pub fn all(skeleton: &Skeleton) -> Vec<Self> {
        let names = joint_names(skeleton);
        let describe = |(index, name): (usize, &String)| {
            let joint = &skeleton.joints()[index];
            Self {
                name: name.clone(),
                parent: joint.parent.map(|parent| names[parent].clone()),
                deforms: skeleton.deforms(index),
                because: skeleton.exclusion(index).map(Exclusion::reason).map(str::to_owned),
                in_skin: joint.kind != JointKind::Helper,
                is_handle: joint.kind == JointKind::Point,
                head: joint.head().to_array(),
            }
        };
        names.iter().enumerate().map(describe).collect()
    }
}

impl ClipInfo {
    /// Of every motion.
    pub fn all(clips: &[Clip]) -> Vec<Self> {
        let names = unique(clips.iter().map(|clip| clip.name.as_str()));
        let pairs = names.into_iter().zip(clips);
        pairs
            .map(|(name, clip)| Self { name, duration: clip.duration(), tracks: clip.tracks.len() })
            .collect()
    }
}

impl Warning {
    /// Of everything a report holds.
    pub fn all(report: &Report) -> Vec<Self> {
        report.warnings().iter().map(Self::of).collect()
    }

    fn of(warning: &report::Warning) -> Self {
        Self { code: warning.code().to_owned(), message: warning.to_string() }
    }
}

impl RigReport {
    /// What there is to tell about a run by `recipe`; `read` is what reading the files gave.
    pub fn of(recipe: &Recipe, outcome: &Outcome, read: &Report) -> Self {
        let weights = outcome.rig.weights();
        let stages = outcome.times.iter();
        let mut report = read.clone();
        report.absorb(outcome.report.clone());
        Self {
            method: recipe.method,
            stages: stages
                .map(|time| StageInfo { stage: time.stage.name().to_owned(), seconds: time.seconds })
                .collect(),
            seconds: outcome.times.iter().map(|time| time.seconds).sum(),
            joints: JointInfo::all(&outcome.rig.skeleton),
            bones: outcome.rig.skeleton.bones().len(),
            max_influences: weights.max_influences(),
            mean_influences: weights.rows().map(<[_]>::len).sum::<usize>() as f64
                / weights.vertices().max(1) as f64,
            max_sum_error: weights.max_sum_error(),
            regions: outcome
                .region_overlay
                .as_ref()
                .map_or(Vec::new(), |overlay| RegionInfo::all(overlay, &outcome.rig.skeleton)),
            overlap: outcome.region_overlay.as_ref().map_or(0.0, RegionOverlay::overlap_share),
            learning: ExampleFitReport::of(outcome),
            warnings: Warning::all(&report),
        }
    }
}

impl RegionInfo {
    /// Of every region.
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

/// A name for every joint that means it alone.
pub fn joint_names(skeleton: &Skeleton) -> Vec<String> {
    unique(skeleton.joints().iter().map(|joint| joint.name.as_str()))
}

/// The second and later bearers of a name are numbered.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = |name: &str| {
        let mut candidate = name.to_owned();
        while let Some(count) = taken.get_mut(&candidate) {
            *count += 1;
            candidate = format!("{name} ({count})");
        }
        taken.insert(candidate.clone(), 1);
        candidate
    };
    names.map(&mut number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_thing() {
        let names = unique(["a", "b", "a", "a (2)", "a"].into_iter());
        assert_eq!(names, ["a", "b", "a (2)", "a (2) (2)", "a (3)"]);
    }
}
