//! The camera of a scene: the orbit that moves it, the canvas it draws on, and the pointers on that canvas.

use glam::{Vec2, Vec3};

use super::camera::Camera;
use super::controls::{Controls, Gesture};
use super::input::{Key, Pointer, Wheel};
use super::orbit::Orbit;

/// A step of the arrow keys, in CSS pixels of dragging.
const KEY_STEP: f32 = 40.0;

/// A step of the zoom keys, in CSS pixels of the wheel.
const KEY_ZOOM: f32 = 120.0;

/// The factor for pinches on a trackpad, which report small numbers for large movements.
const PINCH_GAIN: f32 = 6.0;

/// The camera, the canvas and the pointers that move the camera.
#[derive(Clone, Debug, Default)]
pub(super) struct Viewpoint {
    pub(super) orbit: Orbit,
    pub(super) controls: Controls,
    /// The size of the canvas in CSS pixels.
    pub(super) canvas: Vec2,
}

impl Viewpoint {
    /// Moves the camera with a pointer; whether the pointer did that.
    pub(super) fn pointer_move(&mut self, pointer: &Pointer) -> bool {
        let canvas = self.canvas;
        match self.controls.moved(pointer) {
            Some(Gesture::Orbit(delta)) => self.orbit.orbit(delta, canvas),
            Some(Gesture::Pan(delta)) => self.orbit.pan(delta, canvas),
            Some(Gesture::Pinch { pan, factor, middle }) => {
                self.orbit.pan(pan, canvas);
                self.orbit.zoom(factor, middle, canvas);
            }
            None => return false,
        }
        true
    }

    /// Scrolling up zooms in, scrolling sideways orbits, Shift pans, a pinch zooms.
    pub(super) fn wheel(&mut self, wheel: &Wheel) {
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

    /// Keys that orbit or zoom; whether this is one of them.
    pub(super) fn key(&mut self, key: Key) -> bool {
        match key {
            Key::Orbit(right, up) => {
                let steps = Vec2::new(-f32::from(right), -f32::from(up));
                self.orbit.orbit(steps * KEY_STEP, self.canvas);
            }
            Key::Zoom(steps) => {
                let factor = Orbit::zoom_factor(-f32::from(steps) * KEY_ZOOM);
                self.orbit.zoom(factor, self.canvas * 0.5, self.canvas);
            }
            _ => return false,
        }
        true
    }

    /// Takes another size of the canvas; `bounds` of the character stay visible as they were.
    pub(super) fn resize(&mut self, canvas: Vec2, bounds: Option<(Vec3, Vec3)>) {
        let before = std::mem::replace(&mut self.canvas, canvas);
        let Some((low, high)) = bounds.filter(|_| canvas.min_element() > 0.0) else { return };
        let goal = *self.orbit.goal();
        let framed = goal.framed(low, high, canvas);
        if before.min_element() <= 0.0 {
            self.orbit.jump(framed);
        } else if before != canvas {
            // Scaled as framing would scale it, so that a canvas of another shape shows the same.
            let zoom = framed.distance / goal.framed(low, high, before).distance;
            self.orbit.jump(Camera { distance: goal.distance * zoom, ..goal });
        }
    }
}
