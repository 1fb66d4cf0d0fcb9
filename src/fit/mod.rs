//! Brings a skeleton and a mesh together that were not made for each other.
//!
//! In: a skeleton with its motions, and either the mesh it should fit or the places its joints were dragged
//! to. Out: the same joints elsewhere, motions along with them. Frames keep their directions: only where
//! joints are changes, never how they turn.

mod mirror;
mod place;
mod template;

pub use mirror::{other_sides, reflected};
pub use place::place;
pub use template::fit;
