use std::f64::consts::PI;

use glam::{DQuat, DVec3, Vec3};
use pliant::io::ErrorCode;
use pliant::model::{HumanBone, Pose, Skeleton};

use super::samples::{JSON, TGF};
use super::{code_and_location, model_error, skeleton_and_warnings, skeleton_error};

fn parents(skeleton: &Skeleton) -> Vec<Option<usize>> {
    skeleton.joints().iter().map(|joint| joint.parent).collect()
}

#[test]
fn the_root_of_a_tgf_is_the_point_that_is_never_a_child() {
    let (skeleton, warnings) = skeleton_and_warnings(TGF);
    assert_eq!(parents(&skeleton), [None, Some(0), Some(1), Some(0)]);
    assert_eq!(skeleton.joints()[3].name, "joint 7");
    assert_eq!(skeleton.joints()[2].head(), Vec3::new(0.0, 2.5, 0.25));
    assert_eq!(skeleton.joints()[2].local.translation.as_vec3(), Vec3::new(0.0, 1.0, 0.25));
    assert_eq!(warnings.len(), 0);
    // All edges lead away from the third point.
    let (skeleton, _) = skeleton_and_warnings("1 0 0 0\r\n2 0 1 0\r\n3 0 2 0\r\n#\r\n2 1\r\n3 2\r\n");
    assert_eq!(parents(&skeleton), [Some(1), Some(2), None]);
    // Two points are never children, so the first is the root.
    let (skeleton, _) = skeleton_and_warnings("1 0 0 0\n2 0 1 0\n3 0 2 0\n#\n1 2\n3 2\n");
    assert_eq!(parents(&skeleton), [None, Some(0), Some(1)]);
}

#[test]
fn cycles_forests_and_cages_of_a_tgf_are_reported() {
    let (skeleton, warnings) = skeleton_and_warnings(
        "1 0 0 0\n2 0 1 0\n3 0 2 0\n4 5 0 0\n#\n1 2 1 0 0\n2 3 1\n3 1 1\n1 1\n4 1 0 0 1\n#\nrest",
    );
    assert_eq!(parents(&skeleton), [None, Some(0), Some(1), None]);
    for expected in [
        "line 8: the edge closes a cycle",
        "line 9: the edge closes a cycle",
        "line 10: a cage",
        "2 separate trees",
    ] {
        assert!(warnings.iter().any(|r| r.contains(expected)), "{expected}: {warnings:?}");
    }
}

#[test]
fn errors_in_a_tgf_name_the_line() {
    for (text, line) in [
        ("1 0 0 0\n1 0 1 0\n#\n", "line 2"),
        ("1 0 0 0\n2 0 1\n#\n", "line 2"),
        ("1 0 0 0\n2 0 1 nan\n#\n", "line 2"),
        ("1 0 0 0\n#\n1 5\n", "line 3"),
        ("1 0 0 0\n#\n1\n", "line 3"),
    ] {
        assert_eq!(code_and_location(&skeleton_error(text)), (ErrorCode::Malformed, line), "{text}");
    }
}

