use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::*;
use crate::model::{
    Alpha, Asset, Attachment, Joint, Material, Mesh, Part, Pose, RenderMesh, Rig, Sampler, Skeleton, Vrm,
    Weights,
};
use crate::view::gizmo::{Gizmo, RADIUS, Ring};
use crate::view::input::{Buttons, Modifiers};

/// A square post of two joints, `size` units high.
fn post(size: f32) -> Arc<Rig> {
    let corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)];
    let levels = [0.0, 0.5, 1.0];
    let positions: Vec<Vec3> =
        levels.iter().flat_map(|&y| corners.map(|(x, z)| Vec3::new(x, y, z) * size)).collect();
    let mut triangles = Vec::new();
    for level in 0..2u32 {
        for side in 0..4u32 {
            let (a, b) = (level * 4 + side, level * 4 + (side + 1) % 4);
            triangles.extend([[a, a + 4, b], [b, a + 4, b + 4]]);
        }
    }
    let normals = positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z).normalize_or(Vec3::Y)).collect();
    let part = Part {
        name: "post".into(),
        vertices: 0..12,
        triangles: 0..16,
        material: Some(0),
        attachment: Attachment::Skinned { skin: None },
        rest_from_primitive: glam::DAffine3::IDENTITY,
    };
    let material = Material {
        name: "clay".into(),
        base_color: Vec4::ONE,
        texture: None,
        sampler: Sampler::default(),
        double_sided: false,
        alpha: Alpha::Opaque,
        unlit: false,
    };
    let render = RenderMesh {
        positions: positions.clone(),
        normals,
        triangles: triangles.clone(),
        parts: vec![part],
        ..RenderMesh::default()
    };
    let asset = Asset {
        mesh: Mesh::new(positions, triangles).unwrap(),
        render,
        solve_from_render: (0..12).collect(),
        materials: vec![material],
        ..Asset::default()
    };
    let middle = Vec3::Y * 0.5 * size;
    let joints =
        vec![Joint::at("root", None, Vec3::ZERO), Joint::at("middle", Some((0, Vec3::ZERO)), middle)];
    let skeleton = Skeleton::new(joints).unwrap();
    let weights = Weights::rigid(2, (0..12).map(|v| u32::from(v >= 8))).unwrap();
    Arc::new(Rig::new(Arc::new(asset), skeleton, &weights).unwrap())
}

fn scene(size: f32) -> Scene {
    let mut scene = Scene::default();
    scene.set_still(true);
    scene.resize(Vec2::new(800.0, 600.0));
    scene.set_rig(0, post(size));
    scene
}

fn mouse(position: Vec2, shift: bool) -> Pointer {
    let modifiers = Modifiers { shift, ..Modifiers::default() };
    Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers, is_touch: false }
}

fn click(scene: &mut Scene, at: Vec2) {
    scene.pointer_down(&mouse(at, false));
    scene.pointer_up(&mouse(at, false));
}

fn gizmo_of(scene: &Scene) -> (crate::view::camera::ViewTransform, Gizmo) {
    let eye = scene.view_transform();
    (eye, scene.gizmo(&eye).unwrap())
}

#[test]
fn a_click_selects_a_joint_and_beside_the_character_nothing() {
    for size in [0.001, 1.0, 1000.0] {
        let mut scene = scene(size);
        let at = scene.view_transform().project(Vec3::Y * 0.52 * size).unwrap().0;
        click(&mut scene, at);
        assert_eq!(scene.drain_events(), [Event::Selected(Some(1))]);
        click(&mut scene, Vec2::new(5.0, 5.0));
        assert_eq!(scene.drain_events(), [Event::Selected(None)]);
    }
}

#[test]
fn a_canvas_of_another_shape_shows_the_same() {
    for shape in [Vec2::new(390.0, 844.0), Vec2::new(1280.0, 200.0), Vec2::new(100.0, 600.0)] {
        let mut scene = scene(1.0);
        let before = *scene.camera();
        scene.resize(shape);
        for corner in [Vec3::ZERO, Vec3::new(0.1, 1.0, 0.1), Vec3::new(-0.1, 0.0, -0.1)] {
            let (pixel, _) = scene.view_transform().project(corner).unwrap();
            assert!(
                pixel.cmpge(Vec2::ZERO).all() && pixel.cmple(shape).all(),
                "{corner} at {pixel} of {shape}"
            );
        }
        scene.resize(Vec2::new(800.0, 600.0));
        assert!((scene.camera().distance / before.distance - 1.0).abs() < 1e-5, "and back again");
    }
}

#[test]
fn a_click_on_skin_selects_the_joint_it_follows() {
    let mut scene = scene(1.0);
    scene.set_shows_skeleton(false);
    let at = scene.view_transform().project(Vec3::new(0.05, 0.95, 0.1)).unwrap().0;
    click(&mut scene, at);
    assert_eq!(scene.selected(), Some(1));
}

