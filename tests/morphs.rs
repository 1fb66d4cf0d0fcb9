//! Morph targets: reading, weight tracks, the rest shape with targets, and what is drawn.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};
use pliant::deform::{
    Deformer, MorphedRest, Posed, PostSkinning, PostSkinningOptions, Rest, Scratch, Skin, VolumeOptions,
    deform,
};
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::io::{File, read_character, read_model};
use pliant::model::{
    Asset, Clip, Interpolation, MorphDisplacement, MorphTarget, MorphTargets, MorphTrack, Rig, Weights,
};
use pliant::operators::normals_of;
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant::view::{Scene, Skinning};
use pliant::web::packet::AssetPacket;
use serde_json::json;

use crate::fixtures::Lcg;
use crate::gltf::{Doc, skinned_bar};
use crate::shared_models;
use crate::volume::{Stage, rigged};

/// Lcg sparse targets for an asset. Every second one has normals.
fn random_targets(asset: &Asset, count: usize, random: &mut Lcg) -> MorphTargets {
    let mut targets = MorphTargets::default();
    let vertices = asset.render.positions.len();
    for target in 0..count {
        for vertex in 0..vertices as u32 {
            if random.below(5) == 0 {
                let position = random.point(0.05);
                let normal = if target % 2 == 0 { random.point(0.3) } else { Vec3::ZERO };
                targets.displacements.push(MorphDisplacement { vertex, position, normal });
            }
        }
        targets.targets.push(MorphTarget {
            default_weight: if target == 1 { 0.4 } else { 0.0 },
            number: target as u32,
            end: targets.displacements.len() as u32,
        });
    }
    targets.assert_well_formed(vertices);
    targets
}

fn arm_with_targets() -> Asset {
    let mut asset = samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm");
    asset.morph_targets = random_targets(&asset, 5, &mut Lcg(3));
    asset
}

/// Positions by a loop over all targets and vertices in f64.
fn slow_positions(asset: &Asset, weights: &[f32]) -> Vec<DVec3> {
    let targets = &asset.morph_targets;
    let mut positions: Vec<DVec3> = asset.render.positions.iter().map(|p| p.as_dvec3()).collect();
    let mut start = 0;
    for (target, weight) in targets.targets.iter().zip(weights) {
        for moved in &targets.displacements[start..target.end as usize] {
            positions[moved.vertex as usize] += moved.position.as_dvec3() * f64::from(*weight);
        }
        start = target.end as usize;
    }
    positions
}

/// One target that displaces all vertices and has no normals.
fn dense_target(default_weight: f32, positions: impl Iterator<Item = Vec3>) -> MorphTargets {
    let displacements: Vec<MorphDisplacement> = (0..)
        .zip(positions)
        .map(|(vertex, position)| MorphDisplacement { vertex, position, normal: Vec3::ZERO })
        .collect();
    let target = MorphTarget { default_weight, number: 0, end: displacements.len() as u32 };
    MorphTargets { targets: vec![target], displacements }
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn weight_zero_changes_nothing_also_after_other_weights() {
    let asset = arm_with_targets();
    let mut morphed = MorphedRest::default();
    assert!(!morphed.set_weights(&asset, &[0.0; 5]), "nothing changes");
    assert!(!morphed.is_morphed());
    assert!(morphed.set_weights(&asset, &[0.3, 0.0, -1.0, 2.0, 0.0]));
    assert!(!morphed.set_weights(&asset, &[0.3, 0.0, -1.0, 2.0, 0.0]), "the same weights");
    assert!(morphed.set_weights(&asset, &[0.0; 5]));
    let rest = morphed.rest(&asset);
    assert_eq!((rest.positions, rest.normals), (&asset.render.positions[..], &asset.render.normals[..]));
}

#[test]
fn positions_are_linear_in_the_weights_and_agree_with_a_slow_evaluation() {
    let asset = arm_with_targets();
    let mut random = Lcg(9);
    let mut morphed = MorphedRest::default();
    for _ in 0..20 {
        let weights: Vec<f32> =
            (0..5).map(|_| if random.below(3) == 0 { 0.0 } else { 3.0 * random.unit() - 1.0 }).collect();
        morphed.set_weights(&asset, &weights);
        let expected: Vec<Vec3> = slow_positions(&asset, &weights).iter().map(|p| p.as_vec3()).collect();
        let rest = morphed.rest(&asset);
        assert!(farthest(rest.positions, &expected) < 1e-6);
        assert!(rest.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5));
        // The order of earlier weights does not matter.
        let mut fresh = MorphedRest::default();
        fresh.set_weights(&asset, &weights);
        assert_eq!(fresh.rest(&asset).positions, rest.positions);
        assert_eq!(fresh.rest(&asset).normals, rest.normals);
    }
    let shape = |weight: f32| -> Vec<Vec3> {
        let mut morphed = MorphedRest::default();
        morphed.set_weights(&asset, &[0.0, 0.0, weight, 0.0, 0.0]);
        let pairs = morphed.rest(&asset).positions.to_vec().into_iter().zip(&asset.render.positions);
        pairs.map(|(morphed, rest)| morphed - *rest).collect()
    };
    let (one, half): (Vec<Vec3>, Vec<Vec3>) = (shape(1.0), shape(0.5));
    assert!(farthest(&half, &one.iter().map(|d| *d * 0.5).collect::<Vec<_>>()) < 1e-6);
}

