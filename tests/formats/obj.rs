use glam::{Vec2, Vec3};
use pliant::io::{ErrorCode, write_obj};

use super::samples::{CUBE, RICH_OBJ, cube_triangles, obj_cube};
use super::{code_and_location, model, model_and_warnings, model_error};

#[test]
fn a_mesh_of_positions_keeps_its_vertex_order_and_gets_normals() {
    let asset = model("things/cube.v2.obj", obj_cube());
    assert_eq!(asset.name, "cube.v2");
    assert_eq!(asset.render.positions, CUBE.map(Vec3::from));
    assert_eq!(asset.render.triangles, cube_triangles());
    assert_eq!((asset.render.uvs.len(), asset.render.colors.len(), asset.source), (0, 0, None));
    for (p, n) in asset.render.positions.iter().zip(&asset.render.normals) {
        assert!((*p - Vec3::splat(0.5)).dot(*n) > 0.5, "the normal at {p} points in");
    }
}

#[test]
fn every_feature_is_read() {
    let (asset, warnings) = model_and_warnings("rich.obj", RICH_OBJ);
    let names: Vec<&str> = asset.render.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["body (skin)", "body (cloth)", "body hat"]);
    let materials: Vec<&str> = asset.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(materials, ["skin", "cloth"]);
    assert_eq!(asset.render.parts[2].material, Some(1));
    // The concave pentagon and the last triangle, which is apart from it in the file.
    assert_eq!(asset.render.parts[0].triangles, 0..4);
    // Five records, and second triples of the three that the last face uses without a normal.
    assert_eq!(asset.render.parts[0].vertices, 0..8);
    assert_eq!(asset.render.positions[3], Vec3::new(1.0, 0.5, 0.0));
    assert_eq!(asset.render.positions[5..8], [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(2.0, 2.0, 0.0)]);
    assert_eq!(asset.render.normals[0], Vec3::Z);
    assert_eq!(asset.render.uvs[1], Vec2::new(1.0, 0.75));
    assert_eq!(asset.mesh.positions().len(), 8, "welded over seams and parts");
    // Red stays red, grey is darkened to linear, and a record without colour is white.
    assert_eq!(asset.render.colors[0].to_array(), [1.0, 0.0, 0.0, 1.0]);
    assert!((asset.render.colors[1].x - 0.2140).abs() < 1e-3);
    assert_eq!(asset.render.colors[2].to_array(), [1.0; 4]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("materials"), "{warnings:?}");
}

