//! The two views of a scene: one character in one pose, drawn with different weights, colours and
//! corrections on the two sides of a divider.
//!
//! The first view always exists. The second is drawn, and the divider exists, while it has a rig.

use std::sync::Arc;

use glam::{DAffine3, Mat4, Vec2, Vec3};

use super::changes::{SharedChanges, VIEWS, ViewChanges};
use super::field::{Field, Show};
use super::joints::Skinning;
use super::picking::SkinPicker;
use super::posed_character::{Deformed, PosedCharacter, bounds};
use super::post_skinning::ViewCorrection;
use super::region_geometry::ViewRegions;
use super::scene::Scene;
use crate::deform::{Posed, Rest, Scratch, Skin, deform};
use crate::model::{RegionOverlay, Rig, Skeleton};

/// The number of vertices that are posed to find the bounds of a pose.
const BOUNDS_SAMPLES: usize = 4000;

/// One of the two views.
#[derive(Clone, Debug, Default)]
pub struct View {
    rig: Option<Arc<Rig>>,
    regions: Option<ViewRegions>,
    /// Of the last weights; their geometry may still hold.
    last_regions: Option<ViewRegions>,
    show: Show,
    skinning: Skinning,
    pub(super) correction: ViewCorrection,
    /// Vertices deformed on the CPU; none while the GPU skins.
    pub(super) deformed: Option<Arc<Deformed>>,
    /// Whether each render vertex belongs to a self-intersection; empty if unknown.
    folded: Vec<bool>,
    pub(super) changes: ViewChanges,
    /// Counts shapes, for `picker`.
    pub(super) shape: u32,
    pub(super) picker: Option<SkinPicker>,
    /// Counts changes that may move vertices.
    pub(super) moves: u32,
}

impl View {
    /// The weights; none for a view that is not drawn, or for a character at rest.
    pub fn rig(&self) -> Option<&Arc<Rig>> {
        self.rig.as_ref()
    }

    /// The regions behind the weights, for methods that have regions.
    pub fn regions(&self) -> Option<&ViewRegions> {
        self.regions.as_ref()
    }

    /// What the colours show.
    pub fn show(&self) -> Show {
        self.show
    }

    /// Changes what the colours show.
    pub fn set_show(&mut self, show: Show) {
        // The fit preview has vertices of its own.
        let deformed = (show == Show::Fit) != (self.show == Show::Fit);
        self.show = show;
        self.change(ViewChanges { deformed, ..ViewChanges::COLORS });
    }

    /// How transforms of joints are blended.
    pub fn skinning(&self) -> Skinning {
        self.skinning
    }

    /// Changes how transforms of joints are blended.
    pub fn set_skinning(&mut self, skinning: Skinning) {
        self.skinning = skinning;
        self.change(ViewChanges { skinning: true, ..ViewChanges::default() });
    }

    /// Vertices deformed on the CPU; none while the GPU skins.
    pub fn deformed(&self) -> Option<&Deformed> {
        self.deformed.as_deref()
    }

    /// Sets which render vertices belong to a self-intersection.
    pub fn set_folded(&mut self, folded: Vec<bool>) {
        self.folded = folded;
        self.change(ViewChanges::COLORS);
    }

    pub(super) fn set_rig(&mut self, rig: Option<Arc<Rig>>) {
        self.last_regions = self.regions.take();
        self.rig = rig;
        self.change(ViewChanges { influences: true, ..ViewChanges::COLORS });
    }

    fn set_regions(&mut self, overlay: Option<RegionOverlay>) {
        let last = self.last_regions.take().or_else(|| self.regions.take());
        self.regions = overlay.map(|overlay| ViewRegions::new(overlay, last.as_ref()));
        self.change(ViewChanges::COLORS);
    }

    /// Drops everything that belongs to one mesh.
    pub(super) fn forget_mesh(&mut self) {
        self.set_rig(None);
        self.last_regions = None;
        self.folded.clear();
        (self.deformed, self.picker) = (None, None);
        self.correction.forget_mesh();
    }

    /// Records a change.
    pub(super) fn change(&mut self, changed: ViewChanges) {
        self.changes.add(changed);
        if changed.moves_vertices() {
            self.correction.is_stale = true;
            self.moves = self.moves.wrapping_add(1);
            self.shape = self.shape.wrapping_add(1);
        }
    }
}

