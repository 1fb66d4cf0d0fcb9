//! Rest layout of contacts: the joints that have one, and the vertices near each.
//!
//! In: the mesh at rest, weights, bones. Out: [`ContactLayout`]. A joint has a contact if two bones
//! meet there and share vertices. At rest the contact plane is the set of points equally near to
//! both bones (docs/theory/contacts.md#contact-plane). Cost: two passes over the vertices for every
//! such joint, once per rig.

use std::ops::Range;

use glam::Vec3;

use super::tuning::ContactTuning;
use crate::deform::thickness::local_thickness;
use crate::deform::volume::is_shared;
use crate::math::unit_or;
use crate::model::{Bone, Mesh, Skeleton, Topology, Weights};

/// All joints with a contact, and their vertices, concatenated.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactLayout {
    pub(super) joints: Vec<ContactJoint>,
    pub(super) vertices: Vec<ContactVertex>,
    pub(super) edges: Vec<ContactEdge>,
}

/// An edge at a vertex of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactEdge {
    /// Vertices of the solve mesh.
    pub(super) vertices: [u32; 2],
    /// Their indices in [`ContactLayout::vertices`]; [`NOT_IN_CONTACT`] for the second if it is
    /// not in the same contact.
    pub(super) ends: [u32; 2],
    /// Length at rest.
    pub(super) rest_length: f32,
}

/// Marks the end of an edge that is not in a contact.
pub(super) const NOT_IN_CONTACT: u32 = u32::MAX;

/// A joint between two bones that meet.
#[derive(Clone, Debug)]
pub(super) struct ContactJoint {
    /// The joints of the upper and the lower bone.
    pub(super) joints: [usize; 2],
    /// The far end of the upper bone, the joint, and the far end of the lower bone, at rest.
    pub(super) corner: [Vec3; 3],
    /// Bend angle at rest, in radians.
    pub(super) rest_angle: f32,
    /// Mean distance from the bones of the vertices that both influence.
    pub(super) thickness: f32,
    /// Range in [`ContactLayout::vertices`].
    pub(super) vertices: Range<usize>,
    /// Range in [`ContactLayout::edges`].
    pub(super) edges: Range<usize>,
}

/// A vertex near a joint with a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactVertex {
    /// Vertex of the solve mesh.
    pub(super) vertex: u32,
    /// +1 on the lower bone's side at rest, −1 on the upper bone's.
    pub(super) side: f32,
    /// Smallest allowed height above the plane, `ε`.
    pub(super) clearance: f32,
    /// Height above the clearance at which the contact begins to act, `f`.
    pub(super) softness: f32,
    /// Largest displacement by contacts.
    pub(super) max_displacement: f32,
    /// Position relative to the joint, at rest.
    pub(super) rest: Vec3,
    /// Whether it has more than one significant influence.
    pub(super) is_shared: bool,
    /// Share of the other bone in the weight that is not its own bone's.
    pub(super) other_share: f32,
    /// Where third joints influence it: the shares of the upper and the lower bone in their common
    /// weight.
    pub(super) own_shares: Option<[f32; 2]>,
}

/// The bones at a joint.
#[derive(Clone, Copy)]
struct JointBones<'a> {
    all: &'a [Bone],
    upper: &'a Bone,
    lower: &'a Bone,
}

impl ContactLayout {
    pub(super) fn new(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton, tuning: &ContactTuning) -> Self {
        let mut layout = Self::default();
        let topology = Topology::of(mesh);
        let all = skeleton.bones();
        for lower in all {
            let Some(upper) = lower.parent.map(|parent| &all[parent]) else { continue };
            let gap = upper.tail.distance(lower.head);
            let largest_gap = tuning.max_bone_gap * upper.length().min(lower.length());
            if upper.joint != lower.joint && gap <= largest_gap {
                layout.add_joint((mesh, &topology), weights, JointBones { all, upper, lower }, tuning);
            }
        }
        layout.limit_displacements(mesh, tuning);
        layout
    }

