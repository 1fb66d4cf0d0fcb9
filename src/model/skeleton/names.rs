//! Recognises joints by name: the words that tools use for joints that do not deform.

/// The lower-case words of a name: split at anything but letters and at camel-case boundaries,
/// without digits. "mixamorig:HeadTop_End" → mixamorig, head, top, end; "FootIKTarget" → foot, ik,
/// target. Only ASCII has cases here: the tables of Unicode are 10 kB of a visitor's download, and
/// the words that are looked for are English.
pub(super) fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let is = |i: Option<usize>, kind: fn(&char) -> bool| i.and_then(|i| characters.get(i)).is_some_and(kind);
    let mut words = vec![String::new()];
    for (i, &c) in characters.iter().enumerate() {
        let (before, after) = (i.checked_sub(1), Some(i + 1));
        let ends_acronym = is(before, char::is_ascii_uppercase) && is(after, char::is_ascii_lowercase);
        let starts_word = c.is_ascii_uppercase() && (is(before, char::is_ascii_lowercase) || ends_acronym);
        let is_letter = c.is_ascii_alphabetic() || !c.is_ascii();
        if !is_letter || starts_word {
            words.push(String::new());
        }
        if is_letter {
            words.last_mut().into_iter().for_each(|word| word.push(c.to_ascii_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the name marks the end of a chain, a joint that only defines the tail of the last bone.
pub(crate) fn is_end_marker(name: &str) -> bool {
    const END: [&str; 7] = ["end", "leaf", "tip", "nub", "effector", "endsite", "site"];
    let words = words(name);
    words.iter().any(|word| END.contains(&word.as_str()) || (word.len() > 3 && word.ends_with("nub")))
}

/// Whether the name marks a control or a prop.
pub(super) fn is_control(name: &str) -> bool {
    const CONTROL: [&str; 17] = [
        "ik",
        "pole",
        "target",
        "ctrl",
        "control",
        "controller",
        "prop",
        "weapon",
        "attach",
        "attachment",
        "socket",
        "helper",
        "dummy",
        "locator",
        "camera",
        "light",
        "vb",
    ];
    words(name).iter().any(|word| CONTROL.contains(&word.as_str()))
}

/// Whether the name marks a joint above the whole body.
pub(super) fn is_root(name: &str) -> bool {
    const ROOT: [&str; 10] = [
        "root",
        "rootjoint",
        "armature",
        "reference",
        "world",
        "master",
        "origin",
        "ground",
        "trajectory",
        "motion",
    ];
    words(name).iter().any(|word| ROOT.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("mixamorig:HeadTop_End"), ["mixamorig", "head", "top", "end"]);
        assert_eq!(words("index_04_leaf_l"), ["index", "leaf", "l"]);
        assert_eq!(words("Bip01 HeadNub"), ["bip", "head", "nub"]);
        assert_eq!(words("LeftHandIK"), ["left", "hand", "ik"]);
        assert_eq!(words("FootIKTarget"), ["foot", "ik", "target"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn names_of_deforming_joints_are_not_markers() {
        for name in
            ["Bone", "tibia", "hips", "spike", "bend", "legend", "tiptoe", "LeftToeBase", "mike", "snub.L"]
        {
            assert!(!is_control(name), "{name}");
        }
        for name in ["bend", "pendulum", "tibia", "tipsy", "wrist"] {
            assert!(!is_end_marker(name), "{name}");
        }
        assert!(is_end_marker("thumb-tip") && is_end_marker("Toe_End") && is_end_marker("ponytailnub"));
        assert!(is_control("hand_ik.L") && is_control("elbow_pole") && is_control("WeaponSocket"));
        assert!(is_root("_rootJoint") && is_root("Armature") && !is_root("hips"));
    }
}
