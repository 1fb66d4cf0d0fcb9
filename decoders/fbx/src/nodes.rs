//! The node hierarchy: every model becomes a node.

use glam::DMat4;

use crate::error::Warnings;
use crate::objects::Objects;
use crate::settings::Settings;
use crate::transform::{Inherit, Local, ScaleState, Transform};

/// One node. Its index in the hierarchy is its index in the glTF file.
pub(crate) struct Node {
    /// The index of its model.
    pub object: usize,
    pub name: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub transform: Transform,
    /// What the node passes on at rest.
    pub scale_state: ScaleState,
    /// Global transform at rest, in FBX space.
    pub global: DMat4,
    /// The index of a node between this one and those children that do not inherit its scale. It
    /// cancels the scale, where without it the children would be sheared.
    pub compensator: Option<usize>,
}

/// All nodes, parents before children.
pub(crate) struct Nodes {
    pub list: Vec<Node>,
    /// The node of each object.
    node_of_object: Vec<Option<usize>>,
    /// The nodes that have a compensator. Its index is the number of nodes plus the place here.
    pub compensated: Vec<usize>,
}

impl Nodes {
    pub(crate) fn read(objects: &Objects<'_>, warnings: &mut Warnings) -> Self {
        let parents = model_parents(objects);
        let mut nodes = Self {
            list: Vec::new(),
            node_of_object: vec![None; objects.list.len()],
            compensated: Vec::new(),
        };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); objects.list.len()];
        let mut pending: Vec<usize> = Vec::new();
        for (object, model) in objects.of_class("Model") {
            if is_viewing_aid(model.kind) && objects.sources_of_class(object, "Model").is_empty() {
                continue;
            }
            match parents.get(object).copied().flatten().and_then(|parent| children.get_mut(parent)) {
                Some(list) => list.push(object),
                None => pending.push(object),
            }
        }
        pending.reverse();
        nodes.add_trees(objects, pending, &children);
        // What is left hangs on a cycle. Cutting it at its first model keeps everything.
        for (object, model) in objects.of_class("Model") {
            if nodes.of_object(object).is_none() && !is_viewing_aid(model.kind) {
                warnings.add(format!("model \"{}\"", model.name), "it is its own ancestor; it became a root");
                nodes.add_trees(objects, vec![object], &children);
            }
        }
        nodes
    }

    /// Adds the trees below the objects, depth first. The stack holds objects and parent nodes.
    fn add_trees(&mut self, objects: &Objects<'_>, roots: Vec<usize>, children: &[Vec<usize>]) {
        let mut stack: Vec<(usize, Option<usize>)> = roots.into_iter().map(|root| (root, None)).collect();
        while let Some((object, parent)) = stack.pop() {
            if self.of_object(object).is_none() {
                let node = self.add(objects, object, parent);
                let below = children.get(object).into_iter().flatten().rev();
                stack.extend(below.map(|&child| (child, Some(node))));
            }
        }
    }

    fn add(&mut self, objects: &Objects<'_>, object: usize, parent: Option<usize>) -> usize {
        let index = self.list.len();
        let (name, transform) = match objects.get(object) {
            Some(model) => (model.name.clone(), Transform::read(&model.properties)),
            None => return index,
        };
        let (state, global) = match parent.and_then(|parent| self.list.get_mut(parent)) {
            Some(parent) => {
                parent.children.push(index);
                (parent.scale_state, parent.global)
            }
            None => (ScaleState::IDENTITY, DMat4::IDENTITY),
        };
        let local = transform.rest();
        self.list.push(Node {
            object,
            name,
            parent,
            children: Vec::new(),
            scale_state: state.child(transform.inherit, &local),
            global: global * state.child_matrix(transform.inherit, &local),
            transform,
            compensator: None,
        });
        if let Some(entry) = self.node_of_object.get_mut(object) {
            *entry = Some(index);
        }
        index
    }

    pub(crate) fn of_object(&self, object: usize) -> Option<usize> {
        self.node_of_object.get(object).copied().flatten()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Node> {
        self.list.get(index)
    }

    /// The scale state above a node, at rest.
    pub(crate) fn state_above(&self, node: &Node) -> ScaleState {
        node.parent
            .and_then(|parent| self.get(parent))
            .map_or(ScaleState::IDENTITY, |parent| parent.scale_state)
    }

    /// Adds a compensator below a node.
    pub(crate) fn compensate(&mut self, node: usize) {
        let index = self.list.len() + self.compensated.len();
        if let Some(entry) = self.list.get_mut(node).filter(|node| node.compensator.is_none()) {
            entry.compensator = Some(index);
            self.compensated.push(node);
        }
    }

    /// The compensator that a node is below, if any.
    pub(crate) fn compensator_above(&self, node: &Node) -> Option<usize> {
        let parent = node.parent.and_then(|parent| self.get(parent))?;
        parent.compensator.filter(|_| node.transform.inherit != Inherit::Matrix)
    }

    /// The transform of a node relative to its parent in glTF, in FBX space. False if there is
    /// shear, which was left out.
    pub(crate) fn relative(&self, node: &Node, above: &ScaleState, local: &Local) -> (Local, bool) {
        match self.compensator_above(node) {
            Some(_) => above.compensated_child(node.transform.inherit, local),
            None => above.child_local(node.transform.inherit, local),
        }
    }

    /// The same at rest.
    pub(crate) fn relative_rest(&self, node: &Node) -> (Local, bool) {
        self.relative(node, &self.state_above(node), &node.transform.rest())
    }

    /// The local transform of a node at rest, in the space of glTF.
    pub(crate) fn rest_in_gltf(&self, settings: &Settings, node: &Node) -> Local {
        settings.local(&self.relative_rest(node).0, node.parent.is_none())
    }

    /// The children of a node in glTF: compensated ones are below the compensator.
    pub(crate) fn gltf_children(&self, node: &Node) -> Vec<usize> {
        let is_direct =
            |child: &&usize| self.get(**child).is_some_and(|child| self.compensator_above(child).is_none());
        node.children.iter().filter(is_direct).copied().chain(node.compensator).collect()
    }

    /// The children of the compensator of a node.
    pub(crate) fn compensated_children(&self, node: &Node) -> Vec<usize> {
        let is_below =
            |child: &&usize| self.get(**child).is_some_and(|child| self.compensator_above(child).is_some());
        node.children.iter().filter(is_below).copied().collect()
    }
}

/// Whether models of a subclass are cameras or lights. Those without children are left out.
fn is_viewing_aid(kind: &[u8]) -> bool {
    [&b"Camera"[..], b"CameraStereo", b"CameraSwitcher", b"Light"].contains(&kind)
}

/// For each object, the model that it is connected to.
fn model_parents(objects: &Objects<'_>) -> Vec<Option<usize>> {
    let is_model = |index: usize| objects.get(index).is_some_and(|object| object.class == b"Model");
    let parent_of = |object: usize| {
        let targets = objects.targets(object).iter().filter(|link| link.property.is_empty());
        targets.map(|link| link.object).find(|&target| target != object && is_model(target))
    };
    (0..objects.list.len()).map(|object| if is_model(object) { parent_of(object) } else { None }).collect()
}
