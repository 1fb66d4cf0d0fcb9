//! Joints, bones, and which joints deform the skin.
//!
//! A *joint* is a node of the hierarchy with a rest frame. A *bone* is a segment from the head of a
//! joint to the head of a child (or to a tail), driven by the joint at its head. Weights are
//! computed per bone and stored per joint. The rules (docs/theory/skeleton.md) are in `deforms`
//! (which joints deform), `bones` (bones and tails) and `flat` (skeletons without a hierarchy).

mod bones;
mod deforms;
mod flat;
mod names;
mod points;
mod serialized;

use glam::{DAffine3, Vec3};
use serde::{Deserialize, Serialize};

pub use deforms::Evidence;
pub(crate) use names::is_end_marker;

use super::HumanBone;
use crate::math::{self, Trs};

/// A node of the hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// The name in the file, or "joint 0" and so on.
    pub name: String,
    /// Index of the parent joint.
    pub parent: Option<usize>,
    /// world_from_joint when the skin was bound: `T̄`.
    pub rest: DAffine3,
    /// The transform of the node in the file, where clips start. It may differ from `rest`.
    pub local: Trs,
    /// The tail of its bone in rest space, if the file has one.
    pub tail: Option<Vec3>,
    /// Whether the skin of the file lists it.
    pub kind: JointKind,
    /// The standard bone that the file assigns to it.
    pub human: Option<HumanBone>,
    /// Whether a simulation or a constraint moves it in other programs (hair, cloth, twist joints).
    /// Motions do not.
    pub is_secondary: bool,
}

impl Joint {
    /// A joint at `head` with axes parallel to the world axes, for skeleton files without frames.
    pub fn at(name: impl Into<String>, parent: Option<(usize, Vec3)>, head: Vec3) -> Self {
        let offset = head - parent.map_or(Vec3::ZERO, |(_, parent_head)| parent_head);
        Self {
            name: name.into(),
            parent: parent.map(|(index, _)| index),
            rest: DAffine3::from_translation(head.as_dvec3()),
            local: Trs::from_translation(offset.as_dvec3()),
            tail: None,
            kind: JointKind::Skin,
            human: None,
            is_secondary: false,
        }
    }

    /// The centre of rotation, in rest space.
    pub fn head(&self) -> Vec3 {
        self.rest.translation.as_vec3()
    }
}

/// The role of a joint in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointKind {
    /// A joint of the skin.
    Skin,
    /// A node above or between joints. It moves them, but the skin does not list it.
    Helper,
    /// A handle on the skin. It is not in the file, has weights of its own, and has no length.
    Point,
}

/// A segment driven by a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint that drives it.
    pub joint: usize,
    /// The bone that it continues, if any.
    pub parent: Option<usize>,
    /// Start point, in rest space.
    pub head: Vec3,
    /// End point, in rest space.
    pub tail: Vec3,
    /// How the tail was determined.
    pub end: Tail,
}

impl Bone {
    /// The length.
    pub fn length(&self) -> f32 {
        self.head.distance(self.tail)
    }

    /// The point of the segment nearest to `point`.
    #[inline]
    pub fn nearest(&self, point: Vec3) -> Vec3 {
        let along = self.tail - self.head;
        let t = (point - self.head).dot(along) / math::larger(along.length_squared(), f32::MIN_POSITIVE);
        self.head + along * t.clamp(0.0, 1.0)
    }
}

/// How the tail of a bone was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// At the head of this joint.
    Joint(usize),
    /// Stored in the file, or derived from the frames.
    Explicit,
    /// Virtual: in the direction of the parent bone.
    Virtual,
    /// At the head of the bone, for a handle.
    Point,
}

/// Why a joint has no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exclusion {
    /// The skin of the file does not list it.
    Helper,
    /// The skin of the file lists it, but has no weights for it.
    Unweighted,
    /// Its name marks the end of a chain.
    EndMarker,
    /// Its name marks a control: IK, pole, target, prop.
    Control,
    /// A root joint outside the body.
    RootAboveBody,
    /// Its bones are neither in nor near the mesh.
    FarFromMesh,
    /// The user excluded it.
    ByUser,
}

