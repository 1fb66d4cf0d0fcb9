//! The bind pose: global matrices of nodes when the skin was bound.

use std::collections::BTreeMap;

use glam::DMat4;

use crate::error::Result;
use crate::nodes::Nodes;
use crate::objects::Objects;
use crate::skin::matrix;

/// Global matrices by node. Clusters that store their matrices do not need it.
#[derive(Default)]
pub(crate) struct BindPose {
    globals: BTreeMap<usize, DMat4>,
}

impl BindPose {
    pub(crate) fn read(objects: &Objects<'_>, nodes: &Nodes) -> Result<Self> {
        let mut pose = Self::default();
        for (_, object) in objects.of_class("Pose").filter(|(_, object)| object.kind == b"BindPose") {
            for entry in object.node.children_named("PoseNode") {
                let Some(target) = entry.child("Node") else { continue };
                let node = objects.find_key(target).and_then(|object| nodes.of_object(object));
                if let (Some(node), Some(matrix)) = (node, matrix(entry, "Matrix")?) {
                    pose.globals.entry(node).or_insert(matrix);
                }
            }
        }
        Ok(pose)
    }

    /// The global matrix of a node in the bind pose, or at rest if the pose has none.
    pub(crate) fn global(&self, nodes: &Nodes, node: usize) -> DMat4 {
        let rest = || nodes.get(node).map_or(DMat4::IDENTITY, |node| node.global);
        self.globals.get(&node).copied().unwrap_or_else(rest)
    }
}
