//! The node hierarchy: parents, transforms, and which nodes the scene shows.

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::schema::{Document, Node};
use super::{Result, malformed};
use crate::math::Trs;

/// Every node has at most one parent, there is no cycle, and every transform is finite.
pub(super) struct Graph {
    pub parents: Vec<Option<usize>>,
    /// parent_from_node.
    pub locals: Vec<DAffine3>,
    /// The same in parts, as animation drives them.
    pub parts: Vec<Trs>,
    /// world_from_node with the nodes as the file has them.
    pub worlds: Vec<DAffine3>,
    /// Every node after its parent.
    pub parents_first: Vec<usize>,
    /// Nodes of the scene that is shown, in the document's order.
    pub shown: Vec<bool>,
}

impl Graph {
    pub fn new(document: &Document) -> Result<Self> {
        let nodes = &document.nodes;
        let parents = parents(nodes)?;
        let parents_first = parents_first(nodes, &parents)?;
        let (mut locals, mut parts) = (Vec::new(), Vec::new());
        for (index, node) in nodes.iter().enumerate() {
            let (local, part) = transform(node);
            if !local.is_finite() {
                return Err(malformed(format!("nodes[{index}]"), "its transform is not a number"));
            }
            locals.push(local);
            parts.push(part);
        }
        let mut worlds = locals.clone();
        for &node in &parents_first {
            if let Some(parent) = parents[node] {
                worlds[node] = worlds[parent] * locals[node];
            }
        }
        let shown = shown(document, &parents, &parents_first)?;
        Ok(Self { parents, locals, parts, worlds, parents_first, shown })
    }
}

fn transform(node: &Node) -> (DAffine3, Trs) {
    if let Some(matrix) = &node.matrix {
        let affine = DAffine3::from_mat4(DMat4::from_cols_array(matrix));
        return (affine, Trs::from_affine(&affine));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    // Files round their quaternions; an unnormalised one would scale.
    let length = rotation.length();
    let rotation = if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY };
    let parts = Trs {
        translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation,
        scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
    };
    (parts.to_affine(), parts)
}

fn parents(nodes: &[Node]) -> Result<Vec<Option<usize>>> {
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            let place = || format!("nodes[{index}].children");
            let slot: &mut Option<usize> = parents
                .get_mut(child)
                .ok_or_else(|| malformed(place(), format!("node {child} does not exist")))?;
            if let Some(other) = slot.filter(|&other| other != index) {
                return Err(malformed(place(), format!("node {child} is already a child of node {other}")));
            }
            *slot = Some(index);
        }
    }
    Ok(parents)
}

fn parents_first(nodes: &[Node], parents: &[Option<usize>]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&node| parents[node].is_none()).collect();
    let mut placed = vec![false; nodes.len()];
    order.iter().for_each(|&node| placed[node] = true);
    let mut next = 0;
    while next < order.len() {
        for &child in &nodes[order[next]].children {
            if !std::mem::replace(&mut placed[child], true) {
                order.push(child);
            }
        }
        next += 1;
    }
    match placed.iter().position(|&placed| !placed) {
        Some(node) => Err(malformed(format!("nodes[{node}]"), "it is its own ancestor")),
        None => Ok(order),
    }
}

/// The default scene's nodes; every node when the document has no scene.
fn shown(document: &Document, parents: &[Option<usize>], order: &[usize]) -> Result<Vec<bool>> {
    let count = document.nodes.len();
    if document.scenes.is_empty() {
        return Ok(vec![true; count]);
    }
    let index = document.scene.unwrap_or(0);
    let scene = document
        .scenes
        .get(index)
        .ok_or_else(|| malformed("scene", format!("scene {index} does not exist")))?;
    let mut shown = vec![false; count];
    for &root in &scene.nodes {
        let slot = shown.get_mut(root);
        *slot.ok_or_else(|| {
            malformed(format!("scenes[{index}].nodes"), format!("node {root} does not exist"))
        })? = true;
    }
    for &node in order {
        shown[node] |= parents[node].is_some_and(|parent| shown[parent]);
    }
    Ok(shown)
}
