//! BVH: hierarchy, channels, frames, errors; and poses as three.js has them.

use std::path::Path;
use std::process::Command;

use glam::{DVec3, Vec3};
use pliant::io::{ErrorCode, File, SkeletonFile, read_model, read_skeleton};
use pliant::model::{Asset, TrackValues};
use pliant::report::Report;

use super::samples::BVH;
use super::{code_and_location, file, model_error, skeleton_error};
use crate::shared_models;

/// Largest distance from three.js, relative to the size of the skeleton.
const TOLERANCE: f64 = 1e-4;

fn read(text: &str) -> (SkeletonFile, Vec<String>) {
    let mut report = Report::default();
    let read = read_skeleton(&[file("takes/walk.bvh", text)], &mut report).unwrap();
    read.skeleton.assert_well_formed();
    read.clips.iter().for_each(|clip| clip.assert_well_formed(&read.skeleton));
    (read, report.warnings().iter().map(ToString::to_string).collect())
}

#[test]
fn joints_tails_and_frames_are_read() {
    let (read, warnings) = read(BVH);
    let joints = read.skeleton.joints();
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["Hips", "Upper leg", "Foot", "Arm", "Hand"]);
    let parents: Vec<Option<usize>> = joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(0), Some(3)]);
    assert_eq!(joints[2].head(), Vec3::new(1.0, 4.0, 0.5));
    assert_eq!(joints[2].tail, Some(Vec3::new(1.0, 4.0, 2.5)), "the end site");
    assert_eq!(joints[4].tail, None, "an end site at the joint is no tail");
    let clip = &read.clips[0];
    assert_eq!(clip.name, "walk");
    assert!((clip.duration() - 2.0 * 0.04).abs() < 1e-6);
    // Positions of the root and of the hand, rotations of all but the hand.
    assert_eq!(clip.tracks.len(), 6);
    let moved: Vec<usize> = clip
        .tracks
        .iter()
        .filter(|track| matches!(track.values, TrackValues::Translation(_)))
        .map(|track| track.joint)
        .collect();
    assert_eq!(moved, [0, 4]);
    // The root has moved by its position, and turns the leg from (1, 1) to (−1, 1).
    let world = clip.sample(&read.skeleton, 0.08).world(&read.skeleton);
    assert!(world[0].translation.distance(DVec3::new(3.0, 12.0, 0.0)) < 1e-9);
    assert!(world[1].translation.distance(DVec3::new(2.0, 13.0, 0.0)) < 1e-9, "{}", world[1].translation);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("no unit") && warnings[0].contains("measures 3.000 × 6.500"),
        "{warnings:?}"
    );
}

#[test]
fn a_hierarchy_without_motion_is_a_skeleton() {
    let (hierarchy, _) = BVH.split_once("MOTION").unwrap();
    let (read, _) = read(hierarchy);
    assert_eq!((read.skeleton.joints().len(), read.clips.len()), (5, 0));
    let (read, _) = self::read(&BVH.replace("Frames: 3", "Frames: 0"));
    assert_eq!(read.clips.len(), 0);
}

#[test]
fn layout_and_case_do_not_matter() {
    let (expected, _) = read(BVH);
    for other in [
        BVH.replace('\n', "\r\n"),
        BVH.replace("\n{", " {").replace("OFFSET", "offset").replace("rotation", "ROTATION"),
        format!("\u{FEFF}\n{}", BVH.replace(" 90 ", "\n9.0e1\t")),
    ] {
        assert_eq!(read(&other).0, expected);
    }
}

