//! Steps that measure a shape: area vectors, volumes and directions.
//!
//! In: positions. Out: area vectors, directions and segment states of the [`Frame`]. Triangles that
//! cannot move are summed once per frame, the others whenever they have moved. Source:
//! docs/theory/volume.md#volume-and-gradient. Cost: a pass over triangles; for directions a few
//! passes over movable vertices and their neighbours.

use glam::{Vec3, Vec3A};

use super::cubic::Cubic;
use super::frame::{Frame, Stage};
use super::mesh_layout::MeshLayout;
use super::parameters::{Movable, Parameters};
use super::rest_layout::RestLayout;
use super::triangle_sums::{add_area_vectors, volume};

/// Reads skinned positions relative to a vertex near their centre, and measures triangles that
/// cannot move.
pub(super) fn read_positions(rest: &RestLayout, movable: &Movable, frame: &mut Frame, positions: &[Vec3]) {
    if let Some(&central) = rest.mesh.vertices.get(rest.origin_slot) {
        frame.origin = Vec3A::from(positions[central as usize]);
    }
    for (position, &vertex) in frame.positions.iter_mut().zip(&rest.mesh.vertices) {
        *position = Vec3A::from(positions[vertex as usize]) - frame.origin;
    }
    frame.is_stale.fill(true);
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        let rigid = rest.mesh.ranges[segment].triangles.start..movable.triangles[segment].start;
        state.rigid_volume = volume(&rest.mesh.triangles[rigid], &frame.positions);
    }
}

/// Measures area vectors and volumes of stale segments. The volumes of others follow from their
/// steps. Ends all steps: τ is zero afterwards.
pub(super) fn measure_volumes(rest: &RestLayout, movable: &Movable, frame: &mut Frame) {
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        if frame.is_stale[segment] {
            frame.area_vectors[movable.slots[segment].clone()].fill(Vec3A::ZERO);
            let triangles = &rest.mesh.triangles[movable.triangles[segment].clone()];
            let volume = add_area_vectors(triangles, &frame.positions, &mut frame.area_vectors);
            state.own_volume = state.rigid_volume + volume;
        } else {
            state.own_volume += state.gain.at(state.tau);
        }
        state.gain = Cubic::default();
        (state.tau, state.stage, state.has_displacements) = (0.0, Stage::Restored, false);
    }
    add_interface_area_vectors(rest, frame);
    frame.is_stale.fill(false);
    measure_interfaces(rest, frame);
    update_volumes(frame);
}

/// Adds the area vectors of interface triangles to the vertices of stale segments.
fn add_interface_area_vectors(rest: &RestLayout, frame: &mut Frame) {
    for corners in &rest.mesh.interface_triangles {
        let [a, b, c] = corners.map(|slot| frame.positions[slot as usize]);
        let area = (b - a).cross(c - a);
        for slot in corners.map(|slot| slot as usize) {
            if frame.is_stale[rest.mesh.segment_of_slot[slot] as usize] {
                frame.area_vectors[slot] += area;
            }
        }
    }
}

/// Measures volumes of stale segments. Area vectors keep their values.
pub(super) fn measure_stale_volumes(rest: &RestLayout, movable: &Movable, frame: &mut Frame) {
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        if frame.is_stale[segment] {
            let triangles = &rest.mesh.triangles[movable.triangles[segment].clone()];
            state.own_volume = state.rigid_volume + volume(triangles, &frame.positions);
        }
    }
    measure_interfaces(rest, frame);
    update_volumes(frame);
}

/// Measures area vectors around all movable vertices and all volumes, after displacements were
/// applied.
pub(super) fn measure_corrected(rest: &RestLayout, movable: &Movable, frame: &mut Frame) {
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        frame.area_vectors[movable.slots[segment].clone()].fill(Vec3A::ZERO);
        let triangles = &rest.mesh.triangles[movable.triangles[segment].clone()];
        let volume = add_area_vectors(triangles, &frame.positions, &mut frame.area_vectors);
        state.own_volume = state.rigid_volume + volume;
        (state.gain, state.tau) = (Cubic::default(), 0.0);
    }
    add_area_vectors(&rest.mesh.interface_triangles, &frame.positions, &mut frame.area_vectors);
    measure_interfaces(rest, frame);
    update_volumes(frame);
}

/// Measures the volumes of shared triangles at the current τ.
pub(super) fn measure_interfaces(rest: &RestLayout, frame: &mut Frame) {
    measure_shared_triangles(rest, frame, false);
}

/// Measures the volumes of shared triangles at the current τ, and their slopes.
pub(super) fn measure_interface_slopes(rest: &RestLayout, frame: &mut Frame) {
    measure_shared_triangles(rest, frame, true);
}

fn measure_shared_triangles(rest: &RestLayout, frame: &mut Frame, with_slopes: bool) {
    update_centroids(rest, frame);
    let Frame { coupling, positions, displacements, segments, .. } = frame;
    coupling.measure(&rest.coupling, positions, displacements, segments, with_slopes);
}

/// Computes the centroids of hole caps, with every vertex at `position + τ displacement`.
fn update_centroids(rest: &RestLayout, frame: &mut Frame) {
    let MeshLayout { vertices, centroid_members, centroid_ends, segment_of_slot, .. } = &rest.mesh;
    let Frame { positions, displacements, segments, .. } = frame;
    let (positions, centroids) = positions.split_at_mut(vertices.len());
    let mut start = 0;
    for (centroid, &end) in centroids.iter_mut().zip(centroid_ends) {
        let members = &centroid_members[start..end as usize];
        let displaced = |&slot: &u32| {
            let state = &segments[segment_of_slot[slot as usize] as usize];
            positions[slot as usize] + displacements[slot as usize] * state.tau as f32
        };
        // Relative to one of them: a sum of hundreds of positions would lose digits.
        let first = members.first().map_or(Vec3A::ZERO, displaced);
        let sum: Vec3A = members.iter().map(|slot| displaced(slot) - first).sum();
        *centroid = first + sum / members.len().max(1) as f32;
        start = end as usize;
    }
}

/// Computes the volume of every segment from its own and its shared triangles.
pub(super) fn update_volumes(frame: &mut Frame) {
    for (segment, state) in frame.segments.iter_mut().enumerate() {
        state.volume = frame.coupling.volume(segment, state);
    }
}

/// Computes the directions of motion: area vectors over rest areas; in exact mode averaged with
/// neighbours.
pub(super) fn compute_directions(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame) {
    for slots in &parameters.movable.slots {
        let area_vectors = frame.area_vectors[slots.clone()].iter();
        let areas = area_vectors.zip(&parameters.inverse_areas[slots.clone()]);
        for (direction, (&area, &inverse)) in frame.directions[slots.clone()].iter_mut().zip(areas) {
            *direction = area * inverse;
        }
    }
    if parameters.is_exact() {
        let Frame { directions, displacements, .. } = frame;
        rest.mesh.average_with_neighbours(&parameters.movable.slots, directions, displacements);
        std::mem::swap(directions, displacements);
    }
}
