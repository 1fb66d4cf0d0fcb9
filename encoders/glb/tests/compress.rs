//! Which buffer views are compressed and how, and that everything else keeps its bytes and text.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use pliant_glb::{CompressError, compress, join, split};
use pliant_meshopt::{Filter, Layout, Mode, decode};
use serde_json::{Value, json};

const EXTENSION: &str = "EXT_meshopt_compression";

/// A document and its buffer, to which views are added.
#[derive(Default)]
struct Document {
    json: Value,
    bin: Vec<u8>,
}

impl Document {
    fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [],
            "meshes": [{ "primitives": [] }], "materials": [{ "extras": { "ACME": 1.5 } }],
        });
        Self { json, bin: Vec::new() }
    }

    fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    /// Adds a view of its own bytes.
    fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bin.len();
        self.bin.extend(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0xaa);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    fn accessor(&mut self, view: usize, component: u32, count: usize, shape: &str) -> usize {
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": shape });
        self.push("accessors", accessor)
    }

    /// Adds a view and an accessor of these floats.
    fn floats(&mut self, values: &[f32], shape: &str, components: usize) -> usize {
        let view = self.view(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        self.accessor(view, 5126, values.len() / components, shape);
        view
    }

    /// Adds a view of 16-bit indices and a primitive that uses them.
    fn indices(&mut self, indices: &[u16], primitive: Value) -> usize {
        let view = self.view(&indices.iter().flat_map(|index| index.to_le_bytes()).collect::<Vec<u8>>());
        let accessor = self.accessor(view, 5123, indices.len(), "SCALAR");
        self.primitive(accessor, primitive);
        view
    }

    fn primitive(&mut self, indices: usize, mut primitive: Value) {
        primitive["indices"] = indices.into();
        self.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive);
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if json["buffers"].is_null() {
            json["buffers"] = json!([{ "byteLength": self.bin.len(), "name": "the only one" }]);
        }
        join(json.to_string(), &self.bin)
    }

    /// Compresses the document. All views must decode to what they were, up to padding and the
    /// corners of triangles.
    fn compressed(&self) -> Value {
        let before = self.glb();
        let after = compress(&before).unwrap().unwrap();
        assert!(after.len() < before.len() && after.len().is_multiple_of(4));
        assert!(compress(&after).unwrap().is_none(), "compressed twice");
        let (text, bin) = split(&after).unwrap();
        let json: Value = serde_json::from_str(text).unwrap();
        let views = |json: &Value| json["bufferViews"].as_array().unwrap().clone();
        let mut end = 0;
        for (old, new) in views(&self.json).iter().zip(&views(&json)) {
            let [old_bytes, new_bytes] =
                [(old, &self.bin[..]), (new, bin)].map(|(view, bin)| bytes(view, bin));
            match new["extensions"][EXTENSION]["mode"].as_str() {
                Some("TRIANGLES") => assert_eq!(corners(&new_bytes), corners(&old_bytes), "{new}"),
                _ => assert!(new_bytes.starts_with(&old_bytes), "{new}"),
            }
            if new["buffer"] == 1 {
                let offset = new["byteOffset"].as_u64().unwrap();
                assert!(offset >= end && offset.is_multiple_of(4), "{new}");
                end = offset + new["byteLength"].as_u64().unwrap();
            }
        }
        let [only, fallback] = json["buffers"].as_array().unwrap().as_slice() else { panic!("{text}") };
        assert_eq!(fallback["extensions"][EXTENSION]["fallback"], true);
        assert!(fallback["byteLength"].as_u64().unwrap() >= end);
        assert!(only["byteLength"].as_u64().unwrap() as usize <= bin.len());
        for list in ["extensionsUsed", "extensionsRequired"] {
            assert_eq!(json[list].as_array().unwrap().last().unwrap(), EXTENSION);
        }
        assert_eq!(json["accessors"], self.json["accessors"]);
        assert_eq!(json["meshes"], self.json["meshes"]);
        json
    }
}

/// The bytes of a view, decoded.
fn bytes(view: &Value, bin: &[u8]) -> Vec<u8> {
    let number = |of: &Value, key: &str| of[key].as_u64().unwrap_or(0) as usize;
    let extension = &view["extensions"][EXTENSION];
    let place = if extension.is_null() { view } else { extension };
    assert_eq!(number(place, "buffer"), 0);
    let stored = &bin[number(place, "byteOffset")..][..number(place, "byteLength")];
    if extension.is_null() {
        return stored.to_vec();
    }
    let mode = Mode::from_name(extension["mode"].as_str().unwrap()).unwrap();
    let [count, stride] = ["count", "byteStride"].map(|key| number(extension, key));
    assert_eq!(number(view, "byteLength"), count * stride);
    assert!(view["byteStride"].is_null() || view["byteStride"] == extension["byteStride"]);
    decode(stored, &Layout { count, stride, mode, filter: Filter::None }).unwrap()
}

