//! What neighbours exchange through their border is not lost.
//!
//! In: what segments lack or have too much, and how the pose bends them. Out: the same, with what one lacks and the next has too much settled
//! between them; the whole stays as it is. Where a joint does not lie in the middle of its flesh, as in an elephant's neck, bending carries
//! the border along: one segment becomes half as large again at the cost of the other, though the body as a whole has lost
//! next to nothing. The lid between two segments is ours to lay (PAPERS §4.4), so it is laid where they are even. And what would turn a
//! small segment inside out is passed on to its neighbours. Beyond the paper. Cost: a few operations per vertex on a border.

use super::bends::BARELY_BENT;
use super::coupled::State;
use super::layout::Layout;
use super::segments::{Lid, NONE, Segments};
use crate::math::{key_of, sort_by_keys};

/// More: chains of small segments settle between them what only their ends lack. Fewer: some of it is left.
const ROUNDS: usize = 6;

/// Less than this share of the larger segment is not exchanged for the most part. Larger: less is settled. Smaller: flesh turns sharply in time where a
/// segment that lacked something begins to have too much.
const HARDLY: f64 = 3e-3;

/// The same for what is passed on, in what a segment can make good with ease.
const HARDLY_BEYOND: f64 = 0.25;

/// Who has a border with whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    borders: Vec<Border>,
    /// The places that each border hangs on, one list after the other.
    along: Vec<u32>,
    /// Per segment: what its neighbours have to offer.
    offered: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Border {
    segments: [usize; 2],
    /// In the list of places.
    end: usize,
    /// From 0 where the pose does not bend it, so that nothing passes, to 1.
    open: f64,
    /// What the first is given and the second gives.
    flow: f64,
}

impl Exchange {
    pub(super) fn new(segments: &Segments, layout: &Layout) -> Self {
        // What lids hang on: their edges, and their middles, of which all lids of a loop have the same.
        let between = |lid: &Lid| (lid.adds.min(lid.subtracts), lid.adds.max(lid.subtracts));
        let lids = || segments.lids().iter().filter(|lid| between(lid).1 != NONE);
        let mut middles: Vec<(u32, u32, u32)> =
            lids().map(|lid| (between(lid).0, between(lid).1, lid.middle)).collect();
        sort(&mut middles);
        middles.dedup();
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        let place = |vertex: &u32| layout.places[*vertex as usize];
        for &(first, second, middle) in &middles {
            let members = segments.middles().members(middle as usize).iter();
            places.extend(members.map(|vertex| (first, second, place(vertex))));
        }
        for lid in lids() {
            places.extend(lid.edge.iter().map(|vertex| (between(lid).0, between(lid).1, place(vertex))));
        }
        sort(&mut places);
        places.dedup();
        let mut exchange = Self { offered: vec![0.0; segments.segments().len()], ..Self::default() };
        for border in places.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (first, second, _) = border[0];
            exchange.along.extend(border.iter().map(|(.., place)| place));
            let (segments, end) = ([first as usize, second as usize], exchange.along.len());
            exchange.borders.push(Border { segments, end, open: 0.0, flow: 0.0 });
        }
        exchange
    }

    /// Takes a new pose.
    pub(super) fn pose(&mut self, bent: &[f32]) {
        let mut start = 0;
        for border in &mut self.borders {
            let along = &self.along[start..border.end];
            let bent = along.iter().map(|&place| bent[place as usize]).sum::<f32>() / along.len() as f32;
            (border.open, start) = (f64::from(bent / (bent + BARELY_BENT)), border.end);
        }
    }

    /// Settles what can be settled between neighbours.
    pub(super) fn settle(&mut self, states: &mut [State]) {
        for _ in 0..ROUNDS {
            self.offer(states);
            for border in &mut self.borders {
                let [a, b] = border.segments.map(|segment| states[segment].missing());
                let [to_a, to_b] = border.segments.map(|segment| self.offered[segment]);
                // Each has for this neighbour the share that the neighbour has of all it is offered.
                let settled = border.open * a.abs() * b.abs() / (to_a + to_b);
                let [one, other] = border.segments.map(|segment| states[segment].scale);
                let hardly = HARDLY * one.max(other);
                let is_opposite = a * b < 0.0 && settled.is_finite();
                border.flow =
                    if is_opposite { -gently(settled, hardly).copysign(a) * border.open } else { 0.0 };
            }
            self.flow(states);
        }
    }

    /// Passes on what segments lack beyond what they can make good with ease, to neighbours that can.
    pub(super) fn relieve(&mut self, states: &mut [State]) {
        for _ in 0..ROUNDS {
            self.offered.fill(0.0);
            for Border { segments: [one, other], open, .. } in &self.borders {
                self.offered[*one] += open * states[*other].ease;
                self.offered[*other] += open * states[*one].ease;
            }
            for border in &mut self.borders {
                let [one, other] = border.segments;
                let passed = |from: usize, to: usize| {
                    let share = border.open * states[to].ease / self.offered[from];
                    if share > 0.0 { share * border.open * beyond_ease(&states[from]) } else { 0.0 }
                };
                border.flow = passed(other, one) - passed(one, other);
            }
            self.flow(states);
        }
    }

    fn flow(&self, states: &mut [State]) {
        for border in &self.borders {
            let [one, other] = border.segments;
            states[one].flow += border.flow;
            states[other].flow -= border.flow;
        }
    }

    /// Sums what neighbours have to offer to each other.
    fn offer(&mut self, states: &[State]) {
        self.offered.fill(0.0);
        for border in &self.borders {
            let ([one, other], open) = (border.segments, border.open);
            let [a, b] = border.segments.map(|segment| states[segment].missing());
            if a * b < 0.0 {
                self.offered[one] += open * b.abs();
                self.offered[other] += open * a.abs();
            }
        }
    }
}

fn sort(triples: &mut [(u32, u32, u32)]) {
    sort_by_keys(triples, |&(.., third)| third.into());
    sort_by_keys(triples, |&(first, second, _)| key_of(first, second));
}

/// What a segment lacks beyond what it can make good with ease.
fn beyond_ease(state: &State) -> f64 {
    let missing = state.missing();
    gently(missing.abs() - state.ease, HARDLY_BEYOND * state.ease).copysign(missing)
}

/// `value` where it is large, none of it up to zero, and little while it is `hardly` anything.
fn gently(value: f64, hardly: f64) -> f64 {
    if value > 0.0 { value * (value / (value + hardly)) } else { 0.0 }
}
