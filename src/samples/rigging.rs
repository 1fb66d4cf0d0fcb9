//! Joints by name.
//!
//! In: heads in rest space. Out: a [`Skeleton`] whose frames are the world's, left joints (+X) named `.L`
//! and right ones `.R`.

use glam::Vec3;

use crate::model::{Joint, Skeleton, SkeletonError};

/// A skeleton in the making.
#[derive(Default)]
pub struct Rigging {
    joints: Vec<Joint>,
}

impl Rigging {
    /// A joint on the one named `parent`; on none if there is no such joint.
    pub fn joint(&mut self, name: &str, parent: &str, head: Vec3) {
        let parent = self.find(parent).map(|index| (index, self.joints[index].head()));
        self.joints.push(Joint::at(name, parent, head));
    }

    /// A joint on the left and its mirror image; they hang on the parent of their side if there is one.
    pub fn pair(&mut self, name: &str, parent: &str, head: Vec3) {
        for (side, x) in SIDES {
            let sided = format!("{parent}{side}");
            let parent = if self.find(&sided).is_some() { &sided } else { parent };
            self.joint(&format!("{name}{side}"), parent, head * Vec3::new(x, 1.0, 1.0));
        }
    }

    /// Joints `name_1`, `name_2`, … along a chain whose last place is the tip.
    pub fn chain(&mut self, name: &str, parent: &str, places: &[(Vec3, f32)]) {
        let Some(((tip, _), heads)) = places.split_last() else { return };
        let mut parent = parent.to_owned();
        for (i, (head, _)) in heads.iter().enumerate() {
            let joint = format!("{name}_{}", i + 1);
            self.joint(&joint, &parent, *head);
            parent = joint;
        }
        self.tip(&parent, *tip);
    }

    /// Where the bone of a leaf joint ends.
    pub fn tip(&mut self, name: &str, tail: Vec3) {
        if let Some(index) = self.find(name) {
            self.joints[index].tail = Some(tail);
        }
    }

    /// Takes an end back: the bone leads to the joints below instead.
    pub fn untip(&mut self, name: &str) {
        if let Some(index) = self.find(name) {
            self.joints[index].tail = None;
        }
    }

    /// Where the bones of a pair of leaf joints end.
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

/// The endings of names and the signs of x.
pub const SIDES: [(&str, f32); 2] = [(".L", 1.0), (".R", -1.0)];

/// A left point or its mirror image on the right.
pub fn on_side(x: f32, point: Vec3) -> Vec3 {
    point * Vec3::new(x, 1.0, 1.0)
}
