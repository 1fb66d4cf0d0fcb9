//! A skinned torus with a clip and a morph target: plain, and compressed in every way.

use std::f32::consts::TAU;

use serde_json::{Value, json};

use super::encode::{self, Scheme};

/// Segments around the torus and around its tube.
const SEGMENTS: [usize; 2] = [8, 6];

/// What a buffer view contains.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Elements of this many bytes.
    Elements(usize),
    /// 16-bit indices of a triangle list.
    Triangles,
    /// Other 16-bit indices.
    Indices,
}

/// The JSON, the views, and the accessors of a document, in pieces.
struct Pieces {
    views: Vec<(Vec<u8>, Kind)>,
    accessors: Vec<Value>,
}

impl Pieces {
    fn view(&mut self, bytes: Vec<u8>, kind: Kind) -> usize {
        self.views.push((bytes, kind));
        self.views.len() - 1
    }

    fn accessor(&mut self, bytes: Vec<u8>, kind: Kind, component: u32, count: usize, shape: &str) -> usize {
        let view = self.view(bytes, kind);
        let is_normalized =
            [5120, 5121, 5122, 5123].contains(&component) && matches!(kind, Kind::Elements(_));
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "count": count, "type": shape,
            "normalized": is_normalized,
        }));
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], components: usize, shape: &str) -> usize {
        let bytes = bytemuck::cast_slice(values).to_vec();
        self.accessor(bytes, Kind::Elements(4 * components), 5126, values.len() / components, shape)
    }
}

/// The corners of the torus: angle around it and around its tube, as parts of a turn.
fn corners() -> Vec<[f32; 2]> {
    let [n, m] = SEGMENTS;
    let corner = |i: usize| [(i % (n + 1)) as f32 / n as f32, (i / (n + 1)) as f32 / m as f32];
    (0..(n + 1) * (m + 1)).map(corner).collect()
}

fn triangles() -> Vec<u32> {
    let [n, m] = SEGMENTS.map(|n| n as u32);
    let quad = |i: u32| {
        let p = i / n * (n + 1) + i % n;
        [p, p + n + 1, p + 1, p + 1, p + n + 1, p + n + 2]
    };
    (0..n * m).flat_map(quad).collect()
}

fn pieces() -> (Pieces, Value) {
    let mut pieces = Pieces { views: Vec::new(), accessors: Vec::new() };
    let corners = corners();
    let count = corners.len();
    let mut positions = Vec::new();
    let (mut normals, mut uvs, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for &[u, v] in &corners {
        let (a, b) = (TAU * u, TAU * v);
        let normal = [a.cos() * b.cos(), b.sin(), a.sin() * b.cos()];
        positions.extend([2.0 * a.cos() + 0.5 * normal[0], 0.5 * normal[1], 2.0 * a.sin() + 0.5 * normal[2]]);
        normals.extend(normal.map(|x| (x * 127.0).round() as i8 as u8).into_iter().chain([0]));
        uvs.extend([u, v].map(|x| (x * 65535.0) as u16));
        joints.extend([0u8, 1, 0, 0]);
        let weight = (u * 255.0) as u8;
        weights.extend([255 - weight, weight, 0, 0]);
    }
    let position = pieces.floats(&positions, 3, "VEC3");
    let normal = pieces.accessor(normals, Kind::Elements(4), 5120, count, "VEC3");
    let uv = bytemuck::cast_slice(&uvs).to_vec();
    let uv = pieces.accessor(uv, Kind::Elements(4), 5123, count, "VEC2");
    let joint = pieces.accessor(joints, Kind::Elements(4), 5121, count, "VEC4");
    pieces.accessors[joint]["normalized"] = false.into();
    let weight = pieces.accessor(weights, Kind::Elements(4), 5121, count, "VEC4");
    let indices: Vec<u16> = triangles().iter().map(|&i| i as u16).collect();
    let index_bytes = bytemuck::cast_slice(&indices).to_vec();
    let index = pieces.accessor(index_bytes, Kind::Triangles, 5123, indices.len(), "SCALAR");
    let bind = |x: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -x, 0., 0., 1.];
    let binds = pieces.floats(&[bind(-2.0), bind(2.0)].concat(), 16, "MAT4");
    let times = pieces.floats(&[0.0, 0.5, 1.0], 1, "SCALAR");
    let turns: Vec<i16> = [0, 0, 0, 32767, 0, 0, 12539, 30273, 0, 0, 0, 32767].to_vec();
    let turn_bytes = bytemuck::cast_slice(&turns).to_vec();
    let turns = pieces.accessor(turn_bytes, Kind::Elements(8), 5122, 3, "VEC4");
    let changed: [u16; 3] = [1, 5, 62];
    let sparse_indices = pieces.view(bytemuck::cast_slice(&changed).to_vec(), Kind::Indices);
    let offsets = [0.25f32; 9];
    let sparse_values = pieces.view(bytemuck::cast_slice(&offsets).to_vec(), Kind::Elements(12));
    pieces.accessors.push(json!({ "componentType": 5126, "count": count, "type": "VEC3", "sparse": {
        "count": 3, "indices": { "bufferView": sparse_indices, "componentType": 5123 },
        "values": { "bufferView": sparse_values } } }));
    let target = pieces.accessors.len() - 1;
    let document = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0 }, { "name": "a", "children": [2], "translation": [-2, 0, 0] },
                  { "name": "b", "translation": [4, 0, 0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": position, "NORMAL": normal,
            "TEXCOORD_0": uv, "JOINTS_0": joint, "WEIGHTS_0": weight }, "indices": index, "material": 0,
            "targets": [{ "POSITION": target }] }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": binds }],
        "materials": [{ "extensions": { "ACME_shine": { "how": 1.50 } } }],
        "animations": [{ "samplers": [{ "input": times, "output": turns }],
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }] }],
    });
    (pieces, document)
}

