//! The description of a model: counts, joints, clips, warnings. The page and the command line share
//! it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Asset, Clip, Exclusion, HumanBone, JointKind, Skeleton, Vrm};
use crate::report::{Report, WarningInfo};

/// A model that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The name of the file or of the sample character.
    pub name: String,
    /// Render vertices.
    pub vertices: usize,
    /// Vertices of the solve mesh, with seams welded.
    pub solve_vertices: usize,
    /// Triangles of the render mesh.
    pub triangles: usize,
    /// Size of the bounding box along X, Y and Z.
    pub size: [f32; 3],
    /// Number of materials.
    pub materials: usize,
    /// Number of images that materials use.
    pub textures: usize,
    /// The joints of the skeleton; empty without one.
    pub joints: Vec<JointInfo>,
    /// The clips of the file.
    pub clips: Vec<ClipInfo>,
    /// The largest number of influences of a vertex in the file's weights, if it has any.
    pub stored_influences: Option<usize>,
    /// The version of VRM, if the file is a VRM avatar: `0.x` or `1.0`.
    pub vrm: Option<String>,
    /// Number of morph targets.
    pub morph_targets: usize,
    /// Warnings of the reader.
    pub warnings: Vec<WarningInfo>,
}

/// One joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct JointInfo {
    /// Unique: names that occur twice are numbered.
    pub name: String,
    /// The name of the parent.
    pub parent: Option<String>,
    /// Whether it deforms the skin.
    pub deforms: bool,
    /// Why it does not, as a clause.
    pub because: Option<String>,
    /// Whether the skin lists it; helpers only move joints.
    pub in_skin: bool,
    /// Whether it is the joint of a handle.
    pub is_handle: bool,
    /// The standard name of the bone, if the file has a humanoid map: a name of VRM 1.0.
    pub human_bone: Option<String>,
    /// Whether a simulation or a constraint moves it in other programs (hair, cloth).
    pub is_secondary: bool,
    /// Position in rest space.
    pub head: [f32; 3],
}

/// One clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClipInfo {
    /// Unique: names that occur twice are numbered.
    pub name: String,
    /// In seconds.
    pub duration: f32,
    /// Number of animated properties of joints and of meshes with morph targets.
    pub tracks: usize,
}

impl ModelInfo {
    /// Describes `asset`; `report` has the warnings of the reader.
    pub fn of(asset: &Asset, report: &Report) -> Self {
        let (low, high) = crate::model::bounds_of(&asset.render.positions);
        Self {
            name: asset.name.clone(),
            vertices: asset.render.positions.len(),
            solve_vertices: asset.mesh.positions().len(),
            triangles: asset.render.triangles.len(),
            size: (high - low).to_array(),
            materials: asset.materials.len(),
            textures: (0..asset.textures.len()).filter(|&index| asset.uses_texture(index)).count(),
            joints: asset.skeleton.as_ref().map_or(Vec::new(), JointInfo::all),
            clips: ClipInfo::all(&asset.clips),
            stored_influences: asset.stored_weights.as_ref().map(crate::model::Weights::max_influences),
            vrm: asset.vrm.map(Vrm::version).map(str::to_owned),
            morph_targets: asset.morph_count(),
            warnings: WarningInfo::all(report),
        }
    }
}

impl JointInfo {
    /// Describes all joints.
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
                human_bone: joint.human.map(HumanBone::name).map(str::to_owned),
                is_secondary: joint.is_secondary,
                head: joint.head().to_array(),
            }
        };
        names.iter().enumerate().map(describe).collect()
    }
}

impl ClipInfo {
    /// Describes all clips.
    pub fn all(clips: &[Clip]) -> Vec<Self> {
        let names = unique(clips.iter().map(|clip| clip.name.as_str()));
        let pairs = names.into_iter().zip(clips);
        pairs
            .map(|(name, clip)| Self {
                name,
                duration: clip.duration(),
                tracks: clip.tracks.len() + clip.morph_tracks.len(),
            })
            .collect()
    }
}

/// A unique name for every joint.
pub fn joint_names(skeleton: &Skeleton) -> Vec<String> {
    unique(skeleton.joints().iter().map(|joint| joint.name.as_str()))
}

/// Numbers the second and later occurrences of a name.
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
    fn names_that_occur_twice_are_numbered() {
        let names = unique(["a", "b", "a", "a (2)", "a"].into_iter());
        assert_eq!(names, ["a", "b", "a (2)", "a (2) (2)", "a (3)"]);
    }
}
