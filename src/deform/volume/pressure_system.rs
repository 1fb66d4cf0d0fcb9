//! System of interface pressures: one pressure per segment, so that all volumes are restored at
//! once.
//!
//! In: the volume that each segment lacks, and the volume it gains per unit of its own and of other
//! pressures. Out: a pressure per segment, and the flux across interfaces. Source:
//! docs/theory/volume.md#interface-pressures (not in the paper). Cost: a few sweeps over the pairs
//! of segments that share vertices; nothing per vertex.
//!
//! Where a joint is not in the middle of the body, as in the neck of an elephant, bending moves the
//! interface: one segment grows by half at the cost of the other, although the body has lost almost
//! nothing. The position of a hole cap is a convention, so a flux through it is allowed, in
//! proportion to the difference of the two pressures. The volume of the whole does not change. With
//! these terms the matrix is diagonally dominant, so that Gauss–Seidel sweeps converge, and no
//! pressure is larger than the one that restores a segment alone.

use std::ops::Range;

use super::frame::SegmentState;
use super::rest_layout::RestMeasures;
use super::segment_interfaces::SegmentInterfaces;
use super::tuning::PressureTuning;
use crate::math::{key_of, sort_by_keys};

/// Sparsity of the system.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureSystem {
    /// Per segment: the end of its entries, and the diagonal one.
    rows: Vec<Row>,
    /// Per entry.
    columns: Vec<u32>,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    end: u32,
    diagonal: u32,
}

/// Two segments that share vertices or an interface.
#[derive(Clone, Copy, Debug)]
struct Link {
    segments: [usize; 2],
    /// The entry of each in the row of the other.
    entries: [u32; 2],
    interface: Option<usize>,
}

/// Values of the system in a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct PressureValues {
    /// Per entry: `G_st`, the volume gained by the row's segment per pressure of the column's.
    pub(super) gains: Vec<f32>,
    /// Per entry: the matrix, which is the gains with the flux terms.
    matrix: Vec<f64>,
    /// Per link: the conductance `κ_st`.
    conductances: Vec<f64>,
    /// Per segment.
    rows: Vec<RowValues>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RowValues {
    /// The pressure of this round, and the largest one.
    pressure: f64,
    max_pressure: f64,
    /// The missing volume that this round should restore.
    predicted: f64,
}

impl PressureSystem {
    /// For a number of segments. Vertices of the first segment of each pair in `followed` follow
    /// the second as well.
    pub(super) fn new(segments: usize, followed: &[(u32, u32)], interfaces: &SegmentInterfaces) -> Self {
        let pairs = entries_of(segments, followed, interfaces);
        let columns = pairs.iter().map(|&(_, column)| column).collect();
        let end = |segment: u32| pairs.partition_point(|&(row, _)| row <= segment) as u32;
        let rows = (0..segments as u32).map(|segment| Row { end: end(segment), diagonal: 0 }).collect();
        let mut system = Self { rows, columns, links: Vec::new() };
        for segment in 0..segments {
            system.rows[segment].diagonal = system.entry(segment, segment);
        }
        let link = |&(one, other): &(u32, u32)| {
            let segments = [one as usize, other as usize];
            Link {
                segments,
                entries: [system.entry(segments[0], segments[1]), system.entry(segments[1], segments[0])],
                interface: interfaces.all().iter().position(|interface| interface.segments == segments),
            }
        };
        system.links = pairs.iter().filter(|(one, other)| one < other).map(link).collect();
        system
    }

    /// The entry with the volume that `segment` gains by the pressure of `other`.
    pub(super) fn entry(&self, segment: usize, other: usize) -> u32 {
        let entries = self.entries(segment);
        let found = self.columns[entries.clone()].binary_search(&(other as u32));
        (entries.start + found.unwrap_or(0)) as u32
    }

    fn entries(&self, segment: usize) -> Range<usize> {
        let start = if segment == 0 { 0 } else { self.rows[segment - 1].end as usize };
        start..self.rows[segment].end as usize
    }

