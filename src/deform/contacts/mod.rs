//! Contacts: prevent self-intersection in bent joints (docs/theory/contacts.md).
//!
//! In, once: the mesh at rest, weights, bones. In, per frame: one matrix per joint and posed
//! positions. Out: vertices that crossed the contact plane between two bones are moved back to it.
//! Source: Rohmer, Hahmann, Cani 2008, §5.4. Cost per frame: a few operations for each vertex near
//! a bent joint. Nothing is allocated.
//!
//! A vertex has crossed when another bone is nearer than the one that was nearest at rest. For two
//! bones that meet in a joint, the points equally near to both form a plane, so a vertex moves to
//! it in one step along its normal. (The paper divides distances by the lengths of the bones. Then
//! the contact is curved, and triangles flattened against it from both sides intersect. The paper
//! also moves vertices towards the bone. Then vertices that crossed far are laid over those that
//! crossed little: a finger bent by 120° kept 8 of 53 intersections.)
//!
//! [`Contacts`] consists of the [`ContactLayout`] (mesh, weights, bones), [`ContactParameters`],
//! and the scratch of a [`ContactFrame`].

mod layout;
mod plane;
mod strain;
mod tuning;

use glam::{Mat4, Vec3, Vec3A};

pub use tuning::ContactTuning;

use crate::math::larger;
use crate::model::{Mesh, Skeleton, Weights};
use layout::{ContactLayout, ContactVertex};
use plane::{ContactPlane, smoothstep};
use strain::{EdgeLimit, limit_strain, saturated};

/// The contacts of one character.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    layout: ContactLayout,
    parameters: ContactParameters,
    frame: ContactFrame,
}

/// What does not depend on the rest shape.
#[derive(Clone, Debug, Default)]
struct ContactParameters {
    tuning: ContactTuning,
    /// Per contact vertex: whether the volume correction may move it.
    is_volume_corrected: Vec<bool>,
}

/// Scratch of a frame.
#[derive(Clone, Debug, Default)]
struct ContactFrame {
    /// Per joint with a contact: its plane, if it is bent.
    planes: Vec<Option<ContactPlane>>,
    /// Vertices near contacts that are examined again while volumes are corrected.
    rechecked: Vec<Recheck>,
    near: Vec<NearContact>,
    /// Per contact vertex: its displacement along the normal of the plane.
    displacements: Vec<f32>,
    /// The vertices that the joint in hand has examined.
    steps: Vec<ContactStep>,
    edge_limits: Vec<EdgeLimit>,
    moves: Vec<ContactMove>,
    moves_other_vertices: bool,
}

/// A contact vertex that is examined again.
#[derive(Clone, Copy, Debug)]
struct Recheck {
    /// Index of the joint.
    joint: u32,
    /// Index in [`ContactLayout::vertices`].
    vertex: u32,
    /// Smallest allowed height.
    clearance: f32,
}

/// A vertex near a contact.
#[derive(Clone, Copy, Debug)]
pub struct NearContact {
    /// Vertex of the solve mesh.
    pub vertex: u32,
    /// Factor of its displacements in the volume correction, from 0 (immovable) to 1 (free).
    pub mobility: f32,
}

/// A displacement of a vertex back to a contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactMove {
    /// Vertex of the solve mesh.
    pub vertex: u32,
    /// The displacement.
    pub by: Vec3A,
    /// Its mobility afterwards, as [`NearContact::mobility`].
    pub mobility: f32,
}

impl Contacts {
    /// Finds the joints where two bones meet and share vertices.
    pub fn new(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton, tuning: &ContactTuning) -> Self {
        let layout = ContactLayout::new(mesh, weights, skeleton, tuning);
        let count = layout.vertices.len();
        let frame = ContactFrame {
            planes: vec![None; layout.joints.len()],
            rechecked: Vec::with_capacity(count),
            near: Vec::with_capacity(count),
            displacements: vec![0.0; count],
            steps: Vec::with_capacity(count),
            edge_limits: Vec::with_capacity(layout.edges.len()),
            moves: Vec::with_capacity(count),
            moves_other_vertices: false,
        };
        let is_volume_corrected = vec![false; count];
        Self { layout, parameters: ContactParameters { tuning: tuning.clone(), is_volume_corrected }, frame }
    }

