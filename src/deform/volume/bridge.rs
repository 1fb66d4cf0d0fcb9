//! One swelling where two segments meet, instead of one on either side of their border.
//!
//! In: a shape whose volumes are measured. Out: most of what segments lack, given back by displacements that run across borders:
//! first by joints, whose flesh swells or shrinks as γ says, then by segments as far as they are soft ([`super::level`]). What is left is
//! for [`super::exact`], whose segments hold their borders, and alone would make of a strongly bent joint two bulges with a
//! crease between. Beyond the paper. Cost: two passes over soft vertices, one over the triangles of what moves, and again in strong bends.
//!
//! Every segment says how far its flesh would have to go. A joint takes the mean of what its segments say, by how much of their
//! flesh it bends. Where the pose bends nothing, nothing moves, so borders need not be held for the sake of others.

use glam::{Vec3, Vec3A};

use super::bends::Bends;
use super::layout::Layout;
use super::level::{Level, Need, softened};
use super::segments::Segments;
use super::{Body, RIGHT_SHARE, Volume};

/// Each leaves about a third of what was missing. More: takes longer. Fewer: more is left to segments that hold their borders, and creases there.
const ROUNDS: usize = 5;

/// No further round where every segment is within this share. Larger: creases. Smaller: takes longer.
const EVEN_SHARE: f64 = 1e-2;

/// No joint and no segment moves flesh farther than about this share of a segment's reach. Larger: what a pose has turned inside out is blown
/// up. Smaller: strongly bent joints stay thin.
const COMFORT: f64 = 0.5;

/// What joints and segments give.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    /// Vertices that more than one joint holds, by segment.
    soft: Vec<Soft>,
    /// Per segment: where its soft vertices end.
    soft_ends: Vec<u32>,
    /// For every pair of every place, as [`Bends::range`] counts: where its gain is summed.
    slots: Vec<u32>,
    /// What pairs give to segments, segment by segment.
    gains: Vec<Gain>,
    joints: Vec<Joint>,
    needs: Vec<Need>,
    level: Level,
}

#[derive(Clone, Copy, Debug)]
struct Soft {
    place: u32,
    /// γ with nothing faded out, by the area at rest.
    give: f32,
    /// The same of a γ that is one in all that is soft.
    whole: f32,
}

/// What the flesh of a pair of joints does in one segment.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    segment: u32,
    pair: u32,
    /// The gain in volume per unit of way.
    volume: f64,
    /// The square of how far the vertex goes that goes farthest.
    squared: f32,
}

/// What a pair of joints does.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    gain: f64,
    /// What its segments ask for, times their gains.
    asked: f64,
    limit: f64,
    way: f32,
}

/// What a vertex may give, by the area at rest, in all places.
pub(super) struct Gives {
    /// γ with nothing faded out.
    pub(super) by_map: Vec<f32>,
    /// In all that is soft.
    pub(super) whole: Vec<f32>,
}

impl Bridge {
    pub(super) fn new(
        body: &Body,
        segments: &Segments,
        layout: &Layout,
        bends: &Bends,
        gives: &Gives,
    ) -> Self {
        let segment_of = |place: usize| layout.segment_of_place[place];
        let of_place = |place: usize| bends.pairs_of(place).map(move |pair| (segment_of(place), pair));
        let places = 0..layout.order.len();
        let mut keys: Vec<(u32, u32)> = places.clone().flat_map(of_place).collect();
        keys.sort_unstable();
        keys.dedup();
        let slot = |key| keys.binary_search(&key).unwrap_or(0) as u32;
        let is_soft = |&place: &usize| !bends.range(place).is_empty();
        let soft: Vec<Soft> = places
            .clone()
            .filter(is_soft)
            .map(|place| Soft { place: place as u32, give: gives.by_map[place], whole: gives.whole[place] })
            .collect();
        let vertices: Vec<u32> = soft.iter().map(|soft| layout.order[soft.place as usize]).collect();
        let end = |vertices: &std::ops::Range<usize>| {
            soft.partition_point(|soft| (soft.place as usize) < vertices.end) as u32
        };
        let gain = |&(segment, pair): &(u32, u32)| Gain { segment, pair, ..Gain::default() };
        Self {
            soft_ends: layout.ranges.iter().map(|ranges| end(&ranges.vertices)).collect(),
            slots: places.flat_map(of_place).map(slot).collect(),
            gains: keys.iter().map(gain).collect(),
            joints: vec![Joint::default(); bends.pairs()],
            needs: vec![Need::default(); layout.ranges.len()],
            level: Level::new(body, segments, &vertices),
            soft,
        }
    }

    fn soft_of(&self, segment: usize) -> std::ops::Range<usize> {
        let start = if segment == 0 { 0 } else { self.soft_ends[segment - 1] as usize };
        start..self.soft_ends[segment] as usize
    }

