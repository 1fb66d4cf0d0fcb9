//! The unknowns and the data of a fit. Each kind of unknown has its step in a file of its own:
//! [`super::motions`], [`super::handle_rotations`], [`super::rows`]. The energy they lower is in
//! [`super::energy`].
//!
//! Lengths are in units of the mesh's diagonal, so nothing depends on the units of the model. Every
//! step minimises `E` (or an upper bound that touches it) over its own unknowns, so `E` never
//! grows.

use glam::{DMat3, DVec3};

use super::ExampleFit;
use super::rotations::nearest_rotations;
use crate::operators::qp::Quadratic;

/// The motion of a handle in one example: the images of the axes, then the translation.
pub(super) type Transform = [DVec3; 4];

const IDENTITY: Transform = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];

/// Initial weights are raised to this for `f_ij`. Larger: a slightly farther handle costs as much
/// as one at the other end. Smaller: the difference between initial weights of 0.1 and 0.01 has
/// less influence.
const MIN_INITIAL_WEIGHT: f64 = 1e-4;

/// Unknowns, data and options of a fit.
pub(super) struct Fit {
    pub(super) handles: usize,
    pub(super) rest: Vec<DVec3>,
    pub(super) stiffness: Quadratic,
    /// Every edge once: its ends and its cotangent weight.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) conductance: Vec<f64>,
    /// The edges at each vertex: (edge, other end).
    pub(super) around: Vec<Vec<(u32, u32)>>,
    /// Vertex positions of the examples (`q_ik`), by example and vertex.
    pub(super) targets: Vec<Vec<DVec3>>,
    /// By vertex and handle.
    pub(super) weights: Vec<f64>,
    /// By example and handle.
    pub(super) transforms: Vec<Vec<Transform>>,
    /// By example and group.
    pub(super) rotations: Vec<Vec<DMat3>>,
    /// The rotation nearest to each motion (`Q_jk`), by example and handle.
    pub(super) handle_rotations: Vec<Vec<DMat3>>,
    pub(super) group_of_edge: Vec<u32>,
    /// Positions that the weights and transforms give (`p'_ik`), by example and vertex.
    pub(super) posed: Vec<Vec<DVec3>>,
    /// `f_ij` in 0..=1, by vertex and handle: 0 for an initial weight of 1, 1 for a negligible one.
    pub(super) distance_penalty: Vec<f64>,
    /// By vertex and handle: whether the handle may move the vertex; empty if all may
    /// ([`super::support`]).
    pub(super) support: Vec<bool>,
    /// Vertices whose weights are fixed.
    pub(super) is_fixed: Vec<bool>,
    pub(super) options: ExampleFit,
    /// Whether λ1 follows the noise.
    pub(super) has_automatic_sparsity: bool,
}

impl Fit {
    pub(super) fn new(
        rest: Vec<DVec3>,
        stiffness: Quadratic,
        targets: Vec<Vec<DVec3>>,
        weights: Vec<f64>,
        is_fixed: Vec<bool>,
        options: ExampleFit,
    ) -> Self {
        let handles = weights.len() / rest.len().max(1);
        let (mut edges, mut conductance) = (Vec::new(), Vec::new());
        let mut around = vec![Vec::new(); rest.len()];
        for row in 0..stiffness.size() {
            for (column, value) in stiffness.row(row).filter(|&(column, value)| column < row && value < 0.0) {
                around[row].push((edges.len() as u32, column as u32));
                around[column].push((edges.len() as u32, row as u32));
                edges.push((column as u32, row as u32));
                conductance.push(-value);
            }
        }
        let transforms = vec![vec![IDENTITY; handles]; targets.len()];
        let rotations = vec![vec![DMat3::IDENTITY]; targets.len()];
        let handle_rotations = vec![vec![DMat3::IDENTITY; handles]; targets.len()];
        let posed = vec![rest.clone(); targets.len()];
        let group_of_edge = vec![0; edges.len()];
        let distance_penalty =
            weights.iter().map(|w| w.max(MIN_INITIAL_WEIGHT).ln() / MIN_INITIAL_WEIGHT.ln()).collect();
        Self {
            handles,
            rest,
            stiffness,
            edges,
            conductance,
            around,
            targets,
            weights,
            transforms,
            rotations,
            handle_rotations,
            group_of_edge,
            posed,
            distance_penalty,
            support: Vec::new(),
            is_fixed,
            options,
            has_automatic_sparsity: false,
        }
    }

    #[inline]
    pub(super) fn row(&self, vertex: usize) -> &[f64] {
        &self.weights[vertex * self.handles..(vertex + 1) * self.handles]
    }

    /// One over the number of vertices: the data term is a mean, so that it does not depend on the
    /// density of the mesh.
    pub(super) fn inverse_vertex_count(&self) -> f64 {
        1.0 / self.rest.len().max(1) as f64
    }

    pub(super) fn pose(&mut self) {
        for (posed, transforms) in self.posed.iter_mut().zip(&self.transforms) {
            for (vertex, posed) in posed.iter_mut().enumerate() {
                let at = self.rest[vertex];
                let row = &self.weights[vertex * self.handles..(vertex + 1) * self.handles];
                *posed = blended(row, transforms, at);
            }
        }
    }

    /// Extends the last step by the factor `share`. `E` may grow; the caller must check it.
    pub(super) fn extrapolate(&mut self, last: &[Vec<Transform>], share: f64) {
        for (motion, last) in
            self.transforms.iter_mut().flatten().flatten().zip(last.iter().flatten().flatten())
        {
            *motion += (*motion - *last) * share;
        }
        for (transforms, handle_rotations) in self.transforms.iter().zip(&mut self.handle_rotations) {
            nearest_rotations(transforms, handle_rotations);
        }
        self.pose();
    }

    /// A copy of the unknowns for [`Fit::restore`].
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            weights: self.weights.clone(),
            transforms: self.transforms.clone(),
            rotations: self.rotations.clone(),
            handle_rotations: self.handle_rotations.clone(),
            group_of_edge: self.group_of_edge.clone(),
            posed: self.posed.clone(),
        }
    }

    /// Restores the unknowns.
    pub(super) fn restore(&mut self, snapshot: Snapshot) {
        let Snapshot { weights, transforms, rotations, handle_rotations, group_of_edge, posed } = snapshot;
        (self.weights, self.transforms, self.rotations) = (weights, transforms, rotations);
        (self.handle_rotations, self.group_of_edge, self.posed) = (handle_rotations, group_of_edge, posed);
    }
}

/// All unknowns of a fit.
pub(super) struct Snapshot {
    weights: Vec<f64>,
    pub(super) transforms: Vec<Vec<Transform>>,
    rotations: Vec<Vec<DMat3>>,
    handle_rotations: Vec<Vec<DMat3>>,
    group_of_edge: Vec<u32>,
    posed: Vec<Vec<DVec3>>,
}

#[inline]
pub(super) fn moved(t: &Transform, at: DVec3) -> DVec3 {
    t[0] * at.x + t[1] * at.y + t[2] * at.z + t[3]
}

/// The image of a point under all motions, blended by its weights.
pub(super) fn blended(row: &[f64], transforms: &[Transform], at: DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for (&w, t) in row.iter().zip(transforms) {
        if w > 0.0 {
            sum += moved(t, at) * w;
        }
    }
    sum
}
