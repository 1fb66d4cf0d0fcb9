//! Handles on the skin: in a recipe, as joints of a rig, in a file, and dragged.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3, Vec3};
use pliant::deform::HandleSolver;
use pliant::io::gltf::{ExportOptions, WeightFormat, write_glb};
use pliant::io::{File, read_model};
use pliant::model::{Asset, JointKind, Mesh, Pose, Rig, Skeleton, Tail};
use pliant::pipeline::{Method, Outcome, Pipeline, PipelineError, PlacedHandle, Recipe, Silent, Stage};
use pliant::report::{Report, Warning};
use pliant::samples::{self, SampleCharacter};

use crate::fixtures::{card, tube};

/// An asset of a mesh without a skeleton.
fn unrigged(mesh: &Mesh) -> Asset {
    use std::fmt::Write as _;
    let mut text = String::new();
    for p in mesh.positions() {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    let file = File { name: "bare.obj".into(), bytes: text.into_bytes() };
    read_model(&[file], &mut Report::default()).unwrap()
}

fn bbw(handles: Vec<PlacedHandle>) -> Recipe {
    Recipe { method: Method::Bbw, handles, max_influences: 8, ..Recipe::default() }
}

fn run(asset: Asset, recipe: &Recipe) -> Outcome {
    let outcome = Pipeline::new(Arc::new(asset)).run(recipe, &mut Silent).unwrap();
    outcome.rig.assert_well_formed();
    outcome
}

fn written(rig: &Rig, format: WeightFormat) -> Asset {
    let (skeleton, weights) = (Some(&rig.skeleton), Some(rig.weights()));
    let options = ExportOptions { skeleton, weights, format, ..ExportOptions::default() };
    let glb = write_glb(&rig.asset, &options).unwrap();
    let asset = read_model(&[File { name: "out.glb".into(), bytes: glb }], &mut Report::default()).unwrap();
    asset.assert_well_formed();
    asset
}

/// Positions of render vertices by linear blend skinning.
fn skinned(rig: &Rig, posed_from_rest: &[DAffine3]) -> Vec<Vec3> {
    let point = |(vertex, p): (usize, &Vec3)| {
        let row = rig.weights().row(vertex).iter();
        let moved = row
            .map(|i| posed_from_rest[i.column as usize].transform_point3(p.as_dvec3()) * f64::from(i.weight));
        moved.sum::<DVec3>().as_vec3()
    };
    rig.asset.render.positions.iter().enumerate().map(point).collect()
}

fn matrices(rig: &Rig, pose: &Pose) -> Vec<DAffine3> {
    let world = pose.world(&rig.skeleton);
    world.iter().zip(rig.skeleton.joint_from_rest()).map(|(world, rest)| *world * *rest).collect()
}

fn nearest(positions: &[Vec3], point: Vec3) -> usize {
    let distance = |v: &usize| positions[*v].distance_squared(point);
    (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
}

fn two_on_the_card() -> Vec<PlacedHandle> {
    let (low, high) = card().bounds();
    let middle = low.midpoint(high);
    vec![
        PlacedHandle::point("left", [low.x, middle.y, middle.z]),
        PlacedHandle::point("right", [high.x, middle.y, middle.z]),
    ]
}

#[test]
fn points_do_not_change_bones_and_are_translated_child_nodes() {
    for member in [SampleCharacter::Mannequin, SampleCharacter::Hand, SampleCharacter::Giraffe] {
        let skeleton = samples::make(member, 1_000).unwrap().skeleton;
        for parent in 0..skeleton.joints().len() {
            let at = skeleton.joints()[parent].head() + Vec3::new(0.1, 0.02, 0.3);
            let with = skeleton.with_points(&[("grip", at, Some(parent))]).unwrap();
            with.assert_well_formed();
            let (point, bones) = with.bones().split_last().unwrap();
            assert_eq!(bones, skeleton.bones());
            assert_eq!((point.joint, point.end), (skeleton.joints().len(), Tail::Point));
            assert!(with.points().eq([skeleton.joints().len()]));
            let offset = with.rest_local(skeleton.joints().len());
            assert!(offset.matrix3.abs_diff_eq(glam::DMat3::IDENTITY, 1e-6));
            let text = serde_json::to_string(&with).unwrap();
            assert_eq!(serde_json::from_str::<Skeleton>(&text).unwrap().bones(), with.bones());
        }
    }
}

#[test]
fn two_points_without_a_skeleton_rig_a_card_and_are_exported_as_joints() {
    let outcome = run(unrigged(&card()), &bbw(two_on_the_card()));
    let rig = &outcome.rig;
    let names: Vec<&str> = rig.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["left", "right"]);
    assert!(rig.skeleton.joints().iter().all(|joint| joint.kind == JointKind::Point));
    for (column, handle) in two_on_the_card().iter().enumerate() {
        let row = rig.weights().row(nearest(&rig.asset.render.positions, Vec3::from_array(handle.at)));
        assert!(row.iter().any(|i| i.column as usize == column && i.weight > 0.999), "{row:?}");
    }
    // The weights of the card blend from one to the other.
    let at = |share: f32| {
        let (low, high) = card().bounds();
        let row = rig.weights().row(nearest(&rig.asset.render.positions, low.lerp(high, share)));
        row.iter().find(|i| i.column == 1).map_or(0.0, |i| i.weight)
    };
    assert!(at(0.1) < at(0.4) && at(0.4) < at(0.6) && at(0.6) < at(0.9), "{} {}", at(0.1), at(0.9));
    for format in [WeightFormat::Float, WeightFormat::U16, WeightFormat::U8] {
        let again = written(rig, format);
        let skeleton = again.skeleton.as_ref().unwrap();
        for handle in two_on_the_card() {
            let joint = &skeleton.joints()[skeleton.find(&handle.name).unwrap()];
            assert_eq!(joint.kind, JointKind::Skin, "to an engine it is a joint like any other");
            assert!(joint.head().distance(Vec3::from_array(handle.at)) < 1e-6);
        }
        assert!(again.stored_weights.unwrap().max_sum_error() < 1e-5);
    }
}

#[test]
fn points_are_children_of_the_nearest_bone_and_the_file_is_otherwise_unchanged() {
    let mannequin = || samples::make(SampleCharacter::Mannequin, 2_000).unwrap().into_asset("mannequin");
    let asset = mannequin();
    let (_, high) = asset.mesh.bounds();
    let nose = asset.mesh.positions()[nearest(asset.mesh.positions(), Vec3::new(0.0, 0.95 * high.y, high.z))];
    let belly = asset.mesh.positions()[nearest(asset.mesh.positions(), Vec3::new(0.0, 0.6 * high.y, high.z))];
    let skeleton = asset.skeleton.as_ref().unwrap();
    let bone = skeleton.bones().iter().find(|bone| skeleton.joints()[bone.joint].name == "hand.L").unwrap();
    let hand = asset.mesh.positions()[nearest(asset.mesh.positions(), bone.tail)];
    let handles: Vec<PlacedHandle> = [("nose", nose), ("belly", belly), ("fingertip", hand)]
        .map(|(name, at)| PlacedHandle::point(name, at.to_array()))
        .to_vec();
    let first = run(mannequin(), &bbw(handles.clone())).rig;
    let own = asset.skeleton.as_ref().unwrap().joints().len();
    assert_eq!(first.skeleton.joints()[..own], asset.skeleton.as_ref().unwrap().joints()[..]);
    let parent = |rig: &Rig, name: &str| {
        let joint = rig.skeleton.find(name).unwrap();
        rig.skeleton.joints()[rig.skeleton.joints()[joint].parent.unwrap()].name.to_lowercase()
    };
    assert!(parent(&first, "nose").contains("head"), "{}", parent(&first, "nose"));
    assert!(parent(&first, "fingertip").contains("hand"), "{}", parent(&first, "fingertip"));
    for (handle, at) in handles.iter().zip([nose, belly, hand]) {
        let column = first.skeleton.find(&handle.name).unwrap() as u32;
        let row = first.weights().row(nearest(&first.asset.render.positions, at));
        let own = row.iter().find(|i| i.column == column).map_or(0.0, |i| i.weight);
        println!("{}: {own}", handle.name);
        assert!(own > 0.4, "{}: {row:?}", handle.name);
    }
    // Into a document that has the skeleton already.
    let plain = run(mannequin(), &Recipe::default()).rig;
    let read = written(&plain, WeightFormat::Float);
    let clips = read.clips.len();
    let second = run(read, &bbw(handles)).rig;
    let again = written(&second, WeightFormat::Float);
    assert_eq!(again.clips.len(), clips);
    let skeleton = again.skeleton.as_ref().unwrap();
    for joint in second.skeleton.points() {
        let point = &second.skeleton.joints()[joint];
        let found = &skeleton.joints()[skeleton.find(&point.name).unwrap()];
        let above = found.parent.map(|parent| skeleton.joints()[parent].name.clone());
        assert_eq!(above, point.parent.map(|parent| second.skeleton.joints()[parent].name.clone()));
        assert!(found.head().distance(point.head()) < 1e-5);
        let local = found.local;
        assert_eq!((local.rotation, local.scale), (DQuat::IDENTITY, DVec3::ONE), "a plain translated node");
    }
    assert_eq!(again.stored_weights.as_ref().unwrap().vertices(), second.weights().vertices());
    assert!(again.stored_weights.unwrap().max_sum_error() < 1e-5);
}

#[test]
fn the_joint_of_a_point_moves_the_skin_by_its_weights_also_in_the_file() {
    let handles = two_on_the_card();
    let rig = run(unrigged(&card()), &bbw(handles)).rig;
    let by = DVec3::new(0.1, 0.3, -0.2);
    let mut pose = Pose::rest(&rig.skeleton);
    pose.parent_from_joint[1].translation += by;
    let here = skinned(&rig, &matrices(&rig, &pose));
    for (vertex, (moved, rest)) in here.iter().zip(&rig.asset.render.positions).enumerate() {
        let share = rig.weights().row(vertex).iter().find(|i| i.column == 1).map_or(0.0, |i| i.weight);
        assert!(moved.distance(*rest + by.as_vec3() * share) < 1e-5);
    }
    let asset = written(&rig, WeightFormat::Float);
    let (skeleton, weights) = (asset.skeleton.clone().unwrap(), asset.stored_weights.clone().unwrap());
    let joint = skeleton.find("right").unwrap();
    let there = Rig::from_render_weights(Arc::new(asset), skeleton, weights).unwrap();
    let mut pose = Pose::rest(&there.skeleton);
    pose.parent_from_joint[joint].translation += by;
    let off = skinned(&there, &matrices(&there, &pose)).into_iter().zip(&here).map(|(a, b)| a.distance(*b));
    assert!(off.fold(0.0, f32::max) < 1e-5);
}

#[test]
fn methods_for_bones_only_warn_that_handles_are_ignored() {
    let arm = || samples::make(SampleCharacter::Arm, 400).unwrap().into_asset("arm");
    let handles = vec![PlacedHandle::point("a", [0.0; 3]), PlacedHandle::point("b", [1.0; 3])];
    for method in [Method::Atlas, Method::Distance, Method::Heat, Method::Glow] {
        let without = run(arm(), &Recipe { method, ..Recipe::default() });
        let with = run(arm(), &Recipe { method, handles: handles.clone(), ..Recipe::default() });
        assert_eq!(with.rig.weights(), without.rig.weights());
        let warning = Warning::HandlesIgnored { handles: 2, method: method.name() };
        assert!(with.report.warnings().contains(&warning));
        assert!(!without.report.warnings().contains(&warning));
    }
}

#[test]
fn renaming_a_handle_does_not_compute_weights_again() {
    let mut pipeline = Pipeline::new(Arc::new(unrigged(&card())));
    let mut recipe = bbw(two_on_the_card());
    let mut ran = |recipe: &Recipe| {
        let outcome = pipeline.run(recipe, &mut Silent).unwrap();
        let stages: Vec<Stage> = outcome.times.iter().map(|time| time.stage).collect();
        (stages, outcome.rig.skeleton.joints()[0].name.clone())
    };
    assert!(ran(&recipe).0.contains(&Stage::Weights));
    recipe.handles[0].name = "west".into();
    assert_eq!(ran(&recipe), (vec![Stage::Finish], "west".to_owned()));
    recipe.handles[0].at[1] += 0.1;
    assert!(ran(&recipe).0.contains(&Stage::Weights));
}

#[test]
fn invalid_handles_are_rejected_with_the_reason() {
    let refused = |asset: Asset, handles: Vec<PlacedHandle>| {
        Pipeline::new(Arc::new(asset)).run(&bbw(handles), &mut Silent).unwrap_err()
    };
    assert!(matches!(refused(unrigged(&card()), Vec::new()), PipelineError::NoSkeleton));
    let arm = samples::make(SampleCharacter::Arm, 400).unwrap().into_asset("arm");
    let name = arm.skeleton.as_ref().unwrap().joints()[0].name.clone();
    let error = refused(arm, vec![PlacedHandle::point(&name, [0.0; 3])]);
    assert!(matches!(&error, PipelineError::HandleNamedAsJoint { name: n } if *n == name), "{error}");
    let region = PlacedHandle { vertices: vec![0, 1_000_000], ..PlacedHandle::point("hat", [0.0; 3]) };
    let error = refused(unrigged(&card()), vec![region]);
    let count = format!("vertex 1000000 of {},", card().positions().len());
    assert!(error.to_string().contains(&count), "{error}");
}

#[test]
fn a_region_moves_rigidly() {
    let mesh = tube(12, 24, 0.3, 3.0, true);
    let asset = unrigged(&mesh);
    let end = |top: bool| -> Vec<u32> {
        let is_there = |p: &Vec3| if top { p.y > 2.7 } else { p.y < 0.3 };
        let positions = asset.render.positions.iter().enumerate();
        positions.filter(|(_, p)| is_there(p)).map(|(v, _)| v as u32).collect()
    };
    let region = |name: &str, top: bool| PlacedHandle {
        vertices: end(top),
        ..PlacedHandle::point(name, [0.0, if top { 3.0 } else { 0.0 }, 0.0])
    };
    let (top, handles) = (end(true), vec![region("foot", false), region("head", true)]);
    let rig = run(asset, &bbw(handles)).rig;
    for vertex in top {
        let row = rig.weights().row(vertex as usize);
        assert!(row.iter().any(|i| i.column == 1 && i.weight > 0.9999), "{row:?}");
    }
}

/// A tube with three joints and three points.
fn tube_of_bones_and_points() -> Rig {
    let mut asset = unrigged(&tube(16, 48, 0.3, 4.0, true));
    let heads = [0.0, 1.4, 2.8].map(|y| Vec3::new(0.0, y, 0.0));
    asset.set_skeleton(crate::fixtures::chain(&heads), Vec::new());
    let point = |name: &str, y: f32| {
        let at = asset.mesh.positions()[nearest(asset.mesh.positions(), Vec3::new(0.3, y, 0.0))];
        PlacedHandle::point(name, at.to_array())
    };
    let handles = vec![point("low", 0.2), point("middle", 2.0), point("high", 3.9)];
    run(asset, &Recipe { max_influences: 4, ..bbw(handles) }).rig
}

#[test]
fn dragging_starts_from_any_pose_and_points_reach_their_targets() {
    let rig = tube_of_bones_and_points();
    let points: Vec<u32> = rig
        .skeleton
        .points()
        .map(|joint| nearest(rig.asset.mesh.positions(), rig.skeleton.joints()[joint].head()) as u32)
        .collect();
    let mut pull = HandleSolver::new(&rig, &points);
    let mut pose = Pose::rest(&rig.skeleton);
    for turn in [0.0, 0.7] {
        pose.rotate(1, DQuat::from_rotation_z(turn));
        let base = matrices(&rig, &pose);
        let before = skinned(&rig, &base);
        // Nothing moves if nothing is dragged.
        let still = pull.pose(&rig, &base, &[None; 3], false).to_vec();
        let moved =
            skinned(&rig, &still).iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert_eq!(moved, 0.0);
        // Nor if the other points are only fixed.
        let held = [Some(pull.position(&rig, 0, &base)), None, None];
        let still = pull.pose(&rig, &base, &held, false).to_vec();
        let moved =
            skinned(&rig, &still).iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(moved < 1e-4, "{moved}");
        let at = |pose: &[DAffine3], point: usize| drag_target_of(&rig, points[point], pose);
        let target = at(&base, 2) + Vec3::new(0.5, -0.1, 0.4);
        let pulled = pull.pose(&rig, &base, &[None, None, Some(target)], false).to_vec();
        assert!(at(&pulled, 2).distance(target) < 1e-4, "{} instead of {target}", at(&pulled, 2));
        for other in [0, 1] {
            assert!(at(&pulled, other).distance(at(&base, other)) < 1e-4, "point {other} stays");
        }
        // As rigidly as possible: edges keep most of their length.
        let after = skinned(&rig, &pulled);
        let edges = rig.asset.render.triangles.iter().map(|t| [t[0] as usize, t[1] as usize]);
        let stretch: Vec<f32> = edges
            .map(|[a, b]| (after[a].distance(after[b]) / before[a].distance(before[b]) - 1.0).abs())
            .collect();
        let mean = stretch.iter().sum::<f32>() / stretch.len() as f32;
        assert!(mean < 0.08, "edges are stretched by {mean} on average");
        // Released, the mesh returns to its pose.
        let back = pull.pose(&rig, &base, &[None; 3], false).to_vec();
        let off = skinned(&rig, &back).iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert_eq!(off, 0.0);
    }
}

fn drag_target_of(rig: &Rig, solve: u32, posed_from_rest: &[DAffine3]) -> Vec3 {
    let render = rig.asset.render_from_solve()[solve as usize] as usize;
    let p = rig.asset.render.positions[render].as_dvec3();
    let row = rig.weights().row(render).iter();
    row.map(|i| posed_from_rest[i.column as usize].transform_point3(p) * f64::from(i.weight))
        .sum::<DVec3>()
        .as_vec3()
}
