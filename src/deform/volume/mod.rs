//! Volume correction after skinning (Rohmer, Hahmann, Cani 2008; docs/theory/volume.md).
//!
//! In, once: the solve mesh, weights per joint, skeleton, options and a painted map. In, per frame:
//! skinned positions of the solve mesh, by any deformer. Out: the same positions, displaced along
//! the surface normals so that every part, or every segment of it, has the volume it had at rest.
//! Cost per frame: three passes over the triangles of shared vertices, one over the others. Nothing
//! is allocated.
//!
//! A vertex moves by `τ γ h`. In paper mode the direction `h` is the sum `g` of the area vectors of
//! its triangles, which is six times the volume gradient and parallel to the normal, so that
//! `γ ⟨n, ∇V⟩ n` of the paper needs no square root; τ is the linear one. Exact mode divides `g` by
//! the rest area, so that the result does not depend on the triangulation, and averages it with the
//! neighbours. It multiplies γ by the [bend factor](bend_factors), and solves for τ exactly: with
//! [pressures](pressure_step) across interfaces, or for [independent segments](exact_step).
//!
//! Skin moves no farther than the [gap](gaps) in front of it allows, and carries [loose
//! parts](carry). Scaled joints change the [wanted volume](wanted_volumes).
//!
//! A segment whose volume is right keeps its bits.
//!
//! [`VolumeCorrection`] consists of the [`RestLayout`] (mesh and weights), the [`Parameters`]
//! (options) and the scratch of a [`Frame`]. Steps are free functions over these three;
//! [`find_displacements`] is their sequence.

mod apply;
mod bend_factors;
mod carry;
mod contact_rounds;
mod coupling;
mod cubic;
mod exact_step;
mod frame;
mod gaps;
mod hole_caps;
mod linear_step;
mod maps;
mod measure;
mod mesh_layout;
mod options;
mod parameters;
mod pressure_step;
mod pressure_system;
mod prisms;
mod rest_layout;
mod segment_interfaces;
mod segments;
mod step_direction;
mod triangle_sums;
mod tuning;
mod wanted_volumes;

use glam::{Mat4, Vec3, Vec3A};

pub(super) use maps::is_shared;

pub use cubic::Cubic;
pub use options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
pub use segments::{ConnectedParts, Segment, Segments};
pub use tuning::{
    BendTuning, CarryTuning, ContactRoundTuning, ConvergenceTuning, DisplacementTuning, ExactTuning,
    GapTuning, MapTuning, PressureTuning, VolumeTuning,
};

use apply::{apply_displacements, write_positions};
use bend_factors::compute_bend_factors;
use contact_rounds::{limit_mobility, resolve_contacts};
use exact_step::solve_exact;
use frame::Frame;
use linear_step::solve_linear;
use measure::{compute_directions, measure_corrected, measure_volumes, read_positions};
use parameters::{Parameters, Solver};
use pressure_step::solve_pressures;
use rest_layout::RestLayout;
use wanted_volumes::set_wanted_volumes;

use super::contacts::Contacts;
use crate::model::{Mesh, Skeleton, Weights};
use crate::report::Report;

/// A character, as far as the correction needs it.
#[derive(Clone, Copy, Debug)]
pub struct VolumeInputs<'a> {
    /// The solve mesh at rest.
    pub mesh: &'a Mesh,
    /// One row per vertex of `mesh`, one column per joint.
    pub weights: &'a Weights,
    /// The skeleton with the bones that maps measure distances from.
    pub skeleton: &'a Skeleton,
    /// A factor for γ per vertex of `mesh`; empty for none.
    pub painted: &'a [f32],
    /// Tuning constants.
    pub tuning: &'a VolumeTuning,
}

/// The volume correction of one character.
#[derive(Clone, Debug)]
pub struct VolumeCorrection {
    rest: RestLayout,
    parameters: Parameters,
    frame: Frame,
}

