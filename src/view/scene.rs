//! Everything that is drawn, without the GPU. `tool` and `interact` change it, `overlay` adds bones
//! and tools, `gpu` draws it.
//!
//! The parts: the [posed character](PosedCharacter), two [views](View), the camera, the selection,
//! the active tool, display options, textures, and what the corrections of both views share.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, Vec2, Vec3};

use super::camera::{Camera, ViewTransform};
use super::changes::{Changes, SharedChanges, VIEWS, ViewChanges};
use super::display::Display;
use super::field::Show;
use super::input::Event;
use super::posed_character::{PoseState, PosedCharacter};
use super::post_skinning::SharedCorrection;
use super::textures::Textures;
use super::tool::ActiveTool;
use super::viewpoint::Viewpoint;
use super::views::{Divider, View};
use crate::model::{Asset, Clip, Degrees, Pose, Rig};

/// The radius of the ground, as a factor of the character's size; it fades out towards it.
pub const GROUND_REACH: f32 = 5.0;

/// The smallest part of the character that framing a joint shows, as a share of its size. Larger:
/// fingers are not framed. Smaller: short bones fill the canvas.
const LEAST_FRAMED: f32 = 0.1;

/// The joints that are selected and under the pointer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    pub(super) selected: Option<usize>,
    pub(super) hovered: Option<usize>,
    /// The pointer is at the end of the hovered joint's bone.
    pub(super) hovers_tail: bool,
}

/// Everything that is drawn, without the GPU.
#[derive(Debug, Default)]
pub struct Scene {
    pub(super) character: Option<PosedCharacter>,
    pub(super) views: [View; VIEWS],
    pub(super) divider: Divider,
    pub(super) viewpoint: Viewpoint,
    pub(super) selection: Selection,
    /// Joints that the tool for placing joints points out.
    pub(super) marked: Vec<usize>,
    pub(super) tool: ActiveTool,
    pub(super) display: Display,
    pub(super) textures: Textures,
    pub(super) corrections: SharedCorrection,
    pub(super) events: Vec<Event>,
    changes: SharedChanges,
}

/// The character.
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
        self.with_tool(|tool, scene| tool.rig_changed(scene));
        // Handles are joints that come and go; the joints after them change their indices.
        let name =
            |scene: &Self, joint: usize| Some(scene.character()?.skeleton()?.joints()[joint].name.clone());
        let before = self.selected().and_then(|joint| name(self, joint));
        if let Some(character) = &mut self.character {
            character.set_rig(rig.clone());
        }
        self.views[0].set_rig(Some(rig));
        let joints = self.joints();
        if self.views[1].rig().is_some_and(|rig| rig.skeleton.joints().len() > joints) {
            self.views[1].set_rig(None);
        }
        let selected = self.selected().filter(|&joint| joint < joints && name(self, joint) == before);
        self.selection = Selection { selected, ..Selection::default() };
        self.change_differences();
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    /// Shows the character without weights, at rest, in the first view alone.
    pub(super) fn clear_first_rig(&mut self) {
        self.with_tool(|tool, scene| tool.rig_changed(scene));
        self.selection = Selection::default();
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
        // The camera sees the next character from the side from which it saw this one.
        let mut camera = match &self.character {
            Some(before) => {
                let goal = *self.viewpoint.orbit.goal();
                Camera { yaw: goal.yaw - before.asset().front_yaw(), ..goal }
            }
            None => Camera::default(),
        };
        camera.yaw += character.asset().front_yaw();
        self.forget_mesh();
        self.textures.reset(character.asset().textures.len());
        self.viewpoint.orbit.set_ground(character.size(), character.ground());
        self.character = Some(character);
        let (low, high) = self.bounds();
        // No flight to another character: there is nothing to see in between.
        self.viewpoint.orbit.jump(camera.framed(low, high, self.viewpoint.canvas));
        self.change_all();
    }

    /// Shows nothing.
    pub fn clear(&mut self) {
        self.character = None;
        self.forget_mesh();
        self.change_all();
    }

    /// Drops everything that belongs to one mesh.
    fn forget_mesh(&mut self) {
        self.selection = Selection::default();
        self.marked.clear();
        self.reset_tool();
        self.display.forget_mesh();
        self.corrections.forget_mesh();
        self.views.iter_mut().for_each(View::forget_mesh);
    }

    /// The character.
    pub fn character(&self) -> Option<&PosedCharacter> {
        self.character.as_ref()
    }

    /// The number of render vertices.
    pub(super) fn render_vertices(&self) -> usize {
        self.character.as_ref().map_or(0, |character| character.asset().render.positions.len())
    }

    fn joints(&self) -> usize {
        self.character.as_ref().map_or(0, |character| character.world_from_joint().len())
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        self.shown(0).map_or((Vec3::ZERO, Vec3::ZERO), |shown| shown.posed_bounds())
    }
}

/// The pose.
impl Scene {
    /// The local transforms of all joints, with offsets.
    pub fn pose(&self) -> Option<&Pose> {
        self.character.as_ref()?.pose()
    }

    /// Sets the pose and clears offsets; whether it fits the skeleton.
    pub fn set_pose(&mut self, pose: Pose) -> bool {
        self.change_pose(|character| character.set_pose(pose))
    }

    /// Sets pose and morph weights of a clip at a time; offsets are kept and applied to it. Whether
    /// the clip fits the skeleton.
    pub fn set_clip_time(&mut self, clip: &Clip, seconds: f32) -> bool {
        self.change_pose(|character| character.set_clip_time(clip, seconds))
    }

