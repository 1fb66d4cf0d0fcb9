//! The tool that paints the correction map: a brush on the posed skin.
//!
//! The map is a factor for γ per render vertex, 1 where nothing was painted. The brush works on the welded
//! mesh in rest space: a stroke has the same effect in every pose, and copies of a vertex stay equal. The
//! other side of a symmetric character is a reflection. Cost of a dab: one pass over the vertices.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use super::camera::ViewTransform;
use super::changes::SharedChanges;
use super::input::{Event, Pointer};
use super::interact::Cursor;
use super::overlay::Overlay;
use super::picking::SkinHit;
use super::scene::Scene;
use super::tool::Tool;
use crate::fit;
use crate::math::unit_or;
use crate::model::Asset;

/// The largest factor. Larger: single vertices take the whole correction. Smaller: paint hardly changes
/// the pose.
pub const MOST_PAINT: f32 = 4.0;

/// The largest distance of dabs along a stroke, as a share of the radius. Larger: fast strokes have gaps.
/// Smaller: more work for the same stroke.
const SPACING: f32 = 0.35;

/// How far a dab of full strength moves the factor towards its goal, as a share. Larger: single dabs show.
/// Smaller: strokes have to be repeated.
const DAB: f32 = 0.35;

/// The smallest cosine between normals that a dab paints. Larger: curved skin is left out. Smaller: the
/// other side of thin limbs is painted too.
const ASIDE: f32 = -0.1;

/// Points of the ring on the skin.
const RING: usize = 48;

/// What a stroke does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum BrushMode {
    /// Vertices are corrected more.
    #[default]
    Add,
    /// Vertices are corrected less, down to not at all.
    Erase,
    /// Factors of neighbours become equal.
    Smooth,
}

/// A brush.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Brush {
    /// What it does.
    pub mode: BrushMode,
    /// Its radius as a share of the character's size.
    pub size: f32,
    /// From 0 to 1.
    pub strength: f32,
    /// Whether the other side of the character is painted too.
    pub symmetric: bool,
}

impl Default for Brush {
    fn default() -> Self {
        Self { mode: BrushMode::default(), size: 0.06, strength: 0.5, symmetric: true }
    }
}

/// The tool that paints the correction map.
#[derive(Debug)]
pub(super) struct PaintTool {
    brush: Brush,
    /// Where the brush is on the skin, in the pose, and the normal there.
    at: Option<(Vec3, Vec3)>,
    stroke: Option<Stroke>,
}

#[derive(Debug)]
struct Stroke {
    pointer: Pointer,
    last: Vec2,
    before: Vec<f32>,
    /// The first dab, which is made with the next event: listeners of the start of a stroke read the map as
    /// it was before.
    first: Option<SkinHit>,
}

impl PaintTool {
    /// With a brush.
    pub(super) fn new(brush: Brush) -> Self {
        Self { brush, at: None, stroke: None }
    }

    /// The brush.
    pub(super) fn brush(&self) -> Brush {
        self.brush
    }

    /// Changes the brush.
    pub(super) fn set_brush(&mut self, brush: Brush) {
        self.brush = brush;
    }

    fn end_stroke(&mut self, scene: &mut Scene, is_cancelled: bool) {
        let Some(stroke) = self.stroke.take() else { return };
        if is_cancelled {
            scene.corrections.painted = stroke.before;
            finish_dabs(scene);
        } else if let Some(first) = stroke.first {
            dab(scene, &self.brush, &first);
            finish_dabs(scene);
        }
        scene.events.push(Event::StrokeEnded { is_cancelled });
    }

    /// The brush's radius in CSS pixels, at the distance of the skin under it.
    fn radius_pixels(&self, scene: &Scene) -> f32 {
        let Some(character) = scene.character() else { return 1.0 };
        let at = self.at.map_or(scene.camera().target, |(at, _)| at);
        let pixel = scene.view_transform().units_per_pixel(at).max(f32::MIN_POSITIVE);
        self.brush.size * character.size() / pixel
    }

