//! Samples the local transforms of nodes at the frames and keys of a clip.

use glam::{DQuat, DVec3};

use crate::animation::{BlendMode, Clip, Property};
use crate::blend_shapes::{Channel, ChannelId};
use crate::curves::{Curve, Interpolation};
use crate::nodes::{Node, Nodes};
use crate::sort::{number_key, sort_by_key};
use crate::transform::{Inherit, Local, ScaleState};

/// Largest number of samples of one track. If a clip has more frames, they are taken less often. If
/// larger, a file with one key a year away takes minutes.
const MAX_SAMPLES: usize = 20_000;

/// Largest number of samples of a file. Further tracks are sampled at their keys only.
const MAX_TOTAL_SAMPLES: usize = 4_000_000;

/// Time before a stepped key at which the value before the step is sampled, in seconds.
const STEP: f64 = 1e-4;

/// Largest distance of the start of a clip from zero, in seconds, at which the times of the file
/// are kept. Other clips are moved to start at zero. Many programs start at frame 1.
pub(crate) const MAX_START: f64 = 0.1;

/// Largest number of ancestors whose animated scale is evaluated.
const MAX_ANCESTORS: usize = 256;

/// Samples one clip.
pub(crate) struct Sampler<'s> {
    pub clip: &'s Clip,
    pub nodes: &'s Nodes,
    pub frame_rate: f64,
    /// For each node, whether what it passes on to children changes over time.
    has_animated_state: Vec<bool>,
}

/// Samples that a file may still have.
pub(crate) struct SampleBudget(usize);

impl SampleBudget {
    pub(crate) const FULL: Self = Self(MAX_TOTAL_SAMPLES);
}

impl<'s> Sampler<'s> {
    pub(crate) fn new(clip: &'s Clip, nodes: &'s Nodes, frame_rate: f64) -> Self {
        let mut has_animated_state: Vec<bool> = Vec::with_capacity(nodes.list.len());
        for node in &nodes.list {
            let above = node.parent.is_some_and(|parent| has_animated_state.get(parent) == Some(&true));
            let rotates_shear = node.transform.inherit == Inherit::Matrix
                && clip.is_animated(node.object, Property::Rotation)
                && !nodes.state_above(node).is_uniform();
            let scales = clip.is_animated(node.object, Property::Scaling);
            has_animated_state.push(above || scales || rotates_shear);
        }
        Self { clip, nodes, frame_rate, has_animated_state }
    }

    /// Whether the local transform of a node changes over time.
    pub(crate) fn is_animated(&self, node: &Node) -> bool {
        let own = [Property::Translation, Property::Rotation, Property::Scaling];
        own.iter().any(|&property| self.clip.is_animated(node.object, property)) || self.follows_state(node)
    }

    /// Whether the transform of a node depends on the animated scale of its ancestors.
    pub(crate) fn follows_state(&self, node: &Node) -> bool {
        node.transform.inherit != Inherit::Matrix
            && node.parent.is_some_and(|parent| self.is_state_animated(parent))
    }

    pub(crate) fn is_state_animated(&self, node: usize) -> bool {
        self.has_animated_state.get(node) == Some(&true)
    }

    /// The times in seconds at which a node is sampled, in increasing order.
    pub(crate) fn node_times(&self, node: &Node, budget: &mut SampleBudget) -> Vec<f64> {
        if self.follows_state(node) {
            return self.state_times(node, budget);
        }
        let mut curves = Vec::new();
        self.collect_curves(node, &mut curves);
        self.times(&curves, budget)
    }

    /// The times at which what a node passes on is sampled.
    pub(crate) fn state_times(&self, node: &Node, budget: &mut SampleBudget) -> Vec<f64> {
        let mut curves = Vec::new();
        self.collect_curves(node, &mut curves);
        self.ancestors(node).for_each(|ancestor| self.collect_curves(ancestor, &mut curves));
        self.times(&curves, budget)
    }

    /// The times at which the weight of a channel is sampled.
    pub(crate) fn weight_times(&self, channels: &[Channel], budget: &mut SampleBudget) -> Vec<f64> {
        let mut curves = Vec::new();
        for channel in channels {
            self.collect_property(channel.id.0, Property::Weight(channel.id.1), &mut curves);
        }
        self.times(&curves, budget)
    }

    fn collect_curves(&self, node: &Node, curves: &mut Vec<&'s Curve>) {
        for property in [Property::Translation, Property::Rotation, Property::Scaling] {
            self.collect_property(node.object, property, curves);
        }
    }

    fn collect_property(&self, object: usize, property: Property, curves: &mut Vec<&'s Curve>) {
        for (_, _, track) in self.clip.tracks(object, property) {
            curves.extend(track.curves.iter().flatten().map(std::rc::Rc::as_ref));
        }
    }

