//! The correction layer of a rig: volume and fold-over guard on the vertices that are drawn.
//!
//! In, once: a [`Rig`] and [`PostSkinningOptions`]. In, per frame: posed render vertices by any deformer. Out: the same, corrected.
//! The layer works on the welded mesh and moves every copy of a vertex by what the vertex moves, so seams stay closed where
//! they were and open where they were. Normals are the welded surface's own, as far as they were at rest: hard edges stay
//! hard, and painted normals stay as far off as they were. A frame that needs no correction keeps its bits. Cost per
//! frame: that of its parts, and for normals one pass over the triangles; nothing is allocated.

use glam::{Mat4, Vec3};
use serde::{Deserialize, Serialize};

use super::Posed;
use super::folds::Folds;
use super::render_scatter::RenderScatter;
use super::volume::{Body, Segments, Volume, VolumeOptions};
use crate::model::{Rig, Weights};
use crate::report::Report;

/// What is done to a posed character before it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct PostSkinningOptions {
    /// How volume is kept; none for not at all.
    pub volume: Option<VolumeOptions>,
    /// Whether flesh in bent joints is kept from passing through itself.
    pub fold_guard: bool,
}

/// The correction of one rig, ready for every frame.
#[derive(Clone, Debug)]
pub struct PostSkinning {
    volume: Option<Volume>,
    folds: Option<Folds>,
    shown: RenderScatter,
    vertices: usize,
}

impl PostSkinning {
    /// Lays out everything a frame needs. `painted` multiplies γ, one factor per render vertex; empty for none.
    ///
    /// # Panics
    /// When `painted` is for another mesh.
    pub fn new(rig: &Rig, options: &PostSkinningOptions, painted: &[f32], report: &mut Report) -> Self {
        let mut post_skinning = Self::idle(rig);
        post_skinning.remap(rig, options, painted, report);
        post_skinning
    }

    /// The same in two halves, for who cannot wait that long: what [`Segments::new`] cut for this rig's welded weights and the
    /// options' scope is given. Joints are not guarded yet; [`PostSkinning::guard_folds`] does that.
    ///
    /// # Panics
    /// When `painted` or `segments` are for another mesh.
    pub fn over(segments: Segments, rig: &Rig, options: &VolumeOptions, painted: &[f32]) -> Self {
        let mut post_skinning = Self::idle(rig);
        let weights = Self::solve_weights(rig);
        let painted = post_skinning.solve_painted(rig, painted);
        let body =
            Body { mesh: &rig.asset.mesh, weights: &weights, skeleton: &rig.skeleton, painted: &painted };
        post_skinning.volume = Some(Volume::over(segments, &body, options));
        post_skinning
    }

    /// Corrects nothing.
    fn idle(rig: &Rig) -> Self {
        let vertices = rig.asset.render.positions.len();
        Self { volume: None, folds: None, shown: RenderScatter::new(&rig.asset), vertices }
    }

    fn solve_painted(&self, rig: &Rig, painted: &[f32]) -> Vec<f32> {
        let is_whole = painted.is_empty() || painted.len() == rig.asset.render.positions.len();
        assert!(is_whole, "painted for all or none");
        match painted {
            [] => Vec::new(),
            _ => self.shown.gather(painted),
        }
    }

    /// Takes other options or another painted map for the same rig, with as little work as possible.
    ///
    /// # Panics
    /// When `painted` is for another mesh.
    pub fn remap(&mut self, rig: &Rig, options: &PostSkinningOptions, painted: &[f32], report: &mut Report) {
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
        self.cover();
    }

    /// Tells the guard which vertices keep volumes.
    fn cover(&mut self) {
        if let (Some(volume), Some(folds)) = (&self.volume, &mut self.folds) {
            folds.cover(|vertex| volume.may_move(vertex));
        }
    }

    /// Guards the joints of the rig, from now on.
    pub fn guard_folds(&mut self, rig: &Rig) {
        self.folds = Some(Folds::new(&rig.asset.mesh, &Self::solve_weights(rig), &rig.skeleton));
        self.cover();
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
    pub fn interface_flux(&self) -> Vec<f64> {
        let kept = self.volume.iter().flat_map(Volume::kept);
        kept.filter(|kept| kept.segment.joint.is_some()).map(|kept| kept.interface_flux).collect()
    }

    /// What guards joints, if anything does.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// The solve mesh as skinned and as corrected in the last frame.
    pub fn solved(&self) -> [&[Vec3]; 2] {
        [&self.shown.skinned, &self.shown.posed]
    }

    /// Corrects a posed frame in place; `posed.normals` may be empty. Whether anything moved.
    ///
    /// # Panics
    /// When slices do not have the lengths of the rig's.
    pub fn correct(&mut self, posed_from_rest: &[Mat4], mut posed: Posed) -> bool {
        let Posed { positions, normals } = &posed;
        assert_eq!(positions.len(), self.vertices, "one position per render vertex");
        assert!(normals.is_empty() || normals.len() == positions.len(), "normals for all or none");
        self.shown.take(&posed);
        let (folds, at) = (self.folds.as_mut(), &mut self.shown.posed);
        let moves = match &mut self.volume {
            Some(volume) => volume.find(posed_from_rest, folds, at),
            None => folds.is_some_and(|folds| folds.guard(posed_from_rest, at)),
        };
        if moves {
            self.show(&mut posed);
        }
        moves
    }

    /// Moves what is drawn. Whoever keeps volumes knows the surface around what it moves, but not around what only the guard does.
    fn show(&mut self, posed: &mut Posed) {
        let is_else_moved = self.folds.as_ref().is_some_and(Folds::is_else_moved);
        match &mut self.volume {
            Some(volume) if !is_else_moved => return self.shown.show_moved(volume, posed),
            Some(volume) => volume.carry(&mut self.shown.posed, |_, _, _| ()),
            None => (),
        }
        self.shown.show_all(posed);
    }
}
