//! Painting where flesh gives: a brush on the posed skin, and the map it changes.
//!
//! The map holds a factor for γ per render vertex, one where nothing was painted. The brush works on the welded mesh in rest
//! space: a stroke means the same in every pose, copies of a vertex never come apart, and the other side of a symmetric
//! figure is a reflection away. Cost of a dab: one pass over the vertices.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::changes::SharedChanges;
use super::input::{Event, Pointer};
use super::picking::SkinHit;
use super::scene::Scene;
use crate::fit;
use crate::math::unit_or;
use crate::model::Asset;

/// Paint goes up to this factor. Larger: single vertices take everything. Smaller: paint is hardly seen in the pose.
pub const MOST_PAINT: f32 = 4.0;

/// Dabs along a stroke are at most this share of the brush's radius apart, so that fast strokes have no gaps.
const SPACING: f32 = 0.35;

/// How much of the way a dab of full strength goes.
const DAB: f32 = 0.35;

/// Skin that looks away from the middle of the dab by more than this (a cosine) is another side of the limb.
const ASIDE: f32 = -0.1;

/// Corners of the ring on the skin.
const RING: usize = 48;

/// What a stroke does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum BrushMode {
    /// PostSkinning gives more.
    #[default]
    Add,
    /// PostSkinning gives less, down to not at all.
    Erase,
    /// Neighbours come to give alike.
    Smooth,
}

/// A brush.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Brush {
    /// What it does.
    pub mode: BrushMode,
    /// Its radius as a share of the figure's size.
    pub size: f32,
    /// From 0 to 1.
    pub strength: f32,
    /// Whether the other side of the figure is painted along.
    pub symmetric: bool,
}

impl Default for Brush {
    fn default() -> Self {
        Self { mode: BrushMode::default(), size: 0.06, strength: 0.5, symmetric: true }
    }
}

/// A map being painted.
#[derive(Clone, Debug)]
pub(super) struct Painting {
    brush: Brush,
    /// Where the brush is on the skin: in the pose, and its direction.
    at: Option<(Vec3, Vec3)>,
    stroke: Option<Stroke>,
}

#[derive(Clone, Debug)]
struct Stroke {
    pointer: Pointer,
    last: Vec2,
    before: Vec<f32>,
    /// The first dab, which falls with the next move: who hears of the stroke finds the map as it was.
    first: Option<SkinHit>,
}

impl Painting {
    pub(super) fn is_on_skin(&self) -> bool {
        self.at.is_some()
    }
}

impl Scene {
    /// Begins painting, changes the brush, or ends painting.
    pub fn set_brush(&mut self, brush: Option<Brush>) {
        if brush.is_none() && self.is_stroking() {
            self.end_stroke(true);
        }
        self.cancel_turn();
        self.hovered_ring = None;
        self.painting = brush.map(|brush| match self.painting.take() {
            Some(painting) => Painting { brush, ..painting },
            None => Painting { brush, at: None, stroke: None },
        });
        self.change_colors();
    }

    pub(super) fn is_stroking(&self) -> bool {
        self.painting.as_ref().is_some_and(|painting| painting.stroke.is_some())
    }

    pub(super) fn strokes(&self, pointer: i32) -> bool {
        let stroke = self.painting.as_ref().and_then(|painting| painting.stroke.as_ref());
        stroke.is_some_and(|stroke| stroke.pointer.id == pointer)
    }

    /// Begins a stroke if the pointer is on the skin; whether it is.
    pub(super) fn begin_stroke(&mut self, pointer: &Pointer) -> bool {
        if self.painting.is_none() || self.joint_placement.is_some() {
            return false;
        }
        let Some(hit) = self.skin_hit(pointer.position) else { return false };
        let before = self.painted().to_vec();
        if let Some(painting) = &mut self.painting {
            let (last, first) = (pointer.position, Some(hit));
            painting.stroke = Some(Stroke { pointer: *pointer, last, before, first });
        }
        self.events.push(Event::StrokeStarted);
        true
    }