#[test]
fn normals_of_the_file_are_added_and_missing_ones_follow_the_surface() {
    let mut asset = arm_with_targets();
    let mut morphed = MorphedRest::default();
    morphed.set_weights(&asset, &[0.7, 0.0, 0.0, 0.0, 0.0]);
    for moved in asset.morph_targets.displacements_of(0) {
        let vertex = moved.vertex as usize;
        let expected = (asset.render.normals[vertex] + moved.normal * 0.7).normalize_or_zero();
        assert!(morphed.rest(&asset).normals[vertex].distance(expected) < 1e-5);
    }
    // A target without normals that stretches the arm along X: normals are those of the stretched
    // surface.
    let vertices = asset.render.positions.len();
    asset.morph_targets = dense_target(0.0, asset.render.positions.iter().map(|p| Vec3::X * p.x));
    let mut morphed = MorphedRest::default();
    morphed.set_weights(&asset, &[1.0]);
    let rest = morphed.rest(&asset);
    let vertex_normals = |positions: &[Vec3]| normals_of(positions, &asset.render.triangles);
    let (before, after) = (vertex_normals(&asset.render.positions), vertex_normals(rest.positions));
    assert!(farthest(&before, &after) > 0.3, "the surface turns");
    for vertex in 0..vertices {
        // They keep their angle to the vertex normal.
        let [old, new] =
            [asset.render.normals[vertex].dot(before[vertex]), rest.normals[vertex].dot(after[vertex])];
        assert!((old - new).abs() < 1e-4, "{old} {new}");
    }
}

/// The weight at a time, by the formulas of the specification of glTF.
fn slow_weight(track: &MorphTrack, count: usize, target: usize, time: f32) -> f64 {
    let keys = track.times.len();
    let cubic = track.interpolation == Interpolation::Cubic;
    // Row 0, 1 and 2 of a key are in-tangent, value and out-tangent.
    let at = |key: usize, row: usize| {
        let index = if cubic { (3 * key + row) * count + target } else { key * count + target };
        f64::from(track.values[index])
    };
    if time <= track.times[0] {
        return at(0, 1);
    }
    if time >= track.times[keys - 1] {
        return at(keys - 1, 1);
    }
    let next = (0..keys).find(|&key| track.times[key] > time).unwrap();
    let [t0, t1] = [next - 1, next].map(|key| f64::from(track.times[key]));
    let (step, t) = (t1 - t0, (f64::from(time) - t0) / (t1 - t0));
    match track.interpolation {
        Interpolation::Step => at(next - 1, 1),
        Interpolation::Linear => (1.0 - t) * at(next - 1, 1) + t * at(next, 1),
        Interpolation::Cubic => {
            // As a Bézier curve, by de Casteljau.
            let (a, d) = (at(next - 1, 1), at(next, 1));
            let (b, c) = (a + step * at(next - 1, 2) / 3.0, d - step * at(next, 0) / 3.0);
            let mix = |a: f64, b: f64| a + (b - a) * t;
            mix(mix(mix(a, b), mix(b, c)), mix(mix(b, c), mix(c, d)))
        }
    }
}

