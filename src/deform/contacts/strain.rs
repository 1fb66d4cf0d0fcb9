//! Limits how much contacts stretch and shear the edges of the skin.
//!
//! In: displacements along the normal of a contact plane, one per vertex, and skinned positions.
//! Out: displacements of which none is larger, so that edges between vertices that move and others
//! keep their lengths within limits (docs/theory/contacts.md#limits). They are continuous in the
//! pose. Cost: a few operations per edge at a vertex of the contact and sweep.

use glam::Vec3;

use super::layout::{ContactEdge, ContactVertex, NOT_IN_CONTACT};
use super::tuning::ContactTuning;
use crate::math::{larger, smaller};

/// The largest differences of the displacements of two vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeLimit {
    /// Indices of the vertices; [`NOT_IN_CONTACT`] for one that does not move.
    ends: [u32; 2],
    /// Of the first beyond the second, and of the second beyond the first.
    most: [f32; 2],
}

impl EdgeLimit {
    fn new(edge: &ContactEdge, normal: Vec3, positions: &[Vec3], tuning: &ContactTuning) -> Self {
        let [one, other] = edge.vertices.map(|vertex| positions[vertex as usize]);
        let along = one - other;
        let (squared, height) = (along.length_squared(), along.dot(normal));
        let longest = tuning.max_stretch * larger(squared.sqrt(), edge.rest_length);
        let spare = larger(height * height + longest * longest - squared, 0.0).sqrt();
        let shear = tuning.max_shear * squared.sqrt();
        Self { ends: edge.ends, most: [spare - height, spare + height].map(|most| smaller(most, shear)) }
    }

    /// Reduces two displacements to the limits. Whether they were beyond them.
    #[inline]
    fn reduce(&self, [one, other]: [&mut f32; 2]) -> bool {
        let difference = *one - *other;
        let [excess, back] = [difference - self.most[0], -difference - self.most[1]];
        if excess > 0.0 {
            share(excess, one, other);
        } else if back > 0.0 {
            share(back, other, one);
        }
        excess > 0.0 || back > 0.0
    }
}

/// Moves the upper of two displacements down and the lower one up, both towards zero.
fn share(excess: f32, upper: &mut f32, lower: &mut f32) {
    let (up, down) = (larger(*upper, 0.0), larger(-*lower, 0.0));
    let rate = excess / larger(up + down, f32::MIN_POSITIVE);
    *upper -= rate * up;
    *lower += rate * down;
}

/// Reduces displacements along `normal` (one per vertex of all contacts) so that no edge is
/// stretched or sheared beyond its limits.
pub(super) fn limit_strain(
    edges: &[ContactEdge],
    normal: Vec3,
    positions: &[Vec3],
    tuning: &ContactTuning,
    limits: &mut Vec<EdgeLimit>,
    displacements: &mut [f32],
) {
    limits.clear();
    let moves = |end: u32| displacements.get(end as usize).is_some_and(|&by| by != 0.0);
    let moving = edges.iter().filter(|edge| edge.ends.into_iter().any(moves));
    limits.extend(moving.map(|edge| EdgeLimit::new(edge, normal, positions, tuning)));
    for sweep in 0..tuning.max_sweeps {
        let mut any = false;
        let mut visit = |limit: &EdgeLimit| {
            let [first, second] = limit.ends.map(|end| end as usize);
            let mut pair = [displacements[first], displacements.get(second).copied().unwrap_or(0.0)];
            let [one, other] = &mut pair;
            any |= limit.reduce([one, other]);
            displacements[first] = pair[0];
            if limit.ends[1] != NOT_IN_CONTACT {
                displacements[second] = pair[1];
            }
        };
        if sweep % 2 == 0 {
            limits.iter().for_each(&mut visit);
        } else {
            limits.iter().rev().for_each(&mut visit);
        }
        if !any {
            break;
        }
    }
}

/// A displacement that approaches the largest one of its vertex smoothly.
#[inline]
pub(super) fn saturated(vertex: &ContactVertex, by: f32) -> f32 {
    let strain = by / larger(vertex.max_displacement, f32::MIN_POSITIVE);
    let squared = smaller(strain * strain, 1e9);
    let fourth = squared * squared;
    by / (1.0 + fourth * fourth).sqrt().sqrt().sqrt()
}
