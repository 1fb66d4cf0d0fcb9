//! A picture in two halves: one figure in one pose, bound by one rig left of a divider and by another right of it.
//!
//! The left half is what a [`Scene`] shows anyway; only what the right one has of its own is kept here. Without other
//! weights the picture is whole, wherever the divider stands.

use std::borrow::Cow;
use std::sync::Arc;

use glam::Vec2;

use super::cover::Cover;
use super::field::{Field, Show};
use super::joints::Skinning;
use super::posed_character::PosedCharacter;
use super::scene::{Changes, Scene};
use crate::model::Rig;

/// What the right half has of its own.
#[derive(Clone, Debug)]
pub(super) struct Split {
    bound: Option<Bound>,
    show: Show,
    skinning: Skinning,
    divider: f32,
}

/// Other weights, and the regions they come from.
#[derive(Clone, Debug)]
struct Bound {
    rig: Arc<Rig>,
    cover: Option<Arc<Cover>>,
}

/// A figure as one half shows it, or all of the picture.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The character, bound by this half's weights.
    pub character: Cow<'a, PosedCharacter>,
    /// What its colours show.
    pub show: Show,
    /// How its joints are blended.
    pub skinning: Skinning,
    /// Which half it is.
    pub is_right: bool,
}

impl Default for Split {
    fn default() -> Self {
        Self { bound: None, show: Show::default(), skinning: Skinning::default(), divider: 0.5 }
    }
}

impl Split {
    /// The weights are for a figure that is gone.
    pub(super) fn forget(&mut self) {
        self.bound = None;
    }

    /// The weights are for a figure with other joints.
    pub(super) fn forget_beyond(&mut self, joints: usize) {
        self.bound.take_if(|bound| bound.rig.skeleton.joints().len() > joints);
    }

    /// The right half's weights.
    pub(super) fn rig(&self) -> Option<Arc<Rig>> {
        self.bound.as_ref().map(|bound| bound.rig.clone())
    }

    /// How its joints are blended.
    pub(super) fn skinning(&self) -> Skinning {
        self.skinning
    }

    /// Whether the right half's colours depend on what is selected.
    pub(super) fn shows_selection(&self) -> bool {
        self.show == Show::Weights
    }
}

impl Scene {
    /// Shows the figure by other weights right of the divider; whether they are this figure's.
    pub fn set_compared(&mut self, rig: Arc<Rig>, cover: Option<Arc<Cover>>) -> bool {
        let fits = self.character().is_some_and(|character| {
            let vertices = character.asset().render.positions.len();
            // Handles that this half has and the other has not have no place in the pose.
            rig.skeleton.joints().len() <= character.world_from_joint().len()
                && std::ptr::eq(character.asset(), &raw const *rig.asset)
                && cover.as_ref().is_none_or(|cover| cover.fits(vertices))
        });
        if fits {
            self.split.bound = Some(Bound { rig, cover });
            let (compared_influences, compared_colors) = (true, true);
            self.change(Changes { compared_influences, compared_colors, ..Changes::default() });
        }
        fits
    }

    /// The picture is whole again.
    pub fn end_comparison(&mut self) {
        self.split.forget();
        self.change(Changes::default());
    }

    /// Changes what the right half's colours show.
    pub fn set_compared_show(&mut self, show: Show) {
        self.split.show = show;
        self.change(Changes { compared_colors: true, ..Changes::default() });
    }

    /// Changes how the right half's joints are blended.
    pub fn set_compared_skinning(&mut self, skinning: Skinning) {
        self.split.skinning = skinning;
        self.change(Changes { pose: true, ..Changes::default() });
    }

