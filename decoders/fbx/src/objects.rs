//! The objects of a file and the connections between them.
//!
//! From version 7 on, objects have numbers. Before, they are named "Class::name". Both are keys
//! of one table, so the rest of the reader does not tell them apart. Before version 6 there is no
//! table in the file: `legacy` makes one.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, Node, decode_text};
use crate::error::{Result, Warnings};
use crate::legacy;
use crate::properties::Properties;

/// The first version whose objects have numbers.
const NUMBERED_VERSION: u32 = 7000;

/// What identifies an object in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'d> {
    Number(i64),
    Name { class: &'d [u8], name: &'d [u8] },
}

/// One object.
pub(crate) struct Object<'d> {
    pub name: String,
    /// The name of its node, for example "Model" or "Geometry".
    pub class: &'d [u8],
    /// The subclass, for example "Mesh" or "LimbNode".
    pub kind: &'d [u8],
    pub node: &'d Node<'d>,
    pub properties: Properties<'d>,
}

/// An object at the other end of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Link<'d> {
    pub object: usize,
    /// The property connected to. Empty if it is the object itself.
    pub property: &'d [u8],
}

/// All objects of a file.
pub(crate) struct Objects<'d> {
    pub list: Vec<Object<'d>>,
    /// For each object, what is connected to it, in the order of the file.
    sources: Vec<Vec<Link<'d>>>,
    /// For each object, what it is connected to.
    targets: Vec<Vec<Link<'d>>>,
    keys: BTreeMap<Key<'d>, usize>,
    pub version: u32,
}

impl<'d> Objects<'d> {
    pub(crate) fn read(document: &'d Document<'d>, warnings: &mut Warnings) -> Result<Self> {
        let mut objects = Self {
            list: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            keys: BTreeMap::new(),
            version: document.version,
        };
        if legacy::is_legacy(document.version) {
            legacy::read(document, &mut objects, warnings)?;
            return Ok(objects);
        }
        let templates = templates(document);
        for node in document.node("Objects").map_or(&[][..], |objects| &objects.children) {
            objects.add(node, &templates);
        }
        let connections = document.node("Connections").map_or(&[][..], |node| &node.children);
        connections.iter().for_each(|node| objects.read_connection(node));
        Ok(objects)
    }

    /// Whether objects are identified by number.
    pub(crate) fn is_numbered(&self) -> bool {
        self.version >= NUMBERED_VERSION
    }

    fn add(&mut self, node: &'d Node<'d>, templates: &BTreeMap<&'d [u8], &'d Node<'d>>) {
        let offset = usize::from(self.is_numbered());
        let Some(full_name) = node.bytes(offset) else { return };
        let kind = node.bytes(offset + 1).unwrap_or_default();
        let kind = kind.strip_prefix(b"Fbx").unwrap_or(kind);
        let Some(key) = self.key(node, 0) else { return };
        let properties = Properties::new(node, templates.get(node.name).copied());
        self.keys.entry(key).or_insert(self.list.len());
        self.push(Object { name: decode_name(full_name), class: node.name, kind, node, properties });
    }

    /// Adds an object that the first value of its node names. Returns its index.
    pub(crate) fn add_named(&mut self, object: Object<'d>, node: &Node<'d>) -> usize {
        if let Some(key) = self.key(node, 0) {
            self.keys.entry(key).or_insert(self.list.len());
        }
        self.push(object)
    }

    /// Adds an object that nothing refers to by name. Returns its index.
    pub(crate) fn push(&mut self, object: Object<'d>) -> usize {
        self.list.push(object);
        self.sources.push(Vec::new());
        self.targets.push(Vec::new());
        self.list.len() - 1
    }

