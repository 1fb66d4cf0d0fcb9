//! Which vertices handles hold, when weights are smooth on the skin.
//!
//! A point holds the vertex nearest to it, a region its vertices. A bone is inside and touches no
//! skin, so a rule is needed: it holds the skin that it is the nearest to and is seen from (as for
//! bone heat), but for what is nearer to a joint with another bone than to the bone itself. So
//! flesh a radius to either side of a joint blends, about as much as in the interior, whatever the
//! mesh's density. A bone too short and stout for that holds where it comes nearest to it.

use glam::{DVec3, Vec3};

use super::Handle;
use crate::model::Bone;
use crate::operators::MeshGeometry;
use crate::operators::qp::BoundaryConditions;
use crate::segment::BoneVisibility;
use crate::weights::nearest::BoneSegments;

/// How far from a joint skin is held, against how far it is from the bone. Larger: joints bend
/// softer. Smaller: stiffer.
const FROM_JOINT: f64 = 1.0;

/// Where no skin is that far, that which is this share of the best is held.
const NEARLY_BEST: f64 = 0.9;

/// What is nearer than that by no more than this share is held as well: on even meshes whole rings
/// are exactly as far, and rounding must not pick some of them.
const ON_THE_EDGE: f64 = 1e-3;

/// Ends of bones this share of the mesh's size apart are one joint.
const ONE_JOINT: f32 = 1e-3;

/// What is given on the surface; `columns` says in which column each handle's weights are.
pub(super) fn given(geometry: &MeshGeometry, handles: &[Handle], columns: &[u32]) -> BoundaryConditions {
    let mut held = held_by_points(geometry, handles);
    hold_by_bones(geometry, handles, &mut held);
    for held in &mut held {
        held.iter_mut().for_each(|handle| *handle = columns[*handle as usize]);
        held.sort_unstable();
        held.dedup();
    }
    BoundaryConditions::new(held.len(), |vertex| {
        let share = 1.0 / held[vertex].len() as f64;
        (!held[vertex].is_empty()).then(|| held[vertex].iter().map(|&handle| (handle, share)).collect())
    })
}

/// The skin that is a handle's own whatever else is known, as (vertex, handle): what points and
/// regions hold alone. Bones are inside, and touch none.
pub(crate) fn anchors(geometry: &MeshGeometry, handles: &[Handle]) -> Vec<(u32, u32)> {
    let held = held_by_points(geometry, handles);
    let alone = held.iter().enumerate().filter(|(_, handles)| handles.len() == 1);
    alone.map(|(vertex, handles)| (vertex as u32, handles[0])).collect()
}

/// The points and regions that hold each vertex.
fn held_by_points(geometry: &MeshGeometry, handles: &[Handle]) -> Vec<Vec<u32>> {
    let positions = geometry.mesh().positions();
    let mut held: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
    for (handle, of) in handles.iter().enumerate() {
        match of {
            Handle::Point(place) => {
                let distance = |v: &usize| positions[*v].distance_squared(*place);
                let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.into_iter().for_each(|v| held[v].push(handle as u32));
            }
            Handle::Region(vertices) => vertices.iter().for_each(|&v| held[v as usize].push(handle as u32)),
            Handle::Bone(_) => {}
        }
    }
    held
}

fn hold_by_bones(geometry: &MeshGeometry, handles: &[Handle], held: &mut [Vec<u32>]) {
    let (numbers, bones): (Vec<u32>, Vec<Bone>) = handles
        .iter()
        .enumerate()
        .filter_map(
            |(i, handle)| if let Handle::Bone(bone) = handle { Some((i as u32, *bone)) } else { None },
        )
        .unzip();
    if bones.is_empty() {
        return;
    }
    let sight = BoneVisibility::new(geometry, &bones);
    let mut segments = BoneSegments::new(&bones);
    let joined = joined_ends(geometry, &bones);
    let mut best = vec![0.0f64; bones.len()];
    let mut scores: Vec<Vec<(u32, f64)>> = Vec::with_capacity(held.len());
    for (vertex, &position) in geometry.mesh().positions().iter().enumerate() {
        let sees = |bone, share| sight.is_clear(vertex, bone, share);
        let near = segments.nearest_visible(position.as_dvec3(), sight.outward_normal(vertex), sees);
        let scored: Vec<(u32, f64)> = near
            .bones
            .iter()
            .map(|&bone| (bone, score(&bones[bone as usize], joined[bone as usize], position)))
            .collect();
        scored.iter().for_each(|&(bone, score)| best[bone as usize] = best[bone as usize].max(score));
        scores.push(scored);
    }
    // Skin that points or regions hold is theirs.
    for (held, scored) in held.iter_mut().zip(&scores).filter(|(held, _)| held.is_empty()) {
        let least = |bone: u32| (1.0 - ON_THE_EDGE) * FROM_JOINT.min(NEARLY_BEST * best[bone as usize]);
        let holding = scored.iter().filter(|&&(bone, score)| score >= least(bone));
        held.extend(holding.map(|&(bone, _)| numbers[bone as usize]));
    }
}

/// How far a vertex is from the bone's joints along it, against how far from the bone.
fn score(bone: &Bone, joined: [bool; 2], position: Vec3) -> f64 {
    let (head, tail, at) = (bone.head.as_dvec3(), bone.tail.as_dvec3(), position.as_dvec3());
    let along = tail - head;
    let length = along.length();
    let direction = if length > 0.0 { along / length } else { DVec3::ZERO };
    let place = (at - head).dot(direction).clamp(0.0, length);
    let distance = at.distance(head + direction * place);
    let from_head = if joined[0] { place } else { f64::INFINITY };
    let from_tail = if joined[1] { length - place } else { f64::INFINITY };
    let away = from_head.min(from_tail);
    // Skin on the bone itself, but not at its joint, is as much its own as can be.
    if away == f64::INFINITY || (distance == 0.0 && away > 0.0) {
        f64::MAX
    } else {
        away / distance.max(f64::MIN_POSITIVE)
    }
}

/// Whether another bone begins or ends at a bone's head and tail.
fn joined_ends(geometry: &MeshGeometry, bones: &[Bone]) -> Vec<[bool; 2]> {
    let near = ONE_JOINT * geometry.mesh().diagonal();
    let is_joined = |of: usize, end: Vec3| {
        bones.iter().enumerate().any(|(other, bone)| {
            let is_twin =
                bone.head.distance(bones[of].head) <= near && bone.tail.distance(bones[of].tail) <= near;
            other != of && !is_twin && (bone.head.distance(end) <= near || bone.tail.distance(end) <= near)
        })
    };
    (0..bones.len()).map(|of| [is_joined(of, bones[of].head), is_joined(of, bones[of].tail)]).collect()
}
