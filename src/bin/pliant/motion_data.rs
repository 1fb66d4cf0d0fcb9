//! Skeletons and clips of the library as plain data of the crate `pliant-motion`, and back.

use pliant::model::{self, Skeleton, TrackValues};
use pliant_motion::skeleton as motion;

/// The joints of a skeleton.
pub fn skeleton(skeleton: &Skeleton) -> Option<motion::Skeleton> {
    let joint = |joint: &model::Joint| motion::Joint {
        name: joint.name.clone(),
        parent: joint.parent,
        rest: joint.rest,
        local: motion::Trs {
            translation: joint.local.translation,
            rotation: joint.local.rotation,
            scale: joint.local.scale,
        },
        tail: joint.tail,
        human: joint.human,
        is_secondary: joint.is_secondary,
    };
    motion::Skeleton::new(skeleton.joints().iter().map(joint).collect())
}

/// A clip without its morph tracks.
pub fn clip(clip: &model::Clip) -> motion::Clip {
    let track = |track: &model::Track| motion::Track {
        joint: track.joint,
        times: track.times.clone(),
        interpolation: match track.interpolation {
            model::Interpolation::Step => motion::Interpolation::Step,
            model::Interpolation::Linear => motion::Interpolation::Linear,
            model::Interpolation::Cubic => motion::Interpolation::Cubic,
        },
        values: match &track.values {
            TrackValues::Translation(values) => motion::Values::Translation(values.clone()),
            TrackValues::Rotation(values) => motion::Values::Rotation(values.clone()),
            TrackValues::Scale(values) => motion::Values::Scale(values.clone()),
        },
    };
    motion::Clip { name: clip.name.clone(), tracks: clip.tracks.iter().map(track).collect() }
}

/// A clip of the library's model.
pub fn model_clip(clip: motion::Clip) -> model::Clip {
    let track = |track: motion::Track| model::Track {
        joint: track.joint,
        times: track.times,
        interpolation: match track.interpolation {
            motion::Interpolation::Step => model::Interpolation::Step,
            motion::Interpolation::Linear => model::Interpolation::Linear,
            motion::Interpolation::Cubic => model::Interpolation::Cubic,
        },
        values: match track.values {
            motion::Values::Translation(values) => TrackValues::Translation(values),
            motion::Values::Rotation(values) => TrackValues::Rotation(values),
            motion::Values::Scale(values) => TrackValues::Scale(values),
        },
    };
    let tracks = clip.tracks.into_iter().map(track).collect();
    model::Clip { name: clip.name, tracks, ..model::Clip::default() }
}
