//! Constructs bones and their tails.
//!
//! glTF stores no tails, and their positions affect the weights more than the method does. The
//! rules are (docs/theory/skeleton.md#bone-tails):
//!
//! 1. A joint with a tail in the file has that one bone.
//! 2. Otherwise, if the frames of the rig point along its bones ([`ON_AXIS_COSINE`],
//!    [`MIN_POINTING_FRACTION`]; true for rigs from Blender), a joint has one bone along its own Y
//!    axis: to the nearest child on that axis, else as long as the distance of the nearest child.
//!    The bone of a leaf is as long as the distance from its parent.
//! 3. Otherwise one bone leads to the head of every nearest deforming descendant, and to every end
//!    marker among its children. Joints that do not deform are skipped.
//! 4. Otherwise, if a child does not deform because it has no weights, the bone leads there.
//! 5. Otherwise the joint is a leaf and gets a virtual tail in the direction of the bone from its
//!    parent, [`VIRTUAL_LENGTH_RATIO`] as long; without such a bone, straight up.
//!
//! Children at the position of their parent have no bone. Handles ([`JointKind::Point`]) have a
//! bone of zero length and are never tails, so they do not change other bones.
//!
//! Measured as the fraction of vertices for which the dominant joint of bone heat (conductance 1)
//! is that of the file. Horse and human (weights from Blender): 0.93 and 0.97 with rule 2, 0.80 and
//! 0.90 without. Artists' weights, for rigs to which rule 2 does not apply: Fox 0.86, CesiumMan
//! 0.92, RiggedFigure 0.72, WebXR hand 0.85, MakeHuman 0.75. With virtual tails as long as the bone
//! from the parent: CesiumMan 0.91. One bone per joint in all rigs, to the nearest child or to the
//! one with most descendants, was tried only with an earlier version of bone heat, where it cost
//! most of the artists' models several hundredths.

use glam::Vec3;

use crate::math::unit_or_f64;

use super::{Bone, Exclusion, JointKind, Skeleton, Tail};

/// Length of the virtual bone of a leaf relative to the bone from its parent. If larger, bones of
/// hands and heads reach through the skin and attract vertices of their neighbours. If smaller,
/// they lose vertices to the forearm and the neck.
const VIRTUAL_LENGTH_RATIO: f32 = 0.5;

/// Smallest length of a bone relative to the size of the skeleton. The direction of a shorter one
/// is rounding noise.
const MIN_RELATIVE_LENGTH: f32 = 1e-6;

/// Smallest cosine between an axis and a direction that count as parallel.
const ON_AXIS_COSINE: f32 = 0.999;

/// Smallest fraction of the joints with one child whose Y axis must point at it, for frames to
/// define bones. If larger, one twisted joint disables the rule. If smaller, rigs whose limbs run
/// along an axis by chance are misread.
const MIN_POINTING_FRACTION: f32 = 0.9;

/// Axes whose cosine with the first one is at least this count as equal.
const EQUAL_AXES_COSINE: f32 = 0.9;

/// Smallest number of joints with one child for the rule to apply. A short straight chain may run
/// along an axis by chance.
const MIN_LINKS: usize = 8;

pub(super) fn bones_of(skeleton: &Skeleton) -> Vec<Bone> {
    let frames_point = frames_point_along_bones(skeleton);
    let min_length = (MIN_RELATIVE_LENGTH * size_of(skeleton)).max(f32::MIN_POSITIVE);
    let parents = deforming_parents(skeleton);
    let mut bones = Vec::new();
    for joint in (0..skeleton.joints().len()).filter(|&joint| skeleton.deforms(joint)) {
        let head = skeleton.joints()[joint].head();
        let ends = ends_of(skeleton, joint, &parents, (min_length, frames_point));
        bones.extend(ends.into_iter().map(|(tail, end)| Bone { joint, parent: None, head, tail, end }));
    }
    for i in 0..bones.len() {
        bones[i].parent = parents[bones[i].joint].and_then(|parent| leading_bone(&bones, parent, &bones[i]));
    }
    bones
}

/// The nearest deforming ancestor of each joint.
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

fn ends_of(
    skeleton: &Skeleton,
    joint: usize,
    parents: &[Option<usize>],
    (min_length, frames_point): (f32, bool),
) -> Vec<(Vec3, Tail)> {
    let head = skeleton.joints()[joint].head();
    if is_point(skeleton, joint) {
        return vec![(head, Tail::Point)];
    }
    let is_long_enough = |tail: Vec3| head.distance(tail) > min_length;
    if let Some(tail) = skeleton.joints()[joint].tail.filter(|&tail| is_long_enough(tail)) {
        return vec![(tail, Tail::Explicit)];
    }
    let below = |matches: &dyn Fn(usize) -> bool| -> Vec<(Vec3, Tail)> {
        (0..parents.len())
            .filter(|&child| matches(child) && !is_point(skeleton, child))
            .map(|child| (skeleton.joints()[child].head(), Tail::Joint(child)))
            .filter(|&(tail, _)| is_long_enough(tail))
            .collect()
    };
    let is_child = |child: usize| skeleton.bone_hierarchy()[child] == Some(joint);
    let chain = below(&|child| {
        (skeleton.deforms(child) && parents[child] == Some(joint))
            || (is_child(child) && skeleton.exclusion(child) == Some(Exclusion::EndMarker))
    });
    if let Some(tail) = frames_point.then(|| tail_along_axis(skeleton, joint, min_length)).flatten() {
        return vec![tail];
    }
    if !chain.is_empty() {
        return chain;
    }
    let unweighted =
        below(&|child| is_child(child) && skeleton.exclusion(child) == Some(Exclusion::Unweighted));
    if let Some(&first) = unweighted.first() {
        return vec![first];
    }
    let length_from_parent =
        skeleton.bone_hierarchy()[joint].map(|above| head.distance(skeleton.joints()[above].head()));
    match length_from_parent.filter(|&length| frames_point && length > min_length) {
        Some(length) => vec![(offset_tail(head, y_axis(skeleton, joint) * length), Tail::Virtual)],
        None => vec![(virtual_tail(skeleton, joint, parents[joint], min_length), Tail::Virtual)],
    }
}

