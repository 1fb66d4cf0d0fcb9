//! Triangles of lists, strips and fans.

/// The triangles of a list (mode 4), strip (5) or fan (6). Degenerate triangles of strips and fans
/// only connect stretches of the strip and are skipped.
pub(super) fn triangles(mode: u32, indices: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let count = if mode == 4 { indices.len() / 3 } else { indices.len().saturating_sub(2) };
    let is_proper = move |&[a, b, c]: &[u32; 3]| mode == 4 || (a != b && b != c && c != a);
    (0..count)
        .map(move |i| match mode {
            4 => [indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]],
            5 if i % 2 == 1 => [indices[i + 1], indices[i], indices[i + 2]],
            5 => [indices[i], indices[i + 1], indices[i + 2]],
            _ => [indices[0], indices[i + 1], indices[i + 2]],
        })
        .filter(is_proper)
}
