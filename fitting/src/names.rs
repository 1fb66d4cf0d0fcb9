//! Names of joints, as engines and tools know them.
//!
//! Input: a label of this crate: `hips`, `upper_arm.L`, `index_2.R`. Output: its name in a
//! convention. Labels that a convention does not know (tails, wings, legs of animals) stay.

use serde::{Deserialize, Serialize};

/// A convention for the names of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// `upper_arm.L`: the labels of this crate, as in Blender.
    #[default]
    Plain,
    /// `mixamorig:LeftArm`.
    Mixamo,
    /// `leftUpperArm`: VRM 1.0.
    Vrm,
    /// `LeftUpperArm`: the bones of Unity's humanoid, which counts the joints of a thumb like those
    /// of the other fingers.
    Unity,
    /// `upperarm_l`: the mannequin of Unreal Engine.
    Unreal,
    /// `DEF-upper_arm.L`: the deforming bones of Rigify.
    Rigify,
}

/// One row: label, Mixamo, VRM, Unreal, Rigify.
type Row = [&'static str; 5];

/// Joints of the middle.
const MIDDLE: [Row; 6] = [
    ["hips", "Hips", "Hips", "pelvis", "spine"],
    ["spine", "Spine", "Spine", "spine_01", "spine.001"],
    ["chest", "Spine1", "Chest", "spine_02", "spine.002"],
    ["upper_chest", "Spine2", "UpperChest", "spine_03", "spine.003"],
    ["neck", "Neck", "Neck", "neck_01", "spine.004"],
    ["head", "Head", "Head", "head", "spine.006"],
];

/// Joints of a side, without the side.
const SIDE: [Row; 8] = [
    ["shoulder", "Shoulder", "Shoulder", "clavicle", "shoulder"],
    ["upper_arm", "Arm", "UpperArm", "upperarm", "upper_arm"],
    ["forearm", "ForeArm", "LowerArm", "lowerarm", "forearm"],
    ["hand", "Hand", "Hand", "hand", "hand"],
    ["thigh", "UpLeg", "UpperLeg", "thigh", "thigh"],
    ["shin", "Leg", "LowerLeg", "calf", "shin"],
    ["foot", "Foot", "Foot", "foot", "foot"],
    ["toe", "ToeBase", "Toes", "ball", "toe"],
];

/// Fingers of a side. Their joints are counted from the palm: `thumb_1.L`.
const FINGERS: [Row; 5] = [
    ["thumb", "Thumb", "Thumb", "thumb", "thumb"],
    ["index", "Index", "Index", "index", "f_index"],
    ["middle", "Middle", "Middle", "middle", "f_middle"],
    ["ring", "Ring", "Ring", "ring", "f_ring"],
    ["little", "Pinky", "Little", "pinky", "f_pinky"],
];

/// The joints of a finger in VRM and Unity.
const FINGER_JOINTS: [&str; 3] = ["Proximal", "Intermediate", "Distal"];

/// The joints of a thumb in VRM 1.0.
const THUMB_JOINTS: [&str; 3] = ["Metacarpal", "Proximal", "Distal"];

/// A label, taken apart.
#[derive(Clone, Copy)]
struct Parts {
    row: &'static Row,
    /// Whether it is on the left; `None` in the middle.
    is_left: Option<bool>,
    /// The joint of a finger, from 0.
    joint: Option<usize>,
}

impl Parts {
    fn of(label: &str) -> Option<Self> {
        let find = |rows: &'static [Row], part: &str| rows.iter().find(|row| row[0] == part);
        let Some((part, side)) = label.rsplit_once('.') else {
            return Some(Self { row: find(&MIDDLE, label)?, is_left: None, joint: None });
        };
        let is_left = match side {
            "L" => Some(true),
            "R" => Some(false),
            _ => return None,
        };
        if let Some(row) = find(&SIDE, part) {
            return Some(Self { row, is_left, joint: None });
        }
        let (finger, number) = part.rsplit_once('_')?;
        let joint = match number {
            "1" => Some(0),
            "2" => Some(1),
            "3" => Some(2),
            _ => return None,
        };
        Some(Self { row: find(&FINGERS, finger)?, is_left, joint })
    }

    fn is_thumb(self) -> bool {
        self.row[0] == FINGERS[0][0]
    }

    /// The word for the side.
    fn side(self, left: &'static str, right: &'static str) -> &'static str {
        self.is_left.map_or("", |is_left| if is_left { left } else { right })
    }

    fn mixamo(self) -> String {
        let side = self.side("Left", "Right");
        match self.joint {
            Some(joint) => format!("mixamorig:{side}Hand{}{}", self.row[1], joint + 1),
            None => format!("mixamorig:{side}{}", self.row[1]),
        }
    }

    /// In Pascal case. `thumb` names the joints of thumbs.
    fn humanoid(self, thumb: &[&str; 3]) -> String {
        let joints = if self.is_thumb() { thumb } else { &FINGER_JOINTS };
        let joint = self.joint.map_or("", |joint| joints[joint]);
        format!("{}{}{joint}", self.side("Left", "Right"), self.row[2])
    }

    fn vrm(self) -> String {
        let name = self.humanoid(&THUMB_JOINTS);
        let (first, rest) = name.split_at(1);
        format!("{}{rest}", first.to_ascii_lowercase())
    }

    fn unreal(self) -> String {
        let number = self.joint.map_or(String::new(), |joint| format!("_0{}", joint + 1));
        format!("{}{number}{}", self.row[3], self.side("_l", "_r"))
    }

    fn rigify(self) -> String {
        let number = self.joint.map_or(String::new(), |joint| format!(".0{}", joint + 1));
        format!("DEF-{}{number}{}", self.row[4], self.side(".L", ".R"))
    }
}

