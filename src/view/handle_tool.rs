//! The tool that places handles on the skin, and dragging of handles.
//!
//! A click on the skin requests a handle; the page creates it and computes its weights. A drag moves a
//! handle in the plane that faces the camera. Handles can also be dragged while joints are rotated.

use glam::{Vec2, Vec3, Vec4};

use super::camera::ViewTransform;
use super::changes::SharedChanges;
use super::input::{Event, Pointer};
use super::interact::Cursor;
use super::overlay::Overlay;
use super::picking::reach;
use super::scene::Scene;
use super::tool::{Tool, ToolName};
use crate::math::sort_few;

/// A drag shorter than this only selects, in CSS pixels. Larger: small corrections are lost. Smaller: a
/// click moves the handle.
const SLACK: f32 = 3.0;

/// Radii of a handle's disc in CSS pixels: around it, its rim, and its middle.
const HALO: f32 = 9.0;
const RIM: f32 = 7.6;
const MIDDLE: f32 = 5.4;
/// The dot of a handle with a target, and the hole of one without weights.
const PIN: f32 = 2.0;
const HOLE: f32 = 4.0;
/// The factor for a handle under the pointer or selected.
const LARGER: f32 = 1.25;

/// The opacity of a handle on the far side of the skin.
const FAR_SIDE: f32 = 0.4;

/// The tool that places handles.
#[derive(Debug, Default)]
pub(super) struct HandleTool {
    handles: HandleDrag,
}

impl Tool for HandleTool {
    fn gesture(&self) -> Option<i32> {
        self.handles.pointer()
    }

    fn pointer_down(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        self.handles.begin(scene, pointer)
    }

    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer) {
        self.handles.drag_to(scene, pointer);
    }

    fn pointer_up(&mut self, scene: &mut Scene, _: &Pointer) {
        self.handles.end(scene, false);
    }

    fn cancel(&mut self, scene: &mut Scene) {
        self.handles.end(scene, true);
    }

    fn click(&mut self, scene: &mut Scene, pointer: &Pointer) {
        match scene.skin_place(pointer.position) {
            Some(at) => scene.events.push(Event::HandleRequested { at }),
            None => scene.select_at(pointer),
        }
    }

    fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) {
        self.handles.hover(scene, pixel);
        scene.hover_joint(None);
    }

    fn cursor(&self, _: &Scene) -> Option<Cursor> {
        self.handles.cursor().or(Some(Cursor::Place))
    }

    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay) {
        overlay.add_handles(scene, &self.handles, eye);
    }

    fn offers_handles(&self, _: &Scene) -> bool {
        true
    }

    fn rig_changed(&mut self, scene: &mut Scene) {
        self.cancel(scene);
    }
}

/// Dragging of handles, for all tools that offer it.
#[derive(Debug, Default)]
pub(super) struct HandleDrag {
    drag: Option<Drag>,
    hovered: Option<usize>,
}

#[derive(Debug)]
struct Drag {
    pointer: i32,
    start: Vec2,
    handle: usize,
    /// Where the pointer met the plane of the handle, and from there to the handle.
    held: Vec3,
    offset: Vec3,
    before: Vec<Option<Vec3>>,
    is_moved: bool,
}

impl HandleDrag {
    /// The pointer that drags.
    pub(super) fn pointer(&self) -> Option<i32> {
        self.drag.as_ref().map(|drag| drag.pointer)
    }

    /// Begins to drag the handle under the pointer; whether there is one.
    pub(super) fn begin(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        let Some(handle) = nearest_handle(scene, pointer.position, pointer.is_touch) else { return false };
        let eye = scene.view_transform();
        let Some(shown) = scene.shown(0) else { return false };
        let (character, place) = (shown.character, shown.handle_positions()[handle]);
        let Some(held) = eye.ray(pointer.position).meets_plane(place, eye.forward()) else { return false };
        let (before, joint) = (character.targets(), character.handle_joint(handle));
        let (start, offset) = (pointer.position, place - held);
        self.drag = Some(Drag { pointer: pointer.id, start, handle, held, offset, before, is_moved: false });
        if joint.is_some() && joint != scene.selected() {
            scene.set_selected(joint);
            scene.events.push(Event::Selected(joint));
        }
        scene.events.push(Event::HandleDragStarted);
        scene.change(SharedChanges::default());
        true
    }

    /// Moves the target of the dragged handle under the pointer.
    pub(super) fn drag_to(&mut self, scene: &mut Scene, pointer: &Pointer) {
        let eye = scene.view_transform();
        let Some(drag) = self.drag.as_mut() else { return };
        drag.is_moved |= pointer.position.distance(drag.start) >= SLACK;
        let Some(held) = eye.ray(pointer.position).meets_plane(drag.held, eye.forward()) else { return };
        if drag.is_moved {
            let (handle, to) = (drag.handle, held + drag.offset);
            let Some(mut targets) = scene.character().map(|character| character.targets()) else { return };
            targets[handle] = Some(to);
            scene.apply_targets(&targets, true);
            scene.events.push(Event::HandlesMoved);
        }
    }

