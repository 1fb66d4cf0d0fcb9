//! Boundary conditions on the surface (docs/theory/biharmonic.md#surface-domain).
//!
//! A point fixes the vertex nearest to it, a region its vertices. A bone is inside and touches no
//! vertex, so a rule is needed. It fixes the vertices that see it as their nearest bone (as for
//! bone heat), except those nearer to a joint with another bone than to the bone itself. So a range
//! of one radius on either side of a joint blends, about as much as in the interior, at any mesh
//! density. A bone too short and thick for that fixes the vertices that come nearest to the rule.

use glam::{DVec3, Vec3};

use super::Handle;
use crate::model::Bone;
use crate::operators::MeshGeometry;
use crate::operators::qp::BoundaryConditions;
use crate::segment::BoneVisibility;
use crate::weights::nearest::BoneSegments;

/// Smallest distance of fixed vertices from a joint, in units of their distance from the bone.
/// Larger: joints bend more softly. Smaller: stiffer.
const JOINT_CLEARANCE: f64 = 1.0;

/// If no vertex is that far, vertices with this fraction of the best ratio are fixed.
const FALLBACK_FRACTION: f64 = 0.9;

/// Relative tolerance of that comparison: on regular meshes whole rings have the same ratio, and
/// rounding must not select some of them.
const SCORE_TOLERANCE: f64 = 1e-3;

/// Ends of bones closer than this fraction of the mesh size are one joint.
const JOINT_TOLERANCE: f32 = 1e-3;

/// The boundary conditions on the surface. `columns` is the column of each handle.
pub(super) fn boundary_conditions(
    geometry: &MeshGeometry,
    handles: &[Handle],
    columns: &[u32],
) -> BoundaryConditions {
    let mut fixed_by = fixed_by_points(geometry, handles);
    fix_by_bones(geometry, handles, &mut fixed_by);
    for fixed_by in &mut fixed_by {
        fixed_by.iter_mut().for_each(|handle| *handle = columns[*handle as usize]);
        fixed_by.sort_unstable();
        fixed_by.dedup();
    }
    BoundaryConditions::new(fixed_by.len(), |vertex| {
        let share = 1.0 / fixed_by[vertex].len() as f64;
        (!fixed_by[vertex].is_empty())
            .then(|| fixed_by[vertex].iter().map(|&handle| (handle, share)).collect())
    })
}

/// The vertices that belong to one handle alone, as (vertex, handle): those fixed by points and
/// regions. Bones are inside and have none.
pub(crate) fn fixed_vertices(geometry: &MeshGeometry, handles: &[Handle]) -> Vec<(u32, u32)> {
    let fixed_by = fixed_by_points(geometry, handles);
    let unshared = fixed_by.iter().enumerate().filter(|(_, handles)| handles.len() == 1);
    unshared.map(|(vertex, handles)| (vertex as u32, handles[0])).collect()
}

/// The points and regions that fix each vertex.
fn fixed_by_points(geometry: &MeshGeometry, handles: &[Handle]) -> Vec<Vec<u32>> {
    let positions = geometry.mesh().positions();
    let mut fixed_by: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
    for (handle, of) in handles.iter().enumerate() {
        match of {
            Handle::Point(point) => {
                let distance = |v: &usize| positions[*v].distance_squared(*point);
                let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.into_iter().for_each(|v| fixed_by[v].push(handle as u32));
            }
            Handle::Region(vertices) => {
                vertices.iter().for_each(|&v| fixed_by[v as usize].push(handle as u32));
            }
            Handle::Bone(_) => {}
        }
    }
    fixed_by
}

fn fix_by_bones(geometry: &MeshGeometry, handles: &[Handle], fixed_by: &mut [Vec<u32>]) {
    let (indices, bones): (Vec<u32>, Vec<Bone>) = handles
        .iter()
        .enumerate()
        .filter_map(
            |(i, handle)| if let Handle::Bone(bone) = handle { Some((i as u32, *bone)) } else { None },
        )
        .unzip();
    if bones.is_empty() {
        return;
    }
    let visibility = BoneVisibility::new(geometry, &bones);
    let mut segments = BoneSegments::new(&bones);
    let joined = joined_ends(geometry, &bones);
    let mut best = vec![0.0f64; bones.len()];
    let mut scores: Vec<Vec<(u32, f64)>> = Vec::with_capacity(fixed_by.len());
    for (vertex, &position) in geometry.mesh().positions().iter().enumerate() {
        let sees = |bone, share| visibility.is_clear(vertex, bone, share);
        let nearest = segments.nearest_visible(position.as_dvec3(), visibility.outward_normal(vertex), sees);
        let scored: Vec<(u32, f64)> = nearest
            .bones
            .iter()
            .map(|&bone| (bone, score(&bones[bone as usize], joined[bone as usize], position)))
            .collect();
        scored.iter().for_each(|&(bone, score)| best[bone as usize] = best[bone as usize].max(score));
        scores.push(scored);
    }
    // Vertices fixed by points or regions are not fixed by bones.
    for (fixed_by, scored) in fixed_by.iter_mut().zip(&scores).filter(|(fixed_by, _)| fixed_by.is_empty()) {
        let least = |bone: u32| {
            (1.0 - SCORE_TOLERANCE) * JOINT_CLEARANCE.min(FALLBACK_FRACTION * best[bone as usize])
        };
        let fixing = scored.iter().filter(|&&(bone, score)| score >= least(bone));
        fixed_by.extend(fixing.map(|&(bone, _)| indices[bone as usize]));
    }
}

/// The distance of a vertex from the joints along the bone, divided by its distance from the bone.
fn score(bone: &Bone, joined: [bool; 2], position: Vec3) -> f64 {
    let (head, tail, at) = (bone.head.as_dvec3(), bone.tail.as_dvec3(), position.as_dvec3());
    let along = tail - head;
    let length = along.length();
    let direction = if length > 0.0 { along / length } else { DVec3::ZERO };
    let parameter = (at - head).dot(direction).clamp(0.0, length);
    let distance = at.distance(head + direction * parameter);
    let from_head = if joined[0] { parameter } else { f64::INFINITY };
    let from_tail = if joined[1] { length - parameter } else { f64::INFINITY };
    let away = from_head.min(from_tail);
    // A vertex on the bone itself, but not at its joint, has the largest score.
    if away == f64::INFINITY || (distance == 0.0 && away > 0.0) {
        f64::MAX
    } else {
        away / distance.max(f64::MIN_POSITIVE)
    }
}

/// Whether another bone begins or ends at a bone's head and tail.
fn joined_ends(geometry: &MeshGeometry, bones: &[Bone]) -> Vec<[bool; 2]> {
    let tolerance = JOINT_TOLERANCE * geometry.mesh().diagonal();
    let is_joined = |of: usize, end: Vec3| {
        bones.iter().enumerate().any(|(other, bone)| {
            let is_twin = bone.head.distance(bones[of].head) <= tolerance
                && bone.tail.distance(bones[of].tail) <= tolerance;
            other != of
                && !is_twin
                && (bone.head.distance(end) <= tolerance || bone.tail.distance(end) <= tolerance)
        })
    };
    (0..bones.len()).map(|of| [is_joined(of, bones[of].head), is_joined(of, bones[of].tail)]).collect()
}
