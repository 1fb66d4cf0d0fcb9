//! Reads which nodes are standard bones of a human body, and which ones simulations move.
//!
//! Input: the extensions `VRM` (0.x), `VRMC_vrm` (1.0) and `VRMC_vrm_animation` for the bones;
//! spring bones (`VRM.secondaryAnimation`, `VRMC_springBone`) and `VRMC_node_constraint` for
//! secondary nodes. Output: [`Humanoid`]. An entry that is not valid is skipped with a warning,
//! because the document can be used without it. Cost: linear.

use serde_json::Value;

use super::schema::Document;
use super::warn;
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
    /// Reads the extensions of a document whose hierarchy has been checked.
    pub fn new(document: &Document, report: &mut Report) -> Self {
        let extensions = &document.extensions;
        let (avatar_0, avatar_1) = (&extensions["VRM"], &extensions["VRMC_vrm"]);
        let motion = &extensions["VRMC_vrm_animation"];
        let mut humanoid = Self {
            vrm: match (avatar_0, avatar_1) {
                // A document may have both, for programs of either time; then it faces as 1.0 does.
                (_, Value::Object(_)) => Some(Vrm::V1),
                (Value::Object(_), _) => Some(Vrm::V0),
                _ => None,
            },
            is_motion: motion.is_object(),
            bones: Vec::new(),
            secondary: vec![false; document.nodes.len()],
        };
        match humanoid.vrm {
            Some(Vrm::V0) => humanoid.add_list(document, &avatar_0["humanoid"]["humanBones"], report),
            Some(Vrm::V1) => {
                humanoid.add_map(document, "VRMC_vrm", &avatar_1["humanoid"]["humanBones"], report);
            }
            None => {
                humanoid.add_map(document, "VRMC_vrm_animation", &motion["humanoid"]["humanBones"], report);
            }
        }
        if humanoid.vrm.is_some() {
            humanoid.warn_of_missing(report);
        }
        humanoid.add_secondary(document);
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
    fn add_list(&mut self, document: &Document, list: &Value, report: &mut Report) {
        for (index, entry) in list.as_array().into_iter().flatten().enumerate() {
            let name = entry["bone"].as_str().unwrap_or_default();
            let place = format!("extensions.VRM.humanoid.humanBones[{index}]");
            self.add(document, HumanBone::from_name_0(name), &entry["node"], place, report);
        }
    }

    /// Adds the bones of VRM 1.0: an object with a member per bone.
    fn add_map(&mut self, document: &Document, extension: &str, map: &Value, report: &mut Report) {
        for (name, entry) in map.as_object().into_iter().flatten() {
            let place = format!("extensions.{extension}.humanoid.humanBones.{name}");
            self.add(document, HumanBone::from_name(name), &entry["node"], place, report);
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

    fn add_secondary(&mut self, document: &Document) {
        let extensions = &document.extensions;
        // A spring of 0.x moves the listed nodes and everything below them.
        let groups = extensions["VRM"]["secondaryAnimation"]["boneGroups"].as_array();
        let mut below: Vec<usize> =
            groups.into_iter().flatten().flat_map(|group| indices(&group["bones"])).collect();
        while let Some(node) = below.pop() {
            if let Some(is_secondary @ false) = self.secondary.get_mut(node) {
                *is_secondary = true;
                below.extend_from_slice(&document.nodes[node].children);
            }
        }
        // A spring of 1.0 lists each node.
        let springs = extensions["VRMC_springBone"]["springs"].as_array();
        let joints = springs.into_iter().flatten().filter_map(|spring| spring["joints"].as_array());
        for node in joints.flatten().filter_map(|joint| index(&joint["node"])) {
            self.secondary.get_mut(node).into_iter().for_each(|is_secondary| *is_secondary = true);
        }
        for (node, is_secondary) in document.nodes.iter().zip(&mut self.secondary) {
            *is_secondary |= node.extensions["VRMC_node_constraint"].is_object();
        }
    }
}

/// A number as an index.
fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

/// The indices in a list.
fn indices(list: &Value) -> impl Iterator<Item = usize> {
    list.as_array().into_iter().flatten().filter_map(index)
}
