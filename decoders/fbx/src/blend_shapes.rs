//! Reads blend shapes: channels with one shape, or several at increasing weights (in-betweens).

use glam::DVec3;

use crate::document::Node;
use crate::error::{Result, Warnings};
use crate::objects::Objects;
use crate::sort::{number_key, sorted_indices};

/// The weight in per cent at which the only shape of a channel is fully applied.
const FULL_WEIGHT: f64 = 100.0;

/// Largest number of shapes of a mesh. Further shapes are left out. If larger, a malicious file
/// that connects one shape a million times exhausts the memory.
const MAX_SHAPES: usize = 2048;

/// Number of displacements that the shapes of a mesh may have, however small the file is. If
/// larger, a malicious file that connects one large shape many times exhausts the memory.
const FREE_OFFSETS: usize = 2_000_000;

/// Bytes of file per displacement beyond [`FREE_OFFSETS`].
const BYTES_PER_OFFSET: usize = 8;

/// Number of displacements that may be decoded, zeros included, per displacement that may be kept.
const DECODED_PER_OFFSET: usize = 16;

/// What the shapes of a mesh may still have.
struct Budget {
    shapes: usize,
    offsets: usize,
    decoded: usize,
}

impl Budget {
    fn new(file_bytes: usize) -> Self {
        let offsets = FREE_OFFSETS.max(file_bytes / BYTES_PER_OFFSET);
        Self { shapes: MAX_SHAPES, offsets, decoded: offsets.saturating_mul(DECODED_PER_OFFSET) }
    }

    /// Reads a shape, unless the budget is used up.
    fn read(&mut self, node: &Node<'_>, name: String, full_weight: f64) -> Result<Option<Shape>> {
        let decoded = node.child("Vertices").map_or(0, Node::array_len);
        let left = (self.shapes.checked_sub(1), self.decoded.checked_sub(decoded));
        let (Some(shapes), Some(decoded)) = left else {
            self.shapes = 0;
            return Ok(None);
        };
        (self.shapes, self.decoded) = (shapes, decoded);
        let shape = read_shape(node, name, full_weight)?;
        let Some(offsets) = self.offsets.checked_sub(shape.offsets.len()) else {
            self.shapes = 0;
            return Ok(None);
        };
        self.offsets = offsets;
        Ok(Some(shape))
    }
}

/// What identifies a channel in animations: an object, and an index among its shapes in version 6.
pub(crate) type ChannelId = (usize, usize);

/// Displacements of some control points, in FBX space.
pub(crate) struct Shape {
    pub name: String,
    /// Weight of the channel in per cent at which the shape is fully applied.
    pub full_weight: f64,
    /// Control point, displacement, and displacement of the normal.
    pub offsets: Vec<(u32, DVec3, DVec3)>,
    pub has_normals: bool,
}

/// A slider with its shapes, in increasing order of full weight.
pub(crate) struct Channel {
    pub id: ChannelId,
    /// Weight at rest, in per cent.
    pub weight: f64,
    pub shapes: Vec<Shape>,
}

impl Channel {
    /// Appends the weight of each shape if the channel is at `percent`.
    pub(crate) fn shape_weights(&self, percent: f64, weights: &mut Vec<f32>) {
        let mut below = 0.0;
        let mut shapes = self.shapes.iter().peekable();
        let mut is_first = true;
        while let Some(shape) = shapes.next() {
            let rising = (percent - below) / (shape.full_weight - below);
            let weight = match shapes.peek() {
                // Beyond its full weight a shape fades out while the next fades in.
                Some(next) if percent > shape.full_weight => {
                    1.0 - (percent - shape.full_weight) / (next.full_weight - shape.full_weight)
                }
                _ => rising,
            };
            let is_extrapolated = (is_first && percent < 0.0) || shapes.peek().is_none();
            let weight =
                if is_extrapolated && (is_first || weight > 0.0) { weight } else { weight.clamp(0.0, 1.0) };
            weights.push(weight as f32);
            below = shape.full_weight;
            is_first = false;
        }
    }
}

/// Reads the channels that deform a mesh. `owner` is the geometry, or the model in version 6.
pub(crate) fn read(
    objects: &Objects<'_>,
    owner: usize,
    file_bytes: usize,
    warnings: &mut Warnings,
) -> Result<Vec<Channel>> {
    let mut channels = Vec::new();
    let mut budget = Budget::new(file_bytes);
    for deformer in objects.sources_of_kind(owner, "Deformer", "BlendShape") {
        for channel in objects.sources_of_kind(deformer, "Deformer", "BlendShapeChannel") {
            channels.extend(read_channel(objects, channel, &mut budget)?);
        }
    }
    let Some(object) = objects.get(owner) else { return Ok(channels) };
    for (index, node) in object.node.children_named("Shape").enumerate() {
        let name = node.text(0).unwrap_or_default().into_owned();
        let weight = object.properties.float(&name).unwrap_or(0.0);
        if let Some(shape) = budget.read(node, name, FULL_WEIGHT)? {
            channels.push(Channel { id: (owner, index + 1), weight, shapes: vec![shape] });
        }
    }
    if budget.shapes == 0 {
        let place = format!("mesh \"{}\"", object.name);
        warnings.add(place, "its blend shapes exceed the limits for a file of this size; some were left out");
    }
    Ok(channels)
}

