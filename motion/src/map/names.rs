//! What the name of a joint says: side, part of the body, numbers.
//!
//! Conventions differ in separators, cases, prefixes, and in where the side stands: `LeftUpLeg`,
//! `J_Bip_L_UpperLeg`, `thigh_l`, `DEF-thigh.L`, `Bip01 L Thigh`, `upperleg01.L`, `lfemur`,
//! `lThighBend`. A name is split into words and numbers. The side is taken out, and the remaining
//! words are searched for the names of parts.

/// A part of the body, without its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Pelvis.
    Hips,
    /// Any joint of the trunk.
    Trunk,
    /// Neck.
    Neck,
    /// Head.
    Head,
    /// Eye.
    Eye,
    /// Jaw.
    Jaw,
    /// Clavicle.
    Shoulder,
    /// Upper arm.
    UpperArm,
    /// Forearm.
    LowerArm,
    /// Hand.
    Hand,
    /// Thigh.
    UpperLeg,
    /// Shin.
    LowerLeg,
    /// Foot.
    Foot,
    /// Ball of the foot.
    Toes,
    /// Any joint of a finger, from the thumb.
    Finger(usize),
    /// An arm, which part of it is not said.
    Arm,
    /// A leg, which part of it is not said.
    Leg,
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedSide {
    /// Left.
    Left,
    /// Right.
    Right,
}

/// What a name says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The part, if it is known.
    pub part: Option<Part>,
    /// The side, if there is one.
    pub side: Option<NamedSide>,
    /// Whether it is a twist or roll joint of the part.
    pub is_twist: bool,
    /// Whether it is an end, a control or an accessory, not a part.
    pub is_extra: bool,
}

/// Words of joints that are not parts of the body themselves.
const EXTRA: [&str; 44] = [
    "ik",
    "fk",
    "pole",
    "target",
    "ctrl",
    "control",
    "end",
    "nub",
    "tip",
    "leaf",
    "effector",
    "site",
    "helper",
    "prop",
    "weapon",
    "attach",
    "socket",
    "dummy",
    "breast",
    "hair",
    "skirt",
    "ear",
    "ears",
    "lid",
    "eyelid",
    "brow",
    "eyebrow",
    "lash",
    "tongue",
    "teeth",
    "lip",
    "cheek",
    "nose",
    "tail",
    "wing",
    "metacarpal",
    "carpal",
    "muscle",
    "bust",
    "cloth",
    "cape",
    "scarf",
    "butt",
    "special",
];

/// Words of joints that only twist.
const TWIST: [&str; 4] = ["twist", "roll", "twst", "foretwist"];

/// Names of parts, in the order in which they are searched for. Longer ones come before those that
/// they contain.
const PARTS: [(&str, Part); 59] = [
    ("thumb", Part::Finger(0)),
    ("index", Part::Finger(1)),
    ("pointer", Part::Finger(1)),
    ("middle", Part::Finger(2)),
    ("ring", Part::Finger(3)),
    ("pinky", Part::Finger(4)),
    ("pinkie", Part::Finger(4)),
    ("little", Part::Finger(4)),
    ("hipjoint", Part::Leg),
    ("upleg", Part::UpperLeg),
    ("upperleg", Part::UpperLeg),
    ("legupper", Part::UpperLeg),
    ("thigh", Part::UpperLeg),
    ("femur", Part::UpperLeg),
    ("lowerleg", Part::LowerLeg),
    ("lowleg", Part::LowerLeg),
    ("leglower", Part::LowerLeg),
    ("calf", Part::LowerLeg),
    ("shin", Part::LowerLeg),
    ("tibia", Part::LowerLeg),
    ("knee", Part::LowerLeg),
    ("toe", Part::Toes),
    ("ball", Part::Toes),
    ("foot", Part::Foot),
    ("ankle", Part::Foot),
    ("upperarm", Part::UpperArm),
    ("uparm", Part::UpperArm),
    ("armupper", Part::UpperArm),
    ("shldr", Part::UpperArm),
    ("humerus", Part::UpperArm),
    ("forearm", Part::LowerArm),
    ("lowerarm", Part::LowerArm),
    ("lowarm", Part::LowerArm),
    ("armlower", Part::LowerArm),
    ("elbow", Part::LowerArm),
    ("radius", Part::LowerArm),
    ("ulna", Part::LowerArm),
    ("shoulder", Part::Shoulder),
    ("clavicle", Part::Shoulder),
    ("collar", Part::Shoulder),
    ("hand", Part::Hand),
    ("wrist", Part::Hand),
    ("palm", Part::Hand),
    ("leg", Part::Leg),
    ("arm", Part::Arm),
    ("pelvis", Part::Hips),
    ("hip", Part::Hips),
    ("neck", Part::Neck),
    ("head", Part::Head),
    ("skull", Part::Head),
    ("eye", Part::Eye),
    ("jaw", Part::Jaw),
    ("spine", Part::Trunk),
    ("chest", Part::Trunk),
    ("torso", Part::Trunk),
    ("abdomen", Part::Trunk),
    ("back", Part::Trunk),
    ("thorax", Part::Trunk),
    ("waist", Part::Trunk),
];

