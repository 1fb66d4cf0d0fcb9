//! Materials, their images and vertex colours.

use glam::Vec4;
use pliant::model::{Alpha, Filter, Material, Sampler, Wrap};

use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n picture";
const WEBP: &[u8] = b"RIFF\x04\0\0\0WEBPVP8L picture";
const AVIF: &[u8] = b"\0\0\0\x1Cftypavif picture";
const KTX2: &[u8] = b"\xABKTX 20\xBB\r\n\x1a\n picture";

/// Each extension, its image, and the media type of that.
const EXTENSIONS: [(&str, &[u8], &str); 3] = [
    ("EXT_texture_webp", WEBP, "image/webp"),
    ("EXT_texture_avif", AVIF, "image/avif"),
    ("KHR_texture_basisu", KTX2, "image/ktx2"),
];

/// A triangle with `attributes` beside its positions and material 0.
fn triangle(attributes: impl FnOnce(&mut Doc) -> Value) -> Doc {
    let mut doc = Doc::new();
    let mut attributes = attributes(&mut doc);
    attributes["POSITION"] = doc.floats("VEC3", &TRIANGLE).into();
    doc.add_mesh(json!({ "attributes": attributes, "material": 0 }), json!({}));
    doc
}

/// A triangle with a material for each texture. The images of `embedded` are 0, 1, …
fn textured(textures: Value, embedded: &[&[u8]]) -> Doc {
    let mut doc = triangle(|_| json!({}));
    for bytes in embedded {
        let view = doc.view(bytes);
        doc.push("images", json!({ "bufferView": view }));
    }
    for index in 0..textures.as_array().unwrap().len() {
        doc.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": index } } }));
    }
    doc.json.insert("textures".into(), textures);
    doc
}

/// The model and its warnings.
fn read(files: &[File]) -> (Asset, Vec<String>) {
    let mut report = Report::default();
    let asset = read_model(files, &mut report).unwrap();
    asset.assert_well_formed();
    (asset, report.warnings().iter().map(ToString::to_string).collect())
}

fn read_glb(doc: &Doc) -> (Asset, Vec<String>) {
    read(&[File { name: "test.glb".into(), bytes: doc.glb() }])
}

/// The bytes of the image that the first material shows.
fn shown(doc: &Doc) -> (Option<Vec<u8>>, Vec<String>) {
    let (asset, warnings) = read_glb(doc);
    let texture = asset.materials[0].texture;
    (texture.map(|index| asset.textures[index].bytes.clone()), warnings)
}

#[test]
fn a_texture_is_read_from_the_image_of_an_extension() {
    for (name, bytes, mime) in EXTENSIONS {
        let mut doc = textured(json!([{ "extensions": { name: { "source": 0 } } }]), &[bytes]);
        doc.json.insert("extensionsRequired".into(), json!([name]));
        let (asset, warnings) = read_glb(&doc);
        assert_eq!(warnings, Vec::<String>::new(), "{name}");
        assert_eq!(asset.materials[0].texture, Some(0), "{name}");
        assert_eq!((asset.textures[0].bytes.as_slice(), asset.textures[0].mime.as_str()), (bytes, mime));
    }
}

#[test]
fn webp_and_avif_are_preferred_to_the_plain_image_and_ktx2_is_not() {
    for (name, bytes, mime) in EXTENSIONS {
        let both = json!([{ "source": 0, "extensions": { name: { "source": 1 } } }]);
        let expected = if mime == "image/ktx2" { PNG } else { bytes };
        assert_eq!(shown(&textured(both, &[PNG, bytes])), (Some(expected.to_vec()), vec![]), "{name}");
    }
}

#[test]
fn a_missing_image_is_replaced_by_the_other_one() {
    for (name, bytes, _) in EXTENSIONS {
        for missing in [json!({}), json!({ "uri": "absent.webp" })] {
            let mut plain =
                textured(json!([{ "source": 0, "extensions": { name: { "source": 1 } } }]), &[PNG]);
            plain.push("images", missing.clone());
            assert_eq!(shown(&plain), (Some(PNG.to_vec()), vec![]), "{name}");
            let mut other =
                textured(json!([{ "source": 1, "extensions": { name: { "source": 0 } } }]), &[bytes]);
            other.push("images", missing);
            assert_eq!(shown(&other), (Some(bytes.to_vec()), vec![]), "{name}");
        }
        let beyond = textured(json!([{ "source": 0, "extensions": { name: { "source": 9 } } }]), &[PNG]);
        assert_eq!(shown(&beyond), (Some(PNG.to_vec()), vec![]), "{name}");
    }
}

