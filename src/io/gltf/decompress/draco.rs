//! Puts decoded Draco meshes into the accessors of their primitives.

use serde::Deserialize;
use serde_json::json;

use super::super::accessor::Component;
use super::super::editor::{Editor, INDICES, VERTICES};
use super::super::json::Object;
use super::super::schema::Document;
use super::super::{Result, malformed};
use super::draco_mesh::{DecodedMesh, U16, U32};
use super::parts::{Codec, CompressedPart, DracoAttribute};
use super::{Compressed, bounds, remove_from, unreadable};

/// What is read of a primitive.
#[derive(Deserialize)]
pub(super) struct DracoPrimitive {
    #[serde(default)]
    attributes: Object,
    indices: Option<usize>,
    #[serde(default)]
    extensions: Extensions,
    /// The new accessor of each semantic. Indices have no semantic.
    #[serde(skip)]
    replaced: Vec<(Option<String>, usize)>,
}

#[derive(Default, Deserialize)]
struct Extensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    draco: Option<Draco>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Draco {
    buffer_view: usize,
    #[serde(default)]
    attributes: Object,
}

impl DracoPrimitive {
    /// The buffer view with the compressed bytes.
    pub fn view(&self) -> Result<usize> {
        let draco = self.extensions.draco.as_ref();
        draco
            .map(|draco| draco.buffer_view)
            .ok_or_else(|| malformed("meshes", "a primitive has no Draco data"))
    }

    /// The Draco id and the accessor of each compressed attribute.
    pub fn accessors(&self) -> impl Iterator<Item = (u32, usize)> {
        self.semantics().map(|(_, id, accessor)| (id, accessor))
    }

    fn semantics(&self) -> impl Iterator<Item = (&str, u32, usize)> {
        let draco = self.extensions.draco.iter();
        draco.flat_map(|draco| {
            let ids = draco.attributes.keys();
            ids.filter_map(|name| Some((name, draco.attributes.get(name)?, self.attributes.get(name)?)))
        })
    }

    /// Whether all attributes and the indices have buffer views as well.
    pub fn is_stored_plainly(&self, document: &Document) -> bool {
        let is_plain =
            |accessor: usize| document.accessors.get(accessor).is_some_and(|a| a.buffer_view.is_some());
        self.accessors().all(|(_, accessor)| is_plain(accessor))
            && self.indices.is_none_or(is_plain)
            && self.accessors().next().is_some()
    }
}

#[derive(Deserialize)]
struct Mesh {
    #[serde(default)]
    primitives: Vec<DracoPrimitive>,
}

/// All primitives of a document, and the changes to them.
pub(super) struct Primitives {
    meshes: Vec<Mesh>,
    /// Whether an accessor has decoded values, for each accessor.
    is_decoded: Vec<bool>,
    /// The decoded accessors of each buffer view, with their Draco id (indices have none) and
    /// component type.
    accessors_of_view: Vec<Vec<(Option<u32>, u32, usize)>>,
    /// Buffer views whose compressed bytes are not needed any more, and which can be used again.
    reused_views: Vec<usize>,
}

/// One attribute, or the indices, of a decoded mesh.
struct Values<'a> {
    bytes: &'a [u8],
    component_type: u32,
    components: usize,
    count: usize,
    target: Option<u32>,
    needs_bounds: bool,
}

impl Primitives {
    pub fn of(source: &Compressed<'_>) -> Result<Self> {
        let root = Object::parse(source.json).map_err(unreadable)?;
        Ok(Self {
            meshes: root.get("meshes").unwrap_or_default(),
            is_decoded: vec![false; source.document.accessors.len()],
            accessors_of_view: vec![Vec::new(); source.document.buffer_views.len()],
            reused_views: Vec::new(),
        })
    }

    /// The primitives with Draco data, with their mesh and number.
    pub fn compressed(&self) -> impl Iterator<Item = ([usize; 2], &DracoPrimitive)> {
        self.meshes.iter().enumerate().flat_map(|(mesh, found)| {
            let primitives = found.primitives.iter().enumerate();
            let compressed = primitives.filter(|(_, primitive)| primitive.extensions.draco.is_some());
            compressed.map(move |(primitive, found)| ([mesh, primitive], found))
        })
    }

    /// Writes the decoded data of a part into the accessors of its primitives.
    pub fn replace(
        &mut self,
        editor: &mut Editor,
        part: &CompressedPart<'_>,
        decoded: &[u8],
        targets: &[[usize; 2]],
        place: &str,
    ) -> Result<()> {
        let Codec::Draco { attributes, .. } = &part.codec else { return Ok(()) };
        let mut mesh = DecodedMesh::new(decoded, attributes)
            .ok_or_else(|| malformed(place, "the decoded Draco data has an unexpected size"))?;
        let semantics = targets.first().map(|&[at, number]| self.meshes[at].primitives[number].semantics());
        let is_weights: Vec<bool> =
            semantics.into_iter().flatten().map(|(name, ..)| name.starts_with("WEIGHTS_")).collect();
        mesh.normalize_weights(attributes, &is_weights);
        for &[at, number] in targets {
            self.replace_primitive(editor, &mesh, attributes, [at, number]).map_err(unreadable)?;
        }
        Ok(())
    }

