//! Measures of a posed character, independent of the code that corrects it.

mod intersections;
mod segment_errors;
mod volume;

pub use intersections::{folds, self_intersections};
pub use segment_errors::{SegmentError, segment_errors, volume_error};
pub use volume::volume;
