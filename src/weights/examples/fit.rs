//! The unknowns of a fit, and what is known. The steps that improve one kind of unknown each are in
//! files of their own: [`super::motions`], [`super::turns`], [`super::rows`]; what they lower is in
//! [`super::energy`].
//!
//! Lengths are in units of the mesh's diagonal, so nothing depends on the model's units. Every step
//! finds the minimum of `E` (or of what lies above it and touches it) over its own unknowns, so `E`
//! never grows.

use glam::{DMat3, DVec3};

use super::ExampleFit;
use super::turns::turn_with;
use crate::operators::qp::Quadratic;

/// What moves a handle in one example: the images of the axes, then the translation.
pub(super) type Transform = [DVec3; 4];

const IDENTITY: Transform = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];

/// Handles that held less than this of a vertex are all as far from it. Larger: what is a little
/// farther costs as much as what is at the other end. Smaller: whether a handle held 0.1 or 0.01
/// counts for less.
const FARTHEST: f64 = 1e-4;

/// Everything a fit knows.
pub(super) struct Fit {
    pub(super) handles: usize,
    pub(super) rest: Vec<DVec3>,
    pub(super) stiffness: Quadratic,
    /// Every edge once: ends and conductance.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) conductance: Vec<f64>,
    /// The edges at each vertex: (edge, other end).
    pub(super) around: Vec<Vec<(u32, u32)>>,
    /// By example and vertex.
    pub(super) wanted: Vec<Vec<DVec3>>,
    /// By vertex and handle.
    pub(super) weights: Vec<f64>,
    /// By example and handle.
    pub(super) transforms: Vec<Vec<Transform>>,
    /// By example and group.
    pub(super) rotations: Vec<Vec<DMat3>>,
    /// By example and handle: the rotation its motion is nearest to.
    pub(super) turns: Vec<Vec<DMat3>>,
    pub(super) group_of_edge: Vec<u32>,
    /// By example and vertex: where the weights and transforms take it.
    pub(super) posed: Vec<Vec<DVec3>>,
    /// By vertex and handle, 0 to 1: how far they are from each other by the weights it began with.
    pub(super) far: Vec<f64>,
    /// Vertices whose weights are given.
    pub(super) is_given: Vec<bool>,
    pub(super) options: ExampleFit,
    /// Whether λ1 follows the noise.
    pub(super) is_lowered: bool,
}

impl Fit {
    pub(super) fn new(
        rest: Vec<DVec3>,
        stiffness: Quadratic,
        wanted: Vec<Vec<DVec3>>,
        weights: Vec<f64>,
        is_given: Vec<bool>,
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
        let transforms = vec![vec![IDENTITY; handles]; wanted.len()];
        let rotations = vec![vec![DMat3::IDENTITY]; wanted.len()];
        let turns = vec![vec![DMat3::IDENTITY; handles]; wanted.len()];
        let posed = vec![rest.clone(); wanted.len()];
        let group_of_edge = vec![0; edges.len()];
        let far = weights.iter().map(|w| w.max(FARTHEST).ln() / FARTHEST.ln()).collect();
        Self {
            handles,
            rest,
            stiffness,
            edges,
            conductance,
            around,
            wanted,
            weights,
            transforms,
            rotations,
            turns,
            group_of_edge,
            posed,
            far,
            is_given,
            options,
            is_lowered: false,
        }
    }

    pub(super) fn row(&self, vertex: usize) -> &[f64] {
        &self.weights[vertex * self.handles..(vertex + 1) * self.handles]
    }

    /// One over how many vertices there are: the first term is a mean, so that denser meshes do not
    /// weigh it more.
    pub(super) fn share(&self) -> f64 {
        1.0 / self.rest.len().max(1) as f64
    }

    pub(super) fn pose(&mut self) {
        for (posed, transforms) in self.posed.iter_mut().zip(&self.transforms) {
            for (vertex, posed) in posed.iter_mut().enumerate() {
                let at = self.rest[vertex];
                let row = &self.weights[vertex * self.handles..(vertex + 1) * self.handles];
                let held = row.iter().zip(transforms).filter(|(w, _)| **w > 0.0);
                *posed = held.map(|(w, t)| moved(t, at) * *w).sum();
            }
        }
    }

    /// Goes on as the last step did, `share` times as far. What that makes of `E` must be looked
    /// at.
    pub(super) fn extrapolate(&mut self, last: &[Vec<Transform>], share: f64) {
        for (motion, last) in
            self.transforms.iter_mut().flatten().flatten().zip(last.iter().flatten().flatten())
        {
            *motion += (*motion - *last) * share;
        }
        for (transforms, turns) in self.transforms.iter().zip(&mut self.turns) {
            turn_with(transforms, turns);
        }
        self.pose();
    }

    /// What [`Fit::restore`] brings back.
    pub(super) fn kept(&self) -> Kept {
        Kept {
            weights: self.weights.clone(),
            transforms: self.transforms.clone(),
            rotations: self.rotations.clone(),
            turns: self.turns.clone(),
            group_of_edge: self.group_of_edge.clone(),
            posed: self.posed.clone(),
        }
    }

    /// Forgets everything since `kept`.
    pub(super) fn restore(&mut self, kept: Kept) {
        let Kept { weights, transforms, rotations, turns, group_of_edge, posed } = kept;
        (self.weights, self.transforms, self.rotations) = (weights, transforms, rotations);
        (self.turns, self.group_of_edge, self.posed) = (turns, group_of_edge, posed);
    }
}

/// All unknowns of a fit at one time.
pub(super) struct Kept {
    weights: Vec<f64>,
    pub(super) transforms: Vec<Vec<Transform>>,
    rotations: Vec<Vec<DMat3>>,
    turns: Vec<Vec<DMat3>>,
    group_of_edge: Vec<u32>,
    posed: Vec<Vec<DVec3>>,
}

pub(super) fn moved(t: &Transform, at: DVec3) -> DVec3 {
    t[0] * at.x + t[1] * at.y + t[2] * at.z + t[3]
}
