//! Distributes pointers, wheel and keys to the active tool and the camera, and picks what is under
//! a pixel.

use std::sync::Arc;

use glam::Vec2;

use super::camera::Ray;
use super::changes::SharedChanges;
use super::cutout::is_cut_out;
use super::input::{Event, Key, Pointer, Wheel};
use super::picking::{SkinHit, SkinPicker, joint_at, reach};
use super::scene::Scene;
use super::textures::Image;
use crate::model::{Asset, Influence};
use crate::operators::bvh::Hit;

/// How the pointer should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Nothing special.
    Plain,
    /// A joint can be selected.
    Select,
    /// A ring, a joint or a handle can be dragged.
    Grab,
    /// Something is being dragged.
    Grabbing,
    /// The brush is drawn on the skin.
    Paint,
    /// A click on the skin places a handle.
    Place,
}

impl Scene {
    /// A pointer comes down.
    pub fn pointer_down(&mut self, pointer: &Pointer) {
        let is_free = !pointer.buttons.pans() && !self.viewpoint.controls.is_held();
        let is_taken = self.with_tool(|tool, scene| {
            if tool.gesture().is_some() {
                tool.second_pointer(scene, pointer);
                return true;
            }
            is_free && tool.pointer_down(scene, pointer)
        });
        if !is_taken {
            self.viewpoint.controls.down(pointer);
        }
    }

    /// A pointer moves.
    pub fn pointer_move(&mut self, pointer: &Pointer) {
        let is_taken = self.with_tool(|tool, scene| {
            let is_own = tool.gesture() == Some(pointer.id);
            if is_own {
                tool.pointer_move(scene, pointer);
            }
            is_own
        });
        let is_camera = !is_taken && self.viewpoint.pointer_move(pointer);
        if !is_taken && !is_camera && !self.viewpoint.controls.is_held() && !pointer.is_touch {
            self.with_tool(|tool, scene| tool.hover(scene, Some(pointer.position)));
        }
    }

    /// A pointer goes up.
    pub fn pointer_up(&mut self, pointer: &Pointer) {
        self.with_tool(|tool, scene| {
            if tool.gesture() == Some(pointer.id) {
                tool.pointer_up(scene, pointer);
            } else if scene.viewpoint.controls.up(pointer) {
                tool.click(scene, pointer);
            }
        });
    }

    /// The system takes a pointer away: its gesture is cancelled.
    pub fn pointer_cancel(&mut self, id: i32) {
        self.with_tool(|tool, scene| {
            if tool.gesture() == Some(id) {
                tool.cancel(scene);
            }
        });
        self.viewpoint.controls.cancel(id);
    }

    /// The pointer left the canvas.
    pub fn pointer_leave(&mut self) {
        self.with_tool(|tool, scene| tool.hover(scene, None));
    }

    /// The wheel turns, or two fingers move on a trackpad.
    pub fn wheel(&mut self, wheel: &Wheel) {
        self.viewpoint.wheel(wheel);
    }

    /// A key; whether it was used.
    pub fn key(&mut self, key: Key) -> bool {
        if self.with_tool(|tool, scene| tool.key(scene, key)) || self.viewpoint.key(key) {
            return true;
        }
        match key {
            Key::Frame => self.frame_selected(),
            Key::FrameAll => self.frame_all(),
            Key::ResetPose => return self.reset_pose(),
            Key::Escape if self.selected().is_some() => self.select(None),
            Key::Escape | Key::Orbit(..) | Key::Zoom(_) => return false,
        }
        true
    }

    /// How the pointer looks.
    pub fn cursor(&self) -> Cursor {
        let of_camera = self.viewpoint.controls.is_held().then_some(Cursor::Grabbing);
        let of_selection = || self.hovered().map(|_| Cursor::Select);
        let of_tool = || self.active_tool().cursor(self);
        of_camera.or_else(of_tool).or_else(of_selection).unwrap_or(Cursor::Plain)
    }

    /// Puts every joint back to rest, and removes offsets and targets of handles; whether there is
    /// a pose.
    fn reset_pose(&mut self) -> bool {
        self.cancel_gesture();
        let Some(character) = self.character.as_mut().filter(|character| character.pose().is_some()) else {
            return false;
        };
        let no_targets = vec![None; character.handles().len()];
        character.set_targets(&no_targets, false);
        character.reset_pose();
        self.events.extend([Event::PoseReset, Event::PoseChanged]);
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        true
    }

