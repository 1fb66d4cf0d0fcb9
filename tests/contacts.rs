//! Contacts, measured by an independent search for self-intersections: Fig. 10 of the paper
//! (docs/theory/contacts.md).

use std::sync::Arc;

use pliant::deform::{CorrectionMap, CorrectionMode, PostSkinningOptions};
use pliant::model::{Rig, Topology};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::quality::{folds, largest_stretch, local_thickness, self_intersections};
use pliant::samples::{self, SampleCharacter};

use crate::volume::{Stage, options, posed, rigged};

fn with_contacts(map: CorrectionMap) -> PostSkinningOptions {
    PostSkinningOptions { fold_guard: true, ..options(map, CorrectionMode::Exact) }
}

/// Number of pairs of triangles near the head of `joint` that intersect: skinned, corrected.
fn intersections_at(stage: &Stage, rig: &Rig, joint: &str) -> [usize; 2] {
    let joint = rig.skeleton.find(joint).unwrap();
    let near = rig.skeleton.joints()[joint].head();
    let bones = rig.skeleton.bones();
    let length = bones.iter().filter(|b| b.joint == joint).map(|b| b.length()).fold(0.0, f32::max);
    let mesh = &rig.asset.mesh;
    let is_near = |t: u32| mesh.corners(t as usize).iter().all(|p| p.distance(near) < 1.2 * length);
    stage.post_skinning.solved().map(|positions| {
        folds(mesh, positions).iter().filter(|pair| pair.iter().all(|&t| is_near(t))).count()
    })
}

/// A hand with a number of vertices and weights by a method.
fn hand(vertices: usize, method: Method) -> Rig {
    let asset = samples::make(SampleCharacter::Hand, vertices).unwrap().into_asset("hand");
    let recipe = Recipe { method, ..Recipe::default() };
    Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap().rig
}

#[test]
fn a_finger_bent_by_120_degrees_does_not_intersect_itself() {
    // 8,636 is the paper's hand.
    let sizes = [4_000, 6_000, 8_636, 12_000].map(|vertices| (vertices, Method::Atlas));
    for (vertices, method) in sizes.into_iter().chain([(8_636, Method::Heat), (8_636, Method::Bbw)]) {
        let rig = hand(vertices, method);
        let mut plain = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
        let mut stage = Stage::new(&rig, &with_contacts(CorrectionMap::Local));
        for finger in ["index_2", "middle_2", "ring_2", "little_2"] {
            let pose = posed(&rig, &[(finger, [120.0, 0.0, 0.0])]);
            plain.frame(&pose);
            let [skinned, corrected] = intersections_at(&plain, &rig, finger);
            stage.frame(&pose);
            let [_, after] = intersections_at(&stage, &rig, finger);
            let ([_, whole], [_, worst]) = (stage.whole_errors(), stage.worst_errors_without_flux());
            let [raw_skinned, raw] = stage.worst_segment_errors();
            println!(
                "{vertices} {method:?} {finger}: {skinned} pairs intersect skinned, {corrected} with volume correction, \
                 {after} with contacts; {whole:.5} % whole, {raw_skinned:.3} → {raw:.3} % worst segment, {worst:.4} % without exchange"
            );
            assert!(skinned > 0, "{finger} does not intersect itself: nothing is tested");
            assert_eq!(after, 0, "{finger} still intersects itself");
            // The skin in the crease cannot grow, so a part of the volume is missing.
            assert!(
                whole <= 0.5 && raw <= raw_skinned,
                "{finger}: {whole} % of the whole, {raw_skinned} → {raw} % of a segment"
            );
        }
    }
}

