//! Corrections after skinning in what is drawn: volume preservation and contacts.
//!
//! While a correction is on, vertices are skinned and corrected here, and the GPU draws them as
//! they are; otherwise the GPU skins. Both views have a correction of their own. Its layout is
//! prepared step by step in the next frames, so that no frame waits for all of it; until then the
//! last correction is used. A frame of a complete correction allocates nothing.

use std::sync::Arc;

use glam::{Mat4, Vec3};

use super::changes::ViewChanges;
use super::joints::Skinning;
use super::posed_character::{Deformed, PosedCharacter};
use super::scene::Scene;
use super::views::View;
use crate::deform::{
    ConnectedParts, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch, Segments, Skin,
    VolumeCorrection, VolumeOptions, VolumeScope, deform,
};
use crate::model::{Clip, Mesh, Rig};
use crate::report::Report;

/// What the corrections of all views share.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedCorrection {
    /// Connected components of the mesh, once a volume is preserved.
    parts: Option<ConnectedParts>,
    /// A factor for γ per render vertex; empty for none.
    pub(super) painted: Vec<f32>,
    /// Counts changes that may move vertices of all views.
    pub(super) moves: u32,
}

/// The correction of one view.
#[derive(Clone, Debug, Default)]
pub(super) struct ViewCorrection {
    options: PostSkinningOptions,
    /// The last complete correction, maybe for earlier weights or options.
    layer: Option<Correction>,
    /// A correction for which segments are laid out.
    cut: Option<PendingLayout>,
    /// Options or paint have changed since the layer was made.
    is_old: bool,
    /// Something moved since vertices were corrected.
    pub(super) is_stale: bool,
}

/// Segments of a correction that is not complete yet.
#[derive(Clone, Debug)]
struct PendingLayout {
    rig: Arc<Rig>,
    scope: VolumeScope,
    segments: Segments,
    report: Report,
}

/// Everything that correcting a frame needs.
#[derive(Clone, Debug)]
pub struct Correction {
    rig: Arc<Rig>,
    /// Which volumes are preserved, if any.
    scope: Option<VolumeScope>,
    post_skinning: PostSkinning,
    skin: Skin,
    scratch: Scratch,
    matrices: Vec<Mat4>,
    /// The rest shape whose volumes are preserved ([`PosedCharacter::rest_changes`]).
    rest_changes: u32,
    /// By joint, if the volumes that are preserved are others; made when first measured.
    segments: Option<Segments>,
    report: Report,
}

impl PendingLayout {
    fn new(parts: &ConnectedParts, rig: Arc<Rig>, scope: VolumeScope) -> Self {
        let mut report = Report::default();
        let weights = PostSkinning::solve_weights(&rig);
        let segments = Segments::of_parts(parts, &rig.asset.mesh, &weights, scope, &mut report);
        Self { rig, scope, segments, report }
    }
}

impl Correction {
    fn new(rig: Arc<Rig>, scope: Option<VolumeScope>, post_skinning: PostSkinning, report: Report) -> Self {
        let skin = Skin::of_rig(&rig);
        let scratch = Scratch::new(&skin);
        let (matrices, rest_changes, segments) = (Vec::new(), 0, None);
        Self { rig, scope, post_skinning, skin, scratch, matrices, rest_changes, segments, report }
    }

    /// Whether it is for these weights, and needs no new segments for these volumes.
    fn fits(&self, rig: &Arc<Rig>, scope: Option<VolumeScope>) -> bool {
        Arc::ptr_eq(&self.rig, rig) && (scope.is_none() || self.scope == scope)
    }

    fn remap(&mut self, options: &PostSkinningOptions, painted: &[f32]) {
        let mut report = Report::default();
        self.post_skinning.remap(&self.rig, options, painted, &mut report);
        // Another scope is measured at rest.
        self.rest_changes = 0;
        self.scope = options.volume.as_ref().map(VolumeOptions::scope);
        // Warnings about the mesh come from cutting segments, which is not repeated here.
        if !report.warnings().is_empty() {
            self.report = report;
        }
    }

