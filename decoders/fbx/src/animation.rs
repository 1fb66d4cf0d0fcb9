//! Collects the animation of a file: stacks with layers (version 7) or takes (before).

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DVec3;

use crate::channels;
use crate::curves::Curve;
use crate::document::{Document, Node, decode_text};
use crate::error::Result;
use crate::keys::{self, SECONDS_PER_TICK};
use crate::objects::{Link, Objects};

/// What is animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Property {
    Translation,
    Rotation,
    Scaling,
    /// The weight of a blend shape channel. The number is that of its `ChannelId`.
    Weight(usize),
}

/// Three curves, one per component, with values for those that have none.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub curves: [Option<Rc<Curve>>; 3],
    /// None: the value at rest.
    pub defaults: [Option<f64>; 3],
}

impl Track {
    const EMPTY: Self = Self { curves: [const { None }; 3], defaults: [None; 3] };

    /// The value at a time in seconds.
    pub(crate) fn value(&self, rest: DVec3, time: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|i| match &self.curves[i] {
            Some(curve) => curve.value(time),
            None => self.defaults[i].unwrap_or(rest[i]),
        }))
    }
}

/// How a layer is combined with those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlendMode {
    Additive,
    Override,
}

/// One layer of a clip.
pub(crate) struct Layer {
    /// From 0 to 1.
    pub weight: f64,
    pub mode: BlendMode,
    /// Whether additive rotations are composed as rotations, not added angle by angle.
    pub composes_rotation: bool,
    /// Whether additive scales are multiplied.
    pub multiplies_scale: bool,
    pub tracks: BTreeMap<(usize, Property), Track>,
}

impl Layer {
    /// A layer that adds all of its tracks, such as the only one of a take.
    fn additive(tracks: BTreeMap<(usize, Property), Track>) -> Self {
        Self {
            weight: 1.0,
            mode: BlendMode::Additive,
            composes_rotation: true,
            multiplies_scale: true,
            tracks,
        }
    }
}

/// An animation stack or take.
pub(crate) struct Clip {
    pub name: String,
    /// The range in seconds that the file declares, if it does.
    pub range: Option<[f64; 2]>,
    /// The first layer is the base.
    pub layers: Vec<Layer>,
}

impl Clip {
    /// The tracks of a property, from the base up.
    pub(crate) fn tracks(
        &self,
        object: usize,
        property: Property,
    ) -> impl Iterator<Item = (usize, &Layer, &Track)> {
        let tracks = self.layers.iter().enumerate();
        tracks.filter_map(move |(i, layer)| Some((i, layer, layer.tracks.get(&(object, property))?)))
    }

    pub(crate) fn is_animated(&self, object: usize, property: Property) -> bool {
        self.tracks(object, property).next().is_some()
    }

    /// The value of a property, all layers combined component by component.
    pub(crate) fn value(&self, object: usize, property: Property, rest: DVec3, time: f64) -> DVec3 {
        self.tracks(object, property).fold(rest, |below, (index, layer, track)| {
            let value = track.value(rest, time);
            match layer.mode {
                _ if index == 0 => value,
                BlendMode::Override => below.lerp(value, layer.weight),
                BlendMode::Additive if property == Property::Scaling && layer.multiplies_scale => {
                    below * DVec3::ONE.lerp(value, layer.weight)
                }
                BlendMode::Additive => below + value * layer.weight,
            }
        })
    }
}

/// Reads all clips.
pub(crate) fn read(document: &Document<'_>, objects: &Objects<'_>) -> Result<Vec<Clip>> {
    if !objects.is_numbered() {
        return Ok(read_takes(document, objects));
    }
    let mut clips = Vec::new();
    let mut curves = BTreeMap::new();
    for (index, stack) in objects.of_class("AnimationStack") {
        let seconds = |name| stack.properties.int(name).map(|ticks| ticks as f64 * SECONDS_PER_TICK);
        let range = seconds("LocalStart").zip(seconds("LocalStop")).map(|(start, stop)| [start, stop]);
        let mut layers = Vec::new();
        for layer in objects.sources_of_class(index, "AnimationLayer") {
            layers.push(read_layer(objects, layer, &mut curves)?);
        }
        clips.push(Clip { name: stack.name.clone(), range, layers });
    }
    Ok(clips)
}

fn read_layer(
    objects: &Objects<'_>,
    layer: usize,
    curves: &mut BTreeMap<usize, Option<Rc<Curve>>>,
) -> Result<Layer> {
    let mut result = Layer::additive(BTreeMap::new());
    if let Some(object) = objects.get(layer) {
        let int = |name| object.properties.int(name).unwrap_or(0);
        result.weight = object.properties.float("Weight").unwrap_or(100.0).clamp(0.0, 100.0) / 100.0;
        result.mode = if int("BlendMode") == 0 { BlendMode::Additive } else { BlendMode::Override };
        result.composes_rotation = int("RotationAccumulationMode") == 0;
        result.multiplies_scale = int("ScaleAccumulationMode") == 0;
    }
    for curve_node in objects.sources_of_class(layer, "AnimationCurveNode") {
        let track = read_track(objects, curve_node, curves)?;
        for target in objects.targets(curve_node).iter().filter_map(target) {
            result.tracks.entry(target).or_insert_with(|| track.clone());
        }
    }
    Ok(result)
}

