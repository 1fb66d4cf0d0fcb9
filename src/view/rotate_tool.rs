//! The tool that rotates joints with the gizmo. Handles can be dragged with it too.

use glam::{DAffine3, Vec2};

use super::camera::ViewTransform;
use super::changes::SharedChanges;
use super::gizmo::{Gizmo, Ring, Turn, local_rotation};
use super::handle_tool::HandleDrag;
use super::input::{Event, Pointer};
use super::interact::Cursor;
use super::overlay::Overlay;
use super::posed_character::PoseState;
use super::scene::Scene;
use super::tool::{ActiveTool, Tool};

/// The tool that rotates joints.
#[derive(Debug, Default)]
pub(super) struct RotateTool {
    hovered: Option<Ring>,
    turning: Option<Turning>,
    handles: HandleDrag,
}

/// A drag of a ring.
#[derive(Debug)]
pub(super) struct Turning {
    pointer: i32,
    joint: usize,
    pub(super) turn: Turn,
    pub(super) radians: f32,
    before: PoseState,
    /// Where the joint was before, as drawn: with offsets, and moved by handles.
    world_from_joint: DAffine3,
}

/// The rings around the selected joint.
fn gizmo_of(scene: &Scene, eye: &ViewTransform) -> Option<Gizmo> {
    let world = scene.character()?.world_from_joint().get(scene.selected()?)?;
    Some(Gizmo::new(eye, world))
}

impl RotateTool {
    fn begin_turn(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        let eye = scene.view_transform();
        let Some((gizmo, joint)) = gizmo_of(scene, &eye).zip(scene.selected()) else { return false };
        let Some(ring) = gizmo.ring_at(&eye, pointer.position, pointer.is_touch) else { return false };
        let Some(character) = scene.character() else { return false };
        let (before, world_from_joint) = (character.pose_state(), character.world_from_joint()[joint]);
        let turn = Turn::begin(&gizmo, &eye, ring, pointer.position);
        let pointer = pointer.id;
        self.turning = Some(Turning { pointer, joint, turn, radians: 0.0, before, world_from_joint });
        self.hovered = Some(ring);
        scene.events.push(Event::GizmoStarted { joint });
        scene.change(SharedChanges::default());
        true
    }

    fn turn_to(&mut self, scene: &mut Scene, pointer: &Pointer) {
        let eye = scene.view_transform();
        let Some((turning, character)) = self.turning.as_mut().zip(scene.character.as_mut()) else { return };
        let radians = turning.turn.update(&eye, pointer.position, pointer.modifiers.shift);
        if radians == turning.radians {
            return;
        }
        turning.radians = radians;
        let (joint, ring) = (turning.joint, turning.turn.ring);
        let axis = turning.turn.gizmo().axis(ring);
        // Always from the pose before the drag, so that rounding does not add up over many small moves.
        let rotation = local_rotation(&turning.world_from_joint, axis, radians);
        character.rotate_from(&turning.before, joint, rotation);
        let degrees = radians.to_degrees();
        scene.events.extend([Event::GizmoTurned { joint, ring, degrees }, Event::PoseChanged]);
        scene.change(SharedChanges { pose: true, ..SharedChanges::default() });
    }

    fn set_hovered(&mut self, scene: &mut Scene, ring: Option<Ring>) {
        if ring != self.hovered {
            self.hovered = ring;
            scene.change(SharedChanges::default());
        }
    }
}

impl Tool for RotateTool {
    fn gesture(&self) -> Option<i32> {
        self.turning.as_ref().map(|turning| turning.pointer).or(self.handles.pointer())
    }

    fn pointer_down(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        let takes_handle = self.offers_handles(scene) && self.handles.begin(scene, pointer);
        takes_handle || self.begin_turn(scene, pointer)
    }

    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer) {
        self.handles.drag_to(scene, pointer);
        self.turn_to(scene, pointer);
    }

    fn pointer_up(&mut self, scene: &mut Scene, _: &Pointer) {
        self.handles.end(scene, false);
        if let Some(Turning { joint, .. }) = self.turning.take() {
            self.hovered = None;
            scene.events.push(Event::GizmoEnded { joint, is_cancelled: false });
            scene.change(SharedChanges::default());
        }
    }

    fn cancel(&mut self, scene: &mut Scene) {
        self.handles.end(scene, true);
        self.hovered = None;
        if let Some(Turning { joint, before, .. }) = self.turning.take() {
            scene.set_pose_state(before);
            scene.events.extend([Event::PoseChanged, Event::GizmoEnded { joint, is_cancelled: true }]);
        }
    }

    fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) {
        let eye = scene.view_transform();
        let over_handle = self.handles.hover(scene, pixel.filter(|_| self.offers_handles(scene)));
        let gizmo = gizmo_of(scene, &eye).filter(|_| !over_handle);
        let ring = gizmo.zip(pixel).and_then(|(gizmo, pixel)| gizmo.ring_at(&eye, pixel, false));
        self.set_hovered(scene, ring);
        scene.hover_joint(pixel.filter(|_| ring.is_none() && !over_handle));
    }

    fn cursor(&self, _: &Scene) -> Option<Cursor> {
        if self.turning.is_some() {
            return Some(Cursor::Grabbing);
        }
        self.handles.cursor().or(self.hovered.map(|_| Cursor::Grab))
    }

    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay) {
        if self.offers_handles(scene) {
            overlay.add_handles(scene, &self.handles, eye);
        }
        let palette = scene.theme().palette();
        if let Some(turning) = &self.turning {
            overlay.add_sector(turning, eye, &palette);
            overlay.add_ring(turning.turn.gizmo(), turning.turn.ring, eye, &palette, true);
        } else if let Some(gizmo) = gizmo_of(scene, eye) {
            for ring in Ring::ALL {
                overlay.add_ring(&gizmo, ring, eye, &palette, self.hovered == Some(ring));
            }
        }
    }

    fn offers_handles(&self, scene: &Scene) -> bool {
        scene.shows_skeleton()
    }

    fn rig_changed(&mut self, scene: &mut Scene) {
        self.cancel(scene);
    }
}

impl Scene {
    /// The rings around the selected joint, while the tool rotates joints.
    pub fn gizmo(&self, eye: &ViewTransform) -> Option<Gizmo> {
        matches!(self.tool, ActiveTool::Rotate(_)).then(|| gizmo_of(self, eye)).flatten()
    }
}