    /// The brush on the skin and its core, as closed lines.
    fn rings(&self, scene: &Scene) -> Option<[Vec<Vec3>; 2]> {
        let (middle, normal) = self.at?;
        let radius = self.brush.size * scene.character()?.size();
        let u = normal.any_orthonormal_vector();
        let v = normal.cross(u);
        let ring = |radius: f32| {
            let point = |i: usize| {
                let angle = i as f32 / RING as f32 * TAU;
                middle + (u * angle.cos() + v * angle.sin()) * radius
            };
            (0..RING).map(point).collect()
        };
        Some([ring(radius), ring(0.5 * radius)])
    }
}

impl Tool for PaintTool {
    fn gesture(&self) -> Option<i32> {
        self.stroke.as_ref().map(|stroke| stroke.pointer.id)
    }

    fn pointer_down(&mut self, scene: &mut Scene, pointer: &Pointer) -> bool {
        let Some(hit) = scene.skin_hit(pointer.position) else { return false };
        let (before, last) = (scene.painted().to_vec(), pointer.position);
        self.stroke = Some(Stroke { pointer: *pointer, last, before, first: Some(hit) });
        scene.events.push(Event::StrokeStarted);
        true
    }

    fn pointer_move(&mut self, scene: &mut Scene, pointer: &Pointer) {
        let spacing = (SPACING * self.radius_pixels(scene)).max(1.0);
        let Some(stroke) = &mut self.stroke else { return };
        let (from, way) = (stroke.last, pointer.position - stroke.last);
        let first = stroke.first.take();
        let steps = (way.length() / spacing) as usize;
        // What is left of the way counts for the next move.
        let step = if steps > 0 { way / way.length() * spacing } else { Vec2::ZERO };
        stroke.last = from + step * steps as f32;
        let hits = (1..=steps).filter_map(|i| scene.skin_hit(from + step * i as f32));
        let hits: Vec<SkinHit> = first.into_iter().chain(hits).collect();
        if !hits.is_empty() {
            hits.iter().for_each(|hit| dab(scene, &self.brush, hit));
            finish_dabs(scene);
        }
        self.hover(scene, Some(pointer.position));
    }

    fn pointer_up(&mut self, scene: &mut Scene, _: &Pointer) {
        self.end_stroke(scene, false);
    }

    fn cancel(&mut self, scene: &mut Scene) {
        self.end_stroke(scene, true);
    }

    /// A second finger moves the camera: the stroke is cancelled, and both fingers belong to the camera.
    fn second_pointer(&mut self, scene: &mut Scene, second: &Pointer) {
        let Some(first) = self.stroke.as_ref().map(|stroke| stroke.pointer) else { return };
        self.end_stroke(scene, true);
        scene.viewpoint.controls.down(&first);
        scene.viewpoint.controls.down(second);
    }

    fn click(&mut self, _: &mut Scene, _: &Pointer) {}

    fn hover(&mut self, scene: &mut Scene, pixel: Option<Vec2>) {
        let place = pixel.and_then(|pixel| {
            let hit = scene.skin_hit(pixel)?;
            let ray = scene.view_transform().ray(pixel);
            let normals = scene.shown(scene.view_at(pixel))?.posed_vertices(&hit.corners).normals;
            let normal = (0..3).map(|i| normals[i] * hit.barycentrics[i]).sum();
            Some((ray.origin + ray.direction * hit.along, unit_or(normal, -ray.direction)))
        });
        if place != self.at {
            self.at = place;
            scene.change(SharedChanges::default());
        }
    }

    fn cursor(&self, _: &Scene) -> Option<Cursor> {
        self.at.map(|_| Cursor::Paint)
    }

    fn overlay(&self, scene: &Scene, eye: &ViewTransform, overlay: &mut Overlay) {
        if let Some([rim, core]) = self.rings(scene) {
            overlay.add_loop(&rim, eye, scene.theme().palette().outline.extend(0.55), 3.5);
            overlay.add_loop(&rim, eye, Vec4::ONE, 1.75);
            overlay.add_loop(&core, eye, Vec4::new(1.0, 1.0, 1.0, 0.55), 1.25);
        }
    }
}

fn finish_dabs(scene: &mut Scene) {
    scene.repainted();
    scene.events.push(Event::Painted);
}

