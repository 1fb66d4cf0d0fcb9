//! Bend factors: how differently the joints of a vertex move (docs/theory/volume.md#bend-factor).
//!
//! In, once: weights. In, per frame: one matrix per joint. Out: a factor for γ per vertex, zero
//! where all of its joints move as one. Cost per frame: a few operations per pair of joints that
//! share a vertex, then one multiplication per pair and vertex.
//!
//! The maps of the paper do not depend on the pose: there, bending an elbow also inflates the
//! shoulder end of the upper arm, which is the same segment with the same γ.

use std::ops::Range;

use glam::{Mat3, Mat4, Vec3};

use super::frame::Frame;
use super::parameters::Parameters;
use super::rest_layout::RestLayout;
use crate::math::{key_of, sort_by_keys};
use crate::model::{Influence, Mesh, Weights};

/// The pairs of joints that share vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct BendPairs {
    pairs: Vec<Pair>,
    /// Per slot: the end of its list in `shares`.
    ends: Vec<u32>,
    /// A pair, and its share of the vertex.
    shares: Vec<(u32, f32)>,
    /// The diagonal of the mesh.
    diagonal: f32,
}

/// Two joints, and the weighted mean of the vertices that both influence.
#[derive(Clone, Copy, Debug)]
struct Pair {
    joints: [u32; 2],
    centre: Vec3,
}

impl BendPairs {
    /// `order` is the mesh vertex in each slot.
    pub(super) fn new(mesh: &Mesh, weights: &Weights, order: &[u32]) -> Self {
        let mut keys: Vec<[u32; 2]> =
            order.iter().flat_map(|&v| pairs_of(weights, v).map(|(key, _)| key)).collect();
        sort_by_keys(&mut keys, |&[one, other]| key_of(one, other));
        keys.dedup();
        let mut sums = vec![(Vec3::ZERO, 0.0_f32); keys.len()];
        let mut bends = Self { diagonal: mesh.diagonal().max(f32::MIN_POSITIVE), ..Self::default() };
        for &vertex in order {
            let all: f32 = pairs_of(weights, vertex).map(|(_, weight)| weight).sum();
            for (key, weight) in pairs_of(weights, vertex) {
                let pair = keys.binary_search(&key).unwrap_or(0);
                let (sum, total) = sums[pair];
                sums[pair] = (sum + mesh.positions()[vertex as usize] * weight, total + weight);
                bends.shares.push((pair as u32, weight / all));
            }
            bends.ends.push(bends.shares.len() as u32);
        }
        let pair = |(&joints, (sum, weight)): (&[u32; 2], (Vec3, f32))| Pair { joints, centre: sum / weight };
        bends.pairs = keys.iter().zip(sums).map(pair).collect();
        bends
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// `b_ij` of every pair of joints in a pose.
    fn bend_pairs(&self, posed_from_rest: &[Mat4], separation_unit: f32, pair_bends: &mut [f32]) {
        for (bend, Pair { joints, centre }) in pair_bends.iter_mut().zip(&self.pairs) {
            let [one, other] = joints.map(|joint| &posed_from_rest[joint as usize]);
            let rotation: Mat3 = Mat3::from_mat4(*one) - Mat3::from_mat4(*other);
            let separation = one.transform_point3(*centre) - other.transform_point3(*centre);
            // ‖A_i − A_j‖²; for two rotations that differ by θ it is 4 (1 − cos θ).
            let squared = rotation.to_cols_array().iter().map(|entry| entry * entry).sum::<f32>();
            *bend = 0.5 * squared + (separation / (separation_unit * self.diagonal)).length_squared();
        }
    }

    /// `b_k` of the vertices in a range of slots, one number each.
    fn bend_vertices(&self, slots: Range<usize>, pair_bends: &[f32], factors: &mut [f32]) {
        let mut start = if slots.start == 0 { 0 } else { self.ends[slots.start - 1] as usize };
        for (factor, &end) in factors.iter_mut().zip(&self.ends[slots]) {
            let shares = &self.shares[start..end as usize];
            *factor = shares.iter().map(|&(pair, share)| share * pair_bends[pair as usize]).sum();
            start = end as usize;
        }
    }
}

/// The pairs of joints of a vertex with the product of their weights. With products the mean
/// changes smoothly from vertex to vertex, whichever joint is the heaviest.
fn pairs_of(weights: &Weights, vertex: u32) -> impl Iterator<Item = ([u32; 2], f32)> + '_ {
    let row = weights.row(vertex as usize);
    let with_later = move |(i, one): (usize, &Influence)| {
        let one = *one;
        row[i + 1..].iter().map(move |other| {
            let key = [one.column.min(other.column), one.column.max(other.column)];
            (key, one.weight * other.weight)
        })
    };
    row.iter().enumerate().flat_map(with_later).filter(|(_, weight)| *weight > 0.0)
}

/// Computes the bend factors of all movable vertices, if the map depends on the pose.
pub(super) fn compute_bend_factors(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    posed_from_rest: &[Mat4],
) {
    if !parameters.follows_pose {
        return;
    }
    let unit = parameters.tuning.bend.separation_unit;
    rest.bend_pairs.bend_pairs(posed_from_rest, unit, &mut frame.pair_bends);
    for slots in &parameters.movable.slots {
        let factors = &mut frame.bend_factors[slots.clone()];
        rest.bend_pairs.bend_vertices(slots.clone(), &frame.pair_bends, factors);
    }
}
