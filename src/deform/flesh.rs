//! The correction layer of a rig: volume and fold-over guard on the vertices that are drawn.
//!
//! In, once: a [`Rig`] and [`FleshOptions`]. In, per frame: posed render vertices by any deformer. Out: the same, corrected.
//! The layer works on the welded mesh and moves every copy of a vertex by what the vertex moves, so seams stay closed where
//! they were and open where they were. Normals are the welded surface's own, as far as they were at rest: hard edges stay
//! hard, and painted normals stay as far off as they were. A frame that needs no correction keeps its bits. Cost per
//! frame: that of its parts, and for normals one pass over the triangles; nothing is allocated.

use glam::{DVec3, Mat4, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

use super::Posed;
use super::folds::Folds;
use super::volume::{Body, Segments, Volume, VolumeOptions};
use crate::math::unit_or_f64;
use crate::model::{Asset, Mesh, Rig, Weights};
use crate::report::Report;

/// Flesh that grows into a contact is moved back, and grows elsewhere, this many times at most. More: nothing changes on fingers bent by 120°. Fewer:
/// the last guard takes volume, or cuts are left.
const ROUNDS: usize = 2;

/// Normals this near (as a cosine) to the surface's are the surface's: it is weighted otherwise. Larger: takes longer. Smaller: painted normals are lost.
const PLAIN: f32 = 0.9995;

/// What is done to a posed character before it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct FleshOptions {
    /// How volume is kept; none for not at all.
    pub volume: Option<VolumeOptions>,
    /// Whether flesh in bent joints is kept from passing through itself.
    pub fold_guard: bool,
}

/// The correction of one rig, ready for every frame.
#[derive(Clone, Debug)]
pub struct Flesh {
    volume: Option<Volume>,
    folds: Option<Folds>,
    triangles: Vec<[u32; 3]>,
    solve_from_render: Vec<u32>,
    render_from_solve: Vec<u32>,
    skinned: Vec<Vec3>,
    posed: Vec<Vec3>,
    before: Vec<Vec3A>,
    after: Vec<Vec3A>,
    moved: Vec<bool>,
    /// At rest, per solve vertex: the surface's unit normal, and the mean of its copies' normals.
    rest_surface: Vec<Vec3A>,
    rest_mean: Vec<Vec3A>,
    /// Whether the normals of all copies of a solve vertex are the surface's.
    is_plain: Vec<bool>,
}

impl Flesh {
    /// Lays out everything a frame needs. `painted` multiplies γ, one factor per render vertex; empty for none.
    ///
    /// # Panics
    /// When `painted` is for another mesh.
    pub fn new(rig: &Rig, options: &FleshOptions, painted: &[f32], report: &mut Report) -> Self {
        let mut flesh = Self::idle(rig);
        flesh.remap(rig, options, painted, report);
        flesh
    }

    /// The same in two halves, for who cannot wait that long: what [`Segments::new`] cut for this rig's welded weights and the
    /// options' scope is given. Joints are not guarded yet; [`Flesh::guard_folds`] does that.
    ///
    /// # Panics
    /// When `painted` or `segments` are for another mesh.
    pub fn over(segments: Segments, rig: &Rig, options: &VolumeOptions, painted: &[f32]) -> Self {
        let mut flesh = Self::idle(rig);
        let weights = Self::solve_weights(rig);
        let painted = flesh.solve_painted(rig, painted);
        let body =
            Body { mesh: &rig.asset.mesh, weights: &weights, skeleton: &rig.skeleton, painted: &painted };
        flesh.volume = Some(Volume::over(segments, &body, options));
        flesh
    }