/// Triangles of 16-bit indices, each from its smallest corner.
fn corners(bytes: &[u8]) -> Vec<[u8; 6]> {
    let rotated = |triangle: &[u8]| {
        let mut triangle: [u8; 6] = triangle.try_into().unwrap();
        let rotations = [0, 2, 2].map(|by| {
            triangle.rotate_left(by);
            triangle
        });
        rotations.into_iter().min().unwrap()
    };
    bytes.chunks_exact(6).map(rotated).collect()
}

fn smooth(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i / 3) as f32 * 0.25).collect()
}

/// Triangles of a strip.
fn strip(triangles: u16) -> Vec<u16> {
    (0..triangles).flat_map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] }).collect()
}

fn mode(json: &Value, view: usize) -> Option<&str> {
    json["bufferViews"][view]["extensions"][EXTENSION]["mode"].as_str()
}

fn stride(json: &Value, view: usize) -> Option<u64> {
    json["bufferViews"][view]["extensions"][EXTENSION]["byteStride"].as_u64()
}

#[test]
fn elements_are_encoded_with_their_own_size() {
    let mut document = Document::new();
    let shapes = [("SCALAR", 1), ("VEC2", 2), ("VEC3", 3), ("VEC4", 4), ("MAT4", 16)];
    let views = shapes.map(|(shape, components)| document.floats(&smooth(960), shape, components));
    let json = document.compressed();
    for (view, (shape, components)) in views.into_iter().zip(shapes) {
        assert_eq!(mode(&json, view), Some("ATTRIBUTES"), "{shape}");
        assert_eq!(stride(&json, view), Some(4 * components as u64), "{shape}");
    }
}

#[test]
fn interleaved_views_keep_their_stride_and_become_whole() {
    let mut document = Document::new();
    // Position and colour; the last element ends after its colour.
    let bytes: Vec<u8> = (0..300u32)
        .flat_map(|i| [[i as f32 * 0.5; 4].map(f32::to_bits), [i / 100; 4]])
        .flatten()
        .flat_map(u32::to_le_bytes)
        .collect();
    let view = document.view(&bytes[..bytes.len() - 16 + 4]);
    document.json["bufferViews"][view]["byteStride"] = 32.into();
    document.accessor(view, 5126, 300, "VEC3");
    let colour = document.accessor(view, 5121, 300, "VEC4");
    document.json["accessors"][colour]["byteOffset"] = 16.into();
    let json = document.compressed();
    assert_eq!((mode(&json, view), stride(&json, view)), (Some("ATTRIBUTES"), Some(32)));
    assert_eq!(json["bufferViews"][view]["byteLength"], 9600);
}

#[test]
fn elements_of_odd_sizes_are_encoded_in_fours() {
    let mut document = Document::new();
    let view = document.view(&[7; 1001]);
    document.accessor(view, 5121, 1001, "SCALAR");
    let json = document.compressed();
    assert_eq!(stride(&json, view), Some(4));
    assert_eq!(json["bufferViews"][view]["byteLength"], 1004);
}

#[test]
fn a_view_of_several_sizes_is_encoded_with_the_best() {
    let mut document = Document::new();
    let view = document.floats(&[0.5, 1.5, 2.5, 3.5].repeat(300), "VEC4", 4);
    document.accessor(view, 5126, 1, "SCALAR");
    assert_eq!(stride(&document.compressed(), view), Some(16));
}

#[test]
fn only_triangle_lists_may_rotate() {
    let mut document = Document::new();
    let list = document.indices(&strip(400), json!({}));
    let explicit = document.indices(&strip(400), json!({ "mode": 4 }));
    let lines = document.indices(&strip(400), json!({ "mode": 1 }));
    let extended = document.indices(&strip(400), json!({ "extensions": { "ACME_corners": {} } }));
    let shared = document.indices(&strip(400), json!({}));
    let accessor = document.json["accessors"].as_array().unwrap().len() - 1;
    document.primitive(accessor, json!({ "mode": 0 }));
    document.primitive(accessor, json!({}));
    let json = document.compressed();
    assert_eq!([list, explicit].map(|view| mode(&json, view)), [Some("TRIANGLES"); 2]);
    assert_eq!([lines, extended, shared].map(|view| mode(&json, view)), [Some("INDICES"); 3]);
}

#[test]
fn lists_that_share_a_view_must_begin_between_triangles() {
    for (offset, count, expected) in [(600, 900, "TRIANGLES"), (602, 300, "INDICES"), (0, 100, "INDICES")] {
        let mut document = Document::new();
        let view = document.indices(&strip(400), json!({}));
        let second = document.accessor(view, 5123, count, "SCALAR");
        document.json["accessors"][second]["byteOffset"] = offset.into();
        document.primitive(second, json!({}));
        assert_eq!(mode(&document.compressed(), view), Some(expected), "{offset}");
    }
    let mut document = Document::new();
    let view = document.indices(&strip(401)[..1202], json!({}));
    assert_eq!(mode(&document.compressed(), view), Some("INDICES"));
}

