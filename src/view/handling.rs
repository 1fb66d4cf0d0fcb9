//! Handles in the picture: a click on the skin asks for one, a drag pulls it in the plane that faces the camera.
//!
//! Handles are drawn and can be pulled wherever bones are shown; clicks place them only while that is [on](Scene::set_handling). Who embeds
//! the viewer makes them and finds their weights.

use glam::{Vec2, Vec3, Vec4};

use super::camera::Eye;
use super::input::{Event, Pointer};
use super::overlay::Overlay;
use super::picking::{reach, skin_at};
use super::scene::{Changes, Scene};
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
pub(super) struct Handling {
    /// Whether clicks place them.
    is_on: bool,
    drag: Option<Drag>,
    pub(super) hovered: Option<usize>,
}

#[derive(Clone, Debug)]
struct Drag {
    pointer: i32,
    start: Vec2,
    grip: usize,
    /// Where it was taken hold of, and from there to where it is.
    held: Vec3,
    offset: Vec3,
    before: Vec<Option<Vec3>>,
    is_moved: bool,
}

impl Scene {
    /// Whether clicks on the skin ask for handles.
    pub fn is_handling(&self) -> bool {
        self.handling.is_on
    }

    /// Begins or ends that.
    pub fn set_handling(&mut self, on: bool) {
        self.end_pull(true);
        self.cancel_turn();
        self.handling = Handling { is_on: on, ..Handling::default() };
        self.hovered_ring = None;
        self.change(Changes::default());
    }

    /// Takes other handles: names, and places in rest space.
    pub fn set_grips(&mut self, handles: &[(String, Vec3)]) {
        self.end_pull(true);
        self.handling.hovered = None;
        if let Some(figure) = &mut self.figure {
            figure.set_grips(handles);
            self.change(Changes { pose: true, ..Changes::default() });
        }
    }

    /// Pulls handles, in their order; those without a target go back.
    pub fn set_targets(&mut self, targets: &[Option<Vec3>]) {
        self.end_pull(true);
        self.pull(targets, false);
    }

    fn pull(&mut self, targets: &[Option<Vec3>], is_held: bool) {
        if let Some(figure) = &mut self.figure {
            figure.set_targets(targets, is_held);
            self.change(Changes { pose: true, ..Changes::default() });
        }
    }

    /// Whether something is to be made ready for pulling.
    pub fn wants_pull(&self) -> bool {
        self.handling.is_on && self.figure().is_some_and(|figure| !figure.is_ready_to_pull())
    }

    /// Makes ready for pulling while handles are placed; after a picture, so that nobody waits for it.
    pub fn prepare_pull(&mut self) {
        let is_on = self.handling.is_on;
        if let Some(figure) = self.figure.as_mut().filter(|_| is_on) {
            figure.prepare_pull();
        }
    }

    /// The selected handle.
    pub fn selected_grip(&self) -> Option<usize> {
        self.figure()?.grip_of_joint(self.selected()?)
    }

    /// Whether handles are drawn, and can be taken hold of.
    fn shows_grips(&self) -> bool {
        (self.handling.is_on || self.shows_skeleton()) && self.placing.is_none() && self.painting.is_none()
    }

