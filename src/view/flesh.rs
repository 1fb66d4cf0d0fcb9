//! Volume kept and folds held back in what is drawn.
//!
//! While either is wanted, a figure is skinned here and corrected, and the graphics card draws those vertices; else it skins by
//! itself. Both halves of a divided picture have a correction of their own. What a correction needs is laid out step by step
//! with the next frames, so that none of them waits for all of it, and stays until weights or options change; until then
//! the last one goes on. A frame of one that is ready allocates nothing.

use std::sync::Arc;

use glam::{Mat4, Vec3};

use super::figure::{Deformed, Figure};
use super::joints::Skinning;
use super::scene::{Changes, Scene};
use crate::deform::{
    Deformer, Flesh, FleshOptions, Pieces, Posed, Rest, Scratch, Segments, Skin, Volume, VolumeOptions,
    VolumeScope, deform,
};
use crate::model::{Clip, Mesh, Rig};
use crate::report::Report;

/// What is wanted of the flesh, and what was made for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fleshed {
    left: Side,
    right: Side,
    /// Of the mesh that both halves share.
    pieces: Option<Pieces>,
    /// None for the same as the left half's.
    right_options: Option<FleshOptions>,
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
struct Side {
    options: FleshOptions,
    /// Maybe for weights or options that were.
    layer: Option<Layer>,
    /// On the way to the next layer.
    cut: Option<Cut>,
    /// Options or paint have changed since the layer was made.
    is_old: bool,
    /// Something moved since it was posed.
    is_stale: bool,
}

/// The first half of making a layer.
#[derive(Clone, Debug)]
struct Cut {
    rig: Arc<Rig>,
    scope: VolumeScope,
    segments: Segments,
    report: Report,
}

/// Everything that a corrected frame needs.
#[derive(Clone, Debug)]
pub struct Layer {
    rig: Arc<Rig>,
    /// Of the volumes that are kept, if any are.
    scope: Option<VolumeScope>,
    flesh: Flesh,
    skin: Skin,
    scratch: Scratch,
    matrices: Vec<Mat4>,
    /// By bone, where volumes are kept otherwise; made when somebody asks.
    segments: Option<Segments>,
    report: Report,
}

impl Cut {
    fn new(pieces: &Pieces, rig: Arc<Rig>, scope: VolumeScope) -> Self {
        let mut report = Report::default();
        let weights = Flesh::solve_weights(&rig);
        let segments = Segments::among(pieces, &rig.asset.mesh, &weights, scope, &mut report);
        Self { rig, scope, segments, report }
    }
}

impl Layer {
    fn new(rig: Arc<Rig>, scope: Option<VolumeScope>, flesh: Flesh, report: Report) -> Self {
        let skin = Skin::of_rig(&rig);
        let scratch = Scratch::new(&skin);
        Self { rig, scope, flesh, skin, scratch, matrices: Vec::new(), segments: None, report }
    }

    /// Whether it is for these weights, and can be made to keep such volumes without much work.
    fn fits(&self, rig: &Arc<Rig>, scope: Option<VolumeScope>) -> bool {
        Arc::ptr_eq(&self.rig, rig) && (scope.is_none() || self.scope == scope)
    }

    fn remap(&mut self, options: &FleshOptions, painted: &[f32]) {
        let mut report = Report::default();
        self.flesh.remap(&self.rig, options, painted, &mut report);
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
        self.flesh.correct(&self.matrices, out);
    }

    /// Takes where the joints are; whether they are as many as the skin has.
    fn take_pose(&mut self, figure: &Figure) -> bool {
        let pairs = figure.world_from_joint().iter().zip(self.rig.skeleton.joint_from_rest());
        self.matrices.clear();
        self.matrices.extend(pairs.map(|(&world, &rest)| Mat4::from((world * rest).as_affine3a())));
        self.matrices.len() == self.skin.joints()
    }

    /// The solve mesh at rest; what of it follows one joint most, for every joint; where it is as skinned and as corrected in the last frame; and what
    /// was odd about the mesh.
    pub fn parts(&mut self) -> FleshParts<'_> {
        let kept = self.flesh.volume().map(Volume::segments);
        let segments = match kept.filter(|kept| kept.segments().iter().all(|s| s.joint.is_some())) {
            Some(kept) => kept,
            None => self.segments.get_or_insert_with(|| {
                let weights = Flesh::solve_weights(&self.rig);
                Segments::new(&self.rig.asset.mesh, &weights, VolumeScope::Segments, &mut Report::default())
            }),
        };
        FleshParts {
            mesh: &self.rig.asset.mesh,
            segments,
            solved: self.flesh.solved(),
            exchanged: self.flesh.exchanged(),
            report: &self.report,
        }
    }
}

