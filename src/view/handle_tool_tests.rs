use std::sync::Arc;

use glam::DQuat;

use super::*;
use crate::model::{Influence, Rig, Weights};
use crate::samples::{self, SampleCharacter};
use crate::view::ToolOptions;
use crate::view::gizmo::Ring;
use crate::view::input::{Buttons, Key, Modifiers};

/// An arm with a handle at its hand and one at its shoulder; weights change linearly between them.
fn scene() -> Scene {
    let asset = samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm");
    let mut scene = Scene::default();
    scene.resize(Vec2::new(800.0, 600.0));
    let asset = Arc::new(asset);
    scene.set_asset(asset.clone());
    let ends = ends(&scene);
    scene.set_handles(&[("shoulder".into(), ends[0]), ("hand".into(), ends[1])]);
    scene.set_rig(0, rig(asset, ends));
    scene
}

fn ends(scene: &Scene) -> [Vec3; 2] {
    let positions = scene.character().unwrap().asset().mesh.positions();
    let (low, high) = crate::model::bounds_of(positions);
    let axis = (high - low).max_position();
    let end =
        |sign: f32| *positions.iter().max_by(|a, b| (sign * a[axis]).total_cmp(&(sign * b[axis]))).unwrap();
    [end(-1.0), end(1.0)]
}

fn rig(asset: Arc<crate::model::Asset>, ends: [Vec3; 2]) -> Arc<Rig> {
    let skeleton = asset.skeleton.clone().unwrap();
    let own = skeleton.joints().len();
    let skeleton =
        skeleton.with_points(&[("shoulder", ends[0], Some(0)), ("hand", ends[1], Some(own - 1))]).unwrap();
    let length = ends[0].distance(ends[1]);
    let row = |p: &Vec3| -> Vec<Influence> {
        let share = ((*p - ends[0]).dot(ends[1] - ends[0]) / (length * length)).clamp(0.0, 1.0);
        let columns = [own as u32, own as u32 + 1];
        let weights = [1.0 - share, share];
        let row = columns.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
        row.map(|(column, weight)| Influence { column, weight }).collect()
    };
    let rows: Vec<Vec<Influence>> = asset.mesh.positions().iter().map(row).collect();
    let weights = Weights::new(own + 2, rows).unwrap();
    Arc::new(Rig::new(asset, skeleton, &weights).unwrap())
}

fn pointer(position: Vec2) -> Pointer {
    let modifiers = Modifiers::default();
    Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers, is_touch: false }
}

fn pixel(scene: &Scene, handle: usize) -> Vec2 {
    scene.view_transform().project(scene.shown(0).unwrap().handle_positions()[handle]).unwrap().0
}

fn drag(scene: &mut Scene, handle: usize, by: Vec2) {
    let from = pixel(scene, handle);
    scene.pointer_down(&pointer(from));
    for step in 1..=10 {
        scene.pointer_move(&pointer(from + by * (step as f32 / 10.0)));
    }
}

#[test]
fn a_dragged_handle_stays_under_the_pointer_and_the_others_do_not_move() {
    let mut scene = scene();
    let (still, from) = (scene.shown(0).unwrap().handle_positions()[0], pixel(&scene, 1));
    let by = Vec2::new(-40.0, 55.0);
    drag(&mut scene, 1, by);
    scene.pointer_up(&pointer(from + by));
    assert!(pixel(&scene, 1).distance(from + by) < 0.5, "{} from {from}", pixel(&scene, 1));
    let character = scene.character().unwrap();
    assert!(scene.shown(0).unwrap().handle_positions()[0].distance(still) < 1e-3 * character.size());
    let events = scene.drain_events();
    assert_eq!(events.iter().filter(|e| **e == Event::HandleDragStarted).count(), 1);
    assert_eq!(events.last(), Some(&Event::HandleDragEnded { is_cancelled: false }));
    assert_eq!(scene.selected_handle(), Some(1));
    // The pose below the layer of handles is unchanged.
    let skeleton = scene.character().unwrap().skeleton().unwrap();
    assert_eq!(scene.pose().unwrap(), &crate::model::Pose::rest(skeleton));
}

#[test]
fn a_drag_can_be_cancelled_and_targets_removed() {
    let mut scene = scene();
    let before = scene.shown(0).unwrap().posed_positions();
    let farthest = |scene: &Scene| {
        let now = scene.shown(0).unwrap().posed_positions();
        now.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
            / scene.character().unwrap().size()
    };
    drag(&mut scene, 1, Vec2::new(30.0, 30.0));
    assert!(farthest(&scene) > 0.02);
    assert!(scene.key(Key::Escape));
    assert!(farthest(&scene) < 1e-6);
    let from = pixel(&scene, 1);
    drag(&mut scene, 1, Vec2::new(30.0, 30.0));
    scene.pointer_up(&pointer(from + 30.0));
    assert_eq!(scene.handle_at(pixel(&scene, 1), false), Some(1));
    scene.set_targets(&[None, None]);
    assert!(farthest(&scene) < 1e-6);
}