type Turns = Vec<(&'static str, [f64; 3])>;

/// Hard poses of the hand and the mannequin: every kind of joint bent by up to 135°, fists, twists.
fn hard_poses() -> [(SampleCharacter, Vec<Turns>); 2] {
    let each = |joints: &[&'static str], angles: &[[f64; 3]]| -> Vec<Turns> {
        joints.iter().flat_map(|&joint| angles.iter().map(move |&turn| vec![(joint, turn)])).collect()
    };
    let bends = [90.0, 120.0, 135.0].map(|angle| [angle, 0.0, 0.0]);
    let knuckles = ["index_1", "middle_1", "ring_1", "little_1", "index_2", "middle_3", "little_3"];
    let mut hands = each(&knuckles, &bends);
    hands.extend(each(&["thumb_1", "thumb_2"], &[[60.0, 0.0, 0.0], [0.0, 0.0, 60.0], [0.0, 60.0, 0.0]]));
    let fist = |angle: f64| -> Turns {
        let joints = ["index_1", "index_2", "index_3", "middle_1", "middle_2", "middle_3"];
        let others = ["ring_1", "ring_2", "ring_3", "little_1", "little_2", "little_3"];
        joints.into_iter().chain(others).map(|joint| (joint, [angle, 0.0, 0.0])).collect()
    };
    hands.extend([fist(45.0), fist(75.0)]);
    let mut bodies = each(&["thigh.L"], &[[-90.0, 0.0, 0.0], [-120.0, 0.0, 0.0], [60.0, 0.0, 0.0]]);
    bodies.extend(each(&["shin.L"], &bends));
    bodies.extend(each(&["forearm.L"], &[[0.0, 90.0, 0.0], [0.0, 120.0, 0.0], [0.0, 135.0, 0.0]]));
    bodies.extend(each(&["forearm.R", "upper_arm.R"], &[[150.0, 0.0, 0.0], [0.0, 0.0, 90.0]]));
    bodies.extend(each(&["spine"], &[[90.0, 0.0, 0.0], [-90.0, 0.0, 0.0], [120.0, 0.0, 0.0]]));
    [(SampleCharacter::Hand, hands), (SampleCharacter::Mannequin, bodies)]
}

/// The volume correction grows into no other skin: not into the other fingers, not into the other
/// thigh.
#[test]
fn the_volume_correction_adds_no_intersections() {
    let (mut skinned_sum, mut after_sum) = (0, 0);
    for (member, poses) in hard_poses() {
        let rig = rigged(member, 6_000);
        let mut guarded = Stage::new(&rig, &PostSkinningOptions { volume: None, fold_guard: true });
        let mut stage = Stage::new(&rig, &with_contacts(CorrectionMap::Local));
        for turns in poses {
            let pose = posed(&rig, &turns);
            guarded.frame(&pose);
            stage.frame(&pose);
            let count = |at: &[glam::Vec3]| folds(&rig.asset.mesh, at).len();
            let [skinned, guard] = guarded.post_skinning.solved().map(count);
            let after = count(stage.post_skinning.solved()[1]);
            println!("{turns:?}: {skinned} skinned, {guard} with contacts, {after} corrected");
            // Knuckles, hips and twists may still add some: their skin is nearer than samples are.
            let is_hinge = turns.len() == 1 && HINGES.contains(&turns[0].0);
            assert!(!is_hinge || after <= skinned, "{turns:?}: {skinned}, {guard}, {after}");
            (skinned_sum, after_sum) = (skinned_sum + skinned, after_sum + after);
        }
    }
    assert!(skinned_sum > 0 && after_sum < skinned_sum, "{skinned_sum} became {after_sum}");
}

/// Edges are not stretched more than 1.3 times as far as skinning stretches them, and no vertex
/// moves farther than half of the thickness of the body there.
#[test]
fn corrections_stretch_no_edge_and_leave_no_thin_part() {
    for (member, poses) in hard_poses() {
        let rig = rigged(member, 3_000);
        let mesh = &rig.asset.mesh;
        let (topology, thickness) = (Topology::of(mesh), local_thickness(mesh));
        let contacts_alone = PostSkinningOptions { volume: None, fold_guard: true };
        for options in [contacts_alone, with_contacts(CorrectionMap::Local)] {
            let mut stage = Stage::new(&rig, &options);
            for turns in &poses {
                stage.frame(&posed(&rig, turns));
                let stretch = stage.post_skinning.solved().map(|at| largest_stretch(mesh, &topology, at));
                let moved = stage.moved().into_iter().zip(&thickness);
                let share = moved.map(|(by, thickness)| by / thickness).fold(0.0, f32::max);
                println!("{turns:?}: stretch {stretch:.3?}, {share:.3} of the thickness");
                assert!(stretch[1] <= 1.3 * stretch[0].max(1.0), "{turns:?}: {stretch:?}");
                assert!(share <= 0.5, "{turns:?}: moves by {share} of the thickness");
            }
        }
    }
}

/// Joints whose skin meets only the other side of its own crease.
const HINGES: [&str; 4] = ["index_2", "middle_3", "little_3", "shin.L"];

/// The contact of a hip is between thigh and belly, although a short bone leads to the thigh.
/// Vertices of the pelvis between the thighs must not move with them.
#[test]
fn a_sitting_character_does_not_tear() {
    let turns = [
        ("thigh.L", [-100.0, 0.0, 0.0]),
        ("thigh.R", [-100.0, 0.0, 0.0]),
        ("shin.L", [110.0, 0.0, 0.0]),
        ("shin.R", [110.0, 0.0, 0.0]),
        ("spine", [25.0, 0.0, 0.0]),
    ];
    for method in [Method::Atlas, Method::Heat] {
        let asset = samples::make(SampleCharacter::Mannequin, 6_000).unwrap().into_asset("mannequin");
        let recipe = Recipe { method, ..Recipe::default() };
        let rig = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap().rig;
        let pose = posed(&rig, &turns);
        let mut stage = Stage::new(&rig, &PostSkinningOptions { volume: None, fold_guard: true });
        stage.frame(&pose);
        let size = rig.asset.mesh.diagonal();
        let most = stage.moved().into_iter().fold(0.0, f32::max) / size;
        let [skinned, corrected] = stage.post_skinning.solved().map(|at| folds(&rig.asset.mesh, at).len());
        println!(
            "{method:?}: up to {most:.4} of the size; {skinned} intersections, {corrected} with contacts"
        );
        assert!(most > 0.0 && most <= 0.02, "moves by {most} of the size");
        assert!(10 * corrected <= skinned, "{skinned} intersections became {corrected}");
    }
}

#[test]
fn straight_fingers_are_not_moved() {
    let rig = rigged(SampleCharacter::Hand, 2_000);
    let size = rig.asset.mesh.diagonal();
    // Contacts begin to act at small angles, gradually.
    for (angle, allowed) in [(0.0, 0.0), (2.0, 0.0), (5.0, 1e-5), (20.0, 3e-3)] {
        let pose = posed(&rig, &[("index_2", [angle, 0.0, 0.0])]);
        let (mut plain, mut stage) = (
            Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact)),
            Stage::new(&rig, &with_contacts(CorrectionMap::Local)),
        );
        plain.frame(&pose);
        stage.frame(&pose);
        let pairs = plain.positions.iter().zip(&stage.positions);
        let farthest = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max) / size;
        println!("at {angle}° contacts move a vertex by {farthest:.2e} of the size");
        assert!(farthest <= allowed, "at {angle}°: {farthest}");
    }
}

