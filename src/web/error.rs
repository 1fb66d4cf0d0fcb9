//! What went wrong, as a page shows it: a code for programs, a sentence for people, and what to do.

use serde::Serialize;

use crate::io::{ReadError, gltf::WriteError};
use crate::model::{RigError, SkeletonError};
use crate::pipeline::{PipelineError, PoseError, RecipeError};
use crate::samples::SampleError;
use crate::weights::TransitionError;

use super::rig_packet::PacketError;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PliantError {
    /// A stable name for programs.
    pub code: String,
    /// One sentence, without a full stop.
    pub message: String,
    /// What to do about it; empty when there is nothing to say.
    pub hint: String,
}

impl PliantError {
    /// From a sentence of ours: what is wrong, and after a semicolon what to do.
    pub fn new(code: &str, text: &str) -> Self {
        let (message, hint) = text.split_once("; ").unwrap_or((text, ""));
        Self { code: code.to_owned(), message: sentence(message), hint: sentence(hint) }
    }
}

impl From<ReadError> for PliantError {
    fn from(error: ReadError) -> Self {
        let ReadError { code, place, what, hint } = error;
        let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
        let message = format!("{}{place}", sentence(&what));
        Self { code: code.name().to_owned(), message, hint: sentence(&hint) }
    }
}

impl From<PipelineError> for PliantError {
    fn from(error: PipelineError) -> Self {
        let code = match &error {
            PipelineError::Recipe(_) => "recipe",
            PipelineError::NoSkeleton => "no_skeleton",
            PipelineError::NoStoredWeights => "no_stored_weights",
            PipelineError::SkeletonElsewhere { .. } => "skeleton_elsewhere",
            PipelineError::NothingDeforms => "nothing_deforms",
            PipelineError::NoTriangles => "no_mesh",
            PipelineError::UnknownJoint { .. } => "unknown_joint",
            PipelineError::UnknownLoosePart { .. } => "unknown_loose_part",
            PipelineError::HandleNamedAsJoint { .. } | PipelineError::HandleVertex { .. } => "handle",
            PipelineError::Skeleton(_) => "recipe",
            PipelineError::Examples(_) => "examples",
            PipelineError::Cancelled(_) => "cancelled",
            PipelineError::Rig(_) => "internal",
        };
        Self::new(code, &error.to_string())
    }
}

macro_rules! named {
    ($($error:ty => $code:literal),* $(,)?) => {$(
        impl From<$error> for PliantError {
            fn from(error: $error) -> Self {
                Self::new($code, &error.to_string())
            }
        }
    )*};
}

named! {
    RecipeError => "recipe",
    SampleError => "cast",
    SkeletonError => "skeleton",
    RigError => "internal",
    PacketError => "internal",
    TransitionError => "recipe",
    WriteError => "export",
    PoseError => "examples",
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => std::iter::once(first.to_ascii_uppercase()).chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{self, ErrorCode, File};
    use crate::report::Report;

    #[test]
    fn a_remedy_becomes_the_hint() {
        let error = PliantError::from(PipelineError::NoSkeleton);
        assert_eq!(error.code, "no_skeleton");
        assert_eq!(
            (error.message.as_str(), error.hint.as_str()),
            ("The model has no skeleton", "Give one beside it, or handles on the skin and the method bbw")
        );
    }

    #[test]
    fn garbage_is_named_and_a_way_out_given() {
        let file = File { name: "garbage.bin".into(), bytes: vec![7; 100] };
        let error = PliantError::from(io::read_model(&[file], &mut Report::default()).unwrap_err());
        assert_eq!(error.code, ErrorCode::UnknownFormat.name());
        assert!(error.message.starts_with("The content") && error.hint.contains("GLB"), "{error:?}");
    }
}