#[test]
fn a_texture_that_cannot_be_used_gives_one_warning() {
    let expect = |doc: &Doc, words: &[&str]| {
        let (asset, warnings) = read_glb(doc);
        assert!(asset.materials.iter().all(|material| material.texture.is_none()));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        words.iter().for_each(|word| assert!(warnings[0].contains(word), "{}", warnings[0]));
    };
    expect(&textured(json!([{}]), &[PNG]), &["textures[0]", "no image"]);
    let unknown = json!([{ "extensions": { "MSFT_texture_dds": { "source": 0 } } }]);
    expect(&textured(unknown, &[b"DDS "]), &["textures[0]", "no image"]);
    expect(&textured(json!([{ "source": 3 }]), &[PNG]), &["textures[0]", "images[3]"]);
    let mut twice = textured(json!([{ "source": 0 }]), &[]);
    twice.push("images", json!({ "uri": "absent.png" }));
    twice.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }));
    expect(&twice, &["textures[0]", "images[0]"]);
    let mut beyond = textured(json!([]), &[PNG]);
    beyond.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 7 } } }));
    expect(&beyond, &["textures[7]"]);
}

#[test]
fn images_that_show_the_same_are_kept_for_when_one_cannot_be_decoded() {
    for (name, bytes, mime) in EXTENSIONS {
        let both = json!([{ "source": 0, "extensions": { name: { "source": 1 } } }]);
        let (asset, _) = read_glb(&textured(both, &[PNG, bytes]));
        let other = if mime == "image/ktx2" { bytes } else { PNG };
        let fallbacks: Vec<Option<usize>> = asset.textures.iter().map(|texture| texture.fallback).collect();
        assert_eq!((asset.materials[0].texture, fallbacks), (Some(0), vec![Some(1), None]), "{name}");
        assert_eq!(asset.textures[1].bytes, other, "{name}");
        assert!(asset.uses_texture(0) && !asset.uses_texture(1));
    }
}

