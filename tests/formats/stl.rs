use pliant::io::ErrorCode;

use super::samples::{stl_ascii, stl_binary, stl_declaring};
use super::{code_and_location, model, model_and_warnings, model_error};

#[test]
fn text_and_binary_give_the_same_welded_model() {
    let text = model("cube.stl", stl_ascii("cube"));
    let binary = model("cube.stl", stl_binary(b"", b""));
    assert_eq!(text.render, binary.render);
    assert_eq!((text.render.positions.len(), text.render.triangles.len()), (8, 12));
    assert_eq!(text.mesh.positions(), text.render.positions);
}

#[test]
fn a_binary_file_is_recognised_with_any_header_and_trailer() {
    let plain = model("cube.stl", stl_binary(b"", b""));
    for (header, trailer) in
        [(&b"solid cube"[..], &b""[..]), (b"solid", b"a note of the exporter"), (b"COLOR=", b"\0\0")]
    {
        assert_eq!(model("cube.stl", stl_binary(header, trailer)).render, plain.render);
    }
}

#[test]
fn several_solids_are_several_parts() {
    let stl =
        format!("\u{FEFF}{}{}", stl_ascii("left shoe"), stl_ascii("").replace('\n', "\r\n").to_uppercase());
    let asset = model("shoes.stl", stl);
    let parts: Vec<_> = asset.render.parts.iter().map(|p| (p.name.as_str(), p.vertices.clone())).collect();
    assert_eq!(parts, [("left shoe", 0..8), ("shoes", 8..16)]);
    assert_eq!(asset.mesh.positions().len(), 8, "both are at the same position");
}

#[test]
fn errors_name_the_location() {
    let text = stl_ascii("cube");
    let swapped = text.replacen("  endloop\n", "   vertex 0 0 0\n  endloop\n", 1);
    assert_eq!(code_and_location(&model_error(swapped)), (ErrorCode::Malformed, "line 9"));
    let error = model_error(text.replacen("vertex 0", "vertex inf", 1));
    assert_eq!(code_and_location(&error), (ErrorCode::Malformed, "line 4"));
    let error = model_error(text.replacen(" facet", " faucet", 1));
    assert_eq!(code_and_location(&error), (ErrorCode::Malformed, "line 2"));
    assert_eq!(model_error(&text[..text.rfind(" endfacet").unwrap()]).code, ErrorCode::Truncated);
    assert_eq!(model_error("solid nothing\nendsolid nothing\n").code, ErrorCode::NoMesh);
    let error = model_error(stl_declaring(1000));
    assert_eq!(code_and_location(&error), (ErrorCode::Truncated, "byte 80"));
    let mut nan = stl_binary(b"", b"");
    nan[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(code_and_location(&model_error(nan)), (ErrorCode::Malformed, "triangle 1"));
}

#[test]
fn a_missing_last_line_gives_a_warning() {
    let text = stl_ascii("cube").replace("endsolid cube\n", "");
    let (asset, warnings) = model_and_warnings("cube.stl", text);
    assert_eq!(asset.render.triangles.len(), 12);
    assert!(warnings[0].contains("endsolid"), "{warnings:?}");
}
