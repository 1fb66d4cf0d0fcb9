//! Coupling of segments by the triangles that they share.
//!
//! In: interface triangles and hole caps with the segments they belong to. Out: their volumes, the
//! slopes of these volumes in the steps τ of the segments, and Newton steps for all τ at once.
//! Source: docs/theory/volume.md#exact-step. Cost per Newton step: a pass over the shared triangles
//! and a sparse (segments × segments) system; nothing per vertex.
//!
//! The centroid of a cap moves with its loop. The slopes leave that out, the volumes do not: loops
//! are where γ is small, so the effect is small.

use glam::Vec3A;

use super::frame::{Frame, SegmentState, Stage};
use super::mesh_layout::InterfaceTriangle;
use super::rest_layout::RestLayout;
use super::segments::NONE;
use super::tuning::ExactTuning;
use crate::math::{key_of, sort_by_keys};

/// A triangle that several segments share. Where there is no segment or matrix entry, the index is
/// one past the last, where a value may be written that is never read.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Slots; centroids come after all vertices.
    corners: [u32; 3],
    /// The segment that each corner moves with; none for centroids.
    moves_with: [u32; 3],
    /// The segments whose volume it adds to and subtracts from.
    counts_for: [u32; 2],
    /// The matrix entries of each corner in the rows of these two segments.
    entries: [[u32; 2]; 3],
}

/// Shared triangles, and the sparsity of the matrix of their slopes.
#[derive(Clone, Debug, Default)]
pub(super) struct CouplingLayout {
    elements: Vec<Element>,
    row_starts: Vec<u32>,
    columns: Vec<u32>,
}

/// Volumes and slopes of the shared triangles in a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    /// Slopes: row s, column t is the six-fold volume that s gains per τ of t.
    slopes: Vec<f64>,
    /// Six-fold volume of the shared triangles, per segment.
    volumes: Vec<f64>,
    /// Newton steps of τ.
    steps: Vec<f64>,
    /// τ per segment, and zero for none.
    taus: Vec<f32>,
}

impl CouplingLayout {
    pub(super) fn new(segments: usize, triangles: &[InterfaceTriangle]) -> Self {
        let mut pairs: Vec<(u32, u32)> = (0..segments as u32).map(|s| (s, s)).collect();
        for InterfaceTriangle { moves_with, counts_for, .. } in triangles {
            let rows = counts_for.iter().filter(|&&s| s != NONE);
            pairs.extend(
                rows.flat_map(|&row| moves_with.iter().filter(|&&c| c != NONE).map(move |&c| (row, c))),
            );
        }
        sort_by_keys(&mut pairs, |&(row, column)| key_of(row, column));
        pairs.dedup();
        let entry = |row: u32, column: u32| {
            let found = pairs.binary_search(&(row, column));
            found.unwrap_or(pairs.len()) as u32
        };
        let or_last = |segment: u32| segment.min(segments as u32);
        let element = |&InterfaceTriangle { corners, moves_with, counts_for }: &InterfaceTriangle| Element {
            corners,
            moves_with: moves_with.map(or_last),
            counts_for: counts_for.map(or_last),
            entries: moves_with.map(|column| counts_for.map(|row| entry(row, column))),
        };
        let elements = triangles.iter().map(element).collect();
        let row_start = |row: u32| pairs.partition_point(|&(r, _)| r < row) as u32;
        let row_starts = (0..=segments as u32).map(row_start).collect();
        Self { elements, row_starts, columns: pairs.into_iter().map(|(_, column)| column).collect() }
    }

    fn segments(&self) -> usize {
        self.row_starts.len().saturating_sub(1)
    }

    /// Column and slope of each entry in a row.
    fn row<'a>(&'a self, coupling: &'a Coupling, row: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let range = self.row_starts[row] as usize..self.row_starts[row + 1] as usize;
        let columns = self.columns[range.clone()].iter().map(|&c| c as usize);
        columns.zip(coupling.slopes[range].iter().copied())
    }

    /// Volume that the shared triangles of a segment gain per τ of its own.
    pub(super) fn own_slope(&self, coupling: &Coupling, segment: usize) -> f64 {
        self.row(coupling, segment).find(|&(column, _)| column == segment).map_or(0.0, |(_, slope)| slope)
    }
}