    fn add_joint(
        &mut self,
        (mesh, topology): (&Mesh, &Topology),
        weights: &Weights,
        bones: JointBones,
        tuning: &ContactTuning,
    ) {
        let JointBones { all, upper, lower } = bones;
        let thickness = thickness(mesh, weights, upper, lower, tuning);
        // No shared vertices, a sheet that lies on its bones, or an overflow.
        if !(thickness > 0.0 && thickness.is_finite()) {
            return;
        }
        let trunk = trunk_of(all, upper, lower, thickness);
        let corner = [far_end(trunk, lower.head), lower.head, lower.tail];
        let Corner { normal, angle: rest_angle, .. } = Corner::new(corner);
        let start = self.vertices.len();
        let candidates = 0..mesh.positions().len();
        self.vertices.extend(candidates.filter_map(|vertex| {
            let position = mesh.positions()[vertex];
            is_near(weights, bones, trunk, thickness, tuning, (vertex, position))
                .then(|| contact_vertex(weights, bones, normal, thickness, tuning, (vertex, position)))
                .flatten()
        }));
        let (joints, vertices) = ([upper.joint, lower.joint], start..self.vertices.len());
        let edges = self.add_edges(mesh, topology, vertices.clone());
        self.joints.push(ContactJoint { joints, corner, rest_angle, thickness, vertices, edges });
    }

    /// Lists the edges at the vertices of a contact.
    fn add_edges(&mut self, mesh: &Mesh, topology: &Topology, vertices: Range<usize>) -> Range<usize> {
        let start = self.edges.len();
        let own = &self.vertices[vertices.clone()];
        let index = |vertex: u32| {
            let found = own.binary_search_by_key(&vertex, |own| own.vertex);
            found.map_or(NOT_IN_CONTACT, |at| (vertices.start + at) as u32)
        };
        for (vertex, at) in own.iter().zip(vertices.start as u32..) {
            let here = mesh.positions()[vertex.vertex as usize];
            for &[_, neighbour] in topology.edges_of_vertex(vertex.vertex as usize) {
                let other = index(neighbour);
                // Edges inside are listed at their first vertex.
                if other > at {
                    let rest_length = here.distance(mesh.positions()[neighbour as usize]);
                    let vertices = [vertex.vertex, neighbour];
                    self.edges.push(ContactEdge { vertices, ends: [at, other], rest_length });
                }
            }
        }
        start..self.edges.len()
    }

    /// Sets the largest displacement of all vertices, by the thickness of the body there.
    fn limit_displacements(&mut self, mesh: &Mesh, tuning: &ContactTuning) {
        let mut chosen: Vec<u32> = self.vertices.iter().map(|vertex| vertex.vertex).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let thickness = local_thickness(mesh, &chosen);
        for vertex in &mut self.vertices {
            let at = chosen.binary_search(&vertex.vertex).unwrap_or(0);
            vertex.max_displacement = tuning.thickness_share * thickness[at];
        }
    }
}

/// Mean distance from the bones of the vertices that both influence; NaN if there are none.
fn thickness(mesh: &Mesh, weights: &Weights, upper: &Bone, lower: &Bone, tuning: &ContactTuning) -> f32 {
    let (mut sum, mut count) = (0.0, 0);
    for (vertex, &position) in mesh.positions().iter().enumerate() {
        let influences = |bone: &Bone| weight_of(weights, vertex, bone.joint) > tuning.thickness_weight;
        if influences(upper) && influences(lower) {
            let distance = |bone: &Bone| bone.nearest(position).distance(position);
            sum += distance(upper).min(distance(lower));
            count += 1;
        }
    }
    sum / count as f32
}

/// Whether a vertex follows one of the two joints most, is within reach, and has no other bone of
/// these joints nearer: a palm has many bones, and only the one that leads to the finger counts.
fn is_near(
    weights: &Weights,
    bones: JointBones,
    trunk: &Bone,
    thickness: f32,
    tuning: &ContactTuning,
    (vertex, position): (usize, Vec3),
) -> bool {
    let JointBones { all, upper, lower } = bones;
    let joints = [upper.joint, lower.joint];
    let from_joint = position - lower.head;
    if !joints.contains(&(weights.dominant(vertex) as usize))
        || from_joint.length() > tuning.reach * thickness
    {
        return false;
    }
    let distance = |bone: &Bone| bone.nearest(position).distance_squared(position);
    let nearest = distance(upper).min(distance(trunk)).min(distance(lower));
    !all.iter().any(|bone| joints.contains(&bone.joint) && distance(bone) < nearest)
}