    fn select(&mut self, joint: Option<usize>) {
        if joint != self.selected() {
            self.set_selected(joint);
            self.events.push(Event::Selected(joint));
        }
    }

    /// Selects the joint at a pointer: of a bone, or the one that the skin there follows most.
    pub(super) fn select_at(&mut self, pointer: &Pointer) {
        self.apply_post_skinning();
        let joint = self.joint_under(pointer.position, pointer.is_touch);
        let joint = joint.or_else(|| self.joint_of_skin_under(pointer.position));
        self.select(joint);
    }

    fn joint_under(&self, pixel: Vec2, is_touch: bool) -> Option<usize> {
        let character = self.character.as_ref().filter(|_| self.shows_skeleton())?;
        joint_at(&self.view_transform(), pixel, reach(is_touch), &character.dots(), &character.posed_bones())
    }

    /// Where a pixel shows skin, in the view that the pixel belongs to, as drawn. Cost: linear for
    /// the first ray after a change of the shape, logarithmic for the next.
    pub fn skin_hit(&mut self, pixel: Vec2) -> Option<SkinHit> {
        self.picked(pixel, |picker, ray, asset, images| {
            let visible = |hit: &Hit| !is_cut_out(asset, images, hit);
            picker.hit(ray, &asset.render.triangles, visible)
        })?
    }

    /// Calls `pick` with the skin under a pixel, as drawn, and the ray through the pixel.
    pub(super) fn picked<R>(
        &mut self,
        pixel: Vec2,
        pick: impl FnOnce(&SkinPicker, &Ray, &Asset, &[Option<Arc<Image>>]) -> R,
    ) -> Option<R> {
        self.apply_post_skinning();
        let (index, ray, moves) = (self.view_at(pixel), self.view_transform().ray(pixel), self.moves());
        let mut picker = self.views[index].picker.take();
        let shown = self.shown(index)?;
        let stamp = (moves, shown.view.shape);
        let asset = shown.character.asset();
        let triangles = &asset.render.triangles;
        match &mut picker {
            Some(picker) if picker.stamp == stamp => {}
            Some(picker) => picker.refit(stamp, &shown.posed_positions(), triangles),
            None => picker = Some(SkinPicker::new(stamp, &shown.posed_positions(), triangles)),
        }
        let picked = picker.as_ref().map(|picker| pick(picker, &ray, asset, self.images()));
        self.views[index].picker = picker;
        picked
    }

    /// The joint that the skin under a pixel follows most.
    fn joint_of_skin_under(&mut self, pixel: Vec2) -> Option<usize> {
        let hit = self.skin_hit(pixel)?;
        let rig = self.view(self.view_at(pixel)).rig()?;
        Some(rig.weights().dominant(hit.nearest_corner() as usize) as usize)
    }

    /// The weights of joints at the point of the skin under a pixel, largest first; empty beside
    /// the skin.
    pub fn influences_at(&mut self, pixel: Vec2) -> Vec<Influence> {
        let Some(hit) = self.skin_hit(pixel) else { return Vec::new() };
        let Some(rig) = self.view(self.view_at(pixel)).rig() else { return Vec::new() };
        hit.influences(rig.weights())
    }

    /// Highlights the joint under a pixel.
    pub(super) fn hover_joint(&mut self, pixel: Option<Vec2>) {
        let joint = pixel.and_then(|pixel| self.joint_under(pixel, false));
        self.set_hovered(joint, false);
    }

    /// Highlights a joint, or the end of its bone.
    pub(super) fn set_hovered(&mut self, joint: Option<usize>, is_tail: bool) {
        if (joint, is_tail) != (self.selection.hovered, self.selection.hovers_tail) {
            (self.selection.hovered, self.selection.hovers_tail) = (joint, is_tail);
            self.events.push(Event::Hovered { joint, is_tail });
            self.change(SharedChanges::default());
        }
    }
}

#[cfg(test)]
#[path = "interact_tests.rs"]
mod tests;
