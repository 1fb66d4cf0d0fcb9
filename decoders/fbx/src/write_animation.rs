//! Writes clips as glTF animations: samples, without those that interpolation reproduces.

use glam::{DQuat, DVec3};

use crate::animation::Clip;
use crate::blend_shapes::Channel;
use crate::error::Warnings;
use crate::glb::{FloatRole, Glb};
use crate::json::Json;
use crate::nodes::Nodes;
use crate::reduce::{fraction, kept_samples, rotation_error, vector_error};
use crate::sampling::{MAX_START, SampleBudget, Sampler};
use crate::settings::Settings;

/// Largest deviation of a dropped rotation, in radians. If larger, errors add up to visible ones
/// along a chain of joints. If smaller, smooth motion keeps more samples.
const ROTATION_TOLERANCE: f64 = 5e-6;

/// The same of scales and blend shape weights.
const SCALE_TOLERANCE: f64 = 2e-6;

/// The same of translations, relative to the size of the model.
const TRANSLATION_TOLERANCE: f64 = 1e-6;

/// What all clips share.
pub(crate) struct AnimationWriter<'w> {
    pub nodes: &'w Nodes,
    pub settings: &'w Settings,
    /// Nodes with blend shapes, and their channels.
    pub morphs: &'w [(usize, &'w [Channel])],
    /// Size of the model, in metres.
    pub extent: f64,
}

/// Channels and samplers of an animation.
#[derive(Default)]
struct Tracks {
    channels: Vec<Json>,
    samplers: Vec<Json>,
}

impl AnimationWriter<'_> {
    /// Writes a clip, unless nothing moves in it.
    pub(crate) fn write(
        &self,
        clip: &Clip,
        budget: &mut SampleBudget,
        glb: &mut Glb,
        warnings: &mut Warnings,
    ) {
        let sampler = Sampler::new(clip, self.nodes, self.settings.frame_rate);
        let start = start_time(clip).unwrap_or(0.0);
        let shift = if start.abs() <= MAX_START { 0.0 } else { start };
        let mut tracks = Tracks::default();
        let mut is_exact = true;
        for index in 0..self.nodes.list.len() {
            is_exact &= self.write_node(&sampler, index, shift, budget, &mut tracks, glb);
        }
        for (place, &node) in self.nodes.compensated.iter().enumerate() {
            let index = self.nodes.list.len() + place;
            self.write_compensator(&sampler, node, index, shift, budget, &mut tracks, glb);
        }
        for &(node, channels) in self.morphs {
            self.write_weights(&sampler, node, channels, shift, budget, &mut tracks, glb);
        }
        let place = format!("animation \"{}\"", clip.name);
        if tracks.channels.is_empty() {
            return;
        }
        if !is_exact {
            let what = "scales of parents shear some joints, which glTF cannot hold; the shear was left out";
            warnings.add(&place, what);
        }
        glb.animations.push(Json::Object(vec![
            ("name", Json::text(&clip.name)),
            ("channels", Json::List(tracks.channels)),
            ("samplers", Json::List(tracks.samplers)),
        ]));
    }

    /// Writes the transform of a node. False if it has shear.
    fn write_node(
        &self,
        sampler: &Sampler<'_>,
        index: usize,
        shift: f64,
        budget: &mut SampleBudget,
        tracks: &mut Tracks,
        glb: &mut Glb,
    ) -> bool {
        let Some(node) = self.nodes.get(index).filter(|node| sampler.is_animated(node)) else { return true };
        let times = sampler.node_times(node, budget);
        let (mut translations, mut rotations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_exact = true;
        for &time in &times {
            let (local, is_exact_here) = sampler.local(node, time);
            let local = self.settings.local(&local, node.parent.is_none());
            is_exact &= is_exact_here;
            let previous = rotations.last().copied().unwrap_or(local.rotation);
            // The sign of the shorter way.
            let is_opposite = previous.dot(local.rotation) < 0.0;
            rotations.push(if is_opposite { -local.rotation } else { local.rotation });
            translations.push(local.translation);
            scales.push(local.scale);
        }
        let rest = self.nodes.rest_in_gltf(self.settings, node);
        let times: Vec<f64> = times.iter().map(|time| time - shift).collect();
        let tolerance = TRANSLATION_TOLERANCE * self.extent;
        tracks.add_vectors(glb, index, "translation", &times, &translations, rest.translation, tolerance);
        tracks.add_rotations(glb, index, &times, &rotations, rest.rotation);
        tracks.add_vectors(glb, index, "scale", &times, &scales, rest.scale, SCALE_TOLERANCE);
        is_exact
    }

    /// Writes the scale of a compensator.
    #[expect(clippy::too_many_arguments, reason = "the three outputs belong to three owners")]
    fn write_compensator(
        &self,
        sampler: &Sampler<'_>,
        node: usize,
        index: usize,
        shift: f64,
        budget: &mut SampleBudget,
        tracks: &mut Tracks,
        glb: &mut Glb,
    ) {
        let Some(parent) = self.nodes.get(node).filter(|_| sampler.is_state_animated(node)) else { return };
        let times = sampler.state_times(parent, budget);
        let scales: Vec<DVec3> = times.iter().map(|&time| sampler.state(node, time).compensation()).collect();
        let times: Vec<f64> = times.iter().map(|time| time - shift).collect();
        let rest = parent.scale_state.compensation();
        tracks.add_vectors(glb, index, "scale", &times, &scales, rest, SCALE_TOLERANCE);
    }

    /// Writes the weights of blend shapes.
    #[expect(clippy::too_many_arguments, reason = "the three outputs belong to three owners")]
    fn write_weights(
        &self,
        sampler: &Sampler<'_>,
        node: usize,
        channels: &[Channel],
        shift: f64,
        budget: &mut SampleBudget,
        tracks: &mut Tracks,
        glb: &mut Glb,
    ) {
        let times = sampler.weight_times(channels, budget);
        let weights_at = |time: Option<f64>| {
            let mut weights = Vec::new();
            for channel in channels {
                let percent =
                    time.map_or(channel.weight, |time| sampler.weight(channel.id, channel.weight, time));
                channel.shape_weights(percent, &mut weights);
            }
            weights
        };
        let samples: Vec<Vec<f32>> = times.iter().map(|&time| weights_at(Some(time))).collect();
        let rest = weights_at(None);
        let is_near =
            |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SCALE_TOLERANCE as f32);
        if samples.iter().all(|sample| is_near(sample, &rest)) {
            return;
        }
        let error = |a: usize, b: usize| weights_error(&times, &samples, a, b);
        let kept = kept_samples(times.len(), SCALE_TOLERANCE, error);
        let values: Vec<[f32; 1]> =
            kept.iter().filter_map(|&i| samples.get(i)).flatten().map(|&weight| [weight]).collect();
        let times: Vec<f64> = times.iter().map(|time| time - shift).collect();
        let output = glb.add_floats(&values, FloatRole::Animation);
        tracks.add(glb, node, "weights", &times, &kept, output);
    }
}

