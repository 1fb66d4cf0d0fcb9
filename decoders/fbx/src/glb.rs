//! Writes a GLB file: a JSON chunk and a binary chunk.

use crate::error::{Error, Result};
use crate::json::Json;

/// Accessor component types of glTF.
const U8: usize = 5121;
const U16: usize = 5123;
const U32: usize = 5125;
const F32: usize = 5126;

/// Buffer view targets of glTF.
const VERTICES: usize = 34962;
const INDICES: usize = 34963;

/// Largest part of changed elements for which a sparse accessor is smaller than a dense one.
const SPARSE_PART: f64 = 0.6;

/// The document under construction. Each list is one array of the JSON document.
#[derive(Default)]
pub(crate) struct Glb {
    pub nodes: Vec<Json>,
    pub meshes: Vec<Json>,
    pub skins: Vec<Json>,
    pub materials: Vec<Json>,
    pub textures: Vec<Json>,
    pub images: Vec<Json>,
    pub samplers: Vec<Json>,
    pub animations: Vec<Json>,
    pub scene_nodes: Vec<usize>,
    pub extensions_used: Vec<&'static str>,
    accessors: Vec<Json>,
    views: Vec<Json>,
    binary: Vec<u8>,
}

impl Glb {
    /// Adds bytes as a buffer view.
    pub(crate) fn add_view(&mut self, bytes: &[u8], target: Option<usize>) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut view = vec![
            ("buffer", Json::Int(0)),
            ("byteOffset", Json::Int(self.binary.len())),
            ("byteLength", Json::Int(bytes.len())),
        ];
        view.extend(target.map(|target| ("target", Json::Int(target))));
        self.binary.extend_from_slice(bytes);
        self.views.push(Json::Object(view));
        self.views.len() - 1
    }

    fn add_accessor(&mut self, accessor: Vec<(&'static str, Json)>) -> usize {
        self.accessors.push(Json::Object(accessor));
        self.accessors.len() - 1
    }

    /// Adds an array of float vectors, with bounds if asked for.
    pub(crate) fn add_floats<const N: usize>(&mut self, list: &[[f32; N]], role: FloatRole) -> usize {
        let bytes = float_bytes(list.as_flattened());
        let view = self.add_view(&bytes, (role != FloatRole::Animation).then_some(VERTICES));
        let mut accessor = accessor(Some(view), F32, list.len(), type_name(N));
        if role == FloatRole::Positions || (role == FloatRole::Animation && N == 1) {
            accessor.extend(bounds(list));
        }
        self.add_accessor(accessor)
    }

    /// Adds matrices or other values that no vertex uses.
    pub(crate) fn add_matrices(&mut self, list: &[[f32; 16]]) -> usize {
        let view = self.add_view(&float_bytes(list.as_flattened()), None);
        self.add_accessor(accessor(Some(view), F32, list.len(), "MAT4"))
    }

    /// Adds `count` vectors that are zero but for the `changed` ones, which are in order of index.
    /// They are stored sparsely if that is smaller.
    pub(crate) fn add_offsets(&mut self, count: usize, changed: &[(u32, [f32; 3])]) -> usize {
        if changed.len() as f64 > SPARSE_PART * count as f64 {
            let mut list = vec![[0.0; 3]; count];
            for &(index, value) in changed {
                list.get_mut(index as usize).into_iter().for_each(|entry| *entry = value);
            }
            return self.add_floats(&list, FloatRole::Positions);
        }
        let mut accessor = accessor(None, F32, count, "VEC3");
        // The vectors that are not listed are zero.
        let values: Vec<[f32; 3]> = changed.iter().map(|&(_, value)| value).chain([[0.0; 3]]).collect();
        accessor.extend(bounds(&values));
        if !changed.is_empty() {
            let indices: Vec<u8> = changed.iter().flat_map(|(index, _)| index.to_le_bytes()).collect();
            let values: Vec<[f32; 3]> = changed.iter().map(|&(_, value)| value).collect();
            let values = float_bytes(values.as_flattened());
            let indices = self.add_view(&indices, None);
            let values = self.add_view(&values, None);
            let indices = vec![("bufferView", Json::Int(indices)), ("componentType", Json::Int(U32))];
            let sparse = vec![
                ("count", Json::Int(changed.len())),
                ("indices", Json::Object(indices)),
                ("values", Json::Object(vec![("bufferView", Json::Int(values))])),
            ];
            accessor.push(("sparse", Json::Object(sparse)));
        }
        self.add_accessor(accessor)
    }

    /// Adds joint indices, as bytes if they fit.
    pub(crate) fn add_joints(&mut self, list: &[[u16; 4]]) -> usize {
        let is_small = list.as_flattened().iter().all(|&joint| joint < 256);
        let flat = list.as_flattened().iter();
        let (bytes, component): (Vec<u8>, usize) = if is_small {
            (flat.map(|&joint| joint as u8).collect(), U8)
        } else {
            (flat.flat_map(|joint| joint.to_le_bytes()).collect(), U16)
        };
        let view = self.add_view(&bytes, Some(VERTICES));
        self.add_accessor(accessor(Some(view), component, list.len(), "VEC4"))
    }

    /// Adds triangle indices, in 16 bits if they fit.
    pub(crate) fn add_indices(&mut self, triangles: &[[u32; 3]], vertex_count: usize) -> usize {
        let flat = triangles.as_flattened().iter();
        let (bytes, component): (Vec<u8>, usize) = if vertex_count < usize::from(u16::MAX) {
            (flat.flat_map(|&index| (index as u16).to_le_bytes()).collect(), U16)
        } else {
            (flat.flat_map(|index| index.to_le_bytes()).collect(), U32)
        };
        let view = self.add_view(&bytes, Some(INDICES));
        self.add_accessor(accessor(Some(view), component, 3 * triangles.len(), "SCALAR"))
    }

    /// The bytes of the file.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let binary = std::mem::take(&mut self.binary);
        let mut json = String::new();
        self.document(binary.len()).write(&mut json);
        while !json.len().is_multiple_of(4) {
            json.push(' ');
        }
        let size = |bytes: usize| {
            u32::try_from(bytes).map_err(|_| Error::too_large("", "the model needs more than 4 GB as glTF"))
        };
        let binary_chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
        let total = 12 + 8 + json.len() + binary_chunk;
        let mut out = Vec::with_capacity(total);
        out.extend_from_slice(b"glTF");
        [2, size(total)?, size(json.len())?]
            .iter()
            .for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        out.extend_from_slice(b"JSON");
        out.extend_from_slice(json.as_bytes());
        if !binary.is_empty() {
            out.extend_from_slice(&size(binary.len())?.to_le_bytes());
            out.extend_from_slice(b"BIN\0");
            out.extend_from_slice(&binary);
        }
        Ok(out)
    }

    fn document(self, binary_size: usize) -> Json {
        let version = vec![("version", Json::text("2.0")), ("generator", Json::text("pliant-fbx"))];
        let scene = vec![("nodes", Json::ints(self.scene_nodes))];
        let mut document = Json::Object(vec![
            ("asset", Json::Object(version)),
            ("scene", Json::Int(0)),
            ("scenes", Json::List(vec![Json::Object(scene)])),
        ]);
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("skins", self.skins),
            ("materials", self.materials),
            ("textures", self.textures),
            ("images", self.images),
            ("samplers", self.samplers),
            ("animations", self.animations),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            document.push(name, Json::List(list));
        }
        if binary_size > 0 {
            let buffer = Json::Object(vec![("byteLength", Json::Int(binary_size))]);
            document.push("buffers", Json::List(vec![buffer]));
        }
        if !self.extensions_used.is_empty() {
            let names = self.extensions_used.into_iter().map(Json::text).collect();
            document.push("extensionsUsed", Json::List(names));
        }
        document
    }
}

/// What a float accessor is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatRole {
    Positions,
    Attribute,
    Animation,
}

fn accessor(
    view: Option<usize>,
    component: usize,
    count: usize,
    kind: &'static str,
) -> Vec<(&'static str, Json)> {
    let mut accessor: Vec<(&'static str, Json)> =
        view.map(|view| ("bufferView", Json::Int(view))).into_iter().collect();
    accessor.push(("componentType", Json::Int(component)));
    accessor.push(("count", Json::Int(count)));
    accessor.push(("type", Json::text(kind)));
    accessor
}

/// The number, or zero if it overflowed.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

fn float_bytes(list: &[f32]) -> Vec<u8> {
    list.iter().flat_map(|&value| finite(value).to_le_bytes()).collect()
}

fn type_name(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        _ => "VEC4",
    }
}

fn bounds<const N: usize>(list: &[[f32; N]]) -> [(&'static str, Json); 2] {
    let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for value in list {
        min = std::array::from_fn(|i| min[i].min(finite(value[i])));
        max = std::array::from_fn(|i| max[i].max(finite(value[i])));
    }
    [("min", Json::numbers(min.map(f64::from))), ("max", Json::numbers(max.map(f64::from)))]
}