/// A vertex of a contact; none if it is far on the wrong side at rest, as a crotch is: it belongs
/// to the pelvis and is on the thighs' side.
fn contact_vertex(
    weights: &Weights,
    bones: JointBones,
    normal: Vec3,
    thickness: f32,
    tuning: &ContactTuning,
    (vertex, position): (usize, Vec3),
) -> Option<ContactVertex> {
    let JointBones { upper, lower, .. } = bones;
    let rest = position - lower.head;
    let height = rest.dot(normal);
    let side = if height < 0.0 { -1.0 } else { 1.0 };
    let follows_upper = weights.dominant(vertex) as usize == upper.joint;
    let is_on_wrong_side = (height < 0.0) != follows_upper;
    if is_on_wrong_side && height.abs() > tuning.max_wrong_side * thickness {
        return None;
    }
    let largest = tuning.clearance * thickness + tuning.clearance_per_height * height.abs();
    let clearance = (0.5 * height.abs()).min(largest);
    // At most the height at rest, so that nothing moves that has not come nearer.
    let (least, most) = (tuning.min_displacement * thickness, tuning.max_softness * thickness);
    let softness = (height.abs() - clearance).clamp(least, most);
    let is_shared = is_shared(weights, vertex, tuning.rigid_weight_tolerance);
    let [of_upper, of_lower] = [upper, lower].map(|bone| weight_of(weights, vertex, bone.joint));
    let (own, other) = if side < 0.0 { (of_upper, of_lower) } else { (of_lower, of_upper) };
    let other_share = if is_shared { (other / (1.0 - own)).min(1.0) } else { 0.0 };
    let both = of_upper + of_lower;
    let has_third = both < tuning.min_own_weight && both > 0.0;
    let own_shares = has_third.then(|| [of_upper / both, of_lower / both]);
    let vertex = vertex as u32;
    let max_displacement = f32::INFINITY;
    Some(ContactVertex {
        vertex,
        side,
        clearance,
        softness,
        max_displacement,
        rest,
        is_shared,
        other_share,
        own_shares,
    })
}

fn weight_of(weights: &Weights, vertex: usize, joint: usize) -> f32 {
    weights.row(vertex).iter().find(|i| i.column as usize == joint).map_or(0.0, |i| i.weight)
}

/// The bone around which the body above a joint is: the upper bone; or, if that is shorter than the
/// body is thick (from a pelvis to a thigh), the bone of the same or the previous joint that points
/// away most from the lower bone.
fn trunk_of<'a>(bones: &'a [Bone], upper: &'a Bone, lower: &Bone, thickness: f32) -> &'a Bone {
    if upper.length() >= thickness {
        return upper;
    }
    let along = unit_or(lower.tail - lower.head, Vec3::ZERO);
    let towards = |bone: &Bone| unit_or(far_end(bone, lower.head) - lower.head, Vec3::ZERO).dot(along);
    let same_joint = bones.iter().filter(|bone| bone.joint == upper.joint);
    let previous = upper.parent.map(|parent| &bones[parent]);
    same_joint.chain(previous).min_by(|a, b| towards(a).total_cmp(&towards(b))).unwrap_or(upper)
}

/// The end of a bone that is farther from a point.
fn far_end(bone: &Bone, from: Vec3) -> Vec3 {
    if bone.head.distance_squared(from) >= bone.tail.distance_squared(from) { bone.head } else { bone.tail }
}

/// The corner of two bones that meet.
pub(super) struct Corner {
    /// Unit normal of the plane equally near to both bones, towards the lower one; zero if both
    /// coincide.
    pub(super) normal: Vec3,
    /// Unit vector into the bend; zero if the bones are in line.
    pub(super) inward: Vec3,
    /// Bend angle, in radians.
    pub(super) angle: f32,
}

impl Corner {
    pub(super) fn new([upper, joint, lower]: [Vec3; 3]) -> Self {
        let along = [upper, lower].map(|end| unit_or(end - joint, Vec3::ZERO));
        let (across, inward) = (along[1] - along[0], along[0] + along[1]);
        let angle = 2.0 * inward.length().atan2(across.length());
        Self { normal: unit_or(across, Vec3::ZERO), inward: unit_or(inward, Vec3::ZERO), angle }
    }
}
