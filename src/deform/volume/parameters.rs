//! Parameters of a frame: what follows from options, painted map and tuning, for one rest layout.

use std::ops::Range;

use super::VolumeInputs;
use super::maps::Maps;
use super::mesh_layout::MeshLayout;
use super::options::{CorrectionMap, CorrectionMode, VolumeOptions};
use super::rest_layout::RestLayout;
use super::tuning::VolumeTuning;

/// The method that restores volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Solver {
    /// One linear step, as published (docs/theory/volume.md#linear-step).
    LinearStep,
    /// One step τ per segment, exactly (docs/theory/volume.md#exact-step).
    IndependentSegments,
    /// Pressures across segment interfaces (docs/theory/volume.md#interface-pressures).
    InterfacePressures,
}

/// What follows from options, painted map and tuning.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// The method that restores volumes.
    pub solver: Solver,
    /// Whether γ is multiplied by the bend factor.
    pub follows_pose: bool,
    /// γ per vertex of the solve mesh, for display.
    pub vertex_gamma: Vec<f32>,
    /// Per slot: γ. Without its fade at interfaces if there are interface pressures.
    pub slot_gamma: Vec<f32>,
    /// Per slot: γ of all vertices of a segment, if γ alone cannot restore its volume.
    pub fallback_gamma: Vec<f32>,
    /// Per slot: the same for segments whose rigid vertices do not move.
    pub soft_gamma: Vec<f32>,
    /// Per slot: factor from area vector to direction. In exact mode one over the rest area of the
    /// vertex, in paper mode one over the mean of these areas.
    pub inverse_areas: Vec<f32>,
    /// Which vertices may move.
    pub movable: Movable,
    /// Tuning constants.
    pub tuning: VolumeTuning,
}

/// Vertices and triangles that may move, per segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Movable {
    /// Whether vertices that follow one joint only may move as well.
    pub uses_rigid_vertices: Vec<bool>,
    /// Slots of the vertices.
    pub slots: Vec<Range<usize>>,
    /// Own triangles with such a vertex.
    pub triangles: Vec<Range<usize>>,
}

impl Movable {
    /// All vertices.
    pub(super) fn all(mesh: &MeshLayout) -> Self {
        Self::new(mesh, vec![true; mesh.ranges.len()])
    }

    fn new(mesh: &MeshLayout, uses_rigid_vertices: Vec<bool>) -> Self {
        let ranges = || mesh.ranges.iter().zip(&uses_rigid_vertices);
        let slots = ranges().map(|(ranges, &uses_rigid)| ranges.movable(uses_rigid)).collect();
        let triangles = ranges().map(|(ranges, &uses_rigid)| ranges.movable_triangles(uses_rigid)).collect();
        Self { uses_rigid_vertices, slots, triangles }
    }
}

impl Parameters {
    /// Evaluates options and painted map for a rest layout.
    ///
    /// # Panics
    /// If the painted map is for another mesh.
    pub(super) fn new(rest: &RestLayout, inputs: &VolumeInputs, options: &VolumeOptions) -> Self {
        let VolumeInputs { mesh, painted, tuning, .. } = *inputs;
        let is_complete = painted.is_empty() || painted.len() == mesh.positions().len();
        assert!(is_complete, "painted for all vertices or none");
        let is_exact = options.mode == CorrectionMode::Exact;
        let follows_pose = options.where_bent && is_exact && options.map != CorrectionMap::Uniform;
        let solver = match options.mode {
            CorrectionMode::Paper => Solver::LinearStep,
            CorrectionMode::Exact if follows_pose && rest.pressure.is_some() => Solver::InterfacePressures,
            CorrectionMode::Exact => Solver::IndependentSegments,
        };
        let mut parameters = Self {
            solver,
            follows_pose,
            vertex_gamma: Vec::new(),
            slot_gamma: Vec::new(),
            fallback_gamma: Vec::new(),
            soft_gamma: Vec::new(),
            inverse_areas: inverse_areas(&rest.areas, is_exact),
            movable: Movable::default(),
            tuning: tuning.clone(),
        };
        parameters.set_maps(rest, Maps::new(inputs, options));
        parameters.set_movable(rest);
        parameters
    }

    /// Whether volumes are restored exactly.
    pub(super) fn is_exact(&self) -> bool {
        self.solver != Solver::LinearStep
    }

    /// Sorts the maps into slots.
    fn set_maps(&mut self, rest: &RestLayout, maps: Maps) {
        let in_slots =
            |map: &[f32]| -> Vec<f32> { rest.mesh.vertices.iter().map(|&v| map[v as usize]).collect() };
        let has_pressures = self.solver == Solver::InterfacePressures;
        self.slot_gamma = in_slots(if has_pressures { &maps.unfaded_gamma } else { &maps.gamma });
        if self.follows_pose {
            let shared = in_slots(&maps.shared);
            self.slot_gamma.iter_mut().zip(shared).for_each(|(gamma, shared)| *gamma *= shared);
        }
        if has_pressures {
            for carry in &rest.carry.vertices {
                if let Some(gamma) = self.slot_gamma.get_mut(carry.slot as usize) {
                    *gamma *= 1.0 - carry.share;
                }
            }
        }
        (self.fallback_gamma, self.soft_gamma) = (in_slots(&maps.fallback_gamma), in_slots(&maps.soft_gamma));
        let is_exact = self.is_exact();
        for (fallback, soft) in self.fallback_gamma.iter_mut().zip(&mut self.soft_gamma) {
            *fallback = if is_exact { *fallback } else { 0.0 };
            *soft = soft.min(*fallback);
        }
        self.vertex_gamma = maps.gamma;
    }

    fn set_movable(&mut self, rest: &RestLayout) {
        let least = self.tuning.displacement.min_shared_area;
        let uses_rigid_vertices = |slots: &Range<usize>| {
            !self.follows_pose || shared_area_below(least, slots, &rest.areas, &self.soft_gamma)
        };
        let ranges = rest.mesh.ranges.iter();
        let uses_rigid_vertices = ranges.map(|ranges| uses_rigid_vertices(&ranges.vertices)).collect();
        self.movable = Movable::new(&rest.mesh, uses_rigid_vertices);
    }
}

/// One over the area of each slot, or one over their mean; zero where there is no area.
fn inverse_areas(areas: &[f32], is_exact: bool) -> Vec<f32> {
    let mean = areas.iter().sum::<f32>() / areas.len().max(1) as f32;
    let inverse = |&area: &f32| {
        let inverse = 1.0 / if is_exact { area } else { mean };
        if inverse.is_finite() { inverse } else { 0.0 }
    };
    areas.iter().map(inverse).collect()
}

/// Whether less than a share of the surface of some slots is shared between joints.
fn shared_area_below(share: f32, slots: &Range<usize>, areas: &[f32], soft_gamma: &[f32]) -> bool {
    let (mut shared, mut all) = (0.0, 0.0);
    for slot in slots.clone() {
        shared += areas[slot] * soft_gamma[slot];
        all += areas[slot];
    }
    shared < share * all
}
