//! Looping clips from periodic functions.
//!
//! Input: functions from phase (0 to 1 over the loop) to degrees about the world axes at rest.
//! Output: a [`Clip`] of linear keys whose last equals its first. Cost: negligible.

use glam::{DVec3, Vec3};

use super::rigging::{SIDES, on_side};
use super::trig::{rotation_of, sin_cos_turns};
use crate::model::{Clip, Interpolation, Skeleton, Track, TrackValues};

/// Keys per loop, including the last. With fewer, the linear segments are visible. With more, files
/// are larger without a visible difference.
const KEYS: usize = 17;

/// From phase to degrees. A trait object, because eighty generic instances would add to the
/// download.
type Degrees<'a> = &'a dyn Fn(f64) -> [f64; 3];

/// A clip under construction.
pub struct ClipBuilder<'a> {
    skeleton: &'a Skeleton,
    seconds: f32,
    clip: Clip,
}

impl<'a> ClipBuilder<'a> {
    /// A loop of the given length.
    pub fn new(skeleton: &'a Skeleton, name: &str, seconds: f32) -> Self {
        Self { skeleton, seconds, clip: Clip { name: name.into(), ..Clip::default() } }
    }

    /// Rotates a joint about X, Y and Z by `degrees` of the phase.
    pub fn rotate(mut self, joint: &str, degrees: Degrees<'_>) -> Self {
        if let Some(joint) = self.skeleton.find(joint) {
            let values = phases().map(|phase| rotation_of(DVec3::from_array(degrees(phase)))).collect();
            self.add(joint, TrackValues::Rotation(values));
        }
        self
    }

    /// Rotates a left joint, and the right one as its mirror image with the phase delayed by
    /// `delay`.
    pub fn rotate_pair(self, joint: &str, delay: f64, degrees: Degrees<'_>) -> Self {
        let mirrored = |phase: f64| {
            let [x, y, z] = degrees(phase - delay);
            [x, -y, -z]
        };
        self.rotate(&format!("{joint}.L"), degrees).rotate(&format!("{joint}.R"), &mirrored)
    }

    /// Translates the first joint at every key so that the lowest of the given points (joint name,
    /// position in rest space) is as high as the lowest was at rest. Feet neither float nor sink.
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

/// Points under the feet of both sides: below each left joint, offset along z by `ends`.
pub fn soles(feet: &[(&str, Vec3)], ends: [f32; 2]) -> Vec<(String, Vec3)> {
    let mut points = Vec::new();
    for (name, point) in feet {
        for (side, x) in SIDES {
            for end in ends {
                let below = Vec3::new(point.x, 0.0, point.z + end);
                points.push((format!("{name}{side}"), on_side(x, below)));
            }
        }
    }
    points
}

/// A smooth bump of height 1 around phase 0, with zero slope half a loop away.
pub fn bump(phase: f64) -> f64 {
    let half = 0.5 + 0.5 * sin_cos_turns(phase).1;
    half * half
}

/// From 0 to 1 and back, with zero slope at both ends.
pub fn sway(phase: f64) -> f64 {
    0.5 - 0.5 * sin_cos_turns(phase).1
}
