//! Joints, the bones between them, and which joints deform the skin.
//!
//! A *joint* is a node of the hierarchy with a rest frame. A *bone* is a segment from a joint's head to a
//! child's head (or to a tail), driven by the joint at its head. Weights are computed per bone and
//! stored per joint. The rules are in [`deforms`](self) (which joints take part), `bones` (where bones
//! and tails go) and `flat` (skeletons without a hierarchy).

mod bones;
mod deforms;
mod flat;
mod names;
mod parts;
mod points;

use glam::{DAffine3, Vec3};
use serde::{Deserialize, Serialize};

pub use deforms::Evidence;
pub(crate) use names::is_end_marker;

use crate::math::{self, Trs};

/// A node of the hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// As in the file, or "joint 0" and so on.
    pub name: String,
    /// Index of the joint it hangs on.
    pub parent: Option<usize>,
    /// world_from_joint when the skin was bound: `T̄`.
    pub rest: DAffine3,
    /// The node's own transform in the file: what clips start from. It need not agree with `rest`.
    pub local: Trs,
    /// Where its bone ends, in rest space, where the file says so.
    pub tail: Option<Vec3>,
    /// Whether the file's skin lists it.
    pub kind: JointKind,
}

impl Joint {
    /// A joint at `head` with axes along the world's, as skeleton files without frames give them.
    pub fn at(name: impl Into<String>, parent: Option<(usize, Vec3)>, head: Vec3) -> Self {
        let offset = head - parent.map_or(Vec3::ZERO, |(_, parent_head)| parent_head);
        Self {
            name: name.into(),
            parent: parent.map(|(index, _)| index),
            rest: DAffine3::from_translation(head.as_dvec3()),
            local: Trs::from_translation(offset.as_dvec3()),
            tail: None,
            kind: JointKind::Skin,
        }
    }

    /// Where it turns, in rest space.
    pub fn head(&self) -> Vec3 {
        self.rest.translation.as_vec3()
    }
}

/// What a joint is to the file it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointKind {
    /// One of the skin's joints.
    Skin,
    /// A node above or between them: it moves joints, but the skin does not list it.
    Helper,
    /// A handle put on the skin, not in the file: it holds skin by itself and has no length.
    Point,
}

/// A segment that flesh follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint that drives it.
    pub joint: usize,
    /// The bone it continues, if any.
    pub parent: Option<usize>,
    /// Where it starts, in rest space.
    pub head: Vec3,
    /// Where it ends, in rest space.
    pub tail: Vec3,
    /// How the end was found.
    pub end: Tail,
}

impl Bone {
    /// Its length.
    pub fn length(&self) -> f32 {
        self.head.distance(self.tail)
    }

    /// The point on it nearest to `point`.
    pub fn nearest(&self, point: Vec3) -> Vec3 {
        let along = self.tail - self.head;
        let share = (point - self.head).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
        self.head + along * share.clamp(0.0, 1.0)
    }
}

/// How a bone's end was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// At this joint's head.
    Joint(usize),
    /// The file says where.
    Explicit,
    /// Guessed: a short stretch along the parent bone.
    Virtual,
    /// At its head: a point on the skin.
    Point,
}

/// Why a joint gets no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exclusion {
    /// The file's skin does not list it.
    Helper,
    /// The file's skin lists it but gives it no weight.
    Unweighted,
    /// Its name marks the end of a chain.
    EndMarker,
    /// Its name marks a control: IK, pole, target, prop.
    Control,
    /// It stands above the hips, outside the body.
    RootAboveBody,
    /// No part of its bones is in or near the mesh.
    FarFromMesh,
    /// The user switched it off.
    ByUser,
}

impl Exclusion {
    /// What such joints have in common, after "joints left out of the skin".
    pub fn reason(self) -> &'static str {
        match self {
            Self::Helper => "not listed by the file's skin",
            Self::Unweighted => "without weight in the file's own skin",
            Self::EndMarker => "named as ends of chains",
            Self::Control => "named as controls or props",
            Self::RootAboveBody => "carrying the body from outside",
            Self::FarFromMesh => "lying outside the mesh",
            Self::ByUser => "switched off",
        }
    }
}

/// Joints in the file's order, and the bones read off them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "parts::Parts", into = "parts::Parts")]
pub struct Skeleton {
    joints: Vec<Joint>,
    parents_first: Vec<usize>,
    joint_from_rest: Vec<DAffine3>,
    /// Who continues whom as far as bones go; differs from the joints' own parents in flat skeletons.
    bone_hierarchy: Vec<Option<usize>>,
    is_flat: bool,
    excluded: Vec<Option<Exclusion>>,
    bones: Vec<Bone>,
}

