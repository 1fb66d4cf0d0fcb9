//! What is measured of a shape: area vectors, volumes, and which way vertices go.
//!
//! In: positions. Out: [`super::Volume`]'s areas, headings and states. What cannot move is summed once per frame, the rest
//! whenever it has moved. Cost: a pass over triangles, and for headings a few over the vertices that may move and their neighbours.

use glam::{Vec3, Vec3A};

use super::coupled::Stage;
use super::cubic::Cubic;
use super::layout::Layout;
use super::{CorrectionMode, Volume, sweep};
use crate::model::Mesh;

/// Volumes below this share of area^1.5 are measured against that: a flat patch's own volume is next to nothing.
/// Larger: thin segments are corrected late. Smaller: rounding in flat ones is corrected.
const FLAT_SHARE: f64 = 1e-3;

/// No vertex moves further than this share of the radius of a ball with its segment's surface. Larger: flesh turned
/// inside out by a pose blows up like a balloon. Smaller: strongly bent joints do not get all of their volume back.
const REACH_SHARE: f64 = 1.0;

/// A segment with less than this share of soft surface cannot be filled by it. Larger: rigid flesh moves where it need not. Smaller: what
/// little is soft goes far.
const SOFT_SHARE: f32 = 0.09;

impl Volume {
    /// Takes `positions` from a point near their middle, all of them anew.
    pub(super) fn take(&mut self, positions: &[Vec3]) {
        if let Some(&near) = self.layout.order.get(self.middle_place) {
            self.origin = Vec3A::from(positions[near as usize]);
        }
        for (at, &vertex) in self.at.iter_mut().zip(&self.layout.order) {
            *at = Vec3A::from(positions[vertex as usize]) - self.origin;
        }
        self.stale.fill(true);
        self.measure_still();
    }

    /// Sums what cannot move of stale segments.
    pub(super) fn measure_still(&mut self) {
        for segment in 0..self.states.len() {
            if self.stale[segment] {
                let still = self.layout.ranges[segment].triangles.start..self.able_triangles(segment).start;
                self.states[segment].still = sweep::volume(&self.layout.triangles[still], &self.at);
            }
        }
    }

    /// Sums area vectors and volumes of what is stale. Of the rest it is known what it has become.
    pub(super) fn measure(&mut self) {
        for segment in 0..self.states.len() {
            let (vertices, triangles) = (self.able(segment), self.able_triangles(segment));
            let state = &mut self.states[segment];
            if self.stale[segment] {
                self.areas[vertices].fill(Vec3A::ZERO);
                let triangles = &self.layout.triangles[triangles];
                state.own = state.still + sweep::areas(triangles, &self.at, &mut self.areas);
            } else {
                state.own += state.cubic.at(state.tau);
            }
            state.cubic = Cubic::default();
            (state.tau, state.stage, state.is_aimed) = (0.0, Stage::Right, false);
        }
        self.add_areas_between();
        self.stale.fill(false);
        self.measure_between();
        self.note_corrected();
    }

    /// Only volumes, of what has moved; area vectors stay as they were.
    pub(super) fn measure_volumes(&mut self) {
        for segment in 0..self.states.len() {
            if self.stale[segment] {
                let triangles = &self.layout.triangles[self.able_triangles(segment)];
                let state = &mut self.states[segment];
                state.own = state.still + sweep::volume(triangles, &self.at);
            }
        }
        self.measure_between();
        self.note_corrected();
    }

    /// Adds what triangles between segments give to vertices of stale ones.
    fn add_areas_between(&mut self) {
        for corners in &self.layout.between {
            let [a, b, c] = corners.map(|place| self.at[place as usize]);
            let area = (b - a).cross(c - a);
            for place in corners.map(|place| place as usize) {
                if self.stale[self.layout.segment_of_place[place] as usize] {
                    self.areas[place] += area;
                }
            }
        }
    }

    /// Sums area vectors around all that may move and has gone where it goes, and what volumes have become.
    pub(super) fn measure_moved(&mut self) {
        for segment in 0..self.states.len() {
            let (vertices, triangles) = (self.able(segment), self.able_triangles(segment));
            self.areas[vertices].fill(Vec3A::ZERO);
            let triangles = &self.layout.triangles[triangles];
            let state = &mut self.states[segment];
            state.own = state.still + sweep::areas(triangles, &self.at, &mut self.areas);
            (state.cubic, state.tau) = (Cubic::default(), 0.0);
        }
        sweep::areas(&self.layout.between, &self.at, &mut self.areas);
        self.measure_between();
        self.note_corrected();
    }