/// The volume of a segment before and after the last correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeRecord {
    /// The segment.
    pub segment: Segment,
    /// Volume at rest.
    pub rest: f64,
    /// Volume that it should have in the pose: `rest`, unless joints are scaled.
    pub wanted: f64,
    /// Volume after skinning, and after contacts if there are any.
    pub skinned: f64,
    /// Volume after the correction.
    pub corrected: f64,
    /// Volume received from neighbours across interfaces (negative: given to them). The correction
    /// aims at `wanted + interface_flux`.
    pub interface_flux: f64,
}

impl VolumeCorrection {
    /// Prepares the correction of a character.
    ///
    /// # Panics
    /// If the weights or the painted map are for another mesh.
    pub fn new(inputs: &VolumeInputs, options: &VolumeOptions, report: &mut Report) -> Self {
        let segments = Segments::new(inputs.mesh, inputs.weights, options.scope(), report);
        Self::with_segments(segments, inputs, options)
    }

    /// As [`VolumeCorrection::new`], with segments for the same mesh, weights and scope.
    ///
    /// # Panics
    /// As [`VolumeCorrection::new`].
    pub fn with_segments(segments: Segments, inputs: &VolumeInputs, options: &VolumeOptions) -> Self {
        let (rest, mut frame) = RestLayout::new(segments, inputs, options.scope());
        let parameters = Parameters::new(&rest, inputs, options);
        frame.reset(parameters.follows_pose);
        Self { rest, parameters, frame }
    }

    /// Changes options or painted map for the same mesh and weights. Segments and layout are kept
    /// unless the scope changes; they take most of the time.
    ///
    /// # Panics
    /// As [`VolumeCorrection::new`].
    pub fn remap(&mut self, inputs: &VolumeInputs, options: &VolumeOptions, report: &mut Report) {
        if self.rest.scope == options.scope() {
            self.parameters = Parameters::new(&self.rest, inputs, options);
            self.frame.reset(self.parameters.follows_pose);
        } else {
            *self = Self::new(inputs, options, report);
        }
    }

    /// Preserves the volumes of another rest shape of the same mesh, such as a morphed one.
    ///
    /// # Panics
    /// If there is not one position per vertex of the solve mesh.
    pub fn set_rest_volumes(&mut self, positions: &[Vec3]) {
        let Self { rest, parameters, frame } = self;
        read_positions(rest, &parameters.movable, frame, positions);
        measure_volumes(rest, &parameters.movable, frame);
        for (state, measures) in frame.segments.iter().zip(&mut rest.measures) {
            measures.volume = state.volume;
        }
    }

    /// The segments whose volumes are preserved.
    pub fn segments(&self) -> &Segments {
        &self.rest.segments
    }

    /// γ of every vertex of the solve mesh, up to a common factor.
    pub fn gamma(&self) -> &[f32] {
        &self.parameters.vertex_gamma
    }

