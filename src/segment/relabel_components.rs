//! Gives stray pieces of regions to their neighbours.
//!
//! In: labels. Out: labels in which the vertices of one label in one loose part of the mesh hang together, but for pieces that
//! lie beside their bone or between several neighbours: the palm and the back of a hand both belong to the bone between them,
//! though fingers and wrist may keep them apart on the surface. Of a region in pieces the largest stays; strays
//! go to the neighbour they share most edges with. Cost: a few passes.

use crate::operators::MeshGeometry;

/// A piece below this share of its region's largest is a stray wherever it lies. Larger: backs of hands go to the
/// wrist. Smaller: specks remain where visibility flickers.
const SPECK: f64 = 0.02;

/// A piece with this share of its border to one neighbour lies inside that neighbour. Larger: the back of a coarse
/// animal's hips goes to a leg. Smaller: what a foot's bone leaves of the shin stays on the foot.
const SURROUNDED: f64 = 0.6;

struct Piece {
    label: u32,
    part: u32,
    vertices: Vec<u32>,
    area: f64,
}

impl Piece {
    fn is_alike(&self, other: &Self) -> bool {
        (self.part, self.label) == (other.part, other.label)
    }
}

/// Gathers `labels`; `is_beside` says of a vertex whether it lies beside a bone of a label, not beyond its ends.
pub(super) fn gather(
    operators: &MeshGeometry,
    areas: &[f64],
    labels: &mut [u32],
    is_beside: impl Fn(u32, u32) -> bool,
) {
    // Every pass joins strays to other pieces, so their number falls until none is left.
    while join_strays(operators, areas, labels, &is_beside) {}
}

fn join_strays(
    operators: &MeshGeometry,
    areas: &[f64],
    labels: &mut [u32],
    is_beside: &impl Fn(u32, u32) -> bool,
) -> bool {
    let pieces = sorted_pieces(operators, areas, labels);
    let mut changed = false;
    for same in pieces.chunk_by(Piece::is_alike) {
        for stray in same[1..].iter().rev() {
            let beside = stray.vertices.iter().filter(|&&v| is_beside(v, stray.label)).count();
            let Some((neighbour, share)) = longest_neighbour(operators, labels, stray) else { continue };
            let is_between = 2 * beside >= stray.vertices.len() || share < SURROUNDED;
            if stray.area >= SPECK * same[0].area && is_between {
                continue;
            }
            stray.vertices.iter().for_each(|&v| labels[v as usize] = neighbour);
            changed = true;
        }
    }
    changed
}

/// Which of its label's pieces in its part each vertex lies in, the largest being 0.
pub(super) fn ranks(operators: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; labels.len()];
    for same in sorted_pieces(operators, areas, labels).chunk_by(Piece::is_alike) {
        for (rank, piece) in same.iter().enumerate() {
            piece.vertices.iter().for_each(|&vertex| ranks[vertex as usize] = rank as u32);
        }
    }
    ranks
}

/// By part and label, the largest first.
fn sorted_pieces(operators: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<Piece> {
    let mut pieces = pieces_of(operators, areas, labels);
    pieces.sort_by(|a, b| {
        let by_area = b.area.total_cmp(&a.area);
        (a.part, a.label).cmp(&(b.part, b.label)).then(by_area).then(a.vertices.cmp(&b.vertices))
    });
    pieces
}

fn pieces_of(operators: &MeshGeometry, areas: &[f64], labels: &[u32]) -> Vec<Piece> {
    let topology = operators.topology();
    let mut seen = vec![false; labels.len()];
    let mut pieces = Vec::new();
    for seed in 0..labels.len() {
        if seen[seed] {
            continue;
        }
        seen[seed] = true;
        let mut vertices = vec![seed as u32];
        let mut next = 0;
        while next < vertices.len() {
            for neighbour in topology.neighbours(vertices[next] as usize) {
                if !seen[neighbour] && labels[neighbour] == labels[seed] {
                    seen[neighbour] = true;
                    vertices.push(neighbour as u32);
                }
            }
            next += 1;
        }
        let area = vertices.iter().map(|&v| areas[v as usize]).sum();
        pieces.push(Piece {
            label: labels[seed],
            part: topology.component_of_vertex()[seed],
            vertices,
            area,
        });
    }
    pieces
}

/// The other label that most edges lead to (the lowest of equals), and which share of them.
fn longest_neighbour(operators: &MeshGeometry, labels: &[u32], piece: &Piece) -> Option<(u32, f64)> {
    let mut around: Vec<u32> = Vec::new();
    for &vertex in &piece.vertices {
        let others = operators.topology().neighbours(vertex as usize).map(|n| labels[n]);
        around.extend(others.filter(|&label| label != piece.label));
    }
    around.sort_unstable();
    let longest =
        around.chunk_by(|a, b| a == b).reduce(|best, run| if run.len() > best.len() { run } else { best });
    longest.map(|run| (run[0], run.len() as f64 / around.len() as f64))
}
