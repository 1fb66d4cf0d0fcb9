//! Animation clips: tracks of key frames.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::{Pose, Skeleton};
use crate::math::Trs;

/// How a track interpolates between keys (the three modes of glTF).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Constant until the next key.
    Step,
    /// Linear, or spherical linear for rotations.
    Linear,
    /// Cubic Hermite spline; three values per key: in-tangent, value, out-tangent.
    Cubic,
}

/// The property that a track drives, with its values: one per key, or three for
/// [`Interpolation::Cubic`].
#[derive(Clone, Debug, PartialEq)]
pub enum TrackValues {
    /// The translation of the joint relative to its parent.
    Translation(Vec<DVec3>),
    /// The rotation of the joint relative to its parent.
    Rotation(Vec<DQuat>),
    /// The scale of the joint.
    Scale(Vec<DVec3>),
}

impl TrackValues {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Translation(values) | Self::Scale(values) => values.len(),
            Self::Rotation(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The keys of one property of one joint. Times are strictly increasing, and there is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Joint index.
    pub joint: usize,
    /// Key times in seconds.
    pub times: Vec<f32>,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Values of the keys.
    pub values: TrackValues,
}

/// Largest absolute weight of a morph target in a clip. If larger, splines with large tangents
/// overflow. If smaller, weights of valid files change.
const MAX_MORPH_WEIGHT: f64 = 1e6;

/// The keys of the weights of consecutive morph targets. Times are strictly increasing, and there
/// is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    /// The first target.
    pub first: usize,
    /// Key times in seconds.
    pub times: Vec<f32>,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// One weight per key and target, all targets of a key in a row. [`Interpolation::Cubic`] has
    /// three rows per key: in-tangents, values, out-tangents.
    pub values: Vec<f32>,
}

/// A named animation of the joints of a skeleton, and of the weights of morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name in the file, or "clip 0" and so on.
    pub name: String,
    /// At most one per joint and property.
    pub tracks: Vec<Track>,
    /// If several drive one target, the last one counts.
    pub morph_tracks: Vec<MorphTrack>,
}

impl Clip {
    /// The time of the last key, in seconds.
    pub fn duration(&self) -> f32 {
        let joints = self.tracks.iter().map(|track| &track.times);
        let morphs = self.morph_tracks.iter().map(|track| &track.times);
        joints.chain(morphs).filter_map(|times| times.last().copied()).fold(0.0, f32::max)
    }

    /// The pose at `time` seconds, constant before the first and after the last key. Joints without
    /// a track have the transform of their node, which may differ from the rest pose.
    pub fn sample(&self, skeleton: &Skeleton, time: f32) -> Pose {
        let mut locals: Vec<Trs> = skeleton.joints().iter().map(|joint| joint.local).collect();
        for track in &self.tracks {
            track.sample_into(time, &mut locals[track.joint]);
        }
        Pose { parent_from_joint: locals.iter().map(Trs::to_affine).collect() }
    }

    /// Replaces the default weights of morph targets by those of their tracks at `time` seconds.
    #[inline(never)]
    pub fn morph_weights(&self, mut weights: Vec<f32>, time: f32) -> Vec<f32> {
        for track in &self.morph_tracks {
            track.sample_into(time, weights.get_mut(track.first..).unwrap_or_default());
        }
        weights
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, skeleton: &Skeleton) {
        for (i, track) in self.tracks.iter().enumerate() {
            assert!(track.joint < skeleton.joints().len(), "track {i} drives a joint that does not exist");
            assert!(!track.times.is_empty(), "track {i} has no keys");
            assert!(track.times.windows(2).all(|w| w[0] < w[1]), "track {i}: times are not increasing");
            let per_key = if track.interpolation == Interpolation::Cubic { 3 } else { 1 };
            assert_eq!(track.values.len(), per_key * track.times.len(), "track {i}: keys and values differ");
        }
    }
}

impl Track {
    fn sample_into(&self, time: f32, local: &mut Trs) {
        let span = Span::find(&self.times, time);
        let mode = self.interpolation;
        match &self.values {
            TrackValues::Translation(v) => local.translation = span.vector(mode, v),
            TrackValues::Scale(v) => local.scale = span.vector(mode, v),
            TrackValues::Rotation(v) => local.rotation = span.rotation(mode, v),
        }
    }
}