#[test]
fn tracks_of_all_interpolations_agree_with_a_slow_evaluation() {
    let mut random = Lcg(5);
    for interpolation in [Interpolation::Step, Interpolation::Linear, Interpolation::Cubic] {
        for count in [1, 3] {
            let rows = if interpolation == Interpolation::Cubic { 3 } else { 1 };
            let times = vec![0.25, 0.5, 1.25, 2.0];
            let values = (0..rows * times.len() * count).map(|_| 2.0 * random.unit() - 0.5).collect();
            let track = MorphTrack { first: 2, times, interpolation, values };
            let clip = Clip { morph_tracks: vec![track.clone()], ..Clip::default() };
            assert_eq!(clip.duration(), 2.0);
            for step in 0..=50 {
                let time = step as f32 * 0.05;
                let weights = clip.morph_weights(vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6], time);
                assert_eq!(weights[..2], [0.1, 0.2], "targets without a track keep their weights");
                for target in 0..count {
                    let expected = slow_weight(&track, count, target, time);
                    let found = f64::from(weights[2 + target]);
                    assert!((found - expected).abs() < 1e-6, "{interpolation:?} at {time}");
                }
            }
            // Weights that the mesh does not have are left out.
            assert_eq!(clip.morph_weights(vec![0.1, 0.2, 0.3], 0.7).len(), 3);
            assert_eq!(clip.morph_weights(vec![0.1], 0.7), [0.1]);
        }
    }
}

/// The bar with two targets, default weights and a track; its node is scaled and turned.
fn morphing_bar(interpolation: &str, values: &[f32]) -> Doc {
    let mut doc = skinned_bar();
    let first = doc.floats("VEC3", &[0., 0., 1., 0., 0., 0., 0., 2., 0., 0., 0., 0.]);
    let second = doc.floats("VEC3", &[0., 0., 0., 0., 0., 0., 0., 0., 0., 3., 0., 0.]);
    let (times, values) = (doc.floats("SCALAR", &[0.0, 1.0]), doc.floats("SCALAR", values));
    let mut primitive = doc.member("meshes")[0]["primitives"][0].clone();
    primitive["targets"] = json!([{ "POSITION": first }, { "POSITION": second }]);
    doc.edit("meshes", 0, "primitives", json!([primitive]));
    doc.edit("meshes", 0, "weights", json!([0.25, 0.5]));
    doc.push(
        "animations",
        json!({ "name": "smile", "samplers": [{ "input": times, "output": values, "interpolation": interpolation }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }] }),
    );
    doc
}

fn read_doc(doc: &Doc) -> (Asset, Report) {
    let mut report = Report::default();
    let file = File { name: "bar.glb".into(), bytes: doc.glb() };
    let asset = read_model(&[file], &mut report).unwrap();
    asset.assert_well_formed();
    (asset, report)
}

#[test]
fn targets_default_weights_and_tracks_are_read() {
    let (asset, report) = read_doc(&morphing_bar("LINEAR", &[0.0, 1.0, 1.0, -1.0]));
    assert_eq!(report.warnings(), []);
    assert_eq!((asset.morph_targets.targets.len(), asset.morph_count()), (2, 2));
    assert_eq!(asset.morph_targets.default_weights(), [0.25, 0.5]);
    let vertices: Vec<u32> = asset.morph_targets.displacements.iter().map(|moved| moved.vertex).collect();
    assert_eq!(vertices, [0, 2, 3], "only displaced vertices are stored");
    let part = &asset.render.parts[0];
    let moved = part.rest_from_primitive.transform_vector3(DVec3::Z).as_vec3();
    assert!(asset.morph_targets.displacements[0].position.distance(moved) < 1e-6, "in rest space");
    assert_eq!(asset.clips.len(), 1, "a clip of weights alone is a clip");
    assert_eq!(asset.clips[0].morph_weights(vec![0.0; 2], 0.5), [0.5, 0.0]);
    // The weights of a node replace those of its mesh.
    let mut doc = morphing_bar("STEP", &[0.0, 1.0, 1.0, -1.0]);
    doc.edit("nodes", 0, "weights", json!([1.0]));
    assert_eq!(read_doc(&doc).0.morph_targets.default_weights(), [1.0, 0.0]);
}

