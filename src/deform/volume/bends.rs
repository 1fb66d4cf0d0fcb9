//! Where a pose bends the flesh: how differently the joints that hold a vertex move.
//!
//! In, once: weights. In, per frame: one matrix per joint. Out: a factor for γ per vertex, zero where all its joints move as one.
//! Cost per frame: a few operations per pair of joints that share a vertex, then one multiplication per influence.
//!
//! Beyond the paper, whose maps know nothing of the pose: there an elbow's bend also swells the shoulder's end of the arm,
//! because it is the same segment and its γ is as large.

use glam::{Mat3, Mat4, Vec3};

use crate::math::{key_of, sort_by_keys};
use crate::model::{Influence, Mesh, Weights};

/// Joints that part by this share of the model's size where they meet count as much as a turn by 60°.
const PARTED: f32 = 0.1;

/// PostSkinning that is bent by this (about 3°) is half as free as flesh that is bent more. Larger: grooves in gentle poses. Smaller: flesh next to a joint
/// that hardly bends moves with its neighbours'.
pub(super) const BARELY_BENT: f32 = 3e-3;

/// Which joints share which vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Bends {
    pairs: Vec<Pair>,
    /// Per place: where its shares end in `shares`.
    ends: Vec<u32>,
    /// A pair, and how much of the vertex it moves.
    shares: Vec<(u32, f32)>,
    factors: Vec<f32>,
    size: f32,
}

/// Two joints and the middle of the vertices that both hold.
#[derive(Clone, Copy, Debug)]
struct Pair {
    joints: [u32; 2],
    middle: Vec3,
}

impl Bends {
    /// `order` names the vertex of each place.
    pub(super) fn new(mesh: &Mesh, weights: &Weights, order: &[u32]) -> Self {
        // Both weights as a product: whoever is heaviest, the mean changes smoothly from vertex to vertex.
        let pairs_of = |vertex: u32| {
            let row = weights.row(vertex as usize);
            let of_one = |(i, one): (usize, &Influence)| {
                let one = *one;
                row[i + 1..].iter().map(move |other| {
                    let key = [one.column.min(other.column), one.column.max(other.column)];
                    (key, one.weight * other.weight)
                })
            };
            row.iter().enumerate().flat_map(of_one).filter(|(_, weight)| *weight > 0.0)
        };
        let mut keys: Vec<[u32; 2]> = order.iter().flat_map(|&v| pairs_of(v).map(|(key, _)| key)).collect();
        sort_by_keys(&mut keys, |&[one, other]| key_of(one, other));
        keys.dedup();
        let mut sums = vec![(Vec3::ZERO, 0.0_f32); keys.len()];
        let mut bends = Self { size: mesh.diagonal().max(f32::MIN_POSITIVE), ..Self::default() };
        for &vertex in order {
            let all: f32 = pairs_of(vertex).map(|(_, weight)| weight).sum();
            for (key, weight) in pairs_of(vertex) {
                let pair = keys.binary_search(&key).unwrap_or(0);
                sums[pair] =
                    (sums[pair].0 + mesh.positions()[vertex as usize] * weight, sums[pair].1 + weight);
                bends.shares.push((pair as u32, weight / all));
            }
            bends.ends.push(bends.shares.len() as u32);
        }
        let pair = |(&joints, (sum, weight)): (&[u32; 2], (Vec3, f32))| Pair { joints, middle: sum / weight };
        bends.pairs = keys.iter().zip(sums).map(pair).collect();
        bends.factors = vec![0.0; bends.pairs.len()];
        bends
    }

    /// Takes a new pose.
    pub(super) fn pose(&mut self, posed_from_rest: &[Mat4]) {
        for (factor, Pair { joints, middle }) in self.factors.iter_mut().zip(&self.pairs) {
            let [one, other] = joints.map(|joint| &posed_from_rest[joint as usize]);
            let turned: Mat3 = Mat3::from_mat4(*one) - Mat3::from_mat4(*other);
            let parted = one.transform_point3(*middle) - other.transform_point3(*middle);
            // Of rotations a turn's square is 4 (1 − cos θ).
            let turn = turned.to_cols_array().iter().map(|entry| entry * entry).sum::<f32>();
            *factor = 0.5 * turn + (parted / (PARTED * self.size)).length_squared();
        }
    }

    /// How much the vertices in some places are bent, `into` one number each.
    pub(super) fn factors(&self, places: std::ops::Range<usize>, into: &mut [f32]) {
        let mut start = if places.start == 0 { 0 } else { self.ends[places.start - 1] as usize };
        for (bent, &end) in into.iter_mut().zip(&self.ends[places]) {
            let shares = &self.shares[start..end as usize];
            *bent = shares.iter().map(|&(pair, share)| share * self.factors[pair as usize]).sum();
            start = end as usize;
        }
    }
}