/// The children of a joint that are at another position, with their offsets.
fn children_of(
    skeleton: &Skeleton,
    joint: usize,
    min_length: f32,
) -> impl Iterator<Item = (usize, Vec3)> + '_ {
    let head = skeleton.joints()[joint].head();
    let of_joint = skeleton.bone_hierarchy().iter().enumerate().filter(move |(_, p)| **p == Some(joint));
    of_joint
        .filter(|(child, _)| !is_point(skeleton, *child))
        .map(move |(child, _)| (child, skeleton.joints()[child].head() - head))
        .filter(move |(_, offset)| offset.length() > min_length)
}

fn y_axis(skeleton: &Skeleton, joint: usize) -> Vec3 {
    unit_or_f64(skeleton.joints()[joint].rest.matrix3.y_axis, glam::DVec3::Y).as_vec3()
}

/// Whether the Y axis of (nearly) every joint with one child points at that child.
fn frames_point_along_bones(skeleton: &Skeleton) -> bool {
    let min_length = (MIN_RELATIVE_LENGTH * size_of(skeleton)).max(f32::MIN_POSITIVE);
    let (mut links, mut pointing) = (0, Vec::new());
    for joint in 0..skeleton.joints().len() {
        let mut children = children_of(skeleton, joint, min_length);
        let (Some((_, offset)), None) = (children.next(), children.next()) else { continue };
        links += 1;
        let axis = y_axis(skeleton, joint);
        if offset.normalize_or_zero().dot(axis) >= ON_AXIS_COSINE {
            pointing.push(axis);
        }
    }
    // If all frames are equal, they carry no information: the file has none, or limbs run along Y
    // by chance.
    let differ = pointing.iter().any(|axis| axis.dot(pointing[0]) < EQUAL_AXES_COSINE);
    links >= MIN_LINKS && differ && pointing.len() as f32 >= MIN_POINTING_FRACTION * links as f32
}

/// The tail along the Y axis of a joint. `None` for leaves, whose length is unknown.
fn tail_along_axis(skeleton: &Skeleton, joint: usize, min_length: f32) -> Option<(Vec3, Tail)> {
    let axis = y_axis(skeleton, joint);
    let nearest = |a: &(usize, Vec3), b: &(usize, Vec3)| a.1.length().total_cmp(&b.1.length());
    let children = || children_of(skeleton, joint, min_length);
    let on_axis = children()
        .filter(|(_, offset)| offset.normalize_or_zero().dot(axis) >= ON_AXIS_COSINE)
        .min_by(nearest);
    if let Some((child, _)) = on_axis {
        return Some((skeleton.joints()[child].head(), Tail::Joint(child)));
    }
    let (_, offset) = children().min_by(nearest)?;
    Some((offset_tail(skeleton.joints()[joint].head(), axis * offset.length()), Tail::Explicit))
}

fn virtual_tail(skeleton: &Skeleton, joint: usize, parent: Option<usize>, min_length: f32) -> Vec3 {
    let head = skeleton.joints()[joint].head();
    let mut above = parent;
    while let Some(parent) = above {
        let along = head - skeleton.joints()[parent].head();
        if along.length() > min_length {
            return offset_tail(head, along * VIRTUAL_LENGTH_RATIO);
        }
        above = skeleton.bone_hierarchy()[parent];
    }
    // A single joint gets a bone of a tenth of the size of the skeleton, or of one unit.
    let size = size_of(skeleton);
    offset_tail(head, Vec3::Y * if size > 0.0 { 0.1 * size } else { 1.0 })
}

/// `head + along`, extended if the sum would round to the head.
fn offset_tail(head: Vec3, along: Vec3) -> Vec3 {
    /// Smallest length relative to the coordinates that survives rounding.
    const ROUNDING: f32 = 1e-6;
    let min_offset = ROUNDING * head.abs().max_element();
    head + along * (min_offset / along.length()).max(1.0)
}

/// The bone of `parent` that `bone` continues: the one whose tail is nearest to its head.
fn leading_bone(bones: &[Bone], parent: usize, bone: &Bone) -> Option<usize> {
    let distance = |candidate: &Bone| candidate.tail.distance_squared(bone.head);
    let candidates = bones.iter().enumerate().filter(|(_, candidate)| candidate.joint == parent);
    candidates.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b))).map(|(i, _)| i)
}

fn is_point(skeleton: &Skeleton, joint: usize) -> bool {
    skeleton.joints()[joint].kind == JointKind::Point
}

fn size_of(skeleton: &Skeleton) -> f32 {
    let heads: Vec<Vec3> = (0..skeleton.joints().len())
        .filter(|&joint| !is_point(skeleton, joint))
        .map(|joint| skeleton.joints()[joint].head())
        .collect();
    let (low, high) = crate::model::mesh::bounds_of(&heads);
    low.distance(high)
}