    /// Puts the divider at a share of the width.
    pub fn set_divider(&mut self, share: f32) {
        self.split.divider = if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) };
        self.change(Changes::default());
    }

    /// Where the picture is divided, as a share of its width; nowhere when it is whole.
    pub fn divider(&self) -> Option<f32> {
        self.split.bound.as_ref().map(|_| self.split.divider)
    }

    /// The figure left of the divider, or in all of the picture.
    pub fn shown(&self) -> Option<Shown<'_>> {
        let character = Cow::Borrowed(self.character()?);
        Some(Shown { character, show: self.show(), skinning: self.skinning(), is_right: false })
    }

    /// The figure right of the divider, in the same pose.
    pub fn compared(&self) -> Option<Shown<'_>> {
        let (character, Bound { rig, cover }) = self.character().zip(self.split.bound.as_ref())?;
        let character =
            Cow::Owned(character.bound_by(rig.clone(), cover.clone(), self.corrections.compared.clone()));
        Some(Shown { character, show: self.split.show, skinning: self.split.skinning, is_right: true })
    }

    /// The figure in the half that a pixel of the canvas lies in.
    pub(super) fn shown_at(&self, pixel: Vec2) -> Option<Shown<'_>> {
        let is_right = self.divider().is_some_and(|share| pixel.x >= share * self.canvas.x);
        if is_right { self.compared() } else { self.shown() }
    }

    /// What a figure's colours show now; none for the materials.
    pub fn field_of(&self, Shown { character, show, is_right, .. }: &Shown<'_>) -> Option<Field> {
        match show {
            Show::Shaded => None,
            Show::Weights => character.rig().map(|rig| Field::weights(rig.weights(), self.selected())),
            Show::Regions => character.rig().map(|rig| Field::regions(rig, character.cover())),
            Show::Overlaps => character.rig().map(|rig| Field::overlaps(rig, character.cover())),
            Show::Gamma if self.painting.is_some() => Some(Field::painted(character.asset(), self.painted())),
            Show::Gamma => Some(Field::gamma(self.gamma(*is_right), !self.painted().is_empty())),
            Show::Folds => {
                Some(Field::folds(character.asset(), &self.corrections.folded[usize::from(*is_right)]))
            }
            Show::Fit => self
                .shown_fit_preview()
                .filter(|_| !is_right)
                .and_then(|fit_preview| fit_preview.field.clone()),
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

    fn divided() -> (Scene, Arc<Asset>) {
        let asset = asset();
        let mut scene = Scene::default();
        scene.resize(Vec2::new(400.0, 300.0));
        scene.set_rig(following(&asset, 0));
        assert!(scene.set_compared(following(&asset, 1), None));
        (scene, asset)
    }

    #[test]
    fn both_halves_stand_in_one_pose_each_by_its_own_weights() {
        let (mut scene, _) = divided();
        let skeleton = scene.character().unwrap().skeleton().unwrap().clone();
        let mut pose = Pose::rest(&skeleton);
        pose.rotate(1, DQuat::from_rotation_z(1.0));
        assert!(scene.set_pose(pose.clone()));
        let (left, right) = (scene.shown().unwrap(), scene.compared().unwrap());
        assert_eq!(right.character.pose(), Some(&pose));
        let rest = &left.character.asset().render.positions;
        let moved = |half: &Shown<'_>| {
            let posed = half.character.posed_positions();
            posed.iter().zip(rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
        };
        assert!(moved(&left) < 1e-5 && moved(&right) > 0.01);
    }

    #[test]
    fn a_pixel_belongs_to_the_half_it_lies_in() {
        let (mut scene, _) = divided();
        scene.set_divider(0.25);
        let joint = |x: f32| {
            let shown = scene.shown_at(Vec2::new(x, 10.0)).unwrap();
            shown.character.rig().unwrap().weights().dominant(0)
        };
        assert_eq!((joint(99.0), joint(101.0)), (0, 1));
    }

    #[test]
    fn other_weights_on_one_side_leave_the_other_alone() {
        let (mut scene, asset) = divided();
        scene.take_changes();
        scene.set_rig(following(&asset, 0));
        let changes = scene.take_changes();
        assert!(changes.influences && !changes.compared_influences && !changes.compared_colors);
        scene.set_compared(following(&asset, 0), None);
        let changes = scene.take_changes();
        assert!(changes.compared_influences && !changes.influences && !changes.colors && !changes.pose);
    }

    #[test]
    fn another_figure_makes_the_picture_whole_and_its_weights_fit_no_other() {
        let (mut scene, asset) = divided();
        scene.set_asset(self::asset());
        assert_eq!(scene.divider(), None);
        assert!(!scene.set_compared(following(&asset, 1), None));
    }

    #[test]
    fn the_divider_stays_within_the_picture_and_is_nowhere_when_it_is_whole() {
        let (mut scene, _) = divided();
        for (asked, got) in [(0.3, 0.3), (-2.0, 0.0), (7.0, 1.0), (f32::NAN, 0.5)] {
            scene.set_divider(asked);
            assert_eq!(scene.divider(), Some(got));
        }
        scene.end_comparison();
        assert_eq!(scene.divider(), None);
        assert!(scene.compared().is_none());
    }
}
