//! Every local volume right at once: the few triangles that two segments share.
//!
//! In: border triangles and lids with the segments they touch, and one cubic per segment for all its other
//! triangles. Out: one step τ per segment. Source: PAPERS §4.4, beyond the paper. Cost: a handful of Newton steps, each a
//! pass over the border triangles and a sparse (segments × segments) system; nothing per vertex.
//!
//! A lid's middle moves with its loop. Newton's matrix leaves that out, the volumes do not: loops lie where γ
//! fades, so it changes little.

use glam::{DVec3, Vec3A};

use super::cubic::Cubic;
use super::segments::NONE;
use crate::math::{key_of, sort_by_keys};

/// Newton steps at most. Ordinary poses need three; poses that cannot be corrected wholly use all.
const STEPS: usize = 24;

/// No Newton step is longer than this share of how far τ may go.
const LONGEST_STEP: f64 = 0.25;

/// Gauss–Seidel sweeps per Newton step at most: neighbours couple by a few hundredths.
const SWEEPS: usize = 40;

/// A triangle that does not belong to one segment alone. Corners beyond the vertices are middles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub corners: [u32; 3],
    /// The segment each corner moves with; [`NONE`] for middles.
    pub moves_with: [u32; 3],
    /// The segments it adds to and subtracts from, or [`NONE`].
    pub counts: [u32; 2],
    /// Where in the matrix a corner's motion shows in each of the two segments, or [`NONE`].
    slots: [[u32; 2]; 3],
}

/// Border triangles, and the system they make.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    elements: Vec<Element>,
    /// Rows of the matrix: column and value of every entry.
    row_starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// What the elements contribute to each segment's volume, six-fold.
    volumes: Vec<f64>,
    steps: Vec<f64>,
}

/// Whether a segment takes part in a frame's correction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its volume is right: it stays as it is.
    #[default]
    Right,
    /// It will take part.
    Fresh,
    /// It takes part.
    Moving,
    /// Nothing in it can move.
    Stuck,
}

/// One segment while a frame is corrected. Volumes are six-fold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// What its volume was at rest.
    pub wanted: f64,
    /// What neighbours give it in this pose.
    pub flow: f64,
    /// The size that errors are measured against.
    pub scale: f64,
    /// Of its own triangles before the correction, and of those among them that cannot move.
    pub own: f64,
    pub still: f64,
    /// What its own triangles gain along its push.
    pub cubic: Cubic,
    /// How far τ may go, by how far vertices may.
    pub reach: f64,
    /// What it can gain or lose with ease.
    pub ease: f64,
    /// Whether all this is of its push as it stands.
    pub is_aimed: bool,
    pub stage: Stage,
    /// How far it goes.
    pub tau: f64,
    /// Before and after.
    pub skinned: f64,
    pub corrected: f64,
}

impl State {
    /// What its volume should be in this pose.
    pub(super) fn target(&self) -> f64 {
        self.wanted + self.flow
    }

    /// What it lacks.
    pub(super) fn missing(&self) -> f64 {
        self.target() - self.corrected
    }
}

impl Coupling {
    /// `elements` as (corners, the segment each moves with, the two segments they count for).
    pub(super) fn new(segments: usize, elements: &[([u32; 3], [u32; 3], [u32; 2])]) -> Self {
        let mut pairs: Vec<(u32, u32)> = (0..segments as u32).map(|s| (s, s)).collect();
        for (_, moves_with, counts) in elements {
            let rows = counts.iter().filter(|&&s| s != NONE);
            pairs.extend(
                rows.flat_map(|&row| moves_with.iter().filter(|&&c| c != NONE).map(move |&c| (row, c))),
            );
        }
        sort_by_keys(&mut pairs, |&(row, column)| key_of(row, column));
        pairs.dedup();
        let slot =
            |row: u32, column: u32| pairs.binary_search(&(row, column)).map_or(NONE, |slot| slot as u32);
        let elements = elements
            .iter()
            .map(|&(corners, moves_with, counts)| Element {
                corners,
                moves_with,
                counts,
                slots: moves_with.map(|column| counts.map(|row| slot(row, column))),
            })
            .collect();
        let row_starts =
            (0..=segments as u32).map(|row| pairs.partition_point(|&(r, _)| r < row) as u32).collect();
        Self {
            elements,
            row_starts,
            values: vec![0.0; pairs.len()],
            columns: pairs.into_iter().map(|(_, column)| column).collect(),
            volumes: vec![0.0; segments],
            steps: vec![0.0; segments],
        }
    }

