//! Volume kept and folds held back in what is drawn.
//!
//! While either is wanted, a figure is skinned here and corrected, and the graphics card draws those vertices; else it skins by
//! itself. Both halves of a divided picture have a correction of their own. What a correction needs is laid out step by step
//! with the next frames, so that none of them waits for all of it, and stays until weights or options change; until then
//! the last one goes on. A frame of one that is ready allocates nothing.

use std::sync::Arc;

use glam::{Mat4, Vec3};

use super::joints::Skinning;
use super::posed_character::{Deformed, PosedCharacter};
use super::scene::{Changes, Scene};
use crate::deform::{
    ConnectedParts, Deformer, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch, Segments, Skin,
    VolumeCorrection, VolumeOptions, VolumeScope, deform,
};
use crate::model::{Clip, Mesh, Rig};
use crate::report::Report;

/// What is wanted of the flesh, and what was made for it.
#[derive(Clone, Debug, Default)]
pub(super) struct CorrectionState {
    left: ViewCorrection,
    right: ViewCorrection,
    /// Of the mesh that both halves share.
    pieces: Option<ConnectedParts>,
    /// None for the same as the left half's.
    right_options: Option<PostSkinningOptions>,
    /// A factor for γ per render vertex; empty for none.
    pub(super) painted: Vec<f32>,
    /// The right half's vertices.
    pub(super) compared: Option<Arc<Deformed>>,
    /// Which render vertices are part of a fold, left and right; empty where nobody has looked.
    pub(super) folded: [Vec<bool>; 2],
    /// How often anything moved.
    pub(super) moves: u32,
}

/// The correction of one half.
#[derive(Clone, Debug, Default)]
struct ViewCorrection {
    options: PostSkinningOptions,
    /// Maybe for weights or options that were.
    layer: Option<Correction>,
    /// On the way to the next layer.
    cut: Option<PendingLayout>,
    /// Options or paint have changed since the layer was made.
    is_old: bool,
    /// Something moved since it was posed.
    is_stale: bool,
}

/// The first half of making a layer.
#[derive(Clone, Debug)]
struct PendingLayout {
    rig: Arc<Rig>,
    scope: VolumeScope,
    segments: Segments,
    report: Report,
}

/// Everything that a corrected frame needs.
#[derive(Clone, Debug)]
pub struct Correction {
    rig: Arc<Rig>,
    /// Of the volumes that are kept, if any are.
    scope: Option<VolumeScope>,
    post_skinning: PostSkinning,
    skin: Skin,
    scratch: Scratch,
    matrices: Vec<Mat4>,
    /// By bone, where volumes are kept otherwise; made when somebody asks.
    segments: Option<Segments>,
    report: Report,
}

impl PendingLayout {
    fn new(pieces: &ConnectedParts, rig: Arc<Rig>, scope: VolumeScope) -> Self {
        let mut report = Report::default();
        let weights = PostSkinning::solve_weights(&rig);
        let segments = Segments::of_parts(pieces, &rig.asset.mesh, &weights, scope, &mut report);
        Self { rig, scope, segments, report }
    }
}

impl Correction {
    fn new(rig: Arc<Rig>, scope: Option<VolumeScope>, post_skinning: PostSkinning, report: Report) -> Self {
        let skin = Skin::of_rig(&rig);
        let scratch = Scratch::new(&skin);
        Self { rig, scope, post_skinning, skin, scratch, matrices: Vec::new(), segments: None, report }
    }

    /// Whether it is for these weights, and can be made to keep such volumes without much work.
    fn fits(&self, rig: &Arc<Rig>, scope: Option<VolumeScope>) -> bool {
        Arc::ptr_eq(&self.rig, rig) && (scope.is_none() || self.scope == scope)
    }

    fn remap(&mut self, options: &PostSkinningOptions, painted: &[f32]) {
        let mut report = Report::default();
        self.post_skinning.remap(&self.rig, options, painted, &mut report);
        self.scope = options.volume.as_ref().map(VolumeOptions::scope);
        // What is open or flat was said when segments were cut, which may be long ago.
        if !report.warnings().is_empty() {
            self.report = report;
        }
    }

    /// Skins and corrects into `posed`.
    fn pose(&mut self, skinning: Skinning, posed: &mut Deformed) {
        let render = &self.rig.asset.render;
        posed.positions.resize(render.positions.len(), Vec3::ZERO);
        posed.normals.resize(render.positions.len(), Vec3::Y);
        let deformer = match skinning {
            Skinning::Linear => Deformer::Linear,
            Skinning::DualQuaternion => Deformer::DualQuaternion,
        };
        let rest = Rest { positions: &render.positions, normals: &render.normals };
        let out = Posed { positions: &mut posed.positions, normals: &mut posed.normals };
        deform(deformer, &self.skin, &self.matrices, rest, out, &mut self.scratch);
        let out = Posed { positions: &mut posed.positions, normals: &mut posed.normals };
        self.post_skinning.correct(&self.matrices, out);
    }

