//! Linear step of the paper: one step by the volume that prisms measure.
//!
//! In: skinned positions, one matrix per joint. Out: τ of every segment. Source: Rohmer, Hahmann,
//! Cani 2008, §3.2 (docs/theory/volume.md#linear-step). Cost: 14 triangles per triangle, once per
//! frame.

use glam::{Mat4, Vec3A};

use super::frame::{Frame, Stage};
use super::measure::{measure_interface_slopes, update_volumes};
use super::parameters::Parameters;
use super::prisms;
use super::rest_layout::RestLayout;
use super::step_direction::{StepDirection, compute_step_direction, measure_gain};

/// Computes `τ = ΔV / Σ γ ⟨h, g⟩` for every segment whose volume is wrong.
pub(super) fn solve_linear(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    posed_from_rest: &[Mat4],
) {
    let tolerance = parameters.tuning.convergence.restored_tolerance;
    for segment in 0..frame.segments.len() {
        let missing = missing_volume(rest, frame, segment, posed_from_rest);
        if missing.abs() <= tolerance * rest.measures[segment].scale {
            continue;
        }
        let StepDirection { gain, max_tau } =
            compute_step_direction(rest, parameters, frame, segment, missing);
        let tau = (missing / gain).clamp(-max_tau, max_tau);
        if gain > 0.0 && tau.is_finite() {
            measure_gain(rest, parameters, frame, segment, max_tau);
            let state = &mut frame.segments[segment];
            (state.tau, state.stage) = (tau, Stage::Moving);
        }
    }
    measure_interface_slopes(rest, frame);
    update_volumes(frame);
}

/// Six times the volume that a segment lacks: by prisms in the frame of its joint; by its volume if
/// it is a whole part.
fn missing_volume(rest: &RestLayout, frame: &Frame, segment: usize, posed_from_rest: &[Mat4]) -> f64 {
    let joint = rest.segments.segments()[segment].joint;
    let Some(matrix) = joint.and_then(|joint| posed_from_rest.get(joint)) else {
        return frame.segments[segment].missing();
    };
    let own = rest.mesh.triangles[rest.mesh.ranges[segment].triangles.clone()].iter();
    let owners = rest.mesh.interface_triangles.iter().zip(&rest.mesh.interface_triangle_segments);
    let at_interfaces = owners.filter(|(_, of)| **of as usize == segment).map(|(t, _)| t);
    let corners = own.chain(at_interfaces).map(|t| {
        let at = |positions: &[Vec3A], origin: Vec3A| {
            t.map(|slot| positions[slot as usize].as_dvec3() + origin.as_dvec3())
        };
        (at(&rest.positions, rest.origin), at(&frame.positions, frame.origin))
    });
    -prisms::gained_volume(matrix, corners)
}