    /// Skins and corrects into `posed`.
    fn pose(&mut self, rest: Rest<'_>, skinning: Skinning, posed: &mut Deformed) {
        posed.positions.resize(rest.positions.len(), Vec3::ZERO);
        posed.normals.resize(rest.positions.len(), Vec3::Y);
        let out = Posed { positions: &mut posed.positions, normals: &mut posed.normals };
        deform(skinning.deformer(), &self.skin, &self.matrices, rest, out, &mut self.scratch);
        let out = Posed { positions: &mut posed.positions, normals: &mut posed.normals };
        self.post_skinning.correct(&self.matrices, out);
    }

    /// Reads the skinning transforms of a pose, and the volumes of the rest shape if morph targets
    /// changed it; whether the pose has as many joints as the skin.
    #[inline(never)]
    fn take_pose(&mut self, character: &PosedCharacter) -> bool {
        if self.rest_changes != character.rest_changes() {
            self.rest_changes = character.rest_changes();
            self.post_skinning.set_rest_volumes(character.rest().positions);
        }
        let pairs = character.world_from_joint().iter().zip(self.rig.skeleton.joint_from_rest());
        self.matrices.clear();
        self.matrices.extend(pairs.map(|(&world, &rest)| Mat4::from((world * rest).as_affine3a())));
        self.matrices.len() == self.skin.joints()
    }

    /// What volumes of the last frame are measured on.
    pub fn parts(&mut self) -> CorrectionParts<'_> {
        let kept = self.post_skinning.volume().map(VolumeCorrection::segments);
        let segments = match kept.filter(|kept| kept.segments().iter().all(|s| s.joint.is_some())) {
            Some(kept) => kept,
            None => self.segments.get_or_insert_with(|| {
                let weights = PostSkinning::solve_weights(&self.rig);
                Segments::new(&self.rig.asset.mesh, &weights, VolumeScope::Segments, &mut Report::default())
            }),
        };
        CorrectionParts {
            mesh: &self.rig.asset.mesh,
            segments,
            solved: self.post_skinning.solved(),
            interface_flux: self.post_skinning.interface_flux(),
            missing: self.post_skinning.volume().map_or(0.0, VolumeCorrection::missing),
            report: &self.report,
        }
    }
}

/// What volumes are measured on.
#[derive(Debug)]
pub struct CorrectionParts<'a> {
    /// At rest.
    pub mesh: &'a Mesh,
    /// By joints.
    pub segments: &'a Segments,
    /// The positions after skinning and after the correction.
    pub solved: [&'a [Vec3]; 2],
    /// The volume that flowed into each segment; empty unless segments preserve their volumes.
    pub interface_flux: Vec<f64>,
    /// Volume that could not be restored.
    pub missing: f64,
    /// Warnings about the mesh.
    pub report: &'a Report,
}

impl ViewCorrection {
    /// Whether anything is corrected.
    fn is_on(&self) -> bool {
        self.options != PostSkinningOptions::default()
    }

    /// Whether `rig` can be corrected without further preparation.
    fn is_ready(&self, rig: &Arc<Rig>) -> bool {
        let scope = self.options.volume.as_ref().map(VolumeOptions::scope);
        !self.is_old && self.layer.as_ref().is_some_and(|layer| layer.fits(rig, scope))
    }

