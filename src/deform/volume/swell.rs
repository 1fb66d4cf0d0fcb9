//! One swelling where two segments meet, instead of one on either side of their border.
//!
//! In: a shape whose volumes are measured. Out: most of what segments lack, given back by displacements that run across borders. Every
//! segment has a number, and a vertex takes the mean of the numbers by its weights, so nothing steps where segments meet. First flesh swells as γ says, where
//! the pose bends it, each segment's number being what would fill it alone; what that leaves is evened out by all soft flesh, with
//! numbers that solve a small sparse system. What is left then is for [`super::exact`], whose segments hold their borders, and which alone
//! would make of a strongly bent joint two bulges with a crease between. Beyond the paper.
//! Cost: two passes over soft vertices and their influences, and one over their triangles.
//!
//! Flesh that the pose does not bend stands all but still, so segments beyond the bent joints are not disturbed.

use std::ops::Range;

use glam::Vec3A;

use super::layout::Layout;
use super::segments::Segments;
use super::{Body, RIGHT_SHARE, Volume};

/// The second evens out what the first leaves because volumes are not linear. More: takes longer. Fewer: grooves at thin segments.
const ROUNDS: usize = 2;

/// Nothing moves farther in a round than about this share of a segment's reach. Larger: what a pose has turned inside out is blown
/// up. Smaller: strongly bent joints stay thin.
const COMFORT: f64 = 0.25;

/// Gauss–Seidel sweeps. More: the volumes are nearer after a round. Fewer: neighbours with opposite needs push each other less far.
const SWEEPS: usize = 12;

/// Flesh that is bent by this (about 3°) is half as free as flesh that is bent more. Larger: grooves in gentle poses. Smaller: flesh next to a joint
/// that hardly bends moves with its neighbours'.
const BARELY_BENT: f32 = 3e-3;

/// Flesh that is not bent at all is this free. Larger: far ends of limbs move. Smaller: a segment that its neighbours disturb cannot make it good.
const UNBENT: f32 = 2e-3;

/// The same for what is left after swelling. Larger: far ends of limbs move. Smaller: in extreme poses a segment's bent flesh alone cannot fill it.
const UNBENT_LEFT: f32 = 0.1;

/// What a segment gains by its own number counts as at least this share of what all do. Larger: thin segments stay uneven. Smaller: one that hardly
/// takes part throws its neighbours about.
const LEAST_OWN: f64 = 0.4;

/// Whom vertices follow, and what their segments gain by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Swell {
    /// Per place: where its shares end in `shares`.
    ends: Vec<u32>,
    shares: Vec<Share>,
    /// Per place: how much it swells, and how much it evens out.
    swells: Vec<f32>,
    evens: Vec<f32>,
    rows: Vec<Row>,
    /// Of the matrices, row by row: what a segment gains by another's number, swelling and evening out.
    columns: Vec<u32>,
    values: Vec<[f64; 2]>,
}

/// How much of a vertex follows a segment.
#[derive(Clone, Copy, Debug)]
struct Share {
    segment: u32,
    weight: f32,
    /// In the matrices, in the row of the vertex's own segment.
    slot: u32,
}

/// A segment.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// In the matrices.
    end: u32,
    missing: f64,
    /// What all segments gain by its numbers.
    moved: [f64; 2],
    /// The square of how far the vertex goes by it that goes farthest.
    farthest: [f32; 2],
    numbers: [f64; 2],
}

