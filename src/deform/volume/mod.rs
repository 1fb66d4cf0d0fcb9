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

mod aim;
mod bends;
mod coupled;
mod cubic;
mod exact;
mod layout;
mod maps;
mod options;
mod paper;
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

/// Volumes below this share of area^1.5 are measured against that: a flat patch's own volume is next to nothing.
/// Larger: thin segments are corrected late. Smaller: rounding in flat ones is corrected.
const FLAT_SHARE: f64 = 1e-3;

/// No vertex moves further than this share of the radius of a ball with its segment's surface. Larger: flesh turned
/// inside out by a pose blows up like a balloon. Smaller: strongly bent joints do not get all of their volume back.
const REACH_SHARE: f64 = 1.0;

/// Along its first directions flesh can give only so much. What is still missing then is looked for again from where it stands now,
/// up to this many times in all. More: bodies that a pose has wrung inside out are blown up. Fewer: strongly bent thick joints stay short.
const ROUNDS: usize = 4;

/// Less than this share is not worth another round.
const CLOSE_SHARE: f64 = 2e-5;

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
    /// Segments whose vertices are not where the last measure found them, or moved them.
    stale: Vec<bool>,
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
        let spread = match options.mode {
            CorrectionMode::Exact => maps::spread(weights, options.scope(), painted),
            CorrectionMode::Paper => vec![0.0; gamma.len()],
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
            stale: vec![true; layout.ranges.len()],
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

    /// After [`Volume::correct`]: corrects what is off since someone moved the vertices `moved`, with γ of every vertex multiplied by its entry
    /// in `freedom`: zero holds it. What is right is not looked at again.
    ///
    /// # Panics
    /// When there are not as many positions or entries as the mesh has vertices.
    pub fn correct_again(
        &mut self,
        posed_from_rest: &[Mat4],
        positions: &mut [Vec3],
        freedom: &[f32],
        moved: &[u32],
    ) {
        self.hold(freedom);
        for &vertex in moved {
            let segment = self.segments.of_vertices()[vertex as usize] as usize;
            if let Some(stale) = self.stale.get_mut(segment) {
                *stale = true;
            }
        }
        self.measure(positions);
        self.go(posed_from_rest, positions);
    }

    fn hold(&mut self, freedom: &[f32]) {
        assert_eq!(freedom.len(), self.gamma.len(), "one entry per vertex");
        for (now, &vertex) in self.freedom.iter_mut().zip(&self.layout.order) {
            *now = freedom[vertex as usize];
        }
    }

    fn run(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        if let Some(bends) = &mut self.bends {
            bends.pose(posed_from_rest);
        }
        self.place_origin(positions);
        self.measure(positions);
        self.states.iter_mut().for_each(|state| state.skinned = state.corrected);
        self.go(posed_from_rest, positions)
    }

    fn go(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        match self.mode {
            CorrectionMode::Exact => self.settle(positions),
            CorrectionMode::Paper => {
                self.solve_linear(posed_from_rest);
                self.give_back(positions)
            }
        }
    }

    /// Solves, and again from there for what could not go far enough. Whether anything moved.
    fn settle(&mut self, positions: &mut [Vec3]) -> bool {
        self.solve();
        let moved = self.give_back(positions);
        for _ in 1..ROUNDS {
            if !self.find_short() {
                break;
            }
            self.measure(positions);
            self.solve();
            self.give_back(positions);
        }
        moved
    }

    /// Marks the segments that are still short of their volume. Whether there are any, and going on is of use.
    fn find_short(&mut self) -> bool {
        let mut any = false;
        for (stale, state) in self.stale.iter_mut().zip(&self.states) {
            *stale = (state.wanted - state.corrected).abs() > CLOSE_SHARE * state.scale;
            any |= *stale;
        }
        any && self.states.iter().any(|state| state.tau != 0.0)
    }

    /// Measures from a point near the middle of `positions` from now on.
    fn place_origin(&mut self, positions: &[Vec3]) {
        if let Some(&near) = self.layout.order.get(self.middle_place) {
            self.origin = Vec3A::from(positions[near as usize]);
        }
        self.stale.fill(true);
    }

    /// Copies positions into their places.
    fn take(&mut self, positions: &[Vec3]) {
        for (at, &vertex) in self.at.iter_mut().zip(&self.layout.order) {
            *at = Vec3A::from(positions[vertex as usize]) - self.origin;
        }
    }

    /// Takes `positions`, and sums area vectors and volumes of what is stale. Of the rest it is known what it has become.
    fn measure(&mut self, positions: &[Vec3]) {
        assert_eq!(positions.len(), self.gamma.len(), "one position per vertex of the solve mesh");
        self.take(positions);
        for ((state, ranges), stale) in self.states.iter_mut().zip(&self.layout.ranges).zip(&self.stale) {
            if *stale {
                self.areas[ranges.vertices.clone()].fill(Vec3A::ZERO);
                let triangles = &self.layout.triangles[ranges.triangles.clone()];
                state.own = sweep::areas(triangles, &self.at, &mut self.areas);
            } else {
                state.own += state.cubic.at(state.tau);
            }
            state.cubic = Cubic::default();
            (state.tau, state.stage) = (0.0, Stage::Right);
        }
        self.add_areas_between();
        self.stale.fill(false);
        self.measure_coupling();
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
        self.place_origin(mesh.positions());
        self.measure(mesh.positions());
        (self.rest_origin, _) = (self.origin, self.rest.copy_from_slice(&self.at));
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
            state.wanted = state.corrected;
            state.scale = state.wanted.abs().max(FLAT_SHARE * area.powf(1.5)).max(f64::MIN_POSITIVE);
            self.reach[segment] = REACH_SHARE * (area / (4.0 * std::f64::consts::PI)).sqrt();
        }
    }
}

/// The place of the vertex nearest to the middle of the mesh.
fn middle_place(mesh: &Mesh, order: &[u32]) -> usize {
    let (low, high) = mesh.bounds();
    let middle = (low + high) * 0.5;
    let distance = |&v: &u32| mesh.positions()[v as usize].distance_squared(middle);
    let nearest = order.iter().enumerate().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |(place, _)| place)
}