/// What volumes are measured on.
#[derive(Debug)]
pub struct FleshParts<'a> {
    /// At rest.
    pub mesh: &'a Mesh,
    /// By joints.
    pub segments: &'a Segments,
    /// The mesh as skinned and as corrected.
    pub solved: [&'a [Vec3]; 2],
    /// What segments were given by their neighbours; empty where they do not keep volumes of their own.
    pub exchanged: Vec<f64>,
    /// What was odd about the mesh.
    pub report: &'a Report,
}

impl Side {
    /// Whether anything is wanted at all.
    fn is_on(&self) -> bool {
        self.options != FleshOptions::default()
    }

    /// Whether nothing has to be laid out before `rig` can be posed.
    fn is_ready(&self, rig: &Arc<Rig>) -> bool {
        let scope = self.options.volume.as_ref().map(VolumeOptions::scope);
        !self.is_old && self.layer.as_ref().is_some_and(|layer| layer.fits(rig, scope))
    }

    /// Takes a step towards the layer of `rig`; whether that was the last.
    fn step(&mut self, pieces: &mut Option<Pieces>, rig: &Arc<Rig>, painted: &[f32]) -> bool {
        let painted = if painted.len() == rig.asset.render.positions.len() { painted } else { &[] };
        let FleshOptions { volume, fold_guard } = &self.options;
        let scope = volume.as_ref().map(VolumeOptions::scope);
        if let Some(layer) = self.layer.as_mut().filter(|layer| layer.fits(rig, scope)) {
            self.cut = None;
            if std::mem::take(&mut self.is_old) {
                layer.remap(&self.options, painted);
            } else if *fold_guard && layer.flesh.folds().is_none() {
                layer.flesh.guard_folds(rig);
            } else {
                return true;
            }
            return !fold_guard || layer.flesh.folds().is_some();
        }
        let (Some(volume), Some(scope)) = (volume, scope) else {
            let flesh = Flesh::new(rig, &self.options, painted, &mut Report::default());
            self.layer = Some(Layer::new(rig.clone(), None, flesh, Report::default()));
            self.is_old = false;
            return true;
        };
        let cut = self.cut.take().filter(|cut| Arc::ptr_eq(&cut.rig, rig) && cut.scope == scope);
        let Some(pieces) = pieces else {
            *pieces = Some(Pieces::of(&rig.asset.mesh));
            return false;
        };
        let Some(Cut { segments, report, .. }) = cut else {
            self.cut = Some(Cut::new(pieces, rig.clone(), scope));
            return false;
        };
        let flesh = Flesh::over(segments, rig, volume, painted);
        (self.layer, self.is_old) = (Some(Layer::new(rig.clone(), Some(scope), flesh, report)), false);
        !fold_guard
    }
}

impl Fleshed {
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
    pub fn flesh_options(&self) -> &FleshOptions {
        &self.fleshed.left.options
    }

    /// Changes it.
    pub fn set_flesh(&mut self, options: FleshOptions) {
        if options != self.fleshed.left.options {
            self.fleshed.left.options = options;
            self.fleshed.left.is_old = true;
            self.follow_left();
            self.flesh_changed();
        }
    }

    /// The same in the right half; none for as in the left.
    pub fn set_compared_flesh(&mut self, options: Option<FleshOptions>) {
        if options != self.fleshed.right_options {
            self.fleshed.right_options = options;
            self.follow_left();
            self.flesh_changed();
        }
    }

    fn follow_left(&mut self) {
        let Fleshed { left, right, right_options, .. } = &mut self.fleshed;
        let options = right_options.as_ref().unwrap_or(&left.options);
        if right.options != *options {
            right.options = options.clone();
            right.is_old = true;
        }
    }

    fn flesh_changed(&mut self) {
        let (colors, compared_colors) = (true, true);
        self.change(Changes { deformed: true, colors, compared_colors, ..Changes::default() });
    }

    /// A factor for γ per render vertex; empty for none.
    pub fn painted(&self) -> &[f32] {
        &self.fleshed.painted
    }

    /// Takes another map; whether it is for this mesh.
    pub fn set_painted(&mut self, painted: Vec<f32>) -> bool {
        let vertices = self.figure().map_or(0, |figure| figure.asset().render.positions.len());
        let fits = painted.is_empty() || painted.len() == vertices;
        if fits {
            self.fleshed.painted = painted;
            self.repainted();
        }
        fits
    }

    /// The map has changed.
    pub(super) fn repainted(&mut self) {
        (self.fleshed.left.is_old, self.fleshed.right.is_old) = (true, true);
        self.flesh_changed();
    }

    /// Which render vertices are part of a fold, in the left half or the right one.
    pub fn set_folded(&mut self, is_right: bool, folded: Vec<bool>) {
        self.fleshed.folded[usize::from(is_right)] = folded;
        self.change(Changes { colors: !is_right, compared_colors: is_right, ..Changes::default() });
    }

    /// Counts up whenever anything moves.
    pub fn moves(&self) -> u32 {
        self.fleshed.moves
    }

