//! The types that stages exchange, and their invariants.
//!
//! Algorithms are in other modules. Each type has a function `assert_well_formed` that tests call;
//! constructors reject invalid values.

mod angles;
mod asset;
mod clip;
mod distance_field;
mod humanoid;
mod mesh;
mod morph_targets;
mod morphs;
mod pose;
mod region_overlay;
mod regions;
mod rig;
pub mod skeleton;
mod topology;
mod weights;

pub use angles::{Degrees, from_degrees, to_degrees};
pub use asset::{
    Alpha, Asset, Attachment, Filter, GlbFrame, Material, Part, RenderMesh, Sampler, Source, SourceSkin,
    Texture, Wrap,
};
pub use clip::{Clip, Interpolation, MorphTrack, Track, TrackValues};
pub use distance_field::DistanceField;
pub use humanoid::{HumanBone, Vrm};
pub(crate) use mesh::bounds_of;
pub use mesh::{Mesh, MeshError};
pub use morph_targets::{MorphDisplacement, MorphTarget, MorphTargets};
pub use morphs::Morphs;
pub use pose::Pose;
pub use region_overlay::RegionOverlay;
pub use regions::{Boundary, Curve, Region, Regions};
pub use rig::{Rig, RigError};
pub use skeleton::{Bone, Exclusion, Joint, JointKind, Skeleton, SkeletonError, Tail};
pub use topology::{Edge, Topology};
pub use weights::{Influence, Weights, WeightsError};
