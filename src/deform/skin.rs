//! Weights laid out for the frame loop, and the loop itself.
//!
//! In: [`Weights`] and the pivots of the joints. Out: runs of vertices whose rows have one width,
//! so that the loop over the influences of a vertex is unrolled, and only the index of the joint is
//! checked in it. Cost: once per rig. Rows are padded to the widest of [`BLOCK`] neighbours.

use glam::{Mat4, Vec3, Vec3A, Vec4, Vec4Swizzles};

use super::{Posed, Rest};
use crate::math::sort_few;
use crate::model::{Influence, Rig, Weights};

/// Number of consecutive vertices whose rows are padded to the widest of them. Larger: more
/// padding, which costs time. Smaller: the loop changes its width more often, which costs time as
/// well.
const BLOCK: usize = 16;

/// Largest number of vertices of a run. Larger: its normals are no longer in the first-level cache
/// when they are normalised. Much smaller: the calls cost time.
const LONGEST_RUN: usize = 16 * BLOCK;

/// The weights as the frame loop reads them: one row of influences per vertex, the heaviest first,
/// padded with zero weights to the width of its run.
#[derive(Clone, Debug)]
pub struct Skin {
    vertices: usize,
    influences: Vec<Influence>,
    runs: Vec<Run>,
    pivots: Vec<Vec3>,
}

/// Consecutive vertices whose rows have one width.
#[derive(Clone, Copy, Debug)]
struct Run {
    vertices: usize,
    width: usize,
}

impl Skin {
    /// Lays out `weights`. `pivots` (one per joint, in rest space) are the fixed points of a
    /// joint's scale, normally its head. Only dual quaternion skinning of scaled joints uses them.
    ///
    /// # Panics
    /// If there is not one pivot per column of the weights.
    pub fn new(weights: &Weights, pivots: &[Vec3]) -> Self {
        assert_eq!(pivots.len(), weights.columns(), "one pivot per joint");
        let vertices = weights.vertices();
        let mut skin = Self { vertices, influences: Vec::new(), runs: Vec::new(), pivots: pivots.to_vec() };
        for first in (0..vertices).step_by(BLOCK) {
            let block = first..vertices.min(first + BLOCK);
            let width = block.clone().map(|v| weights.row(v).len()).max().unwrap_or(0);
            match skin.runs.last_mut() {
                Some(last) if last.width == width && last.vertices < LONGEST_RUN => {
                    last.vertices += block.len();
                }
                _ => skin.runs.push(Run { vertices: block.len(), width }),
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

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.pivots.len()
    }

    /// The fixed point of each joint's scale, in rest space.
    pub(super) fn pivots(&self) -> &[Vec3] {
        &self.pivots
    }

    fn push_row(&mut self, row: &[Influence], width: usize) {
        let start = self.influences.len();
        self.influences.extend_from_slice(row);
        // The sort is stable, so the lowest column is first among equal weights.
        sort_few(&mut self.influences[start..], |a, b| b.weight.total_cmp(&a.weight));
        let padding = Influence { column: self.influences[start].column, weight: 0.0 };
        self.influences.resize(start + width, padding);
    }
}

/// Poses one vertex.
pub(super) trait Kernel {
    /// Whether its normals are unit vectors; else the sweep normalises them.
    const UNIT_NORMALS: bool;

    /// The posed position and normal of a vertex with these influences, the heaviest first. Inlined
    /// and without side effects, so that the compiler removes the normal where it is not used.
    fn vertex(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3A, Vec3A);
}

/// Poses all vertices by `kernel`.
pub(super) fn sweep<K: Kernel>(kernel: &K, skin: &Skin, rest: Rest, posed: Posed) {
    check_lengths(skin, &rest, &posed);
    let Posed { positions, normals } = posed;
    let with_normals = !rest.normals.is_empty();
    let (mut first, mut first_influence) = (0, 0);
    for &Run { vertices, width } in &skin.runs {
        let here = first..first + vertices;
        let normals_here = if with_normals { here.clone() } else { 0..0 };
        let rows = &skin.influences[first_influence..first_influence + vertices * width];
        let rest =
            Rest { positions: &rest.positions[here.clone()], normals: &rest.normals[normals_here.clone()] };
        let out =
            Posed { positions: &mut positions[here.clone()], normals: &mut normals[normals_here.clone()] };
        match width {
            1 => narrow::<K, 1>(kernel, rows, rest, out),
            2 => narrow::<K, 2>(kernel, rows, rest, out),
            3 => narrow::<K, 3>(kernel, rows, rest, out),
            4 => narrow::<K, 4>(kernel, rows, rest, out),
            _ => wide(kernel, width, rows, rest, out),
        }
        if !K::UNIT_NORMALS {
            normalise(&mut normals[normals_here]);
        }
        (first, first_influence) = (here.end, first_influence + rows.len());
    }
}

/// The loop unrolled for `WIDTH` influences. Never inlined: a function with all widths in it would
/// keep its loop counters in memory.
#[inline(never)]
fn narrow<K: Kernel, const WIDTH: usize>(kernel: &K, rows: &[Influence], rest: Rest, posed: Posed) {
    let (rows, _) = rows.as_chunks::<WIDTH>();
    each_vertex(kernel, rows.iter().map(<[_; WIDTH]>::as_slice), rest, posed);
}

/// The loop for any number of influences.
#[inline(never)]
fn wide<K: Kernel>(kernel: &K, width: usize, rows: &[Influence], rest: Rest, posed: Posed) {
    each_vertex(kernel, rows.chunks_exact(width), rest, posed);
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
            *out = kernel.vertex(row, position, Vec3::ZERO).0.into();
        }
    } else {
        for (((row, &position), out), (&normal, out_normal)) in
            vertices.zip(rest.normals.iter().zip(posed.normals))
        {
            let (posed, posed_normal) = kernel.vertex(row, position, normal);
            *out = posed.into();
            *out_normal = posed_normal.into();
        }
    }
}

