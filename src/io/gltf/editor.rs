//! Edits a glTF document: its top-level lists and its binary chunk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::json::{Object, Raw, raw};
use crate::model::Source;

/// Editing fails only by a bug, because the document was parsed before.
pub(super) type Result<T> = std::result::Result<T, serde_json::Error>;

/// Accessors must be aligned to the size of their component; four bytes suit all types.
const ALIGNMENT: usize = 4;

/// The lists that can be edited. Everything else stays text.
const LISTS: [&str; 9] =
    ["accessors", "animations", "bufferViews", "buffers", "images", "meshes", "nodes", "scenes", "skins"];

pub(super) struct Editor {
    root: Object,
    lists: BTreeMap<&'static str, List>,
    bin: Vec<u8>,
}

#[derive(Default)]
struct List {
    items: Vec<Raw>,
    edited: bool,
}

/// The description of a new accessor.
#[derive(Clone, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub component_type: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Vec<f32>>,
}

/// An accessor that may be overwritten, and its buffer view if only this accessor uses it.
#[derive(Clone, Copy)]
pub(super) struct ReusableAccessor {
    pub accessor: usize,
    pub view: Option<usize>,
}

/// Values of `bufferView.target`.
pub(super) const VERTICES: Option<u32> = Some(34962);
pub(super) const INDICES: Option<u32> = Some(34963);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u32>,
}

impl Editor {
    /// Opens a document and concatenates its buffers into one.
    pub fn new(source: &Source) -> Result<Self> {
        let mut editor = Self::open(&source.json, Vec::new())?;
        editor.pack_buffers(&source.buffers)?;
        Ok(editor)
    }

    /// Opens a document whose buffer views all lie in `bin`, or will do so after editing.
    pub fn open(json: &str, bin: Vec<u8>) -> Result<Self> {
        let root = Object::parse(json)?;
        let mut lists = BTreeMap::new();
        for name in LISTS {
            let items: Vec<Raw> = root.get(name).unwrap_or_default();
            lists.insert(name, List { items, edited: false });
        }
        Ok(Self { root, lists, bin })
    }

    fn pack_buffers(&mut self, buffers: &[Vec<u8>]) -> Result<()> {
        let mut starts = Vec::new();
        for bytes in buffers {
            starts.push(self.append(bytes));
        }
        for view in 0..self.len("bufferViews") {
            let buffer: usize = self.get("bufferViews", view, "buffer").unwrap_or(0);
            let offset: usize = self.get("bufferViews", view, "byteOffset").unwrap_or(0);
            if buffer > 0 {
                self.edit("bufferViews", view, |object| {
                    object.set("buffer", &0)?;
                    // A view that nothing uses was not checked; its offset may be any number.
                    let start = starts.get(buffer).copied().unwrap_or(0);
                    object.set("byteOffset", &offset.saturating_add(start))
                })?;
            }
        }
        Ok(())
    }

    pub fn len(&self, list: &str) -> usize {
        self.lists.get(list).map_or(0, |list| list.items.len())
    }

    /// One member of one item.
    pub fn get<T: for<'a> Deserialize<'a>>(&self, list: &str, index: usize, key: &str) -> Option<T> {
        Object::parse(self.lists.get(list)?.items.get(index)?.get()).ok()?.get(key)
    }

    /// Adds an item to a list.
    pub fn push(&mut self, list: &'static str, item: &impl Serialize) -> Result<usize> {
        let list = self.lists.entry(list).or_default();
        list.items.push(raw(item)?);
        list.edited = true;
        Ok(list.items.len() - 1)
    }

    /// Appends a copy of an item, which must exist, to its list.
    pub fn duplicate(&mut self, list: &'static str, index: usize) -> usize {
        let list = self.lists.entry(list).or_default();
        if let Some(item) = list.items.get(index).cloned() {
            list.items.push(item);
            list.edited = true;
        }
        list.items.len() - 1
    }

    /// Changes one item.
    pub fn edit(
        &mut self,
        list: &str,
        index: usize,
        change: impl FnOnce(&mut Object) -> Result<()>,
    ) -> Result<()> {
        let Some(list) = self.lists.get_mut(list) else { return Ok(()) };
        let Some(item) = list.items.get_mut(index) else { return Ok(()) };
        let mut object = Object::parse(item.get())?;
        change(&mut object)?;
        *item = raw(&object)?;
        list.edited = true;
        Ok(())
    }

