//! The stages of a rig in order, with caching: a change runs only the stages that depend on it.
//!
//! In: an [`Asset`](crate::model::Asset) and a [`Recipe`]. Out: a [`Rig`](crate::model::Rig), the
//! warnings of every stage, and the time of each. No files, no JavaScript, no GPU.

mod atlas;
mod cache;
mod error;
mod exact_json;
mod example_fit;
mod example_fit_report;
mod handles;
mod labels;
mod model_info;
mod parameter;
mod poses;
mod recipe;
mod rig_report;
mod run;
mod schema;
mod skeleton;
mod stage;
mod weights;

pub use error::PipelineError;
pub use example_fit::{ExampleFitSummary, Reproduced};
pub use example_fit_report::ExampleFitReport;
pub use handles::PlacedHandle;
pub use labels::{LabelsError, labels_from_text};
pub use model_info::{ClipInfo, JointInfo, ModelInfo, joint_names};
pub use parameter::{
    Choice, Choices, Condition, NumberRange, Parameter, ParameterError, ParameterGroup, ParameterKind,
    ParameterLevel, Scale, SliderRange, Special, set_value_at, value_at,
};
pub use poses::{
    ExamplePose, PoseError, clip_examples, morph_examples, morph_poses, pose_of, poses_in, rendered, solved,
};
pub use recipe::{Method, Recipe, RecipeError, hint};
pub use rig_report::{ConvergenceInfo, LoosePartInfo, RegionInfo, RigReport, StageInfo};
pub use run::{Outcome, Pipeline};
pub use schema::{MethodInfo, PARAMETERS, check_values, parameters_of, post_skinning_options};
pub use stage::{Observer, Silent, Stage, StageTime};
