//! Skinning: moves the vertices and normals of a character with its joints, once per frame.
//!
//! In: a [`Skin`] (weights laid out for the frame loop, once per rig), one matrix per joint, and
//! the rest shape. Out: posed positions and normals, written to the caller's buffers. Source:
//! linear blend skinning, and dual quaternions after Kavan, Collins, Žára and O'Sullivan 2007
//! (docs/theory/skinning.md). Cost: one pass over the vertices, no allocation; `cargo xtask bench`
//! prints the times. [`PostSkinning`] corrects the result of any deformer: volumes and contacts.
//!
//! Normals are transformed like area vectors, so they agree with the winding of the posed
//! triangles: under a mirror they point inwards where the triangles are seen from behind.

mod bake;
mod contacts;
mod dual_quaternion;
mod fast_arap;
mod handle_solver;
mod linear;
mod morphed_rest;
mod polar;
mod post_skinning;
mod render_scatter;
mod skin;
mod thickness;
mod volume;

use glam::{Mat4, Vec3};
use serde::{Deserialize, Serialize};

pub use bake::{BakeError, Baker, bake};
pub use contacts::{ContactMove, ContactTuning, Contacts, NearContact};
pub use dual_quaternion::{Motion, dual_quaternion, split};
pub use fast_arap::FastArap;
pub use handle_solver::HandleSolver;
pub use linear::linear;
pub use morphed_rest::MorphedRest;
pub use post_skinning::{PostSkinning, PostSkinningOptions};
pub use skin::Skin;
pub use volume::{
    BendTuning, CarryTuning, ConnectedParts, ContactRoundTuning, ConvergenceTuning, CorrectionMap,
    CorrectionMode, Cubic, DisplacementTuning, ExactTuning, GapTuning, MapTuning, PressureTuning, Segment,
    Segments, VolumeCorrection, VolumeInputs, VolumeOptions, VolumeRecord, VolumeScope, VolumeTuning,
};

use linear::Packed;

/// How the transforms of several joints are blended at a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Deformer {
    /// Blends matrices, as all engines do. Loses volume in bends and twists.
    #[default]
    #[serde(rename = "lbs")]
    Linear,
    /// Blends rigid transforms. Preserves volume in twists, bulges a little in bends.
    #[serde(rename = "dqs")]
    DualQuaternion,
}

impl Deformer {
    /// All deformers, the default first.
    pub const ALL: [Self; 2] = [Self::Linear, Self::DualQuaternion];
}

/// The shape at rest, one entry per vertex of the [`Skin`].
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a> {
    /// Positions.
    pub positions: &'a [Vec3],
    /// Unit normals; empty to skip normals, which is faster.
    pub normals: &'a [Vec3],
}

/// The output of a frame, of the same lengths as [`Rest`].
#[derive(Debug)]
pub struct Posed<'a> {
    /// Positions.
    pub positions: &'a mut [Vec3],
    /// Unit normals; empty if [`Rest::normals`] is.
    pub normals: &'a mut [Vec3],
}

/// Per-joint scratch of a frame, reused so that no frame allocates.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    affines: Vec<Packed>,
    motions: Vec<Motion>,
}

impl Scratch {
    /// Scratch for the joints of `skin`. Scratch for another skin, or a default one, grows once.
    pub fn new(skin: &Skin) -> Self {
        let joints = skin.joints();
        Self { affines: Vec::with_capacity(joints), motions: Vec::with_capacity(joints) }
    }
}

/// Poses every vertex by `deformer`. `posed_from_rest` has one matrix per joint
/// ([`Pose::skinning_matrices`](crate::model::Pose::skinning_matrices)).
///
/// # Panics
/// If a slice does not have the length that `skin` requires.
pub fn deform(
    deformer: Deformer,
    skin: &Skin,
    posed_from_rest: &[Mat4],
    rest: Rest,
    posed: Posed,
    scratch: &mut Scratch,
) {
    match deformer {
        Deformer::Linear => linear(skin, posed_from_rest, rest, posed, scratch),
        Deformer::DualQuaternion => dual_quaternion(skin, posed_from_rest, rest, posed, scratch),
    }
}
