//! Reads skin clusters as joints, inverse bind matrices and weights.

use glam::DMat4;

use crate::bind_pose::BindPose;
use crate::document::Node;
use crate::error::{Result, Warnings};
use crate::nodes::Nodes;
use crate::objects::Objects;
use crate::sort::sort_by_key;

/// Largest number of influences of a vertex. The largest weights are kept.
pub(crate) const MAX_INFLUENCES: usize = 16;

/// Sum of weights below which a vertex counts as unweighted.
const MIN_WEIGHT_SUM: f64 = 1e-6;

/// Largest number of weights of a cluster per control point. If larger, a malicious file that
/// shares one huge cluster between many small meshes takes hours.
const MAX_REPEATS: usize = 4;

/// The skin of a mesh.
pub(crate) struct Skin {
    /// Node indices.
    pub joints: Vec<usize>,
    /// From mesh space (geometric transform applied) to joint space, in FBX space.
    pub inverse_binds: Vec<DMat4>,
    /// Joint and weight of each control point, largest first, with a sum of 1. Empty for a control
    /// point without weights.
    pub weights: Vec<Vec<(u16, f32)>>,
}

/// Reads the skin that deforms a mesh, if any. `owner` is the geometry, or the model in version 6.
pub(crate) fn read(
    objects: &Objects<'_>,
    nodes: &Nodes,
    owner: usize,
    mesh_node: usize,
    bind_pose: &BindPose,
    point_count: usize,
    warnings: &mut Warnings,
) -> Result<Option<Skin>> {
    let place = objects.get(owner).map_or_else(String::new, |object| format!("skin of \"{}\"", object.name));
    let mut skin =
        Skin { joints: Vec::new(), inverse_binds: Vec::new(), weights: vec![Vec::new(); point_count] };
    for deformer in objects.sources_of_kind(owner, "Deformer", "Skin") {
        for cluster in objects.sources_of_kind(deformer, "Deformer", "Cluster") {
            let Some(node) = objects.get(cluster).map(|object| object.node) else { continue };
            let bones = objects.sources_of_class(cluster, "Model");
            let Some(joint) = bones.first().and_then(|&bone| nodes.of_object(bone)) else {
                warnings.add(&place, "a cluster has no bone; its weights were left out");
                continue;
            };
            if node.child_text("Mode").is_some_and(|mode| mode == "Additive") {
                warnings.add(&place, "a cluster is additive; its weights were normalised with the others");
            }
            let inverse_bind = inverse_bind(node, nodes, bind_pose, joint, mesh_node)?;
            let joint = skin.joint(joint, inverse_bind, &place, warnings);
            skin.add_weights(node, joint, &place, warnings)?;
        }
    }
    if skin.joints.is_empty() {
        return Ok(None);
    }
    skin.normalise(&place, warnings);
    Ok(Some(skin))
}

impl Skin {
    /// The index of a joint in the skin.
    fn joint(&mut self, joint: usize, inverse_bind: DMat4, place: &str, warnings: &mut Warnings) -> u16 {
        if let Some(at) = self.joints.iter().position(|&other| other == joint) {
            let other = self.inverse_binds.get(at).copied().unwrap_or_default();
            if !other.abs_diff_eq(inverse_bind, 1e-4 * inverse_bind.w_axis.abs().max_element().max(1.0)) {
                warnings.add(place, "two clusters of one bone have different bind poses; the first was used");
            }
            return u16::try_from(at).unwrap_or(0);
        }
        let at = u16::try_from(self.joints.len()).unwrap_or(0);
        if usize::from(at) == self.joints.len() {
            self.joints.push(joint);
            self.inverse_binds.push(inverse_bind);
        }
        at
    }