/// The character without compression.
pub fn plain() -> Vec<u8> {
    let (pieces, mut document) = pieces();
    let (views, bin) = plain_views(&pieces);
    document["bufferViews"] = views;
    document["accessors"] = pieces.accessors.into();
    document["buffers"] = json!([{ "byteLength": bin.len() }]);
    glb(&document, &bin)
}

fn plain_views(pieces: &Pieces) -> (Value, Vec<u8>) {
    let mut bin = Vec::new();
    let mut views = Vec::new();
    for (bytes, kind) in &pieces.views {
        let mut view = json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() });
        if let Kind::Elements(4) = kind {
            view["byteStride"] = 4.into();
        }
        views.push(view);
        bin.extend(bytes);
        bin.resize(bin.len().next_multiple_of(4), 0);
    }
    (views.into(), bin)
}

/// The character compressed with meshopt. Its plain buffer is `fallback`, or absent.
pub fn meshopt(scheme: Scheme, fallback: bool) -> Vec<u8> {
    let (pieces, mut document) = pieces();
    let (mut views, plain) = plain_views(&pieces);
    let mut bin: Vec<u8> = Vec::new();
    for ((bytes, kind), view) in pieces.views.iter().zip(views.as_array_mut().unwrap()) {
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]]))).collect()
        };
        let (mode, stride, stream) = match *kind {
            Kind::Elements(stride) => {
                ("ATTRIBUTES", stride, encode::attributes(bytes, stride, scheme.version))
            }
            Kind::Triangles => ("TRIANGLES", 2, encode::triangles(&words(bytes))),
            Kind::Indices => ("INDICES", 2, encode::indices(&words(bytes))),
        };
        view["buffer"] = 1.into();
        view["extensions"] = json!({ scheme.extension: {
            "buffer": 0, "byteOffset": bin.len(), "byteLength": stream.len(), "byteStride": stride,
            "count": bytes.len() / stride, "mode": mode } });
        bin.extend(stream);
    }
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut placeholder =
        json!({ "byteLength": plain.len(), "extensions": { scheme.extension: { "fallback": true } } });
    if fallback {
        let hex: String = plain.iter().map(|byte| format!("%{byte:02x}")).collect();
        placeholder["uri"] = format!("data:application/octet-stream,{hex}").into();
    }
    document["buffers"] = json!([{ "byteLength": bin.len() }, placeholder]);
    document["bufferViews"] = views;
    document["accessors"] = pieces.accessors.into();
    document["extensionsUsed"] = json!([scheme.extension, "KHR_mesh_quantization", "ACME_shine"]);
    document["extensionsRequired"] = json!([scheme.extension, "KHR_mesh_quantization"]);
    glb(&document, &bin)
}

/// The torus with Draco geometry, and joints, weights and a morph target beside it that are plain.
/// With two streams there are two primitives that share their accessors.
pub fn draco(streams: &[&[u8]]) -> Vec<u8> {
    let count = 63;
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let joints = [0u8, 1, 0, 0].repeat(count);
    let weights = [128u8, 127, 0, 0].repeat(count);
    let offsets: Vec<u8> = [0.25f32; 3].iter().flat_map(|x| x.to_le_bytes()).collect();
    let offsets = offsets.repeat(count);
    for bytes in [&joints[..], &weights, &offsets].into_iter().chain(streams.iter().copied()) {
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
        bin.extend(bytes);
        bin.resize(bin.len().next_multiple_of(4), 0);
    }
    let primitive = |stream: usize| {
        json!({ "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "JOINTS_0": 3, "WEIGHTS_0": 4 },
            "indices": 6, "targets": [{ "POSITION": 5 }],
            "extensions": { "KHR_draco_mesh_compression": { "bufferView": 3 + stream,
                "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 } } } })
    };
    let document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_draco_mesh_compression"], "extensionsRequired": ["KHR_draco_mesh_compression"],
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0 }, { "children": [2] }, { "translation": [1, 0, 0] }],
        "meshes": [{ "primitives": (0..streams.len()).map(primitive).collect::<Vec<_>>() }],
        "skins": [{ "joints": [1, 2] }],
        "accessors": [
            { "componentType": 5126, "count": count, "type": "VEC3", "min": [-3, -1, -3], "max": [3, 1, 3] },
            { "componentType": 5126, "count": count, "type": "VEC3" },
            { "componentType": 5126, "count": count, "type": "VEC2" },
            { "bufferView": 0, "componentType": 5121, "count": count, "type": "VEC4" },
            { "bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4", "normalized": true },
            { "bufferView": 2, "componentType": 5126, "count": count, "type": "VEC3" },
            { "componentType": 5123, "count": 288, "type": "SCALAR" },
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": bin.len() }],
    });
    glb(&document, &bin)
}

/// A GLB of a document and its buffer.
pub fn glb(document: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(document).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((12 + 8 + text.len() + 8 + bin.len()) as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(&text);
    glb.extend((bin.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(bin);
    glb
}

/// The document and the binary chunk of a GLB.
pub fn chunks(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let document = serde_json::from_slice(&glb[20..20 + word(12)]).unwrap();
    (document, glb[20 + word(12) + 8..].to_vec())
}
