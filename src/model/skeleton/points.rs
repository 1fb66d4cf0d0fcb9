//! Points on the skin as joints, so that whatever moves joints moves them.
//!
//! A point hangs on a joint as a plain translated node: its frame has the joint's axes. Points come after all other joints, which
//! keep their numbers.

use glam::{DAffine3, Vec3};

use super::{Joint, JointKind, Skeleton, SkeletonError, bones};
use crate::math::Trs;

impl Skeleton {
    /// The same with points added: their names, where they are in rest space, and the joints they hang on. What was decided about
    /// the other joints stays, and so do their bones.
    ///
    /// # Errors
    /// When a place is not a number.
    pub fn with_points(&self, points: &[(&str, Vec3, Option<usize>)]) -> Result<Self, SkeletonError> {
        let mut joints = self.joints.clone();
        joints.extend(points.iter().map(|&(name, at, parent)| {
            let axes = parent.map_or(DAffine3::IDENTITY, |parent| self.joints[parent].rest);
            let rest = DAffine3 { translation: at.as_dvec3(), ..axes };
            let in_parent = parent.map_or(rest.translation, |parent| {
                self.joint_from_rest[parent].transform_point3(rest.translation)
            });
            let local = Trs::from_translation(in_parent);
            Joint { name: name.to_owned(), parent, rest, local, tail: None, kind: JointKind::Point }
        }));
        let mut with = Self::new(joints)?;
        with.excluded[..self.excluded.len()].copy_from_slice(&self.excluded);
        with.bone_hierarchy[..self.bone_hierarchy.len()].copy_from_slice(&self.bone_hierarchy);
        with.is_flat = self.is_flat;
        with.bones = bones::bones_of(&with);
        Ok(with)
    }

    /// The points among the joints, in their order.
    pub fn points(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&joint| self.joints[joint].kind == JointKind::Point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{self, Member};
    use crate::model::Tail;

    #[test]
    fn points_leave_all_other_bones_as_they_are_and_turn_with_their_joint() {
        for member in [Member::Mannequin, Member::Hand, Member::Giraffe] {
            let skeleton = cast::make(member, 1_000).unwrap().skeleton;
            for parent in 0..skeleton.joints().len() {
                let at = skeleton.joints()[parent].head() + Vec3::new(0.1, 0.02, 0.3);
                let with = skeleton.with_points(&[("grip", at, Some(parent))]).unwrap();
                with.assert_well_formed();
                let (point, bones) = with.bones().split_last().unwrap();
                assert_eq!(bones, skeleton.bones());
                assert_eq!((point.joint, point.end), (skeleton.joints().len(), Tail::Point));
                assert!(with.points().eq([skeleton.joints().len()]));
                let offset = with.rest_local(skeleton.joints().len());
                assert!(offset.matrix3.abs_diff_eq(glam::DMat3::IDENTITY, 1e-6), "a plain translated node");
                let text = serde_json::to_string(&with).unwrap();
                assert_eq!(serde_json::from_str::<Skeleton>(&text).unwrap().bones(), with.bones());
            }
        }
    }
}