/// Reads a name.
pub fn meaning(name: &str) -> Meaning {
    let (mut words, numbers) = words(name);
    let side = take_side(&mut words);
    let is_twist = words.iter().any(|word| TWIST.contains(&word.as_str()));
    let is_extra = words.iter().any(|word| EXTRA.contains(&word.as_str()))
        || words.last().is_some_and(|word| word.len() > 3 && word.ends_with("nub"))
        // Joints that only connect, in motions of MakeHuman.
        || name.starts_with("__");
    let joined = words.concat();
    let mut part = PARTS.iter().find(|(known, _)| joined.contains(known)).map(|(_, part)| *part);
    // "finger" with a number: `Finger0` of Biped is the thumb, `finger1-1` of MakeHuman too.
    if part.is_none() && joined.contains("finger") {
        part = numbers.first().and_then(|digits| {
            let first = digits.bytes().next()? - b'0';
            let counts_from_one = numbers.len() > 1;
            let finger = usize::from(first).checked_sub(usize::from(counts_from_one))?;
            (finger < 5).then_some(Part::Finger(finger))
        });
    }
    // A joint of the upper chest is no chest pocket; a hip with a side is the root of a leg.
    if part == Some(Part::Hips) && side.is_some() {
        part = Some(Part::Leg);
    }
    Meaning { part, side, is_twist, is_extra }
}

/// Lower-case words and numbers of a name, split at separators, at camel-case boundaries and
/// between letters and digits. What stands before the last colon is a namespace.
fn words(name: &str) -> (Vec<String>, Vec<String>) {
    let name = name.rsplit(':').next().unwrap_or(name);
    let bytes = name.as_bytes();
    let (mut words, mut numbers) = (vec![String::new()], vec![String::new()]);
    for (i, &byte) in bytes.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| bytes[i]);
        let after = bytes.get(i + 1);
        let starts_word = byte.is_ascii_uppercase()
            && (before.is_some_and(|b| b.is_ascii_lowercase())
                || (before.is_some_and(|b| b.is_ascii_uppercase())
                    && after.is_some_and(u8::is_ascii_lowercase)));
        if !byte.is_ascii_alphabetic() || starts_word {
            words.push(String::new());
        }
        if byte.is_ascii_alphabetic() {
            words.last_mut().into_iter().for_each(|word| word.push(byte.to_ascii_lowercase() as char));
        }
        if byte.is_ascii_digit() {
            numbers.last_mut().into_iter().for_each(|number| number.push(byte as char));
        } else {
            numbers.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    numbers.retain(|number| !number.is_empty());
    // `mixamorig1Hips` and `Bip01` have digits in their prefixes.
    if words.first().is_some_and(|word| word.starts_with("mixamo") || word.starts_with("bip"))
        && words.len() > 1
    {
        words.remove(0);
        if numbers.len() > 1 {
            numbers.remove(0);
        }
    }
    (words, numbers)
}

