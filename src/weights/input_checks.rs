//! Warnings about a mesh and its bones that do not prevent computing weights.

use glam::Vec3;

use super::diffuse::Sources;
use crate::model::{Bone, Skeleton, Tail};
use crate::operators::{ComponentKind, MeshGeometry};
use crate::report::{Report, Warning};
use crate::segment::BoneVisibility;

/// Bones whose ends differ by less than this fraction of their length coincide.
const COINCIDENT: f32 = 1e-4;

/// Warns of bones outside the mesh, longer than it or coincident, and of defects of the surface.
pub(super) fn warn_of_input(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    visibility: &BoneVisibility<'_>,
    report: &mut Report,
) {
    let mut warn = |joints: Vec<String>, warning: fn(Vec<String>) -> Warning| {
        if !joints.is_empty() {
            report.warn(warning(joints));
        }
    };
    let bones = skeleton.bones();
    let diagonal = geometry.mesh().diagonal();
    // Points lie on the surface, where rounding decides what is inside.
    let outside = |bone: usize| bones[bone].end != Tail::Point && !visibility.is_partly_inside(bone);
    let too_long = |bone: usize| bones[bone].length() > diagonal;
    let twin = |bone: usize| {
        (0..bones.len()).any(|other| other != bone && are_coincident(&bones[bone], &bones[other]))
    };
    warn(names(skeleton, outside), |joints| Warning::BonesOutside { joints });
    warn(names(skeleton, too_long), |joints| Warning::BonesTooLong { joints });
    warn(names(skeleton, twin), |joints| Warning::BonesInOnePlace { joints });
    let components = geometry.components();
    let inward = (0..components.len() as u32)
        .filter(|&component| components.kind(component) == ComponentKind::Inward)
        .count();
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

/// Warns of joints none of whose bones is the source of any vertex, so that they get no weights.
pub(super) fn warn_of_idle_joints(skeleton: &Skeleton, sources: &Sources, report: &mut Report) {
    let mut has_source = vec![false; skeleton.joints().len()];
    for vertex in 0..sources.conductances().len() {
        let bones = sources.of(vertex).iter().map(|&(bone, _)| bone as usize);
        bones.for_each(|bone| has_source[skeleton.bones()[bone].joint] = true);
    }
    let joints = names(skeleton, |bone| !has_source[skeleton.bones()[bone].joint]);
    if !joints.is_empty() && !sources.conductances().is_empty() {
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

fn are_coincident(a: &Bone, b: &Bone) -> bool {
    let near = |p: Vec3, q: Vec3| p.distance(q) <= COINCIDENT * a.length();
    (near(a.head, b.head) && near(a.tail, b.tail)) || (near(a.head, b.tail) && near(a.tail, b.head))
}