#[test]
fn positions_that_repeat_the_offsets_are_not_added_twice() {
    let text = "HIERARCHY\nROOT a\n{\nOFFSET 0 5 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT b\n{\n\
                OFFSET 0 2 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
                End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n";
    let (own, warnings) = read(&format!("{text}1 0 0 0 2 0 0 0 0\n"));
    let world = own.clips[0].sample(&own.skeleton, 0.0).world(&own.skeleton);
    assert_eq!(world[1].translation, DVec3::new(1.0, 7.0, 0.0));
    assert!(warnings.iter().any(|warning| warning.contains("repeat their offsets")), "{warnings:?}");
    let (own, warnings) = read(&format!("{text}1 0 0 0 0.5 0 0 0 0\n"));
    let world = own.clips[0].sample(&own.skeleton, 0.0).world(&own.skeleton);
    assert_eq!(world[1].translation, DVec3::new(1.0, 7.5, 0.0));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn errors_name_the_line() {
    let with = |from: &str, to: &str| skeleton_error(BVH.replacen(from, to, 1));
    use ErrorCode::{Malformed, Truncated};
    assert_eq!(code_and_location(&with("OFFSET 1 1 0", "OFFSET 1 x 0")), (Malformed, "line 8"));
    assert_eq!(code_and_location(&with("OFFSET 1 1 0", "OFFSET 1 1e30 0")), (Malformed, "line 8"));
    assert_eq!(code_and_location(&with("OFFSET 1 1 0", "OFFSET 1 nan 0")), (Malformed, "line 8"));
    assert_eq!(code_and_location(&with("Zrotation", "Wrotation")), (Malformed, "line 5"));
    assert_eq!(code_and_location(&with("Yrotation", "Zrotation")), (Malformed, "line 5"));
    assert_eq!(code_and_location(&with("CHANNELS 6", "CHANNELS 7")), (Malformed, "line 5"));
    assert_eq!(code_and_location(&with("JOINT Arm", "ROOT Arm")), (Malformed, "line 20"));
    assert_eq!(code_and_location(&with("Frames:", "Frame:")).0, Malformed);
    assert_eq!(with("0.04", "0").to_string().split(';').next(), Some("line 37: a frame cannot last 0 s"));
    assert_eq!(code_and_location(&with("0.04", "-0.04")).0, Malformed);
    assert_eq!(code_and_location(&with("0.04", "NaN")).0, Malformed);
    assert!(with("0.04", "0,04").hint.contains("decimal points"));
    assert_eq!(code_and_location(&with("Frames: 3", "Frames: 4")).0, Truncated);
    assert_eq!(code_and_location(&with("Frames: 3", "Frames: 400000000000")).0, Truncated);
    assert_eq!(skeleton_error("HIERARCHY\n").code, ErrorCode::NoSkeleton);
    let mut deep = "HIERARCHY\nROOT a {\n".to_owned();
    (0..10_000).for_each(|_| deep += "JOINT a {\n");
    assert_eq!(skeleton_error(deep).code, ErrorCode::TooLarge);
    let (_, warnings) = read(&BVH.replace("Frames: 3", "Frames: 2"));
    assert!(warnings.iter().any(|warning| warning.contains("were ignored")), "{warnings:?}");
    assert!(model_error(BVH).to_string().contains("skeleton but no mesh"));
}

#[test]
fn short_numbers_do_not_take_excessive_memory() {
    // One channel per joint: a key of 36 bytes for two bytes of the file.
    let mut text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n".to_owned();
    let frames = 9 << 20;
    text += &format!("Frames: {frames}\nFrame Time: 0.01\n");
    text += &"0\n".repeat(frames);
    let files = [file("long.bvh", text)];
    let (outcome, peak) = crate::memory::peak_of(|| read_skeleton(&files, &mut Report::default()));
    assert_eq!(outcome.unwrap_err().code, ErrorCode::TooLarge);
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn a_mesh_is_bound_to_the_skeleton_of_a_motion() {
    let mesh = file("cube.obj", super::samples::obj_cube());
    let asset: Asset =
        pliant::io::read_character(&[mesh, file("walk.bvh", BVH)], &mut Report::default()).unwrap();
    assert_eq!((asset.skeleton.unwrap().joints().len(), asset.clips.len()), (5, 1));
    assert!(read_model(&[file("walk.bvh", BVH)], &mut Report::default()).is_err());
}

/// The joints and end sites of a file at some frames, as three.js has them. `None` without Node or
/// the packages of the site.
fn by_three(path: &Path, frames: &[usize]) -> Option<Vec<Vec<DVec3>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !root.join("www/node_modules/three").is_dir() {
        println!("skipped: npm packages");
        return None;
    }
    let script = root.join("tests/formats/bvh_by_three.mjs");
    let frames = frames.iter().map(ToString::to_string);
    let output = Command::new("node").arg(script).arg(path).args(frames).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let poses: Vec<Vec<[f64; 3]>> = serde_json::from_slice(&output.stdout).unwrap();
    Some(poses.into_iter().map(|pose| pose.into_iter().map(DVec3::from).collect()).collect())
}

/// The largest distance from three.js, relative to the size of the skeleton.
fn distance_from_three(path: &Path, file: &File, frames: &[usize]) -> Option<f64> {
    let read = read_skeleton(std::slice::from_ref(file), &mut Report::default()).unwrap();
    let (skeleton, clip) = (&read.skeleton, &read.clips[0]);
    let heads = skeleton.joints().iter().map(|joint| joint.head());
    let (low, high) = heads.fold((Vec3::MAX, Vec3::MIN), |(low, high), head| (low.min(head), high.max(head)));
    let mut worst: f64 = 0.0;
    for (&frame, expected) in frames.iter().zip(by_three(path, frames)?) {
        let time = clip.tracks[0].times[frame];
        let world = clip.sample(skeleton, time).world(skeleton);
        let mut expected = expected.into_iter();
        for (joint, world) in skeleton.joints().iter().zip(world) {
            worst = worst.max(world.translation.distance(expected.next().unwrap()));
            // The end site of a leaf follows it.
            if let Some(tail) = joint.tail {
                let tail = (world * joint.rest.inverse()).transform_point3(tail.as_dvec3());
                worst = worst.max(tail.distance(expected.next().unwrap()));
            }
        }
        assert_eq!(expected.next(), None, "every joint and tail is compared");
    }
    Some(worst / f64::from(low.distance(high)))
}

#[test]
fn real_motions_move_as_in_three_js() {
    for path in shared_models::files_with(&[".bvh"]) {
        let file = shared_models::read(&path);
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let frames: usize =
            text.split("Frames:").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        let frames = [0, 1, frames / 3, frames / 2, frames - 1];
        let Some(distance) = distance_from_three(&path, &file, &frames) else { return };
        println!("{}: {distance:.1e} of the skeleton, frames {frames:?}", file.name);
        assert!(distance < TOLERANCE, "{}", file.name);
    }
}

#[test]
fn every_order_of_channels_moves_as_in_three_js() {
    let orders = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"];
    for (index, order) in orders.iter().enumerate() {
        let rotations: Vec<String> = order.chars().map(|axis| format!("{axis}rotation")).collect();
        let rotations = rotations.join(" ");
        // Positions of a joint below the root, after its rotations.
        let text = format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 1 2 3\nCHANNELS 6 Xposition Yposition Zposition {rotations}\n\
             JOINT b\n{{\nOFFSET 0 4 1\nCHANNELS 6 {rotations} Zposition Xposition Yposition\n\
             JOINT c\n{{\nOFFSET 2 0 0\nCHANNELS 3 {rotations}\nEnd Site\n{{\nOFFSET 1 1 0\n}}\n}}\n}}\n}}\n\
             MOTION\nFrames: 2\nFrame Time: 0.5\n\
             1 2 3 10 20 30 40 50 60 0.1 0.2 0.3 70 80 90\n-1 0 4 -170 95 200 15 -25 35 1 0 -2 5 -50 500\n"
        );
        let path = std::env::temp_dir().join(format!("pliant-bvh-{}-{index}.bvh", std::process::id()));
        #[expect(clippy::disallowed_methods, reason = "tests write files")]
        std::fs::write(&path, &text).unwrap();
        let distance = distance_from_three(&path, &file("order.bvh", &text), &[0, 1]);
        std::fs::remove_file(&path).unwrap();
        let Some(distance) = distance else { return };
        println!("{order}: {distance:.1e} of the skeleton");
        assert!(distance < TOLERANCE, "{order}");
    }
}
