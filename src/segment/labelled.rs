//! Regions from labels that were given, in place of [`super::segment`].

use super::{Cuts, Limbs, assemble, relabel_components, vertex_areas, warn_of_empty_regions};
use crate::model::{Regions, Skeleton};
use crate::operators::MeshGeometry;
use crate::report::Report;

/// The regions of a mesh whose vertices are labelled with joints. A joint that does not deform
/// stands for its nearest ancestor that does, or for the first joint that does. The length of a
/// loop is that of the border between the vertices below a joint and the others.
///
/// # Panics
/// If there is not one label per vertex, or there are vertices but no bone.
pub fn labelled_regions(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    joint_of_vertex: &[u32],
    report: &mut Report,
) -> Regions {
    let vertices = geometry.mesh().positions().len();
    assert_eq!(joint_of_vertex.len(), vertices, "one label per vertex");
    let limbs = Limbs::of(skeleton);
    let mut limb_of_joint: Vec<Option<u32>> = vec![None; skeleton.joints().len()];
    (0..limbs.len()).for_each(|limb| limb_of_joint[limbs.joint(limb)] = Some(limb as u32));
    for &joint in skeleton.parents_first() {
        let parent = skeleton.joints()[joint].parent;
        limb_of_joint[joint] = limb_of_joint[joint].or_else(|| limb_of_joint[parent?]);
    }
    let limb = |&joint: &u32| limb_of_joint.get(joint as usize).copied().flatten().unwrap_or(0);
    let labels: Vec<u32> = joint_of_vertex.iter().map(limb).collect();
    warn_of_empty_regions(skeleton, &limbs, &labels, report);
    let ranks = relabel_components::ranks(geometry, &vertex_areas(geometry), &labels);
    let cuts = Cuts { labels, crossings: Default::default(), loop_lengths: vec![0.0; limbs.len()] };
    assemble(geometry, skeleton, &limbs, &cuts, &ranks)
}