#[test]
fn vertex_order_depends_on_faces_and_never_on_coordinates() {
    // The same topology, once unchanged and once with scattered vertices.
    let strewn: String = RICH_OBJ
        .lines()
        .enumerate()
        .map(|(i, line)| {
            if line.starts_with("v ") {
                format!("v {} {} {}\n", i * i % 7, i, i % 3)
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let (as_is, _) = model_and_warnings("a.obj", RICH_OBJ);
    let (moved, _) = model_and_warnings("b.obj", strewn);
    assert_eq!(as_is.render.uvs, moved.render.uvs);
    assert_eq!(as_is.render.positions.len(), moved.render.positions.len());
    let ranges = |asset: &pliant::model::Asset| -> Vec<_> {
        asset.render.parts.iter().map(|p| (p.vertices.clone(), p.triangles.clone())).collect()
    };
    assert_eq!(ranges(&as_is), ranges(&moved));
}

#[test]
fn unused_vertices_keep_their_index() {
    let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nv 7 7 7\nf 2 3 5\n";
    let (asset, warnings) = model_and_warnings("loose.obj", text);
    let first: Vec<f32> = asset.render.positions.iter().map(|p| p.x).collect();
    assert_eq!(first, [9.0, 0.0, 1.0, 8.0, 0.0, 7.0]);
    assert_eq!(asset.render.triangles, [[1, 2, 4]]);
    assert_eq!(asset.render.normals[0], Vec3::Y);
    assert!(warnings[0].contains("3 vertices belong to no face"), "{warnings:?}");
}

#[test]
fn seam_vertices_are_appended_so_that_records_keep_their_indices() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 1\n\
                f 3/1 1/1 2/1\nf 3/2 2/2 4/2\n";
    let asset = model("seam.obj", text);
    let xy: Vec<[f32; 2]> = asset.render.positions.iter().map(|p| [p.x, p.y]).collect();
    assert_eq!(xy, [[0., 0.], [1., 0.], [0., 1.], [1., 1.], [1., 0.], [0., 1.]]);
    assert_eq!(asset.render.triangles, [[2, 0, 1], [5, 4, 3]]);
    assert_eq!(asset.mesh.positions().len(), 4);
}

#[test]
fn lines_points_and_degenerate_faces_are_skipped_and_counted() {
    let text = format!(
        "{}vn nan nan nan\nl 1 2 3\np 1\nf 1 2\nf 1 1 2\nvp 0.5\nfrobnicate\nf 1//1 2//1 3//1\n",
        obj_cube()
    );
    let (asset, warnings) = model_and_warnings("odd.obj", text);
    assert_eq!(asset.render.triangles.len(), 13);
    for (expected, line) in [
        ("2 lines and points", 16),
        ("1 faces with fewer", 18),
        ("1 free-form", 20),
        ("1 normals", 15),
        ("1 records of unknown", 21),
    ] {
        let location = format!("line {line})");
        assert!(
            warnings.iter().any(|r| r.contains(expected) && r.contains(&location)),
            "{expected}: {warnings:?}"
        );
    }
    assert!(warnings.iter().any(|r| r.contains("fewer than three distinct corners")), "{warnings:?}");
}

#[test]
fn errors_name_the_line() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (record, expected) in [
        ("f 1 2 4", "vertex 4, but there are only 3"),
        ("f 1 2 0", "indices start at 1"),
        ("f 1 2 -4", "\"-4\""),
        ("f 1/1 2/1 3/1", "texture coordinate 1, but there are only 0"),
        ("f 1//9 2//9 3//9", "normal 9"),
        ("f 1 2 x", "\"x\""),
        ("f /1 2 3", "has no vertex index"),
        ("v 1 2", "missing"),
        ("v 1 nan 2", "not a finite number"),
        ("v 1 1e39 2", "not a finite number"),
        ("v 1 1e12 2", "too large"),
        ("v 1,5 2 3", "decimal points"),
    ] {
        let error = model_error(format!("{triangle}{record}\nf 1 2 3\n"));
        assert_eq!(code_and_location(&error), (ErrorCode::Malformed, "line 4"), "{record}: {error}");
        assert!(error.to_string().contains(expected), "{record}: {error}");
    }
}

#[test]
fn a_file_without_faces_has_no_mesh() {
    for text in
        ["v 0 0 0\nv 1 0 0\n", "o empty\n", "v 0 0 0\nf 1 1 1\n", "v 0 0 0\nv 0 -0 0\nv 0 0 0\nf 1 2 3\n"]
    {
        let error = model_error(text);
        assert_eq!(error.code, ErrorCode::NoMesh, "{text}");
        assert!(error.hint.contains("export"), "{error}");
    }
}

#[test]
fn written_files_are_read_back_unchanged() {
    for text in [
        obj_cube(),
        RICH_OBJ.to_owned(),
        "v 9 9 9\nv 0 1e-30 0.1\nv 1 0 0\nv 0 1 0\nv 5 5 5\ng a b\nf 2 3 4\n".into(),
    ] {
        let (asset, _) = model_and_warnings("in.obj", text);
        let written = write_obj(&asset.render);
        assert_eq!(written, write_obj(&asset.render));
        let (again, _) = model_and_warnings("out.obj", &written);
        assert_eq!(again.render.positions, asset.render.positions);
        assert_eq!(again.render.triangles, asset.render.triangles);
        assert_eq!(again.render.uvs, asset.render.uvs);
        assert_eq!(again.mesh, asset.mesh);
        for (a, b) in again.render.normals.iter().zip(&asset.render.normals) {
            assert!(a.distance(*b) < 1e-6);
        }
        for (a, b) in again.render.parts.iter().zip(&asset.render.parts) {
            assert_eq!((&a.vertices, &a.triangles), (&b.vertices, &b.triangles));
            assert_eq!(a.name, b.name.replace(' ', "_"));
        }
    }
}
