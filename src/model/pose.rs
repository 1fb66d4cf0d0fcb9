//! Where every joint is, relative to its parent.

use glam::{DAffine3, DQuat, Mat4};

use super::Skeleton;

/// One local transform per joint: parent_from_joint (world_from_joint for a joint without a parent).
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// In the order of the skeleton's joints. Matrices rather than rotations, because rest frames of
    /// real files carry scale and shear.
    pub parent_from_joint: Vec<DAffine3>,
}

impl Pose {
    /// Every joint where it was when the skin was bound: skinning is the identity.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let parent_from_joint = (0..skeleton.joints().len()).map(|j| skeleton.rest_local(j)).collect();
        Self { parent_from_joint }
    }

    /// Turns one joint about its own head, in its own frame, on top of what it has.
    pub fn rotate(&mut self, joint: usize, rotation: DQuat) {
        let turned = self.parent_from_joint[joint] * DAffine3::from_quat(rotation);
        self.parent_from_joint[joint] = turned;
    }

    /// world_from_joint of every joint.
    pub fn world(&self, skeleton: &Skeleton) -> Vec<DAffine3> {
        let mut world = vec![DAffine3::IDENTITY; self.parent_from_joint.len()];
        for &joint in skeleton.parents_first() {
            let local = self.parent_from_joint[joint];
            world[joint] = match skeleton.joints()[joint].parent {
                Some(parent) => world[parent] * local,
                None => local,
            };
        }
        world
    }

    /// posed_from_rest of every joint, `M_i = T_i T̄_i⁻¹`: what skinning blends.
    pub fn skinning_matrices(&self, skeleton: &Skeleton) -> Vec<Mat4> {
        let world = self.world(skeleton);
        let pairs = world.iter().zip(skeleton.joint_from_rest());
        pairs
            .map(|(world_from_joint, joint_from_rest)| to_mat4(&(*world_from_joint * *joint_from_rest)))
            .collect()
    }

    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self, skeleton: &Skeleton) {
        assert_eq!(self.parent_from_joint.len(), skeleton.joints().len(), "one transform per joint");
        for (joint, local) in self.parent_from_joint.iter().enumerate() {
            assert!(local.is_finite(), "joint {joint} has a transform that is not a number");
        }
    }
}

fn to_mat4(affine: &DAffine3) -> Mat4 {
    glam::DMat4::from(*affine).as_mat4()
}
