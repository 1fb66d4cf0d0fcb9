use pliant::io::{ErrorCode, Format, read_model, read_skeleton, sniff};
use pliant::report::Report;

use super::samples::{self, obj_cube};
use super::{file, model_error};

#[test]
fn every_format_is_recognised_by_its_content() {
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
        (samples::BVH.as_bytes(), Format::Bvh),
        (b"PK\x03\x04", Format::Zip),
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
fn the_model_is_found_among_several_files() {
    let image = file("skin.png", b"\x89PNG\r\n\x1a\n");
    let model = file("cube.obj", obj_cube());
    let other = file("other.stl", samples::stl_ascii("x"));
    let rig = file("rig.tgf", samples::TGF);
    let mut report = Report::default();
    let files = [image.clone(), rig, model, other];
    let asset = read_model(&files, &mut report).unwrap();
    assert_eq!(asset.name, "cube");
    assert_eq!(report.warnings().len(), 1);
    assert!(report.warnings()[0].to_string().contains("other.stl"));
    assert_eq!(read_skeleton(&files, &mut report).unwrap().skeleton.joints().len(), 4);

    let error = read_model(&[image.clone(), file("bad.obj", "v 0 0 x\n")], &mut report).unwrap_err();
    assert_eq!(error.place, "bad.obj, line 1");
    let error = read_model(&[image, file("bin", "?")], &mut report).unwrap_err();
    assert!(error.to_string().starts_with("skin.png: this is an image"), "{error}");
}

#[test]
fn empty_and_unknown_files_are_rejected_with_a_list_of_formats() {
    let error = read_model(&[], &mut Report::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownFormat);
    for bytes in [&b""[..], b"what is this"] {
        let error = model_error(bytes);
        assert_eq!(error.code, ErrorCode::UnknownFormat);
        assert!(error.hint.contains("GLB"), "{error}");
    }
}
