//! The standard bones of a human body, with the names and the order of VRM 1.0.

use serde::{Deserialize, Serialize};

/// Declares the bones with their names.
macro_rules! bones {
    ($($bone:ident = $name:literal),* $(,)?) => {
        /// A standard bone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(into = "u8", try_from = "u8")]
        pub enum Bone {
            $(#[doc = concat!("`", $name, "`.")] $bone,)*
        }

        impl Bone {
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

bones! {
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

/// The bones of one side of the body.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// 1 on the left, −1 on the right.
    pub sign: f64,
    /// Clavicle.
    pub shoulder: Bone,
    /// Upper arm.
    pub upper_arm: Bone,
    /// Forearm.
    pub lower_arm: Bone,
    /// Hand.
    pub hand: Bone,
    /// Thigh.
    pub upper_leg: Bone,
    /// Shin.
    pub lower_leg: Bone,
    /// Foot.
    pub foot: Bone,
    /// Ball of the foot.
    pub toes: Bone,
    /// The first joint of the thumb; those of all fingers follow in order, three each.
    pub first_finger: Bone,
}

/// The number of joints of a finger.
pub const FINGER_JOINTS: usize = 3;

/// The number of fingers of a hand.
pub const FINGERS: usize = 5;

/// Left and right.
pub const SIDES: [Side; 2] = [
    Side {
        sign: 1.0,
        shoulder: Bone::LeftShoulder,
        upper_arm: Bone::LeftUpperArm,
        lower_arm: Bone::LeftLowerArm,
        hand: Bone::LeftHand,
        upper_leg: Bone::LeftUpperLeg,
        lower_leg: Bone::LeftLowerLeg,
        foot: Bone::LeftFoot,
        toes: Bone::LeftToes,
        first_finger: Bone::LeftThumbMetacarpal,
    },
    Side {
        sign: -1.0,
        shoulder: Bone::RightShoulder,
        upper_arm: Bone::RightUpperArm,
        lower_arm: Bone::RightLowerArm,
        hand: Bone::RightHand,
        upper_leg: Bone::RightUpperLeg,
        lower_leg: Bone::RightLowerLeg,
        foot: Bone::RightFoot,
        toes: Bone::RightToes,
        first_finger: Bone::RightThumbMetacarpal,
    },
];

impl Side {
    /// A joint of a finger, both counted from 0: thumb to little finger, palm to tip.
    pub fn finger(&self, finger: usize, joint: usize) -> Bone {
        Bone::ALL[self.first_finger as usize + FINGER_JOINTS * finger + joint]
    }
}

impl Bone {
    /// The number of bones.
    pub const COUNT: usize = Self::ALL.len();

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

    /// The bones of the trunk between hips and neck.
    pub const TRUNK: [Self; 3] = [Self::Spine, Self::Chest, Self::UpperChest];

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

    /// The bone that it hangs from in a body that has all bones.
    pub fn parent(self) -> Option<Self> {
        let body = match self {
            Self::Hips => return None,
            Self::Spine => Self::Hips,
            Self::Chest => Self::Spine,
            Self::UpperChest => Self::Chest,
            Self::Neck => Self::UpperChest,
            Self::Head => Self::Neck,
            Self::LeftEye | Self::RightEye | Self::Jaw => Self::Head,
            _ => {
                return SIDES.iter().find_map(|side| side.parent(self));
            }
        };
        Some(body)
    }

    /// The same bone of the other side; a bone of the middle itself.
    pub fn mirrored(self) -> Self {
        let name = self.name();
        let other = if let Some(rest) = name.strip_prefix("left") {
            format!("right{rest}")
        } else if let Some(rest) = name.strip_prefix("right") {
            format!("left{rest}")
        } else {
            return self;
        };
        Self::from_name(&other).unwrap_or(self)
    }

    /// Whether it belongs to a finger.
    pub fn is_finger(self) -> bool {
        self >= Self::LeftThumbMetacarpal
    }
}

impl Side {
    fn parent(&self, bone: Bone) -> Option<Bone> {
        let chain = [
            (self.upper_leg, Bone::Hips),
            (self.lower_leg, self.upper_leg),
            (self.foot, self.lower_leg),
            (self.toes, self.foot),
            (self.shoulder, Bone::UpperChest),
            (self.upper_arm, self.shoulder),
            (self.lower_arm, self.upper_arm),
            (self.hand, self.lower_arm),
        ];
        if let Some((_, parent)) = chain.iter().find(|(child, _)| *child == bone) {
            return Some(*parent);
        }
        let index = (bone as usize).checked_sub(self.first_finger as usize)?;
        if index >= FINGERS * FINGER_JOINTS {
            return None;
        }
        Some(if index % FINGER_JOINTS == 0 { self.hand } else { Bone::ALL[bone as usize - 1] })
    }
}

impl From<Bone> for u8 {
    fn from(bone: Bone) -> Self {
        bone as Self
    }
}

impl TryFrom<u8> for Bone {
    type Error = &'static str;

    fn try_from(index: u8) -> Result<Self, Self::Error> {
        Self::ALL.get(usize::from(index)).copied().ok_or("there is no such human bone")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bone_but_the_hips_hangs_from_another() {
        for &bone in Bone::ALL {
            assert_eq!(bone.parent().is_none(), bone == Bone::Hips, "{bone:?}");
            assert_eq!(bone.mirrored().mirrored(), bone);
            assert_eq!(Bone::from_name(bone.name()), Some(bone));
        }
        assert_eq!(SIDES[1].finger(4, 2), Bone::RightLittleDistal);
        assert_eq!(Bone::RightLittleProximal.parent(), Some(Bone::RightHand));
        assert_eq!(Bone::LeftThumbDistal.parent(), Some(Bone::LeftThumbProximal));
    }

    #[test]
    fn thumbs_of_version_0_are_renamed() {
        let name = |old| Bone::from_name_0(old).map(Bone::name);
        assert_eq!(name("leftThumbProximal"), Some("leftThumbMetacarpal"));
        assert_eq!(name("rightThumbIntermediate"), Some("rightThumbProximal"));
        assert_eq!(name("leftThumbDistal"), Some("leftThumbDistal"));
        assert_eq!(name("leftThumbMetacarpal"), None);
        // Every other bone has the same name; two thumbs have no name of their own in 1.0.
        let named = Bone::ALL.iter().filter(|bone| Bone::from_name_0(bone.name()).is_some());
        assert_eq!(named.count(), 53);
    }
}