    /// The handle under a pixel; of several the nearest to it.
    pub fn grip_at(&self, pixel: Vec2, is_touch: bool) -> Option<usize> {
        let figure = self.figure().filter(|_| self.shows_grips())?;
        let eye = self.eye();
        let near = figure.grip_places().into_iter().enumerate().filter_map(|(grip, place)| {
            let distance = eye.project(place)?.0.distance(pixel);
            (distance <= reach(is_touch).max(HALO)).then_some((grip, distance))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(grip, _)| grip)
    }

    /// The vertex of the skin at a pixel, in rest space: where a click there would place a handle.
    pub fn skin_place(&mut self, pixel: Vec2) -> Option<Vec3> {
        self.correct_flesh();
        let figure = self.figure()?;
        let asset = figure.asset();
        let hit = skin_at(&self.eye().ray(pixel), &figure.posed_positions(), &asset.render.triangles)?;
        let solve = *asset.solve_from_render.get(hit.nearest_corner() as usize)?;
        asset.mesh.positions().get(solve as usize).copied()
    }

    pub(super) fn pulls(&self, pointer: i32) -> bool {
        self.handling.drag.as_ref().is_some_and(|drag| drag.pointer == pointer)
    }

    pub(super) fn is_pulling(&self) -> bool {
        self.handling.drag.is_some()
    }

    /// Takes hold of the handle under the pointer; whether there is one.
    pub(super) fn begin_pull(&mut self, pointer: &Pointer) -> bool {
        let Some(grip) = self.grip_at(pointer.position, pointer.is_touch) else { return false };
        let eye = self.eye();
        let Some(figure) = self.figure() else { return false };
        let place = figure.grip_places()[grip];
        let Some(held) = eye.ray(pointer.position).meets_plane(place, eye.forward()) else { return false };
        let (before, joint) = (figure.targets(), figure.grip_joint(grip));
        let (start, offset) = (pointer.position, place - held);
        self.handling.drag =
            Some(Drag { pointer: pointer.id, start, grip, held, offset, before, is_moved: false });
        if joint.is_some() && joint != self.selected {
            self.set_selected(joint);
            self.events.push(Event::Selected(joint));
        }
        self.events.push(Event::PullStarted);
        self.change(Changes::default());
        true
    }

    pub(super) fn pull_to(&mut self, pointer: &Pointer) {
        let eye = self.eye();
        let Some(drag) = self.handling.drag.as_mut() else { return };
        drag.is_moved |= pointer.position.distance(drag.start) >= SLACK;
        let Some(held) = eye.ray(pointer.position).meets_plane(drag.held, eye.forward()) else { return };
        if drag.is_moved {
            let (grip, to) = (drag.grip, held + drag.offset);
            let Some(mut targets) = self.figure().map(|figure| figure.targets()) else { return };
            targets[grip] = Some(to);
            self.pull(&targets, true);
            self.events.push(Event::Pulled);
        }
    }

    pub(super) fn end_pull(&mut self, is_cancelled: bool) {
        let Some(drag) = self.handling.drag.take() else { return };
        let targets = if is_cancelled { Some(drag.before) } else { self.figure().map(|f| f.targets()) };
        if let Some(targets) = targets.filter(|_| drag.is_moved) {
            // Comes to rest, so that it looks as it will when it is done again.
            self.pull(&targets, false);
            self.events.push(Event::Pulled);
        }
        self.events.push(Event::PullEnded { is_cancelled });
        self.change(Changes::default());
    }

    /// Asks for a handle where a click met the skin; whether it did.
    pub(super) fn ask_for_grip(&mut self, pixel: Vec2) -> bool {
        let place = if self.handling.is_on { self.skin_place(pixel) } else { None };
        if let Some(at) = place {
            self.events.push(Event::HandleAsked { at });
        }
        place.is_some()
    }
}

impl Overlay {
    /// Handles as discs that face the camera, the nearest last.
    pub(super) fn add_grips(&mut self, scene: &Scene, eye: &Eye, palette: &Palette) {
        let Some(figure) = scene.figure().filter(|_| scene.shows_grips()) else { return };
        let depth = |at: Vec3| (at - eye.position).dot(eye.forward());
        let mut places: Vec<(usize, Vec3)> = figure.grip_places().into_iter().enumerate().collect();
        sort_few(&mut places, |a, b| depth(b.1).total_cmp(&depth(a.1)));
        let selected = scene.selected_grip();
        let held = scene.handling.drag.as_ref().map(|drag| drag.grip);
        for (grip, at) in places {
            let is_near = figure.grip_normal(grip).dot(eye.position - at) >= 0.0;
            let is_chosen = selected == Some(grip) || held == Some(grip);
            let is_large = is_chosen || scene.handling.hovered == Some(grip);
            let alpha = if is_near || is_large { 1.0 } else { FAR_SIDE };
            let size = if is_large { LARGER } else { 1.0 };
            let color = if is_chosen { palette.accent } else { palette.handle };
            let mut disc = |pixels: f32, color: Vec4| self.flat.dot(eye, at, pixels * size, color);
            disc(HALO, palette.outline.extend(0.55 * alpha));
            disc(RIM, Vec3::ONE.extend(alpha));
            disc(MIDDLE, color.extend(alpha));
            if figure.grip_joint(grip).is_none() {
                disc(HOLE, Vec3::ONE.extend(alpha));
            } else if figure.grips()[grip].target.is_some() {
                disc(PIN, Vec3::ONE.extend(alpha));
            }
        }
    }
}

#[cfg(test)]
#[path = "handling_tests.rs"]
mod tests;
