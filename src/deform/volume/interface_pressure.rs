//! How hard every segment presses on its flesh, so that all get their volumes back at once.
//!
//! In: what each segment lacks, and what it gains when it or another presses by one. Out: a number for each, and what passes from one to
//! the next. Cost: a few sweeps over the pairs of segments that share flesh; nothing per vertex. Beyond the paper.
//!
//! Where a joint does not lie in the middle of its flesh, as in an elephant's neck, bending carries the border along: one segment becomes half as large
//! again at the cost of the other, though the body as a whole has lost next to nothing. The lid between two segments is ours to
//! lay (PAPERS §4.4), so it is laid where neither presses much harder than the other: what passes through it is as its two
//! pressures differ. The whole stays as it is. With that every row of the system has more on its diagonal than beside it, so sweeps
//! always settle, and no number is larger than what fills a segment alone.

use super::coupled::State;
use super::segment_interfaces::SegmentInterfaces;
use crate::math::{key_of, sort_by_keys};

/// How easily flesh passes a wholly bent border, against how easily the smaller of two segments gives. Larger: joints swell as if the limbs around them were
/// one. Smaller: every segment keeps what is its own, and small ones between large ones, such as an elephant's neck, are blown up or crushed for it.
const EASE: f64 = 3.0;

/// The same against the larger: what hardly gives at all, such as an ear, passes on what it would have to take.
const EASE_OF_LARGER: f64 = 0.5;

/// At most so many sweeps forth and back, until no number changes by more than a little of the largest.
const SWEEPS: usize = 40;
const EVEN: f64 = 1e-9;

/// Less than this share of a segment tells nothing of how well it gives.
const LITTLE: f64 = 1e-2;

/// How many times what was hoped for a segment is believed to gain, at least and at most.
const LUCK: [f64; 2] = [0.7, 3.0];

/// The system of all segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Pressures {
    rows: Vec<Row>,
    /// Column and value of every entry, row by row: what a segment gains by a number, less what passes on.
    columns: Vec<u32>,
    values: Vec<f64>,
    /// What is gained alone.
    gains: Vec<f32>,
    links: Vec<Link>,
}

/// A segment.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Where its entries end, and that with itself.
    end: u32,
    own: u32,
    /// By how much harder it presses than before, and at most.
    number: f64,
    most: f64,
    /// What it should gain by that.
    hoped: f64,
}

/// Two segments that share flesh or a border.
#[derive(Clone, Copy, Debug)]
struct Link {
    segments: [usize; 2],
    /// Of each with the other.
    entries: [u32; 2],
    border: Option<usize>,
    /// What passes for every bit that one presses harder than the other.
    passes: f64,
}

impl Pressures {
    /// For so many segments, of which vertices of the first of every pair follow the second as well.
    pub(super) fn new(segments: usize, followed: &[(u32, u32)], borders: &SegmentInterfaces) -> Self {
        let mut pairs = followed.to_vec();
        pairs.extend((0..segments as u32).map(|segment| (segment, segment)));
        pairs.extend(
            borders.all().iter().map(|border| (border.segments[0] as u32, border.segments[1] as u32)),
        );
        let turned: Vec<(u32, u32)> = pairs.iter().map(|&(one, other)| (other, one)).collect();
        pairs.extend(turned);
        sort_by_keys(&mut pairs, |&(row, column)| key_of(row, column));
        pairs.dedup();
        let columns = pairs.iter().map(|&(_, column)| column).collect();
        let end = |segment: u32| pairs.partition_point(|&(row, _)| row <= segment) as u32;
        let rows = (0..segments as u32).map(|segment| Row { end: end(segment), ..Row::default() }).collect();
        let mut all = Self {
            rows,
            columns,
            values: vec![0.0; pairs.len()],
            gains: vec![0.0; pairs.len()],
            links: Vec::new(),
        };
        for segment in 0..segments {
            all.rows[segment].own = all.entry(segment, segment);
        }
        let link = |&(one, other): &(u32, u32)| {
            let segments = [one as usize, other as usize];
            Link {
                segments,
                entries: [all.entry(segments[0], segments[1]), all.entry(segments[1], segments[0])],
                border: borders.all().iter().position(|border| border.segments == segments),
                passes: 0.0,
            }
        };
        all.links = pairs.iter().filter(|(one, other)| one < other).map(link).collect();
        all
    }

    /// Where it stands what `segment` gains when `other` presses by one.
    pub(super) fn entry(&self, segment: usize, other: usize) -> u32 {
        let entries = self.entries(segment);
        let found = self.columns[entries.clone()].binary_search(&(other as u32));
        (entries.start + found.unwrap_or(0)) as u32
    }

    fn entries(&self, segment: usize) -> std::ops::Range<usize> {
        let start = if segment == 0 { 0 } else { self.rows[segment - 1].end as usize };
        start..self.rows[segment].end as usize
    }

    /// What is gained, for all entries; to be summed anew.
    pub(super) fn gains(&mut self) -> &mut [f32] {
        &mut self.gains
    }

