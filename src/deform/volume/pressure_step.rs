//! Exact step with interface pressures: displacements that cross the borders of segments.
//!
//! In: a shape whose volumes and directions are measured. Out: displaced positions. Each segment
//! has a pressure ([`super::pressure_system`]), and a vertex moves by the mean of the pressures of
//! the joints it follows, so that displacements are continuous across interfaces. Segments that
//! restore their volume independently ([`super::exact_step`]) would get two bulges with a crease
//! between them at a strongly bent joint. In the end one common pressure restores the volume of the
//! whole. Source: docs/theory/volume.md#interface-pressures (not in the paper). Cost: a pass over
//! shared vertices and their influences per round and one more, and a pass over their triangles per
//! round.
//!
//! Vertices that the pose does not bend hardly move, so segments away from bent joints do not
//! change.

use std::ops::Range;

use super::contact_rounds::project_to_contacts;
use super::frame::Frame;
use super::measure::measure_stale_volumes;
use super::mesh_layout::{MeshLayout, SegmentRanges};
use super::parameters::Parameters;
use super::pressure_system::{PressureSystem, PressureValues};
use super::rest_layout::RestLayout;
use super::segment_interfaces::{InterfaceState, SegmentInterfaces};
use super::segments::Segments;
use crate::deform::contacts::Contacts;
use crate::math::{larger, smaller};
use crate::model::Weights;

/// Influences of segments on vertices, interfaces, and the system of pressures.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureLayout {
    interfaces: SegmentInterfaces,
    system: PressureSystem,
    /// Per slot: the end of its list in `influences`.
    ends: Vec<u32>,
    influences: Vec<SegmentInfluence>,
    /// Per influence: the entry of the system with the gain of the vertex's own segment by this
    /// one.
    entries: Vec<u32>,
    segments: usize,
}

/// Weight of a segment at a vertex.
#[derive(Clone, Copy, Debug)]
struct SegmentInfluence {
    segment: u32,
    weight: f32,
}

/// A displacement that approaches its limits smoothly.
#[derive(Clone, Copy, Debug, Default)]
struct LimitedMove {
    /// One over the largest pressures outwards and inwards.
    inverse: [f32; 2],
    /// The sum of all pressures, and the part of it that the limits let through.
    pressure: f32,
    limited: f32,
}

impl LimitedMove {
    /// For a displacement per unit of pressure with this length.
    fn new(length_squared: f32, limits: [f32; 2]) -> Self {
        let length = length_squared.sqrt();
        Self { inverse: limits.map(|limit| length / larger(limit, f32::MIN_POSITIVE)), ..Self::default() }
    }

    /// Adds a pressure. Returns by how much the displacement grows, in units of pressure.
    #[inline]
    fn add(&mut self, pressure: f32) -> f32 {
        self.pressure += pressure;
        // Beyond a million times the largest pressure, squares would overflow.
        let strain = smaller(self.pressure.abs() * self.inverse[usize::from(self.pressure < 0.0)], 1e6);
        let limited = self.pressure / (1.0 + strain * strain).sqrt();
        let by = limited - self.limited;
        self.limited = limited;
        by
    }
}

/// Scratch of this step.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureScratch {
    values: PressureValues,
    interfaces: InterfaceState,
    /// Per segment: its pressure.
    pressures: Vec<f32>,
    /// Per segment: square of the longest displacement per unit of its pressure.
    longest_squared: Vec<f32>,
    /// Per slot: its limits, and the pressure that has moved it.
    moves: Vec<LimitedMove>,
}

impl PressureScratch {
    pub(super) fn new(layout: &PressureLayout) -> Self {
        Self {
            values: PressureValues::new(&layout.system),
            interfaces: InterfaceState::new(&layout.interfaces, layout.segments),
            pressures: vec![0.0; layout.segments],
            longest_squared: vec![0.0; layout.segments],
            moves: vec![LimitedMove::default(); layout.ends.len()],
        }
    }
}

impl PressureLayout {
    pub(super) fn new(weights: &Weights, segments: &Segments, mesh: &MeshLayout) -> Self {
        let interfaces = SegmentInterfaces::new(segments, mesh);
        let count = segments.segments().len();
        let mut layout = Self { segments: count, ..Self::default() };
        let followed = layout.add_influences(weights, segments, mesh);
        layout.system = PressureSystem::new(count, &followed, &interfaces);
        layout.interfaces = interfaces;
        let mut entries = Vec::with_capacity(layout.influences.len());
        let slots = 0..mesh.vertices.len();
        let rows = layout.influences(&slots);
        for (own, influences) in mesh.segment_of_slot.iter().zip(rows) {
            let entry = |i: &SegmentInfluence| layout.system.entry(*own as usize, i.segment as usize);
            entries.extend(influences.iter().map(entry));
        }
        layout.entries = entries;
        layout
    }

