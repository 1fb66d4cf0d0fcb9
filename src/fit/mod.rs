//! Fits a skeleton to a mesh that it was not made for.
//!
//! Input: a skeleton with its clips, and either the target mesh or new positions of joints. Output:
//! the same joints at other positions, with their clips. Rotations of rest frames do not change.
//! Skeletons for bare meshes are fitted by the crate `pliant-fitting`; what such a skeleton needs
//! afterwards is here: a clip that moves it, and its T-pose.

mod body_axes;
mod mirror;
mod move_joints;
mod range_of_motion;
mod t_pose;
mod template;

pub use mirror::{mirrored, other_sides, reflected};
pub use move_joints::move_joints;
pub use range_of_motion::range_of_motion;
pub use t_pose::t_pose;
pub use template::fit;

#[cfg(test)]
mod tests {
    use crate::model::HumanBone;

    /// The standard bone of a joint of the mannequin.
    pub(super) fn standard_bone(name: &str) -> Option<HumanBone> {
        let (part, side) = name.rsplit_once('.').unwrap_or((name, ""));
        let part = match part {
            "upper_arm" => "UpperArm",
            "forearm" => "LowerArm",
            "hand" => "Hand",
            "shoulder" => "Shoulder",
            "thigh" => "UpperLeg",
            "shin" => "LowerLeg",
            "foot" => "Foot",
            "toe" => "Toes",
            middle => return HumanBone::from_name(middle),
        };
        HumanBone::from_name(&format!("{}{part}", if side == "L" { "left" } else { "right" }))
    }
}