    /// Corrects nothing.
    fn idle(rig: &Rig) -> Self {
        let asset = &rig.asset;
        let render_from_solve = asset.render_from_solve();
        let vertices = render_from_solve.len();
        let rest_surface = rest_surface(&asset.mesh);
        let mut is_plain = vec![true; vertices];
        for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
            if solve != Asset::NOT_SOLVED {
                is_plain[solve as usize] &= rest_surface[solve as usize].dot(Vec3A::from(*normal)) > PLAIN;
            }
        }
        Self {
            volume: None,
            folds: None,
            triangles: asset.mesh.triangles().to_vec(),
            solve_from_render: asset.solve_from_render.clone(),
            render_from_solve,
            skinned: vec![Vec3::ZERO; vertices],
            posed: vec![Vec3::ZERO; vertices],
            before: vec![Vec3A::ZERO; vertices],
            after: vec![Vec3A::ZERO; vertices],
            moved: vec![false; vertices],
            rest_surface,
            rest_mean: rest_mean(asset),
            is_plain,
        }
    }

    fn solve_painted(&self, rig: &Rig, painted: &[f32]) -> Vec<f32> {
        let is_whole = painted.is_empty() || painted.len() == rig.asset.render.positions.len();
        assert!(is_whole, "painted for all or none");
        match painted {
            [] => Vec::new(),
            _ => self.render_from_solve.iter().map(|&v| painted[v as usize]).collect(),
        }
    }

    /// Takes other options or another painted map for the same rig, with as little work as possible.
    ///
    /// # Panics
    /// When `painted` is for another mesh.
    pub fn remap(&mut self, rig: &Rig, options: &FleshOptions, painted: &[f32], report: &mut Report) {
        let asset = &rig.asset;
        let weights = Self::solve_weights(rig);
        let painted = self.solve_painted(rig, painted);
        let body = Body { mesh: &asset.mesh, weights: &weights, skeleton: &rig.skeleton, painted: &painted };
        match (&mut self.volume, &options.volume) {
            (Some(volume), Some(options)) => volume.remap(&body, options, report),
            (volume, options) => {
                *volume = options.as_ref().map(|options| Volume::new(&body, options, report));
            }
        }
        if !options.fold_guard {
            self.folds = None;
        } else if self.folds.is_none() {
            self.folds = Some(Folds::new(&asset.mesh, &weights, &rig.skeleton));
        }
    }

    /// Guards the joints of the rig, from now on.
    pub fn guard_folds(&mut self, rig: &Rig) {
        self.folds = Some(Folds::new(&rig.asset.mesh, &Self::solve_weights(rig), &rig.skeleton));
    }

    /// The rig's weights per vertex of the solve mesh: those of the first copy.
    pub fn solve_weights(rig: &Rig) -> Weights {
        rig.weights().gathered(rig.asset.render_from_solve().into_iter().map(|v| v as usize))
    }

    /// What keeps volumes, if anything does.
    pub fn volume(&self) -> Option<&Volume> {
        self.volume.as_ref()
    }

    /// What every segment was given by its neighbours in the last frame; empty where segments do not keep volumes of their own.
    pub fn exchanged(&self) -> Vec<f64> {
        let kept = self.volume.iter().flat_map(Volume::kept);
        kept.filter(|kept| kept.segment.joint.is_some()).map(|kept| kept.exchanged).collect()
    }

    /// What guards joints, if anything does.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// The solve mesh as skinned and as corrected in the last frame.
    pub fn solved(&self) -> [&[Vec3]; 2] {
        [&self.skinned, &self.posed]
    }

    /// Corrects a posed frame in place; `posed.normals` may be empty. Whether anything moved.
    ///
    /// # Panics
    /// When slices do not have the lengths of the rig's.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], posed: Posed) -> bool {
        let Posed { positions, normals } = posed;
        assert_eq!(positions.len(), self.solve_from_render.len(), "one position per render vertex");
        assert!(normals.is_empty() || normals.len() == positions.len(), "normals for all or none");
        for (skinned, &render) in self.skinned.iter_mut().zip(&self.render_from_solve) {
            *skinned = positions[render as usize];
        }
        self.posed.copy_from_slice(&self.skinned);
        let moved = self.guard_and_fill(posed_from_rest);
        if moved {
            self.carry(positions);
            if !normals.is_empty() {
                self.turn(normals);
            }
        }
        moved
    }

    /// Guards joints, and keeps volumes with what is at contacts held; then what flesh that grew has pushed over a contact,
    /// if any, goes back again. Whether anything moved.
    fn guard_and_fill(&mut self, posed_from_rest: &[Mat4]) -> bool {
        let Self { volume, folds, posed, .. } = self;
        let Some(folds) = folds else {
            return volume.as_mut().is_some_and(|volume| volume.correct(posed_from_rest, posed));
        };
        let touched = folds.guard(posed_from_rest, posed);
        let mut moved = !touched.moved.is_empty();
        let Some(volume) = volume else { return moved };
        volume.begin(posed_from_rest, posed);
        volume.hold(posed, &[], touched.held);
        moved |= volume.finish(posed_from_rest, posed);
        for _ in 0..ROUNDS {
            let touched = folds.guard(posed_from_rest, posed);
            if touched.moved.is_empty() {
                return moved;
            }
            volume.hold(posed, touched.moved, touched.held);
            volume.finish_again(posed);
        }
        folds.guard(posed_from_rest, posed);
        moved
    }

    /// Moves every copy of a vertex by what the vertex moved.
    fn carry(&mut self, positions: &mut [Vec3]) {
        for ((moved, skinned), posed) in self.moved.iter_mut().zip(&self.skinned).zip(&self.posed) {
            *moved = skinned != posed;
        }
        for (position, &solve) in positions.iter_mut().zip(&self.solve_from_render) {
            if solve != Asset::NOT_SOLVED && self.moved[solve as usize] {
                *position += self.posed[solve as usize] - self.skinned[solve as usize];
            }
        }
    }

    /// Turns normals by as much as they are off the surface that is now under them, beyond what they were off at rest: with
    /// all copies of a vertex together, so that hard edges stay hard.
    fn turn(&mut self, normals: &mut [Vec3]) {
        self.sum_areas();
        let Self { after, before, moved, rest_surface, rest_mean, is_plain, solve_from_render, .. } = self;
        let solved = |(render, &solve): (usize, &u32)| (render, solve as usize);
        let is_moved = |solve: u32| solve != Asset::NOT_SOLVED && moved[solve as usize];
        let turned_ones =
            || solve_from_render.iter().enumerate().filter(|(_, solve)| is_moved(**solve)).map(solved);
        if is_plain.contains(&false) {
            before.fill(Vec3A::ZERO);
            turned_ones().for_each(|(render, solve)| before[solve] += Vec3A::from(normals[render]));
        }
        for (render, solve) in turned_ones() {
            let now = after[solve].normalize_or_zero();
            if !is_plain[solve] {
                // Where skinning would have put the surface's normal.
                let skinned =
                    turned(rest_surface[solve], rest_mean[solve], before[solve].normalize_or_zero());
                normals[render] = turned(normals[render].into(), skinned, now).into();
            } else if now != Vec3A::ZERO {
                normals[render] = now.into();
            }
        }
    }

    /// Sums the area vectors around what moved.
    fn sum_areas(&mut self) {
        let Self { triangles, posed, after, moved, .. } = self;
        after.fill(Vec3A::ZERO);
        for [i, j, k] in triangles.iter().map(|corners| corners.map(|v| v as usize)) {
            if moved[i] || moved[j] || moved[k] {
                let a = Vec3A::from(posed[i]);
                let area = (Vec3A::from(posed[j]) - a).cross(Vec3A::from(posed[k]) - a);
                after[i] += area;
                after[j] += area;
                after[k] += area;
            }
        }
    }
}

