//! PostSkinning keeps its volume: a correction after any skinning (Rohmer, Hahmann, Cani 2008; PAPERS §4).
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
//! their segments (`swell`), with pressures that are even where flesh only passed through a border (`interface_pressure`), and solves for τ: along `γ g` the volume is a cubic in τ (`cubic`), and
//! segments that share border triangles are solved together (`coupled`).
//!
//! A segment whose volume is right already is left alone to the last bit.

mod aim;
mod bends;
mod coupled;
mod cubic;
mod exact;
mod guarded;
mod hole_caps;
mod interface_pressure;
mod layout;
mod maps;
mod measure;
mod options;
mod paper;
mod prisms;
mod segment_interfaces;
mod segments;
mod sweep;
mod swell;

use glam::{Mat4, Vec3, Vec3A};

pub(super) use maps::is_shared;

pub use cubic::Cubic;
pub use options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
pub use segments::{Pieces, Segment, Segments};

use bends::Bends;
use coupled::{Coupling, State};
use layout::Layout;
use swell::Swell;

use super::folds::Folds;
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
    /// What the guard has taken from each.
    lost: Vec<f64>,
    reach: Vec<f64>,
    /// The place that positions are measured from: that of a vertex near the middle.
    middle_place: usize,
    origin: Vec3A,
    rest_origin: Vec3A,
    rest: Vec<Vec3A>,
    /// Twice the area of every place's triangles at rest, and one by what headings are divided by.
    surface: Vec<f32>,
    by_surface: Vec<f32>,
    /// Per place, and then per middle of a loop.
    at: Vec<Vec3A>,
    areas: Vec<Vec3A>,
    /// Which way a vertex goes: about one long where the surface is as large as at rest; and then none for the middles, which go with their loops.
    heading: Vec<Vec3A>,
    /// How far it goes along that.
    push: Vec<Vec3A>,
}

