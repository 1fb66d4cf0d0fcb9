//! How much a file may ask for.
//!
//! A count in a header is a claim. Before anything is allocated for it, it is held against what the file
//! really has: [`claim`] against the bytes that are left, the budgets against the size of the whole file.

use std::fmt::Display;

use super::{ErrorCode, ReadError};

/// Vertices any file may have, however small it is.
/// Larger: a tiny hostile file takes a phone's memory. Smaller: honest compact files are refused.
const FREE_VERTICES: usize = 1_000_000;

/// Bytes of a file that stand for one vertex beyond [`FREE_VERTICES`]; real formats spend 12 or more.
const BYTES_PER_VERTEX: usize = 4;

/// A coordinate further out than this is refused: beyond it the squared area of a triangle no longer
/// fits an `f32` (10⁹ to the fourth is 10³⁶). Smaller: models in micrometres far from the origin are refused.
pub(crate) const FARTHEST: f32 = 1e9;

/// Joints of one skeleton. Larger: passes over pairs of joints would take minutes. Smaller: no real rig
/// is near it (faces with every muscle have some 1,500).
pub(crate) const MOST_JOINTS: usize = 8_192;

/// Parts of one model; what comes after goes into the last one. Larger: a file of a million one-triangle
/// groups takes thirty times its size. Smaller: layered clothing loses its parts.
pub(crate) const MOST_PARTS: usize = 4_096;

/// How many vertices a file of `file_bytes` bytes may have.
pub(crate) fn vertex_budget(file_bytes: usize) -> usize {
    FREE_VERTICES.max(file_bytes / BYTES_PER_VERTEX)
}

/// How many triangles a file of `file_bytes` bytes may have: a closed mesh has two per vertex.
pub(crate) fn triangle_budget(file_bytes: usize) -> usize {
    vertex_budget(file_bytes).saturating_mul(2)
}

/// Refuses `count` things of at least `bytes_each` bytes where only `left` bytes follow.
///
/// # Errors
/// [`ErrorCode::Truncated`], naming what was promised and what is there.
pub(crate) fn claim(
    place: impl Display,
    what: &str,
    count: usize,
    bytes_each: usize,
    left: usize,
) -> Result<(), ReadError> {
    if count.checked_mul(bytes_each).is_some_and(|bytes| bytes <= left) {
        return Ok(());
    }
    let promise = format!(
        "{count} {what} are promised, at {bytes_each} or more bytes each, but only {left} bytes follow"
    );
    Err(ReadError::new(ErrorCode::Truncated, place.to_string(), promise).hint(CUT_SHORT))
}

/// Refuses `count` things where at most `budget` are allowed.
///
/// # Errors
/// [`ErrorCode::TooLarge`].
pub(crate) fn within(place: impl Display, what: &str, count: usize, budget: usize) -> Result<(), ReadError> {
    if count <= budget {
        return Ok(());
    }
    let excess = format!("{count} {what} are more than the {budget} that are allowed here");
    Err(ReadError::new(ErrorCode::TooLarge, place.to_string(), excess).hint("simplify the model or split it"))
}

/// What to do about a file that ends too early.
pub(crate) const CUT_SHORT: &str = "the file was probably cut short: copy, download or export it again";
