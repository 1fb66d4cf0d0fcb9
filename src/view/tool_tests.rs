use std::sync::Arc;

use glam::{DQuat, Vec3};

use super::*;
use crate::model::{Influence, Pose, Rig, Weights};
use crate::samples::{self, SampleCharacter};
use crate::view::Show;
use crate::view::gizmo::Ring;
use crate::view::input::{Buttons, Event, Modifiers};

fn asset() -> Arc<crate::model::Asset> {
    Arc::new(samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm"))
}

/// All vertices follow one joint.
fn rig(asset: &Arc<crate::model::Asset>, joint: u32) -> Arc<Rig> {
    let skeleton = asset.skeleton.clone().unwrap();
    let all = asset.render.positions.iter().map(|_| joint);
    let weights = Weights::rigid(skeleton.joints().len(), all).unwrap();
    Arc::new(Rig::from_render_weights(asset.clone(), skeleton, weights).unwrap())
}

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.set_still(true);
    scene.resize(Vec2::new(800.0, 600.0));
    scene.set_rig(0, rig(&asset(), 1));
    scene
}

fn mouse(position: Vec2) -> Pointer {
    let modifiers = Modifiers::default();
    Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers, is_touch: false }
}

/// Drags the ring that faces the camera by an angle.
fn turn(scene: &mut Scene, joint: usize, angle: f32) {
    scene.set_selected(Some(joint));
    let eye = scene.view_transform();
    let gizmo = scene.gizmo(&eye).unwrap();
    let pixel = |angle: f32| eye.project(gizmo.point(Ring::View, angle)).unwrap().0;
    scene.pointer_down(&mouse(pixel(0.0)));
    scene.pointer_move(&mouse(pixel(angle * 0.5)));
    scene.pointer_move(&mouse(pixel(angle)));
}

#[test]
fn one_tool_is_active_and_the_next_closes_it() {
    let mut scene = scene();
    let pose = scene.pose().cloned();
    assert_eq!(scene.tool(), ToolName::Rotate);
    for name in [ToolName::PlaceJoints, ToolName::Handles, ToolName::Paint, ToolName::Rotate] {
        assert_eq!(scene.set_tool(name, &ToolOptions::default()), name);
        assert_eq!(scene.character().unwrap().draft().is_some(), name == ToolName::PlaceJoints);
    }
    assert_eq!(scene.pose().cloned(), pose);
}

#[test]
fn placing_joints_needs_a_skeleton_and_ends_with_the_character() {
    let mut scene = Scene::default();
    assert_eq!(scene.set_tool(ToolName::PlaceJoints, &ToolOptions::default()), ToolName::Rotate);
    let mut scene = self::scene();
    scene.set_tool(ToolName::PlaceJoints, &ToolOptions::default());
    scene.set_asset(asset());
    assert_eq!(scene.tool(), ToolName::Rotate);
    scene.set_tool(ToolName::Paint, &ToolOptions::default());
    scene.set_asset(asset());
    assert_eq!(scene.tool(), ToolName::Paint);
}

#[test]
fn changing_the_tool_cancels_its_gesture() {
    let mut scene = scene();
    turn(&mut scene, 1, 0.5);
    scene.drain_events();
    scene.set_tool(ToolName::Paint, &ToolOptions::default());
    let rest = Pose::rest(scene.character().unwrap().skeleton().unwrap());
    assert_eq!(scene.pose(), Some(&rest));
    assert!(scene.drain_events().contains(&Event::GizmoEnded { joint: 1, is_cancelled: true }));
}