/// `normal` after the least rotation that takes one unit vector to another; as it is where that is not one rotation: opposite
/// directions, or a zero vector.
#[inline]
fn turned(normal: Vec3A, from: Vec3A, to: Vec3A) -> Vec3A {
    /// Larger: normals jump where a surface folds right over. Smaller: rounding blows up.
    const OPPOSITE: f32 = 1e-3;
    let middle = from + to;
    let squared = middle.length_squared();
    if squared < OPPOSITE || from == Vec3A::ZERO || to == Vec3A::ZERO {
        return normal;
    }
    normal - middle * (2.0 * middle.dot(normal) / squared) + to * (2.0 * from.dot(normal))
}

/// Weighted by area, as the frame loop does it.
fn rest_surface(mesh: &Mesh) -> Vec<Vec3A> {
    let mut sums = vec![DVec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle).map(|p| p.as_dvec3());
        let area = (b - a).cross(c - a);
        corners.iter().for_each(|&v| sums[v as usize] += area);
    }
    sums.into_iter().map(|sum| unit_or_f64(sum, DVec3::ZERO).as_vec3a()).collect()
}

fn rest_mean(asset: &Asset) -> Vec<Vec3A> {
    let mut sums = vec![Vec3A::ZERO; asset.mesh.positions().len()];
    for (normal, &solve) in asset.render.normals.iter().zip(&asset.solve_from_render) {
        if solve != Asset::NOT_SOLVED {
            sums[solve as usize] += Vec3A::from(*normal);
        }
    }
    sums.into_iter().map(Vec3A::normalize_or_zero).collect()
}