    /// Sets which vertices the volume correction may move. It then computes their normals, and only
    /// these are examined again by [`Contacts::find_moves`].
    pub fn set_volume_corrected(&mut self, is_corrected: impl Fn(u32) -> bool) {
        let vertices = self.layout.vertices.iter().map(|vertex| is_corrected(vertex.vertex));
        self.parameters.is_volume_corrected = vertices.collect();
    }

    /// Whether the last frame moved vertices that the volume correction does not.
    pub fn moves_other_vertices(&self) -> bool {
        self.frame.moves_other_vertices
    }

    /// Vertices at and near contacts in the last frame.
    pub fn near(&self) -> &[NearContact] {
        &self.frame.near
    }

    /// Moves vertices of `positions` (posed, one per vertex of the solve mesh) that crossed a
    /// contact back to it. Whether any moved.
    pub fn project_to_contacts(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        let Self { layout, parameters, frame } = self;
        frame.near.clear();
        frame.rechecked.clear();
        frame.moves_other_vertices = false;
        let mut any = false;
        for joint in 0..layout.joints.len() {
            let matrices = layout.joints[joint].joints.map(|joint| &posed_from_rest[joint]);
            let plane = ContactPlane::new(&layout.joints[joint], matrices, &parameters.tuning);
            frame.planes[joint] = plane;
            if let Some(plane) = &plane {
                any |= project_joint(layout, parameters, frame, joint, plane, positions);
            }
        }
        any
    }

    /// Examines the vertices near contacts again in the same pose, at the positions that `position`
    /// gives for vertices of the solve mesh. Returns the displacements back to contacts.
    pub fn find_moves(&mut self, position: impl Fn(u32) -> Vec3) -> &[ContactMove] {
        let Self { layout, parameters, frame } = self;
        frame.moves.clear();
        for &Recheck { joint, vertex, clearance } in &frame.rechecked {
            let vertex = &layout.vertices[vertex as usize];
            let Some(plane) = &frame.planes[joint as usize] else { continue };
            let from_joint = position(vertex.vertex) - plane.joint;
            let overlap = clearance - vertex.side * from_joint.dot(plane.normal);
            if overlap > parameters.tuning.min_displacement * plane.thickness {
                let rim_distance = larger(plane.rim_distance(from_joint), 0.0);
                let by = plane.normal * (vertex.side * plane.faded(overlap, rim_distance));
                let mobility = plane.mobility(0.0, rim_distance);
                frame.moves.push(ContactMove { vertex: vertex.vertex, by: by.into(), mobility });
            }
        }
        &frame.moves
    }
}

/// A vertex of a contact in a frame.
#[derive(Clone, Copy, Debug)]
struct ContactStep {
    /// Index in [`ContactLayout::vertices`].
    vertex: usize,
    /// Height before, and height above the clearance after the full displacement.
    height: f32,
    projected: f32,
    rim_distance: f32,
    /// Length of the displacement before limits.
    wanted: f32,
}

/// Projects the vertices of one joint. Whether any moved.
fn project_joint(
    layout: &ContactLayout,
    parameters: &ContactParameters,
    frame: &mut ContactFrame,
    joint: usize,
    plane: &ContactPlane,
    positions: &mut [Vec3],
) -> bool {
    if find_displacements(layout, &parameters.tuning, frame, joint, plane, positions) {
        let ContactFrame { edge_limits, displacements, steps, .. } = frame;
        let edges = &layout.edges[layout.joints[joint].edges.clone()];
        limit_strain(edges, plane.normal, positions, &parameters.tuning, edge_limits, displacements);
        let share = fade_of_unmet(&parameters.tuning, steps, displacements);
        steps.iter().for_each(|step| displacements[step.vertex] *= share);
    }
    apply_displacements(layout, parameters, frame, joint, plane, positions)
}