#[test]
fn every_instance_of_a_mesh_has_weights_of_its_own() {
    let mut doc = morphing_bar("LINEAR", &[0.0, 1.0, 1.0, -1.0]);
    let second = doc.push("nodes", json!({ "mesh": 0, "skin": 0, "weights": [0.0, 0.75] }));
    let mut roots = doc.member("scenes")[0]["nodes"].clone();
    roots.as_array_mut().unwrap().push(second.into());
    doc.edit("scenes", 0, "nodes", roots);
    let (asset, _) = read_doc(&doc);
    assert_eq!((asset.morph_targets.targets.len(), asset.morph_count()), (4, 2));
    let weights = asset.clips[0].morph_weights(asset.morph_targets.default_weights(), 1.0);
    assert_eq!(weights, [1.0, -1.0, 0.0, 0.75], "the clip moves the first only");
}

#[test]
fn broken_targets_and_tracks_are_skipped_with_a_warning() {
    let warned = |doc: &Doc, what: &str| -> Asset {
        let (asset, report) = read_doc(doc);
        let text = format!("{:?}", report.warnings());
        assert!(text.contains(what), "{text}");
        asset
    };
    let mut doc = morphing_bar("LINEAR", &[0.0, 1.0, 1.0, -1.0]);
    let short = doc.floats("VEC3", &[0.0; 9]);
    let mut primitive = doc.member("meshes")[0]["primitives"][0].clone();
    primitive["targets"][0]["POSITION"] = short.into();
    doc.edit("meshes", 0, "primitives", json!([primitive]));
    let asset = warned(&doc, "3 displacements for 4 vertices");
    assert_eq!((asset.morph_targets.targets.len(), asset.morph_targets.displacements.len()), (2, 1));

    let mut doc = morphing_bar("LINEAR", &[0.0, 1.0, 1.0, -1.0]);
    let wild = doc.floats("VEC3", &[f32::NAN; 12]);
    let mut primitive = doc.member("meshes")[0]["primitives"][0].clone();
    primitive["targets"][1]["POSITION"] = wild.into();
    doc.edit("meshes", 0, "primitives", json!([primitive]));
    warned(&doc, "not finite or too large");

    let asset = warned(&morphing_bar("LINEAR", &[0.0, 1.0, 1.0]), "2 keys but 3 values");
    assert_eq!(asset.clips, []);
    warned(&morphing_bar("CUBICSPLINE", &[0.0, 1.0, 1.0, -1.0]), "2 keys but 4 values");
    warned(&morphing_bar("STEP", &[0.0, 1.0, f32::INFINITY, -1.0]), "not finite");
}

#[test]
fn too_many_targets_are_left_out_with_a_warning() {
    let mut doc = morphing_bar("LINEAR", &[0.0, 1.0, 1.0, -1.0]);
    let mut primitive = doc.member("meshes")[0]["primitives"][0].clone();
    let target = primitive["targets"][0].clone();
    primitive["targets"] = json!(vec![target; 3_000]);
    doc.edit("meshes", 0, "primitives", json!([primitive]));
    doc.set("animations", json!([]));
    let (asset, report) = read_doc(&doc);
    assert_eq!(asset.morph_targets.targets.len(), 2_928);
    assert!(format!("{:?}", report.warnings()).contains("only the first 2928 morph targets are shown"));

    // Few bytes that claim a lot of work: 2,000 targets of zeros for 50,000 vertices.
    let mut doc = Doc::new();
    let position: Vec<f32> = (0..50_000).flat_map(|i| [i as f32, (i % 7) as f32, (i % 3) as f32]).collect();
    let position = doc.floats("VEC3", &position);
    let zeros = doc.push("accessors", json!({ "componentType": 5126, "count": 50_000, "type": "VEC3" }));
    doc.push(
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": position },
                                 "targets": vec![json!({ "POSITION": zeros }); 2_000] }] }),
    );
    doc.push("nodes", json!({ "mesh": 0 }));
    doc.push("scenes", json!({ "nodes": [0] }));
    let (asset, report) = read_doc(&doc);
    assert_eq!(asset.morph_targets.targets.len(), 723);
    assert_eq!(asset.morph_targets.displacements, []);
    assert!(format!("{:?}", report.warnings()).contains("only the first 723"));
}

/// A rig with targets, and a clip that moves joints and weights.
fn moving_rig() -> Arc<Rig> {
    let rig = rigged(SampleCharacter::Arm, 1_000);
    let mut asset = (*rig.asset).clone();
    asset.morph_targets = random_targets(&asset, 4, &mut Lcg(1));
    asset.clips[0].morph_tracks.push(MorphTrack {
        first: 0,
        times: vec![0.0, 1.0],
        interpolation: Interpolation::Linear,
        values: vec![0.0, 0.4, 1.0, 0.0, 1.0, 0.0, -0.5, 0.0],
    });
    let weights = rig.weights().clone();
    Arc::new(Rig::from_render_weights(Arc::new(asset), rig.skeleton, weights).unwrap())
}

