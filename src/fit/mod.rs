//! Fits a skeleton to a mesh that it was not made for.
//!
//! Input: a skeleton with its clips, and either the target mesh or new positions of joints. Output:
//! the same joints at other positions, with their clips. Rotations of rest frames do not change.

mod mirror;
mod move_joints;
mod range_of_motion;
mod template;

pub use mirror::{mirrored, other_sides, reflected};
pub use move_joints::move_joints;
pub use range_of_motion::range_of_motion;
pub use template::fit;
