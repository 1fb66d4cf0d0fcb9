//! Finds mirrored pairs of joints by their names.

use glam::Vec3;

use crate::model::{Joint, Skeleton};

/// The mirrored joint of every joint that has one.
pub fn other_sides(skeleton: &Skeleton) -> Vec<Option<usize>> {
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    names
        .iter()
        .map(|name| mirrored_name(name).and_then(|other| names.iter().position(|n| *n == other)))
        .collect()
}

/// The mirrored joint of a joint, and `point` reflected in the plane midway between both. The plane
/// is orthogonal to the axis along which mirrored joints are farthest apart.
pub fn mirrored(skeleton: &Skeleton, joint: usize, point: Vec3) -> Option<(usize, Vec3)> {
    let others = other_sides(skeleton);
    let other = others.get(joint).copied().flatten().filter(|&other| other != joint)?;
    let heads: Vec<Vec3> = skeleton.joints().iter().map(Joint::head).collect();
    let pairs = others.iter().enumerate().filter_map(|(joint, other)| other.map(|other| (joint, other)));
    let apart: Vec3 = pairs.map(|(joint, other)| (heads[joint] - heads[other]).abs()).sum();
    let axis = apart.max_position();
    let mut image = point;
    image[axis] = heads[joint][axis] + heads[other][axis] - point[axis];
    Some((other, image))
}

/// Reflects `point` in the plane midway between the heads of two mirrored joints. The plane is
/// orthogonal to X in all rigs.
pub fn reflected(point: Vec3, heads: [Vec3; 2]) -> Vec3 {
    let middle = f32::midpoint(heads[0].x, heads[1].x);
    Vec3::new(2.0 * middle - point.x, point.y, point.z)
}

/// The name of the mirrored joint: left for right, `.L` for `.R`, `_l` for `_r`, in any case.
fn mirrored_name(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")];
    for (left, right) in WORDS {
        for (from, to) in [(left, right), (right, left)] {
            if let Some(at) = name.find(from).filter(|&at| is_word(name, at, from)) {
                return Some(format!("{}{to}{}", &name[..at], &name[at + from.len()..]));
            }
        }
    }
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let is_separate = |i: usize| {
        let is_edge = |neighbour: Option<&(usize, char)>| {
            neighbour.is_none_or(|(_, c)| c.is_ascii() && !c.is_ascii_alphanumeric())
        };
        let before = i.checked_sub(1).and_then(|j| letters.get(j));
        // A single letter marks a side only beside a separator, not alone and not as the start of a
        // word.
        is_edge(before) && is_edge(letters.get(i + 1)) && (before.is_some() || letters.get(i + 1).is_some())
    };
    let side = (0..letters.len()).rev().find(|&i| "lLrR".contains(letters[i].1) && is_separate(i))?;
    let other = match letters[side].1 {
        'l' => 'r',
        'r' => 'l',
        'L' => 'R',
        _ => 'L',
    };
    Some(letters.iter().enumerate().map(|(i, &(_, c))| if i == side { other } else { c }).collect())
}

/// Whether the match is a word: "right" is in "RightArm", but not in "bright" or "upright".
fn is_word(name: &str, at: usize, word: &str) -> bool {
    let before = name[..at].chars().next_back();
    let after = name[at + word.len()..].chars().next();
    let is_capitalised = word.starts_with(|c: char| c.is_ascii_uppercase());
    let starts = before.is_none_or(|c| !c.is_ascii_lowercase() || is_capitalised);
    starts && after.is_none_or(|c| !c.is_ascii_lowercase() || !before.is_some_and(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_names_follow_common_conventions() {
        for (name, other) in [
            ("arm.L", "arm.R"),
            ("hand_r", "hand_l"),
            ("LeftArm", "RightArm"),
            ("mixamorig:RightToe_End", "mixamorig:LeftToe_End"),
            ("left_knee", "right_knee"),
            ("thumb_01_l", "thumb_01_r"),
            ("Bip01 L Foot", "Bip01 R Foot"),
            ("L_shoulder", "R_shoulder"),
            ("leftUpLeg", "rightUpLeg"),
        ] {
            assert_eq!(mirrored_name(name).as_deref(), Some(other), "{name}");
            assert_eq!(mirrored_name(other).as_deref(), Some(name), "{other}");
        }
    }

    #[test]
    fn names_without_a_side_have_no_mirrored_name() {
        for name in ["hips", "spine", "bright", "upright", "tail", "L", "neck_lower", ""] {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_character_that_looks_along_x_is_mirrored_along_z() {
        let joint = |name: &str, head: Vec3| Joint::at(name, None, head);
        let skeleton = Skeleton::new(vec![
            joint("hips", Vec3::Y),
            joint("arm.L", Vec3::new(0.1, 1.5, -1.0)),
            joint("arm.R", Vec3::new(0.0, 1.5, 1.2)),
            joint("foot.L", Vec3::new(0.6, 0.0, -0.2)),
            joint("foot.R", Vec3::new(-0.4, 0.0, 0.2)),
        ])
        .unwrap();
        let point = Vec3::new(0.7, 0.1, -0.3);
        assert_eq!(mirrored(&skeleton, 3, point), Some((4, Vec3::new(0.7, 0.1, 0.3))));
        assert_eq!(mirrored(&skeleton, 0, point), None);
    }

    #[test]
    fn points_are_reflected_midway_between_the_joints() {
        let heads = [Vec3::new(1.0, 2.0, 0.0), Vec3::new(-0.5, 2.0, 0.0)];
        assert_eq!(reflected(Vec3::new(1.25, 3.0, 0.5), heads), Vec3::new(-0.75, 3.0, 0.5));
    }
}
