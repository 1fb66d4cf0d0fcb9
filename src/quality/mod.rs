//! Measures of a posed character, independent of the code that corrects it.

mod intersections;
mod pose_intersections;
mod segment_errors;
mod volume;
mod volume_stats;

pub use intersections::{folds, self_intersections};
pub use pose_intersections::PoseIntersections;
pub use segment_errors::{SegmentError, segment_errors, volume_error};
pub use volume::volume;
pub use volume_stats::{SegmentVolumeStats, VolumeMeasurement, VolumeStats};
