//! The standard bones of a human body, and the avatar format that names them.
//!
//! Avatars and motions from different programs name their joints differently. VRM maps joints to a
//! fixed set of bones, so that a motion of one body fits another. Names are those of VRM 1.0.

use serde::{Deserialize, Serialize};

/// Declares the bones with their names.
macro_rules! human_bones {
    ($($bone:ident = $name:literal),* $(,)?) => {
        /// A standard bone of a human body.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(into = "u8", try_from = "u8")]
        pub enum HumanBone {
            $(#[doc = concat!("`", $name, "`.")] $bone,)*
        }

        impl HumanBone {
            /// Every bone: body, head, legs, arms, fingers.
            pub const ALL: &[Self] = &[$(Self::$bone),*];

            /// The name in VRM 1.0.
            pub fn name(self) -> &'static str {
                const NAMES: &[&str] = &[$($name),*];
                NAMES[self as usize]
            }
        }
    };
}

human_bones! {
    Hips = "hips",
    Spine = "spine",
    Chest = "chest",
    UpperChest = "upperChest",
    Neck = "neck",
    Head = "head",
    LeftEye = "leftEye",
    RightEye = "rightEye",
    Jaw = "jaw",
    LeftUpperLeg = "leftUpperLeg",
    LeftLowerLeg = "leftLowerLeg",
    LeftFoot = "leftFoot",
    LeftToes = "leftToes",
    RightUpperLeg = "rightUpperLeg",
    RightLowerLeg = "rightLowerLeg",
    RightFoot = "rightFoot",
    RightToes = "rightToes",
    LeftShoulder = "leftShoulder",
    LeftUpperArm = "leftUpperArm",
    LeftLowerArm = "leftLowerArm",
    LeftHand = "leftHand",
    RightShoulder = "rightShoulder",
    RightUpperArm = "rightUpperArm",
    RightLowerArm = "rightLowerArm",
    RightHand = "rightHand",
    LeftThumbMetacarpal = "leftThumbMetacarpal",
    LeftThumbProximal = "leftThumbProximal",
    LeftThumbDistal = "leftThumbDistal",
    LeftIndexProximal = "leftIndexProximal",
    LeftIndexIntermediate = "leftIndexIntermediate",
    LeftIndexDistal = "leftIndexDistal",
    LeftMiddleProximal = "leftMiddleProximal",
    LeftMiddleIntermediate = "leftMiddleIntermediate",
    LeftMiddleDistal = "leftMiddleDistal",
    LeftRingProximal = "leftRingProximal",
    LeftRingIntermediate = "leftRingIntermediate",
    LeftRingDistal = "leftRingDistal",
    LeftLittleProximal = "leftLittleProximal",
    LeftLittleIntermediate = "leftLittleIntermediate",
    LeftLittleDistal = "leftLittleDistal",
    RightThumbMetacarpal = "rightThumbMetacarpal",
    RightThumbProximal = "rightThumbProximal",
    RightThumbDistal = "rightThumbDistal",
    RightIndexProximal = "rightIndexProximal",
    RightIndexIntermediate = "rightIndexIntermediate",
    RightIndexDistal = "rightIndexDistal",
    RightMiddleProximal = "rightMiddleProximal",
    RightMiddleIntermediate = "rightMiddleIntermediate",
    RightMiddleDistal = "rightMiddleDistal",
    RightRingProximal = "rightRingProximal",
    RightRingIntermediate = "rightRingIntermediate",
    RightRingDistal = "rightRingDistal",
    RightLittleProximal = "rightLittleProximal",
    RightLittleIntermediate = "rightLittleIntermediate",
    RightLittleDistal = "rightLittleDistal",
}

impl HumanBone {
    /// The bones that every VRM avatar has.
    pub const REQUIRED: [Self; 15] = [
        Self::Hips,
        Self::Spine,
        Self::Head,
        Self::LeftUpperLeg,
        Self::LeftLowerLeg,
        Self::LeftFoot,
        Self::RightUpperLeg,
        Self::RightLowerLeg,
        Self::RightFoot,
        Self::LeftUpperArm,
        Self::LeftLowerArm,
        Self::LeftHand,
        Self::RightUpperArm,
        Self::RightLowerArm,
        Self::RightHand,
    ];

    /// The bone with a name of VRM 1.0.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|bone| bone.name() == name)
    }

    /// The bone with a name of VRM 0.x, which counts the bones of a thumb from the wrist: its
    /// proximal bone is the metacarpal, and its intermediate bone the proximal one.
    pub fn from_name_0(name: &str) -> Option<Self> {
        match name {
            "leftThumbProximal" => Some(Self::LeftThumbMetacarpal),
            "leftThumbIntermediate" => Some(Self::LeftThumbProximal),
            "rightThumbProximal" => Some(Self::RightThumbMetacarpal),
            "rightThumbIntermediate" => Some(Self::RightThumbProximal),
            "leftThumbMetacarpal" | "rightThumbMetacarpal" => None,
            _ => Self::from_name(name),
        }
    }
}

impl From<HumanBone> for u8 {
    fn from(bone: HumanBone) -> Self {
        bone as Self
    }
}

impl TryFrom<u8> for HumanBone {
    type Error = &'static str;

    fn try_from(index: u8) -> Result<Self, Self::Error> {
        Self::ALL.get(usize::from(index)).copied().ok_or("there is no such human bone")
    }
}

/// The version of a VRM avatar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Vrm {
    /// 0.x. The avatar looks along −Z.
    V0,
    /// 1.0. The avatar looks along +Z, as glTF demands.
    V1,
}

impl Vrm {
    /// The version for people.
    pub fn version(self) -> &'static str {
        match self {
            Self::V0 => "0.x",
            Self::V1 => "1.0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bone_is_found_by_its_name_and_number() {
        assert_eq!(HumanBone::ALL.len(), 55);
        for &bone in HumanBone::ALL {
            assert_eq!(HumanBone::from_name(bone.name()), Some(bone));
            assert_eq!(HumanBone::try_from(u8::from(bone)), Ok(bone));
        }
        assert!(HumanBone::try_from(55).is_err());
        assert_eq!(HumanBone::from_name("tail"), None);
    }

    #[test]
    fn thumbs_of_version_0_are_renamed() {
        let name = |old| HumanBone::from_name_0(old).map(HumanBone::name);
        assert_eq!(name("leftThumbProximal"), Some("leftThumbMetacarpal"));
        assert_eq!(name("rightThumbIntermediate"), Some("rightThumbProximal"));
        assert_eq!(name("leftThumbDistal"), Some("leftThumbDistal"));
        assert_eq!(name("leftThumbMetacarpal"), None);
        // Every other bone has the same name; two thumbs have no name of their own in 1.0.
        let named = HumanBone::ALL.iter().filter(|bone| HumanBone::from_name_0(bone.name()).is_some());
        assert_eq!(named.count(), 53);
    }
}