    /// Lists the influences of all slots. Returns the pairs of a segment and one that its vertices
    /// follow.
    fn add_influences(
        &mut self,
        weights: &Weights,
        segments: &Segments,
        mesh: &MeshLayout,
    ) -> Vec<(u32, u32)> {
        let mut followed: Vec<(u32, u32)> = Vec::new();
        // Slots are sorted by segment, so the pairs of a segment, a few, are consecutive.
        let mut first = 0;
        for (&vertex, &own) in mesh.vertices.iter().zip(&mesh.segment_of_slot) {
            let start = self.influences.len();
            self.push_influences(weights, segments, vertex, segments.segments()[own as usize].part);
            for influence in &self.influences[start..] {
                if followed.last().is_some_and(|&(last, _)| last != own) {
                    first = followed.len();
                }
                if !followed[first..].contains(&(own, influence.segment)) {
                    followed.push((own, influence.segment));
                }
            }
            self.ends.push(self.influences.len() as u32);
        }
        followed
    }

    /// Adds the influences of a vertex. Joints without a segment in its part have no pressure, so
    /// the other weights are normalised.
    fn push_influences(&mut self, weights: &Weights, segments: &Segments, vertex: u32, part: u32) {
        let start = self.influences.len();
        for influence in weights.row(vertex as usize) {
            if let Some(segment) = segments.find(part, influence.column as usize) {
                let (segment, weight) = (segment as u32, influence.weight);
                self.influences.push(SegmentInfluence { segment, weight });
            }
        }
        let all: f32 = self.influences[start..].iter().map(|influence| influence.weight).sum();
        let all = larger(all, f32::MIN_POSITIVE);
        self.influences[start..].iter_mut().for_each(|influence| influence.weight /= all);
    }

    /// The first influence of a range of slots.
    fn start(&self, slots: &Range<usize>) -> usize {
        if slots.start == 0 { 0 } else { self.ends[slots.start - 1] as usize }
    }

    /// The influences of each of a range of slots.
    fn influences(&self, slots: &Range<usize>) -> impl Iterator<Item = &[SegmentInfluence]> {
        let mut start = self.start(slots);
        self.ends[slots.clone()].iter().map(move |&end| {
            let influences = &self.influences[start..end as usize];
            start = end as usize;
            influences
        })
    }
}

/// Restores volumes by pressures, and the volume of every part exactly by a common one. Vertices
/// that cross a contact are moved back to it.
pub(super) fn solve_pressures(
    rest: &RestLayout,
    parameters: &Parameters,
    frame: &mut Frame,
    mut contacts: Option<&mut Contacts>,
) {
    let Some(layout) = &rest.pressure else { return };
    let tuning = &parameters.tuning.pressure;
    let openness = &mut frame.pressure.interfaces;
    layout.interfaces.open_interfaces(&frame.bend_factors, &parameters.tuning.bend, openness);
    measure_gains(rest, parameters, frame, layout);
    assemble_system(rest, parameters, frame, layout);
    let mut share = 1.0;
    for _ in 0..tuning.max_rounds {
        let Frame { pressure: PressureScratch { values, .. }, segments, .. } = frame;
        layout.system.solve(values, tuning, segments, share);
        apply_pressures(rest, frame, layout);
        if let Some(contacts) = contacts.as_deref_mut() {
            project_to_contacts(rest, frame, contacts);
        }
        measure_stale_volumes(rest, &parameters.movable, frame);
        let values = &mut frame.pressure.values;
        layout.system.update_gains(values, tuning, &rest.measures, &frame.segments);
        share = (largest_error(rest, frame) / tuning.segment_tolerance - 1.0).min(1.0);
        if share <= 0.0 {
            break;
        }
    }
    let part = |segment: usize| rest.segments.segments()[segment].part;
    layout.system.equalise(&mut frame.pressure.values, &frame.segments, part);
    apply_common_pressures(rest, frame);
    carry_loose_parts(rest, frame);
    if let Some(contacts) = contacts {
        project_to_contacts(rest, frame, contacts);
    }
}

