//! A skeleton as it travels: the joints and what was decided about them. Bones are read off again.

use serde::{Deserialize, Serialize};

use super::{Exclusion, Joint, Skeleton, SkeletonError, bones};

#[derive(Serialize, Deserialize)]
pub(super) struct Parts {
    joints: Vec<Joint>,
    excluded: Vec<Option<Exclusion>>,
    bone_hierarchy: Vec<Option<usize>>,
    is_flat: bool,
}

impl From<Skeleton> for Parts {
    fn from(skeleton: Skeleton) -> Self {
        let Skeleton { joints, excluded, bone_hierarchy, is_flat, .. } = skeleton;
        Self { joints, excluded, bone_hierarchy, is_flat }
    }
}

impl TryFrom<Parts> for Skeleton {
    type Error = SkeletonError;

    fn try_from(parts: Parts) -> Result<Self, SkeletonError> {
        let mut skeleton = Self::new(parts.joints)?;
        let joints = skeleton.joints.len();
        if parts.excluded.len() == joints && parts.bone_hierarchy.len() == joints {
            skeleton.check_hierarchy(&parts.bone_hierarchy)?;
            (skeleton.excluded, skeleton.bone_hierarchy) = (parts.excluded, parts.bone_hierarchy);
            skeleton.is_flat = parts.is_flat;
            skeleton.bones = bones::bones_of(&skeleton);
        }
        Ok(skeleton)
    }
}

impl Skeleton {
    fn check_hierarchy(&self, hierarchy: &[Option<usize>]) -> Result<(), SkeletonError> {
        let joints: Vec<Joint> =
            self.joints.iter().zip(hierarchy).map(|(j, &parent)| Joint { parent, ..j.clone() }).collect();
        super::parents_first(&joints).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::skeleton::Evidence;
    use crate::report::Report;

    #[test]
    fn decisions_survive_the_journey() {
        let hips = Vec3::ZERO;
        let joints = vec![
            Joint::at("hips", None, hips),
            Joint::at("knee", Some((0, hips)), Vec3::Y),
            Joint::at("foot", Some((1, Vec3::Y)), Vec3::Y * 2.0),
            Joint::at("foot_ik", Some((0, hips)), Vec3::X),
        ];
        let mut skeleton = Skeleton::new(joints).unwrap();
        skeleton.decide(&Evidence::default(), &mut Report::default());
        assert!(!skeleton.deforms(3), "the control is left out");
        let text = serde_json::to_string(&skeleton).unwrap();
        assert_eq!(serde_json::from_str::<Skeleton>(&text).unwrap(), skeleton);
    }

    #[test]
    fn joints_in_a_circle_are_refused_on_arrival() {
        let skeleton = Skeleton::new(vec![Joint::at("a", None, Vec3::ZERO)]).unwrap();
        let text = serde_json::to_string(&skeleton).unwrap();
        let circle = text.replace(r#""bone_hierarchy":[null]"#, r#""bone_hierarchy":[0]"#);
        assert_ne!(text, circle);
        assert!(serde_json::from_str::<Skeleton>(&circle).is_err());
    }
}
