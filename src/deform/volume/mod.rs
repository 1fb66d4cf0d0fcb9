//! Flesh keeps its volume: a correction after any skinning (Rohmer, Hahmann, Cani 2008; PAPERS §4).
//!
//! In, once: the solve mesh, weights per joint, skeleton, options and a painted map. In, per frame: skinned positions of the
//! solve mesh, by whatever deformer. Out: the same positions moved along the surface's normals so that every part, or every
//! segment of it, has the volume it had at rest. Cost per frame: two passes over the triangles of what has
//! changed, one over the rest; nothing is allocated.
//!
//! A vertex moves by `τ γ g`. `g` is the sum of its triangles' area vectors: three times the gradient of the volume, and along the
//! normal, so that `γ ⟨n, ∇V⟩ n` of the paper is `γ g` without a root or a division, and smooth in time.
//! Paper mode takes the paper's linear τ. Exact mode solves for τ: along `γ g` the volume is a cubic in τ (`cubic`), and
//! segments that share border triangles are solved together (`coupled`). It also divides γ by the area a vertex has at rest
//! (least `Σ r² A / γ` instead of `Σ r² / γ`), so that the bulge does not depend on how the surface is cut into triangles,
//! which the paper names as a limit of its own; and it lets flesh give only where the pose bends it (`bends`).
//!
//! A segment whose volume is right already is left alone to the last bit.

mod bends;
mod coupled;
mod cubic;
mod layout;
mod maps;
mod options;
mod prisms;
mod segments;
mod sweep;

use glam::{DVec3, Mat4, Vec3, Vec3A};

pub use cubic::Cubic;
pub use options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
pub use segments::{Pieces, Segment, Segments};

use bends::Bends;
use coupled::{Coupling, Stage, State};
use layout::Layout;

use crate::model::{Mesh, Skeleton, Weights};
use crate::report::Report;

/// A volume within this share of what it should be is right: f32 positions do not say more. Larger: corrections
/// set in with a visible jump. Smaller: rounding is corrected, and a rigid motion is no longer left alone.
const RIGHT_SHARE: f64 = 4e-6;

/// Newton's steps end when every volume is within this share.
const DONE_SHARE: f64 = 2e-7;

/// Volumes below this share of area^1.5 are measured against that: a flat patch's own volume is next to nothing.
/// Larger: thin segments are corrected late. Smaller: rounding in flat ones is corrected.
const FLAT_SHARE: f64 = 1e-3;

/// No vertex moves further than this share of the radius of a ball with its segment's surface. Larger: flesh turned
/// inside out by a pose blows up like a balloon. Smaller: strongly bent joints do not get all of their volume back.
const REACH_SHARE: f64 = 1.0;

/// As long as no vertex that γ moves goes farther than half this share of its segment's reach, only those move; beyond, the rest
/// of the segment joins in, half and half at about 1.2 times this. Larger: joints are turned inside out before the volume is
/// right. Smaller: rigid flesh moves in ordinary poses.
const COMFORT: f64 = 0.25;

/// What is needed of a character, once.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// At rest.
    pub mesh: &'a Mesh,
    /// One row per vertex of `mesh`, one column per joint.
    pub weights: &'a Weights,
    /// Whose bones the maps measure distances to.
    pub skeleton: &'a Skeleton,
    /// A factor for γ per vertex of `mesh`; empty for none.
    pub painted: &'a [f32],
}

