//! The channels of a take, or before version 6 of a model: `Transform` with `T`, `R` and `S`, each
//! with `X`, `Y` and `Z`, and one channel per blend shape.

use glam::DVec3;

use crate::document::Node;

/// Channels of blend shapes end in this before version 6.
const SHAPE_SUFFIX: &[u8] = b" (Shape)";

/// A channel within a channel, a model of a take, or a model.
pub(crate) fn channel<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    named(node, name.as_bytes())
}

/// The channel of a blend shape.
pub(crate) fn of_shape<'n, 'a>(node: &'n Node<'a>, shape: &[u8]) -> Option<&'n Node<'a>> {
    named(node, shape).or_else(|| named(node, &[shape, SHAPE_SUFFIX].concat()))
}

/// One of the channels `T`, `R` and `S`.
pub(crate) fn of_transform<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    channel(channel(node, "Transform")?, name)
}

/// The value of a channel without keys.
pub(crate) fn default_value(channel: &Node<'_>) -> Option<f64> {
    channel.child("Default").and_then(|node| node.float(0))
}

/// The values of the channels `X`, `Y` and `Z` without keys.
pub(crate) fn default_vector(node: &Node<'_>, fallback: f64) -> DVec3 {
    let value = |axis| channel(node, axis).and_then(default_value).unwrap_or(fallback);
    DVec3::new(value("X"), value("Y"), value("Z"))
}

fn named<'n, 'a>(node: &'n Node<'a>, name: &[u8]) -> Option<&'n Node<'a>> {
    node.children.iter().find(|node| node.name == b"Channel" && node.bytes(0) == Some(name))
}
