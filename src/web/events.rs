//! What the user did in the picture, with joints by name.

use serde::Serialize;

use crate::view::Event;

/// What the user did in the picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ViewerEvent {
    /// Selected a joint, or nothing.
    Select {
        /// Its name.
        joint: Option<String>,
    },
    /// Pointed at a joint, or away.
    Hover {
        /// Its name.
        joint: Option<String>,
    },
    /// Began to drag a ring or a joint.
    GestureStart,
    /// Let go of it, or gave it up.
    GestureEnd {
        /// Everything is as before.
        cancelled: bool,
    },
    /// Changed the pose.
    Pose,
    /// Moved a joint's head in rest space.
    Joints,
    /// Painted where flesh gives.
    Paint,
    /// Clicked on the skin to place a handle.
    HandleAsked {
        /// The vertex there, in rest space.
        at: [f32; 3],
    },
    /// Pulled handles.
    Pull,
}

impl ViewerEvent {
    /// An event as the page hears it; none for what only adds detail to another one.
    pub fn of(event: &Event, names: &[String]) -> Option<Self> {
        let name = |joint: Option<usize>| joint.and_then(|joint| names.get(joint).cloned());
        Some(match *event {
            Event::Selected(joint) => Self::Select { joint: name(joint) },
            Event::Hovered(joint) => Self::Hover { joint: name(joint) },
            Event::PoseChanged => Self::Pose,
            Event::GizmoStarted { .. }
            | Event::PlacingStarted { .. }
            | Event::StrokeStarted
            | Event::PullStarted => Self::GestureStart,
            Event::GizmoEnded { is_cancelled, .. }
            | Event::PlacingEnded { is_cancelled, .. }
            | Event::StrokeEnded { is_cancelled }
            | Event::PullEnded { is_cancelled } => Self::GestureEnd { cancelled: is_cancelled },
            Event::Painted => Self::Paint,
            Event::HandleAsked { at } => Self::HandleAsked { at: at.to_array() },
            Event::Pulled => Self::Pull,
            Event::JointsMoved => Self::Joints,
            Event::GizmoTurned { .. } | Event::PoseReset => return None,
        })
    }
}
