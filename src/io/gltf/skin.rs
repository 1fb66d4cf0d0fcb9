//! Builds a skeleton from the skins of a document.
//!
//! The rest frame of a joint is its frame when the skin was bound, the inverse of its inverse bind
//! matrix. It is not the transform of its node. The mesh space of each skin is placed in the
//! scene so that its topmost joint coincides with the node of that joint. Skins that share joints
//! share one space. Nodes above and between joints become helper joints, so that one traversal of
//! the hierarchy poses all joints.

use glam::{DAffine3, DMat4, Mat4, Vec3};

use super::schema::Node;
use super::{Loaded, Result, malformed, warn};
use crate::io::limits;
use crate::math;
use crate::model::skeleton::is_end_marker;
use crate::model::{Joint, JointKind, SourceSkin};
use crate::report::Report;

/// One skin of the document.
pub(super) struct Skin {
    /// Indices of skeleton joints, in the order of the skin.
    pub joints: Vec<usize>,
    pub rest_from_mesh: DAffine3,
}

impl Skin {
    pub fn to_source(&self) -> SourceSkin {
        SourceSkin { joints: self.joints.clone(), rest_from_mesh: self.rest_from_mesh }
    }
}

/// All skins and the joints they share.
#[derive(Default)]
pub(super) struct Skins {
    pub skins: Vec<Skin>,
    pub joints: Vec<Joint>,
    /// The node index of each joint.
    pub nodes: Vec<usize>,
    /// The joint of each node, if it is one.
    pub joint_of_node: Vec<Option<usize>>,
}

pub(super) fn read_skins(loaded: &Loaded, report: &mut Report) -> Result<Skins> {
    let document = &loaded.document;
    let mut skins = Skins { joint_of_node: vec![None; document.nodes.len()], ..Skins::default() };
    let mut rest_of_node: Vec<Option<DAffine3>> = vec![None; document.nodes.len()];
    for index in 0..document.skins.len() {
        let place = format!("skins[{index}]");
        let inverse_binds = inverse_binds(loaded, index, &place)?;
        let joints = &document.skins[index].joints;
        let rest_from_mesh = rest_from_mesh(loaded, joints, &inverse_binds, &rest_of_node);
        for (&node, inverse_bind) in joints.iter().zip(&inverse_binds) {
            let bound = rest_from_mesh * inverse_bind.inverse();
            if rest_of_node[node].is_none()
                && math::is_usable_frame(inverse_bind)
                && math::is_usable_frame(&bound)
            {
                rest_of_node[node] = Some(bound);
            } else if rest_of_node[node].is_none() {
                let what =
                    "its inverse bind matrix is not invertible; the transform of its node was used instead";
                warn(report, format!("{place}, joint {}", name_of(loaded, node)), what);
            }
        }
        let joints = joints.iter().map(|&node| skins.add(loaded, node, JointKind::Skin)).collect();
        skins.skins.push(Skin { joints, rest_from_mesh });
    }
    let listed = skins.joints.len();
    limits::check_budget("skins", "joints", listed, limits::MAX_JOINTS)?;
    for joint in 0..listed {
        skins.add_ancestors(loaded, skins.nodes[joint]);
    }
    if listed > 0 && document.nodes.iter().any(|node| node.mesh.is_some() && node.skin.is_some()) {
        skins.add_rigid_nodes(loaded);
    }
    if listed > 0 {
        skins.add_human_bones(loaded);
    }
    skins.set_rest_frames(loaded, &rest_of_node);
    Ok(skins)
}

/// Builds a skeleton from a file without skins: every node that is neither a mesh nor a camera is a
/// joint. In a VRM animation only nodes of standard bones are; others hold expressions and gaze.
pub(super) fn from_nodes(loaded: &Loaded, report: &mut Report) -> Skins {
    let nodes = &loaded.document.nodes;
    let mut skins = Skins { joint_of_node: vec![None; nodes.len()], ..Skins::default() };
    let is_motion = loaded.humanoid.is_motion && !loaded.humanoid.bones.is_empty();
    for (index, node) in nodes.iter().enumerate() {
        let is_wanted = !is_motion || loaded.humanoid.bone_of(index).is_some();
        if is_wanted && loaded.graph.is_in_scene[index] && node.mesh.is_none() && node.camera.is_none() {
            skins.add(loaded, index, JointKind::Skin);
        }
    }
    for joint in 0..skins.joints.len() {
        skins.add_ancestors(loaded, skins.nodes[joint]);
    }
    skins.set_rest_frames(loaded, &vec![None; nodes.len()]);
    // Nodes at one point only group the meshes of the file.
    let is_apart = |joint: &Joint| joint.head() != skins.joints[0].head();
    if nodes.iter().any(|node| node.mesh.is_some()) && !skins.joints.iter().any(is_apart) {
        return Skins { joint_of_node: vec![None; nodes.len()], ..Skins::default() };
    }
    if !skins.joints.is_empty() && !is_motion {
        warn(report, "skins", "the file has no skin; its nodes were used as joints");
    }
    skins
}

impl Skins {
    fn add(&mut self, loaded: &Loaded, node: usize, kind: JointKind) -> usize {
        if let Some(joint) = self.joint_of_node[node] {
            return joint;
        }
        let joint = self.joints.len();
        self.joints.push(Joint {
            name: name_of(loaded, node),
            parent: None,
            rest: DAffine3::IDENTITY,
            local: loaded.graph.locals_trs[node],
            tail: None,
            kind,
            human: loaded.humanoid.bone_of(node),
            is_secondary: loaded.humanoid.is_secondary(node),
        });
        self.nodes.push(node);
        self.joint_of_node[node] = Some(joint);
        joint
    }