/// Where the divider between two views is, as a share of the canvas's width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Divider(f32);

impl Default for Divider {
    fn default() -> Self {
        Self(0.5)
    }
}

/// A view together with the character that it shows.
#[derive(Clone, Copy, Debug)]
pub struct ShownView<'a> {
    /// The character; its pose is shared by all views.
    pub character: &'a PosedCharacter,
    /// The view.
    pub view: &'a View,
    /// Which of the views it is.
    pub index: usize,
}

impl<'a> ShownView<'a> {
    /// The skeleton that moves the vertices: the one that is edited, the rig's, or the asset's.
    pub fn skeleton(&self) -> Option<&'a Skeleton> {
        let bound = self.view.rig.as_ref().map(|rig| &rig.skeleton);
        self.character.draft().or(bound).or(self.character.asset().skeleton.as_ref())
    }

    /// The skinning transform of every joint, from rest space to the pose.
    pub fn posed_from_rest(&self) -> Vec<DAffine3> {
        let Some(skeleton) = self.skeleton() else { return Vec::new() };
        self.character.posed_from_rest_of(skeleton)
    }

    /// All render vertices as drawn: with this view's skinning, and corrected if it has a
    /// correction.
    pub fn posed_positions(&self) -> Vec<Vec3> {
        match &self.view.deformed {
            Some(deformed) => deformed.positions.clone(),
            None => self.skinned(None, false).positions,
        }
    }

    /// Some render vertices as drawn, with normals.
    pub fn posed_vertices(&self, vertices: &[u32]) -> Deformed {
        match &self.view.deformed {
            Some(deformed) => {
                let pick = |of: &[Vec3]| vertices.iter().map(|&vertex| of[vertex as usize]).collect();
                Deformed { positions: pick(&deformed.positions), normals: pick(&deformed.normals) }
            }
            None => self.skinned(Some(vertices), true),
        }
    }

    /// Skins all or some render vertices on the CPU; at rest without weights.
    fn skinned(&self, vertices: Option<&[u32]>, has_normals: bool) -> Deformed {
        let rest = self.character.rest();
        let pick = |of: &[Vec3]| match vertices {
            Some(vertices) => vertices.iter().map(|&vertex| of[vertex as usize]).collect(),
            None => of.to_vec(),
        };
        let rest = Deformed {
            positions: pick(rest.positions),
            normals: if has_normals { pick(rest.normals) } else { Vec::new() },
        };
        let Some(rig) = &self.view.rig else { return rest };
        let skin = match vertices {
            None => Skin::of_rig(rig),
            Some(vertices) => {
                let weights = rig.weights().gathered(vertices.iter().map(|&vertex| vertex as usize));
                let heads: Vec<Vec3> = rig.skeleton.joints().iter().map(|joint| joint.head()).collect();
                Skin::new(&weights, &heads)
            }
        };
        let matrices: Vec<Mat4> =
            self.posed_from_rest().iter().map(|m| Mat4::from(m.as_affine3a())).collect();
        if matrices.len() != skin.joints() {
            return rest;
        }
        let mut posed = rest.clone();
        let from = Rest { positions: &rest.positions, normals: &rest.normals };
        let to = Posed { positions: &mut posed.positions, normals: &mut posed.normals };
        deform(self.view.skinning.deformer(), &skin, &matrices, from, to, &mut Scratch::default());
        posed
    }

    /// The box around the posed shape and its bones, from a sample of the vertices.
    pub fn posed_bounds(&self) -> (Vec3, Vec3) {
        let count = self.character.asset().render.positions.len();
        let step = count.div_ceil(BOUNDS_SAMPLES).max(1);
        let sample: Vec<u32> = (0..count as u32).step_by(step).collect();
        let bones = self.character.posed_bones().into_iter().flat_map(|bone| [bone.head, bone.tail]);
        let points = self.posed_vertices(&sample).positions;
        bounds(points.into_iter().chain(bones)).unwrap_or(self.character.rest_bounds())
    }
}

impl Scene {
    /// One of the views. Indices beyond the last mean the last.
    pub fn view(&self, index: usize) -> &View {
        &self.views[index.min(VIEWS - 1)]
    }

