//! Flesh keeps its volume: a correction after any skinning (Rohmer, Hahmann, Cani 2008; PAPERS §4).
//!
//! In, once: the solve mesh, weights per joint, skeleton, options and a painted map. In, per frame: skinned positions of the
//! solve mesh, by whatever deformer. Out: the same positions moved along the surface's normals so that every part, or every
//! segment of it, has the volume it had at rest. Cost per frame: three passes over the triangles of soft flesh,
//! one over the rest; nothing is allocated.
//!
//! A vertex moves by `τ γ g`. In paper mode `g` is the sum of its triangles' area vectors: three times the gradient of the volume, and along the
//! normal, so that `γ ⟨n, ∇V⟩ n` of the paper is `γ g` without a root or a division, and smooth in time; τ is the paper's linear one.
//! Exact mode divides `g` by the area at rest (least `Σ r² A / γ` instead of `Σ r² / γ`), so that the bulge does not depend on how the
//! surface is cut into triangles, which the paper names as a limit of its own, and averages it with its neighbours', so that crumples
//! in the skin are not blown up. It lets flesh give only where the pose bends it (`bends`), swells joints across the border of
//! their segments (`swell`), settles between neighbours what only passed through their border (`exchange`), and solves for τ: along `γ g` the volume is a cubic in τ (`cubic`), and
//! segments that share border triangles are solved together (`coupled`).
//!
//! A segment whose volume is right already is left alone to the last bit.

mod aim;
mod bends;
mod coupled;
mod cubic;
mod exact;
mod exchange;
mod layout;
mod maps;
mod measure;
mod options;
mod paper;
mod prisms;
mod segments;
mod sweep;
mod swell;

use glam::{DVec3, Mat4, Vec3, Vec3A};

pub use cubic::Cubic;
pub use options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
pub use segments::{Pieces, Segment, Segments};

use bends::Bends;
use coupled::{Coupling, State};
use exchange::Exchange;
use layout::Layout;
use swell::Swell;

use crate::model::{Mesh, Skeleton, Weights};
use crate::report::Report;

/// A volume within this share of what it should be is right: f32 positions do not say more. Larger: corrections
/// set in with a visible jump. Smaller: rounding is corrected, and a rigid motion is no longer left alone.
const RIGHT_SHARE: f64 = 4e-6;

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
    /// What joints bend, whether or not this map asks.
    bends: Bends,
    /// Whether the map asks.
    follows_pose: bool,
    /// None where the borders of segments stand still.
    swell: Option<Swell>,
    exchange: Exchange,
    /// Per segment: whether flesh that follows one joint only may move as well, and the places whose vertices may move.
    is_wide: Vec<bool>,
    able: Vec<std::ops::Range<usize>>,
    /// Per place: γ, how a whole segment gives where a pose takes more from it than γ's flesh has, and how soft flesh does.
    give: Vec<f32>,
    spread: Vec<f32>,
    soft: Vec<f32>,
    /// Per place: a factor for all three in this frame, and how much the pose bends it.
    freedom: Vec<f32>,
    bent: Vec<f32>,
    states: Vec<State>,
    /// Segments whose vertices are not where the last measure found them, or moved them.
    stale: Vec<bool>,
    reach: Vec<f64>,
    /// The place that positions are measured from: that of a vertex near the middle.
    middle_place: usize,
    origin: Vec3A,
    rest_origin: Vec3A,
    rest: Vec<Vec3A>,
    /// Twice the area of every place's triangles at rest, and one by what headings are divided by.
    surface: Vec<f32>,
    by_surface: Vec<f32>,
    at: Vec<Vec3A>,
    areas: Vec<Vec3A>,
    /// Which way a vertex goes: about one long where the surface is as large as at rest.
    heading: Vec<Vec3A>,
    push: Vec<Vec3A>,
    /// How far a vertex has gone.
    shift: Vec<Vec3A>,
    middles: Vec<DVec3>,
}

