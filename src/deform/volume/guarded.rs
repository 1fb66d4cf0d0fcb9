//! PostSkinning that is kept from growing into a contact.
//!
//! In: a shape that is being corrected, and the guard of its joints. Out: the shape with what crossed a contact back at it, what is near one
//! held, and what that took from segments given back elsewhere. Cost: a few operations for each vertex near a contact.

use glam::Vec3;

use super::coupled::Stage;
use super::{CLOSE_SHARE, CorrectionMode, Volume};
use crate::deform::folds::Folds;

/// PostSkinning that grows into a contact is put back, and grows elsewhere, this many times at most. More: nothing changes on fingers bent by 120°. Fewer:
/// the last guard takes volume.
const ROUNDS: usize = 2;

/// A share this small is given back as segments gain by slopes that are known; more is measured again. Larger: volumes are off. Smaller: takes longer.
const SLIGHT_SHARE: f64 = 1e-3;

impl Volume {
    /// Holds vertices: what they give is multiplied by the number that stands with them.
    pub(super) fn hold(&mut self, held: &[(u32, f32)]) {
        for &(vertex, freedom) in held {
            if let Some(held) = self.freedom.get_mut(self.layout.places[vertex as usize] as usize) {
                *held = smaller(*held, freedom);
            }
        }
    }

    /// Puts back what has grown over a contact; what that takes from segments grows elsewhere.
    pub(super) fn settle_guarded(&mut self, folds: &mut Folds) {
        for _ in 0..ROUNDS {
            let lost = self.put_back(folds);
            if lost <= CLOSE_SHARE || self.mode == CorrectionMode::Paper {
                return;
            }
            if lost <= SLIGHT_SHARE {
                return self.touch_up();
            }
            self.go();
            self.measure();
            self.settle();
        }
        self.put_back(folds);
    }

    /// Puts back what is over a contact now. The largest share that a segment has lost by it.
    pub(super) fn put_back(&mut self, folds: &mut Folds) -> f64 {
        self.lost.fill(0.0);
        for &(vertex, way, freedom) in folds.guard_again(|vertex| self.place_now(vertex)) {
            let place = self.layout.places[vertex as usize] as usize;
            let segment = self.layout.segment_of_place[place] as usize;
            self.at[place] += way;
            self.lost[segment] += f64::from(way.dot(self.areas[place]));
            self.stale[segment] = true;
            if self.states[segment].stage == Stage::Moving {
                self.freedom[place] = smaller(self.freedom[place], freedom);
            }
        }
        let shares = self.lost.iter().zip(&self.states).map(|(lost, state)| lost.abs() / state.scale);
        shares.fold(0.0, f64::max)
    }

    /// Lets segments go as much farther as gives them back what they have lost.
    fn touch_up(&mut self) {
        for (segment, state) in self.states.iter_mut().enumerate() {
            let slope = state.cubic.slope(state.tau) + self.coupling.own_slope(segment);
            let step = self.lost[segment] / slope;
            if state.stage == Stage::Moving && step.abs() < state.reach {
                state.tau -= step;
            }
        }
    }

    /// Where a vertex that may move goes.
    fn place_now(&self, vertex: u32) -> Vec3 {
        let place = self.layout.places[vertex as usize] as usize;
        let segment = self.layout.segment_of_place[place] as usize;
        Vec3::from(self.at[place] + self.push[place] * self.states[segment].tau as f32 + self.origin)
    }

    /// Whether a vertex is one that may move.
    pub fn may_move(&self, vertex: u32) -> bool {
        let place = self.layout.places[vertex as usize] as usize;
        let segment = self.layout.segment_of_place.get(place);
        segment.is_some_and(|&segment| self.able[segment as usize].contains(&place))
    }
}

/// The smaller of two numbers that both are numbers.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