    /// Ends the drag, if there is one; a cancelled one restores the targets.
    pub(super) fn end(&mut self, scene: &mut Scene, is_cancelled: bool) {
        let Some(drag) = self.drag.take() else { return };
        let targets = if is_cancelled { Some(drag.before) } else { scene.character().map(|c| c.targets()) };
        if let Some(targets) = targets.filter(|_| drag.is_moved) {
            // Solved until it converges, so that the same targets give the same shape again.
            scene.apply_targets(&targets, false);
            scene.events.push(Event::HandlesMoved);
        }
        scene.events.push(Event::HandleDragEnded { is_cancelled });
        scene.change(SharedChanges::default());
    }

    /// Highlights the handle under a pixel; whether there is one.
    pub(super) fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) -> bool {
        let handle = pixel.and_then(|pixel| nearest_handle(scene, pixel, false));
        if handle != self.hovered {
            self.hovered = handle;
            scene.change(SharedChanges::default());
        }
        handle.is_some()
    }

    /// The cursor over a handle or during a drag.
    pub(super) fn cursor(&self) -> Option<Cursor> {
        let dragged = self.drag.as_ref().map(|_| Cursor::Grabbing);
        dragged.or(self.hovered.map(|_| Cursor::Grab))
    }
}

/// The handle nearest to a pixel, within reach.
fn nearest_handle(scene: &Scene, pixel: Vec2, is_touch: bool) -> Option<usize> {
    let eye = scene.view_transform();
    let near = scene.shown(0)?.handle_positions().into_iter().enumerate().filter_map(|(handle, place)| {
        let distance = eye.project(place)?.0.distance(pixel);
        (distance <= reach(is_touch).max(HALO)).then_some((handle, distance))
    });
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(handle, _)| handle)
}

impl Scene {
    /// Replaces the handles: names, and places in rest space.
    pub fn set_handles(&mut self, handles: &[(String, Vec3)]) {
        self.with_tool(|tool, scene| tool.rig_changed(scene));
        if let Some(character) = &mut self.character {
            character.set_handles(handles);
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
    }

    /// Sets the targets of the handles, in their order; handles without a target follow the pose.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>]) {
        self.with_tool(|tool, scene| tool.rig_changed(scene));
        self.apply_targets(targets, false);
    }

    fn apply_targets(&mut self, targets: &[Option<Vec3>], is_dragging: bool) {
        if let Some(character) = &mut self.character {
            character.set_targets(targets, is_dragging);
            self.change(SharedChanges { pose: true, ..SharedChanges::default() });
        }
    }

    /// Whether the handle solver is to be prepared.
    pub fn wants_handle_solver(&self) -> bool {
        self.tool() == ToolName::Handles
            && self.character().is_some_and(|character| !character.has_handle_solver())
    }

    /// Prepares the handle solver while handles are placed; after a picture, so that no drag waits for it.
    pub fn prepare_handle_solver(&mut self) {
        let is_placing = self.tool() == ToolName::Handles;
        if let Some(character) = self.character.as_mut().filter(|_| is_placing) {
            character.prepare_handle_solver();
        }
    }

    /// The selected handle.
    pub fn selected_handle(&self) -> Option<usize> {
        self.character()?.handle_of_joint(self.selected()?)
    }

    /// The handle under a pixel, if the active tool offers handles; of several the nearest to it.
    pub fn handle_at(&self, pixel: Vec2, is_touch: bool) -> Option<usize> {
        self.active_tool().offers_handles(self).then(|| nearest_handle(self, pixel, is_touch)).flatten()
    }

    /// The vertex of the skin at a pixel, in rest space: where a click would place a handle. None on rigid
    /// parts, which have no weights.
    pub fn skin_place(&mut self, pixel: Vec2) -> Option<Vec3> {
        let hit = self.skin_hit(pixel)?;
        let asset = self.character()?.asset();
        let solve = *asset.solve_from_render.get(hit.nearest_corner() as usize)?;
        asset.mesh.positions().get(solve as usize).copied()
    }
}

impl Overlay {
    /// Handles as discs that face the camera, the nearest last.
    pub(super) fn add_handles(&mut self, scene: &Scene, dragging: &HandleDrag, eye: &ViewTransform) {
        let Some(shown) = scene.shown(0) else { return };
        let (character, palette) = (shown.character, scene.theme().palette());
        let depth = |at: Vec3| (at - eye.position).dot(eye.forward());
        let mut places: Vec<(usize, Vec3)> = shown.handle_positions().into_iter().enumerate().collect();
        let normals = shown.handle_normals();
        sort_few(&mut places, |a, b| depth(b.1).total_cmp(&depth(a.1)));
        let selected = scene.selected_handle();
        let held = dragging.drag.as_ref().map(|drag| drag.handle);
        for (handle, at) in places {
            let is_near = normals[handle].dot(eye.position - at) >= 0.0;
            let is_chosen = selected == Some(handle) || held == Some(handle);
            let is_large = is_chosen || dragging.hovered == Some(handle);
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