    /// The key at a value of an object or connection.
    fn key(&self, node: &Node<'d>, index: usize) -> Option<Key<'d>> {
        if self.is_numbered() {
            return node.int(index).map(Key::Number);
        }
        let (class, name) = split_name(node.bytes(index)?);
        Some(Key::Name { class, name })
    }

    fn read_connection(&mut self, node: &'d Node<'d>) {
        let property = match node.bytes(0) {
            Some(b"OO") => &[][..],
            Some(b"OP") => node.bytes(3).unwrap_or_default(),
            // Connections from properties drive constraints only.
            _ => return,
        };
        let find = |index| self.key(node, index).and_then(|key| self.keys.get(&key).copied());
        if let (Some(source), Some(target)) = (find(1), find(2)) {
            self.connect(source, target, property);
        }
    }

    /// Connects an object to another one, or to a property of it.
    pub(crate) fn connect(&mut self, source: usize, target: usize, property: &'d [u8]) {
        if let Some(list) = self.sources.get_mut(target) {
            list.push(Link { object: source, property });
        }
        if let Some(list) = self.targets.get_mut(source) {
            list.push(Link { object: target, property });
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Object<'d>> {
        self.list.get(index)
    }

    /// The index of a model by its full name, as takes before version 7 refer to it.
    pub(crate) fn find_named(&self, full_name: &'d [u8]) -> Option<usize> {
        let (class, name) = split_name(full_name);
        self.keys.get(&Key::Name { class, name }).copied()
    }

    /// The object that the first value of a node refers to.
    pub(crate) fn find_key(&self, node: &Node<'d>) -> Option<usize> {
        self.key(node, 0).and_then(|key| self.keys.get(&key).copied())
    }

    /// Objects of a class, with their indices.
    pub(crate) fn of_class(&self, class: &str) -> impl Iterator<Item = (usize, &Object<'d>)> {
        self.list.iter().enumerate().filter(move |(_, object)| object.class == class.as_bytes())
    }

    pub(crate) fn sources(&self, object: usize) -> &[Link<'d>] {
        self.sources.get(object).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn targets(&self, object: usize) -> &[Link<'d>] {
        self.targets.get(object).map_or(&[], Vec::as_slice)
    }

    /// Objects of a class that are connected to an object, each once.
    pub(crate) fn sources_of_class(&self, object: usize, class: &str) -> Vec<usize> {
        let is_class = |&index: &usize| self.get(index).is_some_and(|it| it.class == class.as_bytes());
        let mut seen = BTreeSet::new();
        let indices = self.sources(object).iter().map(|link| link.object).filter(is_class);
        indices.filter(|&index| seen.insert(index)).collect()
    }

    /// The same, of one subclass.
    pub(crate) fn sources_of_kind(&self, object: usize, class: &str, kind: &str) -> Vec<usize> {
        let mut list = self.sources_of_class(object, class);
        list.retain(|&index| self.get(index).is_some_and(|it| it.kind == kind.as_bytes()));
        list
    }
}

/// The property templates by class. Where a class has several, the first is used.
fn templates<'d>(document: &'d Document<'d>) -> BTreeMap<&'d [u8], &'d Node<'d>> {
    let types = document.node("Definitions").map_or(&[][..], |node| &node.children);
    let template = |node: &'d Node<'d>| Some((node.bytes(0)?, node.child("PropertyTemplate")?));
    types.iter().filter_map(template).collect()
}

/// The name of an object without its class.
pub(crate) fn decode_name(full: &[u8]) -> String {
    decode_text(split_name(full).1).into_owned()
}

/// Class and name of "Class::name" (text) or "name\0\x01Class" (binary).
pub(crate) fn split_name(full: &[u8]) -> (&[u8], &[u8]) {
    if let Some(at) = full.windows(2).position(|pair| pair == b"\0\x01") {
        return (full.get(at + 2..).unwrap_or_default(), full.get(..at).unwrap_or_default());
    }
    match full.windows(2).position(|pair| pair == b"::") {
        Some(at) => (full.get(..at).unwrap_or_default(), full.get(at + 2..).unwrap_or_default()),
        None => (&[], full),
    }
}