/// Computes displacements per unit of pressure, `h γ b φ`, their limits, and the gains `G_st`.
fn measure_gains(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame, layout: &PressureLayout) {
    let PressureScratch { values, longest_squared, moves, .. } = &mut frame.pressure;
    longest_squared.fill(0.0);
    let gains = &mut values.gains[..];
    gains.fill(0.0);
    for SegmentRanges { shared: slots, .. } in &rest.mesh.ranges {
        let directions = frame.directions[slots.clone()].iter().zip(&frame.area_vectors[slots.clone()]);
        let factors = frame.mobility[slots.clone()].iter().zip(&frame.bend_factors[slots.clone()]);
        let gammas = parameters.slot_gamma[slots.clone()].iter().zip(factors);
        let displacements = frame.displacements[slots.clone()].iter_mut().zip(layout.influences(slots));
        let limited = moves[slots.clone()].iter_mut().zip(slots.clone());
        let mut entries = layout.entries[layout.start(slots)..].iter();
        let vectors = displacements.zip(directions).zip(gammas).zip(limited);
        for (
            (((displacement, influences), (&direction, &area)), (&gamma, (&mobility, &bend))),
            (limited, slot),
        ) in vectors
        {
            let [outwards, inwards, freedom] = rest.gaps.of_slot(&frame.gaps, slot);
            *displacement = direction * (gamma * bend * mobility * freedom);
            let (gain, squared) = (displacement.dot(area), displacement.length_squared());
            let most = rest.max_displacements[slot];
            *limited = LimitedMove::new(squared, [outwards, inwards].map(|limit| smaller(limit, most)));
            for (influence, &entry) in influences.iter().zip(&mut entries) {
                gains[entry as usize] += gain * influence.weight;
                let longest = &mut longest_squared[influence.segment as usize];
                *longest = larger(*longest, squared * influence.weight * influence.weight);
            }
        }
    }
}

/// Assembles the system from gains and openness, with the largest pressure of each segment from its
/// largest displacement.
fn assemble_system(rest: &RestLayout, parameters: &Parameters, frame: &mut Frame, layout: &PressureLayout) {
    let tuning = &parameters.tuning.pressure;
    let PressureScratch { values, interfaces, longest_squared, .. } = &mut frame.pressure;
    let max_pressure = |segment: usize| {
        let longest = f64::from(longest_squared[segment]).sqrt();
        tuning.max_displacement * rest.measures[segment].max_displacement / longest
    };
    layout.system.assemble(values, tuning, &interfaces.openness, &frame.segments, max_pressure);
}

/// Largest relative error of a segment.
fn largest_error(rest: &RestLayout, frame: &Frame) -> f64 {
    let states = frame.segments.iter().zip(&rest.measures);
    states.map(|(state, measures)| state.missing().abs() / measures.scale).fold(0.0, f64::max)
}

/// Moves every vertex by the mean of the pressures of the segments it follows.
fn apply_pressures(rest: &RestLayout, frame: &mut Frame, layout: &PressureLayout) {
    let PressureScratch { values, pressures, moves, .. } = &mut frame.pressure;
    pressures.iter_mut().enumerate().for_each(|(s, pressure)| *pressure = values.pressure(s));
    for (segment, SegmentRanges { shared: slots, .. }) in rest.mesh.ranges.iter().enumerate() {
        let displacements = frame.displacements[slots.clone()].iter().zip(&mut moves[slots.clone()]);
        let moved = frame.positions[slots.clone()].iter_mut().zip(displacements);
        for ((position, (&displacement, limited)), influences) in moved.zip(layout.influences(slots)) {
            let weighted = influences.iter().map(|i| i.weight * pressures[i.segment as usize]);
            *position += displacement * limited.add(weighted.sum::<f32>());
        }
        frame.is_stale[segment] |= !slots.is_empty();
    }
}

/// Moves every vertex by the common pressure of its part.
fn apply_common_pressures(rest: &RestLayout, frame: &mut Frame) {
    for (segment, SegmentRanges { shared: slots, .. }) in rest.mesh.ranges.iter().enumerate() {
        let pressure = frame.pressure.values.pressure(segment);
        let displacements = frame.displacements[slots.clone()].iter();
        let displacements = displacements.zip(&mut frame.pressure.moves[slots.clone()]);
        let moved = frame.positions[slots.clone()].iter_mut().zip(displacements);
        moved.for_each(|(position, (&displacement, limited))| {
            *position += displacement * limited.add(pressure);
        });
    }
}

/// Moves vertices of parts that lie on larger ones with the skin beneath.
fn carry_loose_parts(rest: &RestLayout, frame: &mut Frame) {
    let Frame { positions, displacements, pressure, carried, .. } = frame;
    let move_of = |slot: u32| displacements[slot as usize] * pressure.moves[slot as usize].limited;
    for (carry, by) in rest.carry.vertices.iter().zip(carried) {
        *by = carry.by(move_of);
        if let Some(position) = positions.get_mut(carry.slot as usize) {
            *position += *by;
        }
    }
}
