//! Pointers, wheel and keys as plain calls. Positions are CSS pixels from the canvas's corner; modifiers are
//! 1 for Shift, 2 for Control, 4 for Alt.

use glam::Vec2;
use wasm_bindgen::prelude::*;

use super::Viewer;
use super::events::{JointWeight, ViewerEvent};
use super::js::{Result, to_js};
use crate::view::{Buttons, Cursor, Key, Modifiers, Pointer, Wheel};

#[wasm_bindgen]
impl Viewer {
    /// A pointer comes down.
    #[wasm_bindgen(js_name = pointerDown)]
    pub fn pointer_down(&mut self, id: i32, x: f32, y: f32, buttons: u16, modifiers: u8, is_touch: bool) {
        self.inner.scene_mut().pointer_down(&pointer(id, x, y, buttons, modifiers, is_touch));
    }

    /// A pointer moves.
    #[wasm_bindgen(js_name = pointerMove)]
    pub fn pointer_move(&mut self, id: i32, x: f32, y: f32, buttons: u16, modifiers: u8, is_touch: bool) {
        self.inner.scene_mut().pointer_move(&pointer(id, x, y, buttons, modifiers, is_touch));
    }

    /// A pointer goes up.
    #[wasm_bindgen(js_name = pointerUp)]
    pub fn pointer_up(&mut self, id: i32, x: f32, y: f32, buttons: u16, modifiers: u8, is_touch: bool) {
        self.inner.scene_mut().pointer_up(&pointer(id, x, y, buttons, modifiers, is_touch));
    }

    /// The system takes a pointer away.
    #[wasm_bindgen(js_name = pointerCancel)]
    pub fn pointer_cancel(&mut self, id: i32) {
        self.inner.scene_mut().pointer_cancel(id);
    }

    /// The pointer left the canvas.
    #[wasm_bindgen(js_name = pointerLeave)]
    pub fn pointer_leave(&mut self) {
        self.inner.scene_mut().pointer_leave();
    }

    /// The wheel turns, or two fingers move on a trackpad.
    pub fn wheel(&mut self, dx: f32, dy: f32, x: f32, y: f32, modifiers: u8, is_pinch: bool) {
        let (delta, position) = (Vec2::new(dx, dy), Vec2::new(x, y));
        self.inner.scene_mut().wheel(&Wheel {
            delta,
            position,
            modifiers: modifiers_of(modifiers),
            is_pinch,
        });
    }

    /// A key asks for something; whether it meant anything.
    pub fn key(
        &mut self,
        #[wasm_bindgen(
            unchecked_param_type = "'frame' | 'frame-all' | 'reset' | 'escape' | 'left' | 'right' | 'up' | 'down' | 'nearer' | 'farther'"
        )]
        key: &str,
    ) -> bool {
        let key = match key {
            "frame" => Key::Frame,
            "frame-all" => Key::FrameAll,
            "reset" => Key::ResetPose,
            "escape" => Key::Escape,
            "left" => Key::Orbit(-1, 0),
            "right" => Key::Orbit(1, 0),
            "up" => Key::Orbit(0, 1),
            "down" => Key::Orbit(0, -1),
            "nearer" => Key::Zoom(1),
            "farther" => Key::Zoom(-1),
            _ => return false,
        };
        self.inner.scene_mut().key(key)
    }

    /// The CSS cursor that says what a press would do.
    #[must_use]
    pub fn cursor(&self) -> String {
        let cursor = match self.inner.scene().cursor() {
            Cursor::Plain => "default",
            Cursor::Select => "pointer",
            Cursor::Grab => "grab",
            Cursor::Grabbing => "grabbing",
            // The ring is the cursor.
            Cursor::Paint => "none",
            Cursor::Place => "crosshair",
        };
        cursor.to_owned()
    }

    /// What the user did since the last call.
    #[wasm_bindgen(js_name = takeEvents, unchecked_return_type = "ViewerEvent[]")]
    pub fn take_events(&mut self) -> Result<JsValue> {
        let events = self.inner.scene_mut().drain_events();
        let told: Vec<ViewerEvent> = events.iter().filter_map(|e| ViewerEvent::of(e, &self.names)).collect();
        to_js(&told)
    }

    /// The weights of joints at the point of the skin under a pixel, largest first; empty beside the skin.
    #[wasm_bindgen(
        js_name = influencesAt,
        unchecked_return_type = "{ joint: string; weight: number }[]"
    )]
    pub fn influences_at(&mut self, x: f32, y: f32) -> Result<JsValue> {
        let influences = self.inner.scene_mut().influences_at(Vec2::new(x, y));
        to_js(&JointWeight::all(&influences, &self.names))
    }

    /// Where a joint is on the canvas, in CSS pixels; nothing for joints out of sight.
    #[wasm_bindgen(js_name = jointOnCanvas)]
    #[must_use]
    pub fn joint_on_canvas(&self, joint: &str) -> Option<Vec<f32>> {
        let index = self.index(joint)?;
        let head = self.inner.scene().character()?.world_from_joint().get(index)?.translation.as_vec3();
        Some(self.inner.scene().view_transform().project(head)?.0.to_array().to_vec())
    }
}

fn pointer(id: i32, x: f32, y: f32, buttons: u16, modifiers: u8, is_touch: bool) -> Pointer {
    let (position, buttons) = (Vec2::new(x, y), Buttons(buttons));
    Pointer { id, position, buttons, modifiers: modifiers_of(modifiers), is_touch }
}

fn modifiers_of(bits: u8) -> Modifiers {
    Modifiers { shift: bits & 1 != 0, control: bits & 2 != 0, alt: bits & 4 != 0 }
}
