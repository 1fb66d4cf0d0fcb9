//! Looping clips from waves.
//!
//! In: functions from phase (0 to 1 over the loop) to degrees about the world's axes at rest. Out: a
//! [`Clip`] of linear keys whose last equals its first. Cost: nothing worth naming.

use glam::{DVec3, Vec3};

use super::rigging::{SIDES, on_side};
use super::trig::{sin_cos_turns, turned};
use crate::model::{Clip, Interpolation, Skeleton, Track, TrackValues};

/// Keys per loop, the last one included. Fewer: linear pieces show. More: bytes for nothing.
const KEYS: usize = 17;

/// From phase to degrees. Not generic: eighty turns would be eighty functions to download.
type Degrees<'a> = &'a dyn Fn(f64) -> [f64; 3];

/// A clip in the making.
pub struct Motion<'a> {
    skeleton: &'a Skeleton,
    seconds: f32,
    clip: Clip,
}

impl<'a> Motion<'a> {
    /// A loop of the given length.
    pub fn new(skeleton: &'a Skeleton, name: &str, seconds: f32) -> Self {
        Self { skeleton, seconds, clip: Clip { name: name.into(), tracks: Vec::new() } }
    }

    /// Turns a joint by the degrees about X, Y and Z that `degrees` gives for a phase.
    pub fn turn(mut self, joint: &str, degrees: Degrees<'_>) -> Self {
        if let Some(joint) = self.skeleton.find(joint) {
            let values = phases().map(|phase| turned(DVec3::from_array(degrees(phase)))).collect();
            self.add(joint, TrackValues::Rotation(values));
        }
        self
    }

    /// Turns a left joint, and the right one as its mirror image `late` of the loop later.
    pub fn turn_pair(self, joint: &str, late: f64, degrees: Degrees<'_>) -> Self {
        let mirrored = |phase: f64| {
            let [x, y, z] = degrees(phase - late);
            [x, -y, -z]
        };
        self.turn(&format!("{joint}.L"), degrees).turn(&format!("{joint}.R"), &mirrored)
    }

    /// Lowers or lifts the first joint at every key so that the lowest of the given points of joints, in
    /// rest space, is as high as the lowest was at rest: feet neither float nor sink.
    pub fn grounded(mut self, points: &[(String, Vec3)]) -> Self {
        let points: Vec<_> = points.iter().filter_map(|(n, p)| Some((self.skeleton.find(n)?, *p))).collect();
        let floor = points.iter().map(|(_, p)| f64::from(p.y)).fold(f64::INFINITY, f64::min);
        let start = self.skeleton.rest_local(0).translation;
        let heights = self.times().into_iter().map(|time| {
            let posed = self.clip.sample(self.skeleton, time).skinning_matrices(self.skeleton);
            let lowest = points
                .iter()
                .map(|&(joint, p)| f64::from(posed[joint].transform_point3(p).y))
                .fold(f64::INFINITY, f64::min);
            start + DVec3::Y * (floor - lowest)
        });
        let heights = heights.collect();
        self.add(0, TrackValues::Translation(heights));
        self
    }

    /// The clip.
    pub fn finish(self) -> Clip {
        self.clip
    }

    fn times(&self) -> Vec<f32> {
        phases().map(|phase| phase as f32 * self.seconds).collect()
    }

    fn add(&mut self, joint: usize, values: TrackValues) {
        let times = self.times();
        self.clip.tracks.push(Track { joint, times, interpolation: Interpolation::Linear, values });
    }
}

fn phases() -> impl Iterator<Item = f64> {
    (0..KEYS).map(|key| key as f64 / (KEYS - 1) as f64)
}

/// Points under the feet of both sides: below each left joint's place, `ends` behind and before it.
pub fn soles(feet: &[(&str, Vec3)], ends: [f32; 2]) -> Vec<(String, Vec3)> {
    let mut points = Vec::new();
    for (name, place) in feet {
        for (side, x) in SIDES {
            for end in ends {
                let below = Vec3::new(place.x, 0.0, place.z + end);
                points.push((format!("{name}{side}"), on_side(x, below)));
            }
        }
    }
    points
}

/// A smooth bump of height 1 around phase 0, at rest half a loop away.
pub fn bump(phase: f64) -> f64 {
    let half = 0.5 + 0.5 * sin_cos_turns(phase).1;
    half * half
}

/// From 0 to 1 and back, at rest at both ends.
pub fn sway(phase: f64) -> f64 {
    0.5 - 0.5 * sin_cos_turns(phase).1
}
