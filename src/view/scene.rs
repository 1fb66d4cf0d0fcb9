//! Everything the viewer knows, without the graphics card: the figure, the camera, what is shown and
//! selected. `interact` moves it, `overlay` sketches it, the viewer draws it.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::camera::{Camera, ViewTransform};
use super::changes::{Changes, SharedChanges, VIEWS, ViewChanges};
use super::controls::Controls;
use super::field::{Field, Show};
use super::fit_preview::FitPreview;
use super::gizmo::{Gizmo, Ring, Turn};
use super::handle_tool::HandleTool;
use super::input::Event;
use super::joint_placement_tool::JointPlacementTool;
use super::orbit::Orbit;
use super::painting::Painting;
use super::posed_character::PosedCharacter;
use super::post_skinning::SharedCorrection;
use super::theme::Theme;
use super::views::{Divider, View};
use crate::model::{Asset, Pose, Rig};

/// The ground reaches this many times the figure's size; beyond it has faded away.
pub const GROUND_REACH: f32 = 5.0;

/// A selected joint is framed with at least this share of the figure around it.
const LEAST_FRAMED: f32 = 0.1;

/// A decoded image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// sRGB and alpha (not multiplied in), row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

/// A ring in the user's hand.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    pub(super) pointer: i32,
    pub(super) joint: usize,
    pub(super) turn: Turn,
    pub(super) radians: f32,
    pub(super) before: Pose,
}

/// Everything the viewer knows, without the graphics card.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub(super) character: Option<PosedCharacter>,
    pub(super) orbit: Orbit,
    pub(super) controls: Controls,
    pub(super) canvas: Vec2,
    pub(super) selected: Option<usize>,
    pub(super) hovered: Option<usize>,
    pub(super) hovered_ring: Option<Ring>,
    pub(super) turning: Option<Turning>,
    pub(super) joint_placement: Option<JointPlacementTool>,
    pub(super) events: Vec<Event>,
    changes: SharedChanges,
    pub(super) views: [View; VIEWS],
    pub(super) divider: Divider,
    pub(super) corrections: SharedCorrection,
    pub(super) painting: Option<Painting>,
    pub(super) fit_preview: Option<FitPreview>,
    pub(super) handle_tool: HandleTool,
    theme: Theme,
    hides_skeleton: bool,
    hides_grid: bool,
    field: Option<Field>,
    images: Vec<Option<Arc<Image>>>,
}

impl Scene {
    /// Shows a character without weights, and frames it.
    pub fn set_asset(&mut self, asset: Arc<Asset>) {
        self.replace_character(PosedCharacter::from_asset(asset));
    }

