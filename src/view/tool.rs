//! Tools: what a drag, a click or a key does beside moving the camera.
//!
//! Exactly one tool is active. It sees pointers before the camera does: a press that begins a
//! gesture of the tool does not move the camera. Tools do not know each other.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::camera::ViewTransform;
use super::handle_tool::HandleTool;
use super::input::{Key, Pointer};
use super::interact::Cursor;
use super::joint_placement_tool::JointPlacementTool;
use super::overlay::Overlay;
use super::painting::{Brush, PaintTool};
use super::rotate_tool::RotateTool;
use super::scene::Scene;

/// What the active tool does with pointers and keys. While a tool runs it is not part of the scene
/// that it changes, so functions of [`Scene`] that end gestures do not reach back into it.
pub(super) trait Tool {
    /// The pointer of the gesture that is under way.
    fn gesture(&self) -> Option<i32>;

    /// A pointer comes down; whether that begins a gesture. If not, the pointer moves the camera.
    fn pointer_down(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool;

    /// The pointer of the gesture moves.
    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer);

    /// The pointer of the gesture goes up: its result stays.
    fn pointer_up(&mut self, scene: &mut Scene, pointer: &Pointer);

    /// Ends the gesture, if there is one; everything is as it was before.
    fn cancel(&mut self, scene: &mut Scene);

    /// Another pointer comes down during the gesture.
    fn second_pointer(&mut self, _scene: &mut Scene, _pointer: &Pointer) {}

    /// A pointer went up where it came down, without a gesture.
    fn click(&mut self, scene: &mut Scene, pointer: &Pointer) {
        scene.select_at(pointer);
    }

    /// The pointer is over a pixel, with no button down; none if it left the canvas.
    fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) {
        scene.hover_joint(pixel);
    }

    /// A key; whether the tool used it. Escape cancels the gesture.
    fn key(&mut self, scene: &mut Scene, key: Key) -> bool {
        let is_used = key == Key::Escape && self.gesture().is_some();
        if is_used {
            self.cancel(scene);
        }
        is_used
    }

    /// How the pointer looks; none to leave that to the camera and the selection.
    fn cursor(&self, scene: &Scene) -> Option<Cursor>;

    /// Adds what is drawn over the character.
    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay);

    /// Whether handles can be dragged.
    fn offers_handles(&self, _scene: &Scene) -> bool {
        false
    }

    /// Weights, handles or targets were changed from outside.
    fn rig_changed(&mut self, _scene: &mut Scene) {}

    /// Joints, and ends of bones, that follow the gesture, by index in rest space.
    fn joints_follow(
        &mut self,
        _scene: &mut Scene,
        _heads: &BTreeMap<usize, Vec3>,
        _tails: &BTreeMap<usize, Vec3>,
    ) {
    }

    /// Another tool follows: ends the gesture, and undoes what activating the tool did.
    fn close(&mut self, scene: &mut Scene) {
        self.cancel(scene);
    }
}

/// Names of the tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum ToolName {
    /// Rotates joints with the gizmo, and drags handles.
    #[default]
    Rotate,
    /// Moves joints in rest space.
    PlaceJoints,
    /// Places handles on the skin and drags them.
    Handles,
    /// Paints the correction map.
    Paint,
}

/// Options of tools; each tool uses its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct ToolOptions {
    /// Whether placing a joint moves its counterpart on the other side too.
    pub mirror: bool,
    /// Whether the ends of bones without children can be placed.
    pub tails: bool,
    /// The brush for painting.
    pub brush: Brush,
}

/// The active tool.
#[derive(Debug)]
pub(super) enum ActiveTool {
    /// Rotates joints and drags handles.
    Rotate(RotateTool),
    /// Moves joints in rest space.
    PlaceJoints(JointPlacementTool),
    /// Places and drags handles.
    Handles(HandleTool),
    /// Paints the correction map.
    Paint(PaintTool),
}

impl Default for ActiveTool {
    fn default() -> Self {
        Self::Rotate(RotateTool::default())
    }
}

impl ActiveTool {
    fn name(&self) -> ToolName {
        match self {
            Self::Rotate(_) => ToolName::Rotate,
            Self::PlaceJoints(_) => ToolName::PlaceJoints,
            Self::Handles(_) => ToolName::Handles,
            Self::Paint(_) => ToolName::Paint,
        }
    }

    fn tool(&self) -> &dyn Tool {
        match self {
            Self::Rotate(tool) => tool,
            Self::PlaceJoints(tool) => tool,
            Self::Handles(tool) => tool,
            Self::Paint(tool) => tool,
        }
    }

    fn tool_mut(&mut self) -> &mut dyn Tool {
        match self {
            Self::Rotate(tool) => tool,
            Self::PlaceJoints(tool) => tool,
            Self::Handles(tool) => tool,
            Self::Paint(tool) => tool,
        }
    }

    /// The same tool for another character, without a gesture. Placing joints ends with the
    /// character.
    fn for_another_character(self) -> Self {
        match self {
            Self::Rotate(_) | Self::PlaceJoints(_) => Self::default(),
            Self::Handles(_) => Self::Handles(HandleTool::default()),
            Self::Paint(tool) => Self::Paint(PaintTool::new(tool.brush())),
        }
    }
}

impl Scene {
    /// The active tool.
    pub fn tool(&self) -> ToolName {
        self.tool.name()
    }

    /// Activates a tool, or changes the options of the active one; the name of the tool that is
    /// active then. Placing joints needs a skeleton.
    pub fn set_tool(&mut self, name: ToolName, options: &ToolOptions) -> ToolName {
        match (&mut self.tool, name) {
            (ActiveTool::Rotate(_), ToolName::Rotate) | (ActiveTool::Handles(_), ToolName::Handles) => {}
            (ActiveTool::PlaceJoints(tool), ToolName::PlaceJoints) => tool.set_options(options),
            (ActiveTool::Paint(tool), ToolName::Paint) => tool.set_brush(options.brush),
            _ => {
                self.with_tool(|tool, scene| tool.close(scene));
                self.tool = match name {
                    ToolName::Rotate => ActiveTool::default(),
                    ToolName::PlaceJoints => match JointPlacementTool::open(self, options) {
                        Some(tool) => ActiveTool::PlaceJoints(tool),
                        None => ActiveTool::default(),
                    },
                    ToolName::Handles => ActiveTool::Handles(HandleTool::default()),
                    ToolName::Paint => ActiveTool::Paint(PaintTool::new(options.brush)),
                };
                // The correction map has other colours while it is painted.
                self.change_colors();
            }
        }
        self.change(super::changes::SharedChanges::default());
        self.tool()
    }

    /// Ends the gesture of the tool, if there is one; everything is as it was before.
    pub(super) fn cancel_gesture(&mut self) {
        self.with_tool(|tool, scene| tool.cancel(scene));
    }

    /// Prepares the tool for another character.
    pub(super) fn reset_tool(&mut self) {
        self.tool = std::mem::take(&mut self.tool).for_another_character();
    }

    /// Runs the active tool, which is outside the scene meanwhile.
    pub(super) fn with_tool<R>(&mut self, run: impl FnOnce(&mut dyn Tool, &mut Self) -> R) -> R {
        let mut tool = std::mem::take(&mut self.tool);
        let result = run(tool.tool_mut(), self);
        self.tool = tool;
        result
    }

    /// The active tool, to look at.
    pub(super) fn active_tool(&self) -> &dyn Tool {
        self.tool.tool()
    }

    /// Whether the correction map is being painted.
    pub(super) fn is_painting(&self) -> bool {
        self.tool() == ToolName::Paint
    }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