    /// Brings corrected vertices up to date with the pose, the options and the paint. Cheap when they are.
    pub fn correct_flesh(&mut self) {
        while !self.advance_flesh() {}
    }

    /// The same, but takes at most one step per half towards a correction that is not there yet; whether that was the last.
    pub fn advance_flesh(&mut self) -> bool {
        let exhibited = self.exhibited().map(|exhibit| exhibit.shape.clone());
        let Self { figure: Some(figure), fleshed, split, changes, skinning, .. } = self else { return true };
        let Fleshed { left, right, pieces, painted, compared, .. } = fleshed;
        let is_placing = figure.draft().is_some();
        if left.is_stale
            && let Some(shape) = exhibited
        {
            figure.set_deformed(Some(shape));
            (left.is_stale, changes.deformed, changes.picture) = (false, true, true);
        } else if left.is_stale {
            let rig = figure.shared_rig().filter(|_| left.is_on() && !is_placing);
            changes.colors |= rig.as_ref().is_some_and(|rig| !left.is_ready(rig));
            left.is_stale = rig.as_ref().is_some_and(|rig| !left.step(pieces, rig, painted));
            let buffer = figure.take_deformed();
            changes.deformed |= buffer.is_some() || rig.is_some();
            changes.picture |= changes.deformed;
            let deformed = corrected(left, figure, rig, *skinning, buffer);
            figure.set_deformed(deformed);
        }
        if right.is_stale {
            let rig = split.rig().filter(|_| right.is_on() && !is_placing);
            changes.compared_colors |= rig.as_ref().is_some_and(|rig| !right.is_ready(rig));
            right.is_stale = rig.as_ref().is_some_and(|rig| !right.step(pieces, rig, painted));
            changes.deformed |= compared.is_some() || rig.is_some();
            changes.picture |= changes.deformed;
            *compared = corrected(right, figure, rig, split.skinning(), compared.take());
        }
        !left.is_stale && !right.is_stale
    }

    /// The correction of the left half, posed as the figure is.
    pub fn flesh_layer(&mut self) -> Option<&mut Layer> {
        self.correct_flesh();
        let side = &mut self.fleshed.left;
        side.layer.as_mut().filter(|_| side.options.volume.is_some())
    }

    /// The same posed as a clip is at a time, without the figure being moved.
    pub fn flesh_layer_at(&mut self, clip: &Clip, seconds: f32) -> Option<&mut Layer> {
        let mut sampled = self.figure.clone()?;
        let (skinning, skeleton) = (self.skinning, self.figure.as_ref()?.skeleton()?.clone());
        sampled.set_grips(&[]);
        sampled.set_pose(clip.sample(&skeleton, seconds));
        let layer = self.flesh_layer()?;
        if layer.take_pose(&sampled) {
            layer.pose(skinning, &mut Deformed::default());
        }
        // The layer is in another pose than the figure now.
        self.fleshed.left.is_stale = true;
        self.fleshed.left.layer.as_mut()
    }

    /// γ of every render vertex as a share of the largest before painting; NaN where nothing keeps its volume.
    pub(super) fn gamma(&self, is_right: bool) -> Vec<f32> {
        let side = if is_right { &self.fleshed.right } else { &self.fleshed.left };
        let Some(figure) = self.figure() else { return Vec::new() };
        let solve_from_render = &figure.asset().solve_from_render;
        let volume = side.layer.as_ref().and_then(|layer| layer.flesh.volume());
        let Some(volume) = volume else { return vec![f32::NAN; figure.asset().render.positions.len()] };
        let gamma = |render: usize| volume.gamma().get(solve_from_render[render] as usize).copied();
        let paint = |render: usize| self.fleshed.painted.get(render).copied().unwrap_or(1.0);
        let plain = |render: usize| gamma(render).filter(|_| paint(render) > 0.0).map(|g| g / paint(render));
        let most = (0..solve_from_render.len()).filter_map(plain).fold(f32::MIN_POSITIVE, f32::max);
        (0..solve_from_render.len()).map(|render| gamma(render).map_or(f32::NAN, |g| g / most)).collect()
    }

    /// Whether any half is corrected.
    pub fn is_fleshed(&self) -> bool {
        self.fleshed.is_on()
    }
}

/// A half's vertices, in the buffer of the last frame if there is one; none without a rig or before there is a layer.
fn corrected(
    side: &mut Side,
    figure: &Figure,
    rig: Option<Arc<Rig>>,
    skinning: Skinning,
    buffer: Option<Arc<Deformed>>,
) -> Option<Arc<Deformed>> {
    let rig = rig?;
    let layer = side.layer.as_mut().filter(|layer| Arc::ptr_eq(&layer.rig.asset, &rig.asset))?;
    if !layer.take_pose(figure) {
        return None;
    }
    let mut buffer = buffer.unwrap_or_default();
    layer.pose(skinning, Arc::make_mut(&mut buffer));
    Some(buffer)
}

#[cfg(test)]
#[path = "flesh_tests.rs"]
mod tests;