    /// Shows a character with weights in the first view.
    pub(super) fn set_first_rig(&mut self, rig: Arc<Rig>) {
        let is_same = self.character.as_ref().is_some_and(|c| std::ptr::eq(c.asset(), &raw const *rig.asset));
        if !is_same {
            self.replace_character(PosedCharacter::from_rig(rig.clone()));
            self.views[0].set_rig(Some(rig));
            return;
        }
        self.cancel_turn();
        self.end_pull(true);
        // Handles are joints that come and go; the joints after them change their indices.
        let name =
            |scene: &Self, joint: usize| Some(scene.character()?.skeleton()?.joints()[joint].name.clone());
        let before = self.selected.and_then(|joint| name(self, joint));
        if let Some(character) = &mut self.character {
            character.set_rig(rig.clone());
        }
        self.views[0].set_rig(Some(rig));
        let joints = self.joints();
        if self.views[1].rig().is_some_and(|rig| rig.skeleton.joints().len() > joints) {
            self.views[1].set_rig(None);
        }
        self.selected = self.selected.filter(|&joint| joint < joints && name(self, joint) == before);
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    /// Shows the character without weights, at rest, in the first view alone.
    pub(super) fn clear_first_rig(&mut self) {
        self.cancel_turn();
        self.end_pull(true);
        (self.selected, self.hovered) = (None, None);
        if let Some(character) = &mut self.character {
            character.forget_rig();
        }
        for view in &mut self.views {
            view.set_rig(None);
            view.deformed = None;
        }
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    fn replace_character(&mut self, character: PosedCharacter) {
        let is_first = self.character.is_none();
        (self.selected, self.hovered, self.hovered_ring, self.turning) = (None, None, None, None);
        (self.joint_placement, self.fit_preview) = (None, None);
        self.forget_mesh();
        (self.field, self.images) = (None, vec![None; character.asset().textures.len()]);
        self.orbit.set_size(character.size());
        self.character = Some(character);
        let (low, high) = self.bounds();
        // Another character is another place: there is nothing to fly over in between.
        let from = if is_first { Camera::default() } else { *self.orbit.goal() };
        self.orbit.jump(from.framed(low, high, self.canvas));
        self.change_all();
    }

    /// Shows nothing.
    pub fn clear(&mut self) {
        self.character = None;
        (self.selected, self.hovered, self.hovered_ring, self.turning) = (None, None, None, None);
        (self.joint_placement, self.fit_preview) = (None, None);
        self.forget_mesh();
        self.change_all();
    }

    /// Drops what belongs to one mesh.
    fn forget_mesh(&mut self) {
        self.corrections.forget_mesh();
        self.views.iter_mut().for_each(View::forget_mesh);
    }

    /// Records that everything has to be copied to the GPU.
    pub(super) fn change_all(&mut self) {
        self.change(SharedChanges::ALL);
        self.views.iter_mut().for_each(|view| view.change(ViewChanges::ALL));
    }

    /// Records that the colours of all views have changed.
    pub(super) fn change_colors(&mut self) {
        self.views.iter_mut().for_each(|view| view.change(ViewChanges::COLORS));
    }

    /// The character.
    pub fn character(&self) -> Option<&PosedCharacter> {
        self.character.as_ref()
    }

    /// Where every joint is.
    pub fn pose(&self) -> Option<&Pose> {
        self.character.as_ref()?.pose()
    }

    /// Puts the joints where `pose` says; whether it fits the skeleton.
    pub fn set_pose(&mut self, pose: Pose) -> bool {
        let fits = self.character.as_mut().is_some_and(|character| character.set_pose(pose));
        if fits {
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
        fits
    }

    /// A field of one's own for [`Show::Field`]; whether it has a value for every render vertex.
    pub fn set_field(&mut self, field: Option<Field>) -> bool {
        let vertices = self.render_vertices();
        let fits = field.as_ref().is_none_or(|field| field.vertices() == vertices);
        if fits {
            self.field = field;
            self.change_colors();
        }
        fits
    }

    /// The field of one's own, if there is one.
    pub fn field(&self) -> Option<&Field> {
        self.field.as_ref()
    }

    /// The decoded image of one of the asset's textures; whether there is such a texture.
    pub fn set_texture(&mut self, index: usize, image: Image) -> bool {
        let fits = image.pixels.len() == image.width as usize * image.height as usize && image.width > 0;
        let place = self.images.get_mut(index).filter(|_| fits);
        let found = place.map(|place| *place = Some(Arc::new(image))).is_some();
        self.change(SharedChanges { textures: found, ..SharedChanges::default() });
        found
    }

    /// The same for an image that was shown before; whether there is such a texture.
    pub fn set_image(&mut self, index: usize, image: Arc<Image>) -> bool {
        let found = self.images.get_mut(index).map(|place| *place = Some(image)).is_some();
        self.change(SharedChanges { textures: found, ..SharedChanges::default() });
        found
    }

    /// Decoded images by texture.
    pub fn images(&self) -> &[Option<Arc<Image>>] {
        &self.images
    }

    /// The selected joint.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Selects a joint, without an event.
    pub fn set_selected(&mut self, joint: Option<usize>) {
        let joints = self.joints();
        let joint = joint.filter(|&joint| joint < joints);
        if joint != self.selected {
            self.cancel_turn();
            (self.selected, self.hovered_ring) = (joint, None);
            for view in self.views.iter_mut().filter(|view| view.show() == Show::Weights) {
                view.change(ViewChanges::COLORS);
            }
            self.change(SharedChanges::default());
        }
    }

    /// The joint under the pointer.
    pub fn hovered(&self) -> Option<usize> {
        self.hovered
    }

    /// Light or dark.
    pub fn theme(&self) -> Theme {
        self.theme
    }

    /// Changes to light or dark.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.change(SharedChanges::default());
    }

    /// Whether bones and joints are drawn.
    pub fn shows_skeleton(&self) -> bool {
        !self.hides_skeleton && self.shown_fit_preview().is_none()
    }

    /// Draws or hides bones and joints.
    pub fn set_shows_skeleton(&mut self, shows: bool) {
        self.hides_skeleton = !shows;
        self.change(SharedChanges::default());
    }

    /// Whether the ground's grid is drawn.
    pub fn shows_grid(&self) -> bool {
        !self.hides_grid
    }

    /// Draws or hides the ground's grid.
    pub fn set_shows_grid(&mut self, shows: bool) {
        self.hides_grid = !shows;
        self.change(SharedChanges::default());
    }

    /// Whether the camera jumps instead of gliding.
    pub fn set_still(&mut self, is_still: bool) {
        self.orbit.set_still(is_still);
    }

    /// The canvas's size in CSS pixels.
    pub fn resize(&mut self, canvas: Vec2) {
        let before = std::mem::replace(&mut self.canvas, canvas);
        if self.character.is_some() && canvas.min_element() > 0.0 {
            let (low, high) = self.bounds();
            let goal = *self.orbit.goal();
            let framed = goal.framed(low, high, canvas);
            if before.min_element() <= 0.0 {
                self.orbit.jump(framed);
            } else if before != canvas {
                // As much nearer or farther as framing would be: what was seen is seen on a picture of another shape, too.
                let zoom = framed.distance / goal.framed(low, high, before).distance;
                self.orbit.jump(Camera { distance: goal.distance * zoom, ..goal });
            }
        }
        self.change(SharedChanges::default());
    }

    /// Where the camera is going.
    pub fn camera(&self) -> &Camera {
        self.orbit.goal()
    }

    /// Puts the camera somewhere at once.
    pub fn set_camera(&mut self, camera: Camera) {
        self.orbit.jump(camera);
        self.change(SharedChanges::default());
    }

    /// Flies to where all of the posed figure is seen.
    pub fn frame_all(&mut self) {
        self.apply_post_skinning();
        let (low, high) = self.bounds();
        self.frame_box(low, high);
    }

    /// Flies to the selected joint and its bones, or to all of the figure.
    pub fn frame_selected(&mut self) {
        let Some((character, joint)) = self.character.as_ref().zip(self.selected) else {
            return self.frame_all();
        };
        let Some(world) = character.world_from_joint().get(joint) else { return self.frame_all() };
        let head = world.translation.as_vec3();
        let bones = character.posed_bones();
        let tails = bones.iter().filter(|bone| bone.joint == joint).map(|bone| bone.tail);
        let farthest = tails.map(|tail| tail.distance(head)).fold(0.0, f32::max);
        let around = Vec3::splat(farthest.max(LEAST_FRAMED * character.size()) * 1.2);
        self.frame_box(head - around, head + around);
    }

    fn frame_box(&mut self, low: Vec3, high: Vec3) {
        self.orbit.frame(low, high, self.canvas);
        self.change(SharedChanges::default());
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        self.shown(0).map_or((Vec3::ZERO, Vec3::ZERO), |shown| shown.posed_bounds())
    }

    /// The number of render vertices.
    pub(super) fn render_vertices(&self) -> usize {
        self.character.as_ref().map_or(0, |character| character.asset().render.positions.len())
    }

    fn joints(&self) -> usize {
        self.character.as_ref().map_or(0, |character| character.world_from_joint().len())
    }

    /// How far from the camera's target anything drawn may be.
    pub fn reach(&self) -> f32 {
        let Some(character) = &self.character else { return 1.0 };
        let (low, high) = character.rest_bounds();
        GROUND_REACH * character.size() + self.orbit.camera().target.distance(low.midpoint(high))
    }

    /// What the camera sees on the canvas.
    pub fn eye(&self) -> ViewTransform {
        self.orbit.camera().eye(self.canvas, self.reach())
    }

    /// The rings around the selected joint.
    pub fn gizmo(&self, eye: &ViewTransform) -> Option<Gizmo> {
        let is_free = self.joint_placement.is_none() && self.painting.is_none() && !self.is_placing_handles();
        let character = self.character.as_ref().filter(|_| is_free)?;
        let world = character.world_from_joint().get(self.selected?)?;
        Some(Gizmo::new(eye, world))
    }

    /// What happened since the last call, oldest first.
    pub fn drain_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Records that something has to be drawn, and what has to be copied to the GPU before.
    pub(super) fn change(&mut self, changed: SharedChanges) {
        self.changes.add(SharedChanges { picture: true, ..changed });
        if changed.mesh {
            self.corrections.forget_layout();
            self.views.iter_mut().for_each(|view| view.correction.forget_mesh());
        }
        if changed.mesh || changed.pose {
            self.views.iter_mut().for_each(|view| view.correction.is_stale = true);
            self.corrections.moves = self.corrections.moves.wrapping_add(1);
        }
    }

    /// What changed since the last call.
    pub fn take_changes(&mut self) -> Changes {
        let picture = self.has_changed();
        let shared = SharedChanges { picture, ..std::mem::take(&mut self.changes) };
        Changes { shared, views: self.views.each_mut().map(|view| std::mem::take(&mut view.changes)) }
    }

    fn has_changed(&self) -> bool {
        self.changes.picture || self.views.iter().any(|view| view.changes != ViewChanges::default())
    }

    /// Moves the camera on to `now_ms`.
    pub fn advance(&mut self, now_ms: f64) {
        if self.orbit.is_moving() && self.orbit.advance(now_ms) {
            self.changes.picture = true;
        }
    }

    /// Whether there is something to draw, now or soon.
    pub fn wants_frame(&self) -> bool {
        self.has_changed() || self.orbit.is_moving()
    }
}