#[test]
fn other_views_keep_their_bytes() {
    let mut document = Document::new();
    document.floats(&smooth(900), "VEC3", 3);
    document.json["images"] = json!([]);
    let image = document.floats(&smooth(900), "VEC3", 3);
    document.push("images", json!({ "bufferView": image, "mimeType": "image/png" }));
    let unknown = document.view(&[3; 900]);
    let [indices, values] = [0, 1].map(|_| document.view(&[0; 600]));
    document.push(
        "accessors",
        json!({ "componentType": 5126, "count": 900, "type": "VEC3", "sparse": { "count": 50,
            "indices": { "bufferView": indices, "componentType": 5123 },
            "values": { "bufferView": values } } }),
    );
    let small = document.floats(&smooth(30), "VEC3", 3);
    let mut seed = 1u32;
    let noise = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    });
    let noise = document.view(&noise.take(3000).collect::<Vec<_>>());
    document.accessor(noise, 5121, 750, "VEC4");
    let overlapping = document.floats(&smooth(900), "VEC3", 3);
    let part = json!({ "buffer": 0, "byteLength": 40,
        "byteOffset": document.json["bufferViews"][overlapping]["byteOffset"].as_u64().unwrap() + 80 });
    let part = document.push("bufferViews", part);
    document.accessor(part, 5126, 10, "SCALAR");
    let json = document.compressed();
    for view in [image, unknown, indices, values, small, noise, overlapping, part] {
        assert_eq!(mode(&json, view), None, "view {view}");
    }
    assert_eq!(mode(&json, 0), Some("ATTRIBUTES"));
}

#[test]
fn text_of_other_members_stays() {
    let mut document = Document::new();
    document.floats(&smooth(900), "VEC3", 3);
    let (text, bin) = (document.glb(), document.bin);
    let (text, _) = split(&text).unwrap();
    let odd = r#"{"x" : [ 1.50e0,  2.0 ], "é":"\u00e9"}"#;
    let text = text.replacen('{', &format!(r#"{{"extras":{odd},"extensionsUsed":["ACME_a"],"#), 1);
    let after = compress(&join(text, &bin)).unwrap().unwrap();
    let (text, _) = split(&after).unwrap();
    assert!(text.contains(odd), "{text}");
    assert!(text.contains(r#""extensionsUsed":["ACME_a","EXT_meshopt_compression"]"#), "{text}");
    assert!(text.contains(r#""extensionsRequired":["EXT_meshopt_compression"]"#), "{text}");
    assert!(text.contains(r#""name":"the only one""#), "{text}");
}

#[test]
fn bytes_without_a_view_are_dropped() {
    let mut document = Document::new();
    document.floats(&smooth(900), "VEC3", 3);
    document.bin.extend([1; 5000]);
    let plain = document.view(&[1, 2, 3]);
    let json = document.compressed();
    assert!(json["buffers"][0]["byteLength"].as_u64().unwrap() < 3600);
    assert_eq!(mode(&json, plain), None);
}

#[test]
fn files_that_cannot_get_smaller_are_not_changed() {
    assert!(compress(&Document::new().glb()).unwrap().is_none());
    let mut document = Document::new();
    document.floats(&smooth(900), "VEC3", 3);
    let buffers =
        [json!([]), json!([{ "byteLength": 3600, "uri": "a.bin" }]), json!([{ "byteLength": 1 }, {}])];
    for buffers in buffers {
        document.json["buffers"] = buffers;
        assert!(compress(&document.glb()).unwrap().is_none(), "{}", document.json["buffers"]);
    }
    document.json["buffers"] = Value::Null;
    document.json["extensionsUsed"] = json!(["KHR_meshopt_compression"]);
    assert!(compress(&document.glb()).unwrap().is_none());
}

#[test]
fn invalid_files_are_errors() {
    let mut document = Document::new();
    document.floats(&smooth(900), "VEC3", 3);
    let glb = document.glb();
    for length in [0, 3, 11, 19, 100, glb.len() - 1] {
        assert!(matches!(compress(&glb[..length]), Err(CompressError::Container)), "{length}");
    }
    assert!(matches!(compress(&join("[]".into(), &[])), Err(CompressError::Document(_))));
    document.json["bufferViews"][0]["byteOffset"] = json!(usize::MAX);
    let error = compress(&document.glb()).unwrap_err();
    assert!(matches!(error, CompressError::Range));
    assert!(!error.to_string().is_empty());
}
