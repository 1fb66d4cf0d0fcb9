//! Handles in the picture: a click on the skin asks for one, a drag pulls it in the plane that faces the camera.
//!
//! Handles are drawn and can be pulled wherever bones are shown; clicks place them only while that is [on](Scene::set_handling). Who embeds
//! the viewer makes them and finds their weights.

use glam::{Vec2, Vec3, Vec4};

use super::camera::ViewTransform;
use super::changes::SharedChanges;
use super::input::{Event, Pointer};
use super::overlay::Overlay;
use super::picking::reach;
use super::scene::Scene;
use super::theme::Palette;
use crate::math::sort_few;

/// A press that moves less than this only selects, in CSS pixels.
const SLACK: f32 = 3.0;

/// Radii of a handle's disc in CSS pixels: around it, its rim, and its middle.
const HALO: f32 = 9.0;
const RIM: f32 = 7.6;
const MIDDLE: f32 = 5.4;
/// A pulled one shows its pin, a waiting one a hole.
const PIN: f32 = 2.0;
const HOLE: f32 = 4.0;
/// Under the pointer or selected.
const LARGER: f32 = 1.25;

/// How much of a handle is seen on the far side of the skin.
const FAR_SIDE: f32 = 0.4;

/// Handles in the picture.
#[derive(Clone, Debug, Default)]
pub(super) struct HandleTool {
    /// Whether clicks place them.
    is_on: bool,
    drag: Option<Drag>,
    pub(super) hovered: Option<usize>,
}

#[derive(Clone, Debug)]
struct Drag {
    pointer: i32,
    start: Vec2,
    handle: usize,
    /// Where it was taken hold of, and from there to where it is.
    held: Vec3,
    offset: Vec3,
    before: Vec<Option<Vec3>>,
    is_moved: bool,
}

impl Scene {
    /// Whether clicks on the skin ask for handles.
    pub fn is_placing_handles(&self) -> bool {
        self.handle_tool.is_on
    }

    /// Begins or ends that.
    pub fn set_placing_handles(&mut self, on: bool) {
        self.end_pull(true);
        self.cancel_turn();
        self.handle_tool = HandleTool { is_on: on, ..HandleTool::default() };
        self.hovered_ring = None;
        self.change(SharedChanges::default());
    }

    /// Takes other handles: names, and places in rest space.
    pub fn set_handles(&mut self, handles: &[(String, Vec3)]) {
        self.end_pull(true);
        self.handle_tool.hovered = None;
        if let Some(character) = &mut self.character {
            character.set_handles(handles);
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
    }

    /// Pulls handles, in their order; those without a target go back.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>]) {
        self.end_pull(true);
        self.pull(targets, false);
    }