    /// Assembles the matrix from gains and openness of interfaces. `max_pressure` limits the
    /// pressure of a segment; the diagonal grows as a pressure comes near it, so that nothing stops
    /// abruptly.
    pub(super) fn assemble(
        &self,
        values: &mut PressureValues,
        tuning: &PressureTuning,
        openness: &[f32],
        states: &[SegmentState],
        max_pressure: impl Fn(usize) -> f64,
    ) {
        values.matrix.iter_mut().zip(&values.gains).for_each(|(entry, &gain)| *entry = gain.into());
        for (at, link) in self.links.iter().enumerate() {
            let open = link.interface.map_or(0.0, |interface| f64::from(openness[interface]));
            let openness = open * opposition(tuning, link.segments.map(|segment| &states[segment]));
            values.conductances[at] = self.conductance(values, tuning, openness, link);
        }
        for (segment, state) in states.iter().enumerate() {
            let row = &mut values.rows[segment];
            row.max_pressure = max_pressure(segment).max(0.0);
            let diagonal = &mut values.matrix[self.rows[segment].diagonal as usize];
            let strain = state.missing() / (*diagonal * row.max_pressure);
            *diagonal *= if strain.is_finite() { (1.0 + strain * strain).sqrt() } else { 1.0 };
        }
        self.add_flux_terms(values, 1.0);
    }

    /// `κ_st` of a link.
    fn conductance(
        &self,
        values: &PressureValues,
        tuning: &PressureTuning,
        openness: f64,
        link: &Link,
    ) -> f64 {
        let total_gain = |s: usize| values.matrix[self.entries(s)].iter().sum::<f64>().max(0.0);
        let [one, other] = link.segments.map(total_gain);
        let shared = link.entries.map(|entry| values.matrix[entry as usize].max(0.0));
        let mean = if one + other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 };
        let open = openness * (tuning.mean_conductance * mean + tuning.larger_conductance * one.max(other));
        open + tuning.shared_conductance * shared[0].max(shared[1])
    }

    /// Adds the flux terms to the matrix, or removes them for a sign of −1.
    fn add_flux_terms(&self, values: &mut PressureValues, sign: f64) {
        for (Link { segments, entries, .. }, conductance) in self.links.iter().zip(&values.conductances) {
            for (&segment, &entry) in segments.iter().zip(entries) {
                values.matrix[self.rows[segment].diagonal as usize] += sign * conductance;
                values.matrix[entry as usize] -= sign * conductance;
            }
        }
    }

    /// Solves for the pressures that restore a share of the missing volumes, and adds the flux
    /// between segments to `interface_flux` and `target` of their states.
    pub(super) fn solve(
        &self,
        values: &mut PressureValues,
        tuning: &PressureTuning,
        states: &mut [SegmentState],
        share: f64,
    ) {
        values.rows.iter_mut().for_each(|row| row.pressure = 0.0);
        for _ in 0..tuning.max_sweeps {
            let (largest, change) = self.sweep(values, states, share);
            if change <= tuning.sweep_tolerance * largest {
                break;
            }
        }
        for (Link { segments: [one, other], .. }, conductance) in self.links.iter().zip(&values.conductances)
        {
            let flux = conductance * (values.rows[*one].pressure - values.rows[*other].pressure);
            states[*one].interface_flux -= flux;
            states[*other].interface_flux += flux;
        }
        for (state, row) in states.iter_mut().zip(&mut values.rows) {
            state.target = state.wanted + state.interface_flux;
            row.predicted = state.missing();
        }
    }

    /// One Gauss–Seidel sweep forwards and backwards. Returns the largest pressure and the largest
    /// change.
    fn sweep(&self, values: &mut PressureValues, states: &[SegmentState], share: f64) -> (f64, f64) {
        let (mut largest, mut change) = (0.0_f64, 0.0_f64);
        for segment in (0..states.len()).chain((0..states.len()).rev()) {
            let before = values.rows[segment].pressure;
            let pressure = self.relaxed(values, segment, share * states[segment].missing());
            values.rows[segment].pressure = pressure;
            (largest, change) = (largest.max(pressure.abs()), change.max((pressure - before).abs()));
        }
        (largest, change)
    }

    /// The pressure that restores a segment while all others keep theirs.
    fn relaxed(&self, values: &PressureValues, segment: usize, missing: f64) -> f64 {
        let (row, entries) = (&values.rows[segment], self.entries(segment));
        let pressures =
            self.columns[entries.clone()].iter().map(|&column| values.rows[column as usize].pressure);
        let gained: f64 =
            values.matrix[entries].iter().zip(pressures).map(|(value, pressure)| value * pressure).sum();
        let diagonal = values.matrix[self.rows[segment].diagonal as usize];
        let pressure = row.pressure + (missing - gained) / diagonal;
        if pressure.is_finite() { pressure.clamp(-row.max_pressure, row.max_pressure) } else { 0.0 }
    }

    /// Multiplies the gains of every segment by the ratio of measured to predicted volume change.
    pub(super) fn update_gains(
        &self,
        values: &mut PressureValues,
        tuning: &PressureTuning,
        measures: &[RestMeasures],
        states: &[SegmentState],
    ) {
        self.add_flux_terms(values, -1.0);
        let [least, most] = tuning.gain_ratio_limits;
        for (segment, state) in states.iter().enumerate() {
            let predicted = values.rows[segment].predicted;
            let noise = tuning.min_measured_change * measures[segment].scale;
            let gained = predicted - state.missing();
            let ratio = (predicted * gained + noise * noise) / (predicted * predicted + noise * noise);
            let ratio = ratio.clamp(least, most);
            values.matrix[self.entries(segment)].iter_mut().for_each(|value| *value *= ratio);
        }
        self.add_flux_terms(values, 1.0);
    }

    /// Sets one common pressure for all segments of a part, by the volume that the part lacks.
    pub(super) fn equalise(
        &self,
        values: &mut PressureValues,
        states: &[SegmentState],
        part: impl Fn(usize) -> u32,
    ) {
        self.add_flux_terms(values, -1.0);
        let mut start = 0;
        while start < states.len() {
            let end = (start..states.len()).find(|&s| part(s) != part(start)).unwrap_or(states.len());
            let pressure = self.common_pressure(values, states, start..end);
            values.rows[start..end].iter_mut().for_each(|row| row.pressure = pressure);
            start = end;
        }
    }

    fn common_pressure(
        &self,
        values: &PressureValues,
        states: &[SegmentState],
        segments: Range<usize>,
    ) -> f64 {
        let missing: f64 = states[segments.clone()].iter().map(SegmentState::missing).sum();
        let entries = self.entries(segments.start).start..self.entries(segments.end - 1).end;
        let gain: f64 = values.matrix[entries].iter().sum();
        let limits = values.rows[segments].iter().map(|row| row.max_pressure);
        let most = limits.filter(|most| most.is_finite()).fold(0.0, f64::max);
        let pressure = (missing / gain).clamp(-most, most);
        if gain > 0.0 && pressure.is_finite() { pressure } else { 0.0 }
    }
}