    /// Takes where the joints are; whether they are as many as the skin has.
    fn take_pose(&mut self, character: &PosedCharacter) -> bool {
        let pairs = character.world_from_joint().iter().zip(self.rig.skeleton.joint_from_rest());
        self.matrices.clear();
        self.matrices.extend(pairs.map(|(&world, &rest)| Mat4::from((world * rest).as_affine3a())));
        self.matrices.len() == self.skin.joints()
    }

    /// The solve mesh at rest; what of it follows one joint most, for every joint; where it is as skinned and as corrected in the last frame; and what
    /// was odd about the mesh.
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
    /// The mesh as skinned and as corrected.
    pub solved: [&'a [Vec3]; 2],
    /// What segments were given by their neighbours; empty where they do not keep volumes of their own.
    pub interface_flux: Vec<f64>,
    /// What was odd about the mesh.
    pub report: &'a Report,
}

impl ViewCorrection {
    /// Whether anything is wanted at all.
    fn is_on(&self) -> bool {
        self.options != PostSkinningOptions::default()
    }

    /// Whether nothing has to be laid out before `rig` can be posed.
    fn is_ready(&self, rig: &Arc<Rig>) -> bool {
        let scope = self.options.volume.as_ref().map(VolumeOptions::scope);
        !self.is_old && self.layer.as_ref().is_some_and(|layer| layer.fits(rig, scope))
    }

    /// Takes a step towards the layer of `rig`; whether that was the last.
    fn step(&mut self, pieces: &mut Option<ConnectedParts>, rig: &Arc<Rig>, painted: &[f32]) -> bool {
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
        let Some(pieces) = pieces else {
            *pieces = Some(ConnectedParts::of(&rig.asset.mesh));
            return false;
        };
        let Some(PendingLayout { segments, report, .. }) = cut else {
            self.cut = Some(PendingLayout::new(pieces, rig.clone(), scope));
            return false;
        };
        let post_skinning = PostSkinning::with_segments(segments, rig, volume, painted);
        (self.layer, self.is_old) =
            (Some(Correction::new(rig.clone(), Some(scope), post_skinning, report)), false);
        !fold_guard
    }
}

impl CorrectionState {
    /// Notes what a change of the scene means here.
    pub(super) fn note(&mut self, changed: &Changes) {
        let Changes { mesh, influences, compared_influences, pose, deformed, .. } = *changed;
        if mesh {
            self.pieces = None;
            for side in [&mut self.left, &mut self.right] {
                (side.layer, side.cut) = (None, None);
            }
        }
        if mesh || influences || compared_influences || pose || deformed {
            (self.left.is_stale, self.right.is_stale) = (true, true);
            self.moves = self.moves.wrapping_add(1);
        }
    }

    /// Another mesh: paint and folds were another's.
    pub(super) fn forget(&mut self) {
        self.painted.clear();
        self.folded = Default::default();
    }

    fn is_on(&self) -> bool {
        self.left.is_on() || self.right.is_on()
    }
}

impl Scene {
    /// What is done to the flesh: in the left half or all of the picture.
    pub fn post_skinning_options(&self) -> &PostSkinningOptions {
        &self.corrections.left.options
    }

    /// Changes it.
    pub fn set_post_skinning(&mut self, options: PostSkinningOptions) {
        if options != self.corrections.left.options {
            self.corrections.left.options = options;
            self.corrections.left.is_old = true;
            self.follow_left();
            self.post_skinning_changed();
        }
    }

    /// The same in the right half; none for as in the left.
    pub fn set_compared_post_skinning(&mut self, options: Option<PostSkinningOptions>) {
        if options != self.corrections.right_options {
            self.corrections.right_options = options;
            self.follow_left();
            self.post_skinning_changed();
        }
    }

    fn follow_left(&mut self) {
        let CorrectionState { left, right, right_options, .. } = &mut self.corrections;
        let options = right_options.as_ref().unwrap_or(&left.options);
        if right.options != *options {
            right.options = options.clone();
            right.is_old = true;
        }
    }

    fn post_skinning_changed(&mut self) {
        let (colors, compared_colors) = (true, true);
        self.change(Changes { deformed: true, colors, compared_colors, ..Changes::default() });
    }

    /// A factor for γ per render vertex; empty for none.
    pub fn painted(&self) -> &[f32] {
        &self.corrections.painted
    }

