//! Moves a character's vertices and normals with its joints, once per frame.
//!
//! In: a [`Skin`] (weights laid out for the frame loop, made once per rig), posed_from_rest of every
//! joint, and the rest shape. Out: posed positions and normals, written into the caller's buffers.
//! Source: linear blend skinning, and dual quaternions after Kavan, Collins, Žára and O'Sullivan 2007.
//! Cost: one pass over the vertices and no allocation; `cargo xtask bench` prints the times.
//! [`PostSkinning`] corrects what comes out, whichever deformer ran: volumes and folds.
//!
//! Normals follow the blended motion as area vectors do, so they agree with the winding of the posed
//! triangles: under a mirror they point inwards exactly where the triangles are seen from behind.

mod bake;
mod dual_quaternion;
mod fast_arap;
mod folds;
mod handle_solver;
mod linear;
mod polar;
mod post_skinning;
mod render_scatter;
mod skin;
mod volume;

use glam::{Mat4, Vec3};
use serde::{Deserialize, Serialize};

pub use bake::bake;
pub use dual_quaternion::{Motion, dual_quaternion, split};
pub use fast_arap::FastArap;
pub use folds::Folds;
pub use handle_solver::HandleSolver;
pub use linear::linear;
pub use post_skinning::{PostSkinning, PostSkinningOptions};
pub use skin::Skin;
pub use volume::{
    Body, CorrectionMap, CorrectionMode, Cubic, Pieces, Segment, Segments, Volume, VolumeOptions,
    VolumeRecord, VolumeScope,
};

use linear::Packed;

/// How the motions of several joints are blended at a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Deformer {
    /// Blends matrices: what every engine does; loses volume in bends and twists.
    #[default]
    #[serde(rename = "lbs")]
    Linear,
    /// Blends rigid motions: keeps volume in twists, bulges a little in bends.
    #[serde(rename = "dqs")]
    DualQuaternion,
}

impl Deformer {
    /// Every one there is, the default first.
    pub const ALL: [Self; 2] = [Self::Linear, Self::DualQuaternion];
}

/// The shape at rest, one entry per vertex of the [`Skin`].
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a> {
    /// Where the vertices are.
    pub positions: &'a [Vec3],
    /// Unit vectors; empty when normals are not wanted, which is faster.
    pub normals: &'a [Vec3],
}

/// Where a frame is written, of the same lengths as [`Rest`].
#[derive(Debug)]
pub struct Posed<'a> {
    /// Receives every vertex's position.
    pub positions: &'a mut [Vec3],
    /// Receives every vertex's normal; empty when [`Rest::normals`] is.
    pub normals: &'a mut [Vec3],
}

/// What is kept per joint while a frame is posed; reused, so that no frame allocates.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    affines: Vec<Packed>,
    motions: Vec<Motion>,
}

impl Scratch {
    /// Room for the joints of `skin`. One made for another skin, or by `default`, grows on first use.
    pub fn new(skin: &Skin) -> Self {
        let joints = skin.joints();
        Self { affines: Vec::with_capacity(joints), motions: Vec::with_capacity(joints) }
    }
}

/// Poses every vertex by `deformer`. `posed_from_rest` holds one matrix per joint
/// ([`Pose::skinning_matrices`](crate::model::Pose::skinning_matrices)).
///
/// # Panics
/// When a slice does not have the length that `skin` asks for.
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
