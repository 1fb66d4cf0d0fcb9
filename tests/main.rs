//! All integration tests in one binary: it links once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic, helpers included")]

mod fixtures;

mod bvh;
mod distance;
mod finish;
mod layering;
mod operators;
mod properties;