/// Morphs, skins and corrects by separate calls.
fn expected(rig: &Rig, time: f32, deformer: Deformer, options: &PostSkinningOptions) -> Vec<Vec3> {
    let clip = &rig.asset.clips[0];
    let weights = clip.morph_weights(rig.asset.morph_targets.default_weights(), time);
    let morphed: Vec<Vec3> = slow_positions(&rig.asset, &weights).iter().map(|p| p.as_vec3()).collect();
    let matrices = clip.sample(&rig.skeleton, time).skinning_matrices(&rig.skeleton);
    let skin = Skin::of_rig(rig);
    let mut positions = morphed.clone();
    let rest = Rest { positions: &morphed, normals: &[] };
    let out = Posed { positions: &mut positions, normals: &mut [] };
    deform(deformer, &skin, &matrices, rest, out, &mut Scratch::default());
    let mut post_skinning = PostSkinning::new(rig, options, &[], &mut Report::default());
    post_skinning.set_rest_volumes(&morphed);
    post_skinning.correct(&matrices, Posed { positions: &mut positions, normals: &mut [] });
    positions
}

#[test]
fn both_views_and_deformers_show_morph_targets_with_and_without_corrections() {
    let rig = moving_rig();
    let clip = rig.asset.clips[0].clone();
    let mut scene = Scene::default();
    scene.resize(Vec2::new(400.0, 300.0));
    scene.set_rig(0, rig.clone());
    scene.set_rig(1, rig.clone());
    let volume = VolumeOptions::default();
    let on = PostSkinningOptions { volume: Some(volume), fold_guard: true };
    scene.view_mut(1).set_skinning(Skinning::DualQuaternion);
    let size = rig.asset.mesh.diagonal();
    for options in [PostSkinningOptions::default(), on] {
        for view in [0, 1] {
            scene.view_mut(view).set_post_skinning(options.clone());
        }
        for time in [0.0, 0.35, 0.8] {
            assert!(scene.set_clip_time(&clip, time));
            scene.apply_post_skinning();
            for (view, deformer) in Deformer::ALL.into_iter().enumerate() {
                let shown = scene.shown(view).unwrap().posed_positions();
                let apart = farthest(&shown, &expected(&rig, time, deformer, &options)) / size;
                assert!(apart < 2e-5, "{deformer:?} at {time}: {apart}");
            }
        }
    }
}

#[test]
fn poses_without_a_clip_have_the_default_weights() {
    let rig = moving_rig();
    let clip = rig.asset.clips[0].clone();
    let mut scene = Scene::default();
    scene.set_rig(0, rig.clone());
    let defaults: Vec<Vec3> = slow_positions(&rig.asset, &rig.asset.morph_targets.default_weights())
        .iter()
        .map(|p| p.as_vec3())
        .collect();
    let shown = |scene: &Scene| scene.shown(0).unwrap().posed_positions();
    assert!(farthest(&shown(&scene), &defaults) < 1e-5);
    assert!(farthest(&defaults, &rig.asset.render.positions) > 1e-3);
    let rest = scene.pose().unwrap().clone();
    scene.set_clip_time(&clip, 0.8);
    let state = scene.pose_state().unwrap();
    let posed = shown(&scene);
    scene.set_pose(rest);
    assert!(farthest(&shown(&scene), &defaults) < 1e-5);
    scene.set_pose_state(state);
    assert_eq!(shown(&scene), posed, "a restored pose has its weights");
    // Weights that are computed anew keep what is shown.
    let other = Rig::from_render_weights(rig.asset.clone(), rig.skeleton.clone(), rig.weights().clone());
    scene.set_rig(0, Arc::new(other.unwrap()));
    assert_eq!(shown(&scene), posed);
}