    /// One of the views, to change it.
    pub fn view_mut(&mut self, index: usize) -> &mut View {
        &mut self.views[index.min(VIEWS - 1)]
    }

    /// Shows the character with weights in one view; whether they are this character's. In the
    /// first view, weights of another asset replace the character; weights of the same asset keep
    /// camera, selection and pose.
    pub fn set_rig(&mut self, index: usize, rig: Arc<Rig>) -> bool {
        if index == 0 {
            self.set_first_rig(rig);
            return true;
        }
        let fits = self.character().is_some_and(|character| {
            // Handles that only this view has do not exist in the pose.
            rig.skeleton.joints().len() <= character.world_from_joint().len()
                && std::ptr::eq(character.asset(), &raw const *rig.asset)
        });
        if fits {
            self.view_mut(index).set_rig(Some(rig));
            self.change_differences();
        }
        fits
    }

    /// Sets the regions behind a view's weights; whether they fit the mesh. Other weights drop
    /// them.
    pub fn set_regions(&mut self, index: usize, overlay: Option<RegionOverlay>) -> bool {
        let Some(character) = &self.character else { return false };
        let mesh = &character.asset().mesh;
        let fits = overlay.as_ref().is_none_or(|overlay| overlay.fits(mesh));
        if fits {
            self.views[index.min(VIEWS - 1)].set_regions(overlay);
        }
        fits
    }

    /// Drops the weights of a view: the second is not drawn any more; in the first the character is
    /// at rest, and the second goes too.
    pub fn clear_view(&mut self, index: usize) {
        if index == 0 {
            self.clear_first_rig();
        } else {
            self.view_mut(index).set_rig(None);
        }
        self.change_differences();
        self.change(SharedChanges::default());
    }

    /// Puts the divider at a share of the width.
    pub fn set_divider(&mut self, share: f32) {
        self.divider = if share.is_nan() { Divider::default() } else { Divider(share.clamp(0.0, 1.0)) };
        self.change(SharedChanges::default());
    }

    /// Where the divider is, as a share of the width; none while there is one view.
    pub fn divider(&self) -> Option<f32> {
        self.views[1].rig.as_ref().map(|_| self.divider.0)
    }

