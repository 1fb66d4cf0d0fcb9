//! What pointers, wheel and keys do to the scene.

use glam::Vec2;

use super::changes::SharedChanges;
use super::controls::Gesture;
use super::gizmo::{Turn, local_rotation};
use super::input::{Event, Key, Pointer, Wheel};
use super::orbit::Orbit;
use super::picking::{SkinHit, joint_at, reach, skin_at};
use super::scene::{Scene, Turning};

/// A step of the arrow keys, in CSS pixels of dragging.
const KEY_STEP: f32 = 40.0;

/// A step of the zoom keys, in CSS pixels of the wheel.
const KEY_ZOOM: f32 = 120.0;

/// Pinching a trackpad reports small numbers for large movements.
const PINCH_GAIN: f32 = 6.0;

/// How the pointer should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Nothing special.
    Plain,
    /// A joint can be selected.
    Select,
    /// A ring can be taken hold of.
    Grab,
    /// Something is being dragged.
    Grabbing,
    /// A ring on the skin says where paint would go.
    Paint,
    /// A click on the skin places a handle.
    Place,
}

impl Scene {
    /// A pointer comes down.
    pub fn pointer_down(&mut self, pointer: &Pointer) {
        if self.turning.is_some() || self.is_dragging_joint() || self.is_pulling() {
            return;
        }
        if self.give_stroke_up(pointer) {
            return;
        }
        if !pointer.buttons.pans() && !self.controls.is_held() && self.begin_stroke(pointer) {
            return;
        }
        if !pointer.buttons.pans() && !self.controls.is_held() && self.begin_placing(pointer) {
            return;
        }
        if !pointer.buttons.pans() && !self.controls.is_held() && self.begin_pull(pointer) {
            return;
        }
        if !pointer.buttons.pans() && !self.controls.is_held() && self.begin_turn(pointer) {
            return;
        }
        self.controls.down(pointer);
    }

    /// A pointer moves.
    pub fn pointer_move(&mut self, pointer: &Pointer) {
        if self.turning.as_ref().is_some_and(|turning| turning.pointer == pointer.id) {
            return self.turn_to(pointer);
        }
        if self.drags_joint(pointer.id) {
            return self.place_at(pointer);
        }
        if self.strokes(pointer.id) {
            return self.stroke_to(pointer);
        }
        if self.pulls(pointer.id) {
            return self.pull_to(pointer);
        }
        let canvas = self.canvas;
        match self.controls.moved(pointer) {
            Some(Gesture::Orbit(delta)) => self.orbit.orbit(delta, canvas),
            Some(Gesture::Pan(delta)) => self.orbit.pan(delta, canvas),
            Some(Gesture::Pinch { pan, factor, middle }) => {
                self.orbit.pan(pan, canvas);
                self.orbit.zoom(factor, middle, canvas);
            }
            None if self.controls.is_held() || pointer.is_touch => {}
            None if self.painting.is_some() => self.hover_brush(Some(pointer.position)),
            None => self.hover(pointer.position),
        }
    }

    /// A pointer goes up.
    pub fn pointer_up(&mut self, pointer: &Pointer) {
        if self.turning.as_ref().is_some_and(|turning| turning.pointer == pointer.id) {
            return self.end_turn();
        }
        if self.drags_joint(pointer.id) {
            return self.end_placing(false);
        }
        if self.strokes(pointer.id) {
            return self.end_stroke(false);
        }
        if self.pulls(pointer.id) {
            return self.end_pull(false);
        }
        if self.controls.up(pointer) && self.painting.is_none() {
            self.click(pointer);
        }
    }

    /// The system takes a pointer away: what it did is given up.
    pub fn pointer_cancel(&mut self, id: i32) {
        if self.turning.as_ref().is_some_and(|turning| turning.pointer == id) {
            self.cancel_turn();
        }
        if self.drags_joint(id) {
            self.end_placing(true);
        }
        if self.strokes(id) {
            self.end_stroke(true);
        }
        if self.pulls(id) {
            self.end_pull(true);
        }
        self.controls.cancel(id);
    }