impl MorphTrack {
    /// Writes the weights of its targets to the first of `weights`.
    fn sample_into(&self, time: f32, weights: &mut [f32]) {
        let span = Span::find(&self.times, time);
        let rows = if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let count = self.values.len() / (rows * self.times.len());
        let value = |row: usize, target: usize| f64::from(self.values[row * count + target]);
        for (target, weight) in weights.iter_mut().take(count).enumerate() {
            let (from, to) = (value(rows * span.from, target), value(rows * span.to, target));
            let sampled = match self.interpolation {
                Interpolation::Step => from,
                Interpolation::Linear => from + (to - from) * span.t,
                Interpolation::Cubic => {
                    let [p0, m0, m1, p1] = span.hermite();
                    let (start, end) = (3 * span.from, 3 * span.to);
                    value(start + 1, target) * p0
                        + value(start + 2, target) * m0
                        + to * m1
                        + value(end + 1, target) * p1
                }
            };
            *weight = sampled.clamp(-MAX_MORPH_WEIGHT, MAX_MORPH_WEIGHT) as f32;
        }
    }
}

/// The two keys around a time, and the interpolation parameter between them.
struct Span {
    from: usize,
    to: usize,
    t: f64,
    seconds: f64,
}

impl Span {
    fn find(times: &[f32], time: f32) -> Self {
        let after = times.partition_point(|&t| t <= time);
        if after == 0 {
            return Self { from: 0, to: 0, t: 0.0, seconds: 0.0 };
        }
        if after == times.len() {
            return Self { from: after - 1, to: after - 1, t: 0.0, seconds: 0.0 };
        }
        let (start, end) = (f64::from(times[after - 1]), f64::from(times[after]));
        let seconds = end - start;
        Self { from: after - 1, to: after, t: (f64::from(time) - start) / seconds, seconds }
    }

    fn vector(&self, interpolation: Interpolation, values: &[DVec3]) -> DVec3 {
        match interpolation {
            Interpolation::Step => values[self.from],
            Interpolation::Linear => values[self.from].lerp(values[self.to], self.t),
            Interpolation::Cubic => {
                let [p0, m0, m1, p1] = self.hermite();
                values[3 * self.from + 1] * p0
                    + values[3 * self.from + 2] * m0
                    + values[3 * self.to] * m1
                    + values[3 * self.to + 1] * p1
            }
        }
    }

    fn rotation(&self, interpolation: Interpolation, values: &[DQuat]) -> DQuat {
        match interpolation {
            Interpolation::Step => values[self.from],
            Interpolation::Linear => values[self.from].slerp(values[self.to], self.t),
            Interpolation::Cubic => {
                let [p0, m0, m1, p1] = self.hermite();
                let blend = values[3 * self.from + 1] * p0
                    + values[3 * self.from + 2] * m0
                    + values[3 * self.to] * m1
                    + values[3 * self.to + 1] * p1;
                if blend.length_squared() > 0.0 { blend.normalize() } else { values[3 * self.from + 1] }
            }
        }
    }

    /// The four Hermite basis values: start value, start tangent, end tangent, end value.
    fn hermite(&self) -> [f64; 4] {
        let (t, s) = (self.t, self.seconds);
        let (t2, t3) = (t * t, t * t * t);
        [2.0 * t3 - 3.0 * t2 + 1.0, s * (t3 - 2.0 * t2 + t), s * (t3 - t2), 3.0 * t2 - 2.0 * t3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(interpolation: Interpolation, values: Vec<DVec3>, time: f32) -> f64 {
        let track = Track {
            joint: 0,
            times: vec![1.0, 3.0],
            interpolation,
            values: TrackValues::Translation(values),
        };
        let mut local = Trs::IDENTITY;
        track.sample_into(time, &mut local);
        local.translation.x
    }

    #[test]
    fn tracks_are_constant_before_the_first_and_after_the_last_key() {
        let ramp = || vec![DVec3::X, DVec3::X * 5.0];
        assert_eq!(sampled(Interpolation::Linear, ramp(), 0.0), 1.0);
        assert_eq!(sampled(Interpolation::Linear, ramp(), 2.0), 3.0);
        assert_eq!(sampled(Interpolation::Linear, ramp(), 9.0), 5.0);
        assert_eq!(sampled(Interpolation::Step, ramp(), 2.9), 1.0);
        assert_eq!(sampled(Interpolation::Step, ramp(), 3.0), 5.0);
    }

    #[test]
    fn a_cubic_track_reproduces_a_cubic() {
        // x(t) = t³ on 1..3, with exact derivatives as tangents.
        let cubic = |t: f64| DVec3::X * t * t * t;
        let slope = |t: f64| DVec3::X * 3.0 * t * t;
        let values = vec![DVec3::ZERO, cubic(1.0), slope(1.0), slope(3.0), cubic(3.0), DVec3::ZERO];
        assert!((sampled(Interpolation::Cubic, values, 2.5) - 15.625).abs() < 1e-12);
    }
}
