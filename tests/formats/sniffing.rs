use pliant::io::{ErrorCode, Foreign, Format, read_model, read_skeleton, sniff};
use pliant::report::Report;

use super::samples::{self, obj_cube};
use super::{file, model_error};

#[test]
fn every_format_is_told_by_its_content() {
    let expected = [
        Format::Obj,
        Format::Obj,
        Format::Ply,
        Format::Ply,
        Format::Ply,
        Format::StlAscii,
        Format::StlBinary,
    ];
    for ((name, bytes), format) in samples::models().into_iter().zip(expected) {
        assert_eq!(sniff(&bytes), Some(format), "{name}");
    }
    for (bytes, format) in [
        (&b"glTF\x02\0\0\0"[..], Format::Glb),
        (b"{\"asset\": {\"version\": \"2.0\"", Format::Gltf),
        (b"\xEF\xBB\xBF  {\"scene\": 0, \"nodes\": [{\"bones\": 1}]}", Format::Gltf),
        (b"{\"extras\": {\"asset\": 1}, \"bones\": []}", Format::SkeletonJson),
        (b"{\"nodes\": [], \"bones\": []}", Format::SkeletonJson),
        (samples::TGF.as_bytes(), Format::Tgf),
        (samples::JSON.as_bytes(), Format::SkeletonJson),
        (b"# a long\n\n# story\r\n  v 1 2 3\r\n", Format::Obj),
        (b"solid x\nendsolid x", Format::StlAscii),
    ] {
        assert_eq!(sniff(bytes), Some(format), "{}", String::from_utf8_lossy(bytes));
    }
    for bytes in [
        &b""[..],
        b"# only a comment\n",
        b"hello world",
        b"v is for victory",
        b"\0\0\0\0",
        b"plywood",
        b"solidarity",
    ] {
        assert_eq!(sniff(bytes), None, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_people_drop_by_mistake_is_named_with_a_remedy() {
    let zip = |entry: &str| {
        let mut zip = b"PK\x03\x04".to_vec();
        zip.resize(26, 0);
        zip.extend((entry.len() as u16).to_le_bytes());
        zip.extend([0, 0]);
        zip.extend(entry.as_bytes());
        zip
    };
    for (bytes, foreign, says) in [
        (b"Kaydara FBX Binary  \0\x1a\0".to_vec(), Foreign::Fbx, "FBX"),
        (b"; FBX 7.3.0 project file\n".to_vec(), Foreign::Fbx, "File \u{2192} Export \u{2192} glTF"),
        (b"BLENDER-v405".to_vec(), Foreign::Blend, "Blender"),
        (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=".to_vec(), Foreign::Collada, "COLLADA"),
        (b"<!DOCTYPE html><html>".to_vec(), Foreign::WebPage, "download"),
        (b"<svg></svg>".to_vec(), Foreign::Xml, "XML"),
        (b"HIERARCHY\nROOT Hips\n".to_vec(), Foreign::Bvh, "BVH"),
        (b"%PDF-1.7".to_vec(), Foreign::Pdf, "PDF"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), Foreign::Picture, "picture"),
        (b"\xFF\xD8\xFF\xE0".to_vec(), Foreign::Picture, "picture"),
        (zip("model.fbx"), Foreign::Zip, "unpack"),
        (zip("scene.usdc"), Foreign::Usdz, "USDZ"),
        (zip("[Content_Types].xml"), Foreign::ThreeMf, "3MF"),
        (b"#usda 1.0\n".to_vec(), Foreign::Usd, "USD"),
        (b"newmtl skin\nKd 1 1 1\n".to_vec(), Foreign::Mtl, "OBJ"),
        (b"{\"name\": \"package\"}".to_vec(), Foreign::Json, "JSON"),
        (b"version https://git-lfs.github.com/spec/v1\n".to_vec(), Foreign::LfsPointer, "git lfs pull"),
        (b"OFF\n8 6 12\n".to_vec(), Foreign::Off, "OFF"),
    ] {
        assert_eq!(sniff(&bytes), Some(Format::Foreign(foreign)));
        let error = model_error(&bytes);
        assert_eq!(error.code, ErrorCode::Unsupported);
        assert!(error.to_string().contains(says), "{error}");
        assert!(!error.hint.is_empty());
    }
}

#[test]
fn the_model_is_found_among_the_files_given_together() {
    let picture = file("skin.png", b"\x89PNG\r\n\x1a\n");
    let model = file("cube.obj", obj_cube());
    let other = file("other.stl", samples::stl_ascii("x"));
    let rig = file("rig.tgf", samples::TGF);
    let mut report = Report::default();
    let files = [picture.clone(), rig, model, other];
    let asset = read_model(&files, &mut report).unwrap();
    assert_eq!(asset.name, "cube");
    assert_eq!(report.warnings().len(), 1);
    assert!(report.warnings()[0].to_string().contains("other.stl"));
    assert_eq!(read_skeleton(&files, &mut report).unwrap().skeleton.joints().len(), 4);

    let error = read_model(&[picture.clone(), file("bad.obj", "v 0 0 x\n")], &mut report).unwrap_err();
    assert_eq!(error.place, "bad.obj, line 1");
    let error = read_model(&[picture, file("bin", "?")], &mut report).unwrap_err();
    assert!(error.to_string().starts_with("skin.png: this is a picture"), "{error}");
}

#[test]
fn nothing_and_nonsense_are_refused_with_what_would_do() {
    let error = read_model(&[], &mut Report::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownFormat);
    for bytes in [&b""[..], b"what is this"] {
        let error = model_error(bytes);
        assert_eq!(error.code, ErrorCode::UnknownFormat);
        assert!(error.hint.contains("GLB"), "{error}");
    }
}