impl Coupling {
    pub(super) fn new(layout: &CouplingLayout) -> Self {
        let segments = layout.segments();
        Self {
            slopes: vec![0.0; layout.columns.len() + 1],
            volumes: vec![0.0; segments + 1],
            steps: vec![0.0; segments],
            taus: vec![0.0; segments + 1],
        }
    }

    /// Six times the volume of a segment as last measured.
    pub(super) fn volume(&self, segment: usize, state: &SegmentState) -> f64 {
        state.own_volume + state.gain.at(state.tau) + self.volumes[segment]
    }

    /// Sums the shared triangles with every vertex at `position + τ displacement`, and their slopes
    /// if `with_slopes`; else these keep their values. Centroids come after the vertices, where
    /// they are for these τ, and have no displacement.
    pub(super) fn measure(
        &mut self,
        layout: &CouplingLayout,
        positions: &[Vec3A],
        displacements: &[Vec3A],
        states: &[SegmentState],
        with_slopes: bool,
    ) {
        self.volumes.fill(0.0);
        if with_slopes {
            self.slopes.fill(0.0);
        }
        for (tau, state) in self.taus.iter_mut().zip(states) {
            *tau = state.tau as f32;
        }
        for element in &layout.elements {
            let [i, j, k] = element.corners.map(|corner| corner as usize);
            let [s, t, u] = element.moves_with.map(|segment| self.taus[segment as usize]);
            let (p, q, r) = (displacements[i], displacements[j], displacements[k]);
            let a = positions[i] + p * s;
            let (b, c) = (positions[j] + q * t - a, positions[k] + r * u - a);
            let area = b.cross(c);
            let volume = f64::from(a.dot(area));
            let [adds, subtracts] = element.counts_for.map(|segment| segment as usize);
            self.volumes[adds] += volume;
            self.volumes[subtracts] -= volume;
            if !with_slopes {
                continue;
            }
            // Cross products of any two corners, from their differences, so that no large terms
            // cancel.
            let (of_second, of_third) = (c.cross(a), a.cross(b));
            let of_first = area - of_second - of_third;
            let slopes = [of_first.dot(p), of_second.dot(q), of_third.dot(r)];
            for (slope, entries) in slopes.into_iter().zip(element.entries) {
                let [adds, subtracts] = entries.map(|entry| entry as usize);
                self.slopes[adds] += f64::from(slope);
                self.slopes[subtracts] -= f64::from(slope);
            }
        }
    }
}

/// Makes one Newton step of all moving segments. A segment whose volume would not rise stays.
pub(super) fn newton_step(rest: &RestLayout, tuning: &ExactTuning, frame: &mut Frame) {
    frame.coupling.steps.fill(0.0);
    for _ in 0..tuning.max_sweeps {
        if sweep(rest, tuning, frame) < tuning.sweep_tolerance {
            break;
        }
    }
    for (state, step) in frame.segments.iter_mut().zip(&frame.coupling.steps) {
        state.tau += step;
    }
}

/// One Gauss–Seidel sweep. Returns the largest relative change of a volume.
fn sweep(rest: &RestLayout, tuning: &ExactTuning, frame: &mut Frame) -> f64 {
    let Frame { coupling, segments, .. } = frame;
    let mut largest_change = 0.0_f64;
    for (segment, state) in segments.iter().enumerate().filter(|(_, s)| s.stage == Stage::Moving) {
        let mut missing = state.target - coupling.volume(segment, state);
        let mut slope = state.gain.slope(state.tau);
        for (column, value) in rest.coupling.row(coupling, segment) {
            if column == segment {
                slope += value;
            } else {
                missing -= value * coupling.steps[column];
            }
        }
        let step = if slope > 0.0 { missing / slope } else { 0.0 };
        // The slope is valid near the current τ only.
        let longest = tuning.max_newton_step * state.max_tau;
        let step = step.clamp(-longest, longest);
        let step = (state.tau + step).clamp(-state.max_tau, state.max_tau) - state.tau;
        let change = (step - coupling.steps[segment]).abs() * slope / rest.measures[segment].scale;
        largest_change = largest_change.max(change);
        coupling.steps[segment] = step;
    }
    largest_change
}