    /// Sums what lies between segments, and what that gains along their pushes.
    pub(super) fn measure_coupling(&mut self) {
        self.place_middles();
        self.coupling.measure(&self.at, &self.push, &self.states, true);
    }

    /// Only the first.
    pub(super) fn measure_between(&mut self) {
        self.place_middles();
        self.coupling.measure(&self.at, &self.push, &self.states, false);
    }

    /// Middles of loops, with every vertex moved as far as its segment goes.
    fn place_middles(&mut self) {
        let Layout { order, middle_members, middle_ends, segment_of_place, .. } = &self.layout;
        let (vertices, middles) = self.at.split_at_mut(order.len());
        let mut start = 0;
        for (middle, &end) in middles.iter_mut().zip(middle_ends) {
            let members = &middle_members[start..end as usize];
            let gone = |&place: &u32| {
                let state = &self.states[segment_of_place[place as usize] as usize];
                vertices[place as usize] + self.push[place as usize] * state.tau as f32
            };
            // From one of them: the sum of hundreds would lose digits.
            let first = members.first().map_or(Vec3A::ZERO, gone);
            let sum: Vec3A = members.iter().map(|place| gone(place) - first).sum();
            *middle = first + sum / members.len().max(1) as f32;
            start = end as usize;
        }
    }

    pub(super) fn note_corrected(&mut self) {
        for (segment, state) in self.states.iter_mut().enumerate() {
            state.corrected = self.coupling.volume(segment, state);
        }
    }

    /// Which way vertices go: as area vectors by the area at rest, in exact mode evened out.
    pub(super) fn head(&mut self) {
        for segment in 0..self.states.len() {
            let able = self.able(segment);
            let areas = self.areas[able.clone()].iter().zip(&self.by_surface[able.clone()]);
            for (heading, (&area, &by_surface)) in self.heading[able].iter_mut().zip(areas) {
                *heading = area * by_surface;
            }
        }
        if self.mode == CorrectionMode::Exact {
            self.layout.even_out(&self.able, &self.heading, &mut self.push);
            std::mem::swap(&mut self.heading, &mut self.push);
        }
    }

    /// Takes the volumes at rest for what is wanted.
    pub(super) fn measure_rest(&mut self, mesh: &Mesh) {
        self.take(mesh.positions());
        self.measure();
        (self.rest_origin, _) = (self.origin, self.rest.copy_from_slice(&self.at));
        let mut surface = vec![0.0_f64; self.layout.order.len()];
        for triangle in self.layout.triangles.iter().chain(&self.layout.between) {
            let [a, b, c] = triangle.map(|place| self.at[place as usize].as_dvec3());
            let area = (b - a).cross(c - a).length();
            triangle.iter().for_each(|&place| surface[place as usize] += area);
        }
        for (segment, ranges) in self.layout.ranges.iter().enumerate() {
            // Every triangle counts twice its area at three corners.
            let area = surface[ranges.vertices.clone()].iter().sum::<f64>() / 6.0;
            let state = &mut self.states[segment];
            state.wanted = state.corrected;
            state.scale = state.wanted.abs().max(FLAT_SHARE * area.powf(1.5)).max(f64::MIN_POSITIVE);
            self.reach[segment] = REACH_SHARE * (area / (4.0 * std::f64::consts::PI)).sqrt();
        }
        self.surface = surface.iter().map(|&area| area as f32).collect();
    }

    /// By what headings are divided: in exact mode by a vertex's own area, in paper mode by the same for all.
    pub(super) fn measure_surface(&mut self) {
        let mean = self.surface.iter().sum::<f32>() / self.surface.len().max(1) as f32;
        let is_exact = self.mode == CorrectionMode::Exact;
        let by = |&area: &f32| {
            let by = 1.0 / if is_exact { area } else { mean };
            if by.is_finite() { by } else { 0.0 }
        };
        self.by_surface = self.surface.iter().map(by).collect();
    }

    /// Whether too little flesh of a segment's places is soft to keep its volume.
    pub(super) fn is_rigid(&self, places: &std::ops::Range<usize>) -> bool {
        let (mut soft, mut all) = (0.0, 0.0);
        for place in places.clone() {
            soft += self.surface[place] * self.soft[place];
            all += self.surface[place];
        }
        soft < SOFT_SHARE * all
    }
}
