//! One swelling where two segments meet, instead of one on either side of their border.
//!
//! In: a shape whose volumes are measured. Out: nearly all of what segments lack, given back by displacements that run across borders. Every
//! segment presses with a number ([`super::interface_pressure`]), and a vertex takes the mean of the numbers by its weights, so nothing steps where
//! segments meet. What the whole still lacks in the end all press for alike; what a segment is off by then, its figures tell. Segments that fill themselves and hold their
//! borders ([`super::exact`]) would make of a strongly bent joint two bulges with a crease between. Beyond the paper.
//! Cost: a pass over soft vertices and their influences for each round and one more, and one over their triangles.
//!
//! PostSkinning that the pose does not bend stands all but still, so segments beyond the bent joints are not disturbed.

use std::ops::Range;

use super::interface_pressure::Pressures;
use super::layout::{Layout, Ranges};
use super::segment_interfaces::SegmentInterfaces;
use super::segments::Segments;
use super::{Body, Volume};
use crate::deform::folds::Folds;
use crate::math::larger;

/// Volumes are cubics, numbers go by their slopes: what is left is pressed for again, until it is next to nothing, so many times in all. More: extreme poses take
/// longer. Fewer: segments of strongly bent bodies are off.
const ROUNDS: usize = 4;

/// A segment may be off by this share of its volume, of which the whole is no part; between once and twice this it is pressed for again by as much more, so that a round more or less is no
/// jump. Larger: segments are off. Smaller: a walking figure takes four rounds instead of two, for a few hundredths of a percent.
const EVEN_SHARE: f64 = 3e-4;

/// Nothing swells farther than about this share of its segment's reach. Larger: what a pose has turned inside out is blown up. Smaller:
/// strongly bent joints stay thin.
const COMFORT: f64 = 1.0;

/// Whom vertices follow, and what their segments gain by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Swell {
    borders: SegmentInterfaces,
    pressures: Pressures,
    /// Per place: where its shares end in `shares`.
    ends: Vec<u32>,
    shares: Vec<Share>,
    /// Per share: where it stands what its own segment gains when that one presses.
    entries: Vec<u32>,
    /// Per segment: its number, and the square of how far the vertex goes by it that goes farthest.
    numbers: Vec<f32>,
    farthest: Vec<f32>,
}

/// How much of a vertex follows a segment.
#[derive(Clone, Copy, Debug)]
struct Share {
    segment: u32,
    weight: f32,
}

impl Swell {
    pub(super) fn new(body: &Body, segments: &Segments, layout: &Layout) -> Self {
        let borders = SegmentInterfaces::new(segments, layout);
        let count = segments.segments().len();
        let mut swell = Self { numbers: vec![0.0; count], farthest: vec![0.0; count], ..Self::default() };
        // Places are sorted by segment, so what one follows is listed before the next begins: a few each.
        let mut followed: Vec<(u32, u32)> = Vec::new();
        let mut first = 0;
        for (&vertex, &own) in layout.order.iter().zip(&layout.segment_of_place) {
            let part = segments.segments()[own as usize].part;
            let begin = swell.shares.len();
            for influence in body.weights.row(vertex as usize) {
                if let Some(segment) = segments.find(part, influence.column as usize) {
                    let (segment, weight) = (segment as u32, influence.weight);
                    swell.shares.push(Share { segment, weight });
                    if followed.last().is_some_and(|&(last, _)| last != own) {
                        first = followed.len();
                    }
                    if !followed[first..].contains(&(own, segment)) {
                        followed.push((own, segment));
                    }
                }
            }
            // Joints without a segment press nothing.
            let all: f32 = swell.shares[begin..].iter().map(|share| share.weight).sum();
            swell.shares[begin..].iter_mut().for_each(|share| share.weight /= larger(all, f32::MIN_POSITIVE));
            swell.ends.push(swell.shares.len() as u32);
        }
        swell.pressures = Pressures::new(count, &followed, &borders);
        swell.borders = borders;
        let mut entries = Vec::with_capacity(swell.shares.len());
        for (own, shares) in layout.segment_of_place.iter().zip(swell.shares(&(0..layout.order.len()))) {
            let entry = |share: &Share| swell.pressures.entry(*own as usize, share.segment as usize);
            entries.extend(shares.iter().map(entry));
        }
        swell.entries = entries;
        swell
    }