    /// Sums the elements with every vertex at `at + τ push`; `middles` are where they are then.
    pub(super) fn measure(&mut self, at: &[Vec3A], push: &[Vec3A], middles: &[DVec3], states: &[State]) {
        self.volumes.fill(0.0);
        self.values.fill(0.0);
        let place = |corner: u32, segment: u32| {
            if segment == NONE && corner as usize >= at.len() {
                return middles[corner as usize - at.len()];
            }
            let tau = if segment == NONE { 0.0 } else { states[segment as usize].tau };
            at[corner as usize].as_dvec3() + push[corner as usize].as_dvec3() * tau
        };
        for element in &self.elements {
            let [a, b, c] = [0, 1, 2].map(|i| place(element.corners[i], element.moves_with[i]));
            let slopes = [b.cross(c), c.cross(a), a.cross(b)];
            let volume = a.dot(slopes[0]);
            for (segment, sign) in element.counts.into_iter().zip([1.0, -1.0]) {
                if segment != NONE {
                    self.volumes[segment as usize] += sign * volume;
                }
            }
            for (i, slots) in element.slots.iter().enumerate() {
                if element.moves_with[i] != NONE {
                    let slope = slopes[i].dot(push[element.corners[i] as usize].as_dvec3());
                    for (&slot, sign) in slots.iter().zip([1.0, -1.0]) {
                        if slot != NONE {
                            self.values[slot as usize] += sign * slope;
                        }
                    }
                }
            }
        }
    }

    /// What a segment's border triangles gain per τ of its own.
    pub(super) fn own_slope(&self, segment: usize) -> f64 {
        self.entries(segment).find(|&(column, _)| column == segment).map_or(0.0, |(_, value)| value)
    }

    /// One Newton step of all active segments. One whose volume would not gain any more stays where it is.
    pub(super) fn step(&mut self, states: &mut [State]) {
        self.steps.fill(0.0);
        for _ in 0..SWEEPS {
            let mut largest_change = 0.0_f64;
            for (segment, state) in states.iter().enumerate().filter(|(_, s)| s.stage == Stage::Moving) {
                let mut missing = state.target() - self.volume(segment, state);
                let mut slope = state.cubic.slope(state.tau);
                for (column, value) in self.entries(segment) {
                    if column == segment {
                        slope += value;
                    } else {
                        missing -= value * self.steps[column];
                    }
                }
                let step = if slope > 0.0 { missing / slope } else { 0.0 };
                // Not far at once: the slope holds near by only.
                let step = step.clamp(-LONGEST_STEP * state.reach, LONGEST_STEP * state.reach);
                let step = (state.tau + step).clamp(-state.reach, state.reach) - state.tau;
                largest_change = largest_change.max((step - self.steps[segment]).abs() * slope / state.scale);
                self.steps[segment] = step;
            }
            if largest_change < 1e-9 {
                break;
            }
        }
        for (state, step) in states.iter_mut().zip(&self.steps) {
            state.tau += step;
        }
    }

    /// Six times a segment's volume as last measured.
    pub(super) fn volume(&self, segment: usize, state: &State) -> f64 {
        state.own + state.cubic.at(state.tau) + self.volumes[segment]
    }

    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_starts[row] as usize..self.row_starts[row + 1] as usize;
        self.columns[range.clone()].iter().map(|&c| c as usize).zip(self.values[range].iter().copied())
    }

    /// How many Newton steps are worth trying.
    pub(super) const fn most_steps() -> usize {
        STEPS
    }
}