/// One kept volume, before and after the last correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeRecord {
    /// What it is.
    pub segment: Segment,
    /// Its volume at rest.
    pub rest: f64,
    /// After skinning, and after the fold guard where there is one.
    pub skinned: f64,
    /// After the correction.
    pub corrected: f64,
    /// What it was given by neighbours through their common border (negative: what it gave), so that it should have `rest + interface_flux`.
    pub interface_flux: f64,
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
        let (layout, coupling) = Layout::new(body.mesh, &segments, body.weights);
        let (places, middles) = (layout.order.len(), layout.middle_ends.len());
        let swell = Swell::new(body, &segments, &layout);
        let bends = Bends::new(body.mesh, body.weights, &layout.order);
        let mut volume = Self {
            mode: options.mode,
            scope: options.scope(),
            gamma: Vec::new(),
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
            lost: vec![0.0; layout.ranges.len()],
            reach: vec![0.0; layout.ranges.len()],
            middle_place: middle_place(body.mesh, &layout.order),
            origin: Vec3A::ZERO,
            rest_origin: Vec3A::ZERO,
            rest: vec![Vec3A::ZERO; places + middles],
            surface: vec![0.0; places],
            by_surface: vec![0.0; places],
            at: vec![Vec3A::ZERO; places + middles],
            areas: vec![Vec3A::ZERO; places],
            heading: vec![Vec3A::ZERO; places + middles],
            push: vec![Vec3A::ZERO; places + middles],
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
        let maps::Maps { gamma, unfaded, spread, soft, shared } = maps::all(body, options);
        let placed = |map: &[f32]| self.layout.order.iter().map(|&v| map[v as usize]).collect();
        self.give = placed(if self.swells() { &unfaded } else { &gamma });
        (self.spread, self.soft) = (placed(&spread), placed(&soft));
        for (spread, soft) in self.spread.iter_mut().zip(&mut self.soft) {
            *spread = if is_exact { *spread } else { 0.0 };
            *soft = soft.min(*spread);
        }
        if self.follows_pose {
            let shared = self.layout.order.iter().map(|&v| shared[v as usize]);
            self.give.iter_mut().zip(shared).for_each(|(give, shared)| *give *= shared);
        }
        // PostSkinning that all but follows one joint only is never bent.
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
    pub fn kept(&self) -> impl ExactSizeIterator<Item = VolumeRecord> + '_ {
        self.segments.segments().iter().zip(&self.states).map(|(&segment, state)| VolumeRecord {
            segment,
            rest: state.wanted / 6.0,
            skinned: state.skinned / 6.0,
            corrected: state.corrected / 6.0,
            interface_flux: state.flow / 6.0,
        })
    }

    /// Moves skinned `positions` (one per vertex of the solve mesh) so that volumes are as at rest. `posed_from_rest` holds one
    /// matrix per joint. Whether anything moved.
    ///
    /// # Panics
    /// When there are not as many positions as the mesh has vertices, or too few matrices.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], positions: &mut [Vec3]) -> bool {
        let moves = self.find(posed_from_rest, None, positions);
        if moves {
            self.carry(positions, |_, _, _| ());
        }
        moves
    }

    /// Finds how vertices have to move, but does not move them: [`Volume::carry`] does. `folds`, if any, puts back what crosses a contact,
    /// before (then it moves `positions`) and while flesh grows. Whether anything has to move.
    ///
    /// # Panics
    /// As [`Volume::correct`].
    pub fn find(
        &mut self,
        posed_from_rest: &[Mat4],
        mut folds: Option<&mut Folds>,
        positions: &mut [Vec3],
    ) -> bool {
        let is_guarded = folds.as_mut().is_some_and(|folds| folds.guard(posed_from_rest, positions));
        self.begin(posed_from_rest, positions);
        if let Some(folds) = &folds {
            self.hold(folds.held());
        }
        self.finish(posed_from_rest, folds) || is_guarded
    }

    /// Moves `positions` as was found, and tells of every vertex that may move where it is now, and the sum of the area vectors around it.
    ///
    /// # Panics
    /// As [`Volume::correct`].
    pub fn carry(&mut self, positions: &mut [Vec3], mut tell: impl FnMut(usize, Vec3, Vec3A)) {
        self.measure_moved();
        for places in &self.able {
            let order = self.layout.order[places.clone()].iter();
            let moved = self.at[places.clone()].iter().zip(&self.areas[places.clone()]);
            for (&vertex, (&at, &area)) in order.zip(moved) {
                let position = &mut positions[vertex as usize];
                // As it was taken, so what has not moved stays as it is to the last bit.
                let from = Vec3A::from(*position) - self.origin;
                *position += Vec3::from(at - from);
                tell(vertex as usize, *position, area);
            }
        }
    }

    /// Measures.
    fn begin(&mut self, posed_from_rest: &[Mat4], positions: &[Vec3]) {
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
        for places in &self.able {
            self.bends.factors(places.clone(), &mut self.bent[places.clone()]);
        }
    }

    /// Finds where vertices go. Whether any does.
    fn finish(&mut self, posed_from_rest: &[Mat4], folds: Option<&mut Folds>) -> bool {
        let is_exact = self.mode == CorrectionMode::Exact;
        if is_exact && self.is_right() {
            return false;
        }
        self.head();
        if is_exact {
            if self.swells() {
                // The guard looks at all of it there.
                self.swell(folds);
                return true;
            }
            self.settle();
        } else {
            self.solve_linear(posed_from_rest);
        }
        if let Some(folds) = folds {
            self.settle_guarded(folds);
        }
        self.go();
        is_exact || self.states.iter().any(|state| state.tau != 0.0)
    }

    fn is_right(&self) -> bool {
        self.states.iter().all(|state| state.missing().abs() <= RIGHT_SHARE * state.scale)
    }

    /// Solves, and again from there for what could not go far enough. How far segments go is noted, and not gone yet.
    fn settle(&mut self) {
        self.solve();
        for _ in 1..ROUNDS {
            if !self.find_short() {
                break;
            }
            self.go();
            self.measure();
            self.head();
            self.solve();
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
    fn go(&mut self) {
        for (places, state) in self.able.iter().zip(&self.states) {
            let tau = state.tau as f32;
            if tau != 0.0 {
                let pushes = &self.push[places.clone()];
                self.at[places.clone()].iter_mut().zip(pushes).for_each(|(at, &push)| *at += push * tau);
            }
        }
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