impl Swell {
    pub(super) fn new(body: &Body, segments: &Segments, layout: &Layout) -> Self {
        let followed = |place: usize| {
            let vertex = layout.order[place] as usize;
            let own = layout.segment_of_place[place];
            let part = segments.segments()[own as usize].part;
            let row = body.weights.row(vertex).iter();
            row.filter_map(move |influence| {
                let segment = segments.find(part, influence.column as usize)?;
                Some((own, segment as u32, influence.weight))
            })
        };
        let places = layout.order.len();
        let mut entries: Vec<(u32, u32)> =
            (0..places).flat_map(|place| followed(place).map(|(own, segment, _)| (own, segment))).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut swell = Self { values: vec![[0.0; 2]; entries.len()], ..Self::default() };
        for place in 0..places {
            swell.shares.extend(followed(place).map(|(own, segment, weight)| {
                let slot = entries.binary_search(&(own, segment)).unwrap_or(0) as u32;
                Share { segment, weight, slot }
            }));
            swell.ends.push(swell.shares.len() as u32);
        }
        (swell.swells, swell.evens) = (vec![0.0; places], vec![0.0; places]);
        let end = |row: usize| entries.partition_point(|&(own, _)| own as usize <= row) as u32;
        swell.rows =
            (0..segments.segments().len()).map(|row| Row { end: end(row), ..Row::default() }).collect();
        swell.columns = entries.into_iter().map(|(_, column)| column).collect();
        swell
    }

    /// Adds what its own segment gains when a vertex goes these ways along a heading, of which a square and a gain are known.
    #[inline]
    fn add(&mut self, place: usize, long: f32, gain: f32) {
        let ways = [self.swells[place], self.evens[place]];
        for share in &self.shares[self.range(place)] {
            let goes = ways.map(|way| way * share.weight);
            let values = &mut self.values[share.slot as usize];
            *values = [0, 1].map(|i| values[i] + f64::from(gain * goes[i]));
            let farthest = &mut self.rows[share.segment as usize].farthest;
            *farthest = [0, 1].map(|i| farthest[i].max(long * goes[i] * goes[i]));
        }
    }

    /// Sums what all segments gain by each one's numbers.
    fn sum_moved(&mut self) {
        self.rows.iter_mut().for_each(|row| row.moved = [0.0; 2]);
        for (&column, values) in self.columns.iter().zip(&self.values) {
            let moved = &mut self.rows[column as usize].moved;
            *moved = [moved[0] + values[0], moved[1] + values[1]];
        }
    }

    /// What would fill each segment if it swelled alone; less where that would swell its neighbours more.
    fn fill_alone(&mut self, reach: &[f64]) {
        let mut start = 0;
        for (row, reach) in self.rows.iter_mut().zip(reach) {
            let gain: f64 = self.values[start..row.end as usize].iter().map(|[swells, _]| swells).sum();
            let number = if gain > 0.0 { row.missing / gain.max(row.moved[0]) } else { 0.0 };
            (row.numbers[0], start) = (softened(number, limit(*reach, row.farthest[0])), row.end as usize);
        }
    }

    /// Takes what swelling gives off what is missing.
    fn foresee(&mut self) {
        let mut start = 0;
        for segment in 0..self.rows.len() {
            let entries = start..self.rows[segment].end as usize;
            let given =
                |(&column, values): (&u32, &[f64; 2])| values[0] * self.rows[column as usize].numbers[0];
            let gain: f64 =
                self.columns[entries.clone()].iter().zip(&self.values[entries.clone()]).map(given).sum();
            self.rows[segment].missing -= gain;
            start = entries.end;
        }
    }

    /// Finds the numbers that even out what is missing.
    fn even_out(&mut self, reach: &[f64]) {
        self.rows.iter_mut().for_each(|row| row.numbers[1] = 0.0);
        for _ in 0..SWEEPS {
            let mut start = 0;
            for (segment, &reach) in reach.iter().enumerate() {
                let Row { end, mut missing, moved, farthest, .. } = self.rows[segment];
                let entries = start..end as usize;
                let mut own = 0.0;
                for (&column, values) in self.columns[entries.clone()].iter().zip(&self.values[entries]) {
                    if column as usize == segment {
                        own = values[1];
                    } else {
                        missing -= values[1] * self.rows[column as usize].numbers[1];
                    }
                }
                // A segment whose number moves others more than itself is not to have all its way.
                let number = if own > 0.0 { missing / own.max(LEAST_OWN * moved[1]) } else { 0.0 };
                self.rows[segment].numbers[1] = softened(number, limit(reach, farthest[1]));
                start = end as usize;
            }
        }
    }

