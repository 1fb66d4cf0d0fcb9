//! Where bones and their tails go.
//!
//! glTF stores no tails, and where one is put decides more about the weights than the method does, so
//! there is one rule:
//!
//! 1. A joint whose file says where its bone ends has that one bone.
//! 2. Else, when the rig's frames point along its bones ([`ON_AXIS`], [`MOST_POINT`]: rigs made in Blender do), a
//!    joint has one bone along its own Y axis: to the nearest child on that axis, else as long as the nearest child is
//!    far, and for a leaf as long as the way to it from its parent.
//! 3. Else one bone leads to the head of every deforming joint next below it, and to every end marker
//!    directly below it. Joints that do not deform are stepped over.
//! 4. Else, when a joint that does not deform hangs directly below it, the bone leads there.
//! 5. Else the joint is a leaf and gets a virtual tail along the bone that leads to it,
//!    [`VIRTUAL_SHARE`] as long; without such a bone, straight up.
//!
//! Children in the same place as their parent make no bone. Points on the skin ([`JointKind::Point`]) have one without length, and are nobody's tail: with them
//! or without, all other bones are the same.
//!
//! Tried, by how often bone heat's heaviest joint is the file's (at a conductance of 1). Horse and human (Blender's weights): 0.93 and 0.97 with
//! rule 2, 0.80 and 0.90 without. Artists' weights, which rule 2 leaves alone: Fox 0.86, CesiumMan 0.92, RiggedFigure 0.72,
//! WebXR hand 0.85, MakeHuman 0.75. Virtual tails as long as the bone that leads to them: CesiumMan 0.91. One bone per
//! joint for all rigs, to the nearest child or the one with most joints below: tried with an earlier heat
//! only, where it cost most of the artists' models several hundredths.

use glam::Vec3;

use crate::math::unit_or_f64;

use super::{Bone, Exclusion, JointKind, Skeleton, Tail};

/// A leaf's virtual bone against the bone that leads to it. Larger: hands and heads reach through the
/// skin and attract their neighbours' vertices. Smaller: they lose theirs to the forearm and the neck.
const VIRTUAL_SHARE: f32 = 0.5;

/// Shorter than this share of the skeleton's size, a bone is no bone: its direction is rounding noise.
const NO_LENGTH: f32 = 1e-6;

/// The cosine of an axis with a way that it runs along.
const ON_AXIS: f32 = 0.999;

/// Frames tell where bones point when those of this share of the joints with one child point at it. Larger: one
/// twisted joint hides what all others say. Smaller: rigs whose limbs happen to run along an axis are misread.
const MOST_POINT: f32 = 0.9;

/// The cosine within which axes are alike.
const ALL_ALIKE: f32 = 0.9;

/// Fewer joints with one child than this say nothing: a straight chain may run along the axis by chance.
const FEWEST_LINKS: usize = 8;

