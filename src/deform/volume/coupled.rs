//! Every local volume right at once: the few triangles that two segments share.
//!
//! In: border triangles and lids with the segments they touch, and one cubic per segment for all its other
//! triangles. Out: one step τ per segment. Source: PAPERS §4.4, beyond the paper. Cost: a handful of Newton steps, each a
//! pass over the border triangles and a sparse (segments × segments) system; nothing per vertex.
//!
//! A lid's middle moves with its loop. Newton's matrix leaves that out, the volumes do not: loops lie where γ
//! fades, so it changes little.

use glam::Vec3A;

use super::cubic::Cubic;
use super::segments::NONE;
use crate::math::{key_of, sort_by_keys};

/// Newton steps at most. Ordinary poses need three; poses that cannot be corrected wholly use all.
const STEPS: usize = 24;

/// No Newton step is longer than this share of how far τ may go.
const LONGEST_STEP: f64 = 0.25;

/// Gauss–Seidel sweeps per Newton step at most: neighbours couple by a few hundredths.
const SWEEPS: usize = 40;

/// A triangle that does not belong to one segment alone. What would be [`NONE`] is one past the last instead, where there is room to write what nobody reads.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Middles come after the vertices.
    corners: [u32; 3],
    /// The segment each corner moves with; none for middles.
    moves_with: [u32; 3],
    /// The segments it adds to and subtracts from, or none.
    counts: [u32; 2],
    /// Where in the matrix a corner's motion shows in each of the two segments, or nowhere.
    slots: [[u32; 2]; 3],
}

/// SegmentInterface triangles, and the system they make.
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
    /// How far each segment goes, and none.
    taus: Vec<f32>,
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
        let slot = |row: u32, column: u32| {
            let found = pairs.binary_search(&(row, column));
            found.unwrap_or(pairs.len()) as u32
        };
        let or_none = |segment: u32| segment.min(segments as u32);
        let elements = elements
            .iter()
            .map(|&(corners, moves_with, counts)| Element {
                corners,
                moves_with: moves_with.map(or_none),
                counts: counts.map(or_none),
                slots: moves_with.map(|column| counts.map(|row| slot(row, column))),
            })
            .collect();
        let row_starts =
            (0..=segments as u32).map(|row| pairs.partition_point(|&(r, _)| r < row) as u32).collect();
        Self {
            elements,
            row_starts,
            values: vec![0.0; pairs.len() + 1],
            columns: pairs.into_iter().map(|(_, column)| column).collect(),
            volumes: vec![0.0; segments + 1],
            steps: vec![0.0; segments],
            taus: vec![0.0; segments + 1],
        }
    }

    /// Sums the elements with every vertex at `at + τ push`, and what they gain along it if asked to; else that stays as it was. Middles come
    /// after the vertices, where they are then, and have no push.
    pub(super) fn measure(&mut self, at: &[Vec3A], push: &[Vec3A], states: &[State], with_slopes: bool) {
        self.volumes.fill(0.0);
        if with_slopes {
            self.values.fill(0.0);
        }
        for (tau, state) in self.taus.iter_mut().zip(states) {
            *tau = state.tau as f32;
        }
        for element in &self.elements {
            let [i, j, k] = element.corners.map(|corner| corner as usize);
            let [s, t, u] = element.moves_with.map(|segment| self.taus[segment as usize]);
            let (p, q, r) = (push[i], push[j], push[k]);
            let a = at[i] + p * s;
            let (b, c) = (at[j] + q * t - a, at[k] + r * u - a);
            let area = b.cross(c);
            let volume = f64::from(a.dot(area));
            let [adds, subtracts] = element.counts.map(|segment| segment as usize);
            self.volumes[adds] += volume;
            self.volumes[subtracts] -= volume;
            if !with_slopes {
                continue;
            }
            // The cross products of any two corners, by their differences: nothing large cancels.
            let (of_second, of_third) = (c.cross(a), a.cross(b));
            let of_first = area - of_second - of_third;
            let slopes = [of_first.dot(p), of_second.dot(q), of_third.dot(r)];
            for (slope, slots) in slopes.into_iter().zip(element.slots) {
                let [adds, subtracts] = slots.map(|slot| slot as usize);
                self.values[adds] += f64::from(slope);
                self.values[subtracts] -= f64::from(slope);
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
