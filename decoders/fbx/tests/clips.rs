//! Curves and layers with known answers.

use crate::build::{Scene, V};
use crate::transforms::read_all;

/// Cubic keys with stored slopes.
const USER: i64 = 0x408;

fn x_at(gltf: &crate::gltf::Gltf, time: f64) -> f64 {
    gltf.global("a", Some("clip"), time).w_axis.x * 100.0
}

#[test]
fn cubic_keys_are_hermite_curves() {
    let mut scene = Scene::default();
    scene.setting("TimeMode", 6);
    scene.model(1, "a", 0, &[]);
    scene.stack(100, "clip");
    let slopes = [12.0, -6.0, 0.0, 0.0];
    scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &[(0.0, 1.0), (1.0, 5.0)], (USER, slopes));
    let gltf = read_all(&scene);
    for frame in 0..=30 {
        let t = f64::from(frame) / 30.0;
        let (t2, t3) = (t * t, t * t * t);
        let expected = (2.0 * t3 - 3.0 * t2 + 1.0) * 1.0
            + (t3 - 2.0 * t2 + t) * 12.0
            + (-2.0 * t3 + 3.0 * t2) * 5.0
            + (t3 - t2) * -6.0;
        assert!((x_at(&gltf, t) - expected).abs() < 1e-4, "{t}: {} {expected}", x_at(&gltf, t));
    }
}

#[test]
fn constant_keys_step_at_their_time() {
    let mut scene = Scene::default();
    scene.model(1, "a", 0, &[]);
    scene.stack(100, "clip");
    let keys = [(0.0, 1.0), (0.512, 5.0), (1.0, 2.0)];
    scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &keys, (2, [0.0; 4]));
    let gltf = read_all(&scene);
    for (time, expected) in [(0.25, 1.0), (0.511, 1.0), (0.5121, 5.0), (0.9, 5.0), (1.0, 2.0)] {
        assert!((x_at(&gltf, time) - expected).abs() < 1e-3, "{time}: {}", x_at(&gltf, time));
    }
}

#[test]
fn straight_motion_has_two_keys_and_constant_motion_none() {
    let mut scene = Scene::default();
    scene.model(1, "a", 0, &[]);
    scene.model(2, "b", 0, &[]);
    scene.stack(100, "clip");
    scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &[(0.0, 1.0), (10.0, 5.0)], (4, [0.0; 4]));
    scene.curve(120, 101, ["2", "Lcl Translation", "d|X"], &[(0.0, 0.0), (10.0, 0.0)], (4, [0.0; 4]));
    let gltf = read_all(&scene);
    let animation = &gltf.json["animations"][0];
    assert_eq!(animation["channels"].as_array().unwrap().len(), 1);
    assert_eq!(gltf.accessor(&animation["samplers"][0]["input"]).0, [0.0, 10.0]);
}

#[test]
fn layers_are_added_or_override() {
    for (mode, weight, expected) in [(0, 100.0, 13.0), (0, 50.0, 8.0), (1, 100.0, 10.0), (1, 50.0, 6.5)] {
        let mut scene = Scene::default();
        scene.model(1, "a", 0, &[]);
        scene.stack(100, "clip");
        let props = [("BlendMode", vec![V::Int(mode)]), ("Weight", vec![V::Float(weight)])];
        scene.object("AnimationLayer", 102, "second", "", &props, vec![]);
        scene.connect(102, 100);
        scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &[(0.0, 0.0), (1.0, 3.0)], (4, [0.0; 4]));
        scene.curve(120, 102, ["1", "Lcl Translation", "d|X"], &[(0.0, 0.0), (1.0, 10.0)], (4, [0.0; 4]));
        assert!((x_at(&read_all(&scene), 1.0) - expected).abs() < 1e-4);
    }
}

#[test]
fn clips_that_start_late_or_early_start_at_zero() {
    for start in [-3.0, 100.0] {
        let mut scene = Scene::default();
        scene.model(1, "a", 0, &[]);
        scene.stack(100, "clip");
        let keys = [(start, 1.0), (start + 1.0, 5.0)];
        scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &keys, (4, [0.0; 4]));
        let gltf = read_all(&scene);
        assert!((x_at(&gltf, 0.5) - 3.0).abs() < 1e-4);
    }
}

#[test]
fn a_key_far_in_the_future_gives_few_samples() {
    let mut scene = Scene::default();
    scene.model(1, "a", 0, &[]);
    scene.stack(100, "clip");
    let keys = [(0.0, 1.0), (1e8, 5.0)];
    scene.curve(110, 101, ["1", "Lcl Translation", "d|X"], &keys, (USER, [1.0, -1.0, 0.0, 0.0]));
    let gltf = read_all(&scene);
    assert!(gltf.binary.len() < 10_000);
}