    fn replace_primitive(
        &mut self,
        editor: &mut Editor,
        mesh: &DecodedMesh<'_>,
        attributes: &[DracoAttribute],
        [at, number]: [usize; 2],
    ) -> serde_json::Result<()> {
        let primitive = &self.meshes[at].primitives[number];
        let view = primitive.extensions.draco.as_ref().map_or(0, |draco| draco.buffer_view);
        let semantics: Vec<(String, u32, usize)> =
            primitive.semantics().map(|(name, id, accessor)| (name.to_owned(), id, accessor)).collect();
        let indices = primitive.indices;
        if self.accessors_of_view[view].is_empty() {
            self.reused_views.push(view);
        }
        let component_type = if mesh.vertex_count > usize::from(u16::MAX) { U32 } else { U16 };
        let bytes = mesh.index_bytes(component_type);
        let values = Values {
            bytes: &bytes,
            component_type,
            components: 1,
            count: mesh.indices.len() / 4,
            target: INDICES,
            needs_bounds: false,
        };
        let accessor = self.place(editor, indices, (view, None), &values)?;
        let mut replaced = vec![(None, accessor)];
        for (((name, id, accessor), bytes), attribute) in
            semantics.into_iter().zip(&mesh.values).zip(attributes)
        {
            let values = Values {
                bytes,
                component_type: attribute.component_type,
                components: attribute.components,
                count: mesh.vertex_count,
                target: VERTICES,
                needs_bounds: name == "POSITION",
            };
            let accessor = self.place(editor, Some(accessor), (view, Some(id)), &values)?;
            replaced.push((Some(name), accessor));
        }
        self.meshes[at].primitives[number].replaced = replaced;
        Ok(())
    }

    /// Writes values into an accessor. If it already has the values of another mesh, or if there is
    /// none, a new one is added.
    fn place(
        &mut self,
        editor: &mut Editor,
        accessor: Option<usize>,
        (view, id): (usize, Option<u32>),
        values: &Values<'_>,
    ) -> serde_json::Result<usize> {
        let of_view = self.accessors_of_view[view].iter();
        let is_same =
            |&(other, component_type, _): &_| (other, component_type) == (id, values.component_type);
        if let Some((.., known)) = of_view.copied().find(is_same) {
            return Ok(known);
        }
        let accessor = match accessor.filter(|&accessor| accessor < editor.len("accessors")) {
            Some(accessor) if self.is_decoded.get(accessor) == Some(&false) => accessor,
            Some(accessor) => editor.duplicate("accessors", accessor),
            None => editor.push("accessors", &json!({ "type": "SCALAR" }))?,
        };
        let new_view = self.write_view(editor, values)?;
        let size = values.components * Component::new(values.component_type, "").map_or(1, Component::size);
        let elements = values.bytes.chunks_exact(size.max(1));
        let component = Component::new(values.component_type, "").ok();
        let bounds = component.and_then(|component| bounds::of(elements, component, values.components));
        editor.edit("accessors", accessor, |object| {
            object.set("bufferView", &new_view)?;
            object.remove("byteOffset");
            object.set("componentType", &values.component_type)?;
            object.set("count", &values.count)?;
            let has_bounds = object.keys().any(|key| key == "min" || key == "max");
            match &bounds {
                Some(bounds) if has_bounds || values.needs_bounds => bounds::set(object, bounds),
                _ => Ok(()),
            }
        })?;
        if let Some(is_decoded) = self.is_decoded.get_mut(accessor) {
            *is_decoded = true;
        }
        self.accessors_of_view[view].push((id, values.component_type, accessor));
        Ok(accessor)
    }

    /// Writes values into a buffer view. Elements of vertex attributes are aligned to four bytes.
    fn write_view(&mut self, editor: &mut Editor, values: &Values<'_>) -> serde_json::Result<usize> {
        let size = values.bytes.len() / values.count.max(1);
        let is_padded = values.target == VERTICES && !size.is_multiple_of(4);
        let stride = if is_padded { size.next_multiple_of(4) } else { size };
        let padded = |element: &[u8]| {
            let mut element = element.to_vec();
            element.resize(stride, 0);
            element
        };
        let offset = match is_padded {
            true => editor.append(&values.bytes.chunks(size).flat_map(padded).collect::<Vec<u8>>()),
            false => editor.append(values.bytes),
        };
        let mut view = json!({
            "buffer": 0, "byteOffset": offset, "byteLength": stride * values.count, "target": values.target
        });
        if is_padded {
            view["byteStride"] = stride.into();
        }
        match self.reused_views.pop() {
            Some(reused) => {
                editor.replace("bufferViews", reused, &view)?;
                Ok(reused)
            }
            None => editor.push("bufferViews", &view),
        }
    }

    /// Writes all primitives without the extension.
    pub fn write(self, editor: &mut Editor) -> serde_json::Result<()> {
        for (mesh, found) in self.meshes.iter().enumerate() {
            if found.primitives.iter().all(|primitive| primitive.extensions.draco.is_none()) {
                continue;
            }
            let mut primitives: Vec<Object> = editor.get("meshes", mesh, "primitives").unwrap_or_default();
            for (primitive, DracoPrimitive { replaced, .. }) in primitives.iter_mut().zip(&found.primitives) {
                remove_from(primitive)?;
                if replaced.is_empty() {
                    continue;
                }
                let mut attributes: Object = primitive.get("attributes").unwrap_or_default();
                for (semantic, accessor) in replaced {
                    match semantic {
                        Some(semantic) => attributes.set(semantic, accessor)?,
                        None => primitive.set("indices", accessor)?,
                    }
                }
                primitive.set("attributes", &attributes)?;
                // The decoder returns lists, also for strips.
                primitive.remove("mode");
            }
            editor.edit("meshes", mesh, |object| object.set("primitives", &primitives))?;
        }
        Ok(())
    }
}
