//! Names of joints, as engines and tools know them.

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
    /// `leftUpperArm`: VRM 1.0, and Unity's humanoid in other case.
    Vrm,
    /// `upperarm_l`: the mannequin of Unreal Engine.
    Unreal,
    /// `DEF-upper_arm.L`: the deforming bones of Rigify.
    Rigify,
}

/// One row: label, Mixamo, VRM, Unreal, Rigify. `L` and `R` stand for the sides.
type Row = [&'static str; 5];

/// Joints of the middle.
const MIDDLE: [Row; 6] = [
    ["hips", "Hips", "hips", "pelvis", "DEF-spine"],
    ["spine", "Spine", "spine", "spine_01", "DEF-spine.001"],
    ["chest", "Spine1", "chest", "spine_02", "DEF-spine.002"],
    ["upper_chest", "Spine2", "upperChest", "spine_03", "DEF-spine.003"],
    ["neck", "Neck", "neck", "neck_01", "DEF-spine.004"],
    ["head", "Head", "head", "head", "DEF-spine.006"],
];

/// Joints of a side, without the side.
const SIDE: [Row; 8] = [
    ["shoulder", "Shoulder", "Shoulder", "clavicle", "DEF-shoulder"],
    ["upper_arm", "Arm", "UpperArm", "upperarm", "DEF-upper_arm"],
    ["forearm", "ForeArm", "LowerArm", "lowerarm", "DEF-forearm"],
    ["hand", "Hand", "Hand", "hand", "DEF-hand"],
    ["thigh", "UpLeg", "UpperLeg", "thigh", "DEF-thigh"],
    ["shin", "Leg", "LowerLeg", "calf", "DEF-shin"],
    ["foot", "Foot", "Foot", "foot", "DEF-foot"],
    ["toe", "ToeBase", "Toes", "ball", "DEF-toe"],
];

impl Names {
    /// All conventions with the word that chooses them.
    pub const ALL: [(&'static str, Self); 5] = [
        ("plain", Self::Plain),
        ("mixamo", Self::Mixamo),
        ("vrm", Self::Vrm),
        ("unreal", Self::Unreal),
        ("rigify", Self::Rigify),
    ];

    /// The name of the joint with a label. Labels that a convention does not know stay.
    pub fn name(self, label: &str) -> String {
        let column = self as usize;
        if let Some(row) = MIDDLE.iter().find(|row| row[0] == label) {
            return if self == Self::Mixamo {
                format!("mixamorig:{}", row[1])
            } else {
                row[column].to_owned()
            };
        }
        let Some((part, side)) = label.rsplit_once('.') else { return label.to_owned() };
        let Some(row) = SIDE.iter().find(|row| row[0] == part) else { return label.to_owned() };
        let is_left = side == "L";
        match self {
            Self::Plain | Self::Rigify => format!("{}.{side}", row[column]),
            Self::Mixamo => format!("mixamorig:{}{}", if is_left { "Left" } else { "Right" }, row[1]),
            Self::Vrm => format!("{}{}", if is_left { "left" } else { "right" }, row[2]),
            Self::Unreal => format!("{}_{}", row[3], if is_left { "l" } else { "r" }),
        }
    }

    /// The convention that a word chooses.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, names)| *names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_name_the_left_upper_arm_as_their_engines_do() {
        let named = Names::ALL.map(|(_, names)| names.name("upper_arm.L"));
        let known = ["upper_arm.L", "mixamorig:LeftArm", "leftUpperArm", "upperarm_l", "DEF-upper_arm.L"];
        assert_eq!(named, known);
        assert_eq!(Names::Mixamo.name("chest"), "mixamorig:Spine1");
        assert_eq!(Names::Unreal.name("tail_tip"), "tail_tip");
    }
}
