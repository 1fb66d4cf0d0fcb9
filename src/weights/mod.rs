//! Methods that compute skinning weights: one file or folder per method, one signature.
//!
//! In: the mesh's [`MeshGeometry`](crate::operators::MeshGeometry), a
//! [`Skeleton`](crate::model::Skeleton) with at least one bone, the method's options. Out:
//! [`Weights`](crate::model::Weights) with one column per *bone*. [`finish()`] adds them up to one
//! column per joint and limits the influences; [`quantise_u8`] and [`quantise_u16`] convert them to
//! integers for a file. No method depends on the units of the model.

mod atlas;
mod biharmonic;
mod bone_glow;
mod bone_heat;
mod diffuse;
mod distance;
mod examples;
mod finish;
mod input_checks;
mod loose_parts;
mod nearest;
mod quantise;
mod rows;

pub use atlas::{Atlas, AtlasWeights, Depth, Distances, OverlapUnit, Transition, TransitionError, atlas};
pub use biharmonic::{
    Biharmonic, BiharmonicWeights, Domain, Handle, biharmonic, biharmonic_of, biharmonic_with,
};
pub use bone_glow::{Beam, Diffusion, Glow, Line, bone_glow, glow_sources};
pub use bone_heat::{Heat, Nearness, bone_heat, heat_sources};
pub use diffuse::{Diffused, Sources, diffuse, pieces};
pub use distance::{Distance, Visibility, distance};
pub use examples::{
    Energy, ExampleError, ExampleFit, FitLimits, FitObserver, FittedWeights, JointFitSession, Reproductions,
    checked_examples, fit_examples, initial_weights, reproduced,
};
pub use finish::finish;
pub use loose_parts::{LoosePart, LoosePartWeights, LooseParts, PartMotion};
pub use nearest::nearest_joint;
pub use quantise::{quantise_f32, quantise_u8, quantise_u16};
