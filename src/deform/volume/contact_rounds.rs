//! Keeps the volume correction from moving vertices over contacts.
//!
//! In: a shape that is being corrected, and the contacts of its joints. Out: the shape with
//! vertices that crossed a contact moved back to it, less mobility near contacts, and the volume
//! that this took restored elsewhere (docs/theory/contacts.md#interaction-with-volume-correction).
//! Cost: a few operations for each vertex near a contact.

use glam::Vec3;

use super::apply::apply_displacements;
use super::exact_step::solve_exact;
use super::frame::{Frame, Stage};
use super::measure::measure_volumes;
use super::parameters::Parameters;
use super::rest_layout::RestLayout;
use crate::deform::contacts::{ContactMove, Contacts, NearContact};

/// Reduces the mobility of vertices near contacts.
pub(super) fn limit_mobility(rest: &RestLayout, frame: &mut Frame, near: &[NearContact]) {
    for near in near {
        if let Some(mobility) = frame.mobility.get_mut(rest.mesh.slots[near.vertex as usize] as usize) {
            *mobility = smaller(*mobility, near.mobility);
        }
    }
}

/// Moves vertices that the current step takes over a contact back to it, and restores the volume
/// that this takes elsewhere.
pub(super) fn resolve_contacts(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    contacts: &mut Contacts,
) {
    for _ in 0..parameters.tuning.contact.max_rounds {
        let lost = project_to_contacts(rest, frame, contacts);
        if lost <= parameters.tuning.convergence.round_tolerance || !parameters.is_exact() {
            return;
        }
        if lost <= parameters.tuning.contact.slope_tolerance {
            return restore_along_slopes(rest, frame);
        }
        apply_displacements(parameters, frame);
        measure_volumes(rest, &parameters.movable, frame);
        solve_exact(rest, parameters, frame);
    }
    project_to_contacts(rest, frame, contacts);
}

/// Moves vertices that are over a contact back to it. Returns the largest relative volume that a
/// segment loses.
pub(super) fn project_to_contacts(rest: &RestLayout, frame: &mut Frame, contacts: &mut Contacts) -> f64 {
    frame.contact_losses.fill(0.0);
    for &ContactMove { vertex, by, mobility } in contacts.find_moves(|vertex| position(rest, frame, vertex)) {
        let slot = rest.mesh.slots[vertex as usize] as usize;
        let segment = rest.mesh.segment_of_slot[slot] as usize;
        frame.positions[slot] += by;
        frame.contact_losses[segment] += f64::from(by.dot(frame.area_vectors[slot]));
        frame.is_stale[segment] = true;
        if frame.segments[segment].stage == Stage::Moving {
            frame.mobility[slot] = smaller(frame.mobility[slot], mobility);
        }
    }
    let losses = frame.contact_losses.iter().zip(&rest.measures);
    losses.map(|(lost, measures)| lost.abs() / measures.scale).fold(0.0, f64::max)
}

/// Changes τ of moving segments so that they regain the volume lost to contacts, by their slopes.
fn restore_along_slopes(rest: &RestLayout, frame: &mut Frame) {
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        let slope = state.gain.slope(state.tau) + rest.coupling.own_slope(&frame.coupling, segment);
        let step = frame.contact_losses[segment] / slope;
        if state.stage == Stage::Moving && step.abs() < state.max_tau {
            state.tau -= step;
        }
    }
}

/// Position of a vertex at the current τ.
fn position(rest: &RestLayout, frame: &Frame, vertex: u32) -> Vec3 {
    let slot = rest.mesh.slots[vertex as usize] as usize;
    let tau = frame.segments[rest.mesh.segment_of_slot[slot] as usize].tau as f32;
    Vec3::from(frame.positions[slot] + frame.displacements[slot] * tau + frame.origin)
}

/// The smaller of two numbers, neither of which is NaN.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
