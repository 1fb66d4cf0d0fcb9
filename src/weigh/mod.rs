//! weigh
