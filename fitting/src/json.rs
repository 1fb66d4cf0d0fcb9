//! A fitted skeleton as a skeleton file: JSON with heads and tails, and what is known of the fit.

use std::fmt::Write;

use glam::Vec3;

use crate::fit::Fitted;
use crate::names::Names;

/// The text of the file. Its bones have, in addition to what skeleton files need, the standard bone
/// (`human`, as in VRM 1.0) and the confidence.
pub fn skeleton_json(fitted: &Fitted, names: Names) -> String {
    let point = |p: Vec3| format!("[{}, {}, {}]", p.x, p.y, p.z);
    let mut text = format!(
        "{{\"up\": {}, \"front\": {}, \"height\": {}, \"orientationConfidence\": {}, \"bones\": [",
        point(fitted.up),
        point(fitted.front),
        fitted.height,
        fitted.orientation_confidence
    );
    for (index, joint) in fitted.joints.iter().enumerate() {
        let separator = if index > 0 { "," } else { "" };
        let parent = joint.parent.map_or(-1, |parent| parent as i64);
        // Writing to a string cannot fail. Names consist of letters, digits and a few signs.
        let _ = write!(
            text,
            "{separator}\n{{\"name\": \"{}\", \"parent\": {parent}, \"head\": {}, \"tail\": {}, \
             \"human\": \"{}\", \"confidence\": {}}}",
            names.name(joint.name),
            point(joint.head),
            point(joint.tail),
            Names::Vrm.name(joint.name),
            joint.confidence
        );
    }
    text + "\n]}\n"
}