#[test]
fn a_ray_meets_the_skin_where_morph_targets_put_it() {
    let rig = moving_rig();
    let vertices = rig.asset.render.positions.len();
    let mut asset = (*rig.asset).clone();
    // The whole arm, far above where it was.
    asset.morph_targets = dense_target(1.0, std::iter::repeat_n(Vec3::Y * 5.0, vertices));
    let weights = rig.weights().clone();
    let rig = Rig::from_render_weights(Arc::new(asset), rig.skeleton.clone(), weights).unwrap();
    let mut scene = Scene::default();
    scene.resize(Vec2::new(400.0, 300.0));
    scene.set_rig(0, Arc::new(rig));
    scene.set_still(true);
    scene.frame_all();
    let eye = scene.view_transform();
    let shown = scene.shown(0).unwrap().posed_positions();
    let middle = shown.iter().copied().sum::<Vec3>() / shown.len() as f32;
    assert!(scene.skin_hit(eye.project(middle).unwrap().0).is_some());
    assert!(scene.skin_hit(eye.project(middle - Vec3::Y * 5.0).unwrap().0).is_none());
}

#[test]
fn volume_correction_keeps_the_volume_that_a_morph_target_adds() {
    let rig = moving_rig();
    let mut asset = (*rig.asset).clone();
    asset.morph_targets = dense_target(0.0, asset.render.normals.iter().map(|normal| *normal * 0.02));
    let mut morphed = MorphedRest::default();
    morphed.set_weights(&asset, &[1.0]);
    let thicker = morphed.rest(&asset).positions.to_vec();
    let weights = rig.weights().clone();
    let rig = Rig::from_render_weights(Arc::new(asset), rig.skeleton.clone(), weights).unwrap();
    let options = PostSkinningOptions { volume: Some(VolumeOptions::default()), fold_guard: false };
    let mut post_skinning = PostSkinning::new(&rig, &options, &[], &mut Report::default());
    let matrices = vec![glam::Mat4::IDENTITY; rig.skeleton.joints().len()];
    let mut positions = thicker.clone();
    post_skinning.set_rest_volumes(&thicker);
    let moved = post_skinning.correct(&matrices, Posed { positions: &mut positions, normals: &mut [] });
    assert!(!moved && positions == thicker, "the shape of the target needs no correction");
}

#[test]
fn an_exported_file_with_baked_corrections_shows_them_again() {
    let rig = rigged(SampleCharacter::Arm, 1_500);
    let clip = rig.asset.clips[0].clone();
    let options = PostSkinningOptions { volume: Some(VolumeOptions::default()), fold_guard: true };
    let mut stage = Stage::new(&rig, &options);
    let morphs = [pliant::deform::bake(&rig, &mut stage.post_skinning, &clip, 9, &[])];
    let (skeleton, weights) = (Some(&rig.skeleton), Some(rig.weights()));
    let export = ExportOptions { skeleton, weights, morphs: &morphs, ..ExportOptions::default() };
    let file = File { name: "baked.glb".into(), bytes: write_glb(&rig.asset, &export).unwrap() };
    let mut report = Report::default();
    let asset = read_character(&[file], &mut report).unwrap();
    asset.assert_well_formed();
    assert_eq!(asset.morph_targets.targets.len(), 9);
    // As the page gets it.
    let page = Arc::new(AssetPacket::of(&asset).into_asset());
    let reopened = Rig::from_stored_weights(page.clone(), page.skeleton.clone().unwrap()).unwrap();
    let mut scene = Scene::default();
    scene.set_rig(0, Arc::new(reopened));
    let size = rig.asset.mesh.diagonal();
    let (mut worst, mut plain) = (0.0_f32, 0.0_f32);
    for key in 0..9 {
        let time = clip.duration() * key as f32 / 8.0;
        stage.frame(&clip.sample(&rig.skeleton, time));
        assert!(scene.set_clip_time(&page.clips[0], time));
        let shown = scene.shown(0).unwrap().posed_positions();
        worst = worst.max(farthest(&shown, &stage.positions) / size);
        let mut alone = Stage::new(&rig, &PostSkinningOptions::default());
        alone.frame(&clip.sample(&rig.skeleton, time));
        plain = plain.max(farthest(&alone.positions, &stage.positions) / size);
    }
    println!("reopened: {worst:.1e} of the size from the corrected vertices, skinning alone {plain:.1e}");
    assert!(worst < 1e-3 && plain > 5.0 * worst);
}