    /// Takes a step towards the correction of `rig`; whether that was the last.
    fn step(&mut self, parts: &mut Option<ConnectedParts>, rig: &Arc<Rig>, painted: &[f32]) -> bool {
        let painted = if painted.len() == rig.asset.render.positions.len() { painted } else { &[] };
        let PostSkinningOptions { volume, fold_guard } = &self.options;
        let scope = volume.as_ref().map(VolumeOptions::scope);
        if let Some(layer) = self.layer.as_mut().filter(|layer| layer.fits(rig, scope)) {
            self.cut = None;
            if std::mem::take(&mut self.is_old) {
                layer.remap(&self.options, painted);
            } else if *fold_guard && layer.post_skinning.contacts().is_none() {
                layer.post_skinning.add_contacts(rig);
            } else {
                return true;
            }
            return !fold_guard || layer.post_skinning.contacts().is_some();
        }
        let (Some(volume), Some(scope)) = (volume, scope) else {
            let post_skinning = PostSkinning::new(rig, &self.options, painted, &mut Report::default());
            self.layer = Some(Correction::new(rig.clone(), None, post_skinning, Report::default()));
            self.is_old = false;
            return true;
        };
        let cut = self.cut.take().filter(|cut| Arc::ptr_eq(&cut.rig, rig) && cut.scope == scope);
        let Some(parts) = parts else {
            *parts = Some(ConnectedParts::of(&rig.asset.mesh));
            return false;
        };
        let Some(PendingLayout { segments, report, .. }) = cut else {
            self.cut = Some(PendingLayout::new(parts, rig.clone(), scope));
            return false;
        };
        let post_skinning = PostSkinning::with_segments(segments, rig, volume, painted);
        (self.layer, self.is_old) =
            (Some(Correction::new(rig.clone(), Some(scope), post_skinning, report)), false);
        !fold_guard
    }
}

impl SharedCorrection {
    /// Another mesh: its paint is another's too.
    pub(super) fn forget_mesh(&mut self) {
        self.painted.clear();
    }

    /// Drops what was laid out for a mesh.
    pub(super) fn forget_layout(&mut self) {
        self.parts = None;
    }
}

impl ViewCorrection {
    /// Drops what was laid out for a mesh.
    pub(super) fn forget_mesh(&mut self) {
        (self.layer, self.cut) = (None, None);
    }
}

impl View {
    /// What is corrected after skinning.
    pub fn post_skinning_options(&self) -> &PostSkinningOptions {
        &self.correction.options
    }

    /// Changes what is corrected after skinning.
    pub fn set_post_skinning(&mut self, options: PostSkinningOptions) {
        if options != self.correction.options {
            self.correction.options = options;
            self.outdate_correction();
        }
    }

    fn outdate_correction(&mut self) {
        self.correction.is_old = true;
        self.change(ViewChanges { deformed: true, ..ViewChanges::COLORS });
    }

    /// Takes one step towards a correction that is not there yet, and corrects by what there is;
    /// whether that was the last step.
    fn advance(
        &mut self,
        shared: &mut SharedCorrection,
        character: &PosedCharacter,
        preview: Option<Arc<Deformed>>,
    ) -> bool {
        if !self.correction.is_stale {
            return true;
        }
        if preview.is_some() {
            (self.deformed, self.correction.is_stale, self.changes.deformed) = (preview, false, true);
            self.shape = self.shape.wrapping_add(1);
            return true;
        }
        let is_placing = character.draft().is_some();
        let rig = self.rig().filter(|_| self.correction.is_on() && !is_placing).cloned();
        let side = &mut self.correction;
        self.changes.colors |= rig.as_ref().is_some_and(|rig| !side.is_ready(rig));
        side.is_stale = rig.as_ref().is_some_and(|rig| !side.step(&mut shared.parts, rig, &shared.painted));
        self.changes.deformed |= self.deformed.is_some() || rig.is_some();
        let (skinning, buffer) = (self.skinning(), self.deformed.take());
        self.deformed = corrected(&mut self.correction, character, rig, skinning, buffer);
        self.shape = self.shape.wrapping_add(1);
        !self.correction.is_stale
    }
}

impl Scene {
    /// A factor for γ per render vertex; empty for none.
    pub fn painted(&self) -> &[f32] {
        &self.corrections.painted
    }

    /// Replaces the painted map; whether it fits the mesh.
    pub fn set_painted(&mut self, painted: Vec<f32>) -> bool {
        let vertices = self.render_vertices();
        let fits = painted.is_empty() || painted.len() == vertices;
        if fits {
            self.corrections.painted = painted;
            self.repainted();
        }
        fits
    }

    /// Records that the painted map has changed.
    pub(super) fn repainted(&mut self) {
        self.views.iter_mut().for_each(View::outdate_correction);
    }