fn read_channel(objects: &Objects<'_>, channel: usize, budget: &mut Budget) -> Result<Option<Channel>> {
    let Some(object) = objects.get(channel) else { return Ok(None) };
    let full_weights = object.node.child_floats("FullWeights")?;
    let targets = objects.sources_of_kind(channel, "Geometry", "Shape");
    let mut shapes = Vec::new();
    for (index, &target) in targets.iter().enumerate() {
        let Some(shape) = objects.get(target) else { continue };
        let spread = FULL_WEIGHT * (index + 1) as f64 / targets.len() as f64;
        let full_weight = full_weights.get(index).copied().filter(|weight| *weight > 0.0).unwrap_or(spread);
        let name = if targets.len() == 1 { &object.name } else { &shape.name };
        shapes.extend(budget.read(shape.node, name.clone(), full_weight)?);
    }
    let order = sorted_indices(shapes.iter().map(|shape| number_key(shape.full_weight)));
    let mut unsorted: Vec<Option<Shape>> = shapes.into_iter().map(Some).collect();
    let sorted = order.into_iter().filter_map(|index| unsorted.get_mut(index).and_then(Option::take));
    let mut shapes: Vec<Shape> = sorted.collect();
    shapes.dedup_by(|later, kept| later.full_weight - kept.full_weight < 1e-6);
    let weight =
        object.properties.float("DeformPercent").or_else(|| object.node.child("DeformPercent")?.float(0));
    let channel = Channel { id: (channel, 0), weight: weight.unwrap_or(0.0), shapes };
    Ok((!channel.shapes.is_empty()).then_some(channel))
}

fn read_shape(node: &Node<'_>, name: String, full_weight: f64) -> Result<Shape> {
    let indices = node.child_ints("Indexes")?;
    let positions = node.child_floats("Vertices")?;
    let normals = node.child_floats("Normals")?;
    let has_normals = normals.len() == positions.len() && !normals.is_empty();
    let at = |list: &[f64], index: usize| {
        let vector: Option<[f64; 3]> = list.get(3 * index..3 * index + 3).and_then(|v| v.try_into().ok());
        vector.map(DVec3::from).filter(|vector| vector.is_finite())
    };
    let offset = |(index, point): (usize, i64)| {
        let normal = at(&normals, index).filter(|_| has_normals).unwrap_or(DVec3::ZERO);
        let offset = (u32::try_from(point).ok()?, at(&positions, index)?, normal);
        Some(offset).filter(|(_, position, normal)| *position != DVec3::ZERO || *normal != DVec3::ZERO)
    };
    let offsets = indices.into_iter().enumerate().filter_map(offset).collect();
    Ok(Shape { name, full_weight, offsets, has_normals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(full_weights: &[f64], percent: f64) -> Vec<f32> {
        let shape = |&full_weight: &f64| Shape {
            name: String::new(),
            full_weight,
            offsets: Vec::new(),
            has_normals: false,
        };
        let channel = Channel { id: (0, 0), weight: 0.0, shapes: full_weights.iter().map(shape).collect() };
        let mut weights = Vec::new();
        channel.shape_weights(percent, &mut weights);
        weights
    }

    #[test]
    fn a_single_shape_is_proportional_everywhere() {
        assert_eq!(weights(&[100.0], -50.0), [-0.5]);
        assert_eq!(weights(&[100.0], 25.0), [0.25]);
        assert_eq!(weights(&[100.0], 150.0), [1.5]);
    }

    #[test]
    fn in_betweens_fade_into_each_other() {
        let at = |percent| weights(&[25.0, 50.0, 100.0], percent);
        assert_eq!(at(0.0), [0.0, 0.0, 0.0]);
        assert_eq!(at(12.5), [0.5, 0.0, 0.0]);
        assert_eq!(at(25.0), [1.0, 0.0, 0.0]);
        assert_eq!(at(40.0), [0.4, 0.6, 0.0].map(|w: f64| w as f32));
        assert_eq!(at(50.0), [0.0, 1.0, 0.0]);
        assert_eq!(at(75.0), [0.0, 0.5, 0.5]);
        assert_eq!(at(100.0), [0.0, 0.0, 1.0]);
    }
}
