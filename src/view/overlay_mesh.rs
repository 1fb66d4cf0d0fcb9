//! Flat-coloured triangles, made anew whenever they change: bones, dots, rings, arcs.
//!
//! Widths are given in CSS pixels and become world units at the place where they are drawn, so that what
//! is drawn looks the same at every zoom and for every size of model.

use std::f32::consts::TAU;

use glam::{Vec3, Vec4};

use super::camera::ViewTransform;
use crate::math::unit_or;

/// Triangles with a colour per corner: sRGB and alpha.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverlayMesh {
    /// Three per triangle.
    pub positions: Vec<Vec3>,
    /// One per position.
    pub colors: Vec<Vec4>,
}

/// Corners of a round dot.
const DOT_CORNERS: usize = 20;

/// Where a bone is thickest, from its head.
const SHOULDER: f32 = 0.16;

impl OverlayMesh {
    /// Takes everything out and keeps the room.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.colors.clear();
    }

    /// One triangle.
    pub fn triangle(&mut self, corners: [Vec3; 3], color: Vec4) {
        self.positions.extend(corners);
        self.colors.extend([color; 3]);
    }

    /// A four-sided spindle from `head` to `tail`, at its thickest near the head; lit from the camera.
    pub fn bone(&mut self, eye: &ViewTransform, head: Vec3, tail: Vec3, radius: f32, color: Vec4) {
        let sides = spindle(head, tail, radius);
        for triangle in sides {
            let normal = unit_or((triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]), Vec3::Y);
            self.triangle(triangle, lit(eye, triangle[0], normal, color));
        }
    }

    /// The far side of a spindle that is `pixels` larger than the bone: what sticks out is its outline.
    pub fn bone_outline(&mut self, eye: &ViewTransform, bone: (Vec3, Vec3, f32), pixels: f32, color: Vec4) {
        let (head, tail, radius) = bone;
        let by = pixels * eye.units_per_pixel(head);
        let along = unit_or(tail - head, Vec3::Y) * by;
        let sides = spindle(head - along, tail + along * 2.0, radius + by * 1.4);
        sides.into_iter().for_each(|[a, b, c]| self.triangle([a, c, b], color));
    }

    /// A disc that faces the camera.
    pub fn dot(&mut self, eye: &ViewTransform, center: Vec3, pixels: f32, color: Vec4) {
        let radius = pixels * eye.units_per_pixel(center);
        let rim = |i: usize| {
            let angle = i as f32 / DOT_CORNERS as f32 * TAU;
            center + (eye.right() * angle.cos() + eye.up() * angle.sin()) * radius
        };
        (0..DOT_CORNERS).for_each(|i| self.triangle([center, rim(i), rim(i + 1)], color));
    }

    /// A ribbon of even width on the canvas.
    pub fn line(&mut self, eye: &ViewTransform, a: Vec3, b: Vec3, pixels: f32, color: Vec4) {
        let side = |at: Vec3| {
            let across = unit_or((b - a).cross(at - eye.position), eye.right());
            across * (0.5 * pixels * eye.units_per_pixel(at))
        };
        let (sa, sb) = (side(a), side(b));
        self.triangle([a - sa, a + sa, b + sb], color);
        self.triangle([a - sa, b + sb, b - sb], color);
    }
}

/// Eight triangles that look outwards.
fn spindle(head: Vec3, tail: Vec3, radius: f32) -> [[Vec3; 3]; 8] {
    let along = tail - head;
    let axis = unit_or(along, Vec3::Y);
    // The square turns with the bone, not with the camera.
    let u = axis.any_orthonormal_vector();
    let v = axis.cross(u);
    let shoulder = head + along * SHOULDER;
    std::array::from_fn(|i| {
        let corner = |side: usize| shoulder + [u, v, -u, -v][side % 4] * radius;
        let (a, b) = (corner(i / 2), corner(i / 2 + 1));
        if i % 2 == 0 { [head, b, a] } else { [tail, a, b] }
    })
}

/// A colour as it looks on a surface with `normal`: darker as it turns away from the camera.
fn lit(eye: &ViewTransform, at: Vec3, normal: Vec3, color: Vec4) -> Vec4 {
    let facing = normal.dot(unit_or(eye.position - at, -eye.forward()));
    let upward = normal.dot(eye.up()) * 0.5 + 0.5;
    let light = (0.50 + 0.30 * facing.max(0.0) + 0.32 * upward).min(1.08);
    (color.truncate() * light).min(Vec3::ONE).extend(color.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::camera::Camera;
    use glam::Vec2;

    #[test]
    fn lines_and_dots_are_equally_wide_at_every_distance() {
        for distance in [0.01, 1.0, 500.0] {
            let camera = Camera { target: Vec3::ZERO, distance, ..Camera::default() };
            let eye = camera.view_transform(Vec2::new(800.0, 600.0), distance * 0.9);
            let mut sketch = OverlayMesh::default();
            sketch.line(&eye, Vec3::ZERO, eye.right() * distance * 0.1, 3.0, Vec4::ONE);
            let [a, b] = [0, 1].map(|i| eye.project(sketch.positions[i]).unwrap().0);
            assert!((a.distance(b) - 3.0).abs() < 0.05, "{}", a.distance(b));
            let mut sketch = OverlayMesh::default();
            sketch.dot(&eye, Vec3::ZERO, 5.0, Vec4::ONE);
            let [a, b] = [0, 1].map(|i| eye.project(sketch.positions[i]).unwrap().0);
            assert!((a.distance(b) - 5.0).abs() < 0.05);
        }
    }

    #[test]
    fn a_bones_faces_look_outwards() {
        let eye = Camera::default().view_transform(Vec2::new(800.0, 600.0), 3.0);
        let mut sketch = OverlayMesh::default();
        let (head, tail) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.5, 1.0, 0.2));
        sketch.bone(&eye, head, tail, 0.05, Vec4::ONE);
        let middle = head.lerp(tail, 0.3);
        for corners in sketch.positions.chunks(3) {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let center = (corners[0] + corners[1] + corners[2]) / 3.0;
            assert!(normal.dot(center - middle) > 0.0);
        }
        assert_eq!(sketch.positions.len(), 24);
    }
}