/// Changes the map where the brush touches the skin, and on the other side for a symmetric brush.
fn dab(scene: &mut Scene, brush: &Brush, hit: &SkinHit) {
    let Some(character) = scene.character.as_ref() else { return };
    let asset = character.asset();
    let middle = hit.blend(&asset.render.positions);
    let normal = unit_or(hit.blend(&asset.render.normals), Vec3::ZERO);
    let mut dabs = vec![Dab { middle, normal, radius: brush.size * character.size() }];
    if brush.symmetric {
        let mirror = mirror_of(character.skeleton());
        let normal = Vec3::new(-normal.x, normal.y, normal.z);
        dabs.push(Dab { middle: fit::reflected(middle, [Vec3::X * mirror; 2]), normal, ..dabs[0] });
    }
    let painted = &mut scene.corrections.painted;
    painted.resize(asset.render.positions.len(), 1.0);
    paint(asset, brush, &dabs, painted);
}

/// Where the plane between left and right is: between the first two joints that mirror each other, else at zero.
fn mirror_of(skeleton: Option<&crate::model::Skeleton>) -> f32 {
    let pair = skeleton.and_then(|skeleton| {
        let others = fit::other_sides(skeleton);
        let (joint, other) = others.iter().enumerate().find_map(|(j, other)| Some((j, (*other)?)))?;
        Some([joint, other].map(|joint| skeleton.joints()[joint].head().x))
    });
    pair.map_or(0.0, |[a, b]| f32::midpoint(a, b))
}

/// One touch of the brush, in rest space.
#[derive(Clone, Copy, Debug)]
struct Dab {
    middle: Vec3,
    normal: Vec3,
    radius: f32,
}

impl Dab {
    /// From 1 in the middle to 0 at the rim, and on skin that looks away.
    fn weight(&self, position: Vec3, normal: Vec3) -> f32 {
        let near = 1.0 - (position.distance_squared(self.middle) / (self.radius * self.radius)).min(1.0);
        if normal.dot(self.normal) < ASIDE { 0.0 } else { near * near }
    }
}

/// Changes the map where dabs fall; where both do, the nearer counts.
fn paint(asset: &Asset, brush: &Brush, dabs: &[Dab], painted: &mut [f32]) {
    let means = (brush.mode == BrushMode::Smooth).then(|| neighbour_means(asset, painted));
    let strength = DAB * brush.strength.clamp(0.0, 1.0);
    // Decided once per welded vertex, by its first copy.
    let mut decided: Vec<Option<f32>> = vec![None; asset.mesh.positions().len()];
    for (render, &solve) in asset.solve_from_render.iter().enumerate() {
        let Some(decided) = decided.get_mut(solve as usize) else { continue };
        let factor = decided.get_or_insert_with(|| {
            let (position, normal) = (asset.render.positions[render], asset.render.normals[render]);
            let weight = dabs.iter().map(|dab| dab.weight(position, normal)).fold(0.0, f32::max) * strength;
            let now = painted[render];
            let goal = match (brush.mode, &means) {
                (BrushMode::Add, _) => MOST_PAINT,
                (BrushMode::Erase, _) => 0.0,
                (BrushMode::Smooth, Some(means)) => means[solve as usize],
                (BrushMode::Smooth, None) => now,
            };
            now + (goal - now) * weight
        });
        painted[render] = *factor;
    }
}

/// The mean of every welded vertex's neighbours.
fn neighbour_means(asset: &Asset, painted: &[f32]) -> Vec<f32> {
    let render_from_solve = asset.render_from_solve();
    let value = |solve: u32| painted.get(render_from_solve[solve as usize] as usize).copied().unwrap_or(1.0);
    let mut sums = vec![(0.0_f32, 0.0_f32); render_from_solve.len()];
    for corners in asset.mesh.triangles() {
        for i in 0..3 {
            let (sum, count) = &mut sums[corners[i] as usize];
            *sum += value(corners[(i + 1) % 3]) + value(corners[(i + 2) % 3]);
            *count += 2.0;
        }
    }
    let mean = |(solve, &(sum, count)): (usize, &(f32, f32))| match count {
        0.0 => value(solve as u32),
        _ => sum / count,
    };
    sums.iter().enumerate().map(mean).collect()
}