impl Names {
    /// All conventions with the word that chooses them.
    pub const ALL: [(&'static str, Self); 6] = [
        ("plain", Self::Plain),
        ("mixamo", Self::Mixamo),
        ("vrm", Self::Vrm),
        ("unity", Self::Unity),
        ("unreal", Self::Unreal),
        ("rigify", Self::Rigify),
    ];

    /// The name of the joint with a label. Labels that a convention does not know stay.
    pub fn name(self, label: &str) -> String {
        let Some(parts) = Parts::of(label) else { return label.to_owned() };
        match self {
            Self::Plain => label.to_owned(),
            Self::Mixamo => parts.mixamo(),
            Self::Vrm => parts.vrm(),
            Self::Unity => parts.humanoid(&FINGER_JOINTS),
            Self::Unreal => parts.unreal(),
            Self::Rigify => parts.rigify(),
        }
    }

    /// The convention that a word chooses.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, names)| *names)
    }
}

/// The standard bone of VRM 1.0 that a label of a humanoid stands for, if any.
pub fn human_bone(label: &str) -> Option<String> {
    Parts::of(label).map(Parts::vrm)
}

/// All labels that stand for a standard bone.
pub fn human_labels() -> Vec<String> {
    let mut labels: Vec<String> = MIDDLE.iter().map(|row| row[0].to_owned()).collect();
    for side in ["L", "R"] {
        labels.extend(SIDE.iter().map(|row| format!("{}.{side}", row[0])));
        for row in &FINGERS {
            labels.extend((1..=FINGER_JOINTS.len()).map(|joint| format!("{}_{joint}.{side}", row[0])));
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn named(label: &str) -> [String; 6] {
        Names::ALL.map(|(_, names)| names.name(label))
    }

    #[test]
    fn conventions_name_joints_as_their_engines_do() {
        assert_eq!(
            named("upper_arm.L"),
            [
                "upper_arm.L",
                "mixamorig:LeftArm",
                "leftUpperArm",
                "LeftUpperArm",
                "upperarm_l",
                "DEF-upper_arm.L"
            ]
        );
        assert_eq!(
            named("upper_chest"),
            ["upper_chest", "mixamorig:Spine2", "upperChest", "UpperChest", "spine_03", "DEF-spine.003"]
        );
    }

    #[test]
    fn conventions_name_fingers_as_their_engines_do() {
        assert_eq!(
            named("thumb_1.L"),
            [
                "thumb_1.L",
                "mixamorig:LeftHandThumb1",
                "leftThumbMetacarpal",
                "LeftThumbProximal",
                "thumb_01_l",
                "DEF-thumb.01.L"
            ]
        );
        assert_eq!(
            named("little_3.R"),
            [
                "little_3.R",
                "mixamorig:RightHandPinky3",
                "rightLittleDistal",
                "RightLittleDistal",
                "pinky_03_r",
                "DEF-f_pinky.03.R"
            ]
        );
    }

    #[test]
    fn labels_of_animals_stay_and_are_no_standard_bones() {
        for label in ["tail_tip", "front_leg_top.L", "index_4.L", "upper_arm.M", "hips.L"] {
            assert_eq!(named(label), [label; 6]);
            assert_eq!(human_bone(label), None);
        }
    }

    #[test]
    fn no_convention_gives_two_joints_one_name() {
        let labels = human_labels();
        for (word, names) in Names::ALL {
            let distinct: BTreeSet<String> = labels.iter().map(|label| names.name(label)).collect();
            assert_eq!(distinct.len(), labels.len(), "{word}");
            assert_eq!(Names::from_word(word), Some(names));
        }
    }
}
