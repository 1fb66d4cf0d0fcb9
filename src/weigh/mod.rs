//! weigh
pub mod quantise;
