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

use super::layout::{Layout, Ranges};
use super::segments::Segments;
use super::{Body, Volume};
use crate::deform::folds::Folds;
use crate::math::larger;

/// Nothing swells farther than about this share of a segment's reach. Larger: what a pose has turned inside out is blown
/// up. Smaller: strongly bent joints stay thin.
const COMFORT: f64 = 0.25;

/// Whom vertices follow, and what their segments gain by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Swell {
    /// Per place: where its shares end in `shares`.
    ends: Vec<u32>,
    shares: Vec<Share>,
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
    own: f32,
    moved: f32,
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
        swell.rows = vec![Row::default(); segments.segments().len()];
        swell
    }

    /// The shares of each of some places.
    fn shares(&self, places: &Range<usize>) -> impl Iterator<Item = &[Share]> {
        let mut start = if places.start == 0 { 0 } else { self.ends[places.start - 1] as usize };
        self.ends[places.clone()].iter().map(move |&end| {
            let shares = &self.shares[start..end as usize];
            start = end as usize;
            shares
        })
    }
}

/// `value`, never beyond `limit`, and smoothly, so that nothing pops; 0 if it is no number.
fn softened(value: f64, limit: f64) -> f64 {
    let strain = value / limit.max(f64::MIN_POSITIVE);
    let softened = value / (1.0 + strain * strain).sqrt();
    if softened.is_finite() { softened } else { 0.0 }
}

impl Volume {
    /// Gives back most of what is missing, across borders, and aims for the rest.
    pub(super) fn swell(&mut self, folds: Option<&mut Folds>) {
        let Some(mut swell) = self.swell.take() else { return };
        self.exchange.pose(&self.bent);
        self.exchange.settle(&mut self.states);
        self.sum_gains(&mut swell);
        self.fill(&mut swell);
        self.go_ways(&swell);
        self.swell = Some(swell);
        if let Some(folds) = folds {
            self.put_back(folds);
        }
        self.aim_stale();
        self.exchange.settle(&mut self.states);
        self.exchange.relieve(&mut self.states);
    }

    /// What volumes gain when flesh moves by one.
    fn sum_gains(&mut self, swell: &mut Swell) {
        swell.rows.fill(Row::default());
        let mut rows = std::mem::take(&mut swell.rows);
        for (segment, Ranges { soft: places, .. }) in self.layout.ranges.iter().enumerate() {
            let mut own = 0.0;
            let headings = self.heading[places.clone()].iter().zip(&self.areas[places.clone()]);
            let freedoms = self.freedom[places.clone()].iter().zip(&self.bent[places.clone()]);
            let gives = self.give[places.clone()].iter().zip(freedoms);
            for ((shares, (&heading, &area)), (&give, (&free, &bent))) in
                swell.shares(places).zip(headings).zip(gives)
            {
                let way = give * bent * free;
                let (long, gain) = (heading.length_squared(), heading.dot(area));
                own += gain * way;
                for share in shares {
                    let goes = way * share.weight;
                    let row = &mut rows[share.segment as usize];
                    row.moved += gain * goes;
                    row.farthest = larger(row.farthest, long * goes * goes);
                }
            }
            rows[segment].own = own;
        }
        swell.rows = rows;
    }

    /// What would fill each segment if it swelled alone; less where that would swell its neighbours more.
    fn fill(&self, swell: &mut Swell) {
        for ((row, state), reach) in swell.rows.iter_mut().zip(&self.states).zip(&self.reach) {
            let gain = f64::from(larger(row.own, row.moved));
            let number = if row.own > 0.0 { state.missing() / gain } else { 0.0 };
            row.number = softened(number, COMFORT * reach / f64::from(row.farthest).sqrt()) as f32;
        }
    }

    /// Moves every vertex as its segments do.
    fn go_ways(&mut self, swell: &Swell) {
        for (Ranges { soft: places, .. }, stale) in self.layout.ranges.iter().zip(&mut self.stale) {
            for (place, shares) in places.clone().zip(swell.shares(places)) {
                let numbers = shares.iter().map(|s| s.weight * swell.rows[s.segment as usize].number);
                let way = self.give[place] * self.bent[place] * self.freedom[place] * numbers.sum::<f32>();
                if way != 0.0 {
                    self.at[place] += self.heading[place] * way;
                    *stale = true;
                }
            }
        }
    }
}