    fn add_weights(
        &mut self,
        cluster: &Node<'_>,
        joint: u16,
        place: &str,
        warnings: &mut Warnings,
    ) -> Result<()> {
        // A cluster lists each control point once. A larger one is decoded by no mesh.
        let count = cluster.child("Indexes").map_or(0, Node::array_len);
        if count / MAX_REPEATS > self.weights.len() {
            warnings.add(
                place,
                format!("a cluster has {count} weights, more than the mesh has vertices; they were left out"),
            );
            return Ok(());
        }
        let indices = cluster.child_ints("Indexes")?;
        let weights = cluster.child_floats("Weights")?;
        let mut ignored = indices.len().abs_diff(weights.len());
        for (index, weight) in indices.into_iter().zip(weights) {
            let row = usize::try_from(index).ok().and_then(|index| self.weights.get_mut(index));
            match row {
                Some(row) if weight.is_finite() => {
                    let weight = weight.max(0.0) as f32;
                    match row.last_mut().filter(|(last, _)| *last == joint) {
                        Some((_, sum)) => *sum += weight,
                        None if weight > 0.0 => row.push((joint, weight)),
                        None => {}
                    }
                }
                _ => ignored += 1,
            }
        }
        if ignored > 0 {
            warnings.add(place, format!("{ignored} weights of a cluster fit no vertex; they were left out"));
        }
        Ok(())
    }

    /// Keeps the largest weights of each control point and divides them by their sum.
    fn normalise(&mut self, place: &str, warnings: &mut Warnings) {
        let (mut unweighted, mut crowded) = (0, 0);
        for row in &mut self.weights {
            merge_equal_joints(row);
            sort_by_key(row, |&(_, weight)| !u64::from(weight.to_bits()));
            crowded += usize::from(row.len() > MAX_INFLUENCES);
            row.truncate(MAX_INFLUENCES);
            let sum: f64 = row.iter().map(|&(_, weight)| f64::from(weight)).sum();
            if sum < MIN_WEIGHT_SUM || !sum.is_finite() {
                unweighted += 1;
                row.clear();
            }
            row.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / sum) as f32);
        }
        if crowded > 0 {
            let what =
                format!("{crowded} vertices have more than {MAX_INFLUENCES} weights; the largest were kept");
            warnings.add(place, what);
        }
        if unweighted > 0 {
            warnings
                .add(place, format!("{unweighted} vertices have no weights; they follow the topmost joint"));
        }
    }
}

/// Adds up weights of one joint that came from several clusters.
fn merge_equal_joints(row: &mut Vec<(u16, f32)>) {
    if !row.is_sorted_by_key(|&(joint, _)| joint) {
        sort_by_key(row, |&(joint, _)| joint.into());
    }
    row.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 += later.1;
        }
        is_same
    });
}

/// The matrix from mesh space to joint space of a cluster. Without a stored one, it follows from
/// the bind pose or, failing that, from the nodes.
fn inverse_bind(
    cluster: &Node<'_>,
    nodes: &Nodes,
    bind_pose: &BindPose,
    joint: usize,
    mesh_node: usize,
) -> Result<DMat4> {
    if let Some(matrix) = matrix(cluster, "Transform")? {
        return Ok(matrix);
    }
    let joint_bind = match matrix(cluster, "TransformLink")? {
        Some(link) => link,
        None => bind_pose.global(nodes, joint),
    };
    Ok(inverse(joint_bind) * bind_pose.global(nodes, mesh_node))
}

/// The inverse of a matrix, or the identity if there is none.
fn inverse(matrix: DMat4) -> DMat4 {
    let inverse = matrix.inverse();
    if inverse.is_finite() { inverse } else { DMat4::IDENTITY }
}

/// A usable matrix of a child: finite, affine and invertible.
pub(crate) fn matrix(node: &Node<'_>, name: &str) -> Result<Option<DMat4>> {
    let Some(node) = node.child(name) else { return Ok(None) };
    let numbers = node.floats()?;
    let numbers: Option<[f64; 16]> = numbers.get(..16).and_then(|numbers| numbers.try_into().ok());
    let matrix = numbers.map(|numbers| DMat4::from_cols_array(&numbers));
    Ok(matrix.filter(|matrix| matrix.is_finite() && matrix.inverse().is_finite()))
}
