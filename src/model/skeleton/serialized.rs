//! The serialised form of a skeleton: joints and their classification. Bones are rebuilt.

use serde::{Deserialize, Serialize};

use super::{Exclusion, Joint, Skeleton, SkeletonError, bones};

#[derive(Serialize, Deserialize)]
pub(super) struct SerializedSkeleton {
    joints: Vec<Joint>,
    excluded: Vec<Option<Exclusion>>,
    bone_hierarchy: Vec<Option<usize>>,
    is_flat: bool,
}

impl From<Skeleton> for SerializedSkeleton {
    fn from(skeleton: Skeleton) -> Self {
        let Skeleton { joints, excluded, bone_hierarchy, is_flat, .. } = skeleton;
        Self { joints, excluded, bone_hierarchy, is_flat }
    }
}

impl TryFrom<SerializedSkeleton> for Skeleton {
    type Error = SkeletonError;

    fn try_from(serialized: SerializedSkeleton) -> Result<Self, SkeletonError> {
        let mut skeleton = Self::new(serialized.joints)?;
        let joints = skeleton.joints.len();
        if serialized.excluded.len() == joints && serialized.bone_hierarchy.len() == joints {
            skeleton.check_hierarchy(&serialized.bone_hierarchy)?;
            (skeleton.excluded, skeleton.bone_hierarchy) = (serialized.excluded, serialized.bone_hierarchy);
            skeleton.is_flat = serialized.is_flat;
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
    fn the_classification_survives_serialisation() {
        let hips = Vec3::ZERO;
        let joints = vec![
            Joint::at("hips", None, hips),
            Joint::at("knee", Some((0, hips)), Vec3::Y),
            Joint::at("foot", Some((1, Vec3::Y)), Vec3::Y * 2.0),
            Joint::at("foot_ik", Some((0, hips)), Vec3::X),
        ];
        let mut skeleton = Skeleton::new(joints).unwrap();
        skeleton.classify_joints(&Evidence::default(), &mut Report::default());
        assert!(!skeleton.deforms(3), "the control is excluded");
        let text = serde_json::to_string(&skeleton).unwrap();
        assert_eq!(serde_json::from_str::<Skeleton>(&text).unwrap(), skeleton);
    }

    #[test]
    fn a_cyclic_hierarchy_is_rejected() {
        let skeleton = Skeleton::new(vec![Joint::at("a", None, Vec3::ZERO)]).unwrap();
        let text = serde_json::to_string(&skeleton).unwrap();
        let cyclic = text.replace(r#""bone_hierarchy":[null]"#, r#""bone_hierarchy":[0]"#);
        assert_ne!(text, cyclic);
        assert!(serde_json::from_str::<Skeleton>(&cyclic).is_err());
    }
}
