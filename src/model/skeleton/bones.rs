//! Where bones and their tails go.
//!
//! glTF stores no tails, and where one is put decides more about the weights than the method does, so
//! there is one rule:
//!
//! 1. A joint whose file says where its bone ends has that one bone.
//! 2. Else one bone leads to the head of every deforming joint next below it, and to every end marker
//!    directly below it. Joints that do not deform are stepped over.
//! 3. Else, when a joint that does not deform hangs directly below it, the bone leads there.
//! 4. Else the joint is a leaf and gets a virtual tail along the bone that leads to it,
//!    [`VIRTUAL_SHARE`] as long; without such a bone, straight up.
//!
//! Children in the same place as their parent make no bone.

use glam::Vec3;

use super::{Bone, Exclusion, Skeleton, Tail};

/// A leaf's virtual bone against the bone that leads to it. Larger: hands and heads reach through the
/// skin and attract their neighbours' vertices. Smaller: they lose theirs to the forearm and the neck.
const VIRTUAL_SHARE: f32 = 0.5;

/// Shorter than this share of the skeleton's size, a bone is no bone: its direction is rounding noise.
const NO_LENGTH: f32 = 1e-6;

pub(super) fn bones_of(skeleton: &Skeleton) -> Vec<Bone> {
    let shortest = (NO_LENGTH * size_of(skeleton)).max(f32::MIN_POSITIVE);
    let parents = deforming_parents(skeleton);
    let mut bones = Vec::new();
    for joint in (0..skeleton.joints().len()).filter(|&joint| skeleton.deforms(joint)) {
        let head = skeleton.joints()[joint].head();
        let ends = ends_of(skeleton, joint, &parents, shortest);
        bones.extend(ends.into_iter().map(|(tail, end)| Bone { joint, parent: None, head, tail, end }));
    }
    for i in 0..bones.len() {
        bones[i].parent = parents[bones[i].joint].and_then(|parent| leading_bone(&bones, parent, &bones[i]));
    }
    bones
}

/// The nearest deforming joint above each joint.
fn deforming_parents(skeleton: &Skeleton) -> Vec<Option<usize>> {
    let hierarchy = skeleton.bone_hierarchy();
    (0..hierarchy.len())
        .map(|joint| {
            let mut above = hierarchy[joint];
            while let Some(parent) = above.filter(|&parent| !skeleton.deforms(parent)) {
                above = hierarchy[parent];
            }
            above
        })
        .collect()
}

fn ends_of(skeleton: &Skeleton, joint: usize, parents: &[Option<usize>], shortest: f32) -> Vec<(Vec3, Tail)> {
    let head = skeleton.joints()[joint].head();
    let long_enough = |tail: Vec3| head.distance(tail) > shortest;
    if let Some(tail) = skeleton.joints()[joint].tail.filter(|&tail| long_enough(tail)) {
        return vec![(tail, Tail::Explicit)];
    }
    let below = |matches: &dyn Fn(usize) -> bool| -> Vec<(Vec3, Tail)> {
        (0..parents.len())
            .filter(|&child| matches(child))
            .map(|child| (skeleton.joints()[child].head(), Tail::Joint(child)))
            .filter(|&(tail, _)| long_enough(tail))
            .collect()
    };
    let is_child = |child: usize| skeleton.bone_hierarchy()[child] == Some(joint);
    let chain = below(&|child| {
        (skeleton.deforms(child) && parents[child] == Some(joint))
            || (is_child(child) && skeleton.exclusion(child) == Some(Exclusion::EndMarker))
    });
    if !chain.is_empty() {
        return chain;
    }
    let marked = below(&|child| is_child(child) && skeleton.exclusion(child) == Some(Exclusion::Unweighted));
    if let Some(&first) = marked.first() {
        return vec![first];
    }
    vec![(virtual_tail(skeleton, joint, parents[joint], shortest), Tail::Virtual)]
}

fn virtual_tail(skeleton: &Skeleton, joint: usize, parent: Option<usize>, shortest: f32) -> Vec3 {
    let head = skeleton.joints()[joint].head();
    let mut above = parent;
    while let Some(parent) = above {
        let along = head - skeleton.joints()[parent].head();
        if along.length() > shortest {
            return apart(head, along * VIRTUAL_SHARE);
        }
        above = skeleton.bone_hierarchy()[parent];
    }
    // A lone joint: a stub of a tenth of the skeleton's size, or of one unit when it is all there is.
    let size = size_of(skeleton);
    apart(head, Vec3::Y * if size > 0.0 { 0.1 * size } else { 1.0 })
}

/// `head + along`, lengthened where that would round back to the head.
fn apart(head: Vec3, along: Vec3) -> Vec3 {
    /// A stretch shorter than this share of the coordinates is lost in them.
    const ROUNDING: f32 = 1e-6;
    let least = ROUNDING * head.abs().max_element();
    head + along * (least / along.length()).max(1.0)
}

/// The bone of `parent` that `bone` continues: the one that ends nearest to where it starts.
fn leading_bone(bones: &[Bone], parent: usize, bone: &Bone) -> Option<usize> {
    let gap = |candidate: &Bone| candidate.tail.distance_squared(bone.head);
    let candidates = bones.iter().enumerate().filter(|(_, candidate)| candidate.joint == parent);
    candidates.min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b))).map(|(i, _)| i)
}

fn size_of(skeleton: &Skeleton) -> f32 {
    let heads: Vec<Vec3> = skeleton.joints().iter().map(super::Joint::head).collect();
    let (low, high) = crate::model::mesh::bounds_of(&heads);
    low.distance(high)
}
