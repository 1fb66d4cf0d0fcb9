//! The tree of nodes that an FBX file is, binary or text alike.
//!
//! Arrays are references to the bytes of the file. They are decoded when they are asked for, so
//! that curves and layers that nobody needs cost nothing.

use std::borrow::Cow;

use crate::array::Array;
use crate::error::{Error, Result};

/// Largest depth of nested nodes. Real files stay below 12. If larger, a malicious file exhausts
/// the stack.
pub(crate) const MAX_DEPTH: usize = 40;

/// A file as a tree.
pub(crate) struct Document<'a> {
    /// The version times 1000, for example 7400.
    pub version: u32,
    pub nodes: Vec<Node<'a>>,
    /// Size of the file, in bytes.
    pub file_bytes: usize,
}

/// One value of a node.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Int(i64),
    Float(f64),
    /// Text or raw bytes.
    Bytes(&'a [u8]),
    Array(Array<'a>),
}

/// A node: a name, values, and child nodes.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub name: &'a [u8],
    pub values: Vec<Value<'a>>,
    pub children: Vec<Node<'a>>,
    /// Byte offset in binary files, line in text files.
    pub position: Position,
}

/// A location in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Position {
    Byte(usize),
    Line(usize),
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

impl<'a> Document<'a> {
    pub(crate) fn node(&self, name: &str) -> Option<&Node<'a>> {
        self.nodes.iter().find(|node| node.name == name.as_bytes())
    }
}

impl<'a> Node<'a> {
    pub(crate) fn child(&self, name: &str) -> Option<&Node<'a>> {
        self.children.iter().find(|node| node.name == name.as_bytes())
    }

    pub(crate) fn children_named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Node<'a>> {
        self.children.iter().filter(move |node| node.name == name.as_bytes())
    }

    /// The value at `index`, if it is a whole number or can be rounded to one.
    pub(crate) fn int(&self, index: usize) -> Option<i64> {
        match self.values.get(index)? {
            Value::Int(value) => Some(*value),
            Value::Float(value) => Some(*value as i64),
            Value::Bytes(_) | Value::Array(_) => None,
        }
    }

    /// The value at `index`, if it is a finite number.
    pub(crate) fn float(&self, index: usize) -> Option<f64> {
        match self.values.get(index)? {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value).filter(|value| value.is_finite()),
            Value::Bytes(_) | Value::Array(_) => None,
        }
    }

    pub(crate) fn bytes(&self, index: usize) -> Option<&'a [u8]> {
        match self.values.get(index)? {
            Value::Bytes(bytes) => Some(bytes),
            Value::Int(_) | Value::Float(_) | Value::Array(_) => None,
        }
    }

    pub(crate) fn text(&self, index: usize) -> Option<Cow<'a, str>> {
        self.bytes(index).map(decode_text)
    }

    /// The first value of a child, as a whole number.
    pub(crate) fn child_int(&self, name: &str) -> Option<i64> {
        self.child(name)?.int(0)
    }

    /// The first value of a child, as text.
    pub(crate) fn child_text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.child(name)?.text(0)
    }

    /// Number of elements of the array that this node holds.
    pub(crate) fn array_len(&self) -> usize {
        match self.values.first() {
            Some(Value::Array(array)) => array.len(),
            _ => self.values.len(),
        }
    }

    /// The array that this node holds: one array value, or in older files one value per element.
    pub(crate) fn floats(&self) -> Result<Vec<f64>> {
        match self.values.first() {
            Some(Value::Array(array)) => array.floats().map_err(|error| self.locate(error)),
            _ => Ok(self.values.iter().filter_map(scalar).collect()),
        }
    }

    /// The same with whole numbers.
    pub(crate) fn ints(&self) -> Result<Vec<i64>> {
        match self.values.first() {
            Some(Value::Array(array)) => array.ints().map_err(|error| self.locate(error)),
            _ => Ok((0..self.values.len()).filter_map(|i| self.int(i)).collect()),
        }
    }

    /// The array of a child. Empty if there is none.
    pub(crate) fn child_floats(&self, name: &str) -> Result<Vec<f64>> {
        self.child(name).map_or_else(|| Ok(Vec::new()), Node::floats)
    }

    /// The array of a child. Empty if there is none.
    pub(crate) fn child_ints(&self, name: &str) -> Result<Vec<i64>> {
        self.child(name).map_or_else(|| Ok(Vec::new()), Node::ints)
    }

    /// The same of floats that text files store as the integers of their bits.
    pub(crate) fn child_floats_from_bits(&self, name: &str) -> Result<Vec<f64>> {
        match self.child(name).map(|child| (child, child.values.first())) {
            Some((child, Some(Value::Array(array)))) => {
                array.floats_from_bits().map_err(|error| child.locate(error))
            }
            _ => self.child_floats(name),
        }
    }

    fn locate(&self, error: Error) -> Error {
        Error { place: format!("{}, node {}", self.position, decode_text(self.name)), ..error }
    }
}

/// A number, finite or not, so that lists keep their places.
fn scalar(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Bytes(_) | Value::Array(_) => None,
    }
}

/// Text of a file. Bytes that are not UTF-8 are read as Latin-1.
pub(crate) fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}