#[test]
fn samplers_belong_to_textures_and_have_defaults() {
    let mut doc = textured(
        json!([{ "source": 0 }, { "source": 0, "sampler": 0 }, { "source": 0, "sampler": 1 }, { "source": 0, "sampler": 9 }, { "source": 0, "sampler": -1 }, { "source": 0, "sampler": 2 }]),
        &[PNG],
    );
    doc.push("samplers", json!({ "wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9985 }));
    doc.push("samplers", json!({ "wrapS": 10497, "minFilter": 9728 }));
    doc.push("samplers", json!({ "wrapS": "clamp", "magFilter": -1, "minFilter": null, "wrapT": 0.5 }));
    let (asset, _) = read_glb(&doc);
    let (nearest, linear) = (Filter::Nearest, Filter::Linear);
    let expected = [
        Sampler::default(),
        Sampler {
            wrap: [Wrap::ClampToEdge, Wrap::MirroredRepeat],
            mag: nearest,
            min: linear,
            mipmap: Some(nearest),
        },
        Sampler { min: nearest, mipmap: None, ..Sampler::default() },
        Sampler::default(),
        Sampler::default(),
        Sampler::default(),
    ];
    assert_eq!([0, 1, 2, 3, 4, 5].map(|material| asset.materials[material].sampler), expected);
    assert_eq!(asset.textures.len(), 1);
}

#[test]
fn textures_of_one_image_share_it() {
    let doc = textured(
        json!([{ "source": 0 }, { "extensions": { "EXT_texture_webp": { "source": 0 } } }]),
        &[WEBP],
    );
    let (asset, _) = read_glb(&doc);
    assert_eq!(asset.textures.len(), 1);
    assert_eq!([0, 1].map(|material| asset.materials[material].texture), [Some(0); 2]);
}

#[test]
fn the_media_type_is_that_of_the_content() {
    for (bytes, mime) in
        [(PNG, "image/png"), (b"\xFF\xD8\xFF\xE0", "image/jpeg"), (b"\0\0\0\x1Cftypavis", "image/avif")]
    {
        let mut doc = textured(json!([{ "source": 0 }]), &[bytes]);
        doc.json["images"][0]["mimeType"] = "image/x-wrong".into();
        assert_eq!(read_glb(&doc).0.textures[0].mime, mime);
    }
    let mut unknown = textured(json!([{ "source": 0 }]), &[b"?"]);
    unknown.json["images"][0]["mimeType"] = "image/x-declared".into();
    unknown.json["images"][0]["name"] = "face".into();
    let texture = &read_glb(&unknown).0.textures[0];
    assert_eq!((texture.mime.as_str(), texture.place.as_str()), ("image/x-declared", "images[0] \"face\""));
}

#[test]
fn export_keeps_the_images_and_their_extensions() {
    for (name, bytes, mime) in EXTENSIONS {
        let texture = json!({ "name": "skin", "extensions": { name: { "source": 0, "extras": [1.50] } } });
        let mut doc = textured(json!([texture.clone()]), &[bytes]);
        doc.json.insert("extensionsUsed".into(), json!([name]));
        doc.json.insert("extensionsRequired".into(), json!([name]));
        let mut files = doc.gltf_and_bin();
        let weights = Weights::rigid(1, [0; 3]).unwrap();
        let json_of = |files: &[File]| -> (Value, Vec<u8>) {
            let mut asset = read(files).0;
            asset.skeleton =
                Some(Skeleton::new(vec![pliant::model::Joint::at("root", None, Vec3::ZERO)]).unwrap());
            let (json, bin) = chunks(&export(&asset, &weights, WeightFormat::U8));
            (serde_json::from_str(&json).unwrap(), bin)
        };
        let (json, bin) = json_of(&files);
        assert_eq!(json["textures"][0], texture, "{name}");
        assert_eq!((&json["extensionsUsed"], &json["extensionsRequired"]), (&json!([name]), &json!([name])));
        assert!(bin.windows(bytes.len()).any(|window| window == bytes), "{name}");

        // An image of its own file is embedded, with its media type.
        doc.json["images"][0] = json!({ "uri": "image.bin" });
        files[0] = doc.gltf_and_bin().swap_remove(0);
        files.push(File { name: "image.bin".into(), bytes: bytes.to_vec() });
        let (json, bin) = json_of(&files);
        assert_eq!((&json["images"][0]["mimeType"], &json["textures"][0]), (&json!(mime), &texture));
        assert!(bin.windows(bytes.len()).any(|window| window == bytes), "{name}");
    }
}

#[test]
fn vertex_colours_are_read_from_every_valid_storage() {
    let expected = [Vec4::new(1.0, 0.0, 0.2, 1.0), Vec4::new(0.0, 0.4, 1.0, 1.0), Vec4::ONE];
    let check = |shape: &str, component: u32, value: &dyn Fn(f32) -> Vec<u8>| {
        let width = if shape == "VEC3" { 3 } else { 4 };
        // Elements begin at multiples of four bytes.
        let stride = (width * value(0.0).len()).next_multiple_of(4);
        let doc = triangle(|doc| {
            let mut bytes = Vec::new();
            for (vertex, color) in expected.iter().enumerate() {
                color.to_array()[..width].iter().for_each(|&channel| bytes.extend(value(channel)));
                bytes.resize((vertex + 1) * stride, 0);
            }
            let view = doc.view(&bytes);
            doc.json["bufferViews"][view]["byteStride"] = stride.into();
            let accessor = json!({ "bufferView": view, "componentType": component, "count": 3, "type": shape,
                                   "normalized": component != 5126 });
            json!({ "COLOR_0": doc.push("accessors", accessor) })
        });
        let colors = doc.read().unwrap().render.colors;
        assert_eq!(colors.len(), 3);
        let is_near = |(a, b): (&Vec4, &Vec4)| a.abs_diff_eq(*b, 1.0 / 255.0);
        assert!(colors.iter().zip(&expected).all(is_near), "{shape} {component}: {colors:?}");
    };
    for shape in ["VEC3", "VEC4"] {
        check(shape, 5126, &|channel| channel.to_le_bytes().to_vec());
        check(shape, 5121, &|channel| vec![(channel * 255.0).round() as u8]);
        check(shape, 5123, &|channel| ((channel * 65535.0).round() as u16).to_le_bytes().to_vec());
    }
    assert!(triangle(|_| json!({})).read().unwrap().render.colors.is_empty());
}

#[test]
fn materials_say_how_they_are_drawn() {
    let read = |material: Value| -> Material {
        let mut doc = triangle(|_| json!({}));
        doc.push("materials", material);
        doc.read().unwrap().materials.swap_remove(0)
    };
    let plain = read(json!({}));
    assert_eq!((plain.unlit, plain.double_sided, plain.alpha), (false, false, Alpha::Opaque));
    assert!(read(json!({ "extensions": { "KHR_materials_unlit": {} } })).unlit);
    assert!(!read(json!({ "extensions": { "KHR_materials_ior": { "ior": 1.4 } } })).unlit);
    assert!(read(json!({ "doubleSided": true })).double_sided);
    assert_eq!(read(json!({ "alphaMode": "MASK" })).alpha, Alpha::Mask(0.5));
    assert_eq!(read(json!({ "alphaMode": "MASK", "alphaCutoff": 0.25 })).alpha, Alpha::Mask(0.25));
    assert_eq!(read(json!({ "alphaMode": "BLEND" })).alpha, Alpha::Blend);
}
