//! Measures of weights and of posed characters, independent of the code that computes or corrects
//! them.

mod intersections;
mod pose_intersections;
mod segment_errors;
mod shape_measures;
mod volume;
mod volume_stats;
mod weight_measures;

pub use intersections::{folds, self_intersections};
pub use pose_intersections::PoseIntersections;
pub use segment_errors::{SegmentError, segment_errors, volume_error};
pub use shape_measures::{largest_stretch, local_thickness};
pub use volume::volume;
pub use volume_stats::{SegmentVolumeStats, VolumeMeasurement, VolumeStats};
pub use weight_measures::{Agreement, RegionPieces, nearest_bone_joints, roughness};
