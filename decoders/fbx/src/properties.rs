//! The property list of an object, with the defaults of its class.

use glam::DVec3;

use crate::document::Node;

/// The properties of an object. Those it lacks are looked up in the template of its class.
#[derive(Clone, Copy)]
pub(crate) struct Properties<'d> {
    own: Option<&'d Node<'d>>,
    template: Option<&'d Node<'d>>,
}

/// Index of the first value of an entry `P: name, type, label, flags, value`.
const FIRST_VALUE: usize = 4;

/// The same of an entry `Property: name, type, flags, value` of version 6.
const FIRST_VALUE_6: usize = 3;

impl<'d> Properties<'d> {
    pub(crate) fn new(object: &'d Node<'d>, template: Option<&'d Node<'d>>) -> Self {
        Self { own: list(object), template: template.and_then(list) }
    }

    /// The entry of a property and the index of its first value.
    fn entry(&self, name: &str) -> Option<(&'d Node<'d>, usize)> {
        find(self.own, name).or_else(|| find(self.template, name))
    }

    /// Whether the object itself has the property.
    pub(crate) fn has(&self, name: &str) -> bool {
        find(self.own, name).is_some()
    }

    pub(crate) fn float(&self, name: &str) -> Option<f64> {
        let (entry, first) = self.entry(name)?;
        entry.float(first)
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        let (entry, first) = self.entry(name)?;
        entry.int(first)
    }

    pub(crate) fn vec3(&self, name: &str) -> Option<DVec3> {
        let (entry, first) = self.entry(name)?;
        Some(DVec3::new(entry.float(first)?, entry.float(first + 1)?, entry.float(first + 2)?))
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
