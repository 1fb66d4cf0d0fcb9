//! Step directions: the displacement per unit of τ of each vertex of a segment.
//!
//! In: directions, area vectors and the missing volume of a segment. Out: displacements, of which
//! the solver takes a multiple τ. The map γ and the bend factor decide which vertices move. If
//! these would have to move too far, or are so close to an interface that the segment gains
//! nothing, the other vertices of the segment join in by the fallback map
//! (docs/theory/volume.md#exact-step). Cost: one or two passes over the vertices of the segment.

use super::cubic::Cubic;
use super::frame::{Frame, Stage};
use super::measure::measure_interface_slopes;
use super::parameters::Parameters;
use super::rest_layout::RestLayout;
use super::triangle_sums::volume_gains;
use crate::math::larger;

/// Summary of the displacements of a segment.
pub(super) struct StepDirection {
    /// Six-fold volume gained per unit of τ by the part from γ, if all other segments are still.
    pub(super) gain: f64,
    /// Largest |τ|.
    pub(super) max_tau: f64,
}

/// Sums over the displacements by γ of a segment.
#[derive(Default)]
struct MapSums {
    /// Volume gained per τ by γ times the bend factor, by γ alone, and by the fallback map.
    gain: f64,
    unbent_gain: f64,
    fallback_gain: f64,
    /// Square of the longest displacement.
    longest_squared: f32,
}

/// Computes the displacements of a segment that lacks the volume `missing`.
pub(super) fn compute_step_direction(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    segment: usize,
    missing: f64,
) -> StepDirection {
    let MapSums { gain, unbent_gain, fallback_gain, mut longest_squared } =
        displace_by_gamma(parameters, frame, segment);
    let max_displacement = rest.measures[segment].max_displacement;
    // Displacement that γ alone would need, relative to the one at which the fallback joins in.
    let strain = (missing / gain).abs() * f64::from(longest_squared).sqrt()
        / (parameters.tuning.displacement.fallback_displacement * max_displacement);
    let ratio = fallback_ratio(parameters, strain, gain, gain / unbent_gain);
    if fallback_gain > 0.0 && ratio > 0.0 {
        let ratio = ratio.min(parameters.tuning.displacement.max_fallback_ratio);
        let rate = if gain > 0.0 { (ratio * gain / fallback_gain) as f32 } else { 1.0 };
        longest_squared = add_fallback(parameters, frame, segment, rate, longest_squared);
    }
    StepDirection { gain, max_tau: max_tau(max_displacement, longest_squared) }
}

/// Sets displacements to `h γ b φ`.
fn displace_by_gamma(parameters: &Parameters, frame: &mut Frame, segment: usize) -> MapSums {
    let mut sums = MapSums::default();
    for slot in parameters.movable.slots[segment].clone() {
        let (direction, mobility) = (frame.directions[slot], frame.mobility[slot]);
        let bend = frame.bend_factors[slot];
        let gamma = parameters.gamma[slot] * mobility;
        let displacement = direction * (gamma * bend);
        frame.displacements[slot] = displacement;
        sums.longest_squared = larger(sums.longest_squared, displacement.length_squared());
        let along = direction.dot(frame.area_vectors[slot]);
        sums.gain += f64::from(along * (gamma * bend));
        sums.unbent_gain += f64::from(along * gamma);
        sums.fallback_gain += f64::from(along * fallback_gamma(parameters, frame, segment, slot));
    }
    sums
}

/// Ratio of the volume from the fallback map to that from γ. It grows with the strain, and in
/// segments that are hardly bent at all.
fn fallback_ratio(parameters: &Parameters, strain: f64, gain: f64, mean_bend: f64) -> f64 {
    let bend = &parameters.tuning.bend;
    let by_strain = (2.0 * strain - 1.0).max(0.0).powi(2) * 0.5;
    let end = 1.0 / (bend.unbent_segment_end * bend.unbent_segment_end);
    let by_bend = ((bend.unbent_segment / mean_bend).powi(2) - end).max(0.0);
    if gain > 0.0 { by_strain + by_bend } else { 1.0 }
}

/// Adds `rate` times the displacements by the fallback map. Returns the square of the longest sum.
fn add_fallback(
    parameters: &Parameters,
    frame: &mut Frame,
    segment: usize,
    rate: f32,
    mut longest_squared: f32,
) -> f32 {
    for slot in parameters.movable.slots[segment].clone() {
        let by_fallback = frame.directions[slot] * (fallback_gamma(parameters, frame, segment, slot) * rate);
        frame.displacements[slot] += by_fallback;
        longest_squared = larger(longest_squared, frame.displacements[slot].length_squared());
    }
    longest_squared
}

/// The fallback map at a slot. Where only shared vertices move, bent ones move more than others.
#[inline(always)]
fn fallback_gamma(parameters: &Parameters, frame: &Frame, segment: usize, slot: usize) -> f32 {
    if parameters.movable.uses_rigid_vertices[segment] {
        return parameters.fallback_gamma[slot] * frame.mobility[slot];
    }
    let bend = frame.bend_factors[slot];
    let by_bend = bend / (bend + parameters.tuning.bend.half_bend) + parameters.tuning.bend.unbent_gamma;
    parameters.soft_gamma[slot] * frame.mobility[slot] * by_bend
}

/// Sets displacements by the fallback map alone. Returns the largest |τ|.
fn displace_by_fallback(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    segment: usize,
) -> f64 {
    let mut longest_squared = 0.0_f32;
    for slot in parameters.movable.slots[segment].clone() {
        let displacement = frame.directions[slot] * fallback_gamma(parameters, frame, segment, slot);
        frame.displacements[slot] = displacement;
        longest_squared = larger(longest_squared, displacement.length_squared());
    }
    max_tau(rest.measures[segment].max_displacement, longest_squared)
}

/// Measures the volume of a segment's own triangles as a cubic in τ along its displacements.
pub(super) fn measure_gain(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    segment: usize,
    max_tau: f64,
) {
    let triangles = &rest.mesh.triangles[parameters.movable.triangles[segment].clone()];
    let [own, gains @ ..] = volume_gains(triangles, &frame.positions, &frame.displacements);
    let state = &mut frame.segments[segment];
    (state.own_volume, state.gain) = (state.rigid_volume + own, Cubic { gains });
    (state.max_tau, state.has_displacements) = (max_tau, true);
}

/// Switches starting segments that gain nothing along their displacements to the fallback map: the
/// vertices that γ chose are too close to an interface.
pub(super) fn replace_useless_directions(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) {
    let mut any = false;
    for segment in 0..frame.segments.len() {
        let state = &frame.segments[segment];
        let rises = state.gain.gains[0] + rest.coupling.own_slope(&frame.coupling, segment) > 0.0;
        if state.stage == Stage::Starting && !rises {
            let max_tau = displace_by_fallback(rest, parameters, frame, segment);
            measure_gain(rest, parameters, frame, segment, max_tau);
            any = true;
        }
    }
    if any {
        measure_interface_slopes(rest, frame);
    }
}

/// Largest |τ| for the square of the longest displacement per τ.
fn max_tau(max_displacement: f64, longest_squared: f32) -> f64 {
    let longest = f64::from(longest_squared).sqrt();
    if longest > 0.0 { max_displacement / longest } else { 0.0 }
}
