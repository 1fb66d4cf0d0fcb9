//! Scratch of a frame: everything that the steps of the correction write. Allocated once per rig.

use glam::Vec3A;

use super::coupling::Coupling;
use super::cubic::Cubic;
use super::gaps::Gaps;
use super::pressure_step::PressureScratch;
use super::rest_layout::RestLayout;

/// Scratch of a frame. "Per slot" arrays have one entry per vertex in the order of
/// [`MeshLayout`](super::mesh_layout::MeshLayout).
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The posed position of the vertex at [`RestLayout::origin_slot`].
    pub origin: Vec3A,
    /// Per slot, then per centroid of hole caps: position relative to `origin`.
    pub positions: Vec<Vec3A>,
    /// Per slot: sum of the area vectors of its triangles, `g_k`. Valid for movable vertices.
    pub area_vectors: Vec<Vec3A>,
    /// Per slot, then zeros for centroids: direction of motion `h_k`, about unit length where the
    /// surface is as large as at rest.
    pub directions: Vec<Vec3A>,
    /// Per slot, then zeros for centroids: displacement per unit of τ or of pressure.
    pub displacements: Vec<Vec3A>,
    /// Per slot: factor `φ_k ≤ 1` of all maps, reduced near contacts.
    pub mobility: Vec<f32>,
    /// Per slot: bend factor `b_k`; 1 if the map does not depend on the pose.
    pub bend_factors: Vec<f32>,
    /// Per pair of joints: `b_ij`.
    pub pair_bends: Vec<f32>,
    /// Per segment.
    pub segments: Vec<SegmentState>,
    /// Per segment: whether vertices are no longer where they were last measured.
    pub is_stale: Vec<bool>,
    /// Per segment: six-fold volume that the last projection to contacts has taken.
    pub contact_losses: Vec<f64>,
    /// Volumes and slopes of shared triangles.
    pub coupling: Coupling,
    /// Scratch of the step with interface pressures.
    pub pressure: PressureScratch,
    /// Scratch of the displacement limits.
    pub gaps: Gaps,
    /// Per carried vertex: its displacement with the skin beneath.
    pub carried: Vec<Vec3A>,
    /// Per joint: how much it increases volumes, as a share of them.
    pub growths: Vec<f64>,
}

/// Part of a segment in the correction of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its volume is right; it does not move.
    #[default]
    Restored,
    /// It is about to move.
    Starting,
    /// It moves.
    Moving,
    /// Its volume is wrong, but no vertex can move.
    Stuck,
}

/// State of a segment in a frame. Volumes are six-fold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentState {
    /// Volume that it should have in this pose if nothing flows across its interfaces.
    pub wanted: f64,
    /// Volume that it should have in this pose: `wanted` plus `interface_flux`.
    pub target: f64,
    /// Volume received from neighbours across interfaces.
    pub interface_flux: f64,
    /// Volume of its own triangles before the step; the part of those that cannot move.
    pub own_volume: f64,
    pub rigid_volume: f64,
    /// Volume that its own triangles gain along its displacements.
    pub gain: Cubic,
    /// Largest |τ|, from the largest displacement.
    pub max_tau: f64,
    /// Whether `gain` and `max_tau` belong to the current displacements.
    pub has_displacements: bool,
    /// Its part in the correction.
    pub stage: Stage,
    /// The step along its displacements.
    pub tau: f64,
    /// Volume after skinning and contacts.
    pub skinned: f64,
    /// Volume as last measured.
    pub volume: f64,
}

impl SegmentState {
    /// Volume that is missing.
    pub(super) fn missing(&self) -> f64 {
        self.target - self.volume
    }
}

impl Frame {
    pub(super) fn new(rest: &RestLayout) -> Self {
        let (slots, segments) = (rest.mesh.vertices.len(), rest.mesh.ranges.len());
        let with_centroids = slots + rest.mesh.centroid_ends.len();
        Self {
            origin: Vec3A::ZERO,
            positions: vec![Vec3A::ZERO; with_centroids],
            area_vectors: vec![Vec3A::ZERO; slots],
            directions: vec![Vec3A::ZERO; with_centroids],
            displacements: vec![Vec3A::ZERO; with_centroids],
            mobility: vec![1.0; slots],
            bend_factors: vec![1.0; slots],
            pair_bends: vec![0.0; rest.bend_pairs.len()],
            segments: vec![SegmentState::default(); segments],
            is_stale: vec![true; segments],
            contact_losses: vec![0.0; segments],
            coupling: Coupling::new(&rest.coupling),
            pressure: rest.pressure.as_ref().map(PressureScratch::new).unwrap_or_default(),
            gaps: Gaps::new(&rest.gaps),
            carried: vec![Vec3A::ZERO; rest.carry.vertices.len()],
            growths: Vec::new(),
        }
    }

    /// Prepares for another map: vertices that could move by the last one may be immovable now,
    /// next to movable ones.
    pub(super) fn reset(&mut self, follows_pose: bool) {
        // The bend factor of vertices that are never computed: rigid ones are not bent.
        self.bend_factors.fill(if follows_pose { 0.0 } else { 1.0 });
        self.directions.fill(Vec3A::ZERO);
        self.displacements.fill(Vec3A::ZERO);
    }
}