/// The correction of one character, ready for every frame.
#[derive(Clone, Debug)]
pub struct Volume {
    mode: CorrectionMode,
    scope: VolumeScope,
    segments: Segments,
    gamma: Vec<f32>,
    layout: Layout,
    coupling: Coupling,
    /// Per place: γ as the mode takes it, and how the whole segment gives where a pose takes more from it than γ's flesh has.
    give: Vec<f32>,
    spread: Vec<f32>,
    /// Per place: a factor for both in this frame.
    freedom: Vec<f32>,
    /// None where the pose does not matter to γ.
    bends: Option<Bends>,
    states: Vec<State>,
    reach: Vec<f64>,
    /// The place that positions are measured from: that of a vertex near the middle.
    middle_place: usize,
    origin: Vec3A,
    rest_origin: Vec3A,
    rest: Vec<Vec3A>,
    at: Vec<Vec3A>,
    areas: Vec<Vec3A>,
    push: Vec<Vec3A>,
    middles: Vec<DVec3>,
}

/// One kept volume, before and after the last correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// What it is.
    pub segment: Segment,
    /// Its volume at rest.
    pub rest: f64,
    /// After skinning.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
}

impl Volume {
    /// Lays out everything a frame needs.
    ///
    /// # Panics
    /// When the weights or the painted map are for another mesh.
    pub fn new(body: &Body, options: &VolumeOptions, report: &mut Report) -> Self {
        Self::over(Segments::new(body.mesh, body.weights, options.scope(), report), body, options)
    }

    /// Takes other options or another painted map for the same mesh and weights. What keeps its volume stays as it was
    /// found unless the scope is another: that is most of the work.
    ///
    /// # Panics
    /// As [`Volume::new`].
    pub fn remap(&mut self, body: &Body, options: &VolumeOptions, report: &mut Report) {
        let scope = options.scope();
        let segments = if self.scope == scope {
            std::mem::take(&mut self.segments)
        } else {
            Segments::new(body.mesh, body.weights, scope, report)
        };
        *self = Self::over(segments, body, options);
    }

    /// As [`Volume::new`] with segments that were cut before, for the same mesh, weights and scope.
    ///
    /// # Panics
    /// As [`Volume::new`].
    pub fn over(segments: Segments, body: &Body, options: &VolumeOptions) -> Self {
        let Body { mesh, weights, skeleton, painted } = *body;
        assert!(painted.is_empty() || painted.len() == mesh.positions().len(), "painted for all or none");
        let gamma = maps::gamma(mesh, weights, skeleton, options, painted);
        let spread = match (options.mode, options.scope()) {
            (CorrectionMode::Exact, VolumeScope::Segments) => maps::spread(weights, painted),
            _ => vec![0.0; gamma.len()],
        };
        let (layout, coupling) = Layout::new(&segments, &gamma, &spread);
        let places = layout.order.len();
        let follows_pose = options.where_bent
            && options.mode == CorrectionMode::Exact
            && options.map != CorrectionMap::Uniform;
        let mut volume = Self {
            mode: options.mode,
            scope: options.scope(),
            give: vec![0.0; places],
            spread: layout.order.iter().map(|&v| spread[v as usize]).collect(),
            freedom: vec![1.0; places],
            states: vec![State::default(); layout.ranges.len()],
            reach: vec![0.0; layout.ranges.len()],
            bends: follows_pose.then(|| Bends::new(mesh, weights, &layout.order)),
            middle_place: middle_place(mesh, &layout.order),
            origin: Vec3A::ZERO,
            rest_origin: Vec3A::ZERO,
            rest: vec![Vec3A::ZERO; places],
            at: vec![Vec3A::ZERO; places],
            areas: vec![Vec3A::ZERO; places],
            push: vec![Vec3A::ZERO; places],
            middles: vec![DVec3::ZERO; layout.middle_ends.len()],
            segments,
            gamma,
            layout,
            coupling,
        };
        volume.measure_rest(mesh);
        volume
    }

    /// What keeps its volume.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// γ of every vertex of the solve mesh: how much each may give, up to a common factor.
    pub fn gamma(&self) -> &[f32] {
        &self.gamma
    }