    /// Counts up whenever vertices may have moved.
    pub fn moves(&self) -> u32 {
        self.views.iter().fold(self.corrections.moves, |moves, view| moves.wrapping_add(view.moves))
    }

    /// Brings corrected vertices up to date with pose, options and paint. Cheap if they are.
    pub fn apply_post_skinning(&mut self) {
        while !self.advance_post_skinning() {}
    }

    /// Like [`Self::apply_post_skinning`], but takes at most one step per view towards a correction
    /// that is not there yet; whether that was the last.
    pub fn advance_post_skinning(&mut self) -> bool {
        let mut preview = self.shown_fit_preview().map(|fit_preview| fit_preview.shape.clone());
        let Self { character: Some(character), corrections, views, .. } = self else { return true };
        let mut is_ready = true;
        for view in views {
            // Only the first view shows a fit.
            is_ready &= view.advance(corrections, character, preview.take());
        }
        is_ready
    }

    /// The correction of a view in the current pose; none while it preserves no volume.
    pub fn correction(&mut self, view: usize) -> Option<&mut Correction> {
        self.apply_post_skinning();
        let correction = &mut self.view_mut(view).correction;
        correction.layer.as_mut().filter(|_| correction.options.volume.is_some())
    }

    /// The correction of a view at a time of a clip, without changing the pose of the character.
    pub fn correction_at(&mut self, view: usize, clip: &Clip, seconds: f32) -> Option<&mut Correction> {
        let mut sampled = self.character.clone()?;
        sampled.set_handles(&[]);
        sampled.set_clip_time(clip, seconds);
        let skinning = self.view(view).skinning();
        let layer = self.correction(view)?;
        if layer.take_pose(&sampled) {
            layer.pose(sampled.rest(), skinning, &mut Deformed::default());
        }
        // The layer has another pose than the character now, and maybe another rest shape.
        let rest_changes = self.character.as_ref()?.rest_changes();
        let correction = &mut self.view_mut(view).correction;
        correction.is_stale = true;
        let layer = correction.layer.as_mut()?;
        if layer.rest_changes != rest_changes {
            layer.rest_changes = rest_changes.wrapping_sub(1);
        }
        Some(layer)
    }

    /// γ of every render vertex as a share of the largest before painting; NaN without volume
    /// preservation.
    pub(super) fn gamma(&self, view: usize) -> Vec<f32> {
        let side = &self.view(view).correction;
        let Some(character) = self.character() else { return Vec::new() };
        let solve_from_render = &character.asset().solve_from_render;
        let volume = side.layer.as_ref().and_then(|layer| layer.post_skinning.volume());
        let Some(volume) = volume else { return vec![f32::NAN; character.asset().render.positions.len()] };
        let gamma = |render: usize| volume.gamma().get(solve_from_render[render] as usize).copied();
        let paint = |render: usize| self.corrections.painted.get(render).copied().unwrap_or(1.0);
        let plain = |render: usize| gamma(render).filter(|_| paint(render) > 0.0).map(|g| g / paint(render));
        let most = (0..solve_from_render.len()).filter_map(plain).fold(f32::MIN_POSITIVE, f32::max);
        (0..solve_from_render.len()).map(|render| gamma(render).map_or(f32::NAN, |g| g / most)).collect()
    }
}

/// The corrected vertices of a view, in the buffer of the last frame if there is one. None without
/// a rig or before there is a correction.
fn corrected(
    side: &mut ViewCorrection,
    character: &PosedCharacter,
    rig: Option<Arc<Rig>>,
    skinning: Skinning,
    buffer: Option<Arc<Deformed>>,
) -> Option<Arc<Deformed>> {
    let rig = rig?;
    let layer = side.layer.as_mut().filter(|layer| Arc::ptr_eq(&layer.rig.asset, &rig.asset))?;
    if !layer.take_pose(character) {
        return None;
    }
    let mut buffer = buffer.unwrap_or_default();
    layer.pose(character.rest(), skinning, Arc::make_mut(&mut buffer));
    Some(buffer)
}

#[cfg(test)]
#[path = "post_skinning_tests.rs"]
mod tests;
