//! Every volume exactly, all at once: Newton's steps over segments that hold each other.
//!
//! In: a shape whose volumes are measured. Out: how far each segment goes along its push, noted in its state. A segment joins when its
//! volume is wrong, be it by the pose or by what its neighbours do. Cost: as [`super::coupled`].

use super::aim::Aim;
use super::coupled::{Coupling, Stage, State};
use super::{RIGHT_SHARE, Volume};

/// Newton's steps end when every volume is within this share.
const DONE_SHARE: f64 = 1e-6;

/// So many steps go by the slopes of the border where they began: it is little of a segment, and hardly turns. More: takes more steps where a pose is
/// extreme. Fewer: slopes are summed for nothing.
const STRAIGHT_STEPS: usize = 4;

impl Volume {
    /// Every volume exactly, all at once.
    pub(super) fn solve(&mut self) {
        for step in 0..Coupling::most_steps() {
            if self.admit() {
                continue;
            }
            let missing = |(segment, state): (usize, &State)| {
                (state.target() - self.coupling.volume(segment, state)).abs() / state.scale
            };
            let active = self.states.iter().enumerate().filter(|(_, state)| state.stage == Stage::Moving);
            if active.map(missing).all(|share| share <= DONE_SHARE) {
                break;
            }
            self.coupling.step(&mut self.states);
            if step < STRAIGHT_STEPS {
                self.measure_between();
            } else {
                self.measure_coupling();
            }
        }
        self.note_corrected();
    }

    /// Lets segments take part whose volume is wrong, each with a first step that is right if its neighbours stand
    /// still; or with none where all are aimed at what little is left of it, and may step together at once. Whether there were any.
    fn admit(&mut self) -> bool {
        let (mut any, mut any_new) = (false, false);
        for segment in 0..self.states.len() {
            let state = self.states[segment];
            let missing = state.target() - self.coupling.volume(segment, &state);
            if state.stage == Stage::Right && missing.abs() > RIGHT_SHARE * state.scale {
                if !state.is_aimed {
                    let Aim { reach, .. } = self.aim(segment, missing);
                    self.take_aim(segment, reach);
                    any_new = true;
                }
                self.states[segment].stage = Stage::Fresh;
                any = true;
            }
        }
        if !any {
            return false;
        }
        if any_new {
            // For the slopes of the border triangles along the new pushes.
            self.measure_coupling();
        }
        self.widen();
        for (segment, state) in self.states.iter_mut().enumerate().filter(|(_, s)| s.stage == Stage::Fresh) {
            let missing = state.target() - self.coupling.volume(segment, state);
            let mut whole = state.cubic;
            whole.gains[0] += self.coupling.own_slope(segment);
            state.stage = if whole.branch(state.reach).is_some() { Stage::Moving } else { Stage::Stuck };
            state.tau = if any_new { whole.root(missing, state.reach) } else { 0.0 };
        }
        if any_new {
            self.measure_between();
        }
        true
    }
}