    /// The pointer left the canvas.
    pub fn pointer_leave(&mut self) {
        self.hover_brush(None);
        self.set_hovered(None);
        let left_handle = self.handle_tool.hovered.take().is_some();
        if self.hovered_ring.take().is_some() || left_handle {
            self.change(SharedChanges::default());
        }
    }

    /// The wheel turns, or two fingers move on a trackpad: scrolling up comes nearer, scrolling sideways
    /// turns, Shift moves sideways.
    pub fn wheel(&mut self, wheel: &Wheel) {
        let Wheel { delta, position, modifiers, is_pinch } = *wheel;
        let canvas = self.canvas;
        if is_pinch {
            self.orbit.zoom(Orbit::zoom_factor(delta.y * PINCH_GAIN), position, canvas);
        } else if modifiers.shift {
            self.orbit.pan(-delta, canvas);
        } else if delta.x.abs() > delta.y.abs() {
            self.orbit.orbit(Vec2::new(-delta.x, 0.0), canvas);
        } else {
            self.orbit.zoom(Orbit::zoom_factor(delta.y), position, canvas);
        }
    }

    /// A key asks for something; whether it meant anything.
    pub fn key(&mut self, key: Key) -> bool {
        let (canvas, middle) = (self.canvas, self.canvas * 0.5);
        match key {
            Key::Frame => self.frame_selected(),
            Key::FrameAll => self.frame_all(),
            Key::ResetPose => return self.reset_pose(),
            Key::Escape if self.turning.is_some() => self.cancel_turn(),
            Key::Escape if self.is_dragging_joint() => self.end_placing(true),
            Key::Escape if self.is_stroking() => self.end_stroke(true),
            Key::Escape if self.is_pulling() => self.end_pull(true),
            Key::Escape if self.selected.is_some() => self.select(None),
            Key::Escape => return false,
            Key::Orbit(right, up) => {
                let steps = Vec2::new(-f32::from(right), -f32::from(up));
                self.orbit.orbit(steps * KEY_STEP, canvas);
            }
            Key::Zoom(steps) => {
                self.orbit.zoom(Orbit::zoom_factor(-f32::from(steps) * KEY_ZOOM), middle, canvas);
            }
        }
        true
    }

    /// How the pointer should look.
    pub fn cursor(&self) -> Cursor {
        if self.painting.as_ref().is_some_and(|painting| painting.is_on_skin()) {
            Cursor::Paint
        } else if self.turning.is_some()
            || self.is_dragging_joint()
            || self.is_pulling()
            || self.orbit_is_dragged()
        {
            Cursor::Grabbing
        } else if self.handle_tool.hovered.is_some()
            || self.hovered_ring.is_some()
            || (self.joint_placement.is_some() && self.hovered.is_some())
        {
            Cursor::Grab
        } else if self.is_placing_handles() && self.hovered.is_none() {
            Cursor::Place
        } else if self.hovered.is_some() {
            Cursor::Select
        } else {
            Cursor::Plain
        }
    }

    fn orbit_is_dragged(&self) -> bool {
        self.controls.is_held()
    }

    /// Puts every joint back to rest.
    fn reset_pose(&mut self) -> bool {
        self.cancel_turn();
        let Some(character) = self.character.as_mut().filter(|_| self.joint_placement.is_none()) else {
            return false;
        };
        let at_rest = vec![None; character.handles().len()];
        character.set_targets(&at_rest, false);
        character.reset_pose();
        self.events.extend([Event::PoseReset, Event::PoseChanged]);
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        true
    }

    fn select(&mut self, joint: Option<usize>) {
        if joint != self.selected {
            self.set_selected(joint);
            self.events.push(Event::Selected(joint));
        }
    }

    fn click(&mut self, pointer: &Pointer) {
        self.apply_post_skinning();
        if self.request_handle(pointer.position) {
            return;
        }
        let joint = self.joint_under(pointer.position, pointer.is_touch);
        let joint = joint.or_else(|| self.joint_of_skin_under(pointer.position));
        self.select(joint);
    }

    fn joint_under(&self, pixel: Vec2, is_touch: bool) -> Option<usize> {
        let character = self.character.as_ref().filter(|_| self.shows_skeleton())?;
        joint_at(&self.eye(), pixel, reach(is_touch), &character.dots(), &character.posed_bones())
    }