/// Removes the side from the words.
fn take_side(words: &mut Vec<String>) -> Option<NamedSide> {
    use NamedSide::{Left, Right};
    let whole = |word: &str| match word {
        "l" | "left" | "lft" | "lt" | "leftt" => Some(Left),
        "r" | "right" | "rgt" | "rt" | "righ" => Some(Right),
        _ => None,
    };
    if let Some((at, side)) = words.iter().enumerate().find_map(|(at, word)| Some((at, whole(word)?))) {
        words.remove(at);
        return Some(side);
    }
    // Glued to the part: `leftarm`, `lefttHand`, `lfemur`, `rhand`, `thighl`.
    for word in words.iter_mut() {
        for (start, side) in [("left", Left), ("right", Right)] {
            if let Some(rest) = word.strip_prefix(start) {
                *word = rest.to_owned();
                return Some(side);
            }
            if let Some(rest) = word.strip_suffix(start) {
                *word = rest.to_owned();
                return Some(side);
            }
        }
        for (letter, side) in [('l', Left), ('r', Right)] {
            let is_part =
                |rest: &str| rest.len() > 2 && PARTS.iter().any(|(known, _)| rest.starts_with(known));
            if let Some(rest) = word.strip_prefix(letter).filter(|rest| is_part(rest)) {
                *word = rest.to_owned();
                return Some(side);
            }
            let is_whole =
                |rest: &str| PARTS.iter().any(|(known, part)| rest == *known && *part != Part::Trunk);
            if let Some(rest) = word.strip_suffix(letter).filter(|rest| is_whole(rest)) {
                *word = rest.to_owned();
                return Some(side);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use NamedSide::{Left, Right};

    #[test]
    fn names_of_all_conventions_are_read() {
        let known = [
            ("mixamorig:LeftUpLeg", Part::UpperLeg, Some(Left)),
            ("mixamorig1RightForeArm", Part::LowerArm, Some(Right)),
            ("mixamorig:RightHandThumb1", Part::Finger(0), Some(Right)),
            ("J_Bip_L_UpperArm", Part::UpperArm, Some(Left)),
            ("J_Bip_C_Hips", Part::Hips, None),
            ("upperarm_l", Part::UpperArm, Some(Left)),
            ("ball_r", Part::Toes, Some(Right)),
            ("DEF-shin.R", Part::LowerLeg, Some(Right)),
            ("DEF-f_pinky.02.L", Part::Finger(4), Some(Left)),
            ("Bip01 L Clavicle", Part::Shoulder, Some(Left)),
            ("Bip01 R Finger11", Part::Finger(1), Some(Right)),
            ("Bip01 L Toe0", Part::Toes, Some(Left)),
            ("upperleg01.L", Part::UpperLeg, Some(Left)),
            ("finger1-2.L", Part::Finger(0), Some(Left)),
            ("finger5-3.R", Part::Finger(4), Some(Right)),
            ("wrist.L", Part::Hand, Some(Left)),
            ("lfemur", Part::UpperLeg, Some(Left)),
            ("rradius", Part::LowerArm, Some(Right)),
            ("lhumerus", Part::UpperArm, Some(Left)),
            ("lShldrBend", Part::UpperArm, Some(Left)),
            ("rCollar", Part::Shoulder, Some(Right)),
            ("lThighBend", Part::UpperLeg, Some(Left)),
            ("LefttHand_Thumb1_jnt", Part::Finger(0), Some(Left)),
            ("RighUpLeg_jnt", Part::UpperLeg, Some(Right)),
            ("abdomenLower", Part::Trunk, None),
            ("LowerLeg.L", Part::LowerLeg, Some(Left)),
            ("leftUpperChest", Part::Trunk, Some(Left)),
            ("LThumb", Part::Finger(0), Some(Left)),
            ("LHipJoint", Part::Leg, Some(Left)),
            ("LeftLeg", Part::Leg, Some(Left)),
            ("LeftArm", Part::Arm, Some(Left)),
            ("Head", Part::Head, None),
        ];
        for (name, part, side) in known {
            let read = meaning(name);
            assert_eq!((read.part, read.side), (Some(part), side), "{name}");
            assert!(!read.is_extra, "{name}");
        }
    }

    #[test]
    fn joints_that_are_not_parts_are_marked() {
        for name in ["Foot_end.L", "Bip01 HeadNub", "hand_ik.L", "HeadTop_End", "index_04_leaf_l", "Breast.L"]
        {
            assert!(meaning(name).is_extra, "{name}");
        }
        assert!(meaning("upperarm_twist_01_l").is_twist);
        for name in ["", ":", "0", "é", "Ω_L"] {
            assert_eq!(meaning(name).part, None, "{name}");
        }
    }
}
