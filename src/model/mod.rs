//! The types that travel between stages, and what must be true of them.
//!
//! Types hold invariants, functions elsewhere hold algorithms. Each type has an `assert_well_formed`
//! that tests call after every step; constructors refuse what would break it.

mod angles;
mod asset;
mod clip;
mod field;
mod mesh;
mod morphs;
mod pose;
mod regions;
mod rig;
pub mod skeleton;
mod topology;
mod weights;

pub use angles::Degrees;
pub use asset::{Alpha, Asset, Attachment, Material, Part, RenderMesh, Source, SourceSkin, Texture};
pub use clip::{Clip, Interpolation, Track, TrackValues};
pub use field::DistanceField;
pub(crate) use mesh::bounds_of;
pub use mesh::{Mesh, MeshError};
pub use morphs::Morphs;
pub use pose::Pose;
pub use regions::{Boundary, Curve, Region, Regions};
pub use rig::{Rig, RigError};
pub use skeleton::{Bone, Exclusion, Joint, JointKind, Skeleton, SkeletonError, Tail};
pub use topology::{Edge, Topology};
pub use weights::{Influence, Weights, WeightsError};
