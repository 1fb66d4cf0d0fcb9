//! Limits on the counts that a file declares.
//!
//! A count in a header is not trusted. Before memory is allocated for it, it is compared with the
//! data that is present: [`check_remaining`] compares with the remaining bytes, the budgets with
//! the size of the whole file.

use std::fmt::Display;

use super::{ErrorCode, ReadError};

/// Number of vertices that any file may have, however small it is.
/// If larger, a tiny malicious file exhausts the memory of a phone. If smaller, valid compact files
/// are rejected.
const FREE_VERTICES: usize = 1_000_000;

/// Bytes of file per vertex beyond [`FREE_VERTICES`]. Real formats use 12 or more.
const BYTES_PER_VERTEX: usize = 4;

/// Bytes that any compressed file may be decompressed to, however small it is. If larger, a tiny
/// malicious file exhausts the memory of a phone. If smaller, compact files of large meshes are
/// rejected: a million vertices with all attributes have about 80 MB.
const FREE_DECOMPRESSED_BYTES: usize = 96 << 20;

/// Largest ratio of decompressed to compressed bytes beyond [`FREE_DECOMPRESSED_BYTES`]. Draco
/// reaches about 20 with real meshes, meshopt about 10.
const MAX_COMPRESSION: usize = 32;

/// Bytes of plain data that one byte of a compressed file counts for in the budgets of vertices and
/// triangles. If larger, files that expand to zeros exhaust the memory. If smaller, large meshes
/// that Draco stores in one byte per vertex are rejected.
const PLAIN_BYTES_PER_COMPRESSED: usize = 8;

/// Largest absolute coordinate. If larger, the squared area of a triangle overflows an `f32` (10⁹
/// to the fourth power is 10³⁶). If smaller, models in micrometres far from the origin are
/// rejected.
pub(crate) const MAX_COORDINATE: f32 = 1e9;

/// Largest number of joints of a skeleton. If larger, loops over pairs of joints take minutes. Real
/// rigs stay far below it (facial rigs with every muscle have about 1,500).
pub(crate) const MAX_JOINTS: usize = 8_192;

/// Largest number of parts of a model. Further parts are merged into the last one. If larger, a
/// file of a million one-triangle groups takes thirty times its size in memory. If smaller, layered
/// clothing loses its parts.
pub(crate) const MAX_PARTS: usize = 4_096;

/// Largest number of displacements of all morph targets, 28 bytes each. If larger, a phone runs out
/// of memory, and a frame in which all are active takes longer than 50 ms. If smaller, dense
/// targets of large meshes are not shown.
pub(crate) const MAX_MORPH_DISPLACEMENTS: usize = 4_000_000;

/// Largest number of vertices that are visited to find displacements that are not zero, with
/// [`VISITS_PER_MORPH_TARGET`]. If larger, a small file of zeros takes seconds to read. If smaller,
/// sparse targets of large meshes are not shown.
pub(crate) const MAX_MORPH_VISITS: usize = 48_000_000;

/// Visits that a morph target counts for besides those of its vertices. Limits the number of
/// targets to 2,929. If smaller, sampling the weights of a clip may take milliseconds per frame. If
/// larger, facial rigs lose targets (large ones have about 700).
pub(crate) const VISITS_PER_MORPH_TARGET: usize = 16_384;

/// Largest number of vertices of a file of `file_bytes` bytes.
pub(crate) fn vertex_budget(file_bytes: usize) -> usize {
    FREE_VERTICES.max(file_bytes / BYTES_PER_VERTEX)
}

/// Largest number of triangles of a file of `file_bytes` bytes. A closed mesh has two per vertex.
pub(crate) fn triangle_budget(file_bytes: usize) -> usize {
    vertex_budget(file_bytes).saturating_mul(2)
}

/// Largest number of bytes that compressed files of `file_bytes` bytes may be decompressed to.
pub(crate) fn decoded_budget(file_bytes: usize) -> usize {
    FREE_DECOMPRESSED_BYTES.max(file_bytes.saturating_mul(MAX_COMPRESSION))
}

/// Largest number of vertices of one compressed primitive in files of `file_bytes` bytes.
pub(crate) fn decoded_vertex_budget(file_bytes: usize) -> usize {
    vertex_budget(file_bytes.saturating_mul(PLAIN_BYTES_PER_COMPRESSED))
}

/// The size of compressed files of `file_bytes` bytes from which the budgets of vertices and
/// triangles are computed, if they were decompressed to `decoded_bytes` bytes.
pub(crate) fn decompressed_size(file_bytes: usize, decoded_bytes: usize) -> usize {
    decoded_bytes.min(file_bytes.saturating_mul(PLAIN_BYTES_PER_COMPRESSED)).max(file_bytes)
}

/// Checks that `count` items of at least `bytes_each` bytes fit into the `remaining` bytes.
///
/// # Errors
/// [`ErrorCode::Truncated`], with the declared count and the bytes that are present.
pub(crate) fn check_remaining(
    place: impl Display,
    what: &str,
    count: usize,
    bytes_each: usize,
    remaining: usize,
) -> Result<(), ReadError> {
    if count.checked_mul(bytes_each).is_some_and(|bytes| bytes <= remaining) {
        return Ok(());
    }
    let message = format!(
        "{count} {what} are declared, at {bytes_each} or more bytes each, but only {remaining} bytes follow"
    );
    Err(ReadError::new(ErrorCode::Truncated, place.to_string(), message).hint(TRUNCATED_HINT))
}

/// Checks that `count` does not exceed `budget`.
///
/// # Errors
/// [`ErrorCode::TooLarge`].
pub(crate) fn check_budget(
    place: impl Display,
    what: &str,
    count: usize,
    budget: usize,
) -> Result<(), ReadError> {
    if count <= budget {
        return Ok(());
    }
    let message = format!("{count} {what} exceed the limit of {budget}");
    Err(ReadError::new(ErrorCode::TooLarge, place.to_string(), message)
        .hint("simplify the model or split it"))
}

/// Remedy for a file that ends too early.
pub(crate) const TRUNCATED_HINT: &str = "the file was probably cut short: copy, download or export it again";
