//! Assigns loose parts as a whole to one limb: helmets, plates, hats, buttons, eyeballs.
//!
//! In: labels, and the joints inside each component of the mesh. Out: labels. A loose part is a
//! connected component that is small against the mesh. Cost: one pass, and a few rays per joint.
//!
//! - A part that encloses the joint of exactly one [side leaf](Limbs::is_side_leaf) belongs to it:
//!   an eyeball.
//! - A part that holds no joint of its labels does not bend, so the label with most of its area
//!   takes all of it.
//! - An open part around a joint may be a sleeve, which bends, or a box of a voxel character, which
//!   does not: one label takes all of it if it has most of it already
//!   ([`Constants::min_open_part_share`]).

use glam::Vec3;

use super::Constants;
use super::limbs::Limbs;
use super::visibility::BoneVisibility;
use crate::model::Bone;
use crate::operators::MeshGeometry;

/// The vertices of one component of the mesh.
struct LoosePart<'a> {
    component: u32,
    vertices: &'a [u32],
    area: f64,
}

/// Relabels the loose parts. `areas` has one entry per vertex.
pub(super) fn unify(
    geometry: &MeshGeometry,
    limbs: &Limbs,
    visibility: &mut BoneVisibility<'_>,
    constants: &Constants,
    areas: &[f64],
    labels: &mut [u32],
) {
    let components = geometry.components();
    if components.len() < 2 {
        return;
    }
    let bones = visibility.bones();
    let enclosed = enclosed_limbs(limbs, visibility, components.len());
    let mut by_component: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    (0..labels.len()).for_each(|v| by_component[components.of_vertex(v) as usize].push(v as u32));
    let total: f64 = areas.iter().sum();
    for (vertices, component) in by_component.iter().zip(0..) {
        let area = vertices.iter().map(|&v| areas[v as usize]).sum::<f64>() / total;
        let part = LoosePart { component, vertices, area };
        if let Some(limb) =
            limb_of(geometry, constants, &part, limbs, bones, &enclosed[component as usize], (areas, labels))
        {
            vertices.iter().for_each(|&v| labels[v as usize] = limb);
        }
    }
}

/// For each component, the limbs whose joints are inside it.
fn enclosed_limbs(limbs: &Limbs, visibility: &mut BoneVisibility<'_>, components: usize) -> Vec<Vec<u32>> {
    let mut enclosed = vec![Vec::new(); components];
    for limb in 0..limbs.len() {
        let head = visibility.bones()[limbs.bones(limb).start].head;
        for component in visibility.components_around(head) {
            enclosed[component as usize].push(limb as u32);
        }
    }
    enclosed
}

/// The limb that the whole part belongs to, if it may not be split.
fn limb_of(
    geometry: &MeshGeometry,
    constants: &Constants,
    part: &LoosePart<'_>,
    limbs: &Limbs,
    bones: &[Bone],
    enclosed: &[u32],
    (areas, labels): (&[f64], &[u32]),
) -> Option<u32> {
    if let [limb] = *enclosed
        && part.area < constants.max_leaf_part_area
        && limbs.is_side_leaf(limb as usize)
    {
        return Some(limb);
    }
    let mut shares: Vec<(u32, f64)> = Vec::new();
    for &vertex in part.vertices {
        let (label, area) = (labels[vertex as usize], areas[vertex as usize]);
        match shares.iter_mut().find(|share| share.0 == label) {
            Some(share) => share.1 += area,
            None => shares.push((label, area)),
        }
    }
    if shares.len() < 2 || part.area > constants.max_part_area {
        return None;
    }
    let largest = shares.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let total: f64 = shares.iter().map(|share| share.1).sum();
    let is_solid = geometry.components().kind(part.component).is_solid();
    let holds_joint = if is_solid {
        shares.iter().any(|share| enclosed.contains(&share.0))
    } else {
        // An open part has no inside.
        let (low, high) = bounds(geometry, part.vertices);
        let head = |label: u32| bones[limbs.bones(label as usize).start].head;
        shares.iter().any(|share| head(share.0).cmpge(low).all() && head(share.0).cmple(high).all())
    };
    let min_share = match (holds_joint, is_solid) {
        (true, true) => return None,
        (true, false) => constants.min_open_part_share,
        (false, _) => constants.min_part_share,
    };
    (largest.1 >= min_share * total).then_some(largest.0)
}

/// The corners of the box around vertices.
fn bounds(geometry: &MeshGeometry, vertices: &[u32]) -> (Vec3, Vec3) {
    let positions = vertices.iter().map(|&v| geometry.mesh().positions()[v as usize]);
    positions.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}
