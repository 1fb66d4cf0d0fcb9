//! Volume correction: the tables of the paper, and properties of every character and every map
//! (docs/theory/volume.md).

mod arithmetic;
mod creatures;
mod motion;
mod oddities;
mod table;

use std::sync::Arc;

use glam::{DQuat, EulerRot, Vec3};
use pliant::deform::{
    CorrectionMap, CorrectionMode, Deformer, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch,
    Segments, Skin, VolumeOptions, VolumeScope, deform,
};
use pliant::model::{Influence, Mesh, Pose, Rig, Skeleton, Weights};
use pliant::pipeline::{Pipeline, Recipe, Silent};
use pliant::quality::{SegmentError, segment_errors, volume, volume_error};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};

/// A sample character with the default weights.
pub fn rigged(member: SampleCharacter, vertices: usize) -> Rig {
    let asset = samples::make(member, vertices).unwrap().into_asset(member.name());
    Pipeline::new(Arc::new(asset)).run(&Recipe::default(), &mut Silent).unwrap().rig
}

/// A rig of a mesh, a skeleton and weights per vertex.
pub fn rig_of(mesh: &Mesh, skeleton: &Skeleton, weights: &Weights) -> Rig {
    let made = samples::GeneratedCharacter { mesh: mesh.clone(), skeleton: skeleton.clone(), clips: vec![] };
    Rig::new(Arc::new(made.into_asset("test")), skeleton.clone(), weights).unwrap()
}

/// Weights of two joints; `second` is the weight of the second one per vertex.
pub fn two_joints(second: impl IntoIterator<Item = f32>) -> Weights {
    let row = |w: f32| {
        let both = [Influence { column: 0, weight: 1.0 - w }, Influence { column: 1, weight: w }];
        both.into_iter().filter(|i| i.weight > 0.0).collect::<Vec<_>>()
    };
    Weights::new(2, second.into_iter().map(row)).unwrap()
}

/// A pose with joints rotated by degrees about X, Y and Z.
pub fn posed(rig: &Rig, turns: &[(&str, [f64; 3])]) -> Pose {
    let mut pose = Pose::rest(&rig.skeleton);
    for (joint, [x, y, z]) in turns {
        let turn = DQuat::from_euler(EulerRot::XYZ, x.to_radians(), y.to_radians(), z.to_radians());
        pose.rotate(rig.skeleton.find(joint).unwrap(), turn);
    }
    pose
}

pub fn options(map: CorrectionMap, mode: CorrectionMode) -> PostSkinningOptions {
    PostSkinningOptions { volume: Some(VolumeOptions { mode, ..VolumeOptions::of(map) }), fold_guard: false }
}

/// A rig, its correction, and the buffers of a frame.
pub struct Stage<'a> {
    pub rig: &'a Rig,
    pub post_skinning: PostSkinning,
    pub deformer: Deformer,
    skin: Skin,
    scratch: Scratch,
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
}

impl<'a> Stage<'a> {
    pub fn new(rig: &'a Rig, options: &PostSkinningOptions) -> Self {
        let mut report = Report::default();
        let skin = Skin::of_rig(rig);
        Self {
            post_skinning: PostSkinning::new(rig, options, &[], &mut report),
            scratch: Scratch::new(&skin),
            positions: rig.asset.render.positions.clone(),
            normals: rig.asset.render.normals.clone(),
            deformer: Deformer::Linear,
            rig,
            skin,
        }
    }

    /// Skins and corrects one frame. Whether the correction moved any vertex.
    pub fn frame(&mut self, pose: &Pose) -> bool {
        let matrices = pose.skinning_matrices(&self.rig.skeleton);
        let render = &self.rig.asset.render;
        let rest = Rest { positions: &render.positions, normals: &render.normals };
        let out = Posed { positions: &mut self.positions, normals: &mut self.normals };
        deform(self.deformer, &self.skin, &matrices, rest, out, &mut self.scratch);
        let out = Posed { positions: &mut self.positions, normals: &mut self.normals };
        self.post_skinning.correct(&matrices, out)
    }

    /// Volume error of the whole body in percent, skinned and corrected.
    pub fn whole_errors(&self) -> [f64; 2] {
        let triangles = self.rig.asset.mesh.triangles();
        let rest = volume(self.rig.asset.mesh.positions(), triangles);
        self.post_skinning.solved().map(|positions| 100.0 * volume_error(rest, volume(positions, triangles)))
    }

    /// The largest raw volume error of a segment in percent, skinned and corrected. Measured
    /// independently of the correction.
    pub fn worst_segment_errors(&self) -> [f64; 2] {
        self.worst_errors(SegmentError::raw)
    }

    /// The same without the interface flux.
    pub fn worst_errors_without_flux(&self) -> [f64; 2] {
        self.worst_errors(SegmentError::without_flux)
    }

    fn worst_errors(&self, error: fn(&SegmentError) -> f64) -> [f64; 2] {
        let (segments, flux) = (self.segments(), self.post_skinning.interface_flux());
        let rest = self.rig.asset.mesh.positions();
        self.post_skinning.solved().map(|positions| {
            let errors = segment_errors(&segments, rest, positions, &flux);
            100.0 * errors.iter().map(error).fold(0.0, f64::max)
        })
    }

    pub fn segments(&self) -> Segments {
        let weights = PostSkinning::solve_weights(self.rig);
        Segments::new(&self.rig.asset.mesh, &weights, VolumeScope::Segments, &mut Report::default())
    }

    /// The displacement of each vertex of the solve mesh by the corrections.
    pub fn moved(&self) -> Vec<f32> {
        let [skinned, corrected] = self.post_skinning.solved();
        skinned.iter().zip(corrected).map(|(a, b)| a.distance(*b)).collect()
    }
}
