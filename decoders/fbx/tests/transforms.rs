//! Node transforms with known answers. Every scene is read as text and as binary.

use glam::{DMat4, DQuat, DVec3};
use pliant_fbx::to_glb;

use crate::build::{Binary, Scene, V, square, vector};
use crate::gltf::Gltf;

pub fn read(bytes: &[u8]) -> Gltf {
    Gltf::parse(&to_glb(bytes, &[]).unwrap_or_else(|error| panic!("{error}")).glb)
}

/// Reads a scene in every encoding and checks that all give the same result.
pub fn read_all(scene: &Scene) -> Gltf {
    let gltf = read(&scene.text());
    for version in [6999 + 1, 7400, 7500, 7700] {
        for (is_big_endian, deflates) in [(false, true), (false, false), (true, true)] {
            let bytes = Binary { version, is_big_endian, deflates }.write(&scene.nodes(version.into()));
            let other = read(&bytes);
            assert_eq!(other.json, gltf.json, "version {version}");
            assert_eq!(other.binary, gltf.binary, "version {version}");
        }
    }
    gltf
}

/// Asserts that a matrix in metres is one in centimetres.
fn assert_matrix(actual: DMat4, expected: DMat4) {
    let mut metres = expected;
    metres.w_axis = (expected.w_axis.truncate() * 0.01).extend(1.0);
    assert!(actual.abs_diff_eq(metres, 1e-6), "{actual}\nis not\n{metres}");
}

fn turn(axis: usize, degrees: f64) -> DMat4 {
    DMat4::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][axis], degrees.to_radians())
}

fn shift(v: DVec3) -> DMat4 {
    DMat4::from_translation(v)
}

#[test]
fn every_rotation_order_applies_its_first_axis_first() {
    let angles = DVec3::new(20.0, -35.0, 50.0);
    let orders = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];
    for (order, axes) in (0i64..).zip(orders) {
        let mut scene = Scene::default();
        let active = ("RotationActive", vec![V::Int(1)]);
        let props = [active, ("RotationOrder", vec![V::Int(order)]), ("Lcl Rotation", vector(angles))];
        scene.model(1, "a", 0, &props);
        let [first, second, third] = axes.map(|axis| turn(axis, angles[axis]));
        assert_matrix(read_all(&scene).global("a", None, 0.0), third * second * first);
    }
}

fn xyz(angles: DVec3) -> DMat4 {
    turn(2, angles.z) * turn(1, angles.y) * turn(0, angles.x)
}

#[test]
fn pivots_offsets_and_pre_and_post_rotation_are_composed() {
    let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let (t, r, s) = (v(1.0, 2.0, 3.0), v(10.0, 20.0, 30.0), v(2.0, 3.0, 0.5));
    let (pre, post) = (v(-90.0, 5.0, 15.0), v(7.0, -8.0, 9.0));
    let (roff, rp, soff, sp) = (v(4.0, 5.0, 6.0), v(-1.0, 2.0, -3.0), v(0.5, 0.25, -0.5), v(3.0, 1.0, 2.0));
    let mut scene = Scene::default();
    let props = [
        ("RotationActive", vec![V::Int(1)]),
        ("Lcl Translation", vector(t)),
        ("Lcl Rotation", vector(r)),
        ("Lcl Scaling", vector(s)),
        ("PreRotation", vector(pre)),
        ("PostRotation", vector(post)),
        ("RotationOffset", vector(roff)),
        ("RotationPivot", vector(rp)),
        ("ScalingOffset", vector(soff)),
        ("ScalingPivot", vector(sp)),
    ];
    scene.model(1, "a", 0, &props);
    let expected = shift(t)
        * shift(roff)
        * shift(rp)
        * xyz(pre)
        * xyz(r)
        * xyz(post).inverse()
        * shift(-rp)
        * shift(soff)
        * shift(sp)
        * DMat4::from_scale(s)
        * shift(-sp);
    assert_matrix(read_all(&scene).global("a", None, 0.0), expected);
}

#[test]
fn pre_rotation_is_ignored_if_rotation_properties_are_inactive() {
    let mut scene = Scene::default();
    let props = [("RotationActive", vec![V::Int(0)]), ("PreRotation", vector(DVec3::new(90.0, 0.0, 0.0)))];
    scene.model(1, "a", 0, &props);
    assert_matrix(read_all(&scene).global("a", None, 0.0), DMat4::IDENTITY);
}

