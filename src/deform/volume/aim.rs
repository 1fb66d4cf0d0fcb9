//! Which way the flesh of a segment goes to get its volume back.
//!
//! In: a shape, its area vectors, and how much of a segment's volume is missing. Out: one push per vertex, of which the solver takes a
//! multiple. The map γ chooses who gives, where the pose bends the flesh; where that would have to go too far, or stands too close to
//! the border to gain anything, the rest of the segment joins in. Cost: one pass over the segment's vertices.

use super::Volume;
use super::bends::BARELY_BENT;
use super::coupled::Stage;
use super::cubic::Cubic;
use super::sweep;
use crate::math::larger;

/// As long as no vertex that γ moves goes farther than half this share of its segment's reach, only those move; beyond, the rest
/// of the segment joins in, half and half at about 1.2 times this. Larger: joints are turned inside out before the volume is
/// right. Smaller: rigid flesh moves in ordinary poses.
const COMFORT: f64 = 0.25;

/// PostSkinning that a pose bends less than this (about by 1°; not at all beyond ten times this) is disturbed by its neighbours' correction only, and gives all over, by
/// next to nothing; what little of it the map would choose stands at the border, and would have to go far. Larger: rigid
/// flesh moves in gentle poses. Smaller: spikes at the ends of limbs that are not bent at all.
const ALL_BUT_STILL: f64 = 3e-4;

/// PostSkinning that is not bent at all gives this much of what bent flesh does when all of a segment gives. Larger: far ends of limbs move. Smaller: in extreme
/// poses a segment's bent flesh alone cannot fill it.
const UNBENT: f32 = 0.1;

/// How a segment is about to move.
pub(super) struct Aim {
    /// What its volume gains per τ along the map's part of the push, if all around it stands still.
    pub(super) gain: f64,
    /// How far τ may go.
    pub(super) reach: f64,
}

impl Volume {
    /// The direction in which a segment's vertices move to get `missing` back.
    pub(super) fn aim(&mut self, segment: usize, missing: f64) -> Aim {
        let vertices = self.able(segment);
        let (mut by_map, mut by_map_if_bent, mut by_all, mut squared) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f32);
        for place in vertices.clone() {
            let (heading, free) = (self.heading[place], self.freedom[place]);
            let bent = self.bent[place];
            let give = self.give[place] * free;
            let push = heading * (give * bent);
            self.push[place] = push;
            squared = larger(squared, push.length_squared());
            let along = heading.dot(self.areas[place]);
            by_map += f64::from(along * (give * bent));
            by_map_if_bent += f64::from(along * give);
            by_all += f64::from(along * self.spread_at(segment, place));
        }
        // How far the map's flesh would go alone, against what it can take.
        let strain = (missing / by_map).abs() * f64::from(squared).sqrt() / (COMFORT * self.reach[segment]);
        let bent = by_map / by_map_if_bent;
        let share =
            (2.0 * strain - 1.0).max(0.0).powi(2) * 0.5 + ((ALL_BUT_STILL / bent).powi(2) - 0.01).max(0.0);
        let share = if by_map > 0.0 { share } else { 1.0 };
        if by_all > 0.0 && share > 0.0 {
            // Both parts' gains in volume are as 1 to `share`.
            let rate = if by_map > 0.0 { (share.min(1e6) * by_map / by_all) as f32 } else { 1.0 };
            for place in vertices {
                let push = self.heading[place] * (self.spread_at(segment, place) * rate);
                self.push[place] += push;
                squared = larger(squared, self.push[place].length_squared());
            }
        }
        Aim { gain: by_map, reach: self.reach_along(segment, squared) }
    }

    /// How much a place gives when all of its segment does: where flesh is soft, what is bent before what is not.
    #[inline(always)]
    pub(super) fn spread_at(&self, segment: usize, place: usize) -> f32 {
        if self.is_wide[segment] {
            return self.spread[place] * self.freedom[place];
        }
        let bent = self.bent[place];
        let give = bent / (bent + BARELY_BENT) + UNBENT;
        self.soft[place] * self.freedom[place] * give
    }

    /// Lets all of a segment give.
    fn push_all(&mut self, segment: usize) -> Aim {
        let (mut gain, mut squared) = (0.0_f32, 0.0_f32);
        for place in self.able(segment) {
            let push = self.heading[place] * self.spread_at(segment, place);
            self.push[place] = push;
            squared = larger(squared, push.length_squared());
            gain += push.dot(self.areas[place]);
        }
        Aim { gain: gain.into(), reach: self.reach_along(segment, squared) }
    }

    /// Measures a segment's own triangles and what they gain along its push.
    pub(super) fn take_aim(&mut self, segment: usize, reach: f64) {
        let triangles = &self.layout.triangles[self.able_triangles(segment)];
        let [own, gains @ ..] = sweep::gains(triangles, &self.at, &self.push);
        let state = &mut self.states[segment];
        (state.own, state.cubic) = (state.still + own, Cubic { gains });
        (state.reach, state.is_aimed) = (reach, true);
    }

    /// Where the flesh that was chosen stands so close to the border that the segment gains nothing by it, all of it is to give.
    pub(super) fn widen(&mut self) {
        let mut any = false;
        for segment in 0..self.states.len() {
            let state = &self.states[segment];
            let rises = state.cubic.gains[0] + self.coupling.own_slope(segment) > 0.0;
            if state.stage == Stage::Fresh && !rises {
                let Aim { reach, .. } = self.push_all(segment);
                self.take_aim(segment, reach);
                any = true;
            }
        }
        if any {
            self.measure_coupling();
        }
    }

    /// How far τ may go, by the square of the longest push.
    pub(super) fn reach_along(&self, segment: usize, squared: f32) -> f64 {
        let farthest = f64::from(squared).sqrt();
        if farthest > 0.0 { self.reach[segment] / farthest } else { 0.0 }
    }
}
