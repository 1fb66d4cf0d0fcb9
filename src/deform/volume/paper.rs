//! The paper's own step: linear, once, by the volume that prisms between both shapes sweep (Rohmer et al. 2008, §3.2).

use glam::{Mat4, Vec3A};

use super::aim::Aim;
use super::coupled::Stage;
use super::{RIGHT_SHARE, Volume, prisms};

impl Volume {
    /// The paper's step: linear, once.
    pub(super) fn solve_linear(&mut self, posed_from_rest: &[Mat4]) {
        for segment in 0..self.states.len() {
            let missing = self.missing_for_paper(segment, posed_from_rest);
            if missing.abs() <= RIGHT_SHARE * self.states[segment].scale {
                continue;
            }
            let Aim { gain, reach } = self.aim(segment, missing);
            let tau = (missing / gain).clamp(-reach, reach);
            if gain > 0.0 && tau.is_finite() {
                self.take_aim(segment, reach);
                let state = &mut self.states[segment];
                (state.tau, state.stage) = (tau, Stage::Moving);
            }
        }
        self.measure_coupling();
        self.note_corrected();
    }

    /// Six times the volume that a segment lacks, as the paper measures it.
    fn missing_for_paper(&self, segment: usize, posed_from_rest: &[Mat4]) -> f64 {
        let state = &self.states[segment];
        let joint = self.segments.segments()[segment].joint;
        let Some(matrix) = joint.and_then(|joint| posed_from_rest.get(joint)) else {
            return state.wanted - state.skinned;
        };
        let own = self.layout.triangles[self.layout.ranges[segment].triangles.clone()].iter();
        let shared = self.layout.between.iter().zip(&self.layout.between_of);
        let all = own.chain(shared.filter(|(_, of)| **of as usize == segment).map(|(t, _)| t));
        let corners = all.map(|t| {
            let at = |shape: &[Vec3A], origin: Vec3A| {
                t.map(|place| shape[place as usize].as_dvec3() + origin.as_dvec3())
            };
            (at(&self.rest, self.rest_origin), at(&self.at, self.origin))
        });
        -prisms::gained(matrix, corners)
    }
}
