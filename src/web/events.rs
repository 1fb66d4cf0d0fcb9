//! What the user did in the picture, with joints by name.

use serde::Serialize;

use crate::model::Influence;
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
        /// The pointer is at the end of its bone.
        tail: bool,
    },
    /// Began to drag a ring or a joint.
    GestureStart,
    /// Ended or cancelled the drag.
    GestureEnd {
        /// Everything is as before.
        cancelled: bool,
    },
    /// Changed the pose.
    Pose,
    /// Moved a joint's head in rest space.
    Joints,
    /// Painted the correction map.
    Paint,
    /// Clicked on the skin to place a handle.
    HandleRequested {
        /// The vertex there, in rest space.
        at: [f32; 3],
    },
    /// Moved targets of handles.
    Handles,
}

/// The weight of a joint at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointWeight {
    /// Its name.
    pub joint: String,
    /// From 0 to 1.
    pub weight: f32,
}

impl JointWeight {
    /// Influences with names of joints.
    pub fn all(influences: &[Influence], names: &[String]) -> Vec<Self> {
        let named = |influence: &Influence| {
            let joint = names.get(influence.column as usize)?.clone();
            Some(Self { joint, weight: influence.weight })
        };
        influences.iter().filter_map(named).collect()
    }
}

impl ViewerEvent {
    /// An event as the page hears it; none for what only adds detail to another one.
    pub fn of(event: &Event, names: &[String]) -> Option<Self> {
        let name = |joint: Option<usize>| joint.and_then(|joint| names.get(joint).cloned());
        Some(match *event {
            Event::Selected(joint) => Self::Select { joint: name(joint) },
            Event::Hovered { joint, is_tail } => Self::Hover { joint: name(joint), tail: is_tail },
            Event::PoseChanged => Self::Pose,
            Event::GizmoStarted { .. }
            | Event::PlacingStarted { .. }
            | Event::StrokeStarted
            | Event::HandleDragStarted => Self::GestureStart,
            Event::GizmoEnded { is_cancelled, .. }
            | Event::PlacingEnded { is_cancelled, .. }
            | Event::StrokeEnded { is_cancelled }
            | Event::HandleDragEnded { is_cancelled } => Self::GestureEnd { cancelled: is_cancelled },
            Event::Painted => Self::Paint,
            Event::HandleRequested { at } => Self::HandleRequested { at: at.to_array() },
            Event::HandlesMoved => Self::Handles,
            Event::JointsMoved => Self::Joints,
            Event::GizmoTurned { .. } | Event::PoseReset => return None,
        })
    }
}