impl Exclusion {
    /// What such joints have in common, for the message "joints left out of the skin".
    pub fn reason(self) -> &'static str {
        match self {
            Self::Helper => "not listed in the skin of the file",
            Self::Unweighted => "without weights in the skin of the file",
            Self::EndMarker => "named as end markers",
            Self::Control => "named as controls or props",
            Self::RootAboveBody => "root joints outside the body",
            Self::FarFromMesh => "far outside the mesh",
            Self::ByUser => "switched off",
        }
    }
}

/// Joints in file order, and the bones derived from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "serialized::SerializedSkeleton", into = "serialized::SerializedSkeleton")]
pub struct Skeleton {
    joints: Vec<Joint>,
    parents_first: Vec<usize>,
    joint_from_rest: Vec<DAffine3>,
    /// The parent of each joint with respect to bones. It differs from `Joint::parent` in flat
    /// skeletons.
    bone_hierarchy: Vec<Option<usize>>,
    is_flat: bool,
    excluded: Vec<Option<Exclusion>>,
    bones: Vec<Bone>,
}

/// Why joints are not a valid skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A parent that does not exist.
    #[error("joint {joint} has parent {parent}, but there are only {joints} joints")]
    NoSuchParent {
        /// The joint.
        joint: usize,
        /// The parent index.
        parent: usize,
        /// The number of joints.
        joints: usize,
    },
    /// A joint that is its own ancestor.
    #[error("joint {joint} ({name}) is its own ancestor")]
    Cycle {
        /// One joint of the cycle.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A rest frame that cannot be inverted.
    #[error("joint {joint} ({name}) has a rest frame that is singular, too large or not finite")]
    SingularRest {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

impl Skeleton {
    /// Checks the joints and builds the bones. Every joint that the skin lists counts as deforming
    /// until [`Skeleton::classify_joints`] is called.
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

    /// The joints, in file order.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Joint indices in topological order: every joint after its parent.
    pub fn parents_first(&self) -> &[usize] {
        &self.parents_first
    }

    /// The inverse of every rest frame.
    pub fn joint_from_rest(&self) -> &[DAffine3] {
        &self.joint_from_rest
    }

    /// The rest frame of a joint relative to its parent: parent_from_joint.
    pub fn rest_local(&self, joint: usize) -> DAffine3 {
        let Joint { parent, rest, .. } = &self.joints[joint];
        match parent {
            Some(parent) => self.joint_from_rest[*parent] * *rest,
            None => *rest,
        }
    }

    /// The bones, ordered by the joints that drive them.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Whether a joint deforms the skin.
    pub fn deforms(&self, joint: usize) -> bool {
        self.excluded[joint].is_none()
    }

    /// Why a joint does not deform the skin.
    pub fn exclusion(&self, joint: usize) -> Option<Exclusion> {
        self.excluded[joint]
    }

    /// Whether the hierarchy of bones was inferred.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// The parent of each joint with respect to bones: that of the file unless the skeleton is
    /// flat.
    pub fn bone_hierarchy(&self) -> &[Option<usize>] {
        &self.bone_hierarchy
    }

    /// The first joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        if let Err(error) = Self::new(self.joints.clone()) {
            panic!("{error}");
        }
        for (i, bone) in self.bones.iter().enumerate() {
            assert!(self.deforms(bone.joint), "bone {i} is driven by a joint that does not deform");
            assert!(
                bone.head.is_finite() && bone.tail.is_finite(),
                "bone {i} has a point that is not finite"
            );
            assert!(bone.length() > 0.0 || bone.end == Tail::Point, "bone {i} has no length");
            assert!(i == 0 || self.bones[i - 1].joint <= bone.joint, "bone {i} is out of order");
            if let Some(parent) = bone.parent {
                assert!(
                    parent < self.bones.len() && parent != i,
                    "bone {i} continues a bone that does not exist"
                );
            }
        }
        for joint in 0..self.joints.len() {
            let drives_bone = self.bones.iter().any(|bone| bone.joint == joint);
            assert!(drives_bone || !self.deforms(joint), "deforming joint {joint} drives no bone");
        }
    }
}

/// Sorts joints topologically, without recursion.
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
    let mut is_reached = vec![false; joints.len()];
    order.iter().for_each(|&joint| is_reached[joint] = true);
    let joint = is_reached.iter().position(|&r| !r).unwrap_or(0);
    Err(SkeletonError::Cycle { joint, name: joints[joint].name.clone() })
}
