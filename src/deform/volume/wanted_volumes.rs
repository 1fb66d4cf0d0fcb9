//! Wanted volumes: the rest volume of a segment times the blended determinant of its joints.
//!
//! In, once: weights and rest areas. In, per frame: one matrix per joint. Out: the six-fold volume
//! that each segment should have. A scaled, sheared or mirrored joint changes the volume on
//! purpose; a rotation does not. Source: docs/theory/volume.md#wanted-volume. Cost per frame: one
//! determinant per joint, and a product for each pair of a segment and a joint that its vertices
//! follow.

use glam::{Mat3, Mat4};

use super::frame::Frame;
use super::mesh_layout::MeshLayout;
use super::rest_layout::RestLayout;
use crate::model::Weights;

/// Determinants this close to one are rotations up to rounding.
const ROTATION_TOLERANCE: f64 = 2e-6;

/// Per segment: the joints that its surface follows, and their shares.
#[derive(Clone, Debug, Default)]
pub(super) struct JointShares {
    shares: Vec<(u32, f64)>,
    ends: Vec<u32>,
    joints: usize,
}

impl JointShares {
    pub(super) fn new(weights: &Weights, mesh: &MeshLayout, areas: &[f32]) -> Self {
        let mut all = Self { joints: weights.columns(), ..Self::default() };
        let mut sums = vec![0.0_f64; weights.columns()];
        for ranges in &mesh.ranges {
            let mut total = 0.0;
            for slot in ranges.vertices.clone() {
                for influence in weights.row(mesh.vertices[slot] as usize) {
                    let share = f64::from(influence.weight * areas[slot]);
                    sums[influence.column as usize] += share;
                    total += share;
                }
            }
            for (joint, sum) in (0..).zip(&mut sums) {
                if *sum > 0.0 {
                    all.shares.push((joint, *sum / total));
                }
                *sum = 0.0;
            }
            all.ends.push(all.shares.len() as u32);
        }
        all
    }

    /// Number of joints.
    pub(super) fn joints(&self) -> usize {
        self.joints
    }
}

/// Sets the volumes that all segments should have in a pose.
pub(super) fn set_wanted_volumes(rest: &RestLayout, frame: &mut Frame, posed_from_rest: &[Mat4]) {
    let JointShares { shares, ends, .. } = &rest.joint_shares;
    for (growth, matrix) in frame.growths.iter_mut().zip(posed_from_rest) {
        let determinant = Mat3::from_mat4(*matrix).as_dmat3().determinant() - 1.0;
        // Smooth: full from three times the tolerance on.
        let counts = (determinant.abs() / ROTATION_TOLERANCE - 1.0).clamp(0.0, 2.0) * 0.5;
        *growth = if determinant.is_finite() { determinant * counts } else { 0.0 };
    }
    let mut start = 0;
    for ((state, measures), &end) in frame.segments.iter_mut().zip(&rest.measures).zip(ends) {
        let shares = &shares[start..end as usize];
        let growth: f64 = shares.iter().map(|&(joint, share)| share * frame.growths[joint as usize]).sum();
        state.wanted = measures.volume * (1.0 + growth);
        start = end as usize;
    }
}