#[test]
fn a_json_skeleton_keeps_names_parents_and_tails() {
    let (skeleton, _) = skeleton_and_warnings(format!("\u{FEFF}\n{JSON}"));
    assert_eq!(parents(&skeleton), [None, Some(0), Some(1), None]);
    assert_eq!(skeleton.joints()[1].tail, Some(Vec3::new(0.0, 2.5, 0.25)));
    assert_eq!(skeleton.joints()[2].tail, None);
    assert_eq!(skeleton.find("prop"), Some(3));
    let (skeleton, _) = skeleton_and_warnings(r#"{"bones": [{"head": [1, 2, 3]}]}"#);
    assert_eq!(skeleton.joints()[0].name, "joint 0");
}

#[test]
fn a_json_skeleton_has_rest_frames_and_standard_bones() {
    // A quarter turn about Z, which is written with six digits, and a child with axes of the world.
    let (skeleton, _) = skeleton_and_warnings(
        r#"{"plan": "humanoid", "bones": [
            {"head": [1, 2, 3], "rotation": [0, 0, 0.707107, 0.707107], "human": "hips"},
            {"parent": 0, "head": [1, 4, 3], "rotation": [0, 0, 0, 1], "human": "tail", "confidence": 1}]}"#,
    );
    let [hips, child] = skeleton.joints() else { panic!("two joints") };
    assert_eq!((hips.human, child.human), (Some(HumanBone::Hips), None));
    assert!((hips.rest.matrix3.x_axis - DVec3::Y).length() < 1e-12, "{}", hips.rest);
    assert_eq!(child.head(), Vec3::new(1.0, 4.0, 3.0));
    // Two units along the X axis of the parent, and turned back.
    assert!((child.local.translation - DVec3::X * 2.0).length() < 1e-12, "{:?}", child.local);
    assert!(child.local.rotation.angle_between(DQuat::from_rotation_z(-0.5 * PI)) < 1e-7);
    let world = Pose::rest(&skeleton).world(&skeleton);
    for (joint, world) in skeleton.joints().iter().zip(world) {
        assert!(world.abs_diff_eq(joint.rest, 1e-12), "{}", joint.name);
    }
    for rotation in ["[0, 0, 0, 0]", "[0, 0, 0, 2]", "[1, 1, 1, 1e300]"] {
        let error = skeleton_error(format!(
            r#"{{"bones": [{{"head": [0, 0, 0]}}, {{"head": [0, 1, 0], "rotation": {rotation}}}]}}"#
        ));
        assert_eq!(code_and_location(&error), (ErrorCode::Malformed, "bones[1].rotation"), "{rotation}");
    }
}

#[test]
fn errors_in_a_json_skeleton_name_the_location() {
    let with = |from: &str, to: &str| skeleton_error(JSON.replacen(from, to, 1));
    assert_eq!(code_and_location(&with("\"upper\", \"head\"", "\"uper\", \"head\"")).1, "bones[2].parent");
    assert_eq!(code_and_location(&with("\"parent\": 0", "\"parent\": 4")).1, "bones[1].parent");
    assert_eq!(code_and_location(&with("\"parent\": 0", "\"parent\": -2")).1, "bones[1].parent");
    assert_eq!(code_and_location(&with("\"parent\": 0", "\"parent\": []")).1, "bones[1].parent");
    assert_eq!(
        code_and_location(&with("[0, 1.5, 0], \"tail\": [0, 2.5", "[0, 1e30, 0], \"tail\": [0, 2.5")).1,
        "bones[1].head"
    );
    assert!(with("\"parent\": 0", "\"parent\": 2").what.contains("its own ancestor"));
    let error = with("[-1, 1, 0]", "[-1, 1]");
    assert_eq!(code_and_location(&error).0, ErrorCode::Malformed);
    assert!(error.place.starts_with("line 5, column"), "{error}");
    assert_eq!(skeleton_error(&JSON[..JSON.len() - 9]).code, ErrorCode::Truncated);
    assert_eq!(skeleton_error("{\"bones\": []}").code, ErrorCode::NoSkeleton);
}

#[test]
fn a_skeleton_is_not_a_model_and_a_mesh_is_not_a_skeleton() {
    assert_eq!(model_error(TGF).code, ErrorCode::NoMesh);
    assert_eq!(model_error(JSON).code, ErrorCode::NoMesh);
    let error = skeleton_error(super::samples::obj_cube());
    assert_eq!(error.code, ErrorCode::NoSkeleton);
    assert!(error.to_string().contains("mesh but no skeleton"), "{error}");
}

#[test]
fn too_many_joints_are_rejected() {
    let mut tgf = String::new();
    (0..10_000).for_each(|i| tgf += &format!("{i} {i} 0 0\n"));
    assert_eq!(skeleton_error(tgf).code, ErrorCode::TooLarge);
}