/// Why joints do not make a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A parent that is not there.
    #[error("joint {joint} names joint {parent} as its parent, but there are only {joints}")]
    NoSuchParent {
        /// The joint.
        joint: usize,
        /// The parent it names.
        parent: usize,
        /// How many there are.
        joints: usize,
    },
    /// Joints that are their own ancestors.
    #[error("joint {joint} ({name}) is its own ancestor")]
    Cycle {
        /// One of them.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A rest frame that cannot be undone.
    #[error("joint {joint} ({name}) has a rest frame that is flat, out of all bounds or not a number")]
    SingularRest {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

impl Skeleton {
    /// Checks the joints and reads bones off them, taking every joint the skin lists for a deforming
    /// one until [`Skeleton::decide`] knows better.
    ///
    /// # Errors
    /// A missing parent, a cycle, or a rest frame without an inverse.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        let parents_first = parents_first(&joints)?;
        for (joint, Joint { name, rest, local, .. }) in joints.iter().enumerate() {
            if !math::is_usable_frame(rest) || !local.to_affine().is_finite() {
                return Err(SkeletonError::SingularRest { joint, name: name.clone() });
            }
        }
        let joint_from_rest = joints.iter().map(|joint| joint.rest.inverse()).collect();
        let bone_hierarchy = joints.iter().map(|joint| joint.parent).collect();
        let excluded =
            joints.iter().map(|j| (j.kind == JointKind::Helper).then_some(Exclusion::Helper)).collect();
        let mut skeleton = Self {
            joints,
            parents_first,
            joint_from_rest,
            bone_hierarchy,
            is_flat: false,
            excluded,
            bones: Vec::new(),
        };
        skeleton.bones = bones::bones_of(&skeleton);
        Ok(skeleton)
    }

    /// In the file's order.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Every joint after its parent.
    pub fn parents_first(&self) -> &[usize] {
        &self.parents_first
    }

    /// The inverse of every rest frame.
    pub fn joint_from_rest(&self) -> &[DAffine3] {
        &self.joint_from_rest
    }

    /// The rest frame of a joint in its parent's: parent_from_joint.
    pub fn rest_local(&self, joint: usize) -> DAffine3 {
        let Joint { parent, rest, .. } = &self.joints[joint];
        match parent {
            Some(parent) => self.joint_from_rest[*parent] * *rest,
            None => *rest,
        }
    }

    /// The segments flesh follows, ordered by the joints that drive them.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Whether a joint takes part in skinning.
    pub fn deforms(&self, joint: usize) -> bool {
        self.excluded[joint].is_none()
    }

    /// Why a joint takes no part.
    pub fn exclusion(&self, joint: usize) -> Option<Exclusion> {
        self.excluded[joint]
    }

    /// Whether the bones' hierarchy had to be inferred.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// The joint each joint's bones continue; the file's hierarchy unless that is flat.
    pub fn bone_hierarchy(&self) -> &[Option<usize>] {
        &self.bone_hierarchy
    }

    /// The joint of that name; the first of several.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// How a bone is called: its joint's name, and where it leads when the joint drives several.
    pub fn bone_name(&self, bone: usize) -> String {
        let Bone { joint, end, .. } = self.bones[bone];
        let name = &self.joints[joint].name;
        let siblings = self.bones.iter().filter(|b| b.joint == joint).count();
        match end {
            Tail::Joint(child) if siblings > 1 => format!("{name} → {}", self.joints[child].name),
            _ => name.clone(),
        }
    }

    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self) {
        if let Err(error) = Self::new(self.joints.clone()) {
            panic!("{error}");
        }
        for (i, bone) in self.bones.iter().enumerate() {
            assert!(self.deforms(bone.joint), "bone {i} is driven by a joint that does not deform");
            assert!(bone.head.is_finite() && bone.tail.is_finite(), "bone {i} has no place");
            assert!(bone.length() > 0.0 || bone.end == Tail::Point, "bone {i} has no length");
            assert!(i == 0 || self.bones[i - 1].joint <= bone.joint, "bone {i} is out of order");
            if let Some(parent) = bone.parent {
                assert!(parent < self.bones.len() && parent != i, "bone {i} continues nothing");
            }
        }
        for joint in 0..self.joints.len() {
            let drives = self.bones.iter().any(|bone| bone.joint == joint);
            assert!(drives || !self.deforms(joint), "deforming joint {joint} drives no bone");
        }
    }
}

/// Sorts joints so that parents come before children, without recursing.
fn parents_first(joints: &[Joint]) -> Result<Vec<usize>, SkeletonError> {
    let mut children = vec![Vec::new(); joints.len()];
    let mut order = Vec::with_capacity(joints.len());
    for (joint, &Joint { parent, .. }) in joints.iter().enumerate() {
        match parent {
            None => order.push(joint),
            Some(parent) if parent < joints.len() => children[parent].push(joint),
            Some(parent) => return Err(SkeletonError::NoSuchParent { joint, parent, joints: joints.len() }),
        }
    }
    let mut next = 0;
    while next < order.len() {
        order.extend_from_slice(&children[order[next]]);
        next += 1;
    }
    if order.len() == joints.len() {
        return Ok(order);
    }
    let mut reached = vec![false; joints.len()];
    order.iter().for_each(|&joint| reached[joint] = true);
    let joint = reached.iter().position(|&r| !r).unwrap_or(0);
    Err(SkeletonError::Cycle { joint, name: joints[joint].name.clone() })
}