    /// Where a pixel shows skin, in the view that the pixel belongs to, as drawn last.
    pub(super) fn skin_hit(&self, pixel: Vec2) -> Option<SkinHit> {
        let shown = self.shown(self.view_at(pixel))?;
        let triangles = &shown.character.asset().render.triangles;
        skin_at(&self.eye().ray(pixel), &shown.posed_positions(), triangles)
    }

    /// The joint that the skin under a pixel follows most.
    fn joint_of_skin_under(&self, pixel: Vec2) -> Option<usize> {
        let rig = self.view(self.view_at(pixel)).rig()?;
        let hit = self.skin_hit(pixel)?;
        Some(rig.weights().dominant(hit.nearest_corner() as usize) as usize)
    }

    fn hover(&mut self, pixel: Vec2) {
        let eye = self.eye();
        let handle = self.handle_at(pixel, false);
        if handle != self.handle_tool.hovered {
            self.handle_tool.hovered = handle;
            self.change(SharedChanges::default());
        }
        let ring = self.gizmo(&eye).filter(|_| handle.is_none());
        let ring = ring.and_then(|gizmo| gizmo.ring_at(&eye, pixel, false));
        if ring != self.hovered_ring {
            self.hovered_ring = ring;
            self.change(SharedChanges::default());
        }
        let is_taken = ring.is_some() || handle.is_some() || self.is_placing_handles();
        let joint = if is_taken { None } else { self.joint_under(pixel, false) };
        self.set_hovered(joint);
    }

    fn set_hovered(&mut self, joint: Option<usize>) {
        if joint != self.hovered {
            self.hovered = joint;
            self.events.push(Event::Hovered(joint));
            self.change(SharedChanges::default());
        }
    }

    fn begin_turn(&mut self, pointer: &Pointer) -> bool {
        let eye = self.eye();
        let Some((gizmo, joint)) = self.gizmo(&eye).zip(self.selected) else { return false };
        let Some(ring) = gizmo.ring_at(&eye, pointer.position, pointer.is_touch) else { return false };
        let Some(before) = self.pose().cloned() else { return false };
        let turn = Turn::begin(&gizmo, &eye, ring, pointer.position);
        self.turning = Some(Turning { pointer: pointer.id, joint, turn, radians: 0.0, before });
        self.hovered_ring = Some(ring);
        self.events.push(Event::GizmoStarted { joint });
        self.change(SharedChanges::default());
        true
    }

    fn turn_to(&mut self, pointer: &Pointer) {
        let eye = self.eye();
        let Some((turning, character)) = self.turning.as_mut().zip(self.character.as_mut()) else { return };
        let radians = turning.turn.update(&eye, pointer.position, pointer.modifiers.shift);
        if radians == turning.radians {
            return;
        }
        turning.radians = radians;
        let (joint, ring) = (turning.joint, turning.turn.ring);
        let axis = turning.turn.gizmo().axis(ring);
        // Always from the pose before the turn, so that nothing adds up over many small moves.
        character.set_pose(turning.before.clone());
        if let Some(world) = character.world_from_joint().get(joint).copied() {
            character.rotate(joint, local_rotation(&world, axis, radians));
        }
        let degrees = radians.to_degrees();
        self.events.extend([Event::GizmoTurned { joint, ring, degrees }, Event::PoseChanged]);
        self.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    fn end_turn(&mut self) {
        if let Some(Turning { joint, .. }) = self.turning.take() {
            self.hovered_ring = None;
            self.events.push(Event::GizmoEnded { joint, is_cancelled: false });
            self.change(SharedChanges::default());
        }
    }

    /// Gives a turn up: the pose is as it was before.
    pub(super) fn cancel_turn(&mut self) {
        let Some(Turning { joint, before, .. }) = self.turning.take() else { return };
        self.hovered_ring = None;
        self.set_pose(before);
        self.events.extend([Event::PoseChanged, Event::GizmoEnded { joint, is_cancelled: true }]);
    }
}

#[cfg(test)]
#[path = "interact_tests.rs"]
mod tests;