#[test]
fn dragging_a_ring_rotates_the_joint_and_escape_cancels_it() {
    for size in [0.001, 1.0, 1000.0] {
        let mut scene = scene(size);
        scene.set_selected(Some(1));
        let (eye, gizmo) = gizmo_of(&scene);
        let pixel = |angle: f32| eye.project(gizmo.point(Ring::View, angle)).unwrap().0;
        scene.pointer_down(&mouse(pixel(0.0), false));
        scene.pointer_move(&mouse(pixel(0.5), false));
        let rest = Pose::rest(scene.character().unwrap().skeleton().unwrap());
        assert_ne!(scene.pose(), Some(&rest));
        let turned = scene.drain_events().into_iter().find_map(|event| match event {
            Event::GizmoTurned { degrees, .. } => Some(degrees),
            _ => None,
        });
        assert!((turned.unwrap() - 0.5_f32.to_degrees()).abs() < 0.5, "{turned:?}");
        assert!(scene.key(Key::Escape));
        assert_eq!(scene.pose(), Some(&rest));
        assert_eq!(scene.selected(), Some(1), "the selection stays");
        let events = scene.drain_events();
        assert!(events.contains(&Event::GizmoEnded { joint: 1, is_cancelled: true }));
    }
}

#[test]
fn shift_on_a_ring_snaps_instead_of_panning() {
    let mut scene = scene(1.0);
    scene.set_selected(Some(1));
    let before = *scene.camera();
    let (eye, gizmo) = gizmo_of(&scene);
    let pixel = |angle: f32| eye.project(gizmo.point(Ring::View, angle)).unwrap().0;
    scene.pointer_down(&mouse(pixel(0.0), true));
    scene.pointer_move(&mouse(pixel(0.6), true));
    let turned = scene.drain_events().into_iter().find_map(|event| match event {
        Event::GizmoTurned { degrees, .. } => Some(degrees),
        _ => None,
    });
    assert!((turned.unwrap() - 30.0).abs() < 1e-3);
    assert_eq!(*scene.camera(), before);
    scene.pointer_up(&mouse(pixel(0.6), true));
    assert!(scene.key(Key::ResetPose));
    let rest = Pose::rest(scene.character().unwrap().skeleton().unwrap());
    assert_eq!(scene.pose(), Some(&rest));
}

#[test]
fn a_rotation_about_the_line_of_sight_moves_the_tip_with_the_pointer() {
    let mut scene = scene(1.0);
    scene.set_selected(Some(1));
    let (eye, gizmo) = gizmo_of(&scene);
    let center = eye.project(gizmo.center).unwrap().0;
    let tip = |scene: &Scene| eye.project(scene.character().unwrap().posed_bones()[1].tail).unwrap().0;
    let before = tip(&scene);
    let right = center + Vec2::X * RADIUS * crate::view::gizmo::VIEW_RING;
    scene.pointer_down(&mouse(right, false));
    // Downwards at the right: clockwise on the canvas.
    scene.pointer_move(&mouse(right + Vec2::Y * 40.0, false));
    assert!(tip(&scene).x > before.x + 5.0, "{} {}", tip(&scene), before);
}

#[test]
fn nothing_is_drawn_when_nothing_changed() {
    let mut scene = scene(1.0);
    scene.advance(0.0);
    assert!(scene.take_changes().shared.picture);
    scene.advance(16.0);
    assert!(!scene.wants_frame());
    scene.pointer_move(&mouse(Vec2::new(3.0, 3.0), false));
    assert!(!scene.wants_frame(), "moving over nothing changes nothing");
    scene.wheel(&Wheel {
        delta: Vec2::new(0.0, 100.0),
        position: Vec2::new(400.0, 300.0),
        modifiers: Modifiers::default(),
        is_pinch: false,
    });
    assert!(scene.wants_frame());
}

#[test]
fn other_weights_for_the_same_asset_keep_pose_selection_and_camera() {
    let mut scene = scene(1.0);
    let rig = post(1.0);
    scene.set_rig(0, Arc::clone(&rig));
    scene.set_selected(Some(1));
    let mut pose = scene.pose().unwrap().clone();
    pose.rotate(1, glam::DQuat::from_rotation_x(0.4));
    assert!(scene.set_pose(pose.clone()));
    scene.wheel(&Wheel {
        delta: Vec2::new(0.0, 100.0),
        position: Vec2::ZERO,
        modifiers: Modifiers::default(),
        is_pinch: false,
    });
    let camera = *scene.camera();
    let weights = Weights::rigid(2, (0..12).map(|_| 0)).unwrap();
    let other = Rig::new(Arc::clone(&rig.asset), rig.skeleton.clone(), &weights).unwrap();
    scene.set_rig(0, Arc::new(other));
    assert_eq!(scene.pose(), Some(&pose));
    assert_eq!((scene.selected(), *scene.camera()), (Some(1), camera));
}

#[test]
fn the_camera_looks_at_the_face_of_an_avatar_that_looks_backwards() {
    let avatar = |vrm| {
        let rig = post(1.0);
        let asset = Asset { vrm, ..(*rig.asset).clone() };
        let weights = rig.weights().clone();
        Arc::new(Rig::from_render_weights(Arc::new(asset), rig.skeleton.clone(), weights).unwrap())
    };
    let mut scene = Scene::default();
    scene.set_still(true);
    scene.resize(Vec2::new(800.0, 600.0));
    let mut side = |vrm| {
        scene.set_rig(0, avatar(vrm));
        scene.camera().backward().z
    };
    assert!(side(Some(Vrm::V0)) < -0.8, "first");
    assert!(side(None) > 0.8, "after another");
    assert!(side(Some(Vrm::V1)) > 0.8);
    assert!(side(Some(Vrm::V0)) < -0.8);
}
