//! Why a run gives nothing, in words that name the remedy.

use super::RecipeError;
use crate::model::{RigError, SkeletonError};
use crate::progress::Cancelled;
use crate::weights::ExampleError;

/// Why a run gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The recipe makes no sense.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// There is nothing to bind to.
    #[error("the model has no skeleton; give one beside it, or handles on the skin and the method bbw")]
    NoSkeleton,
    /// Nothing of the skeleton can drive the mesh.
    #[error(
        "no joint of the skeleton lies in or near the mesh (the mesh is {mesh:.3} large, the skeleton {skeleton:.3}, \
         their middles {apart:.3} apart); scale or move one of them"
    )]
    SkeletonElsewhere {
        /// Diagonal of the mesh.
        mesh: f32,
        /// Diagonal of the skeleton.
        skeleton: f32,
        /// Distance between their middles.
        apart: f32,
    },
    /// Every joint is switched off.
    #[error("every joint is switched off; let at least one deform the skin")]
    NothingDeforms,
    /// There is nothing to bind.
    #[error("the model has no triangles to bind")]
    NoTriangles,
    /// A joint the recipe names is not there.
    #[error("the recipe names a joint '{name}' that the skeleton does not have; {hint}")]
    UnknownJoint {
        /// As named.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// A handle would be called as a joint is.
    #[error("the handle '{name}' is called as a joint is; give it another name")]
    HandleNamedAsJoint {
        /// Of both.
        name: String,
    },
    /// A region of vertices that are not there, or hang rigidly on a joint.
    #[error(
        "the handle '{handle}' names vertex {vertex} of {vertices}, which is not there or hangs rigidly on a joint; leave it out"
    )]
    HandleVertex {
        /// Its name.
        handle: String,
        /// As it names it.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// Handles make no joints of a skeleton: a place is out of all bounds.
    #[error(transparent)]
    Skeleton(SkeletonError),
    /// The examples cannot be learned from.
    #[error(transparent)]
    Examples(ExampleError),
    /// The observer ended it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A stage gave weights that do not fit: our bug.
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
