//! Applies displacements: first to the frame, in the end to the positions of the solve mesh.

use glam::{Vec3, Vec3A};

use super::frame::Frame;
use super::parameters::Parameters;
use super::rest_layout::RestLayout;
use super::segments::NONE;

/// Moves every vertex of the frame by τ times its displacement.
pub(super) fn apply_displacements(parameters: &Parameters, frame: &mut Frame) {
    for (slots, state) in parameters.movable.slots.iter().zip(&frame.segments) {
        let tau = state.tau as f32;
        if tau != 0.0 {
            let displacements = &frame.displacements[slots.clone()];
            let moves = frame.positions[slots.clone()].iter_mut().zip(displacements);
            moves.for_each(|(position, &displacement)| *position += displacement * tau);
        }
    }
}

/// Writes the positions of movable vertices to `positions` (one per vertex of the solve mesh), and
/// calls `visit` with vertex, position and area vector of each.
pub(super) fn write_positions(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &Frame,
    positions: &mut [Vec3],
    mut visit: impl FnMut(usize, Vec3, Vec3A),
) {
    for slots in &parameters.movable.slots {
        let vertices = rest.mesh.vertices[slots.clone()].iter();
        let moved = frame.positions[slots.clone()].iter().zip(&frame.area_vectors[slots.clone()]);
        for (&vertex, (&at, &area)) in vertices.zip(moved) {
            let position = &mut positions[vertex as usize];
            // The difference from the position as it was read, so that vertices that have not moved
            // keep their bits.
            let before = Vec3A::from(*position) - frame.origin;
            *position += Vec3::from(at - before);
            visit(vertex as usize, *position, area);
        }
    }
    for (carry, &by) in rest.carry.vertices.iter().zip(&frame.carried).filter(|(carry, _)| carry.slot == NONE)
    {
        let position = &mut positions[carry.vertex as usize];
        *position += Vec3::from(by);
        visit(carry.vertex as usize, *position, Vec3A::ZERO);
    }
}
