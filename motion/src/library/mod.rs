//! A library of clips that are computed for the character they move.
//!
//! A clip is a function from a phase, 0 to 1, to a pose in units of the body (`pose`). Its frames
//! are poses of the standard bones, so a clip runs on any humanoid, whatever the names and rolls of
//! its joints. Feet are placed first, and legs follow by inverse kinematics, so that feet that
//! stand do not slide. Arms keep the distance that the outline of the body needs (`body`). Cost:
//! some hundred poses per clip.

mod actions;
pub mod animals;
pub mod body;
mod curves;
mod locomotion;
pub mod pose;
mod standing;

use glam::DVec3;

use crate::frames::{Frame, Poser};
use crate::humanoid::Humanoid;
use crate::retarget::Root;
use crate::skeleton::Clip;
use pose::{Actor, Pose};

/// Keys per second.
pub const FRAME_RATE: f64 = 30.0;

/// A clip for people.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Length in seconds.
    pub seconds: f64,
    /// Travel per cycle, in leg lengths, that is removed in place.
    pub travel: f64,
    pose: fn(f64) -> Pose,
}

/// The clips for people. The first one is what a character does that was just opened.
pub const HUMANOID: [Entry; 12] = [
    Entry { name: "idle", seconds: 5.0, travel: 0.0, pose: standing::idle },
    Entry { name: "walk", seconds: 1.1, travel: locomotion::WALK_STRIDE, pose: locomotion::walk },
    Entry { name: "run", seconds: 0.72, travel: locomotion::RUN_STRIDE, pose: locomotion::run },
    Entry { name: "dance", seconds: 3.6, travel: 0.0, pose: standing::dance },
    Entry { name: "wave", seconds: 3.2, travel: 0.0, pose: standing::wave_hand },
    Entry { name: "jump", seconds: 2.3, travel: 0.0, pose: actions::jump },
    Entry { name: "squat", seconds: 3.0, travel: 0.0, pose: actions::squat },
    Entry { name: "sit down", seconds: 4.6, travel: 0.0, pose: actions::sit_down },
    Entry { name: "reach", seconds: 3.6, travel: 0.0, pose: standing::reach },
    Entry { name: "turn", seconds: 5.2, travel: 0.0, pose: locomotion::turn },
    Entry { name: "look around", seconds: 5.0, travel: 0.0, pose: standing::look_around },
    Entry { name: "breathe", seconds: 6.0, travel: 0.0, pose: standing::breathe },
];

impl Entry {
    /// The frames of a character and their times. The last one is the first one again.
    pub fn frames(&self, actor: &Actor<'_>, root: Root) -> (Vec<f32>, Vec<Frame>) {
        let count = (self.seconds * FRAME_RATE).round().max(1.0) as usize;
        let phase = |index: usize| index as f64 / count as f64;
        let poses: Vec<Pose> = (0..=count).map(|index| (self.pose)(phase(index))).collect();
        // One drop for the whole clip keeps the movement of the hips as it was made.
        let drop = poses.iter().map(|pose| actor.missing(pose)).fold(0.0, f64::max);
        let times = (0..=count).map(|index| (self.seconds * phase(index)) as f32).collect();
        let frames = poses.iter().enumerate().map(|(index, pose)| {
            let mut frame = actor.frame(pose, drop);
            if root == Root::Keep {
                frame.hips += DVec3::Z * (self.travel * actor.unit * phase(index));
            }
            frame
        });
        (times, frames.collect())
    }
}

/// The clip of a name for a character, or `None` if there is none.
pub fn humanoid_clip(name: &str, humanoid: &Humanoid<'_>, actor: &Actor<'_>, root: Root) -> Option<Clip> {
    let entry = HUMANOID.iter().find(|entry| entry.name == name)?;
    let (times, frames) = entry.frames(actor, root);
    Some(Clip { name: name.to_owned(), tracks: Poser::new(humanoid).tracks(&times, &frames) })
}