/// One kept volume, before and after the last correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// What it is.
    pub segment: Segment,
    /// Its volume at rest.
    pub rest: f64,
    /// After skinning, and after the fold guard where there is one.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
    /// What it was given by neighbours through their common border (negative: what it gave), so that it should have `rest + exchanged`.
    pub exchanged: f64,
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
    /// found and laid out unless the scope is another: that is most of the work.
    ///
    /// # Panics
    /// As [`Volume::new`].
    pub fn remap(&mut self, body: &Body, options: &VolumeOptions, report: &mut Report) {
        if self.scope == options.scope() {
            self.map(body, options);
        } else {
            *self = Self::new(body, options, report);
        }
    }

    /// As [`Volume::new`] with segments that were cut before, for the same mesh, weights and scope.
    ///
    /// # Panics
    /// As [`Volume::new`].
    pub fn over(segments: Segments, body: &Body, options: &VolumeOptions) -> Self {
        let (layout, coupling) = Layout::new(&segments, body.weights);
        let places = layout.order.len();
        let swell = Swell::new(body, &segments, &layout);
        let bends = Bends::new(body.mesh, body.weights, &layout.order);
        let mut volume = Self {
            mode: options.mode,
            scope: options.scope(),
            gamma: Vec::new(),
            exchange: Exchange::new(&segments, &layout),
            bends,
            follows_pose: false,
            swell: (options.scope() == VolumeScope::Segments).then_some(swell),
            is_wide: vec![true; layout.ranges.len()],
            able: layout.ranges.iter().map(|ranges| ranges.able(true)).collect(),
            give: vec![0.0; places],
            spread: vec![0.0; places],
            soft: vec![0.0; places],
            freedom: vec![1.0; places],
            bent: vec![1.0; places],
            states: vec![State::default(); layout.ranges.len()],
            stale: vec![true; layout.ranges.len()],
            reach: vec![0.0; layout.ranges.len()],
            middle_place: middle_place(body.mesh, &layout.order),
            origin: Vec3A::ZERO,
            rest_origin: Vec3A::ZERO,
            rest: vec![Vec3A::ZERO; places],
            surface: vec![0.0; places],
            by_surface: vec![0.0; places],
            at: vec![Vec3A::ZERO; places],
            areas: vec![Vec3A::ZERO; places],
            heading: vec![Vec3A::ZERO; places],
            push: vec![Vec3A::ZERO; places],
            shift: vec![Vec3A::ZERO; places],
            middles: vec![DVec3::ZERO; layout.middle_ends.len()],
            segments,
            layout,
            coupling,
        };
        volume.measure_rest(body.mesh);
        volume.map(body, options);
        volume
    }

    /// Takes a map.
    fn map(&mut self, body: &Body, options: &VolumeOptions) {
        let painted = body.painted;
        assert!(
            painted.is_empty() || painted.len() == body.mesh.positions().len(),
            "painted for all or none"
        );
        let is_exact = options.mode == CorrectionMode::Exact;
        self.mode = options.mode;
        self.follows_pose = options.where_bent && is_exact && options.map != CorrectionMap::Uniform;
        let maps::Maps { gamma, unfaded, spread, soft } = maps::all(body, options);
        let placed = |map: &[f32]| self.layout.order.iter().map(|&v| map[v as usize]).collect();
        self.give = placed(if self.swells() { &unfaded } else { &gamma });
        (self.spread, self.soft) = (placed(&spread), placed(&soft));
        if !is_exact {
            self.spread.fill(0.0);
        }
        // Flesh that follows one joint only is never bent.
        self.bent.fill(if self.follows_pose { 0.0 } else { 1.0 });
        self.gamma = gamma;
        let ranges = self.layout.ranges.iter();
        self.is_wide = ranges.map(|ranges| !self.follows_pose || self.is_rigid(&ranges.vertices)).collect();
        let ranges = self.layout.ranges.iter().zip(&self.is_wide);
        self.able = ranges.map(|(ranges, &is_wide)| ranges.able(is_wide)).collect();
        // What could move by the last map may stand still by this one, beside what moves.
        self.heading.fill(Vec3A::ZERO);
        self.push.fill(Vec3A::ZERO);
        self.measure_surface();
    }

    /// Whether joints swell across borders.
    fn swells(&self) -> bool {
        self.follows_pose && self.swell.is_some()
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
            exchanged: state.flow / 6.0,
        })
    }

    /// Moves skinned `positions` (one per vertex of the solve mesh) so that volumes are as at rest. `posed_from_rest` holds one
    /// matrix per joint. Whether anything moved.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices, or too few matrices.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        self.begin(posed_from_rest, positions);
        self.finish(posed_from_rest, positions)
    }

    /// The first half of [`Volume::correct`]: measures.
    ///
    /// # Panics
    /// As [`Volume::correct`].
    pub fn begin(&mut self, posed_from_rest: &[Mat4], positions: &[Vec3]) {
        assert_eq!(positions.len(), self.gamma.len(), "one position per vertex of the solve mesh");
        self.freedom.fill(1.0);
        self.bend(posed_from_rest);
        self.take(positions);
        self.measure();
        self.states.iter_mut().for_each(|state| (state.skinned, state.flow) = (state.corrected, 0.0));
    }

    /// Takes note of where the pose bends flesh, if the map asks.
    fn bend(&mut self, posed_from_rest: &[Mat4]) {
        if !self.follows_pose {
            return;
        }
        self.bends.pose(posed_from_rest);
        for segment in 0..self.states.len() {
            for place in self.able(segment) {
                self.bent[place] = self.bends.factor(place);
            }
        }
    }

    /// Takes note that someone moved the vertices `moved` since, and that some are `held`: γ is multiplied by the number that stands with them.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices.
    pub fn hold(&mut self, positions: &[Vec3], moved: &[u32], held: &[(u32, f32)]) {
        assert_eq!(positions.len(), self.gamma.len(), "one position per vertex of the solve mesh");
        for &(vertex, freedom) in held {
            if let Some(held) = self.freedom.get_mut(self.layout.places[vertex as usize] as usize) {
                *held = held.min(freedom);
            }
        }
        for &vertex in moved {
            let place = self.layout.places[vertex as usize] as usize;
            if let Some(at) = self.at.get_mut(place) {
                *at = Vec3A::from(positions[vertex as usize]) - self.origin;
                self.stale[self.layout.segment_of_place[place] as usize] = true;
            }
        }
        if !moved.is_empty() {
            self.measure_still();
            self.measure();
        }
    }

    /// The second half of [`Volume::correct`]: moves `positions`. Whether anything moved.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices.
    pub fn finish(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        self.shift.fill(Vec3A::ZERO);
        if self.mode == CorrectionMode::Paper {
            self.head();
            self.solve_linear(posed_from_rest);
            self.give_back();
            return self.carry(positions);
        }
        if self.is_right() {
            return false;
        }
        self.head();
        if self.swells() {
            self.swell();
        }
        self.settle();
        self.carry(positions)
    }

    /// The same for what [`Volume::hold`] has noted after it: with nothing swollen again.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices.
    pub fn finish_again(&mut self, positions: &mut [Vec3]) {
        self.shift.fill(Vec3A::ZERO);
        if self.mode == CorrectionMode::Exact {
            self.settle();
            self.carry(positions);
        }
    }

    fn is_right(&self) -> bool {
        self.states.iter().all(|state| state.missing().abs() <= RIGHT_SHARE * state.scale)
    }

    /// Solves, and again from there for what could not go far enough.
    fn settle(&mut self) {
        self.solve();
        self.give_back();
        for _ in 1..ROUNDS {
            if !self.find_short() {
                break;
            }
            self.measure();
            self.head();
            self.solve();
            self.give_back();
        }
    }

    /// Marks the segments that are still short of their volume. Whether there are any, and going on is of use.
    fn find_short(&mut self) -> bool {
        let mut any = false;
        for (stale, state) in self.stale.iter_mut().zip(&self.states) {
            *stale = state.missing().abs() > CLOSE_SHARE * state.scale;
            any |= *stale;
        }
        any && self.states.iter().any(|state| state.tau != 0.0)
    }

    /// Moves every vertex as far as its segment goes.
    fn give_back(&mut self) {
        for segment in 0..self.states.len() {
            let tau = self.states[segment].tau as f32;
            if tau != 0.0 {
                for place in self.able(segment) {
                    let step = self.push[place] * tau;
                    self.at[place] += step;
                    self.shift[place] += step;
                }
            }
        }
    }

    /// Moves `positions` by as far as vertices have gone. Whether any has.
    fn carry(&self, positions: &mut [Vec3]) -> bool {
        let mut any = false;
        for segment in 0..self.states.len() {
            for place in self.able(segment) {
                if self.shift[place] != Vec3A::ZERO {
                    positions[self.layout.order[place] as usize] += Vec3::from(self.shift[place]);
                    any = true;
                }
            }
        }
        any
    }

    /// The places of a segment whose vertices may move.
    fn able(&self, segment: usize) -> std::ops::Range<usize> {
        self.able[segment].clone()
    }

    /// The triangles of a segment that may move.
    fn able_triangles(&self, segment: usize) -> std::ops::Range<usize> {
        let ranges = &self.layout.ranges[segment];
        if self.is_wide[segment] { ranges.triangles.clone() } else { ranges.soft_triangles.clone() }
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