    /// Every kept volume in the last frame.
    pub fn kept(&self) -> impl ExactSizeIterator<Item = Kept> + '_ {
        self.segments.segments().iter().zip(&self.states).map(|(&segment, state)| Kept {
            segment,
            rest: state.wanted / 6.0,
            skinned: state.skinned / 6.0,
            corrected: state.corrected / 6.0,
        })
    }

    /// Moves skinned `positions` (one per vertex of the solve mesh) so that volumes are as at rest. `posed_from_rest` holds one
    /// matrix per joint. Whether anything moved.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices, or too few matrices.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        self.freedom.fill(1.0);
        self.run(posed_from_rest, positions)
    }

    /// As [`Volume::correct`], with γ of every vertex multiplied by its entry in `freedom`: zero holds it.
    ///
    /// # Panics
    /// When there are not as many positions or entries as the mesh has vertices.
    pub fn correct_held(
        &mut self,
        posed_from_rest: &[Mat4],
        positions: &mut [Vec3],
        freedom: &[f32],
    ) -> bool {
        assert_eq!(freedom.len(), self.gamma.len(), "one entry per vertex");
        for (now, &vertex) in self.freedom.iter_mut().zip(&self.layout.order) {
            *now = freedom[vertex as usize];
        }
        self.run(posed_from_rest, positions)
    }

    fn run(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        assert_eq!(positions.len(), self.gamma.len(), "one position per vertex of the solve mesh");
        self.take(positions);
        self.measure_skinned();
        if let Some(bends) = &mut self.bends {
            bends.pose(posed_from_rest);
        }
        match self.mode {
            CorrectionMode::Exact => self.solve(),
            CorrectionMode::Paper => self.solve_linear(posed_from_rest),
        }
        self.give_back(positions)
    }

    /// Copies positions into their places, from a point near the middle.
    fn take(&mut self, positions: &[Vec3]) {
        let Some(&near) = self.layout.order.get(self.middle_place) else { return };
        self.origin = Vec3A::from(positions[near as usize]);
        for (at, &vertex) in self.at.iter_mut().zip(&self.layout.order) {
            *at = Vec3A::from(positions[vertex as usize]) - self.origin;
        }
    }

    /// Sums area vectors and volumes of the shape in `at`.
    fn measure_skinned(&mut self) {
        self.areas.fill(Vec3A::ZERO);
        for (state, ranges) in self.states.iter_mut().zip(&self.layout.ranges) {
            let triangles = &self.layout.triangles[ranges.triangles.clone()];
            state.own = sweep::areas(triangles, &self.at, &mut self.areas);
            state.cubic = Cubic::default();
            (state.tau, state.stage) = (0.0, Stage::Right);
        }
        sweep::areas(&self.layout.between, &self.at, &mut self.areas);
        self.measure_coupling();
        for (segment, state) in self.states.iter_mut().enumerate() {
            state.skinned = self.coupling.volume(segment, state);
            state.corrected = state.skinned;
        }
    }

    fn measure_coupling(&mut self) {
        self.place_middles();
        self.coupling.measure(&self.at, &self.push, &self.middles, &self.states);
    }

    /// Middles of loops, with every vertex moved as far as its segment goes.
    fn place_middles(&mut self) {
        let Layout { middle_members, middle_ends, segment_of_place, .. } = &self.layout;
        let mut start = 0;
        for (middle, &end) in self.middles.iter_mut().zip(middle_ends) {
            let members = &middle_members[start..end as usize];
            let mut sum = DVec3::ZERO;
            for &place in members {
                let state = &self.states[segment_of_place[place as usize] as usize];
                sum += self.at[place as usize].as_dvec3() + self.push[place as usize].as_dvec3() * state.tau;
            }
            *middle = sum / members.len().max(1) as f64;
            start = end as usize;
        }
    }

    /// The direction in which a segment's vertices move to get `missing` back.
    fn aim(&mut self, segment: usize, missing: f64) -> Aim {
        let vertices = self.layout.ranges[segment].vertices.clone();
        let (mut by_map, mut by_all, mut squared) = (0.0_f64, 0.0_f64, 0.0_f32);
        for place in vertices.clone() {
            let (area, free) = (self.areas[place], self.freedom[place]);
            let bent = self.bends.as_ref().map_or(1.0, |bends| bends.factor(place));
            let push = area * (self.give[place] * free * bent);
            self.push[place] = push;
            squared = squared.max(push.length_squared());
            by_map += f64::from(push.dot(area));
            by_all += f64::from(area.length_squared() * (self.spread[place] * free));
        }
        // How far the map's flesh would go alone, against what it can take.
        let strain = (missing / by_map).abs() * f64::from(squared).sqrt() / (COMFORT * self.reach[segment]);
        let share = if by_map > 0.0 { (2.0 * strain - 1.0).max(0.0).powi(2) * 0.5 } else { 1.0 };
        let all_give = by_all > 0.0 && share > 0.0;
        if all_give {
            // Both parts' gains in volume are as 1 to `share`.
            let rate = if by_map > 0.0 { (share.min(1e6) * by_map / by_all) as f32 } else { 1.0 };
            for place in vertices.clone() {
                self.push[place] += self.areas[place] * (self.spread[place] * self.freedom[place] * rate);
            }
        }
        let squared = self.push[vertices].iter().map(|push| push.length_squared()).fold(0.0, f32::max);
        let farthest = f64::from(squared).sqrt();
        let reach = if farthest > 0.0 { self.reach[segment] / farthest } else { 0.0 };
        Aim { gain: by_map, reach, all_give }
    }

    /// The gains of a segment's own triangles along its push.
    fn gains(&self, segment: usize, all_give: bool) -> Cubic {
        let ranges = &self.layout.ranges[segment];
        let moving = if all_give { &ranges.giving } else { &ranges.moving };
        Cubic { gains: sweep::gains(&self.layout.triangles[moving.clone()], &self.at, &self.push) }
    }

    /// The paper's step: linear, once.
    fn solve_linear(&mut self, posed_from_rest: &[Mat4]) {
        for segment in 0..self.states.len() {
            let missing = self.missing_for_paper(segment, posed_from_rest);
            if missing.abs() <= RIGHT_SHARE * self.states[segment].scale {
                continue;
            }
            let Aim { gain, reach, all_give } = self.aim(segment, missing);
            let tau = (missing / gain).clamp(-reach, reach);
            if gain > 0.0 && tau.is_finite() {
                let cubic = self.gains(segment, all_give);
                let state = &mut self.states[segment];
                (state.cubic, state.tau, state.stage) = (cubic, tau, Stage::Moving);
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

    /// Every volume exactly, all at once.
    fn solve(&mut self) {
        for _ in 0..Coupling::most_steps() {
            if self.admit() {
                continue;
            }
            let missing = |(segment, state): (usize, &State)| {
                (state.wanted - self.coupling.volume(segment, state)).abs() / state.scale
            };
            let active = self.states.iter().enumerate().filter(|(_, state)| state.stage == Stage::Moving);
            if active.map(missing).all(|share| share <= DONE_SHARE) {
                break;
            }
            self.coupling.step(&mut self.states);
            self.measure_coupling();
        }
        self.note_corrected();
    }

    /// Lets segments take part whose volume is wrong, each with a first step that is right if its neighbours stand
    /// still. Whether there were any.
    fn admit(&mut self) -> bool {
        let mut any = false;
        for segment in 0..self.states.len() {
            let state = self.states[segment];
            let missing = state.wanted - self.coupling.volume(segment, &state);
            if state.stage == Stage::Right && missing.abs() > RIGHT_SHARE * state.scale {
                let Aim { reach, all_give, .. } = self.aim(segment, missing);
                let cubic = self.gains(segment, all_give);
                let state = &mut self.states[segment];
                (state.cubic, state.reach, state.stage) = (cubic, reach, Stage::Fresh);
                any = true;
            }
        }
        if !any {
            return false;
        }
        // For the slopes of the border triangles along the new pushes.
        self.measure_coupling();
        for (segment, state) in self.states.iter_mut().enumerate().filter(|(_, s)| s.stage == Stage::Fresh) {
            let missing = state.wanted - self.coupling.volume(segment, state);
            let mut whole = state.cubic;
            whole.gains[0] += self.coupling.own_slope(segment);
            state.stage = if whole.branch(state.reach).is_some() { Stage::Moving } else { Stage::Stuck };
            state.tau = whole.root(missing, state.reach);
        }
        self.measure_coupling();
        true
    }

    fn note_corrected(&mut self) {
        for (segment, state) in self.states.iter_mut().enumerate() {
            state.corrected = self.coupling.volume(segment, state);
        }
    }

    /// Adds what every active segment moves; whether any does.
    fn give_back(&self, positions: &mut [Vec3]) -> bool {
        let mut moved = false;
        for (state, ranges) in self.states.iter().zip(&self.layout.ranges) {
            if state.tau == 0.0 {
                continue;
            }
            moved = true;
            let tau = state.tau as f32;
            for place in ranges.vertices.clone() {
                let push = self.push[place];
                if push != Vec3A::ZERO {
                    positions[self.layout.order[place] as usize] += Vec3::from(push * tau);
                }
            }
        }
        moved
    }

    /// Takes the volumes at rest for what is wanted, and makes γ what the mode takes it for.
    fn measure_rest(&mut self, mesh: &Mesh) {
        self.take(mesh.positions());
        (self.rest_origin, _) = (self.origin, self.rest.copy_from_slice(&self.at));
        self.measure_skinned();
        let mut surface = vec![0.0_f64; self.layout.order.len()];
        let all = self.layout.triangles.iter().chain(&self.layout.between);
        for triangle in all {
            let [a, b, c] = triangle.map(|place| self.at[place as usize].as_dvec3());
            let area = (b - a).cross(c - a).length();
            triangle.iter().for_each(|&place| surface[place as usize] += area);
        }
        let mean = surface.iter().sum::<f64>() / surface.len().max(1) as f64;
        for (place, give) in self.give.iter_mut().enumerate() {
            let gamma = f64::from(self.gamma[self.layout.order[place] as usize]);
            let area = if self.mode == CorrectionMode::Exact { surface[place] } else { mean };
            let normalised = (gamma / area) as f32;
            *give = if area > 0.0 && normalised.is_finite() { normalised } else { 0.0 };
            let spread = (f64::from(self.spread[place]) / surface[place]) as f32;
            self.spread[place] = if spread.is_finite() { spread } else { 0.0 };
        }
        for (segment, ranges) in self.layout.ranges.iter().enumerate() {
            // Every triangle counts twice its area at three corners.
            let area = surface[ranges.vertices.clone()].iter().sum::<f64>() / 6.0;
            let state = &mut self.states[segment];
            state.wanted = state.skinned;
            state.scale = state.wanted.abs().max(FLAT_SHARE * area.powf(1.5)).max(f64::MIN_POSITIVE);
            self.reach[segment] = REACH_SHARE * (area / (4.0 * std::f64::consts::PI)).sqrt();
        }
    }
}

/// How a segment is about to move.
struct Aim {
    /// What its volume gains per τ along the map's part of the push, if all around it stands still.
    gain: f64,
    /// How far τ may go.
    reach: f64,
    /// Whether more than the map's flesh moves.
    all_give: bool,
}

/// The place of the vertex nearest to the middle of the mesh.
fn middle_place(mesh: &Mesh, order: &[u32]) -> usize {
    let (low, high) = mesh.bounds();
    let middle = (low + high) * 0.5;
    let distance = |&v: &u32| mesh.positions()[v as usize].distance_squared(middle);
    let nearest = order.iter().enumerate().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |(place, _)| place)
}