    /// What a view draws; none if it draws nothing.
    pub fn shown(&self, index: usize) -> Option<ShownView<'_>> {
        let view = self.views.get(index).filter(|view| index == 0 || view.rig.is_some())?;
        Some(ShownView { character: self.character()?, view, index })
    }

    /// The view that a pixel of the canvas belongs to.
    pub fn view_at(&self, pixel: Vec2) -> usize {
        usize::from(self.divider().is_some_and(|share| pixel.x >= share * self.viewpoint.canvas.x))
    }

    /// The values that a view's colours show; none for the materials.
    pub fn field_of(&self, ShownView { character, view, index }: ShownView<'_>) -> Option<Field> {
        match view.show {
            Show::Shaded => None,
            Show::Weights => view.rig().map(|rig| Field::weights(rig.weights(), self.selected())),
            Show::Regions => view.rig().map(|rig| Field::regions(rig, view.regions())),
            Show::Overlaps => view.rig().map(|rig| Field::overlaps(rig, view.regions())),
            Show::Gamma if self.is_painting() => Some(Field::painted(character.asset(), self.painted())),
            Show::Gamma => Some(Field::gamma(self.gamma(index), !self.painted().is_empty())),
            Show::Folds => Some(Field::folds(character.asset(), &view.folded)),
            Show::Fit => self
                .shown_fit_preview()
                .filter(|_| index == 0)
                .and_then(|fit_preview| fit_preview.field.clone()),
            Show::Difference => {
                let [first, second] = self.views.each_ref().map(View::rig);
                first.zip(second).map(|(first, second)| Field::difference(first, second))
            }
            Show::Field => self.field().cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::model::{Asset, Pose, Weights};
    use crate::samples::{self, SampleCharacter};

    fn asset() -> Arc<Asset> {
        Arc::new(samples::make(SampleCharacter::Arm, 500).unwrap().into_asset("arm"))
    }

    /// Every vertex follows one joint.
    fn following(asset: &Arc<Asset>, joint: u32) -> Arc<Rig> {
        let skeleton = asset.skeleton.clone().unwrap();
        let all = asset.render.positions.iter().map(|_| joint);
        let weights = Weights::rigid(skeleton.joints().len(), all).unwrap();
        Arc::new(Rig::from_render_weights(asset.clone(), skeleton, weights).unwrap())
    }

    fn two_views() -> (Scene, Arc<Asset>) {
        let asset = asset();
        let mut scene = Scene::default();
        scene.resize(Vec2::new(400.0, 300.0));
        scene.set_rig(0, following(&asset, 0));
        assert!(scene.set_rig(1, following(&asset, 1)));
        (scene, asset)
    }

    #[test]
    fn both_views_have_one_pose_and_weights_of_their_own() {
        let (mut scene, _) = two_views();
        let skeleton = scene.character().unwrap().skeleton().unwrap().clone();
        let mut pose = Pose::rest(&skeleton);
        pose.rotate(1, DQuat::from_rotation_z(1.0));
        assert!(scene.set_pose(pose.clone()));
        assert_eq!(scene.shown(1).unwrap().character.pose(), Some(&pose));
        let moved = |view: usize| {
            let shown = scene.shown(view).unwrap();
            let rest = &shown.character.asset().render.positions;
            let posed = shown.posed_positions();
            posed.iter().zip(rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
        };
        assert!(moved(0) < 1e-5 && moved(1) > 0.01);
    }

    #[test]
    fn posed_vertices_use_the_skinning_of_the_view() {
        let asset = asset();
        let mut scene = Scene::default();
        let skeleton = asset.skeleton.clone().unwrap();
        let row = || [0, 1].map(|column| crate::model::Influence { column, weight: 0.5 });
        let weights =
            Weights::new(skeleton.joints().len(), asset.render.positions.iter().map(|_| row())).unwrap();
        scene.set_rig(0, Arc::new(Rig::from_render_weights(asset, skeleton, weights).unwrap()));
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(1, DQuat::from_rotation_z(2.0));
        scene.set_pose(pose);
        let linear = scene.shown(0).unwrap().posed_positions();
        scene.view_mut(0).set_skinning(Skinning::DualQuaternion);
        let dual = scene.shown(0).unwrap().posed_positions();
        let apart = linear.iter().zip(&dual).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(apart > 1e-3, "the two skinnings differ by {apart}");
        let some = scene.shown(0).unwrap().posed_vertices(&[3, 7]).positions;
        assert!(some[0].distance(dual[3]) < 1e-6 && some[1].distance(dual[7]) < 1e-6);
    }

    #[test]
    fn a_pixel_belongs_to_the_view_on_its_side_of_the_divider() {
        let (mut scene, _) = two_views();
        scene.set_divider(0.25);
        let view = |x: f32| scene.view_at(Vec2::new(x, 10.0));
        assert_eq!((view(99.0), view(101.0)), (0, 1));
    }

    #[test]
    fn weights_of_one_view_do_not_change_the_other() {
        let (mut scene, asset) = two_views();
        scene.take_changes();
        scene.set_rig(0, following(&asset, 0));
        let [first, second] = scene.take_changes().views;
        assert!(first.influences && !second.influences && !second.colors);
        scene.set_rig(1, following(&asset, 0));
        let changes = scene.take_changes();
        let [first, second] = changes.views;
        assert!(second.influences && !first.influences && !first.colors && !changes.shared.pose);
    }

    #[test]
    fn another_character_has_one_view_and_rejects_weights_of_the_last() {
        let (mut scene, asset) = two_views();
        scene.set_asset(self::asset());
        assert_eq!(scene.divider(), None);
        assert!(!scene.set_rig(1, following(&asset, 1)));
    }

    #[test]
    fn the_divider_stays_within_the_canvas_and_exists_for_two_views() {
        let (mut scene, _) = two_views();
        for (given, expected) in [(0.3, 0.3), (-2.0, 0.0), (7.0, 1.0), (f32::NAN, 0.5)] {
            scene.set_divider(given);
            assert_eq!(scene.divider(), Some(expected));
        }
        scene.clear_view(1);
        assert_eq!(scene.divider(), None);
        assert!(scene.shown(1).is_none());
    }
}