/// A scaled parent, a rotated and scaled child of the inherit type given, and its child.
fn inherit_scene(inherit: i64, scale: DVec3) -> (Scene, DMat4, DMat4) {
    let mut scene = Scene::default();
    let (parent_turn, turn_angles) = (DVec3::new(0.0, 0.0, 40.0), DVec3::new(0.0, 30.0, 60.0));
    let kind = ("InheritType", vec![V::Int(inherit)]);
    let parent = [kind.clone(), ("Lcl Rotation", vector(parent_turn)), ("Lcl Scaling", vector(scale))];
    scene.model(1, "parent", 0, &parent);
    let child = [
        kind,
        ("Lcl Translation", vector(DVec3::X * 5.0)),
        ("Lcl Rotation", vector(turn_angles)),
        ("Lcl Scaling", vector(DVec3::new(1.0, 2.0, 1.5))),
    ];
    scene.model(2, "child", 1, &child);
    (scene, xyz(parent_turn), xyz(turn_angles))
}

#[test]
fn inherit_types_pass_on_the_scale_of_the_parent_as_they_say() {
    let scale = DVec3::new(2.0, 3.0, 0.5);
    let own = DMat4::from_scale(DVec3::new(1.0, 2.0, 1.5));
    for inherit in [0, 1, 2] {
        let (scene, parent, child) = inherit_scene(inherit, scale);
        let position = (parent * DMat4::from_scale(scale)).transform_point3(DVec3::X * 5.0);
        let linear = match inherit {
            0 => parent * child * DMat4::from_scale(scale) * own,
            1 => parent * DMat4::from_scale(scale) * child * own,
            _ => parent * child * own,
        };
        let gltf = read_all(&scene);
        assert_matrix(gltf.global("child", None, 0.0), shift(position) * linear);
        let has_helper = gltf.list("nodes").len() == 3;
        assert_eq!(has_helper, inherit != 1, "a node cancels the scale, where it is not inherited");
    }
}

#[test]
fn a_uniform_scale_needs_no_helper_node() {
    let (scene, parent, child) = inherit_scene(2, DVec3::splat(2.0));
    let gltf = read_all(&scene);
    assert_eq!(gltf.list("nodes").len(), 2);
    let own = DMat4::from_scale(DVec3::new(1.0, 2.0, 1.5));
    let position = shift((parent * DMat4::from_scale(DVec3::splat(2.0))).transform_point3(DVec3::X * 5.0));
    assert_matrix(gltf.global("child", None, 0.0), position * parent * child * own);
}

#[test]
fn the_geometric_transform_moves_the_mesh_but_not_the_children() {
    let mut scene = Scene::default();
    let (t, r, s) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 0.0, 90.0), DVec3::new(2.0, 1.0, 1.0));
    let props = [
        ("GeometricTranslation", vector(t)),
        ("GeometricRotation", vector(r)),
        ("GeometricScaling", vector(s)),
    ];
    scene.model(1, "a", 0, &props);
    scene.model(2, "b", 1, &[]);
    let (points, polygon) = square();
    scene.mesh(10, 1, &points, &polygon, vec![]);
    let gltf = read_all(&scene);
    assert_matrix(gltf.global("b", None, 0.0), DMat4::IDENTITY);
    let matrix = shift(t) * xyz(r) * DMat4::from_scale(s);
    for (posed, point) in gltf.posed_vertices(None, 0.0).iter().zip(points) {
        assert!((*posed * 100.0).abs_diff_eq(matrix.transform_point3(point), 1e-5));
    }
}

#[test]
fn units_become_metres() {
    for (unit, factor) in [(1.0, 0.01), (100.0, 1.0), (2.54, 0.0254)] {
        let mut scene = Scene::default();
        scene.setting("UnitScaleFactor", unit);
        scene.model(1, "a", 0, &[("Lcl Translation", vector(DVec3::new(3.0, 0.0, 0.0)))]);
        scene.model(2, "b", 1, &[("Lcl Translation", vector(DVec3::new(0.0, 4.0, 0.0)))]);
        let gltf = read_all(&scene);
        let position = gltf.global("b", None, 0.0).w_axis.truncate();
        assert!(position.abs_diff_eq(DVec3::new(3.0, 4.0, 0.0) * factor, 1e-6));
        assert_eq!(gltf.global("b", None, 0.0).x_axis.truncate(), DVec3::X, "no scale is added");
    }
}