/// The object and property that a curve node is connected to, if it is one that is read.
fn target(link: &Link<'_>) -> Option<(usize, Property)> {
    let property = match link.property {
        b"Lcl Translation" => Property::Translation,
        b"Lcl Rotation" => Property::Rotation,
        b"Lcl Scaling" => Property::Scaling,
        b"DeformPercent" => Property::Weight(0),
        _ => return None,
    };
    Some((link.object, property))
}

/// Reads a curve node. Curves that several nodes share are decoded once.
fn read_track(
    objects: &Objects<'_>,
    curve_node: usize,
    curves: &mut BTreeMap<usize, Option<Rc<Curve>>>,
) -> Result<Track> {
    let mut track = Track::EMPTY;
    if let Some(node) = objects.get(curve_node) {
        track.defaults = ["d|X", "d|Y", "d|Z"].map(|name| node.properties.float(name));
        let percent = node.properties.float("d|DeformPercent");
        track.defaults[0] = track.defaults[0].or(percent);
    }
    for link in objects.sources(curve_node) {
        let Some(object) = objects.get(link.object).filter(|object| object.class == b"AnimationCurve") else {
            continue;
        };
        let component = match link.property {
            b"d|X" | b"X" | b"d|DeformPercent" => 0,
            b"d|Y" | b"Y" => 1,
            b"d|Z" | b"Z" => 2,
            _ => continue,
        };
        if let std::collections::btree_map::Entry::Vacant(entry) = curves.entry(link.object) {
            entry.insert(keys::read_curve(object.node)?.map(Rc::new));
        }
        track.curves[component] = curves.get(&link.object).cloned().flatten();
    }
    Ok(track)
}

/// Reads the takes before version 7. Each is one layer.
fn read_takes(document: &Document<'_>, objects: &Objects<'_>) -> Vec<Clip> {
    let takes = document.node("Takes").into_iter().flat_map(|takes| takes.children_named("Take"));
    let mut clips: Vec<Clip> = takes.map(|take| read_take(take, objects)).collect();
    clips.extend(read_channels_of_models(objects));
    clips
}

fn read_take(take: &Node<'_>, objects: &Objects<'_>) -> Clip {
    let mut tracks = BTreeMap::new();
    for model in take.children_named("Model") {
        let object = model.bytes(0).and_then(|name| objects.find_named(name));
        if let Some(object) = object {
            read_take_model(model, object, objects, &mut tracks);
        }
    }
    let range = take.child("LocalTime").or_else(|| take.child("ReferenceTime")).and_then(|node| {
        let seconds = |index| node.int(index).map(|ticks| ticks as f64 * SECONDS_PER_TICK);
        Some([seconds(0)?, seconds(1)?])
    });
    let name = take.bytes(0).map(|name| decode_text(name).into_owned()).unwrap_or_default();
    Clip { name, range, layers: vec![Layer::additive(tracks)] }
}

/// The clip that models hold themselves, which some have before version 6.
fn read_channels_of_models(objects: &Objects<'_>) -> Option<Clip> {
    let mut tracks = BTreeMap::new();
    for (index, object) in objects.of_class("Model") {
        read_take_model(object.node, index, objects, &mut tracks);
    }
    let has_keys = tracks.values().any(|track| track.curves.iter().any(Option::is_some));
    let clip = Clip { name: "Models".into(), range: None, layers: vec![Layer::additive(tracks)] };
    has_keys.then_some(clip)
}

fn read_take_model(
    model: &Node<'_>,
    object: usize,
    objects: &Objects<'_>,
    tracks: &mut BTreeMap<(usize, Property), Track>,
) {
    let curve = |channel: &Node<'_>| keys::read_take_curve(channel, objects.version).map(Rc::new);
    let properties = [("T", Property::Translation), ("R", Property::Rotation), ("S", Property::Scaling)];
    for (name, property) in properties {
        let Some(channel) = channels::of_transform(model, name) else { continue };
        let mut track = Track::EMPTY;
        for (component, axis) in ["X", "Y", "Z"].iter().enumerate() {
            if let Some(axis) = channels::channel(channel, axis) {
                track.curves[component] = curve(axis);
                track.defaults[component] = channels::default_value(axis);
            }
        }
        tracks.insert((object, property), track);
    }
    let shapes = objects.get(object).into_iter().flat_map(|object| object.node.children_named("Shape"));
    for (index, shape) in shapes.enumerate() {
        if let Some(channel) = shape.bytes(0).and_then(|name| channels::of_shape(model, name)) {
            let mut track = Track::EMPTY;
            track.curves[0] = curve(channel);
            track.defaults[0] = channels::default_value(channel);
            tracks.insert((object, Property::Weight(index + 1)), track);
        }
    }
}