    /// By how much harder a segment presses than before.
    pub(super) fn number(&self, segment: usize) -> f32 {
        self.rows[segment].number as f32
    }

    /// Takes gains and borders as they are in this pose. Segments press by no more than `most`, smoothly, so that nothing pops.
    pub(super) fn link(
        &mut self,
        borders: &SegmentInterfaces,
        states: &[State],
        most: impl Fn(usize) -> f64,
    ) {
        self.values.iter_mut().zip(&self.gains).for_each(|(value, &gain)| *value = gain.into());
        for at in 0..self.links.len() {
            let Link { segments, entries, border, .. } = self.links[at];
            let [one, other] = segments.map(|s| self.values[self.entries(s)].iter().sum::<f64>().max(0.0));
            let shared = entries.map(|entry| self.values[entry as usize].max(0.0));
            let open = border.map_or(0.0, |border| f64::from(borders.all()[border].open));
            let smaller = if one + other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 };
            let passes = open * (EASE * smaller + EASE_OF_LARGER * one.max(other));
            self.links[at].passes = passes + 0.5 * shared[0].max(shared[1]);
        }
        for (segment, state) in states.iter().enumerate() {
            let row = &mut self.rows[segment];
            row.most = most(segment).max(0.0);
            let own = &mut self.values[row.own as usize];
            let strain = state.missing() / (*own * row.most);
            *own *= if strain.is_finite() { (1.0 + strain * strain).sqrt() } else { 1.0 };
        }
        self.pass(1.0);
    }

    /// Puts what passes through borders into the system.
    fn pass(&mut self, sign: f64) {
        for Link { segments, entries, passes, .. } in &self.links {
            for (&segment, &entry) in segments.iter().zip(entries) {
                self.values[self.rows[segment].own as usize] += sign * passes;
                self.values[entry as usize] -= sign * passes;
            }
        }
    }

    /// Finds the numbers that give all segments a share of what they lack, and lets pass between them what does not stay.
    pub(super) fn press(&mut self, states: &mut [State], share: f64) {
        self.rows.iter_mut().for_each(|row| row.number = 0.0);
        for _ in 0..SWEEPS {
            let (mut largest, mut change) = (0.0_f64, 0.0_f64);
            for segment in (0..states.len()).chain((0..states.len()).rev()) {
                let before = self.rows[segment].number;
                let number = self.filling(segment, share * states[segment].missing());
                self.rows[segment].number = number;
                (largest, change) = (largest.max(number.abs()), change.max((number - before).abs()));
            }
            if change <= EVEN * largest {
                break;
            }
        }
        for Link { segments: [one, other], passes, .. } in &self.links {
            let passed = passes * (self.rows[*one].number - self.rows[*other].number);
            states[*one].flow -= passed;
            states[*other].flow += passed;
        }
        self.rows.iter_mut().zip(states).for_each(|(row, state)| row.hoped = state.missing());
    }

    /// The number that fills a segment while all others press as they do.
    fn filling(&self, segment: usize, missing: f64) -> f64 {
        let (row, entries) = (&self.rows[segment], self.entries(segment));
        let numbers = self.columns[entries.clone()].iter().map(|&column| self.rows[column as usize].number);
        let gained: f64 =
            self.values[entries].iter().zip(numbers).map(|(value, number)| value * number).sum();
        let number = row.number + (missing - gained) / self.values[row.own as usize];
        if number.is_finite() { number.clamp(-row.most, row.most) } else { 0.0 }
    }

    /// Lets all segments of a part press alike, by what the part as a whole lacks.
    pub(super) fn level(&mut self, states: &[State], part: impl Fn(usize) -> u32) {
        self.pass(-1.0);
        let mut start = 0;
        while start < states.len() {
            let end = (start..states.len()).find(|&s| part(s) != part(start)).unwrap_or(states.len());
            let missing: f64 = states[start..end].iter().map(State::missing).sum();
            let gain: f64 = self.values[self.entries(start).start..self.entries(end - 1).end].iter().sum();
            let limits = self.rows[start..end].iter().map(|row| row.most).filter(|most| most.is_finite());
            let most = limits.fold(0.0, f64::max);
            let number = (missing / gain).clamp(-most, most);
            for row in &mut self.rows[start..end] {
                row.number = if gain > 0.0 && number.is_finite() { number } else { 0.0 };
            }
            start = end;
        }
    }

    /// Takes note of what was gained for what was hoped, and hopes for as much more or less from now on.
    pub(super) fn learn(&mut self, states: &[State]) {
        self.pass(-1.0);
        for (segment, state) in states.iter().enumerate() {
            let (hoped, little) = (self.rows[segment].hoped, LITTLE * state.scale);
            let gained = hoped - state.missing();
            let by = (hoped * gained + little * little) / (hoped * hoped + little * little);
            let by = by.clamp(LUCK[0], LUCK[1]);
            let entries = self.entries(segment);
            self.values[entries].iter_mut().for_each(|value| *value *= by);
        }
        self.pass(1.0);
    }
}