    /// Asks joints for what segments lack, and lets segments even out what joints will leave. In later rounds joints go no farther than
    /// before: else flesh that is hardly bent would take back what its neighbours' swelling did to its segment.
    fn decide(&mut self, reach: &[f64], is_first: bool) {
        for joint in &mut self.joints {
            (joint.gain, joint.asked, joint.limit) = (0.0, 0.0, f64::MAX);
        }
        for of_segment in self.gains.chunk_by(|a, b| a.segment == b.segment) {
            let segment = of_segment[0].segment as usize;
            let all: f64 = of_segment.iter().map(|gain| gain.volume).sum();
            let way = if all > 0.0 { self.needs[segment].missing / all } else { 0.0 };
            for gain in of_segment {
                let joint = &mut self.joints[gain.pair as usize];
                joint.gain += gain.volume;
                joint.asked += gain.volume * way;
                joint.limit = joint.limit.min(COMFORT * reach[segment] / f64::from(gain.squared).sqrt());
            }
        }
        for joint in &mut self.joints {
            let way = if joint.gain > 0.0 { joint.asked / joint.gain } else { 0.0 };
            let limit = if is_first { joint.limit } else { joint.limit.min(f64::from(joint.way.abs())) };
            joint.way = softened(way, limit) as f32;
        }
        for gain in &self.gains {
            self.needs[gain.segment as usize].missing -=
                gain.volume * f64::from(self.joints[gain.pair as usize].way);
        }
        self.level.solve(&self.needs);
    }
}

impl Volume {
    /// Gives back most of what is missing, across borders. Whether anything moved.
    pub(super) fn swell(&mut self, positions: &mut [Vec3]) -> bool {
        let Some(mut bridge) = self.bridge.take() else { return false };
        let Some(bends) = self.bends.take() else { return false };
        let mut moved = false;
        for round in 0..std::env::var("R").map_or(ROUNDS, |r| r.parse().unwrap()) {
            if !self.find_needs(&mut bridge) || (round > 0 && self.is_even()) {
                break;
            }
            if round == 0 {
                let segments = self.segments.segments().iter();
                bridge.level.pose(segments.map(|s| s.joint.map_or(0.0, |joint| bends.of_joint(joint))));
            }
            self.sum_gains(&mut bridge, &bends);
            bridge.decide(&self.reach, round == 0);
            self.go_ways(&bridge, &bends, positions);
            self.measure(positions);
            moved = true;
            if std::env::var("P").is_ok() { eprintln!("{round} {:?}", self.states.iter().map(|s| (1e4 * (s.corrected / s.wanted - 1.0)).round() as i32).collect::<Vec<_>>()); }
        }
        (self.bridge, self.bends) = (Some(bridge), Some(bends));
        moved
    }

    /// Notes what segments lack. Whether any of them lacks anything.
    fn find_needs(&self, bridge: &mut Bridge) -> bool {
        let mut any = false;
        for (need, state) in bridge.needs.iter_mut().zip(&self.states) {
            let missing = state.wanted - state.corrected;
            let is_right = missing.abs() <= RIGHT_SHARE * state.scale;
            need.missing = if is_right { 0.0 } else { missing };
            any |= !is_right;
        }
        any
    }

    /// Whether what is missing is too little to be seen, wherever it is given back.
    fn is_even(&self) -> bool {
        self.states.iter().all(|state| (state.wanted - state.corrected).abs() <= EVEN_SHARE * state.scale)
    }

    /// What volumes gain when flesh moves by one: that of joints, and that of segments.
    fn sum_gains(&self, bridge: &mut Bridge, bends: &Bends) {
        bridge.level.clear();
        for gain in &mut bridge.gains {
            (gain.volume, gain.squared) = (0.0, 0.0);
        }
        for segment in 0..self.states.len() {
            let mut squared = 0.0_f32;
            for index in bridge.soft_of(segment) {
                let Soft { place, give, whole } = bridge.soft[index];
                let place = place as usize;
                let (area, free) = (self.areas[place].length_squared(), self.freedom[place]);
                let (give, whole) = (give * free, whole * free);
                squared = squared.max(area * whole * whole);
                bridge.level.add(index, area * whole);
                let slots = &bridge.slots[bends.range(place)];
                for ((_, bent), &slot) in bends.bent(place).zip(slots) {
                    let gain = &mut bridge.gains[slot as usize];
                    gain.volume += f64::from(area * give * bent);
                    gain.squared = gain.squared.max(area * (give * bent) * (give * bent));
                }
            }
            bridge.needs[segment].limit = COMFORT * self.reach[segment] / f64::from(squared).sqrt();
        }
    }

    /// Moves every soft vertex as its joints and segments do.
    fn go_ways(&mut self, bridge: &Bridge, bends: &Bends, positions: &mut [Vec3]) {
        for segment in 0..self.states.len() {
            for index in bridge.soft_of(segment) {
                let Soft { place, give, whole } = bridge.soft[index];
                let place = place as usize;
                let by_joints: f32 =
                    bends.bent(place).map(|(pair, bent)| bent * bridge.joints[pair].way).sum();
                let way = (give * by_joints + whole * bridge.level.way(index)) * self.freedom[place];
                let step = self.areas[place] * way;
                if step != Vec3A::ZERO && step.is_finite() {
                    positions[self.layout.order[place] as usize] += Vec3::from(step);
                    self.stale[segment] = true;
                }
            }
        }
    }
}
