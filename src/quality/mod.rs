//! The figures on the report card: what a rig's weights and poses are worth.

mod intersecting_vertices;
mod intersections;
mod kept;
mod volume;
mod volume_stats;

pub use intersecting_vertices::intersecting_vertices;
pub use intersections::{folds, self_intersections};
pub use kept::{SegmentError, segment_errors, volume_error};
pub use volume::volume;
pub use volume_stats::{SegmentVolumeStats, VolumeMeasurement, VolumeStats};