#[test]
fn contacts_set_in_without_a_jump() {
    let rig = rigged(SampleCharacter::Hand, 2_000);
    let size = rig.asset.mesh.diagonal();
    let mut stage = Stage::new(&rig, &with_contacts(CorrectionMap::Local));
    let mut last: Option<Vec<glam::Vec3>> = None;
    let mut largest = 0.0_f32;
    for step in 0..=260 {
        let angle = f64::from(step) * 0.5;
        stage.frame(&posed(&rig, &[("index_2", [angle, 0.0, 0.0]), ("index_3", [0.5 * angle, 0.0, 0.0])]));
        if let Some(last) = &last {
            let step = last.iter().zip(&stage.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            largest = largest.max(step / size);
        }
        last = Some(stage.positions.clone());
    }
    println!("largest step of any vertex in half a degree: {largest:.5} of the size");
    // The tip of the finger moves by 0.004 of the size for half a degree.
    assert!(largest < 0.01, "{largest}");
}

#[test]
fn sample_characters_do_not_intersect_themselves_at_rest() {
    for member in SampleCharacter::ALL {
        let mesh = pliant::samples::make(member, 1_500).unwrap().mesh;
        let pairs = self_intersections(mesh.positions(), mesh.triangles());
        assert!(pairs.is_empty(), "{}: {pairs:?}", member.name());
    }
}