    /// Where the shares of some places begin.
    fn start(&self, places: &Range<usize>) -> usize {
        if places.start == 0 { 0 } else { self.ends[places.start - 1] as usize }
    }

    /// The shares of each of some places.
    fn shares(&self, places: &Range<usize>) -> impl Iterator<Item = &[Share]> {
        let mut start = self.start(places);
        self.ends[places.clone()].iter().map(move |&end| {
            let shares = &self.shares[start..end as usize];
            start = end as usize;
            shares
        })
    }
}

impl Volume {
    /// Gives back what is missing, across borders: in the end all that the whole lacks. `folds`, if any, puts back what grows over a contact.
    pub(super) fn swell(&mut self, mut folds: Option<&mut Folds>) {
        let Some(mut swell) = self.swell.take() else { return };
        swell.borders.pose(&self.bent);
        self.sum_gains(&mut swell);
        let most = |segment: usize| COMFORT * self.reach[segment] / f64::from(swell.farthest[segment]).sqrt();
        swell.pressures.link(&swell.borders, &self.states, most);
        let mut share = 1.0;
        for _ in 0..ROUNDS {
            swell.pressures.press(&mut self.states, share);
            self.go_ways(&mut swell, folds.as_deref_mut());
            self.measure_volumes();
            swell.pressures.learn(&self.states);
            let off = self.states.iter().map(|state| state.missing().abs() / state.scale).fold(0.0, f64::max);
            share = (off / EVEN_SHARE - 1.0).min(1.0);
            if share <= 0.0 {
                break;
            }
        }
        swell.pressures.level(&self.states, |segment| self.segments.segments()[segment].part);
        self.go_alike(&swell.pressures);
        if let Some(folds) = folds {
            self.put_back(folds);
        }
        self.swell = Some(swell);
    }

    /// Which way vertices swell, and what volumes gain when segments press by one.
    fn sum_gains(&mut self, swell: &mut Swell) {
        swell.farthest.fill(0.0);
        let (mut pressures, mut farthest) =
            (std::mem::take(&mut swell.pressures), std::mem::take(&mut swell.farthest));
        let gains = pressures.gains();
        gains.fill(0.0);
        for Ranges { soft: places, .. } in &self.layout.ranges {
            let headings = self.heading[places.clone()].iter().zip(&self.areas[places.clone()]);
            let freedoms = self.freedom[places.clone()].iter().zip(&self.bent[places.clone()]);
            let gives = self.give[places.clone()].iter().zip(freedoms);
            let pushes = self.push[places.clone()].iter_mut().zip(swell.shares(places));
            let mut entries = swell.entries[swell.start(places)..].iter();
            for (((push, shares), (&heading, &area)), (&give, (&free, &bent))) in
                pushes.zip(headings).zip(gives)
            {
                *push = heading * (give * bent * free);
                let (gain, long) = (push.dot(area), push.length_squared());
                for (share, &entry) in shares.iter().zip(&mut entries) {
                    gains[entry as usize] += gain * share.weight;
                    let farthest = &mut farthest[share.segment as usize];
                    *farthest = larger(*farthest, long * share.weight * share.weight);
                }
            }
        }
        (swell.pressures, swell.farthest) = (pressures, farthest);
    }

    /// Moves every vertex as its segments press.
    fn go_ways(&mut self, swell: &mut Swell, folds: Option<&mut Folds>) {
        swell.numbers.iter_mut().enumerate().for_each(|(s, number)| *number = swell.pressures.number(s));
        for (segment, Ranges { soft: places, .. }) in self.layout.ranges.iter().enumerate() {
            let moves = self.at[places.clone()].iter_mut().zip(&self.push[places.clone()]);
            for ((at, &push), shares) in moves.zip(swell.shares(places)) {
                let numbers = shares.iter().map(|s| s.weight * swell.numbers[s.segment as usize]);
                *at += push * numbers.sum::<f32>();
            }
            self.stale[segment] |= !places.is_empty();
        }
        if let Some(folds) = folds {
            self.put_back(folds);
        }
    }

    /// The same where all segments of a part press alike, whatever their shares are.
    fn go_alike(&mut self, pressures: &Pressures) {
        for (segment, Ranges { soft: places, .. }) in self.layout.ranges.iter().enumerate() {
            let (number, pushes) = (pressures.number(segment), &self.push[places.clone()]);
            self.at[places.clone()].iter_mut().zip(pushes).for_each(|(at, &push)| *at += push * number);
        }
    }
}
