//! Builds skeletons by joint names.
//!
//! Input: heads in rest space. Output: a [`Skeleton`] with frames parallel to the world axes. Names
//! of left joints (+X) end in `.L`, of right ones in `.R`.

use glam::Vec3;

use crate::model::{Joint, Skeleton, SkeletonError};

/// A skeleton under construction.
#[derive(Default)]
pub struct SkeletonBuilder {
    joints: Vec<Joint>,
}

impl SkeletonBuilder {
    /// Adds a joint below the one named `parent`, or a root if there is no such joint.
    pub fn joint(&mut self, name: &str, parent: &str, head: Vec3) {
        let parent = self.find(parent).map(|index| (index, self.joints[index].head()));
        self.joints.push(Joint::at(name, parent, head));
    }

    /// Adds a joint on the left and its mirror image, below the parent of the same side if there is
    /// one.
    pub fn pair(&mut self, name: &str, parent: &str, head: Vec3) {
        for (side, x) in SIDES {
            let parent_on_side = format!("{parent}{side}");
            let parent = if self.find(&parent_on_side).is_some() { &parent_on_side } else { parent };
            self.joint(&format!("{name}{side}"), parent, head * Vec3::new(x, 1.0, 1.0));
        }
    }

    /// Adds joints `name_1`, `name_2`, … along a chain whose last point is the tail.
    pub fn chain(&mut self, name: &str, parent: &str, points: &[(Vec3, f32)]) {
        let Some(((tip, _), heads)) = points.split_last() else { return };
        let mut parent = parent.to_owned();
        for (i, (head, _)) in heads.iter().enumerate() {
            let joint = format!("{name}_{}", i + 1);
            self.joint(&joint, &parent, *head);
            parent = joint;
        }
        self.tip(&parent, *tip);
    }

    /// Sets the tail of a leaf joint.
    pub fn tip(&mut self, name: &str, tail: Vec3) {
        if let Some(index) = self.find(name) {
            self.joints[index].tail = Some(tail);
        }
    }

    /// Removes a tail, so that the bone leads to the child joints.
    pub fn remove_tip(&mut self, name: &str) {
        if let Some(index) = self.find(name) {
            self.joints[index].tail = None;
        }
    }

    /// Sets the tails of a pair of leaf joints.
    pub fn tips(&mut self, name: &str, tail: Vec3) {
        for (side, x) in SIDES {
            self.tip(&format!("{name}{side}"), tail * Vec3::new(x, 1.0, 1.0));
        }
    }

    /// The skeleton.
    pub fn skeleton(self) -> Result<Skeleton, SkeletonError> {
        Skeleton::new(self.joints)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}

/// Name suffixes of the sides and their signs of x.
pub const SIDES: [(&str, f32); 2] = [(".L", 1.0), (".R", -1.0)];

/// A left point, or its mirror image on the right.
pub fn on_side(x: f32, point: Vec3) -> Vec3 {
    point * Vec3::new(x, 1.0, 1.0)
}