/// The vertices of an FBX file at some times of a clip, as three.js has them. `None` without the
/// file or the packages of the site.
fn fbx_by_three(path: &Path, clip: &str, times: &[f32]) -> Option<Vec<Vec<Vec3>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !path.exists() || !root.join("www/node_modules/three").is_dir() {
        println!("skipped: {} or npm packages", path.display());
        return None;
    }
    let script = root.join("tests/formats/fbx_by_three.mjs");
    let times = times.iter().map(ToString::to_string);
    let output = Command::new("node").arg(script).arg(path).arg(clip).args(times).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let poses: Vec<Vec<[f32; 3]>> = serde_json::from_slice(&output.stdout).unwrap();
    Some(poses.into_iter().map(|pose| pose.into_iter().map(Vec3::from).collect()).collect())
}

/// The largest distance of the path of a vertex from the nearest path in `others`.
fn farthest_path(paths: &[Vec<Vec3>], others: &[Vec<Vec3>]) -> f32 {
    let vertices = |poses: &[Vec<Vec3>]| -> Vec<Vec<Vec3>> {
        let mut paths: Vec<Vec<Vec3>> =
            (0..poses[0].len()).map(|vertex| poses.iter().map(|pose| pose[vertex]).collect()).collect();
        paths.sort_by(|a, b| a[0].x.total_cmp(&b[0].x));
        paths.dedup();
        paths
    };
    let others = vertices(others);
    let distance = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let nearest = |path: Vec<Vec3>| {
        // The nearest one is first looked for at a similar place.
        let mut least = f32::MAX;
        let middle = others.partition_point(|other| other[0].x < path[0].x);
        for other in others[middle..].iter().take_while(|other| other[0].x - path[0].x < 0.1) {
            least = least.min(distance(&path, other));
        }
        for other in others[..middle].iter().rev().take_while(|other| path[0].x - other[0].x < 0.1) {
            least = least.min(distance(&path, other));
        }
        least
    };
    vertices(paths).into_iter().map(nearest).fold(0.0, f32::max)
}

/// The weights as three.js has them: the four largest.
fn four_influences(weights: &Weights) -> Weights {
    let rows = weights.rows().map(|row| {
        let mut row = row.to_vec();
        row.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        row.truncate(4);
        let sum: f32 = row.iter().map(|influence| influence.weight).sum();
        row.iter_mut().for_each(|influence| influence.weight /= sum);
        row.sort_by_key(|influence| influence.column);
        row
    });
    Weights::new(weights.columns(), rows).unwrap()
}

#[test]
fn a_blender_character_with_blend_shapes_is_posed_as_by_three_js() {
    let Some(folder) = shared_models::folder() else { return };
    let path = folder.join("fbx_ufbx/blender_293_barbarian_7400_binary.fbx");
    let times = [0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4];
    let Some(theirs) = fbx_by_three(&path, "Armature|idle", &times) else { return };
    let asset = read_character(&[shared_models::read(&path)], &mut Report::default()).unwrap();
    assert_eq!(asset.morph_targets.targets.len(), 3);
    let mut without = asset.clone();
    without.morph_targets = MorphTargets::default();
    let height = theirs[0].iter().map(|p| p.y).fold(f32::MIN, f32::max)
        - theirs[0].iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let cases = [(asset.clone(), true), (asset, false), (without, true)];
    let [with, with_all_influences, without] = cases.map(|(asset, is_limited)| {
        let asset = Arc::new(asset);
        let skeleton = asset.skeleton.clone().unwrap();
        let stored = asset.stored_weights.clone().unwrap();
        let weights = if is_limited { four_influences(&stored) } else { stored };
        let rig = Rig::from_render_weights(asset.clone(), skeleton, weights).unwrap();
        let mut scene = Scene::default();
        scene.set_rig(0, Arc::new(rig));
        let posed = times.map(|time| {
            assert!(scene.set_clip_time(&asset.clips[0], time));
            scene.shown(0).unwrap().posed_positions()
        });
        farthest_path(&posed, &theirs).max(farthest_path(&theirs, &posed)) / height
    });
    println!(
        "{with:.1e} of the height from three.js, with all influences {with_all_influences:.1e}, \
         without blend shapes {without:.1e}"
    );
    assert!(with < 1e-4 && without > 1e-3);
}

#[test]
fn an_avatar_of_the_shared_models_has_its_targets() {
    for path in shared_models::files_with(&["vrm"]) {
        let asset = read_character(&shared_models::with_neighbours(&path), &mut Report::default());
        let Ok(asset) = asset else { continue };
        asset.assert_well_formed();
        let targets = &asset.morph_targets;
        println!(
            "{}: {} targets, {} displacements",
            path.display(),
            targets.targets.len(),
            targets.displacements.len()
        );
    }
}