    /// Takes another map; whether it is for this mesh.
    pub fn set_painted(&mut self, painted: Vec<f32>) -> bool {
        let vertices = self.character().map_or(0, |character| character.asset().render.positions.len());
        let fits = painted.is_empty() || painted.len() == vertices;
        if fits {
            self.corrections.painted = painted;
            self.repainted();
        }
        fits
    }

    /// The map has changed.
    pub(super) fn repainted(&mut self) {
        (self.corrections.left.is_old, self.corrections.right.is_old) = (true, true);
        self.post_skinning_changed();
    }

    /// Which render vertices are part of a fold, in the left half or the right one.
    pub fn set_folded(&mut self, is_right: bool, folded: Vec<bool>) {
        self.corrections.folded[usize::from(is_right)] = folded;
        self.change(Changes { colors: !is_right, compared_colors: is_right, ..Changes::default() });
    }

    /// Counts up whenever anything moves.
    pub fn moves(&self) -> u32 {
        self.corrections.moves
    }

    /// Brings corrected vertices up to date with the pose, the options and the paint. Cheap when they are.
    pub fn apply_post_skinning(&mut self) {
        while !self.advance_post_skinning() {}
    }

    /// The same, but takes at most one step per half towards a correction that is not there yet; whether that was the last.
    pub fn advance_post_skinning(&mut self) -> bool {
        let shown_fit_preview = self.shown_fit_preview().map(|fit_preview| fit_preview.shape.clone());
        let Self { character: Some(character), corrections, split, changes, skinning, .. } = self else {
            return true;
        };
        let CorrectionState { left, right, pieces, painted, compared, .. } = corrections;
        let is_placing = character.draft().is_some();
        if left.is_stale
            && let Some(shape) = shown_fit_preview
        {
            character.set_deformed(Some(shape));
            (left.is_stale, changes.deformed, changes.picture) = (false, true, true);
        } else if left.is_stale {
            let rig = character.shared_rig().filter(|_| left.is_on() && !is_placing);
            changes.colors |= rig.as_ref().is_some_and(|rig| !left.is_ready(rig));
            left.is_stale = rig.as_ref().is_some_and(|rig| !left.step(pieces, rig, painted));
            let buffer = character.take_deformed();
            changes.deformed |= buffer.is_some() || rig.is_some();
            changes.picture |= changes.deformed;
            let deformed = corrected(left, character, rig, *skinning, buffer);
            character.set_deformed(deformed);
        }
        if right.is_stale {
            let rig = split.rig().filter(|_| right.is_on() && !is_placing);
            changes.compared_colors |= rig.as_ref().is_some_and(|rig| !right.is_ready(rig));
            right.is_stale = rig.as_ref().is_some_and(|rig| !right.step(pieces, rig, painted));
            changes.deformed |= compared.is_some() || rig.is_some();
            changes.picture |= changes.deformed;
            *compared = corrected(right, character, rig, split.skinning(), compared.take());
        }
        !left.is_stale && !right.is_stale
    }

    /// The correction of the left half, posed as the figure is.
    pub fn correction(&mut self) -> Option<&mut Correction> {
        self.apply_post_skinning();
        let side = &mut self.corrections.left;
        side.layer.as_mut().filter(|_| side.options.volume.is_some())
    }

    /// The same posed as a clip is at a time, without the figure being moved.
    pub fn correction_at(&mut self, clip: &Clip, seconds: f32) -> Option<&mut Correction> {
        let mut sampled = self.character.clone()?;
        let (skinning, skeleton) = (self.skinning, self.character.as_ref()?.skeleton()?.clone());
        sampled.set_handles(&[]);
        sampled.set_pose(clip.sample(&skeleton, seconds));
        let layer = self.correction()?;
        if layer.take_pose(&sampled) {
            layer.pose(skinning, &mut Deformed::default());
        }
        // The layer is in another pose than the figure now.
        self.corrections.left.is_stale = true;
        self.corrections.left.layer.as_mut()
    }

    /// γ of every render vertex as a share of the largest before painting; NaN where nothing keeps its volume.
    pub(super) fn gamma(&self, is_right: bool) -> Vec<f32> {
        let side = if is_right { &self.corrections.right } else { &self.corrections.left };
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

    /// Whether any half is corrected.
    pub fn is_fleshed(&self) -> bool {
        self.corrections.is_on()
    }
}

/// A half's vertices, in the buffer of the last frame if there is one; none without a rig or before there is a layer.
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
    layer.pose(skinning, Arc::make_mut(&mut buffer));
    Some(buffer)
}

#[cfg(test)]
#[path = "post_skinning_tests.rs"]
mod tests;
