//! Input from pointers and keys, and events for the page that embeds the viewer. Plain values: DOM
//! events stay outside.

use glam::{Vec2, Vec3};

use super::gizmo::Ring;

/// One pointer (mouse, pen or finger) at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// Tells fingers apart.
    pub id: i32,
    /// In CSS pixels from the canvas's top left corner.
    pub position: Vec2,
    /// Which buttons are down.
    pub buttons: Buttons,
    /// Which modifier keys are down.
    pub modifiers: Modifiers,
    /// Fingers hide what they touch, so they get larger targets.
    pub is_touch: bool,
}

/// The browser's bit field of pressed buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buttons(pub u16);

impl Buttons {
    /// The main button alone, or a finger.
    pub const PRIMARY: Self = Self(1);

    /// Whether a button that moves the camera sideways is down: right or middle.
    pub fn pans(self) -> bool {
        self.0 & 0b110 != 0
    }
}

/// Keys held while pointing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Snaps the gizmo; pans instead of orbiting.
    pub shift: bool,
    /// Control or command.
    pub control: bool,
    /// Alt or option.
    pub alt: bool,
}

/// A turn of the wheel, a scroll of the trackpad, or a pinch on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// How far, in CSS pixels (lines and pages are the caller's to convert).
    pub delta: Vec2,
    /// Where the pointer is, in CSS pixels.
    pub position: Vec2,
    /// Which modifier keys are down.
    pub modifiers: Modifiers,
    /// A pinch, which browsers report as a wheel with control held.
    pub is_pinch: bool,
}

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Bring the selected joint's surroundings into view, or everything when nothing is selected.
    Frame,
    /// Bring everything into view.
    FrameAll,
    /// Put every joint back to rest.
    ResetPose,
    /// Cancel the gesture of the tool, or else clear the selection.
    Escape,
    /// Move the camera by a step: right and up are positive.
    Orbit(i8, i8),
    /// Move nearer (positive) or farther by a step.
    Zoom(i8),
}

/// What happened in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The user selected a joint, or nothing.
    Selected(Option<usize>),
    /// The pointer came over a joint, or left it.
    Hovered {
        /// The joint.
        joint: Option<usize>,
        /// The pointer is at the end of its bone.
        is_tail: bool,
    },
    /// The user changed the pose.
    PoseChanged,
    /// The user began to drag a ring; the pose is as it was before.
    GizmoStarted {
        /// The joint that is rotated.
        joint: usize,
    },
    /// The user rotated a ring, by this angle since the drag began.
    GizmoTurned {
        /// The joint that is rotated.
        joint: usize,
        /// Which ring.
        ring: Ring,
        /// Counter-clockwise about the ring's axis.
        degrees: f32,
    },
    /// The user ended the drag of a ring.
    GizmoEnded {
        /// The joint that was rotated.
        joint: usize,
        /// The pose is as it was before.
        is_cancelled: bool,
    },
    /// The user put the pose back to rest.
    PoseReset,
    /// The user began to drag a joint in rest space.
    PlacingStarted {
        /// The joint.
        joint: usize,
    },
    /// Joints' heads were moved in rest space.
    JointsMoved,
    /// The user began to paint the correction map.
    StrokeStarted,
    /// The map changed.
    Painted,
    /// The user lifted the brush.
    StrokeEnded {
        /// The map is as before.
        is_cancelled: bool,
    },
    /// The user clicked on the skin to place a handle.
    HandleRequested {
        /// The vertex there, in rest space.
        at: Vec3,
    },
    /// The user began to drag a handle.
    HandleDragStarted,
    /// Targets of handles have changed.
    HandlesMoved,
    /// The user ended the drag of a handle.
    HandleDragEnded {
        /// It is back where it was.
        is_cancelled: bool,
    },
    /// The user ended the drag of a joint.
    PlacingEnded {
        /// The joint.
        joint: usize,
        /// It is back where it was.
        is_cancelled: bool,
    },
}
