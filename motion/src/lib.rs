//! Motions for skeletons: which joint is which bone, clips of one body on another, and a library of
//! clips that are computed for the body they move.
//!
//! Plain data in, plain data out. The crate knows neither files nor meshes nor weights. Natively it
//! is linked by the command line; in the browser it is a module of its own, loaded when a character
//! has no clip or a motion is dropped on it. Equations are in docs/theory/motion.md.

pub mod axes;
pub mod body;
pub mod bone;
pub mod creature;
pub mod frames;
pub mod humanoid;
pub mod leg;
pub mod library;
pub mod map;
pub mod retarget;
pub mod skeleton;
pub mod trig;
