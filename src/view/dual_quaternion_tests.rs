//! Picking, handles and the brush use the skin as it is drawn with dual quaternions.

use std::sync::Arc;

use glam::{DQuat, Mat4, Vec2, Vec3};

use super::picking::reach;
use super::tool::{ToolName, ToolOptions};
use super::{Brush, Buttons, Event, Modifiers, Pointer, Scene, Skinning};
use crate::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::model::{Asset, Influence, Joint, Rig, Skeleton, Weights};
use crate::samples::{self, SampleCharacter};

/// The twist of the far joint. Near half a turn, linear blending pulls the skin between to the
/// axis, and dual quaternions keep it where it was.
const TWIST: f64 = 2.9;

/// Shares of the way from the first joint to the second in which both deformers differ most. At
/// the ends both give the same.
const MIDDLE: std::ops::Range<f32> = 0.4..0.6;

/// An arm with two joints on its axis, weights linear between them, and the far joint twisted.
struct Twisted {
    scene: Scene,
    rig: Arc<Rig>,
    /// From the head of the first joint to that of the second.
    axis: Vec3,
}

impl Twisted {
    fn new() -> Self {
        let mut asset: Asset = samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm");
        let (low, high) = crate::model::bounds_of(asset.mesh.positions());
        let (middle, long) = (low.midpoint(high), (high - low).max_position());
        let end = |at: f32| {
            let mut end = middle;
            end[long] = at;
            end
        };
        let (from, to) = (end(low[long]), end(high[long]));
        let joints = vec![Joint::at("near", None, from), Joint::at("far", Some((0, from)), to)];
        let skeleton = Skeleton::new(joints).unwrap();
        asset.skeleton = Some(skeleton.clone());
        let axis = to - from;
        let row = |p: &Vec3| {
            let share = ((*p - from).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
            [(0, 1.0 - share), (1, share)].map(|(column, weight)| Influence { column, weight })
        };
        let rows: Vec<Vec<Influence>> = asset
            .render
            .positions
            .iter()
            .map(|p| row(p).into_iter().filter(|influence| influence.weight > 0.0).collect())
            .collect();
        let weights = Weights::new(2, rows).unwrap();
        let rig = Arc::new(Rig::from_render_weights(Arc::new(asset), skeleton, weights).unwrap());
        let mut scene = Scene::default();
        scene.set_still(true);
        scene.resize(Vec2::new(800.0, 600.0));
        scene.set_rig(0, rig.clone());
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(1, DQuat::from_axis_angle(axis.normalize_or_zero().as_dvec3(), TWIST));
        assert!(scene.set_pose(pose));
        Self { scene, rig, axis }
    }

    /// Vertices by a deformer, computed without the view.
    fn positions(&self, deformer: Deformer) -> Vec<Vec3> {
        let skin = Skin::of_rig(&self.rig);
        let matrices: Vec<Mat4> = self.scene.pose().unwrap().skinning_matrices(&self.rig.skeleton);
        let render = &self.rig.asset.render;
        let (mut positions, mut normals) = (render.positions.clone(), render.normals.clone());
        let rest = Rest { positions: &render.positions, normals: &render.normals };
        let posed = Posed { positions: &mut positions, normals: &mut normals };
        deform(deformer, &skin, &matrices, rest, posed, &mut Scratch::new(&skin));
        positions
    }

    fn set(&mut self, skinning: Skinning) {
        self.scene.view_mut(0).set_skinning(skinning);
    }

    /// Pixels near vertices in the middle of the arm, half way from where linear blending draws
    /// them to where dual quaternions do, that only the latter cover.
    fn only_covered_by_dual_quaternions(&mut self) -> Vec<Vec2> {
        let eye = self.scene.view_transform();
        let head = self.rig.skeleton.joints()[0].head();
        let [linear, dual] = [Deformer::Linear, Deformer::DualQuaternion].map(|d| self.positions(d));
        let share = |p: Vec3| (p - head).dot(self.axis) / self.axis.length_squared();
        let is_middle = |&v: &usize| MIDDLE.contains(&share(self.rig.asset.render.positions[v]));
        let pixel = |p: Vec3| eye.project(p).unwrap().0;
        let vertices: Vec<usize> = (0..dual.len()).filter(is_middle).collect();
        let pixels = vertices.into_iter().map(|v| pixel(dual[v]).lerp(pixel(linear[v]), 0.3));
        let pixels: Vec<Vec2> = pixels.collect();
        self.set(Skinning::Linear);
        let misses = |pixel: &Vec2| self.scene.skin_hit(*pixel).is_none();
        pixels.into_iter().filter(misses).collect()
    }
}

fn pointer(position: Vec2) -> Pointer {
    let modifiers = Modifiers::default();
    Pointer { id: 1, position, buttons: Buttons::PRIMARY, modifiers, is_touch: false }
}

#[test]
fn a_ray_meets_the_skin_where_dual_quaternions_draw_it() {
    let mut twisted = Twisted::new();
    let pixels = twisted.only_covered_by_dual_quaternions();
    assert!(pixels.len() > 10, "only {} pixels differ", pixels.len());
    let dual = twisted.positions(Deformer::DualQuaternion);
    twisted.set(Skinning::DualQuaternion);
    let eye = twisted.scene.view_transform();
    for pixel in pixels {
        let hit = twisted.scene.skin_hit(pixel).unwrap_or_else(|| panic!("no skin at {pixel}"));
        let shown = eye.project(hit.blend(&dual)).unwrap().0;
        assert!(shown.distance(pixel) < 0.05, "the hit at {pixel} is drawn at {shown}");
        let weights = twisted.scene.influences_at(pixel);
        assert!((weights.iter().map(|i| i.weight).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(weights.len(), 2, "the middle follows both joints");
    }
}

#[test]
fn a_handle_is_found_where_dual_quaternions_draw_it() {
    let mut twisted = Twisted::new();
    let dual = twisted.positions(Deformer::DualQuaternion);
    let linear = twisted.positions(Deformer::Linear);
    let eye = twisted.scene.view_transform();
    let drawn = |v: usize| [&linear, &dual].map(|all| eye.project(all[v]).unwrap().0);
    let apart = |v: usize| {
        let [by_linear, by_dual] = drawn(v);
        by_linear.distance(by_dual)
    };
    let vertex = (0..dual.len()).max_by(|&a, &b| apart(a).total_cmp(&apart(b))).unwrap();
    assert!(apart(vertex) > 1.5 * reach(false), "{} pixels are too few", apart(vertex));
    let [by_linear, by_dual] = drawn(vertex);
    let place = twisted.rig.asset.render.positions[vertex];
    twisted.scene.set_handles(&[("handle".into(), place)]);
    twisted.scene.set_tool(ToolName::Handles, &ToolOptions::default());
    for (skinning, there, elsewhere) in
        [(Skinning::DualQuaternion, by_dual, by_linear), (Skinning::Linear, by_linear, by_dual)]
    {
        twisted.set(skinning);
        assert_eq!(twisted.scene.handle_at(there, false), Some(0), "{skinning:?}");
        assert_eq!(twisted.scene.handle_at(elsewhere, false), None, "{skinning:?}");
    }
}

#[test]
fn the_brush_paints_the_skin_that_dual_quaternions_draw() {
    let mut twisted = Twisted::new();
    let pixel = twisted.only_covered_by_dual_quaternions()[0];
    let brush = Brush { size: 0.05, symmetric: false, ..Brush::default() };
    let options = ToolOptions { brush, ..ToolOptions::default() };
    twisted.scene.set_tool(ToolName::Paint, &options);
    let mut stroke = |skinning: Skinning| -> Vec<f32> {
        twisted.set(skinning);
        twisted.scene.pointer_down(&pointer(pixel));
        twisted.scene.pointer_up(&pointer(pixel));
        let began = twisted.scene.drain_events().contains(&Event::StrokeStarted);
        assert_eq!(began, skinning == Skinning::DualQuaternion);
        twisted.scene.painted().to_vec()
    };
    assert!(stroke(Skinning::Linear).iter().all(|&factor| factor == 1.0));
    let painted = stroke(Skinning::DualQuaternion);
    let most = (0..painted.len()).max_by(|&a, &b| painted[a].total_cmp(&painted[b])).unwrap();
    assert!(painted[most] > 1.0);
    // The brush is small: what it paints most is drawn near the pointer.
    let drawn = twisted.positions(Deformer::DualQuaternion)[most];
    let eye = twisted.scene.view_transform();
    let radius = brush.size * twisted.scene.character().unwrap().size() / eye.units_per_pixel(drawn);
    let (at, _) = eye.project(drawn).unwrap();
    assert!(at.distance(pixel) < radius, "{at} is {} from {pixel}", at.distance(pixel));
}
