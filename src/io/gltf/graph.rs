//! The node hierarchy: parents, transforms, and which nodes are in the scene.

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::schema::{Document, Node};
use super::{Result, malformed};
use crate::math::Trs;

/// The nodes of a document. Every node has at most one parent, there are no cycles, and every
/// transform is finite.
pub(super) struct Graph {
    pub parents: Vec<Option<usize>>,
    /// parent_from_node of each node.
    pub locals: Vec<DAffine3>,
    /// The same transforms as translation, rotation and scale, which animation channels drive.
    pub locals_trs: Vec<Trs>,
    /// world_from_node of each node, as stored in the file.
    pub worlds: Vec<DAffine3>,
    /// Node indices in topological order: every node after its parent.
    pub topological_order: Vec<usize>,
    /// Whether each node is in the default scene.
    pub is_in_scene: Vec<bool>,
}

impl Graph {
    pub fn new(document: &Document) -> Result<Self> {
        let nodes = &document.nodes;
        let parents = parents(nodes)?;
        let topological_order = topological_order(nodes, &parents)?;
        let (mut locals, mut locals_trs) = (Vec::new(), Vec::new());
        for (index, node) in nodes.iter().enumerate() {
            let (local, part) = transform(node);
            if !local.is_finite() {
                return Err(malformed(format!("nodes[{index}]"), "its transform is not a number"));
            }
            locals.push(local);
            locals_trs.push(part);
        }
        let mut worlds = locals.clone();
        for &node in &topological_order {
            if let Some(parent) = parents[node] {
                worlds[node] = worlds[parent] * locals[node];
            }
        }
        let is_in_scene = is_in_scene(document, &parents, &topological_order)?;
        Ok(Self { parents, locals, locals_trs, worlds, topological_order, is_in_scene })
    }
}

fn transform(node: &Node) -> (DAffine3, Trs) {
    if let Some(matrix) = &node.matrix {
        let affine = DAffine3::from_mat4(DMat4::from_cols_array(matrix));
        return (affine, Trs::from_affine(&affine));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    // Files round quaternions, and a quaternion of another length would scale.
    let length = rotation.length();
    let rotation = if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY };
    let locals_trs = Trs {
        translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation,
        scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
    };
    (locals_trs.to_affine(), locals_trs)
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

fn topological_order(nodes: &[Node], parents: &[Option<usize>]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&node| parents[node].is_none()).collect();
    let mut visited = vec![false; nodes.len()];
    order.iter().for_each(|&node| visited[node] = true);
    let mut next = 0;
    while next < order.len() {
        for &child in &nodes[order[next]].children {
            if !std::mem::replace(&mut visited[child], true) {
                order.push(child);
            }
        }
        next += 1;
    }
    match visited.iter().position(|&visited| !visited) {
        Some(node) => Err(malformed(format!("nodes[{node}]"), "it is its own ancestor")),
        None => Ok(order),
    }
}

/// Whether each node is in the default scene. All nodes are if the document has no scenes.
fn is_in_scene(document: &Document, parents: &[Option<usize>], order: &[usize]) -> Result<Vec<bool>> {
    let count = document.nodes.len();
    if document.scenes.is_empty() {
        return Ok(vec![true; count]);
    }
    let index = document.scene.unwrap_or(0);
    let scene = document
        .scenes
        .get(index)
        .ok_or_else(|| malformed("scene", format!("scene {index} does not exist")))?;
    let mut is_in_scene = vec![false; count];
    for &root in &scene.nodes {
        let slot = is_in_scene.get_mut(root);
        *slot.ok_or_else(|| {
            malformed(format!("scenes[{index}].nodes"), format!("node {root} does not exist"))
        })? = true;
    }
    for &node in order {
        is_in_scene[node] |= parents[node].is_some_and(|parent| is_in_scene[parent]);
    }
    Ok(is_in_scene)
}
