use glam::{DQuat, Vec2};

use super::*;
use crate::model::{Asset, Influence, Weights};
use crate::samples::{self, SampleCharacter};
use crate::view::input::{Buttons, Event, Modifiers, Pointer};
use crate::view::{Brush, BrushMode, Show, ToolName, ToolOptions};

/// An arm whose weights change evenly along it.
fn rig() -> Arc<Rig> {
    let asset = Arc::new(samples::make(SampleCharacter::Arm, 1_500).unwrap().into_asset("arm"));
    let skeleton = asset.skeleton.clone().unwrap();
    let heads: Vec<f32> = skeleton.joints().iter().map(|joint| joint.head().x).collect();
    let rows = asset.render.positions.iter().map(|position| {
        let share = ((position.x - heads[1]) / (0.5 * heads[1]) + 0.5).clamp(0.0, 1.0);
        let row = [(0, 1.0 - share), (1, share)];
        row.into_iter()
            .filter(|i| i.1 > 0.0)
            .map(|(column, weight)| Influence { column, weight })
            .collect::<Vec<_>>()
    });
    let weights = Weights::new(skeleton.joints().len(), rows).unwrap();
    Arc::new(Rig::from_render_weights(asset, skeleton, weights).unwrap())
}

fn bent() -> Scene {
    let mut scene = Scene::default();
    scene.resize(Vec2::new(400.0, 300.0));
    scene.set_rig(0, rig());
    let mut pose = scene.pose().unwrap().clone();
    pose.rotate(1, DQuat::from_rotation_y(-1.6));
    assert!(scene.set_pose(pose));
    scene
}

fn local() -> PostSkinningOptions {
    PostSkinningOptions { volume: Some(VolumeOptions::default()), fold_guard: false }
}

fn volumes(scene: &mut Scene) -> [f64; 3] {
    let CorrectionParts { mesh, solved: [skinned, corrected], .. } = scene.correction(0).unwrap().parts();
    let volume = |at: &[Vec3]| -> f64 {
        let corners = |t: &[u32; 3]| t.map(|v| at[v as usize].as_dvec3());
        mesh.triangles().iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    };
    [volume(mesh.positions()), volume(skinned), volume(corrected)]
}

#[test]
fn what_is_drawn_keeps_its_volume_while_it_is_asked_to() {
    let mut scene = bent();
    scene.apply_post_skinning();
    assert!(scene.view(0).deformed().is_none(), "the graphics card skins by itself");
    scene.view_mut(0).set_post_skinning(local());
    let [rest, skinned, corrected] = volumes(&mut scene);
    assert!(((skinned - rest) / rest).abs() > 0.01);
    assert!(((corrected - rest) / rest).abs() < 1e-4);
    let drawn = scene.shown(0).unwrap().posed_positions();
    let first = scene.character().unwrap().asset().render_from_solve()[0] as usize;
    assert_eq!(drawn[first], scene.correction(0).unwrap().parts().solved[1][0]);
    scene.view_mut(0).set_post_skinning(PostSkinningOptions::default());
    scene.apply_post_skinning();
    assert!(scene.view(0).deformed().is_none());
}

#[test]
fn a_frame_takes_one_step_and_the_last_layer_goes_on_meanwhile() {
    let mut scene = bent();
    scene.view_mut(0).set_post_skinning(PostSkinningOptions { fold_guard: true, ..local() });
    let mut steps = 1;
    while !scene.advance_post_skinning() {
        let changes = scene.take_changes();
        assert!(
            changes.shared.picture && changes.views[0].colors,
            "every step is drawn, and colours may show it"
        );
        steps += 1;
    }
    let changes = scene.take_changes();
    assert!(changes.shared.picture && changes.views[0].deformed, "and so is the last");
    assert_eq!(steps, 4, "looked at, cut, laid out, guarded");
    let again = Arc::new(Rig::clone(&scene.character().unwrap().shared_rig().unwrap()));
    scene.set_rig(0, again);
    assert!(!scene.advance_post_skinning());
    assert!(scene.view(0).deformed().is_some(), "flesh does not fall back in between");
}