#[test]
fn handles_stay_at_their_targets_while_joints_rotate() {
    let mut scene = scene();
    let from = pixel(&scene, 1);
    drag(&mut scene, 1, Vec2::new(-20.0, 40.0));
    scene.pointer_up(&pointer(from + Vec2::new(-20.0, 40.0)));
    let pinned = scene.shown(0).unwrap().handle_positions()[1];
    let mut pose = scene.pose().unwrap().clone();
    pose.rotate(0, DQuat::from_rotation_x(0.4));
    assert!(scene.set_pose(pose));
    let character = scene.character().unwrap();
    assert!(scene.shown(0).unwrap().handle_positions()[1].distance(pinned) < 1e-3 * character.size());
}

#[test]
fn targets_are_solved_for_once_per_move_of_the_pointer() {
    let mut scene = scene();
    let solves = |scene: &Scene| scene.character().unwrap().handles.solves;
    let from = pixel(&scene, 1);
    scene.pointer_down(&pointer(from));
    for step in 1..=5 {
        let before = solves(&scene);
        scene.pointer_move(&pointer(from + Vec2::new(-4.0, 8.0) * step as f32));
        assert_eq!(solves(&scene), before + 1, "move {step} of a handle");
    }
    scene.pointer_up(&pointer(from + Vec2::new(-20.0, 40.0)));
    scene.set_selected(Some(1));
    scene.drain_events();
    let eye = scene.view_transform();
    let gizmo = scene.gizmo(&eye).unwrap();
    let on_ring = |angle: f32| eye.project(gizmo.point(Ring::View, angle)).unwrap().0;
    let solved = solves(&scene);
    scene.pointer_down(&pointer(on_ring(0.0)));
    assert!(scene.drain_events().contains(&Event::GizmoStarted { joint: 1 }));
    assert_eq!(solves(&scene), solved, "nothing has moved yet");
    for step in 1..=5 {
        let before = solves(&scene);
        scene.pointer_move(&pointer(on_ring(0.1 * step as f32)));
        let turned =
            |event: &Event| matches!(event, Event::GizmoTurned { degrees, .. } if degrees.abs() > 1.0);
        assert!(scene.drain_events().iter().any(turned), "move {step}");
        // What else asks for the shape uses the same solution.
        scene.shown(0).unwrap().posed_positions();
        scene.skin_hit(on_ring(0.0));
        scene.advance(16.0 * f64::from(step));
        assert_eq!(solves(&scene), before + 1, "move {step} of the gizmo");
    }
    let before = solves(&scene);
    scene.pointer_move(&pointer(on_ring(0.5)));
    assert_eq!(solves(&scene), before, "a move that turns nothing");
}

#[test]
fn clicks_request_handles_only_with_the_handle_tool() {
    let mut scene = scene();
    let middle = scene.view_transform().project(
        scene.character().unwrap().rest_bounds().0.midpoint(scene.character().unwrap().rest_bounds().1),
    );
    let middle = middle.unwrap().0;
    let click = |scene: &mut Scene| {
        scene.pointer_down(&pointer(middle));
        scene.pointer_up(&pointer(middle));
        scene
            .drain_events()
            .into_iter()
            .find_map(|e| if let Event::HandleRequested { at } = e { Some(at) } else { None })
    };
    assert_eq!(click(&mut scene), None);
    scene.set_tool(ToolName::Handles, &ToolOptions::default());
    let at = click(&mut scene).unwrap();
    assert!(scene.character().unwrap().asset().mesh.positions().contains(&at));
    // On a handle, a click selects instead.
    let hand = pixel(&scene, 1);
    scene.pointer_down(&pointer(hand));
    scene.pointer_up(&pointer(hand));
    assert!(scene.drain_events().iter().all(|e| !matches!(e, Event::HandleRequested { .. })));
    assert_eq!(scene.selected_handle(), Some(1));
}

#[test]
fn another_handle_keeps_the_pose_and_the_targets() {
    let mut scene = scene();
    let mut pose = scene.pose().unwrap().clone();
    pose.rotate(1, DQuat::from_rotation_z(0.5));
    scene.set_pose(pose.clone());
    let from = pixel(&scene, 1);
    drag(&mut scene, 1, Vec2::new(15.0, 10.0));
    scene.pointer_up(&pointer(from + Vec2::new(15.0, 10.0)));
    let targets = scene.character().unwrap().targets();
    let ends = ends(&scene);
    let handles = ["shoulder", "hand", "new"].map(str::to_owned);
    let places = [ends[0], ends[1], ends[0].midpoint(ends[1])];
    scene.set_handles(&handles.into_iter().zip(places).collect::<Vec<_>>());
    let own = scene.character().unwrap().asset().skeleton.as_ref().unwrap().joints().len();
    let rig = scene.character().unwrap().shared_rig().unwrap();
    let skeleton = rig.skeleton.with_points(&[("new", places[2], None)]).unwrap();
    let rows: Vec<Vec<Influence>> = rig.weights().rows().map(<[_]>::to_vec).collect();
    let weights = Weights::new(own + 3, rows).unwrap();
    let more = Rig::from_render_weights(rig.asset.clone(), skeleton, weights).unwrap();
    scene.set_rig(0, Arc::new(more));
    let now = scene.pose().unwrap();
    assert_eq!(now.parent_from_joint[..own + 2], pose.parent_from_joint[..]);
    assert_eq!(scene.character().unwrap().targets()[..2], targets[..]);
    scene.clear_view(0);
    assert!(scene.character().unwrap().rig().is_none() && scene.selected().is_none());
}