impl Tracks {
    fn add(
        &mut self,
        glb: &mut Glb,
        node: usize,
        path: &'static str,
        times: &[f64],
        kept: &[usize],
        output: usize,
    ) {
        let times: Vec<[f32; 1]> =
            kept.iter().filter_map(|&i| times.get(i)).map(|&time| [time as f32]).collect();
        let input = glb.add_floats(&times, FloatRole::Animation);
        let target = vec![("node", Json::Int(node)), ("path", Json::text(path))];
        self.channels.push(Json::Object(vec![
            ("sampler", Json::Int(self.samplers.len())),
            ("target", Json::Object(target)),
        ]));
        self.samplers.push(Json::Object(vec![("input", Json::Int(input)), ("output", Json::Int(output))]));
    }

    #[expect(clippy::too_many_arguments, reason = "a track is its node, path, times, values and rest")]
    fn add_vectors(
        &mut self,
        glb: &mut Glb,
        node: usize,
        path: &'static str,
        times: &[f64],
        list: &[DVec3],
        rest: DVec3,
        tolerance: f64,
    ) {
        if list.iter().all(|value| value.abs_diff_eq(rest, tolerance)) {
            return;
        }
        let mut kept = kept_samples(times.len(), tolerance, |a, b| vector_error(times, list, a, b));
        if list.iter().all(|value| list.first().is_some_and(|first| first.abs_diff_eq(*value, tolerance))) {
            kept.truncate(1);
        }
        let values: Vec<[f32; 3]> =
            kept.iter().filter_map(|&i| list.get(i)).map(|value| value.as_vec3().to_array()).collect();
        let output = glb.add_floats(&values, FloatRole::Animation);
        self.add(glb, node, path, times, &kept, output);
    }

    fn add_rotations(&mut self, glb: &mut Glb, node: usize, times: &[f64], list: &[DQuat], rest: DQuat) {
        let is_near =
            |a: DQuat, b: DQuat| 1.0 - a.dot(b).abs() < 0.5 * ROTATION_TOLERANCE * ROTATION_TOLERANCE;
        if list.iter().all(|&value| is_near(value, rest)) {
            return;
        }
        let error = |a: usize, b: usize| rotation_error(times, list, a, b);
        let mut kept = kept_samples(times.len(), ROTATION_TOLERANCE, error);
        if list.iter().all(|&value| list.first().is_some_and(|&first| is_near(first, value))) {
            kept.truncate(1);
        }
        let values: Vec<[f32; 4]> = kept
            .iter()
            .filter_map(|&i| list.get(i))
            .map(|value| value.normalize().as_quat().to_array())
            .collect();
        let output = glb.add_floats(&values, FloatRole::Animation);
        self.add(glb, node, "rotation", times, &kept, output);
    }
}

/// The time at which a clip starts: as declared, or at its first key.
fn start_time(clip: &Clip) -> Option<f64> {
    if let Some([start, _]) = clip.range.filter(|[start, stop]| start < stop) {
        return Some(start);
    }
    let tracks = clip.layers.iter().flat_map(|layer| layer.tracks.values());
    let curves = tracks.flat_map(|track| track.curves.iter().flatten());
    curves.filter_map(|curve| curve.keys().first()).map(|key| key.time).min_by(f64::total_cmp)
}

/// Largest distance of the weights from the line between samples `a` and `b`.
fn weights_error(times: &[f64], list: &[Vec<f32>], a: usize, b: usize) -> impl Fn(usize) -> f64 {
    let row = |index: usize| list.get(index).map_or(&[][..], Vec::as_slice);
    let (start, end, fraction) = (row(a), row(b), fraction(times, a, b));
    move |i| {
        let (exact, fraction) = (row(i), fraction(i));
        let errors = exact.iter().zip(start.iter().zip(end)).map(|(&exact, (&a, &b))| {
            let between = f64::from(a) + (f64::from(b) - f64::from(a)) * fraction;
            (between - f64::from(exact)).abs()
        });
        errors.fold(0.0, f64::max)
    }
}
