//! Exact step of independent segments: Newton's method for one τ per segment.
//!
//! In: a shape whose volumes and directions are measured. Out: τ of every segment; vertices do not
//! move yet. A segment takes part when its volume is wrong, by the pose or by the motion of its
//! neighbours. Source: docs/theory/volume.md#exact-step. Cost: that of [`super::coupling`].

use super::apply::apply_displacements;
use super::coupling::newton_step;
use super::frame::{Frame, SegmentState, Stage};
use super::measure::{
    compute_directions, measure_interface_slopes, measure_interfaces, measure_volumes, update_volumes,
};
use super::parameters::Parameters;
use super::rest_layout::RestLayout;
use super::step_direction::{compute_step_direction, measure_gain, replace_useless_directions};

/// Solves for τ, and again with new directions for segments that could not move far enough. The
/// displacements of the last round are left to apply.
pub(super) fn solve_exact(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) {
    solve_round(rest, parameters, frame);
    for _ in 1..parameters.tuning.convergence.max_rounds {
        if !mark_unfinished(rest, parameters, frame) {
            break;
        }
        apply_displacements(parameters, frame);
        measure_volumes(rest, &parameters.movable, frame);
        compute_directions(rest, parameters, frame);
        solve_round(rest, parameters, frame);
    }
}

/// Marks the segments whose volume is still wrong as stale. Whether another round is of use.
fn mark_unfinished(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) -> bool {
    let tolerance = parameters.tuning.convergence.round_tolerance;
    let mut any = false;
    for (segment, state) in frame.segments.iter().enumerate() {
        let is_unfinished = state.missing().abs() > tolerance * rest.measures[segment].scale;
        frame.is_stale[segment] = is_unfinished;
        any |= is_unfinished;
    }
    any && frame.segments.iter().any(|state| state.tau != 0.0)
}

/// Newton's method along the current directions.
fn solve_round(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) {
    let tuning = &parameters.tuning.exact;
    for step in 0..tuning.max_newton_steps {
        if start_segments(rest, parameters, frame) {
            continue;
        }
        if moving_segments_are_restored(rest, frame, tuning.tolerance) {
            break;
        }
        newton_step(rest, tuning, frame);
        if step < tuning.fixed_slope_steps {
            measure_interfaces(rest, frame);
        } else {
            measure_interface_slopes(rest, frame);
        }
    }
    update_volumes(frame);
}

fn moving_segments_are_restored(rest: &RestLayout, frame: &Frame, tolerance: f64) -> bool {
    let error = |(segment, state): (usize, &SegmentState)| {
        missing_now(frame, segment, state).abs() / rest.measures[segment].scale
    };
    let moving = frame.segments.iter().enumerate().filter(|(_, state)| state.stage == Stage::Moving);
    moving.map(error).all(|error| error <= tolerance)
}

/// Missing volume at the current τ.
fn missing_now(frame: &Frame, segment: usize, state: &SegmentState) -> f64 {
    state.target - frame.coupling.volume(segment, state)
}

/// Starts segments whose volume is wrong. Whether there were any.
///
/// The first τ of a segment is right if its neighbours are still. If all of them have displacements
/// from before, only a small error is left: then they start at zero and take Newton steps together.
fn start_segments(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) -> bool {
    let (any, any_new) = prepare_segments(rest, parameters, frame);
    if !any {
        return false;
    }
    if any_new {
        measure_interface_slopes(rest, frame);
    }
    replace_useless_directions(rest, parameters, frame);
    for segment in 0..frame.segments.len() {
        if frame.segments[segment].stage == Stage::Starting {
            start_segment(rest, frame, segment, any_new);
        }
    }
    if any_new {
        measure_interfaces(rest, frame);
    }
    true
}

/// Marks segments whose volume is wrong as starting, and computes displacements where there are
/// none. Whether there were any, and whether any got new displacements.
fn prepare_segments(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) -> (bool, bool) {
    let tolerance = parameters.tuning.convergence.restored_tolerance;
    let (mut any, mut any_new) = (false, false);
    for segment in 0..frame.segments.len() {
        let state = frame.segments[segment];
        let missing = missing_now(frame, segment, &state);
        if state.stage != Stage::Restored || missing.abs() <= tolerance * rest.measures[segment].scale {
            continue;
        }
        if !state.has_displacements {
            let direction = compute_step_direction(rest, parameters, frame, segment, missing);
            measure_gain(rest, parameters, frame, segment, direction.max_tau);
            any_new = true;
        }
        frame.segments[segment].stage = Stage::Starting;
        any = true;
    }
    (any, any_new)
}

/// Sets the first τ of a segment, or marks it as stuck.
fn start_segment(rest: &RestLayout, frame: &mut Frame, segment: usize, with_first_step: bool) {
    let missing = missing_now(frame, segment, &frame.segments[segment]);
    let own_slope = rest.coupling.own_slope(&frame.coupling, segment);
    let state = &mut frame.segments[segment];
    let mut gain = state.gain;
    gain.gains[0] += own_slope;
    state.stage = if gain.branch(state.max_tau).is_some() { Stage::Moving } else { Stage::Stuck };
    state.tau = if with_first_step { gain.root(missing, state.max_tau) } else { 0.0 };
}
