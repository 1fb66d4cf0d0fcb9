//! Where handles hold, when weights are smooth in the flesh.
//!
//! A bone holds places along it but for its [`joints`](super::joints), a point its own, a region
//! those of its vertices: places, not the nodes of the lattice nearest to them, so that nothing
//! jumps when the lattice gets finer. What bones claim at one place they share. But what points and
//! regions hold is theirs alone, as on the skin. The lattice is laid along the first bone, so that
//! it turns and moves with the character.

use glam::{DMat3, DVec3};

use super::Handle;
use super::inner::Inner;
use super::joints::Joints;
use crate::math::{any_orthogonal, unit_or_f64};
use crate::operators::qp::{BoundaryConditions, SampleConstraint};
use crate::operators::{Lattice, LatticePoint, MeshGeometry};

/// Places along a bone at which it holds, per cell. More: nothing between places, and bones that
/// fork pull at the same nodes. Fewer: gaps through which others reach.
const PER_CELL: f64 = 1.0;

/// Bones do not hold what is nearer than this to a point's or region's place, in cells.
const ALONE: f64 = 0.5;

/// The lattice, and what is given on it; `column_of` says in which column each handle's weights
/// are.
pub(super) fn given(
    geometry: &MeshGeometry,
    handles: &[Handle],
    column_of: &[u32],
    cells: usize,
) -> (Inner, BoundaryConditions) {
    let (axes, origin) = frame(geometry, handles);
    let lattice = Lattice::of(geometry, axes, origin, cells);
    let positions = geometry.mesh().positions();
    let mut pins: Vec<SampleConstraint> = Vec::new();
    let mut taken: Vec<DVec3> = Vec::new();
    let pin = |handle: usize, place: &LatticePoint| {
        let at = place.nodes.into_iter().zip(place.weights).filter(|&(_, share)| share > 0.0);
        SampleConstraint { at: at.collect(), columns: vec![(column_of[handle], 1.0)] }
    };
    for (handle, of) in handles.iter().enumerate() {
        match of {
            Handle::Region(vertices) => {
                taken.extend(vertices.iter().map(|&v| positions[v as usize].as_dvec3()));
                pins.extend(vertices.iter().map(|&v| pin(handle, &lattice.vertex_points()[v as usize])));
            }
            Handle::Point(place) => {
                let (at, place) = near(geometry, &lattice, place.as_dvec3());
                taken.push(at);
                pins.push(pin(handle, &place));
            }
            Handle::Bone(_) => {}
        }
    }
    let is_taken = |at: DVec3| taken.iter().any(|taken| taken.distance(at) < ALONE * lattice.cell());
    let joints = Joints::of(geometry, handles, column_of);
    for (handle, of) in handles.iter().enumerate() {
        let Handle::Bone(bone) = of else { continue };
        let [first, last] = joints.held_of(handle, bone);
        let steps = (PER_CELL * first.distance(last) / lattice.cell()).ceil().clamp(1.0, 1e5) as usize;
        let mut is_inside = false;
        for step in 0..=steps {
            let at = first.lerp(last, step as f64 / steps as f64);
            if let Some(place) = lattice.locate(at) {
                is_inside = true;
                if !is_taken(at) {
                    pins.push(pin(handle, &place));
                }
            }
        }
        if !is_inside {
            pins.push(pin(handle, &near(geometry, &lattice, first.midpoint(last)).1));
        }
    }
    for joint in joints.iter().filter(|joint| !is_taken(joint.at)) {
        if let Some(place) = lattice.locate(joint.at) {
            let share = 1.0 / joint.columns.len() as f64;
            let columns = joint.columns.iter().map(|&column| (column, share)).collect();
            pins.push(SampleConstraint { columns, ..pin(0, &place) });
        }
    }
    Inner::of(lattice, pins)
}

/// Whether each of `count` handles holds anything.
pub(super) fn held(given: &BoundaryConditions, count: usize) -> Vec<bool> {
    let mut held = vec![false; count];
    let of_pins = given.samples().iter().flat_map(|pin| &pin.columns);
    given.all_values().iter().chain(of_pins).for_each(|&(handle, _)| held[handle as usize] = true);
    held
}

/// A place in the flesh as the lattice knows it; outside of it, that of the nearest vertex.
fn near(geometry: &MeshGeometry, lattice: &Lattice, place: DVec3) -> (DVec3, LatticePoint) {
    if let Some(found) = lattice.locate(place) {
        return (place, found);
    }
    let positions = geometry.mesh().positions();
    let distance = |v: &usize| positions[*v].as_dvec3().distance_squared(place);
    let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    // Nothing is weighed on a mesh without vertices.
    nearest.map_or((place, LatticePoint { nodes: [0; 8], weights: [0.125; 8] }), |vertex| {
        (positions[vertex].as_dvec3(), lattice.vertex_points()[vertex])
    })
}

/// Axes along the first bone and towards what is farthest beside it; the world's where there is no
/// bone.
fn frame(geometry: &MeshGeometry, handles: &[Handle]) -> (DMat3, DVec3) {
    let positions = geometry.mesh().positions();
    let mut bones =
        handles.iter().filter_map(|handle| if let Handle::Bone(bone) = handle { Some(bone) } else { None });
    let Some(first) = bones.next() else {
        return (DMat3::IDENTITY, positions.first().map_or(DVec3::ZERO, |p| p.as_dvec3()));
    };
    let origin = first.head.as_dvec3();
    let along = unit_or_f64(first.tail.as_dvec3() - origin, DVec3::Y);
    let beside = |place: DVec3| (place - origin) - along * along.dot(place - origin);
    // Of what is as far but for rounding, the first: left and right feet mostly are.
    let farthest = |places: &mut dyn Iterator<Item = DVec3>| {
        let farther =
            |best: DVec3, b: DVec3| if b.length() > (1.0 + AS_FAR) * best.length() { b } else { best };
        places.map(beside).fold(DVec3::ZERO, farther)
    };
    // Bones in line with each other leave it to the skin.
    let size = f64::from(geometry.mesh().diagonal());
    let by_bones = farthest(&mut bones.map(|bone| bone.tail.as_dvec3()));
    let by_skin = if by_bones.length() > IN_LINE * size {
        by_bones
    } else {
        farthest(&mut positions.iter().map(|p| p.as_dvec3()))
    };
    let across = unit_or_f64(by_skin, any_orthogonal(along));
    (DMat3::from_cols(across, along, across.cross(along)), origin)
}

/// Places farther by no more than this share are as far.
const AS_FAR: f64 = 1e-4;

/// Bones within this share of the mesh's size beside a line are in line.
const IN_LINE: f64 = 1e-3;
