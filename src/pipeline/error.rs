//! Errors of a run, with their remedies.

use super::RecipeError;
use crate::model::{RigError, SkeletonError};
use crate::progress::Cancelled;
use crate::weights::ExampleError;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The recipe is invalid.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// There is no skeleton and no handle.
    #[error("the model has no skeleton; give one beside it, or handles on the skin and the method bbw")]
    NoSkeleton,
    /// The file has a skin that cannot be used as it is.
    #[error("the weights of the file do not fit its mesh and skeleton; choose another method")]
    NoStoredWeights,
    /// No bone is near the mesh.
    #[error(
        "no joint of the skeleton lies in or near the mesh (the mesh is {mesh:.3} large, the skeleton {skeleton:.3}, \
         their middles {apart:.3} apart); scale or move one of them"
    )]
    SkeletonElsewhere {
        /// Diagonal of the mesh.
        mesh: f32,
        /// Diagonal of the skeleton.
        skeleton: f32,
        /// Distance between the centres of their bounding boxes.
        apart: f32,
    },
    /// Every joint is excluded from deformation.
    #[error("every joint is switched off; let at least one deform the skin")]
    NothingDeforms,
    /// There is no mesh.
    #[error("the model has no triangles to bind")]
    NoTriangles,
    /// The recipe names a joint that does not exist.
    #[error("the recipe names a joint '{name}' that the skeleton does not have; {hint}")]
    UnknownJoint {
        /// The name in the recipe.
        name: String,
        /// A similar name.
        hint: String,
    },
    /// The recipe names a loose part that does not exist.
    #[error("the recipe names a loose part '{name}'; give an index below {parts} or the name of a mesh")]
    UnknownLoosePart {
        /// The key in the recipe.
        name: String,
        /// Number of loose parts.
        parts: usize,
    },
    /// A handle has the name of a joint.
    #[error("the handle '{name}' is called as a joint is; give it another name")]
    HandleNamedAsJoint {
        /// The common name.
        name: String,
    },
    /// A region handle refers to vertices that do not exist or are rigidly attached to a joint.
    #[error(
        "the handle '{handle}' names vertex {vertex} of {vertices}, which is not there or hangs rigidly on a joint; leave it out"
    )]
    HandleVertex {
        /// Name of the handle.
        handle: String,
        /// Index of the vertex.
        vertex: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// Joints for the handles cannot be added: a position is out of range.
    #[error(transparent)]
    Skeleton(SkeletonError),
    /// Weights cannot be fitted to the examples.
    #[error(transparent)]
    Examples(ExampleError),
    /// The observer cancelled the run.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A stage returned weights of the wrong size: a bug.
    #[error(transparent)]
    Rig(#[from] RigError),
}

impl From<ExampleError> for PipelineError {
    fn from(error: ExampleError) -> Self {
        match error {
            ExampleError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Examples(other),
        }
    }
}
