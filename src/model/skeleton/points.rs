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
