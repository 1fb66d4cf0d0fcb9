//! Boundary conditions in the interior (docs/theory/biharmonic.md#interior-domain).
//!
//! A bone is fixed at sample points along it except near its [`joints`](super::joints), a point at
//! its own position, a region at those of its vertices. Samples are not rounded to nodes of the
//! lattice, so that nothing jumps when the lattice gets finer. Bones that claim the same sample
//! share it. Vertices of points and regions are not shared with bones, as on the surface. The
//! lattice is aligned with the first bone, so that it rotates and moves with the character.

use glam::{DMat3, DVec3};

use super::Handle;
use super::interior::InteriorDomain;
use super::joints::Joints;
use crate::math::{any_orthogonal, unit_or_f64};
use crate::operators::qp::{BoundaryConditions, SampleConstraint};
use crate::operators::{Lattice, LatticePoint, MeshGeometry};

/// Number of sample points along a bone per cell. Larger: no gain between samples, and bones that
/// fork compete for the same nodes. Smaller: gaps through which other handles reach.
const SAMPLES_PER_CELL: f64 = 1.0;

/// Bones are not fixed closer than this to the sample of a point or region, in cells.
const EXCLUSION_RADIUS: f64 = 0.5;

/// The lattice and the boundary conditions on it. `column_of` is the column of each handle.
pub(super) fn boundary_conditions(
    geometry: &MeshGeometry,
    handles: &[Handle],
    column_of: &[u32],
    cells: usize,
) -> (InteriorDomain, BoundaryConditions) {
    let (axes, origin) = frame(geometry, handles);
    let lattice = Lattice::of(geometry, axes, origin, cells);
    let positions = geometry.mesh().positions();
    let mut samples: Vec<SampleConstraint> = Vec::new();
    let mut occupied: Vec<DVec3> = Vec::new();
    let sample = |handle: usize, point: &LatticePoint| {
        let at = point.nodes.into_iter().zip(point.weights).filter(|&(_, weight)| weight > 0.0);
        SampleConstraint { at: at.collect(), columns: vec![(column_of[handle], 1.0)] }
    };
    for (handle, of) in handles.iter().enumerate() {
        match of {
            Handle::Region(vertices) => {
                occupied.extend(vertices.iter().map(|&v| positions[v as usize].as_dvec3()));
                samples
                    .extend(vertices.iter().map(|&v| sample(handle, &lattice.vertex_points()[v as usize])));
            }
            Handle::Point(point) => {
                let (at, point) = locate_or_nearest(geometry, &lattice, point.as_dvec3());
                occupied.push(at);
                samples.push(sample(handle, &point));
            }
            Handle::Bone(_) => {}
        }
    }
    let is_occupied =
        |at: DVec3| occupied.iter().any(|occupied| occupied.distance(at) < EXCLUSION_RADIUS * lattice.cell());
    let joints = Joints::of(geometry, handles, column_of);
    for (handle, of) in handles.iter().enumerate() {
        let Handle::Bone(bone) = of else { continue };
        let [first, last] = joints.fixed_interval(handle, bone);
        let steps =
            (SAMPLES_PER_CELL * first.distance(last) / lattice.cell()).ceil().clamp(1.0, 1e5) as usize;
        let mut is_inside = false;
        for step in 0..=steps {
            let at = first.lerp(last, step as f64 / steps as f64);
            if let Some(point) = lattice.locate(at) {
                is_inside = true;
                if !is_occupied(at) {
                    samples.push(sample(handle, &point));
                }
            }
        }
        if !is_inside {
            samples.push(sample(handle, &locate_or_nearest(geometry, &lattice, first.midpoint(last)).1));
        }
    }
    for joint in joints.iter().filter(|joint| !is_occupied(joint.at)) {
        if let Some(point) = lattice.locate(joint.at) {
            let weight = 1.0 / joint.columns.len() as f64;
            let columns = joint.columns.iter().map(|&column| (column, weight)).collect();
            samples.push(SampleConstraint { columns, ..sample(0, &point) });
        }
    }
    InteriorDomain::of(lattice, samples)
}

/// Whether each of `count` handles has a boundary condition.
pub(super) fn have_conditions(conditions: &BoundaryConditions, count: usize) -> Vec<bool> {
    let mut have_condition = vec![false; count];
    let of_samples = conditions.samples().iter().flat_map(|sample| &sample.columns);
    conditions
        .all_values()
        .iter()
        .chain(of_samples)
        .for_each(|&(handle, _)| have_condition[handle as usize] = true);
    have_condition
}

/// The position of a point in the lattice; outside of it, that of the nearest vertex.
fn locate_or_nearest(geometry: &MeshGeometry, lattice: &Lattice, point: DVec3) -> (DVec3, LatticePoint) {
    if let Some(found) = lattice.locate(point) {
        return (point, found);
    }
    let positions = geometry.mesh().positions();
    let distance = |v: &usize| positions[*v].as_dvec3().distance_squared(point);
    let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    // Never happens: no weights are computed on a mesh without vertices.
    nearest.map_or((point, LatticePoint { nodes: [0; 8], weights: [0.125; 8] }), |vertex| {
        (positions[vertex].as_dvec3(), lattice.vertex_points()[vertex])
    })
}

/// Axes along the first bone and towards the farthest point beside it; the world axes without a
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
    let beside = |point: DVec3| (point - origin) - along * along.dot(point - origin);
    // Of points at the same distance up to rounding the first is used: left and right feet mostly
    // are.
    let farthest = |points: &mut dyn Iterator<Item = DVec3>| {
        let farther = |best: DVec3, b: DVec3| {
            if b.length() > (1.0 + EQUAL_DISTANCE) * best.length() { b } else { best }
        };
        points.map(beside).fold(DVec3::ZERO, farther)
    };
    // If the bones are collinear, the surface decides.
    let size = f64::from(geometry.mesh().diagonal());
    let by_bones = farthest(&mut bones.map(|bone| bone.tail.as_dvec3()));
    let by_skin = if by_bones.length() > COLLINEAR * size {
        by_bones
    } else {
        farthest(&mut positions.iter().map(|p| p.as_dvec3()))
    };
    let across = unit_or_f64(by_skin, any_orthogonal(along));
    (DMat3::from_cols(across, along, across.cross(along)), origin)
}

/// Points farther by no more than this fraction are equally far.
const EQUAL_DISTANCE: f64 = 1e-4;

/// Bones within this fraction of the mesh size beside a line are collinear.
const COLLINEAR: f64 = 1e-3;