    /// The pose with everything that belongs to it, to be restored later.
    pub fn pose_state(&self) -> Option<PoseState> {
        self.character.as_ref().map(PosedCharacter::pose_state)
    }

    /// Restores a pose; whether it fits the skeleton.
    pub fn set_pose_state(&mut self, state: PoseState) -> bool {
        self.change_pose(|character| character.set_pose_state(state))
    }

    /// Sets or removes the rotation of a joint that is applied after the clip; whether there is
    /// such a joint.
    pub fn set_pose_offset(&mut self, joint: usize, offset: Option<DQuat>) -> bool {
        self.change_pose(|character| character.set_offset(joint, offset))
    }

    /// Replaces the rotations of joints that are applied after the clip.
    pub fn set_pose_offsets(&mut self, offsets: BTreeMap<usize, DQuat>) {
        self.change_pose(|character| {
            character.set_offsets(offsets);
            true
        });
    }

    /// Rotates one joint to angles from rest; an offset if a clip is shown. Whether there is such a
    /// joint.
    pub fn rotate_joint_to(&mut self, joint: usize, angles: Degrees) -> bool {
        self.change_pose(|character| character.rotate_to(joint, angles))
    }

    /// Removes all rotations that are applied after the clip.
    pub fn clear_pose_offsets(&mut self) {
        self.change_pose(|character| {
            character.clear_offsets();
            true
        });
    }

    fn change_pose(&mut self, change: impl FnOnce(&mut PosedCharacter) -> bool) -> bool {
        let fits = self.character.as_mut().is_some_and(change);
        if fits {
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
        fits
    }
}

/// The selection.
impl Scene {
    /// The selected joint.
    pub fn selected(&self) -> Option<usize> {
        self.selection.selected
    }

    /// Selects a joint, without an event.
    pub fn set_selected(&mut self, joint: Option<usize>) {
        let joints = self.joints();
        let joint = joint.filter(|&joint| joint < joints);
        if joint != self.selected() {
            self.cancel_gesture();
            self.selection.selected = joint;
            for view in self.views.iter_mut().filter(|view| view.show() == Show::Weights) {
                view.change(ViewChanges::COLORS);
            }
            self.change(SharedChanges::default());
        }
    }

    /// The joint under the pointer.
    pub fn hovered(&self) -> Option<usize> {
        self.selection.hovered
    }
}

/// The camera.
impl Scene {
    /// Whether the camera jumps instead of gliding.
    pub fn set_still(&mut self, is_still: bool) {
        self.viewpoint.orbit.set_still(is_still);
    }

    /// Sets the size of the canvas in CSS pixels.
    pub fn resize(&mut self, canvas: Vec2) {
        let bounds = self.character.as_ref().map(|_| self.bounds());
        self.viewpoint.resize(canvas, bounds);
        self.change(SharedChanges::default());
    }

    /// Where the camera is going.
    pub fn camera(&self) -> &Camera {
        self.viewpoint.orbit.goal()
    }

    /// Puts the camera somewhere at once; not below the ground.
    pub fn set_camera(&mut self, camera: Camera) {
        self.viewpoint.orbit.jump(camera);
        self.change(SharedChanges::default());
    }

    /// Flies to where all of the posed character is visible.
    pub fn frame_all(&mut self) {
        self.apply_post_skinning();
        let (low, high) = self.bounds();
        self.frame_box(low, high);
    }

    /// Flies to the selected joint and its bones, or to all of the character.
    pub fn frame_selected(&mut self) {
        let Some((character, joint)) = self.character.as_ref().zip(self.selected()) else {
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
        self.viewpoint.orbit.frame(low, high, self.viewpoint.canvas);
        self.change(SharedChanges::default());
    }

    /// The largest distance of anything drawn from the camera's target.
    pub fn reach(&self) -> f32 {
        let Some(character) = &self.character else { return 1.0 };
        let (low, high) = character.rest_bounds();
        GROUND_REACH * character.size() + self.viewpoint.orbit.camera().target.distance(low.midpoint(high))
    }

    /// The view transform of the camera for the canvas.
    pub fn view_transform(&self) -> ViewTransform {
        self.viewpoint.orbit.camera().view_transform(self.viewpoint.canvas, self.reach())
    }

    /// Moves the camera on to `now_ms`.
    pub fn advance(&mut self, now_ms: f64) {
        if self.viewpoint.orbit.is_moving() && self.viewpoint.orbit.advance(now_ms) {
            self.changes.picture = true;
        }
    }
}

/// Changes and events.
impl Scene {
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

    /// Records that everything has to be copied to the GPU.
    pub(super) fn change_all(&mut self) {
        self.change(SharedChanges::ALL);
        self.views.iter_mut().for_each(|view| view.change(ViewChanges::ALL));
    }

    /// Records that the colours of all views have changed.
    pub(super) fn change_colors(&mut self) {
        self.views.iter_mut().for_each(|view| view.change(ViewChanges::COLORS));
    }

    /// Records that the difference between the views has changed.
    pub(super) fn change_differences(&mut self) {
        for view in self.views.iter_mut().filter(|view| view.show() == Show::Difference) {
            view.change(ViewChanges::COLORS);
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

    /// Whether there is something to draw, now or soon.
    pub fn wants_frame(&self) -> bool {
        self.has_changed() || self.viewpoint.orbit.is_moving()
    }
}