pub(super) fn bones_of(skeleton: &Skeleton) -> Vec<Bone> {
    let pointed = frames_point_along_bones(skeleton);
    let shortest = (NO_LENGTH * size_of(skeleton)).max(f32::MIN_POSITIVE);
    let parents = deforming_parents(skeleton);
    let mut bones = Vec::new();
    for joint in (0..skeleton.joints().len()).filter(|&joint| skeleton.deforms(joint)) {
        let head = skeleton.joints()[joint].head();
        let ends = ends_of(skeleton, joint, &parents, (shortest, pointed));
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

fn ends_of(
    skeleton: &Skeleton,
    joint: usize,
    parents: &[Option<usize>],
    (shortest, pointed): (f32, bool),
) -> Vec<(Vec3, Tail)> {
    let head = skeleton.joints()[joint].head();
    if is_point(skeleton, joint) {
        return vec![(head, Tail::Point)];
    }
    let long_enough = |tail: Vec3| head.distance(tail) > shortest;
    if let Some(tail) = skeleton.joints()[joint].tail.filter(|&tail| long_enough(tail)) {
        return vec![(tail, Tail::Explicit)];
    }
    let below = |matches: &dyn Fn(usize) -> bool| -> Vec<(Vec3, Tail)> {
        (0..parents.len())
            .filter(|&child| matches(child) && !is_point(skeleton, child))
            .map(|child| (skeleton.joints()[child].head(), Tail::Joint(child)))
            .filter(|&(tail, _)| long_enough(tail))
            .collect()
    };
    let is_child = |child: usize| skeleton.bone_hierarchy()[child] == Some(joint);
    let chain = below(&|child| {
        (skeleton.deforms(child) && parents[child] == Some(joint))
            || (is_child(child) && skeleton.exclusion(child) == Some(Exclusion::EndMarker))
    });
    if let Some(tail) = pointed.then(|| tail_along_axis(skeleton, joint, shortest)).flatten() {
        return vec![tail];
    }
    if !chain.is_empty() {
        return chain;
    }
    let marked = below(&|child| is_child(child) && skeleton.exclusion(child) == Some(Exclusion::Unweighted));
    if let Some(&first) = marked.first() {
        return vec![first];
    }
    let leading =
        skeleton.bone_hierarchy()[joint].map(|above| head.distance(skeleton.joints()[above].head()));
    match leading.filter(|&length| pointed && length > shortest) {
        Some(length) => vec![(apart(head, y_axis(skeleton, joint) * length), Tail::Virtual)],
        None => vec![(virtual_tail(skeleton, joint, parents[joint], shortest), Tail::Virtual)],
    }
}

/// The children of every joint that are far enough from it to point at.
fn children_of(skeleton: &Skeleton, joint: usize, shortest: f32) -> impl Iterator<Item = (usize, Vec3)> + '_ {
    let head = skeleton.joints()[joint].head();
    let of_joint = skeleton.bone_hierarchy().iter().enumerate().filter(move |(_, p)| **p == Some(joint));
    of_joint
        .filter(|(child, _)| !is_point(skeleton, *child))
        .map(move |(child, _)| (child, skeleton.joints()[child].head() - head))
        .filter(move |(_, way)| way.length() > shortest)
}

fn y_axis(skeleton: &Skeleton, joint: usize) -> Vec3 {
    unit_or_f64(skeleton.joints()[joint].rest.matrix3.y_axis, glam::DVec3::Y).as_vec3()
}

/// Whether the Y axis of (nearly) every joint with one child points at that child.
fn frames_point_along_bones(skeleton: &Skeleton) -> bool {
    let shortest = (NO_LENGTH * size_of(skeleton)).max(f32::MIN_POSITIVE);
    let (mut links, mut pointing) = (0, Vec::new());
    for joint in 0..skeleton.joints().len() {
        let mut children = children_of(skeleton, joint, shortest);
        let (Some((_, way)), None) = (children.next(), children.next()) else { continue };
        links += 1;
        let axis = y_axis(skeleton, joint);
        if way.normalize_or_zero().dot(axis) >= ON_AXIS {
            pointing.push(axis);
        }
    }
    // Frames that are all alike point nowhere: a file without frames, and limbs that happen to run along Y.
    let differ = pointing.iter().any(|axis| axis.dot(pointing[0]) < ALL_ALIKE);
    links >= FEWEST_LINKS && differ && pointing.len() as f32 >= MOST_POINT * links as f32
}

/// Where a joint's own Y axis says that its bone ends; leaves say nothing about its length.
fn tail_along_axis(skeleton: &Skeleton, joint: usize, shortest: f32) -> Option<(Vec3, Tail)> {
    let axis = y_axis(skeleton, joint);
    let nearest = |a: &(usize, Vec3), b: &(usize, Vec3)| a.1.length().total_cmp(&b.1.length());
    let children = || children_of(skeleton, joint, shortest);
    let on_axis = children().filter(|(_, way)| way.normalize_or_zero().dot(axis) >= ON_AXIS).min_by(nearest);
    if let Some((child, _)) = on_axis {
        return Some((skeleton.joints()[child].head(), Tail::Joint(child)));
    }
    let (_, way) = children().min_by(nearest)?;
    Some((apart(skeleton.joints()[joint].head(), axis * way.length()), Tail::Explicit))
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
