//! The property list of an object, with the defaults of its class.

use glam::DVec3;

use crate::channels;
use crate::document::Node;

/// The properties of an object.
#[derive(Clone, Copy)]
pub(crate) enum Properties<'d> {
    /// A list of entries. Those it lacks are looked up in the template of the class.
    Entries { own: Option<&'d Node<'d>>, template: Option<&'d Node<'d>> },
    /// Before version 6: children of the object, channels of the object, and those of the object in
    /// a take.
    Children { own: &'d Node<'d>, take: Option<&'d Node<'d>> },
}

/// Index of the first value of an entry `P: name, type, label, flags, value`.
const FIRST_VALUE: usize = 4;

/// The same of an entry `Property: name, type, flags, value` of version 6.
const FIRST_VALUE_6: usize = 3;

/// The children that are read, after the names that properties have since version 6.
const CHILDREN: [(&str, &str); 4] = [
    ("DiffuseColor", "Diffuse"),
    ("EmissiveColor", "Emissive"),
    ("Shininess", "Shininess"),
    ("Opacity", "Alpha"),
];

/// The channels that hold the transform at rest, and what a component is without one.
const CHANNELS: [(&str, &str, f64); 3] =
    [("Lcl Translation", "T", 0.0), ("Lcl Rotation", "R", 0.0), ("Lcl Scaling", "S", 1.0)];

impl<'d> Properties<'d> {
    pub(crate) fn new(object: &'d Node<'d>, template: Option<&'d Node<'d>>) -> Self {
        Self::Entries { own: list(object), template: template.and_then(list) }
    }

    /// The properties of an object before version 6, and the node of the object in a take.
    pub(crate) fn of_children(own: &'d Node<'d>, take: Option<&'d Node<'d>>) -> Self {
        Self::Children { own, take }
    }

    /// The entry of a property and the index of its first value.
    fn entry(&self, name: &str) -> Option<(&'d Node<'d>, usize)> {
        match *self {
            Self::Entries { own, template } => find(own, name).or_else(|| find(template, name)),
            Self::Children { own, .. } => find_child(own, name),
        }
    }

    /// Whether the object itself has the property.
    pub(crate) fn has(&self, name: &str) -> bool {
        match *self {
            Self::Entries { own, .. } => find(own, name).is_some(),
            Self::Children { own, .. } => find_child(own, name).is_some(),
        }
    }

    pub(crate) fn float(&self, name: &str) -> Option<f64> {
        if let Some((entry, first)) = self.entry(name) {
            return entry.float(first);
        }
        self.channels().find_map(|node| channels::default_value(channels::of_shape(node, name.as_bytes())?))
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        let (entry, first) = self.entry(name)?;
        entry.int(first)
    }

    pub(crate) fn vec3(&self, name: &str) -> Option<DVec3> {
        if let Some((entry, first)) = self.entry(name) {
            return Some(DVec3::new(entry.float(first)?, entry.float(first + 1)?, entry.float(first + 2)?));
        }
        let (_, channel, missing) = CHANNELS.iter().find(|entry| entry.0 == name)?;
        let channel = self.channels().find_map(|node| channels::of_transform(node, channel))?;
        Some(channels::default_vector(channel, *missing))
    }

    /// The nodes that may have channels.
    fn channels(&self) -> impl Iterator<Item = &'d Node<'d>> {
        let nodes = match *self {
            Self::Entries { .. } => [None, None],
            Self::Children { own, take } => [Some(own), take],
        };
        nodes.into_iter().flatten()
    }
}

fn list<'d>(node: &'d Node<'d>) -> Option<&'d Node<'d>> {
    node.child("Properties70").or_else(|| node.child("Properties60"))
}

fn find<'d>(list: Option<&'d Node<'d>>, name: &str) -> Option<(&'d Node<'d>, usize)> {
    let entry = list?.children.iter().find(|entry| entry.bytes(0) == Some(name.as_bytes()))?;
    let first = if entry.name == b"P" { FIRST_VALUE } else { FIRST_VALUE_6 };
    Some((entry, first))
}

fn find_child<'d>(object: &'d Node<'d>, name: &str) -> Option<(&'d Node<'d>, usize)> {
    let (_, child) = CHILDREN.iter().find(|entry| entry.0 == name)?;
    Some((object.child(child)?, 0))
}