/// Normalises vectors, four at a time with one division. (One at a time, a frame of linear blending
/// took a third longer.) Zero stays zero.
#[inline(never)]
fn normalise(vectors: &mut [Vec3]) {
    const LEAST: Vec4 = Vec4::splat(f32::MIN_POSITIVE);
    let (fours, rest) = bytemuck::cast_slice_mut::<Vec3, f32>(vectors).as_chunks_mut::<12>();
    for four in fours {
        let (quarters, _) = four.as_chunks_mut::<4>();
        let [a, b, c] = [0, 1, 2].map(|i| Vec4::from_array(quarters[i]));
        let [aa, bb, cc] = [a * a, b * b, c * c];
        let squared = Vec4::new(aa.x, aa.w, bb.z, cc.y)
            + Vec4::new(aa.y, bb.x, bb.w, cc.z)
            + Vec4::new(aa.z, bb.y, cc.x, cc.w);
        let scale = Vec4::ONE / squared.max(LEAST).map(f32::sqrt);
        quarters[0] = (a * scale.xxxy()).into();
        quarters[1] = (b * scale.yyzz()).into();
        quarters[2] = (c * scale.zwww()).into();
    }
    for one in rest.as_chunks_mut::<3>().0 {
        let vector = Vec3::from_array(*one);
        *one = (vector / vector.length_squared().max(f32::MIN_POSITIVE).sqrt()).into();
    }
}

fn check_lengths(skin: &Skin, rest: &Rest, posed: &Posed) {
    assert_eq!(rest.positions.len(), skin.vertices, "one rest position per vertex of the skin");
    assert_eq!(posed.positions.len(), skin.vertices, "one posed position per vertex of the skin");
    let normals = rest.normals.len();
    assert!(normals == 0 || normals == skin.vertices, "normals for all vertices or none");
    assert_eq!(posed.normals.len(), normals, "as many posed normals as rest normals");
}

/// Checks that there is one matrix per joint.
pub(super) fn check_joints(skin: &Skin, posed_from_rest: &[Mat4]) {
    assert_eq!(posed_from_rest.len(), skin.joints(), "one matrix per joint of the skin");
}
