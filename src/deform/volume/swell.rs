//! One swelling where two segments meet, instead of one on either side of their border.
//!
//! In: a shape whose volumes are measured. Out: most of what segments lack, given back by displacements that run across borders. Every
//! segment has a number, what would fill it alone, and a vertex takes the mean of the numbers by its weights, so nothing steps where
//! segments meet. What is left then is for [`super::exact`], whose segments hold their borders, and which alone
//! would make of a strongly bent joint two bulges with a crease between. Beyond the paper.
//! Cost: two passes over soft vertices and their influences, and one over their triangles.
//!
//! Flesh that the pose does not bend stands all but still, so segments beyond the bent joints are not disturbed.

use std::ops::Range;

use glam::Vec3A;

use super::layout::Layout;
use super::segments::Segments;
use super::{Body, Volume};

/// Nothing swells farther than about this share of a segment's reach. Larger: what a pose has turned inside out is blown
/// up. Smaller: strongly bent joints stay thin.
const COMFORT: f64 = 0.25;

/// Whom vertices follow, and what their segments gain by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Swell {
    /// Per place: where its shares end in `shares`.
    ends: Vec<u32>,
    shares: Vec<Share>,
    /// Per place: how much it swells.
    ways: Vec<f32>,
    rows: Vec<Row>,
}

/// How much of a vertex follows a segment.
#[derive(Clone, Copy, Debug)]
struct Share {
    segment: u32,
    weight: f32,
}

/// A segment.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// What it gains when all its flesh swells by one, and what all segments gain by its number.
    own: f64,
    moved: f64,
    /// The square of how far the vertex goes by its number that goes farthest.
    farthest: f32,
    number: f32,
}

impl Swell {
    pub(super) fn new(body: &Body, segments: &Segments, layout: &Layout) -> Self {
        let mut swell = Self::default();
        for (&vertex, &own) in layout.order.iter().zip(&layout.segment_of_place) {
            let part = segments.segments()[own as usize].part;
            let followed = body.weights.row(vertex as usize).iter().filter_map(|influence| {
                let segment = segments.find(part, influence.column as usize)?;
                Some(Share { segment: segment as u32, weight: influence.weight })
            });
            swell.shares.extend(followed);
            swell.ends.push(swell.shares.len() as u32);
        }
        swell.ways = vec![0.0; layout.order.len()];
        swell.rows = vec![Row::default(); segments.segments().len()];
        swell
    }

    /// Adds what is gained when a vertex of segment `own` goes by one along a heading, of which a square and a gain are known.
    #[inline]
    fn add(&mut self, place: usize, own: usize, long: f32, gain: f32) {
        let way = self.ways[place];
        self.rows[own].own += f64::from(gain * way);
        for share in &self.shares[self.range(place)] {
            let goes = way * share.weight;
            let row = &mut self.rows[share.segment as usize];
            row.moved += f64::from(gain * goes);
            row.farthest = row.farthest.max(long * goes * goes);
        }
    }

    /// How far a vertex goes.
    #[inline]
    fn way(&self, place: usize) -> f32 {
        let numbers =
            self.shares[self.range(place)].iter().map(|s| s.weight * self.rows[s.segment as usize].number);
        self.ways[place] * numbers.sum::<f32>()
    }

    #[inline]
    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        start..self.ends[place] as usize
    }
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
        self.exchange.pose(&self.bent);
        self.exchange.settle(&mut self.states);
        self.sum_gains(&mut swell);
        self.fill(&mut swell);
        self.go_ways(&swell);
        self.swell = Some(swell);
        self.aim_stale();
        self.exchange.settle(&mut self.states);
        self.exchange.relieve(&mut self.states);
    }

    /// What volumes gain when flesh moves by one.
    fn sum_gains(&mut self, swell: &mut Swell) {
        swell.rows.fill(Row::default());
        for segment in 0..self.states.len() {
            for place in self.able(segment) {
                swell.ways[place] = self.give[place] * self.bent[place] * self.freedom[place];
                let heading = self.heading[place];
                swell.add(place, segment, heading.length_squared(), heading.dot(self.areas[place]));
            }
        }
    }

    /// What would fill each segment if it swelled alone; less where that would swell its neighbours more.
    fn fill(&self, swell: &mut Swell) {
        for ((row, state), reach) in swell.rows.iter_mut().zip(&self.states).zip(&self.reach) {
            let number = if row.own > 0.0 { state.missing() / row.own.max(row.moved) } else { 0.0 };
            row.number = softened(number, COMFORT * reach / f64::from(row.farthest).sqrt()) as f32;
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