    fn pull(&mut self, targets: &[Option<Vec3>], is_held: bool) {
        if let Some(character) = &mut self.character {
            character.set_targets(targets, is_held);
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
    }

    /// Whether something is to be made ready for pulling.
    pub fn wants_pull(&self) -> bool {
        self.handle_tool.is_on && self.character().is_some_and(|character| !character.is_ready_to_pull())
    }

    /// Makes ready for pulling while handles are placed; after a picture, so that nobody waits for it.
    pub fn prepare_pull(&mut self) {
        let is_on = self.handle_tool.is_on;
        if let Some(character) = self.character.as_mut().filter(|_| is_on) {
            character.prepare_pull();
        }
    }

    /// The selected handle.
    pub fn selected_handle(&self) -> Option<usize> {
        self.character()?.handle_of_joint(self.selected()?)
    }

    /// Whether handles are drawn, and can be taken hold of.
    fn shows_handles(&self) -> bool {
        (self.handle_tool.is_on || self.shows_skeleton())
            && self.joint_placement.is_none()
            && self.painting.is_none()
    }

    /// The handle under a pixel; of several the nearest to it.
    pub fn handle_at(&self, pixel: Vec2, is_touch: bool) -> Option<usize> {
        let shown = self.shown(0).filter(|_| self.shows_handles())?;
        let eye = self.eye();
        let near = shown.handle_positions().into_iter().enumerate().filter_map(|(handle, place)| {
            let distance = eye.project(place)?.0.distance(pixel);
            (distance <= reach(is_touch).max(HALO)).then_some((handle, distance))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(handle, _)| handle)
    }

    /// The vertex of the skin at a pixel, in rest space: where a click there would place a handle.
    pub fn skin_place(&mut self, pixel: Vec2) -> Option<Vec3> {
        self.apply_post_skinning();
        let hit = self.skin_hit(pixel)?;
        let asset = self.character()?.asset();
        let solve = *asset.solve_from_render.get(hit.nearest_corner() as usize)?;
        asset.mesh.positions().get(solve as usize).copied()
    }

    pub(super) fn pulls(&self, pointer: i32) -> bool {
        self.handle_tool.drag.as_ref().is_some_and(|drag| drag.pointer == pointer)
    }

    pub(super) fn is_pulling(&self) -> bool {
        self.handle_tool.drag.is_some()
    }

    /// Takes hold of the handle under the pointer; whether there is one.
    pub(super) fn begin_pull(&mut self, pointer: &Pointer) -> bool {
        let Some(handle) = self.handle_at(pointer.position, pointer.is_touch) else { return false };
        let eye = self.eye();
        let Some(shown) = self.shown(0) else { return false };
        let (character, place) = (shown.character, shown.handle_positions()[handle]);
        let Some(held) = eye.ray(pointer.position).meets_plane(place, eye.forward()) else { return false };
        let (before, joint) = (character.targets(), character.handle_joint(handle));
        let (start, offset) = (pointer.position, place - held);
        self.handle_tool.drag =
            Some(Drag { pointer: pointer.id, start, handle, held, offset, before, is_moved: false });
        if joint.is_some() && joint != self.selected {
            self.set_selected(joint);
            self.events.push(Event::Selected(joint));
        }
        self.events.push(Event::PullStarted);
        self.change(SharedChanges::default());
        true
    }

    pub(super) fn pull_to(&mut self, pointer: &Pointer) {
        let eye = self.eye();
        let Some(drag) = self.handle_tool.drag.as_mut() else { return };
        drag.is_moved |= pointer.position.distance(drag.start) >= SLACK;
        let Some(held) = eye.ray(pointer.position).meets_plane(drag.held, eye.forward()) else { return };
        if drag.is_moved {
            let (handle, to) = (drag.handle, held + drag.offset);
            let Some(mut targets) = self.character().map(|character| character.targets()) else { return };
            targets[handle] = Some(to);
            self.pull(&targets, true);
            self.events.push(Event::Pulled);
        }
    }

    pub(super) fn end_pull(&mut self, is_cancelled: bool) {
        let Some(drag) = self.handle_tool.drag.take() else { return };
        let targets = if is_cancelled { Some(drag.before) } else { self.character().map(|f| f.targets()) };
        if let Some(targets) = targets.filter(|_| drag.is_moved) {
            // Comes to rest, so that it looks as it will when it is done again.
            self.pull(&targets, false);
            self.events.push(Event::Pulled);
        }
        self.events.push(Event::PullEnded { is_cancelled });
        self.change(SharedChanges::default());
    }

    /// Asks for a handle where a click met the skin; whether it did.
    pub(super) fn request_handle(&mut self, pixel: Vec2) -> bool {
        let place = if self.handle_tool.is_on { self.skin_place(pixel) } else { None };
        if let Some(at) = place {
            self.events.push(Event::HandleAsked { at });
        }
        place.is_some()
    }
}

impl Overlay {
    /// Handles as discs that face the camera, the nearest last.
    pub(super) fn add_handles(&mut self, scene: &Scene, eye: &ViewTransform, palette: &Palette) {
        let Some(shown) = scene.shown(0).filter(|_| scene.shows_handles()) else { return };
        let character = shown.character;
        let depth = |at: Vec3| (at - eye.position).dot(eye.forward());
        let mut places: Vec<(usize, Vec3)> = shown.handle_positions().into_iter().enumerate().collect();
        let normals = shown.handle_normals();
        sort_few(&mut places, |a, b| depth(b.1).total_cmp(&depth(a.1)));
        let selected = scene.selected_handle();
        let held = scene.handle_tool.drag.as_ref().map(|drag| drag.handle);
        for (handle, at) in places {
            let is_near = normals[handle].dot(eye.position - at) >= 0.0;
            let is_chosen = selected == Some(handle) || held == Some(handle);
            let is_large = is_chosen || scene.handle_tool.hovered == Some(handle);
            let alpha = if is_near || is_large { 1.0 } else { FAR_SIDE };
            let size = if is_large { LARGER } else { 1.0 };
            let color = if is_chosen { palette.accent } else { palette.handle };
            let mut disc = |pixels: f32, color: Vec4| self.flat.dot(eye, at, pixels * size, color);
            disc(HALO, palette.outline.extend(0.55 * alpha));
            disc(RIM, Vec3::ONE.extend(alpha));
            disc(MIDDLE, color.extend(alpha));
            if character.handle_joint(handle).is_none() {
                disc(HOLE, Vec3::ONE.extend(alpha));
            } else if character.handles()[handle].target.is_some() {
                disc(PIN, Vec3::ONE.extend(alpha));
            }
        }
    }
}

#[cfg(test)]
#[path = "handle_tool_tests.rs"]
mod tests;
