//! Which nodes handles hold, when weights are smooth in the flesh.
//!
//! A bone holds the nodes along it, a point the node nearest to it, a region those nearest to its vertices. What several handles claim,
//! they share: the node at a joint belongs to all bones that meet there. But what points and regions hold is theirs alone, as on the skin. The lattice is laid along the first bone, so that it turns
//! and moves with the character.

use glam::{DMat3, DVec3};

use super::Handle;
use crate::math::{any_orthogonal, unit_or_f64};
use crate::operators::qp::Given;
use crate::operators::{Lattice, Operators};

/// Places along a bone at which it claims nodes, per cell. Fewer: gaps through which others reach.
const PER_CELL: f64 = 2.0;

/// The lattice, and what is given on it.
pub(super) fn given(operators: &Operators, handles: &[Handle], cells: usize) -> (Lattice, Given) {
    let (axes, origin) = frame(operators, handles);
    let lattice = Lattice::of(operators, axes, origin, cells);
    let mut claims: Vec<Vec<u32>> = vec![Vec::new(); lattice.nodes()];
    for (handle, of) in handles.iter().enumerate() {
        let mut claim = |node: u32| {
            let of_node = &mut claims[node as usize];
            if of_node.last() != Some(&(handle as u32)) {
                of_node.push(handle as u32);
            }
        };
        match of {
            Handle::Region(vertices) => {
                vertices.iter().for_each(|&v| claim(lattice.places()[v as usize].nearest()));
            }
            Handle::Point(place) => claim(node_near(operators, &lattice, place.as_dvec3())),
            Handle::Bone(bone) => {
                let (head, tail) = (bone.head.as_dvec3(), bone.tail.as_dvec3());
                let steps = (PER_CELL * head.distance(tail) / lattice.cell()).ceil().clamp(1.0, 1e5) as usize;
                let mut is_inside = false;
                for step in 0..=steps {
                    if let Some(place) = lattice.place(head.lerp(tail, step as f64 / steps as f64)) {
                        claim(place.nearest());
                        is_inside = true;
                    }
                }
                if !is_inside {
                    claim(node_near(operators, &lattice, head.midpoint(tail)));
                }
            }
        }
    }
    let is_bone = |&handle: &u32| matches!(handles[handle as usize], Handle::Bone(_));
    for claims in claims.iter_mut().filter(|claims| !claims.iter().all(is_bone)) {
        claims.retain(|handle| !is_bone(handle));
    }
    let given = Given::new(lattice.nodes(), |node| {
        let share = 1.0 / claims[node].len() as f64;
        (!claims[node].is_empty()).then(|| claims[node].iter().map(|&handle| (handle, share)).collect())
    });
    (lattice, given)
}

/// Whether each of `count` handles holds anything.
pub(super) fn held(given: &Given, count: usize) -> Vec<bool> {
    let mut held = vec![false; count];
    given.all_shares().iter().for_each(|&(handle, _)| held[handle as usize] = true);
    held
}

/// Adds a handle's column, known at nodes, to the rows of vertices.
pub(super) fn sample(lattice: &Lattice, column: &[(u32, f64)], handle: u32, rows: &mut [Vec<(u32, f64)>]) {
    let mut values = vec![0.0; lattice.nodes()];
    column.iter().for_each(|&(node, value)| values[node as usize] = value);
    for (row, place) in rows.iter_mut().zip(lattice.places()) {
        let weight: f64 =
            place.nodes.iter().zip(place.shares).map(|(&node, share)| share * values[node as usize]).sum();
        if weight > 0.0 {
            row.push((handle, weight));
        }
    }
}

/// The node nearest to a place in the flesh; outside of it, one nearest to the nearest vertex.
fn node_near(operators: &Operators, lattice: &Lattice, place: DVec3) -> u32 {
    if let Some(found) = lattice.place(place) {
        return found.nearest();
    }
    let positions = operators.mesh().positions();
    let distance = |v: &usize| positions[*v].as_dvec3().distance_squared(place);
    let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |vertex| lattice.places()[vertex].nearest())
}

/// Axes along the first bone and towards what is farthest beside it; the world's where there is no bone.
fn frame(operators: &Operators, handles: &[Handle]) -> (DMat3, DVec3) {
    let positions = operators.mesh().positions();
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
    let size = f64::from(operators.mesh().diagonal());
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
