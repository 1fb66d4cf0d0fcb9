use glam::{Vec2, Vec3};
use pliant::io::ErrorCode;

use super::samples::{CUBE, cube_triangles, ply_cube, ply_declaring, ply_with_huge_list};
use super::{code_and_location, model, model_error};

const ENCODINGS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

#[test]
fn all_three_encodings_give_the_same_model() {
    let assets = ENCODINGS.map(|encoding| model("cube.ply", ply_cube(encoding)));
    for asset in &assets {
        assert_eq!(asset.render, assets[0].render);
        assert_eq!(asset.render.positions, CUBE.map(Vec3::from));
        assert_eq!(asset.render.triangles, cube_triangles());
        assert_eq!(asset.render.colors[1].to_array(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(asset.render.uvs[2], Vec2::new(1.0, 0.0));
        assert!(asset.render.normals[6].abs_diff_eq(Vec3::splat(3f32.sqrt().recip()), 1e-6));
    }
}

#[test]
fn all_line_ends_and_byte_order_marks_are_read() {
    let text = String::from_utf8(ply_cube("ascii")).unwrap();
    let unix = model("cube.ply", &text);
    for other in [
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        format!("\u{FEFF}{text}"),
        text.trim_end().into(),
    ] {
        assert_eq!(model("cube.ply", other).render, unix.render);
    }
    // A binary body directly after CR LF, whose first byte is LF.
    let mut ply = b"ply\r\nformat binary_little_endian 1.0\r\nelement other 1\r\nproperty uchar a\r\nelement vertex 3\r\n\
        property char x\r\nproperty char y\r\nproperty char z\r\nelement face 1\r\n\
        property list uchar uchar vertex_index\r\nend_header\r\n\n"
        .to_vec();
    ply.extend([0, 0, 0, 5, 0, 0, 0, 5, 0xFF, 3, 0, 1, 2]);
    assert_eq!(model("tiny.ply", ply).render.positions[2], Vec3::new(0.0, 5.0, -1.0));
}

#[test]
fn strips_reverse_every_other_triangle() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n8 0 1 2 3 -1 2 3 4\n";
    assert_eq!(model("strip.ply", ply).render.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
}

#[test]
fn false_counts_are_rejected() {
    let truncated = [
        ply_declaring("vertex", 4_000_000_000),
        ply_declaring("face", 12),
        ply_declaring("other", 3),
        ply_with_huge_list(),
    ];
    for ply in truncated {
        let error = model_error(&ply);
        assert_eq!(error.code, ErrorCode::Truncated, "{error}");
        assert!(error.place.starts_with("byte") && error.hint.contains("cut short"), "{error}");
    }
    let error = model_error(b"ply\nformat ascii 1.0\nelement vertex 3\n");
    assert_eq!(code_and_location(&error), (ErrorCode::Truncated, "header"));
}

#[test]
fn rows_without_properties_are_skipped_in_constant_time() {
    let text = String::from_utf8(ply_cube("ascii")).unwrap();
    let ply = text.replace("element camera", "element ghost 18446744073709551615\nelement camera");
    assert_eq!(model("cube.ply", ply).render.positions.len(), 8);
}

#[test]
fn errors_name_the_location() {
    let header = |properties: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\n{properties}element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let xyz = header("property float x\nproperty float y\nproperty float z\n");
    for (ply, place, expected) in [
        (format!("{xyz}0 0 0 1 0 0 0 1 0\n3 0 1 3"), "face 0", "vertex 3, but there are only 3"),
        (format!("{xyz}0 0 0\n1 0 0\n0 1 0\n3 0 1 -2"), "line 13", "-2 is not"),
        (format!("{xyz}0 0 0\n1 nan 0\n0 1 0\n3 0 1 2"), "line 11", "not a finite"),
        (format!("{xyz}0 0 0\n1 zero 0\n0 1 0\n3 0 1 2"), "line 11", "\"zero\""),
        (format!("{xyz}0 0 0\n1 0 0\n0 1 0\n3.5 0 1 2"), "line 13", "3.5 entries"),
        (
            format!("{}0 0\n1 0\n0 1\n3 0 1 2", header("property float x\nproperty float y\n")),
            "header",
            "no x, y and z",
        ),
        (header("property quaternion x\n"), "line 4", "\"quaternion\""),
        (xyz.replace("uchar", "float"), "line 8", "integer type"),
        (xyz.replace("ascii", "morse"), "line 2", "\"morse\""),
        (xyz.replace("vertex 3", "vertex -3"), "line 3", "\"-3\""),
        (xyz.replace("format ascii 1.0\n", ""), "line 8", "no format"),
        ("ply\nproperty float x\n".into(), "line 2", "before the first element"),
        ("ply\nhello\n".into(), "line 2", "\"hello\""),
    ] {
        let error = model_error(&ply);
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(code_and_location(&error), (ErrorCode::Malformed, place), "{error}");
    }
}

#[test]
fn points_without_faces_are_rejected() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    assert_eq!(model_error(ply).code, ErrorCode::NoMesh);
}