    fn ancestors(&self, node: &Node) -> impl Iterator<Item = &'s Node> {
        let nodes = self.nodes;
        let parent = move |node: &&'s Node| node.parent.and_then(|parent| nodes.get(parent));
        std::iter::successors(node.parent.and_then(|parent| nodes.get(parent)), parent).take(MAX_ANCESTORS)
    }

    /// Frames and key times of the curves, within the range of the clip.
    fn times(&self, curves: &[&Curve], budget: &mut SampleBudget) -> Vec<f64> {
        let keys = || curves.iter().flat_map(|curve| curve.keys());
        let (mut first, mut last) =
            keys().fold((f64::MAX, f64::MIN), |(a, b), key| (a.min(key.time), b.max(key.time)));
        let [start, stop] = self.clip.range.filter(|[start, stop]| start < stop).unwrap_or([first, last]);
        // Clips that start near zero keep their times, which may not be negative.
        let start = if start.abs() <= MAX_START { start.max(0.0) } else { start };
        if first > last || first >= stop || last <= start {
            return vec![start];
        }
        first = first.max(start);
        last = last.min(stop);
        let mut times = vec![first, last];
        for key in keys().filter(|key| key.time > first && key.time < last) {
            times.push(key.time);
        }
        times.extend(self.step_times(curves).filter(|time| *time > first && *time < last));
        let frames = (last - first) * self.frame_rate;
        if frames < MAX_SAMPLES as f64 && budget.0 > frames as usize {
            let frame = (first * self.frame_rate).ceil();
            times.extend((0..=frames as usize).map(|i| (frame + i as f64) / self.frame_rate));
            times.retain(|time| *time <= last);
        }
        sort_by_key(&mut times, |&time| number_key(time));
        // Frames and keys that coincide up to rounding are one sample.
        times.dedup_by(|later, kept| *later - *kept < 1e-6);
        times.truncate(4 * MAX_SAMPLES);
        budget.0 = budget.0.saturating_sub(times.len());
        times
    }

    /// Times just before the steps of curves.
    fn step_times(&self, curves: &[&'s Curve]) -> impl Iterator<Item = f64> {
        let steps = curves.iter().flat_map(|curve| curve.keys().windows(2)).filter_map(|pair| match pair {
            [key, next] if key.interpolation == Interpolation::Constant => Some(next.time - STEP),
            [key, _] if key.interpolation == Interpolation::ConstantNext => Some(key.time + STEP),
            _ => None,
        });
        steps.collect::<Vec<f64>>().into_iter()
    }

    /// The transform of a node relative to its parent in glTF at a time. False if there is shear.
    pub(crate) fn local(&self, node: &Node, time: f64) -> (Local, bool) {
        let above = match node.parent {
            Some(parent) if self.follows_state(node) => self.state(parent, time),
            _ => self.nodes.state_above(node),
        };
        self.nodes.relative(node, &above, &self.own_local(node, time))
    }

    /// The local transform of a node before inheritance.
    fn own_local(&self, node: &Node, time: f64) -> Local {
        let value = |property, rest| self.clip.value(node.object, property, rest, time);
        let translation = value(Property::Translation, node.transform.translation);
        let scale = value(Property::Scaling, node.transform.scaling);
        node.transform.local(translation, self.rotation(node, time), scale)
    }

    /// The rotation of a node. Additive layers are composed as rotations if they ask for it.
    fn rotation(&self, node: &Node, time: f64) -> DQuat {
        let tracks = self.clip.tracks(node.object, Property::Rotation);
        let mut angles = node.transform.rotation;
        let mut composed = DQuat::IDENTITY;
        for (index, layer, track) in tracks {
            let value = track.value(node.transform.rotation, time);
            match layer.mode {
                _ if index == 0 => angles = value,
                BlendMode::Override => {
                    angles = angles.lerp(value, layer.weight);
                    composed = DQuat::IDENTITY.slerp(composed, 1.0 - layer.weight);
                }
                BlendMode::Additive if layer.composes_rotation => {
                    composed *= DQuat::IDENTITY.slerp(node.transform.euler(value), layer.weight);
                }
                BlendMode::Additive => angles += value * layer.weight,
            }
        }
        node.transform.euler(angles) * composed
    }

    /// What a node passes on to its children at a time.
    pub(crate) fn state(&self, node: usize, time: f64) -> ScaleState {
        let Some(node) = self.nodes.get(node) else { return ScaleState::IDENTITY };
        let mut chain = vec![node];
        chain.extend(self.ancestors(node));
        chain.iter().rev().fold(ScaleState::IDENTITY, |state, node| {
            state.child(node.transform.inherit, &self.own_local(node, time))
        })
    }

    /// The weight of a blend shape channel at a time, in per cent.
    pub(crate) fn weight(&self, id: ChannelId, rest: f64, time: f64) -> f64 {
        self.clip.value(id.0, Property::Weight(id.1), DVec3::splat(rest), time).x
    }
}