/// Factor of the displacements of a joint: 1 if limits leave them as they are, 0 if limits take
/// more than a part of them. Skin that crosses so far would be laid in layers.
fn fade_of_unmet(tuning: &ContactTuning, steps: &[ContactStep], displacements: &[f32]) -> f32 {
    let wanted: f32 = steps.iter().map(|step| step.wanted).sum();
    let met: f32 = steps.iter().map(|step| displacements[step.vertex].abs()).sum();
    let unmet = 1.0 - met / larger(wanted, f32::MIN_POSITIVE);
    1.0 - smoothstep((unmet - tuning.unmet_share) / tuning.unmet_range)
}

/// Computes the displacements of the vertices of one joint along the normal of its plane. Whether
/// there are any.
fn find_displacements(
    layout: &ContactLayout,
    tuning: &ContactTuning,
    frame: &mut ContactFrame,
    joint: usize,
    plane: &ContactPlane,
    positions: &[Vec3],
) -> bool {
    let free_height = tuning.free_share * tuning.mobility_height * plane.thickness;
    let min_displacement = tuning.min_displacement * plane.thickness;
    let mut any = false;
    let vertices = layout.joints[joint].vertices.clone();
    frame.displacements[vertices.clone()].fill(0.0);
    frame.steps.clear();
    for (vertex, index) in layout.vertices[vertices.clone()].iter().zip(vertices.start..) {
        let by_own_bone = plane.height_by_own_bone(vertex);
        if !vertex.is_shared && by_own_bone - vertex.clearance >= free_height {
            // Its bone alone moves it, and keeps it away from the contact.
            continue;
        }
        let from_joint = positions[vertex.vertex as usize] - plane.joint;
        let rim_distance = plane.rim_distance(from_joint);
        if rim_distance <= 0.0 {
            continue;
        }
        let height = vertex.side * from_joint.dot(plane.normal);
        let projection = Projection::new(plane, vertex, height, by_own_bone);
        let mut wanted = 0.0;
        if projection.displacement.abs() > min_displacement {
            wanted = plane.faded(projection.displacement, rim_distance);
            frame.displacements[index] = vertex.side * saturated(vertex, wanted);
            any = true;
        }
        let (projected, wanted) = (projection.height, wanted.abs());
        frame.steps.push(ContactStep { vertex: index, height, projected, rim_distance, wanted });
    }
    any
}

/// Moves the vertices of one joint, and lists those near its contact. Whether any moved.
fn apply_displacements(
    layout: &ContactLayout,
    parameters: &ContactParameters,
    frame: &mut ContactFrame,
    joint: usize,
    plane: &ContactPlane,
    positions: &mut [Vec3],
) -> bool {
    let tuning = &parameters.tuning;
    let free_height = tuning.free_share * tuning.mobility_height * plane.thickness;
    let recheck_height = tuning.recheck_height * plane.thickness;
    let mut any = false;
    for &ContactStep { vertex: index, height, projected, rim_distance, .. } in &frame.steps {
        let (vertex, by) = (&layout.vertices[index], frame.displacements[index]);
        if by != 0.0 {
            positions[vertex.vertex as usize] += plane.normal * by;
            any = true;
            frame.moves_other_vertices |= !parameters.is_volume_corrected[index];
        }
        if projected < free_height {
            let mobility = plane.mobility(projected, rim_distance);
            frame.near.push(NearContact { vertex: vertex.vertex, mobility });
        }
        if projected < recheck_height && parameters.is_volume_corrected[index] {
            // A vertex that is tolerated below its clearance stays there. Otherwise it would move
            // back by a part of the way each time it is examined.
            let clearance = (height + vertex.side * by).min(vertex.clearance);
            frame.rechecked.push(Recheck { joint: joint as u32, vertex: index as u32, clearance });
        }
    }
    any
}

/// The full displacement of a vertex, before it is faded.
struct Projection {
    displacement: f32,
    /// Height above the clearance afterwards.
    height: f32,
}

impl Projection {
    #[inline]
    fn new(plane: &ContactPlane, vertex: &ContactVertex, height: f32, by_own_bone: f32) -> Self {
        let height = plane.tolerated_height(vertex, height);
        let by_other = plane.height_by_other_bone(vertex, height, by_own_bone);
        let displacement = vertex.displacement(vertex.clearance - (height - by_other)) - by_other;
        Self { displacement, height: height + displacement - vertex.clearance }
    }
}
