//! Weights laid out for the frame loop, and the loop itself.
//!
//! In: [`Weights`] and where the joints turn. Out: rows of equal width in stretches of vertices, so that
//! the loop over a vertex's influences is unrolled and nothing but the joint's index is checked in it.
//! Cost: once per rig; in the worst order of vertices rows are padded to the widest of [`BLOCK`].

use glam::{Mat4, Vec3};

use super::{Posed, Rest};
use crate::model::{Influence, Rig, Weights};

/// This many neighbouring vertices share the width of their widest row. Larger: more padding, and all
/// of it is multiplied out. Smaller: the loop changes its width more often than the processor likes.
const BLOCK: usize = 16;

/// What the frame loop reads: one row of influences per vertex, the heaviest first, padded with zero
/// weights to the width of its stretch.
#[derive(Clone, Debug)]
pub struct Skin {
    vertices: usize,
    influences: Vec<Influence>,
    stretches: Vec<Stretch>,
    pivots: Vec<Vec3>,
}

/// Consecutive vertices whose rows have one width.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    vertices: usize,
    width: usize,
}

impl Skin {
    /// Lays `weights` out. `pivots` (one per joint, in rest space) are the points about which a joint's
    /// scale is taken to act; its head is the right one. Only dual quaternions under scale ask for them.
    ///
    /// # Panics
    /// When there is not one pivot per column of the weights.
    pub fn new(weights: &Weights, pivots: &[Vec3]) -> Self {
        assert_eq!(pivots.len(), weights.columns(), "one pivot per joint");
        let vertices = weights.vertices();
        let mut skin =
            Self { vertices, influences: Vec::new(), stretches: Vec::new(), pivots: pivots.to_vec() };
        for first in (0..vertices).step_by(BLOCK) {
            let block = first..vertices.min(first + BLOCK);
            let width = block.clone().map(|v| weights.row(v).len()).max().unwrap_or(0);
            match skin.stretches.last_mut() {
                Some(last) if last.width == width => last.vertices += block.len(),
                _ => skin.stretches.push(Stretch { vertices: block.len(), width }),
            }
            for vertex in block {
                skin.push_row(weights.row(vertex), width);
            }
        }
        skin
    }

    /// Lays out the weights of a rig's render vertices, with the heads of its joints as pivots.
    pub fn of_rig(rig: &Rig) -> Self {
        let heads: Vec<Vec3> = rig.skeleton.joints().iter().map(|joint| joint.head()).collect();
        Self::new(rig.weights(), &heads)
    }

    /// How many vertices it moves.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// How many joints move it.
    pub fn joints(&self) -> usize {
        self.pivots.len()
    }

    /// One point per joint, in rest space, about which its scale acts.
    pub(super) fn pivots(&self) -> &[Vec3] {
        &self.pivots
    }

    fn push_row(&mut self, row: &[Influence], width: usize) {
        let start = self.influences.len();
        self.influences.extend_from_slice(row);
        // Stable, so the lowest column comes first among equals.
        self.influences[start..].sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let padding = Influence { column: self.influences[start].column, weight: 0.0 };
        self.influences.resize(start + width, padding);
    }
}

/// How one vertex is posed, given its influences, the heaviest first.
pub(super) trait Kernel {
    /// The posed position and, if `NORMALS`, the posed normal; else anything in its place.
    fn vertex<const NORMALS: bool>(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3, Vec3);
}

/// Poses all vertices by `kernel`.
pub(super) fn sweep<K: Kernel>(kernel: &K, skin: &Skin, rest: Rest, posed: Posed) {
    check_lengths(skin, &rest, &posed);
    let Rest { mut positions, mut normals } = rest;
    let Posed { positions: mut posed_positions, normals: mut posed_normals } = posed;
    let mut influences = skin.influences.as_slice();
    let with_normals = !normals.is_empty();
    for stretch in &skin.stretches {
        let directions = if with_normals { stretch.vertices } else { 0 };
        let rows;
        (rows, influences) = influences.split_at(stretch.vertices * stretch.width);
        let here;
        (here, positions) = positions.split_at(stretch.vertices);
        let here_normals;
        (here_normals, normals) = normals.split_at(directions);
        let out;
        (out, posed_positions) = posed_positions.split_at_mut(stretch.vertices);
        let out_normals;
        (out_normals, posed_normals) = posed_normals.split_at_mut(directions);
        let rest = Rest { positions: here, normals: here_normals };
        let posed = Posed { positions: out, normals: out_normals };
        match stretch.width {
            1 => narrow::<K, 1>(kernel, rows, rest, posed),
            2 => narrow::<K, 2>(kernel, rows, rest, posed),
            3 => narrow::<K, 3>(kernel, rows, rest, posed),
            4 => narrow::<K, 4>(kernel, rows, rest, posed),
            width => each_vertex(kernel, rows.chunks_exact(width), rest, posed),
        }
    }
}

/// Unrolled for `WIDTH` influences.
fn narrow<K: Kernel, const WIDTH: usize>(kernel: &K, rows: &[Influence], rest: Rest, posed: Posed) {
    let (rows, _) = rows.as_chunks::<WIDTH>();
    each_vertex(kernel, rows.iter().map(<[_; WIDTH]>::as_slice), rest, posed);
}

#[inline(always)]
fn each_vertex<'a, K: Kernel>(
    kernel: &K,
    rows: impl ExactSizeIterator<Item = &'a [Influence]>,
    rest: Rest,
    posed: Posed,
) {
    let vertices = rows.zip(rest.positions).zip(posed.positions);
    if rest.normals.is_empty() {
        for ((row, &position), out) in vertices {
            (*out, _) = kernel.vertex::<false>(row, position, Vec3::ZERO);
        }
    } else {
        for (((row, &position), out), (&normal, out_normal)) in
            vertices.zip(rest.normals.iter().zip(posed.normals))
        {
            (*out, *out_normal) = kernel.vertex::<true>(row, position, normal);
        }
    }
}

fn check_lengths(skin: &Skin, rest: &Rest, posed: &Posed) {
    assert_eq!(rest.positions.len(), skin.vertices, "one rest position per vertex of the skin");
    assert_eq!(posed.positions.len(), skin.vertices, "one posed position per vertex of the skin");
    let normals = rest.normals.len();
    assert!(normals == 0 || normals == skin.vertices, "normals for all vertices or none");
    assert_eq!(posed.normals.len(), normals, "as many posed normals as rest normals");
}

/// One matrix per joint, or it is not this skin's pose.
pub(super) fn check_joints(skin: &Skin, posed_from_rest: &[Mat4]) {
    assert_eq!(posed_from_rest.len(), skin.joints(), "one matrix per joint of the skin");
}
