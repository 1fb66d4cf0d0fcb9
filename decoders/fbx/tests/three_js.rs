//! Characters as three.js 0.187 poses them. The numbers were printed by its FBX loader, in metres.

use std::time::Instant;

use glam::DVec3;
use pliant_fbx::to_glb;

use crate::gltf::Gltf;
use crate::truth::folder;

/// Largest distance from three.js, relative to the height of the character.
const TOLERANCE: f64 = 1e-3;

fn read(file: &str) -> Option<Gltf> {
    let bytes = std::fs::read(folder()?.join(file)).unwrap();
    let start = Instant::now();
    let converted = to_glb(&bytes, &[]).unwrap();
    println!("{file}: {:.0} ms in this build", start.elapsed().as_secs_f64() * 1e3);
    assert_eq!(converted.glb, to_glb(&bytes, &[]).unwrap().glb, "the same input gives the same bytes");
    Some(Gltf::parse(&converted.glb))
}

/// Prints and checks the distance of joints from where they should be.
fn assert_joints(gltf: &Gltf, clip: &str, height: f64, joints: &[(f64, &str, [f64; 3])]) {
    for &(time, joint, expected) in joints {
        let position = gltf.global(joint, Some(clip), time).w_axis.truncate();
        let error = position.distance(DVec3::from(expected)) / height;
        println!("{joint:26} at {time:.3} s: {error:.1e} of the height");
        assert!(error < TOLERANCE, "{joint} {position}");
    }
}

#[test]
fn a_mixamo_character_moves_as_in_three_js() {
    let Some(gltf) = read("three_mixamo.fbx") else { return };
    let (head, finger, toe) = ("mixamorig:Head", "mixamorig:LeftHandIndex4", "mixamorig:RightToe_End");
    let frame = |frame: i32| f64::from(frame) / 30.0;
    let joints = [
        (frame(5), head, [0.01052, 1.57517, 0.02024]),
        (frame(5), finger, [0.21639, 0.74159, 0.02404]),
        (frame(5), toe, [-0.19031, 0.00945, 0.15583]),
        (frame(227), head, [-0.00983, 1.55021, 0.00089]),
        (frame(227), finger, [0.54087, 1.04494, -0.04690]),
        (frame(227), toe, [-0.34206, 0.00347, 0.10372]),
        (frame(470), head, [0.05691, 1.55944, 0.01786]),
        (frame(470), finger, [0.50931, 1.24380, 0.53937]),
        (frame(470), toe, [-0.14765, 0.00000, 0.14964]),
    ];
    assert_joints(&gltf, "mixamo.com", 1.8, &joints);
    let boxes = [
        (frame(5), [-0.36575, -0.00035, -0.12879], [0.35411, 1.78361, 0.19363]),
        (frame(227), [-0.40352, -0.00035, -0.30536], [0.55942, 1.75711, 0.28694]),
        (frame(470), [-0.31207, -0.00070, -0.14219], [0.54493, 1.76042, 0.54008]),
    ];
    for (time, min, max) in boxes {
        let posed = gltf.posed_vertices(Some("mixamo.com"), time);
        let (low, high) = posed.iter().fold((DVec3::MAX, DVec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
        let error = low.distance(DVec3::from(min)).max(high.distance(DVec3::from(max))) / 1.8;
        println!("bounds of the posed skin at {time:.3} s: {error:.1e} of the height");
        assert!(error < TOLERANCE);
    }
}

#[test]
fn a_blender_character_moves_as_in_three_js() {
    let Some(gltf) = read("blender_293_barbarian_7400_binary.fbx") else { return };
    let frame = |frame: i32| f64::from(frame) / 24.0;
    let joints = [
        (frame(12), "jambe gauche", [-0.02388, 2.25009, 0.87466]),
        (frame(12), "main gauche", [0.44317, 2.73103, 0.84424]),
        (frame(12), "jambe droite", [-0.72596, 2.34262, 0.87466]),
        (frame(28), "jambe gauche", [-0.08715, 2.18437, 0.84813]),
        (frame(28), "main gauche", [0.35495, 2.64299, 0.91925]),
        (frame(28), "jambe droite", [-0.79133, 2.25933, 0.84813]),
        (frame(55), "jambe gauche", [-0.13342, 2.37821, 0.70792]),
        (frame(55), "main gauche", [0.26336, 2.75310, 0.71639]),
        (frame(55), "jambe droite", [-0.84066, 2.34229, 0.70792]),
    ];
    assert_joints(&gltf, "Armature|idle", 5.2, &joints);
}

#[test]
fn blend_shapes_keep_their_names() {
    let Some(gltf) = read("three_morph_test.fbx") else { return };
    let mesh = &gltf.json["meshes"][0];
    let names = mesh["extras"]["targetNames"].as_array().unwrap();
    println!("targets: {names:?}");
    assert_eq!(names.len(), mesh["weights"].as_array().unwrap().len());
    assert!(!names.is_empty());
}