#[test]
fn axes_become_those_of_gltf() {
    // Up, front and right axis with signs, and where the point (1, 2, 3) goes.
    let cases = [
        ([(1, 1), (2, 1), (0, 1)], DVec3::new(1.0, 2.0, 3.0)),
        ([(2, 1), (1, -1), (0, 1)], DVec3::new(1.0, 3.0, -2.0)),
        ([(2, 1), (0, 1), (1, 1)], DVec3::new(2.0, 3.0, 1.0)),
        ([(1, 1), (2, -1), (0, 1)], DVec3::new(1.0, 2.0, -3.0)),
        ([(1, 1), (2, 1), (0, -1)], DVec3::new(-1.0, 2.0, 3.0)),
        ([(0, -1), (2, 1), (1, -1)], DVec3::new(-2.0, -1.0, 3.0)),
    ];
    for (axes, expected) in cases {
        let mut scene = Scene::default();
        for ((name, sign_name), (axis, sign)) in
            [("UpAxis", "UpAxisSign"), ("FrontAxis", "FrontAxisSign"), ("CoordAxis", "CoordAxisSign")]
                .iter()
                .zip(axes)
        {
            scene.setting(name, axis);
            scene.setting(sign_name, sign);
        }
        let half = DVec3::new(0.5, 1.0, 1.5);
        let turned = xyz(DVec3::new(10.0, 20.0, 30.0)).inverse().transform_point3(half);
        let parent =
            [("Lcl Translation", vector(half)), ("Lcl Rotation", vector(DVec3::new(10.0, 20.0, 30.0)))];
        scene.model(1, "a", 0, &parent);
        let points = [turned, turned + DVec3::X, turned + DVec3::Y];
        scene.mesh(10, 1, &points, &[0, 1, -3], vec![]);
        let gltf = read_all(&scene);
        let posed = gltf.posed_vertices(None, 0.0);
        assert!((posed[0] * 100.0).abs_diff_eq(expected, 1e-5), "{axes:?} {posed:?}");
        let global = gltf.global("a", None, 0.0);
        assert!(global.determinant() > 0.0, "a node is never mirrored");
        // Counter-clockwise triangles stay counter-clockwise seen from outside.
        let indices = gltf.accessor(&gltf.json["meshes"][0]["primitives"][0]["indices"]).0;
        let is_mirrored = axes.iter().map(|axis| axis.1).product::<i64>()
            * permutation_sign([axes[2].0, axes[0].0, axes[1].0])
            < 0;
        assert_eq!(indices == [0.0, 2.0, 1.0], is_mirrored);
    }
}

fn permutation_sign([a, b, c]: [i64; 3]) -> i64 {
    ((b - a) * (c - a) * (c - b)).signum()
}

#[test]
fn a_rotation_of_more_than_half_a_turn_is_sampled() {
    let mut scene = Scene::default();
    scene.setting("TimeMode", 11);
    scene.model(1, "a", 0, &[]);
    scene.stack(100, "spin");
    scene.curve(110, 101, ["1", "Lcl Rotation", "d|Y"], &[(0.0, 0.0), (1.0, 720.0)], (4, [0.0; 4]));
    let gltf = read_all(&scene);
    for frame in 0..=24 {
        let time = f64::from(frame) / 24.0;
        let expected = DMat4::from_quat(DQuat::from_rotation_y((720.0 * time).to_radians()));
        assert_matrix(gltf.global("a", Some("spin"), time), expected);
    }
}

#[test]
fn an_animated_scale_is_not_passed_on_to_children_that_ignore_it() {
    let mut scene = Scene::default();
    scene.model(1, "parent", 0, &[("InheritType", vec![V::Int(1)])]);
    let child = [
        ("InheritType", vec![V::Int(2)]),
        ("Lcl Translation", vector(DVec3::X)),
        ("Lcl Rotation", vector(DVec3::new(0.0, 0.0, 45.0))),
    ];
    scene.model(2, "child", 1, &child);
    scene.stack(100, "stretch");
    scene.curve(110, 101, ["1", "Lcl Scaling", "d|X"], &[(0.0, 1.0), (1.0, 3.0)], (4, [0.0; 4]));
    let gltf = read_all(&scene);
    let expected = shift(DVec3::X * 2.0) * turn(2, 45.0);
    assert_matrix(gltf.global("child", Some("stretch"), 0.5), expected);
}
