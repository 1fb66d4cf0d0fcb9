//! Poses: a transform per joint relative to its parent.

use glam::{DAffine3, DQuat, Mat4};

use super::Skeleton;

/// One transform per joint: parent_from_joint (world_from_joint for a root).
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// In the order of the joints. These are matrices because rest frames of real files contain
    /// scale and shear.
    pub parent_from_joint: Vec<DAffine3>,
}

impl Pose {
    /// The rest pose, in which skinning is the identity.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let parent_from_joint = (0..skeleton.joints().len()).map(|j| skeleton.rest_local(j)).collect();
        Self { parent_from_joint }
    }

    /// Rotates one joint about its head, in its own frame, after its current transform.
    pub fn rotate(&mut self, joint: usize, rotation: DQuat) {
        let rotated = self.parent_from_joint[joint] * DAffine3::from_quat(rotation);
        self.parent_from_joint[joint] = rotated;
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

    /// posed_from_rest of every joint, `M_i = T_i T̄_i⁻¹`: the skinning transforms.
    pub fn skinning_matrices(&self, skeleton: &Skeleton) -> Vec<Mat4> {
        let world = self.world(skeleton);
        let pairs = world.iter().zip(skeleton.joint_from_rest());
        pairs
            .map(|(world_from_joint, joint_from_rest)| to_mat4(&(*world_from_joint * *joint_from_rest)))
            .collect()
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, skeleton: &Skeleton) {
        assert_eq!(self.parent_from_joint.len(), skeleton.joints().len(), "one transform per joint");
        for (joint, local) in self.parent_from_joint.iter().enumerate() {
            assert!(local.is_finite(), "joint {joint} has a transform that is not finite");
        }
    }
}

fn to_mat4(affine: &DAffine3) -> Mat4 {
    glam::DMat4::from(*affine).as_mat4()
}
