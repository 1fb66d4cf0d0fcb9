//! Reads which nodes are standard bones of a human body, and which ones simulations move.
//!
//! Input: the extensions `VRM` (0.x), `VRMC_vrm` (1.0) and `VRMC_vrm_animation` for the bones;
//! spring bones (`VRM.secondaryAnimation`, `VRMC_springBone`) and `VRMC_node_constraint` for
//! secondary nodes. Output: [`Humanoid`]. An entry that is not valid is skipped with a warning,
//! because the document can be used without it. Cost: linear.

use serde_json::Value;

use super::json::Object;
use super::schema::Document;
use super::warn;
use crate::io::text;
use crate::model::{HumanBone, Vrm};
use crate::report::Report;

/// What a document says about bones.
#[derive(Default)]
pub(super) struct Humanoid {
    /// The version, if the document is an avatar.
    pub vrm: Option<Vrm>,
    /// Whether the document is a VRM animation.
    pub is_motion: bool,
    /// Standard bones and their nodes. No bone and no node occurs twice.
    pub bones: Vec<(HumanBone, usize)>,
    /// Whether a simulation or a constraint moves each node.
    secondary: Vec<bool>,
}

impl Humanoid {
    /// Reads the extensions of a document, of which `json` is the text. Only documents that name
    /// VRM are parsed for it.
    pub fn new(json: &str, document: &Document, report: &mut Report) -> Self {
        let mut humanoid = Self { secondary: vec![false; document.nodes.len()], ..Self::default() };
        for (node, is_secondary) in document.nodes.iter().zip(&mut humanoid.secondary) {
            let extensions = node.extensions.as_ref();
            *is_secondary = extensions.is_some_and(|extensions| extensions.constraint.is_some());
        }
        if !text::contains(json.as_bytes(), b"\"VRM") {
            return humanoid;
        }
        let extensions: Object =
            Object::parse(json).ok().and_then(|root| root.get("extensions")).unwrap_or_default();
        let extension = |name: &str| extensions.get::<Value>(name).filter(Value::is_object);
        let avatar_0 = extension("VRM");
        if let Some(motion) = extension("VRMC_vrm_animation") {
            humanoid.is_motion = true;
            humanoid.add_map(document, "VRMC_vrm_animation", &motion, report);
        }
        // A document may have both versions, for all programs; then it faces as 1.0 does.
        if let Some(avatar) = extension("VRMC_vrm") {
            humanoid.vrm = Some(Vrm::V1);
            humanoid.add_map(document, "VRMC_vrm", &avatar, report);
        } else if let Some(avatar) = &avatar_0 {
            humanoid.vrm = Some(Vrm::V0);
            humanoid.add_list(document, avatar, report);
        }
        if humanoid.vrm.is_some() {
            humanoid.warn_of_missing(report);
        }
        if let Some(avatar) = &avatar_0 {
            humanoid.add_springs_0(document, avatar);
        }
        if let Some(springs) = extension("VRMC_springBone") {
            humanoid.add_springs_1(&springs);
        }
        humanoid
    }

    /// The standard bone of a node.
    pub fn bone_of(&self, node: usize) -> Option<HumanBone> {
        self.bones.iter().find(|(_, of)| *of == node).map(|&(bone, _)| bone)
    }

    /// Whether a simulation or a constraint moves a node.
    pub fn is_secondary(&self, node: usize) -> bool {
        self.secondary.get(node).is_some_and(|&is_secondary| is_secondary)
    }

    /// Adds the bones of VRM 0.x: a list of names and nodes.
    fn add_list(&mut self, document: &Document, avatar: &Value, report: &mut Report) {
        for (at, entry) in items(&avatar["humanoid"]["humanBones"]).iter().enumerate() {
            let bone = HumanBone::from_name_0(entry["bone"].as_str().unwrap_or_default());
            let place = format!("extensions.VRM.humanoid.humanBones[{at}]");
            self.add(document, bone, &entry["node"], place, report);
        }
    }

    /// Adds the bones of VRM 1.0: an object with a member per bone.
    fn add_map(&mut self, document: &Document, name: &str, extension: &Value, report: &mut Report) {
        for (bone, entry) in extension["humanoid"]["humanBones"].as_object().into_iter().flatten() {
            let place = format!("extensions.{name}.humanoid.humanBones.{bone}");
            self.add(document, HumanBone::from_name(bone), &entry["node"], place, report);
        }
    }

    fn add(
        &mut self,
        document: &Document,
        bone: Option<HumanBone>,
        node: &Value,
        place: String,
        report: &mut Report,
    ) {
        let node = index(node).filter(|&node| node < document.nodes.len());
        let what = match (bone, node) {
            (None, _) => "there is no standard bone of this name; it was skipped",
            (_, None) => "its node does not exist; it was skipped",
            (Some(bone), Some(node)) => {
                if self.bones.iter().any(|&(other, of)| other == bone || of == node) {
                    "its bone or its node is already assigned; it was skipped"
                } else {
                    self.bones.push((bone, node));
                    return;
                }
            }
        };
        warn(report, place, what);
    }

    fn warn_of_missing(&self, report: &mut Report) {
        let is_missing = |bone: &HumanBone| !self.bones.iter().any(|(other, _)| other == bone);
        let missing: Vec<&str> =
            HumanBone::REQUIRED.into_iter().filter(is_missing).map(HumanBone::name).collect();
        if !missing.is_empty() {
            warn(report, "humanoid", format!("the avatar lacks required bones: {}", missing.join(", ")));
        }
    }

    /// Marks the nodes that springs of VRM 0.x list, and everything below them.
    fn add_springs_0(&mut self, document: &Document, avatar: &Value) {
        let mut below = Vec::new();
        for group in items(&avatar["secondaryAnimation"]["boneGroups"]) {
            below.extend(items(&group["bones"]).iter().filter_map(index));
        }
        while let Some(node) = below.pop() {
            if let Some(is_secondary @ false) = self.secondary.get_mut(node) {
                *is_secondary = true;
                below.extend_from_slice(&document.nodes[node].children);
            }
        }
    }

    /// Marks the nodes that springs of VRM 1.0 list. They list each node of a chain.
    fn add_springs_1(&mut self, extension: &Value) {
        for spring in items(&extension["springs"]) {
            for joint in items(&spring["joints"]) {
                if let Some(is_secondary) =
                    index(&joint["node"]).and_then(|node| self.secondary.get_mut(node))
                {
                    *is_secondary = true;
                }
            }
        }
    }
}

/// The items of a list; none if the value is not one.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A number as an index.
fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}