    /// How far a vertex goes.
    #[inline]
    fn way(&self, place: usize) -> f32 {
        let (mut swells, mut evens) = (0.0, 0.0);
        for share in &self.shares[self.range(place)] {
            let [by_swelling, by_evening] = self.rows[share.segment as usize].numbers;
            swells += share.weight * by_swelling as f32;
            evens += share.weight * by_evening as f32;
        }
        self.swells[place] * swells + self.evens[place] * evens
    }

    #[inline]
    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        start..self.ends[place] as usize
    }
}

/// The largest number of a segment.
fn limit(reach: f64, farthest: f32) -> f64 {
    COMFORT * reach / f64::from(farthest).sqrt()
}

/// `value`, never beyond `limit`, and smoothly, so that nothing pops; 0 if it is no number.
fn softened(value: f64, limit: f64) -> f64 {
    let strain = value / limit.max(f64::MIN_POSITIVE);
    let softened = value / (1.0 + strain * strain).sqrt();
    if softened.is_finite() { softened } else { 0.0 }
}

impl Volume {
    /// Gives back most of what is missing, across borders.
    pub(super) fn swell(&mut self) {
        let Some(mut swell) = self.swell.take() else { return };
        let mut moved = false;
        for round in 0..ROUNDS {
            if !self.find_needs(&mut swell) {
                break;
            }
            self.sum_gains(&mut swell, round == 0);
            swell.sum_moved();
            if round == 0 {
                swell.fill_alone(&self.reach);
                swell.foresee();
            }
            swell.even_out(&self.reach);
            self.go_ways(&swell);
            moved = true;
            if round + 1 < ROUNDS {
                self.measure();
            }
            // Only once: else flesh that is hardly bent would take back what its neighbours' swelling did to its segment.
            swell.rows.iter_mut().for_each(|row| row.numbers[0] = 0.0);
        }
        self.swell = Some(swell);
        if moved {
            self.aim_stale();
        }
    }

    /// Notes what segments lack. Whether any of them lacks anything.
    fn find_needs(&self, swell: &mut Swell) -> bool {
        let mut any = false;
        for (row, state) in swell.rows.iter_mut().zip(&self.states) {
            let missing = state.wanted - state.corrected;
            let is_right = missing.abs() <= RIGHT_SHARE * state.scale;
            row.missing = if is_right { 0.0 } else { missing };
            any |= !is_right;
        }
        any
    }

    /// What volumes gain when flesh moves by one.
    fn sum_gains(&mut self, swell: &mut Swell, is_first: bool) {
        swell.values.fill([0.0; 2]);
        swell.rows.iter_mut().for_each(|row| row.farthest = [0.0; 2]);
        for segment in 0..self.states.len() {
            for place in self.able(segment) {
                if is_first {
                    let (bent, free) = (self.bends.factor(place), &mut self.freedom[place]);
                    swell.swells[place] = self.give[place] * bent * *free;
                    let bends = bent / (bent + BARELY_BENT);
                    swell.evens[place] = self.soft[place] * *free * (bends + UNBENT);
                    *free *= bends + UNBENT_LEFT;
                }
                let heading = self.heading[place];
                swell.add(place, heading.length_squared(), heading.dot(self.areas[place]));
            }
        }
    }

    /// Moves every vertex as its segments do.
    fn go_ways(&mut self, swell: &Swell) {
        for segment in 0..self.states.len() {
            let mut any = false;
            for place in self.able(segment) {
                let step = self.heading[place] * swell.way(place);
                if step != Vec3A::ZERO && step.is_finite() {
                    self.at[place] += step;
                    self.shift[place] += step;
                    any = true;
                }
            }
            self.stale[segment] |= any;
        }
    }
}
