//! What about a mesh and its bones is odd enough to be named, though weights are found all the same.

use glam::Vec3;

use super::diffuse::Sources;
use crate::model::{Bone, Skeleton, Tail};
use crate::operators::{ComponentKind, MeshGeometry};
use crate::report::{Report, Warning};
use crate::segment::BoneVisibility;

/// Bones whose ends differ by less than this share of their length lie in the same place.
const SAME_PLACE: f32 = 1e-4;

/// Names bones outside the mesh, longer than it or on top of each other, and what is wrong with the surface.
pub(super) fn report(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    sight: &BoneVisibility<'_>,
    report: &mut Report,
) {
    let mut warn = |joints: Vec<String>, warning: fn(Vec<String>) -> Warning| {
        if !joints.is_empty() {
            report.warn(warning(joints));
        }
    };
    let bones = skeleton.bones();
    let diagonal = geometry.mesh().diagonal();
    // Points lie on the skin, where rounding decides what is inside.
    let outside = |bone: usize| bones[bone].end != Tail::Point && !sight.is_partly_inside(bone);
    let too_long = |bone: usize| bones[bone].length() > diagonal;
    let twin = |bone: usize| {
        (0..bones.len()).any(|other| other != bone && are_in_the_same_place(&bones[bone], &bones[other]))
    };
    warn(names(skeleton, outside), |joints| Warning::BonesOutside { joints });
    warn(names(skeleton, too_long), |joints| Warning::BonesTooLong { joints });
    warn(names(skeleton, twin), |joints| Warning::BonesInOnePlace { joints });
    let parts = geometry.components();
    let inward = (0..parts.len() as u32).filter(|&part| parts.kind(part) == ComponentKind::Inward).count();
    if inward > 0 {
        report.warn(Warning::InsideOut { parts: inward });
    }
    let edges = geometry.topology().non_manifold_edges();
    if edges > 0 {
        report.warn(Warning::NonManifold { edges });
    }
    let border_edges = geometry.topology().border_edges();
    if border_edges > 0 {
        report.warn(Warning::OpenMesh { border_edges });
    }
}

/// Names joints none of whose bones holds anything, so that no vertex will follow them.
pub(super) fn report_idle(skeleton: &Skeleton, sources: &Sources, report: &mut Report) {
    let mut holds = vec![false; skeleton.joints().len()];
    for vertex in 0..sources.holds().len() {
        let bones = sources.of(vertex).iter().map(|&(bone, _)| bone as usize);
        bones.for_each(|bone| holds[skeleton.bones()[bone].joint] = true);
    }
    let joints = names(skeleton, |bone| !holds[skeleton.bones()[bone].joint]);
    if !joints.is_empty() && !sources.holds().is_empty() {
        report.warn(Warning::IdleJoints { joints });
    }
}

/// The joints of the bones that match, each once.
fn names(skeleton: &Skeleton, matches: impl Fn(usize) -> bool) -> Vec<String> {
    let mut joints: Vec<usize> = (0..skeleton.bones().len())
        .filter(|&bone| matches(bone))
        .map(|b| skeleton.bones()[b].joint)
        .collect();
    joints.dedup();
    joints.into_iter().map(|joint| skeleton.joints()[joint].name.clone()).collect()
}

fn are_in_the_same_place(a: &Bone, b: &Bone) -> bool {
    let near = |p: Vec3, q: Vec3| p.distance(q) <= SAME_PLACE * a.length();
    (near(a.head, b.head) && near(a.tail, b.tail)) || (near(a.head, b.tail) && near(a.tail, b.head))
}
