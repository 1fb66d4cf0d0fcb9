//! The axes of a humanoid, from its standard bones.

use glam::DVec3;

use crate::model::{HumanBone, Skeleton};

/// Left, up and front of a body in rest space: orthogonal unit vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyAxes {
    pub left: DVec3,
    pub up: DVec3,
    pub front: DVec3,
}

impl BodyAxes {
    /// `None` if the skeleton has no hips, no neck or head, or no pair of legs.
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let at = |bone| joint_of(skeleton, bone).map(|joint| skeleton.joints()[joint].rest.translation);
        let between = |left, right| Some((at(left)? - at(right)?).normalize_or_zero());
        let legs = between(HumanBone::LeftUpperLeg, HumanBone::RightUpperLeg)?;
        let arms = between(HumanBone::LeftUpperArm, HumanBone::RightUpperArm).unwrap_or(DVec3::ZERO);
        let left = (legs + arms).try_normalize()?;
        let top = at(HumanBone::Neck).or_else(|| at(HumanBone::Head))?;
        let front = left.cross(top - at(HumanBone::Hips)?).try_normalize()?;
        Some(Self { left, up: front.cross(left), front })
    }
}

/// The joint of a standard bone.
pub(super) fn joint_of(skeleton: &Skeleton, bone: HumanBone) -> Option<usize> {
    skeleton.joints().iter().position(|joint| joint.human == Some(bone))
}
