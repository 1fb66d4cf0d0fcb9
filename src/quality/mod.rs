//! The figures on the report card: what a rig's weights and poses are worth.

mod volume;

pub use volume::volume;
