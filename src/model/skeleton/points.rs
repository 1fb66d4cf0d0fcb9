//! Handles as joints, so that everything that moves joints moves them.
//!
//! A handle is a child of a joint, translated and with the axes of that joint. Handles come after
//! all other joints, whose indices do not change.

use glam::{DAffine3, Vec3};

use super::{Joint, JointKind, Skeleton, SkeletonError, bones};
use crate::math::Trs;

impl Skeleton {
    /// The skeleton with handles added: their names, positions in rest space, and parent joints.
    /// The classification and the bones of the other joints do not change.
    ///
    /// # Errors
    /// If a position is not finite.
    pub fn with_points(&self, points: &[(&str, Vec3, Option<usize>)]) -> Result<Self, SkeletonError> {
        let mut joints = self.joints.clone();
        joints.extend(points.iter().map(|&(name, at, parent)| {
            let axes = parent.map_or(DAffine3::IDENTITY, |parent| self.joints[parent].rest);
            let rest = DAffine3 { translation: at.as_dvec3(), ..axes };
            let in_parent = parent.map_or(rest.translation, |parent| {
                self.joint_from_rest[parent].transform_point3(rest.translation)
            });
            let local = Trs::from_translation(in_parent);
            Joint {
                name: name.to_owned(),
                parent,
                rest,
                local,
                tail: None,
                kind: JointKind::Point,
                human: None,
                is_secondary: false,
            }
        }));
        let mut extended = Self::new(joints)?;
        extended.excluded[..self.excluded.len()].copy_from_slice(&self.excluded);
        extended.bone_hierarchy[..self.bone_hierarchy.len()].copy_from_slice(&self.bone_hierarchy);
        extended.is_flat = self.is_flat;
        extended.bones = bones::bones_of(&extended);
        Ok(extended)
    }

    /// The joints that are handles, in order.
    pub fn points(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&joint| self.joints[joint].kind == JointKind::Point)
    }
}