    pub(super) fn stroke_to(&mut self, pointer: &Pointer) {
        let radius = self.brush_pixels();
        let stroke = self.painting.as_mut().and_then(|painting| painting.stroke.as_mut());
        let Some(stroke) = stroke else { return };
        let (from, way) = (stroke.last, pointer.position - stroke.last);
        if let Some(first) = stroke.first.take() {
            self.dab(&first);
            self.finish_dabs();
        }
        let stroke = self.painting.as_mut().and_then(|painting| painting.stroke.as_mut());
        let Some(stroke) = stroke else { return };
        let steps = (way.length() / (SPACING * radius).max(1.0)) as usize;
        if steps > 0 {
            // What is left of the way counts for the next move.
            let step = way / way.length() * (SPACING * radius).max(1.0);
            stroke.last = from + step * steps as f32;
            for i in 1..=steps {
                if let Some(hit) = self.skin_hit(from + step * i as f32) {
                    self.dab(&hit);
                }
            }
            self.finish_dabs();
        }
        self.hover_brush(Some(pointer.position));
    }

    pub(super) fn end_stroke(&mut self, is_cancelled: bool) {
        let stroke = self.painting.as_mut().and_then(|painting| painting.stroke.take());
        let Some(stroke) = stroke else { return };
        if is_cancelled {
            self.corrections.painted = stroke.before;
            self.finish_dabs();
        } else if let Some(first) = stroke.first {
            self.dab(&first);
            self.finish_dabs();
        }
        self.events.push(Event::StrokeEnded { is_cancelled });
    }

    /// A second finger means the camera, not paint: both are its own from now on. Whether there was a stroke.
    pub(super) fn give_stroke_up(&mut self, second: &Pointer) -> bool {
        let stroke = self.painting.as_ref().and_then(|painting| painting.stroke.as_ref());
        let Some(first) = stroke.map(|stroke| stroke.pointer) else { return false };
        self.end_stroke(true);
        self.controls.down(&first);
        self.controls.down(second);
        true
    }

    fn finish_dabs(&mut self) {
        self.repainted();
        self.events.push(Event::Painted);
    }

    /// Moves the ring to where a pixel shows skin.
    pub(super) fn hover_brush(&mut self, pixel: Option<Vec2>) {
        if self.painting.is_none() {
            return;
        }
        let place = pixel.and_then(|pixel| {
            let hit = self.skin_hit(pixel)?;
            let ray = self.eye().ray(pixel);
            let shown = self.shown(self.view_at(pixel))?;
            let normals = shown.posed_vertices(&hit.corners).normals;
            let normal = (0..3).map(|i| normals[i] * hit.shares[i]).sum();
            Some((ray.origin + ray.direction * hit.along, unit_or(normal, -ray.direction)))
        });
        if let Some(painting) = &mut self.painting {
            painting.at = place;
        }
        self.change(SharedChanges::default());
    }

    /// The brush on the skin and its core, as closed lines.
    pub(super) fn brush_rings(&self) -> Option<[Vec<Vec3>; 2]> {
        let painting = self.painting.as_ref()?;
        let (middle, normal) = painting.at?;
        let radius = painting.brush.size * self.character()?.size();
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

    /// The brush's radius in CSS pixels, at the figure's distance.
    fn brush_pixels(&self) -> f32 {
        let Some((painting, character)) = self.painting.as_ref().zip(self.character()) else { return 1.0 };
        let at = painting.at.map_or(self.camera().target, |(at, _)| at);
        painting.brush.size * character.size() / self.eye().units_per_pixel(at).max(f32::MIN_POSITIVE)
    }

    fn dab(&mut self, hit: &SkinHit) {
        let Some(brush) = self.painting.as_ref().map(|painting| painting.brush) else { return };
        let Some(character) = self.character.as_ref() else { return };
        let asset = character.asset();
        let middle = hit.blend(&asset.render.positions);
        let normal = unit_or(hit.blend(&asset.render.normals), Vec3::ZERO);
        let mut dabs = vec![Dab { middle, normal, radius: brush.size * character.size() }];
        if brush.symmetric {
            let mirror = mirror_of(character.skeleton());
            let normal = Vec3::new(-normal.x, normal.y, normal.z);
            dabs.push(Dab { middle: fit::reflected(middle, [Vec3::X * mirror; 2]), normal, ..dabs[0] });
        }
        let painted = &mut self.corrections.painted;
        painted.resize(asset.render.positions.len(), 1.0);
        paint(asset, &brush, &dabs, painted);
    }
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
