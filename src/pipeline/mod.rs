//! The stages of a rig in order, with caching: a change runs only the stages that depend on it.
//!
//! In: an [`Asset`](crate::model::Asset) and a [`Recipe`]. Out: a [`Rig`](crate::model::Rig), the
//! warnings of every stage, and the time of each. No files, no JavaScript, no GPU.

mod atlas;
mod cache;
mod error;
mod example_fit;
mod handles;
mod poses;
mod recipe;
mod run;
mod skeleton;
mod stage;
mod weights;

pub use atlas::Covering;
pub use error::PipelineError;
pub use example_fit::{ExampleFitSummary, Reproduced};
pub use handles::PlacedHandle;
pub use poses::{
    ExamplePose, PoseError, clip_examples, morph_examples, morph_poses, pose_of, poses_in, rendered, solved,
};
pub use recipe::{Method, Recipe, RecipeError, hint};
pub use run::{Outcome, Pipeline};
pub use stage::{Observer, Silent, Stage, StageTime};