    /// Replaces an item by another one.
    pub fn replace(&mut self, list: &'static str, index: usize, item: &impl Serialize) -> Result<()> {
        if let Some(list) = self.lists.get_mut(list)
            && let Some(old) = list.items.get_mut(index)
        {
            *old = raw(item)?;
            list.edited = true;
        }
        Ok(())
    }

    /// A member of the document itself.
    pub fn root_member<T: for<'a> Deserialize<'a>>(&self, key: &str) -> Option<T> {
        self.root.get(key)
    }

    /// Sets a member of the document itself.
    pub fn set_root(&mut self, key: &str, value: &impl Serialize) -> Result<()> {
        self.root.set(key, value)
    }

    /// Removes a member of the document itself.
    pub fn remove_root(&mut self, key: &str) {
        self.root.remove(key);
    }

    /// Appends bytes to the buffer. Returns their offset.
    pub fn append(&mut self, bytes: &[u8]) -> usize {
        let start = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(ALIGNMENT), 0);
        start
    }

    /// Appends bytes as a new buffer view.
    pub fn add_view(&mut self, bytes: &[u8], target: Option<u32>) -> Result<usize> {
        let byte_offset = self.append(bytes);
        self.push("bufferViews", &View { buffer: 0, byte_offset, byte_length: bytes.len(), target })
    }

    /// Appends an accessor with a buffer view of its own.
    pub fn add_accessor(&mut self, accessor: &Accessor, bytes: &[u8], target: Option<u32>) -> Result<usize> {
        let view = self.add_view(bytes, target)?;
        self.push("accessors", &with_view(accessor, view)?)
    }

    /// Overwrites an accessor that nothing else uses, so that rigging a file repeatedly does not
    /// make it grow. The new bytes overwrite the old ones if they fit.
    pub fn replace_accessor(
        &mut self,
        old: ReusableAccessor,
        accessor: &Accessor,
        bytes: &[u8],
        target: Option<u32>,
    ) -> Result<usize> {
        let view = match old.view {
            Some(view) => {
                let offset: usize = self.get("bufferViews", view, "byteOffset").unwrap_or(0);
                let length: usize = self.get("bufferViews", view, "byteLength").unwrap_or(0);
                let fits = bytes.len() <= length && offset.is_multiple_of(ALIGNMENT);
                let end = offset.saturating_add(bytes.len());
                let room = self.bin.get_mut(offset..end).filter(|_| fits);
                let byte_offset = match room {
                    Some(room) => {
                        room.copy_from_slice(bytes);
                        offset
                    }
                    None => self.append(bytes),
                };
                self.replace(
                    "bufferViews",
                    view,
                    &View { buffer: 0, byte_offset, byte_length: bytes.len(), target },
                )?;
                view
            }
            None => self.add_view(bytes, target)?,
        };
        self.replace("accessors", old.accessor, &with_view(accessor, view)?)?;
        Ok(old.accessor)
    }

    /// The JSON of the document, and its only buffer.
    pub fn into_document(mut self) -> Result<(String, Vec<u8>)> {
        if !self.bin.is_empty() {
            if self.len("buffers") == 0 {
                self.push("buffers", &Object::default())?;
            }
            let length = self.bin.len();
            self.edit("buffers", 0, |buffer| {
                buffer.remove("uri");
                buffer.set("byteLength", &length)
            })?;
            self.lists.entry("buffers").or_default().items.truncate(1);
        }
        for (name, list) in &self.lists {
            if list.edited {
                self.root.set(name, &list.items)?;
            }
        }
        Ok((serde_json::to_string(&self.root)?, self.bin))
    }

    /// The document as a GLB.
    pub fn into_glb(self) -> Result<Vec<u8>> {
        let (json, bin) = self.into_document()?;
        Ok(pliant_glb::join(json, &bin))
    }
}

fn with_view(accessor: &Accessor, view: usize) -> Result<Object> {
    let mut object = Object::parse(&serde_json::to_string(accessor)?)?;
    object.set("bufferView", &view)?;
    Ok(object)
}

/// The little-endian bytes of numbers.
pub(super) fn bytes_of<T: bytemuck::NoUninit>(numbers: &[T]) -> Vec<u8> {
    // All supported targets (WebAssembly included) are little-endian, like glTF.
    bytemuck::cast_slice(numbers).to_vec()
}