#[test]
fn a_rotation_over_a_clip_stays_while_the_clip_advances() {
    let mut scene = scene();
    let skeleton = scene.character().unwrap().skeleton().unwrap().clone();
    let clip = scene.character().unwrap().asset().clips[0].clone();
    assert!(scene.set_clip_time(&clip, 0.1));
    turn(&mut scene, 1, 0.7);
    scene.pointer_up(&mouse(Vec2::ZERO));
    let offset = scene.character().unwrap().offsets()[&1];
    assert!((offset.to_axis_angle().1 - 0.7).abs() < 0.02);
    let later = clip.sample(&skeleton, 0.5 * clip.duration());
    scene.set_clip_time(&clip, 0.5 * clip.duration());
    let mut expected = later.clone();
    expected.rotate(1, offset);
    assert_eq!(scene.pose(), Some(&expected));
    scene.clear_pose_offsets();
    assert_eq!(scene.pose(), Some(&later));
    assert!(scene.set_pose_offset(0, Some(DQuat::from_rotation_x(0.3))));
    assert!(!scene.set_pose_offset(99, None));
    // Angles of one joint are an offset while a clip is shown.
    scene.clear_pose_offsets();
    assert!(scene.rotate_joint_to(1, [10.0, 20.0, 30.0]));
    let angles = scene.pose().unwrap().angles(&skeleton)[1];
    assert!(angles.iter().zip([10.0, 20.0, 30.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{angles:?}");
    scene.set_clip_time(&clip, 0.1);
    assert!(scene.character().unwrap().offsets().contains_key(&1));
    // A pose that is set is the whole pose.
    scene.set_pose(later.clone());
    assert!(scene.character().unwrap().offsets().is_empty());
    assert_eq!(scene.pose(), Some(&later));
}

#[test]
fn a_cancelled_rotation_over_a_clip_restores_the_offset() {
    let mut scene = scene();
    let clip = scene.character().unwrap().asset().clips[0].clone();
    scene.set_clip_time(&clip, 0.1);
    scene.set_pose_offset(1, Some(DQuat::from_rotation_x(0.3)));
    let before = scene.pose_state();
    turn(&mut scene, 1, 0.7);
    assert_ne!(scene.pose_state(), before);
    assert!(scene.key(Key::Escape));
    assert_eq!(scene.pose_state(), before);
}

#[test]
fn influences_are_those_of_the_view_under_the_pixel() {
    let mut scene = scene();
    let asset = scene.view(0).rig().unwrap().asset.clone();
    assert!(scene.set_rig(1, rig(&asset, 0)));
    let positions = scene.shown(0).unwrap().posed_positions();
    let middle = positions.iter().sum::<Vec3>() / positions.len() as f32;
    let pixel = scene.view_transform().project(middle).unwrap().0;
    let full = |column| vec![Influence { column, weight: 1.0 }];
    for (divider, column) in [(0.0, 0), (1.0, 1)] {
        scene.set_divider(divider);
        let found = scene.influences_at(pixel);
        assert_eq!(found.iter().map(|i| i.column).collect::<Vec<_>>(), [full(column)[0].column]);
        assert!((found[0].weight - 1.0).abs() < 1e-5);
    }
    assert!(scene.influences_at(Vec2::new(2.0, 2.0)).is_empty());
}

#[test]
fn picking_follows_the_pose_with_the_skinning_that_is_drawn() {
    let mut scene = scene();
    let asset = scene.view(0).rig().unwrap().asset.clone();
    let skeleton = asset.skeleton.clone().unwrap();
    let halves = || [0, 1].map(|column| Influence { column, weight: 0.5 });
    let rows = asset.render.positions.iter().map(|_| halves());
    let weights = Weights::new(skeleton.joints().len(), rows).unwrap();
    scene.set_rig(0, Arc::new(Rig::from_render_weights(asset.clone(), skeleton, weights).unwrap()));
    let mut pose = scene.pose().unwrap().clone();
    pose.rotate(1, DQuat::from_rotation_y(2.5));
    scene.set_pose(pose);
    for skinning in [crate::view::Skinning::Linear, crate::view::Skinning::DualQuaternion] {
        scene.view_mut(0).set_skinning(skinning);
        let drawn = scene.shown(0).unwrap().posed_positions();
        let mut hits = 0;
        for x in (0..800).step_by(16) {
            let pixel = Vec2::new(x as f32, 300.0);
            let Some(hit) = scene.skin_hit(pixel) else { continue };
            let ray = scene.view_transform().ray(pixel);
            let at = ray.origin + ray.direction * hit.along;
            assert!(hit.blend(&drawn).distance(at) < 1e-3, "{skinning:?} at {pixel}");
            hits += 1;
        }
        assert!(hits > 0);
    }
}

#[test]
fn the_difference_is_none_between_equal_weights_and_full_between_other_joints() {
    let mut scene = scene();
    let asset = scene.view(0).rig().unwrap().asset.clone();
    scene.view_mut(0).set_show(Show::Difference);
    assert!(scene.field_of(scene.shown(0).unwrap()).is_none(), "there is one view");
    for (joint, expected) in [(1, 0.0), (0, 1.0)] {
        scene.take_changes();
        scene.set_rig(1, rig(&asset, joint));
        assert!(scene.take_changes().views[0].colors, "the first view shows the other's weights");
        let places = scene.field_of(scene.shown(0).unwrap()).unwrap().places().unwrap();
        assert!(places.iter().all(|&place| place == expected));
    }
}