    /// The volumes of all segments in the last frame.
    pub fn records(&self) -> impl ExactSizeIterator<Item = VolumeRecord> + '_ {
        let segments = self.rest.segments.segments().iter().zip(&self.rest.measures);
        segments.zip(&self.frame.segments).map(|((&segment, measures), state)| VolumeRecord {
            segment,
            rest: measures.volume / 6.0,
            wanted: state.wanted / 6.0,
            skinned: state.skinned / 6.0,
            corrected: state.volume / 6.0,
            interface_flux: state.interface_flux / 6.0,
        })
    }

    /// Volume that the last frame could not restore within the limits of displacements.
    pub fn missing(&self) -> f64 {
        self.frame.segments.iter().map(|state| state.missing()).sum::<f64>().abs() / 6.0
    }

    /// Whether a vertex of the solve mesh may move.
    pub fn is_movable(&self, vertex: u32) -> bool {
        let slot = self.rest.mesh.slots[vertex as usize] as usize;
        let segment = self.rest.mesh.segment_of_slot.get(slot);
        segment.is_some_and(|&segment| self.parameters.movable.slots[segment as usize].contains(&slot))
    }

    /// Moves skinned `positions` (one per vertex of the solve mesh) so that volumes are as at rest.
    /// `posed_from_rest` has one matrix per joint. Whether any vertex moved.
    ///
    /// # Panics
    /// If there is not one position per vertex, or there are too few matrices.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        let any_moves = self.find(posed_from_rest, None, positions);
        if any_moves {
            self.write(positions, |_, _, _| ());
        }
        any_moves
    }

    /// Computes the corrected positions without writing them; [`VolumeCorrection::write`] does
    /// that. `contacts` move vertices that crossed a contact back to it, in `positions` before the
    /// correction, and then in each of its steps. Whether any vertex moves.
    ///
    /// # Panics
    /// As [`VolumeCorrection::correct`].
    pub fn find(
        &mut self,
        posed_from_rest: &[Mat4],
        mut contacts: Option<&mut Contacts>,
        positions: &mut [Vec3],
    ) -> bool {
        let Self { rest, parameters, frame } = self;
        assert_eq!(positions.len(), parameters.vertex_gamma.len(), "one position per solve vertex");
        let any_crossed =
            contacts.as_mut().is_some_and(|c| c.project_to_contacts(posed_from_rest, positions));
        begin_frame(rest, parameters, frame, posed_from_rest, positions);
        if let Some(contacts) = &contacts {
            limit_mobility(rest, frame, contacts.near());
        }
        find_displacements(rest, parameters, frame, posed_from_rest, positions, contacts) || any_crossed
    }

    /// Writes the corrected positions to `positions`, and calls `visit` with vertex, position and
    /// sum of the area vectors of every movable vertex.
    ///
    /// # Panics
    /// As [`VolumeCorrection::correct`].
    pub fn write(&mut self, positions: &mut [Vec3], visit: impl FnMut(usize, Vec3, Vec3A)) {
        let Self { rest, parameters, frame } = self;
        measure_corrected(rest, &parameters.movable, frame);
        write_positions(rest, parameters, frame, positions, visit);
    }
}

/// Reads and measures a skinned frame.
fn begin_frame(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    posed_from_rest: &[Mat4],
    positions: &[Vec3],
) {
    frame.mobility.fill(1.0);
    frame.carried.fill(Vec3A::ZERO);
    compute_bend_factors(rest, parameters, frame, posed_from_rest);
    read_positions(rest, &parameters.movable, frame, positions);
    measure_volumes(rest, &parameters.movable, frame);
    set_wanted_volumes(rest, frame, posed_from_rest);
    for state in &mut frame.segments {
        (state.skinned, state.interface_flux, state.target) = (state.volume, 0.0, state.wanted);
    }
}

/// The steps of a frame after [`begin_frame`]: computes displacements and applies them to the
/// frame's positions. Whether any vertex moves.
fn find_displacements(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    posed_from_rest: &[Mat4],
    positions: &[Vec3],
    contacts: Option<&mut Contacts>,
) -> bool {
    if parameters.is_exact() && volumes_are_restored(rest, parameters, frame) {
        return false;
    }
    compute_directions(rest, parameters, frame);
    match parameters.solver {
        Solver::InterfacePressures => {
            measure_gaps(rest, parameters, frame, positions);
            solve_pressures(rest, parameters, frame, contacts);
            return true;
        }
        Solver::IndependentSegments => solve_exact(rest, parameters, frame),
        Solver::LinearStep => solve_linear(rest, parameters, frame, posed_from_rest),
    }
    if let Some(contacts) = contacts {
        resolve_contacts(rest, parameters, frame, contacts);
    }
    apply_displacements(parameters, frame);
    parameters.is_exact() || frame.segments.iter().any(|state| state.tau != 0.0)
}

/// Measures how far the vertices that the pose bends may move.
fn measure_gaps(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame, positions: &[Vec3]) {
    let Frame { gaps, bend_factors, .. } = frame;
    let moves = |slot: usize| parameters.slot_gamma[slot] * bend_factors[slot] > 0.0;
    rest.gaps.measure(&parameters.tuning.gaps, positions, gaps, moves);
}

/// Whether all volumes are those of the rest pose, up to rounding.
fn volumes_are_restored(rest: &RestLayout, parameters: &Parameters, frame: &Frame) -> bool {
    let tolerance = parameters.tuning.convergence.restored_tolerance;
    let mut states = frame.segments.iter().zip(&rest.measures);
    states.all(|(state, measures)| state.missing().abs() <= tolerance * measures.scale)
}