#[test]
fn a_clip_is_sampled_without_moving_the_figure() {
    let mut scene = bent();
    scene.view_mut(0).set_post_skinning(local());
    let before = volumes(&mut scene);
    let clip = scene.character().unwrap().asset().clips[0].clone();
    let pose = scene.pose().cloned();
    scene.correction_at(0, &clip, 0.5 * clip.duration()).unwrap();
    assert_eq!(scene.pose().cloned(), pose);
    assert_eq!(volumes(&mut scene), before);
}

#[test]
fn views_have_corrections_of_their_own() {
    let mut scene = bent();
    let rig = scene.character().unwrap().shared_rig().unwrap();
    assert!(scene.set_rig(1, rig));
    for view in 0..2 {
        scene.view_mut(view).set_post_skinning(local());
    }
    scene.apply_post_skinning();
    assert!(scene.view(0).deformed().is_some());
    assert_eq!(scene.view(0).deformed(), scene.view(1).deformed());
    scene.view_mut(1).set_post_skinning(PostSkinningOptions::default());
    scene.apply_post_skinning();
    assert!(scene.view(1).deformed().is_none());
    assert!(scene.view(0).deformed().is_some());
}

fn pointer(position: Vec2) -> Pointer {
    Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers: Modifiers::default(), is_touch: false }
}

/// A pixel in the middle of the skin.
fn on_skin(scene: &Scene) -> Vec2 {
    let positions = scene.shown(0).unwrap().posed_positions();
    let middle = positions.iter().sum::<Vec3>() / positions.len() as f32;
    scene.view_transform().project(middle).unwrap().0
}

#[test]
fn a_stroke_changes_the_map_under_the_brush_alike_for_all_copies_and_can_be_given_up() {
    let mut scene = bent();
    scene.view_mut(0).set_post_skinning(local());
    scene.view_mut(0).set_show(Show::Gamma);
    scene.apply_post_skinning();
    let brush = Brush { mode: BrushMode::Add, size: 0.1, strength: 1.0, symmetric: false };
    scene.set_tool(ToolName::Paint, &ToolOptions { brush, ..ToolOptions::default() });
    let at = on_skin(&scene);
    scene.pointer_down(&pointer(at));
    scene.pointer_move(&pointer(at + Vec2::new(30.0, 0.0)));
    scene.pointer_up(&pointer(at + Vec2::new(30.0, 0.0)));
    let events = scene.drain_events();
    assert_eq!(events.first(), Some(&Event::StrokeStarted));
    assert_eq!(events.last(), Some(&Event::StrokeEnded { is_cancelled: false }));
    let painted = scene.painted().to_vec();
    let touched = painted.iter().filter(|&&factor| factor > 1.01).count();
    assert!(touched > 0 && touched < painted.len() / 2, "{touched} of {}", painted.len());
    let asset: &Asset = scene.character().unwrap().asset();
    let first = asset.render_from_solve();
    for (render, &solve) in asset.solve_from_render.iter().enumerate() {
        assert_eq!(painted[render], painted[first[solve as usize] as usize]);
    }
    scene.pointer_down(&pointer(at));
    assert_eq!(scene.painted(), painted, "who hears of a stroke finds the map as it was");
    scene.pointer_move(&pointer(at + Vec2::new(1.0, 0.0)));
    assert_ne!(scene.painted(), painted);
    scene.pointer_cancel(1);
    assert_eq!(scene.painted(), painted);
}

#[test]
fn beside_the_skin_a_drag_turns_the_view() {
    let mut scene = bent();
    scene.set_tool(ToolName::Paint, &ToolOptions::default());
    let camera = *scene.camera();
    scene.pointer_down(&pointer(Vec2::new(2.0, 2.0)));
    scene.pointer_move(&pointer(Vec2::new(60.0, 20.0)));
    scene.pointer_up(&pointer(Vec2::new(60.0, 20.0)));
    assert!(scene.painted().is_empty());
    assert_ne!(*scene.camera(), camera);
}