    fn add_ancestors(&mut self, loaded: &Loaded, node: usize) {
        let mut above = loaded.graph.parents[node];
        while let Some(parent) = above.filter(|&parent| self.joint_of_node[parent].is_none()) {
            self.add(loaded, parent, JointKind::Helper);
            above = loaded.graph.parents[parent];
        }
    }

    /// Makes unskinned meshes in a skinned file (a hat, a sword) helper joints, so that they follow
    /// their node.
    fn add_rigid_nodes(&mut self, loaded: &Loaded) {
        for (index, node) in loaded.document.nodes.iter().enumerate() {
            if loaded.graph.is_in_scene[index] && node.mesh.is_some() && node.skin.is_none() {
                self.add(loaded, index, JointKind::Helper);
                self.add_ancestors(loaded, index);
            }
        }
    }

    /// Makes nodes of standard bones helper joints if no skin lists them, so that the map of bones
    /// is complete.
    fn add_human_bones(&mut self, loaded: &Loaded) {
        for (_, node) in &loaded.humanoid.bones {
            self.add(loaded, *node, JointKind::Helper);
            self.add_ancestors(loaded, *node);
        }
    }

    /// Sets parents, rest frames and tails, from the roots down.
    fn set_rest_frames(&mut self, loaded: &Loaded, rest_of_node: &[Option<DAffine3>]) {
        for &node in &loaded.graph.topological_order {
            let Some(joint) = self.joint_of_node[node] else { continue };
            let parent = loaded.graph.parents[node].and_then(|parent| self.joint_of_node[parent]);
            let parent_rest = parent.map_or(DAffine3::IDENTITY, |parent| self.joints[parent].rest);
            let from_nodes = parent_rest * loaded.graph.locals[node];
            let from_nodes = if math::is_usable_frame(&from_nodes) {
                from_nodes
            } else {
                // A node with zero scale still has a position.
                parent_rest * DAffine3::from_translation(loaded.graph.locals_trs[node].translation)
            };
            self.joints[joint].parent = parent;
            self.joints[joint].rest = rest_of_node[node].unwrap_or(from_nodes);
        }
        for joint in 0..self.joints.len() {
            self.joints[joint].tail = self.marked_tail(loaded, joint);
        }
    }

    /// The tail of a leaf joint, if its only child without a mesh is a node called `…_end` that is
    /// not a joint. Children with a mesh are rigid parts.
    fn marked_tail(&self, loaded: &Loaded, joint: usize) -> Option<Vec3> {
        let nodes = &loaded.document.nodes;
        let mut ends = nodes[self.nodes[joint]].children.iter().filter(|&&child| nodes[child].mesh.is_none());
        let (Some(&end), None) = (ends.next(), ends.next()) else { return None };
        let Node { name, children, .. } = &nodes[end];
        let is_marker = self.joint_of_node[end].is_none()
            && children.is_empty()
            && name.as_deref().is_some_and(is_end_marker);
        let tail =
            self.joints[joint].rest.transform_point3(loaded.graph.locals_trs[end].translation).as_vec3();
        (is_marker && tail.is_finite()).then_some(tail)
    }
}

fn name_of(loaded: &Loaded, node: usize) -> String {
    loaded.document.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"))
}

/// joint_from_mesh of every joint of a skin.
fn inverse_binds(loaded: &Loaded, index: usize, place: &str) -> Result<Vec<DAffine3>> {
    let skin = &loaded.document.skins[index];
    if skin.joints.is_empty() {
        return Err(malformed(place, "it lists no joints"));
    }
    if let Some(node) = skin.joints.iter().find(|&&node| node >= loaded.document.nodes.len()) {
        return Err(malformed(format!("{place}.joints"), format!("node {node} does not exist")));
    }
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(vec![DAffine3::IDENTITY; skin.joints.len()]);
    };
    let matrices = loaded.floats::<16>(accessor, &format!("{place}.inverseBindMatrices"))?;
    if matrices.len() < skin.joints.len() {
        let what = format!("{} inverse bind matrices for {} joints", matrices.len(), skin.joints.len());
        return Err(malformed(place, what));
    }
    let to_affine = |m: &[f32; 16]| DAffine3::from_mat4(DMat4::from_cols_array(&m.map(f64::from)));
    Ok(matrices.iter().take(skin.joints.len()).map(to_affine).collect())
}

/// rest_from_mesh of a skin: from a joint that an earlier skin has placed, else such that the
/// topmost joint coincides with its node.
fn rest_from_mesh(
    loaded: &Loaded,
    joints: &[usize],
    inverse_binds: &[DAffine3],
    rest_of_node: &[Option<DAffine3>],
) -> DAffine3 {
    let shared = joints.iter().zip(inverse_binds).find_map(|(&node, bind)| Some(rest_of_node[node]? * *bind));
    let depth =
        |node: usize| std::iter::successors(loaded.graph.parents[node], |&n| loaded.graph.parents[n]).count();
    let topmost = joints.iter().zip(inverse_binds).min_by_key(|&(&node, _)| depth(node));
    let from_node = topmost.map(|(&node, bind)| loaded.graph.worlds[node] * *bind);
    shared.or(from_node).filter(math::is_usable_frame).unwrap_or(DAffine3::IDENTITY)
}

/// The matrix as glTF stores it: column-major, in f32.
pub(super) fn to_columns(affine: &DAffine3) -> [f32; 16] {
    let matrix: Mat4 = DMat4::from(*affine).as_mat4();
    matrix.to_cols_array()
}
