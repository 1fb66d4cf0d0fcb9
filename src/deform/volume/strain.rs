//! Limits how much displacements stretch and shear the edges of the skin.
//!
//! In: displacements of a round of interface pressures. Out: displacements of which none is longer,
//! with lower limits for the next rounds, so that neighbours move alike. Source:
//! docs/theory/volume.md#strain-limits (not in the paper). They are continuous in the pose. Cost: a
//! few operations per edge at vertices that move farther than a part of an edge, per sweep.

use glam::Vec3A;

use super::mesh_layout::MeshLayout;
use super::pressure_step::LimitedMove;
use super::tuning::StrainTuning;
use crate::math::{larger, smaller};

/// Per slot: the length of its shortest edge.
pub(super) fn shortest_edges(mesh: &MeshLayout, positions: &[Vec3A]) -> Vec<f32> {
    let shortest = |slot: usize| {
        let squared = mesh.neighbours(slot).iter();
        let squared = squared.map(|&next| positions[next as usize].distance_squared(positions[slot]));
        squared.fold(f32::INFINITY, smaller).sqrt()
    };
    (0..mesh.vertices.len()).map(shortest).collect()
}

/// What the limits of edges follow from.
pub(super) struct StrainInputs<'a> {
    pub(super) mesh: &'a MeshLayout,
    pub(super) tuning: &'a StrainTuning,
    /// Per slot: rest position, and the length of the shortest edge at rest.
    pub(super) rest: &'a [Vec3A],
    pub(super) shortest_edges: &'a [f32],
    /// Per slot: displacement per unit of pressure.
    pub(super) displacements: &'a [Vec3A],
}

impl StrainInputs<'_> {
    /// Shortens displacements until edges are within their limits, and moves `positions` along.
    pub(super) fn limit(&self, moves: &mut [LimitedMove], positions: &mut [Vec3A]) {
        for sweep in 0..self.tuning.max_sweeps {
            let mut any = false;
            for ranges in &self.mesh.ranges {
                let slots = ranges.shared.clone();
                if sweep % 2 == 0 {
                    slots.for_each(|slot| any |= self.limit_slot(slot, moves, positions));
                } else {
                    slots.rev().for_each(|slot| any |= self.limit_slot(slot, moves, positions));
                }
            }
            if !any {
                break;
            }
        }
    }

    /// Shortens the displacement of a slot. Whether that was necessary.
    fn limit_slot(&self, slot: usize, moves: &mut [LimitedMove], positions: &mut [Vec3A]) -> bool {
        let per_pressure = self.displacements[slot];
        let length = per_pressure.length() * moves[slot].limited.abs();
        if length <= self.tuning.least_share * self.shortest_edges[slot] {
            return false;
        }
        let own = per_pressure * moves[slot].limited;
        let before = positions[slot] - own;
        let mut least = 1.0;
        for next in self.mesh.neighbours(slot).iter().map(|&next| next as usize) {
            let other = self.displacements[next] * moves[next].limited;
            let edge = before - (positions[next] - other);
            let rest_length = self.rest[slot].distance(self.rest[next]);
            least = smaller(least, self.share(edge, rest_length, [own, other]));
        }
        if least < 1.0 {
            positions[slot] += per_pressure * moves[slot].reduce_to(least);
        }
        least < 1.0
    }

    /// The share of its displacement that the first end of an edge keeps.
    fn share(&self, edge: Vec3A, rest_length: f32, [own, other]: [Vec3A; 2]) -> f32 {
        let difference = own - other;
        let (by, squared) = (difference.length(), edge.length_squared());
        let length = squared.sqrt();
        let along = edge.dot(difference) / larger(by, f32::MIN_POSITIVE);
        let longest = self.tuning.max_stretch * larger(length, rest_length);
        let stretch = larger(along * along + longest * longest - squared, 0.0).sqrt() - along;
        let excess = by - smaller(stretch, self.tuning.max_shear * length);
        if excess <= 0.0 {
            return 1.0;
        }
        // How fast the difference becomes shorter with either displacement.
        let toward = difference / by;
        let (own_length, other_length) = (own.length(), other.length());
        let own_rate = larger(own.dot(toward), 0.0) / own_length;
        let other_rate = larger(-other.dot(toward), 0.0) / larger(other_length, f32::MIN_POSITIVE);
        let sum = own_rate * own_rate + other_rate * other_rate;
        larger(1.0 - excess * own_rate / (larger(sum, f32::MIN_POSITIVE) * own_length), 0.0)
    }
}