impl PressureValues {
    pub(super) fn new(system: &PressureSystem) -> Self {
        Self {
            gains: vec![0.0; system.columns.len()],
            matrix: vec![0.0; system.columns.len()],
            conductances: vec![0.0; system.links.len()],
            rows: vec![RowValues::default(); system.rows.len()],
        }
    }

    /// The pressure of a segment in this round.
    pub(super) fn pressure(&self, segment: usize) -> f32 {
        // A segment whose vertices hardly move could have any pressure; squares must not overflow.
        self.rows[segment].pressure.clamp(-1e15, 1e15) as f32
    }
}

/// How much two segments lack opposite volumes, so that a flux between them makes both errors
/// smaller: 1 if one has what the other lacks, a small number if both lack the same volume.
fn opposition(tuning: &PressureTuning, states: [&SegmentState; 2]) -> f64 {
    let [one, other] = states.map(SegmentState::missing);
    let noise: f64 = states.iter().map(|state| (tuning.opposition_noise * state.wanted).powi(2)).sum();
    let squared = (one - other) * (one - other);
    let opposed = 0.5 * squared / (one * one + other * other + noise + f64::MIN_POSITIVE);
    tuning.least_opposition + (1.0 - tuning.least_opposition) * opposed * opposed
}

/// Row and column of every entry, sorted: the diagonal, pairs that share vertices and interfaces,
/// in both orders.
fn entries_of(segments: usize, followed: &[(u32, u32)], interfaces: &SegmentInterfaces) -> Vec<(u32, u32)> {
    let mut pairs = followed.to_vec();
    pairs.extend((0..segments as u32).map(|segment| (segment, segment)));
    pairs.extend(interfaces.all().iter().map(|i| (i.segments[0] as u32, i.segments[1] as u32)));
    let transposed: Vec<(u32, u32)> = pairs.iter().map(|&(one, other)| (other, one)).collect();
    pairs.extend(transposed);
    sort_by_keys(&mut pairs, |&(row, column)| key_of(row, column));
    pairs.dedup();
    pairs
}
