//! A camera on a turntable around a target, and what it sees.
//!
//! [`Camera`] is where the camera stands; [`ViewTransform`] adds the canvas's size and has the matrices. Pixels are
//! CSS pixels with y down; angles are radians.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::math::unit_or;

/// Straight up or down the view has no horizon to keep; this much short of it, it has.
const STEEPEST: f32 = FRAC_PI_2 - 0.02;

/// A long lens flatters characters: wider and noses grow, longer and the orbit feels like sliding.
const FIELD_OF_VIEW: f32 = 30.0 * PI / 180.0;

/// Framing leaves this much air around the box. Less: limbs leave the canvas while orbiting.
const AIR: f32 = 1.12;

/// Where the camera stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at and turns around.
    pub target: Vec3,
    /// Turned to the right around the vertical axis; at 0 it looks along −z, at the face of a glTF character.
    pub yaw: f32,
    /// Raised above the horizon.
    pub pitch: f32,
    /// From the target.
    pub distance: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::ZERO, yaw: 0.42, pitch: 0.12, distance: 5.0 }
    }
}

impl Camera {
    /// From the target to the camera, a unit vector.
    pub fn backward(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vec3::new(cos_pitch * sin_yaw, sin_pitch, cos_pitch * cos_yaw)
    }

    /// To the right on the canvas, a unit vector.
    pub fn right(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        Vec3::new(cos_yaw, 0.0, -sin_yaw)
    }

    /// Upwards on the canvas, a unit vector.
    pub fn up(&self) -> Vec3 {
        self.backward().cross(self.right())
    }

    /// Where it is.
    pub fn position(&self) -> Vec3 {
        self.target + self.backward() * self.distance
    }

    /// Turned by `angles` (to the right, upwards).
    pub fn orbited(&self, angles: Vec2) -> Self {
        Self { yaw: self.yaw + angles.x, pitch: (self.pitch + angles.y).clamp(-STEEPEST, STEEPEST), ..*self }
    }

    /// The same camera, or one at this height at least: turned upwards, and lifted if that is not enough.
    pub fn raised_above(&self, height: f32) -> Self {
        // A little more than asked for, so that rounding does not put it below.
        let missing = |camera: &Self| height - camera.position().y;
        if !(missing(self) > 0.0) {
            return *self;
        }
        let sine = ((height - self.target.y) / self.distance).clamp(-1.0, STEEPEST.sin());
        let mut camera = Self { pitch: sine.asin().max(self.pitch), ..*self };
        camera.target.y += missing(&camera).max(0.0);
        camera
    }

    /// Moved so that what is at the target's distance follows the pointer by `pixels`.
    pub fn panned(&self, pixels: Vec2, canvas: Vec2) -> Self {
        let moved = pixels * self.units_per_pixel(canvas);
        Self { target: self.target - self.right() * moved.x + self.up() * moved.y, ..*self }
    }

    /// At `distance`, with what lies under `pixel` at the target's depth staying there.
    pub fn zoomed_to(&self, distance: f32, pixel: Vec2, canvas: Vec2) -> Self {
        let from_middle = (pixel - canvas * 0.5) * self.units_per_pixel(canvas);
        let under_pixel = self.target + self.right() * from_middle.x - self.up() * from_middle.y;
        let kept = distance / self.distance;
        Self { target: under_pixel.lerp(self.target, kept), distance, ..*self }
    }

    /// Looking the same way, as near as the box from `low` to `high` allows while all of it is seen.
    pub fn framed(&self, low: Vec3, high: Vec3, canvas: Vec2) -> Self {
        let target = low.midpoint(high);
        let half = (high - low) * 0.5;
        let slope_y = (FIELD_OF_VIEW * 0.5).tan();
        let slope_x = slope_y * aspect(canvas);
        let (right, up, backward) = (self.right(), self.up(), self.backward());
        let mut distance: f32 = 0.0;
        for corner in 0..8 {
            let sign = |bit: i32| if corner & bit == 0 { -1.0 } else { 1.0 };
            let offset = half * Vec3::new(sign(1), sign(2), sign(4));
            let beside = (offset.dot(right).abs() / slope_x).max(offset.dot(up).abs() / slope_y);
            distance = distance.max(beside + offset.dot(backward));
        }
        // A single point has no size to frame: stay where we are.
        Self { target, distance: if distance > 0.0 { distance * AIR } else { self.distance }, ..*self }
    }

    /// What one pixel covers at the target's distance.
    pub fn units_per_pixel(&self, canvas: Vec2) -> f32 {
        2.0 * self.distance * (FIELD_OF_VIEW * 0.5).tan() / canvas.y.max(1.0)
    }

    /// The same with matrices, for a canvas of this size and a scene that lies within `reach` of the target.
    pub fn view_transform(&self, canvas: Vec2, reach: f32) -> ViewTransform {
        // A thousandth of the far plane keeps 24 bits of depth fine enough for skin over skin.
        let far = self.distance + reach;
        let near = (self.distance - reach).max(far * 1e-3);
        ViewTransform {
            position: self.position(),
            view: view_from_world(self),
            projection: perspective(aspect(canvas), near, far),
            canvas,
            near,
            far,
        }
    }
}

fn view_from_world(camera: &Camera) -> Mat4 {
    let position = camera.position();
    let row = |axis: Vec3| axis.extend(-axis.dot(position));
    Mat4::from_rows(row(camera.right()), row(camera.up()), row(camera.backward()), Vec4::W)
}

/// clip_from_view with depths from −1 to 1, as OpenGL has them.
fn perspective(aspect: f32, near: f32, far: f32) -> Mat4 {
    let focal = 1.0 / (FIELD_OF_VIEW * 0.5).tan();
    let depth = near - far;
    Mat4::from_rows(
        Vec4::X * (focal / aspect),
        Vec4::Y * focal,
        Vec4::new(0.0, 0.0, (far + near) / depth, 2.0 * far * near / depth),
        -Vec4::Z,
    )
}

fn aspect(canvas: Vec2) -> f32 {
    canvas.x.max(1.0) / canvas.y.max(1.0)
}

/// What the camera sees on a canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewTransform {
    /// Where the camera is.
    pub position: Vec3,
    /// view_from_world.
    pub view: Mat4,
    /// clip_from_view.
    pub projection: Mat4,
    /// In CSS pixels.
    pub canvas: Vec2,
    /// Nothing nearer is drawn.
    pub near: f32,
    /// Nothing farther is drawn.
    pub far: f32,
}

/// A half-line from the camera through a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// A unit vector.
    pub direction: Vec3,
}

impl Ray {
    /// Where it meets the plane through `point` with `normal`; none when it runs along or away from it.
    pub fn meets_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let along = self.direction.dot(normal);
        let share = (point - self.origin).dot(normal) / along;
        (share.is_finite() && share > 0.0).then(|| self.origin + self.direction * share)
    }
}

impl ViewTransform {
    /// The pixel of a point, and how far in front of the camera it lies; none behind the near plane.
    pub fn project(&self, point: Vec3) -> Option<(Vec2, f32)> {
        let clip = self.projection * self.view * point.extend(1.0);
        (clip.w >= self.near).then(|| {
            let ndc = clip.truncate() / clip.w;
            (Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * self.canvas, clip.w)
        })
    }

    /// The pixels of a segment's ends, cut at the near plane; none when all of it lies behind.
    pub fn project_segment(&self, a: Vec3, b: Vec3) -> Option<[(Vec2, f32); 2]> {
        let depth = |p: Vec3| (p - self.position).dot(self.forward());
        let (da, db) = (depth(a), depth(b));
        // Just in front of the near plane, so that rounding does not put the cut behind it.
        let nearest = self.near * 1.01;
        let cut = |from: Vec3, to: Vec3, df: f32, dt: f32| {
            if df >= nearest { from } else { from.lerp(to, (nearest - df) / (dt - df)) }
        };
        if da.max(db) < nearest {
            return None;
        }
        Some([self.project(cut(a, b, da, db))?, self.project(cut(b, a, db, da))?])
    }

    /// From the camera through a pixel.
    pub fn ray(&self, pixel: Vec2) -> Ray {
        let ndc = (pixel / self.canvas.max(Vec2::ONE) * 2.0 - 1.0) * Vec2::new(1.0, -1.0);
        let slope = Vec2::new(1.0 / self.projection.x_axis.x, 1.0 / self.projection.y_axis.y);
        let in_view = Vec3::new(ndc.x * slope.x, ndc.y * slope.y, -1.0);
        let world_from_view = self.view.transpose();
        let direction = world_from_view.transform_vector3(in_view);
        Ray { origin: self.position, direction: unit_or(direction, self.forward()) }
    }

    /// What one pixel covers at a point's distance.
    pub fn units_per_pixel(&self, point: Vec3) -> f32 {
        let depth = (point - self.position).dot(self.forward()).max(self.near);
        2.0 * depth / (self.projection.y_axis.y * self.canvas.y.max(1.0))
    }

    /// Where the camera looks, a unit vector.
    pub fn forward(&self) -> Vec3 {
        -self.view.row(2).truncate()
    }

    /// To the right on the canvas, a unit vector.
    pub fn right(&self) -> Vec3 {
        self.view.row(0).truncate()
    }

    /// Upwards on the canvas, a unit vector.
    pub fn up(&self) -> Vec3 {
        self.view.row(1).truncate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANVAS: Vec2 = Vec2::new(800.0, 600.0);

    fn cameras() -> impl Iterator<Item = Camera> {
        [0.001, 1.0, 1000.0].into_iter().flat_map(|size| {
            [(0.0, 0.0), (0.4, 0.3), (-2.5, -1.2), (3.0, 1.5)].map(|(yaw, pitch)| Camera {
                target: Vec3::new(0.3, 1.0, -0.2) * size,
                yaw,
                pitch,
                distance: 4.0 * size,
            })
        })
    }

    #[test]
    fn a_ray_through_a_points_pixel_meets_the_point() {
        for camera in cameras() {
            let eye = camera.view_transform(CANVAS, camera.distance);
            let point = camera.target + camera.right() * 0.2 * camera.distance;
            let (pixel, depth) = eye.project(point).unwrap();
            let ray = eye.ray(pixel);
            let nearest = ray.origin + ray.direction * (point - ray.origin).dot(ray.direction);
            assert!(nearest.distance(point) < 1e-4 * camera.distance, "{camera:?}");
            assert!((depth - camera.distance).abs() < 1e-4 * camera.distance);
        }
    }

    #[test]
    fn the_target_is_in_the_middle_and_right_is_right() {
        for camera in cameras() {
            let eye = camera.view_transform(CANVAS, camera.distance);
            assert!(eye.project(camera.target).unwrap().0.distance(CANVAS * 0.5) < 0.1);
            let step = camera.units_per_pixel(CANVAS) * 10.0;
            let (right, _) = eye.project(camera.target + camera.right() * step).unwrap();
            let (up, _) = eye.project(camera.target + camera.up() * step).unwrap();
            assert!(right.distance(CANVAS * 0.5 + Vec2::new(10.0, 0.0)) < 0.1, "{right}");
            assert!(up.distance(CANVAS * 0.5 - Vec2::new(0.0, 10.0)) < 0.1, "{up}");
        }
    }

    #[test]
    fn panning_moves_the_target_with_the_pointer() {
        for camera in cameras() {
            let moved = camera.panned(Vec2::new(30.0, -20.0), CANVAS);
            let (pixel, _) = moved.view_transform(CANVAS, camera.distance).project(camera.target).unwrap();
            assert!(pixel.distance(CANVAS * 0.5 + Vec2::new(30.0, -20.0)) < 0.1, "{pixel}");
        }
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        for camera in cameras() {
            let pixel = Vec2::new(600.0, 150.0);
            let ray = camera.view_transform(CANVAS, camera.distance).ray(pixel);
            let under = ray.meets_plane(camera.target, camera.backward()).unwrap();
            for factor in [0.3, 0.9, 2.0] {
                let zoomed = camera.zoomed_to(camera.distance * factor, pixel, CANVAS);
                let (after, _) = zoomed.view_transform(CANVAS, zoomed.distance).project(under).unwrap();
                assert!(after.distance(pixel) < 0.2, "{after} after zooming by {factor}");
            }
        }
    }

    #[test]
    fn orbiting_never_turns_over_the_top() {
        let camera = Camera::default().orbited(Vec2::new(0.0, 100.0));
        assert!(camera.up().y > 0.0 && camera.pitch < FRAC_PI_2);
        assert_eq!(camera.target, Camera::default().target);
    }

    #[test]
    fn framing_shows_all_of_a_box_of_any_size_and_wastes_little() {
        for (camera, canvas) in cameras().flat_map(|c| [CANVAS, Vec2::new(390.0, 844.0)].map(|s| (c, s))) {
            let size = camera.distance / 4.0;
            let (low, high) = (Vec3::new(-0.9, 0.0, -0.2) * size, Vec3::new(0.9, 1.8, 0.2) * size);
            let framed = camera.framed(low, high, canvas);
            let eye = framed.view_transform(canvas, framed.distance);
            let mut fullest: f32 = 0.0;
            for corner in 0..8 {
                let pick = |bit: i32, l: f32, h: f32| if corner & bit == 0 { l } else { h };
                let point = Vec3::new(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z));
                let (pixel, _) = eye.project(point).unwrap();
                let share = ((pixel - canvas * 0.5) / (canvas * 0.5)).abs().max_element();
                fullest = fullest.max(share);
            }
            assert!(fullest < 0.99 && fullest > 0.75, "fills {fullest} of {canvas} with {framed:?}");
        }
    }

    #[test]
    fn a_segment_through_the_camera_is_cut_at_the_near_plane() {
        let camera = Camera { distance: 2.0, ..Camera::default() };
        let eye = camera.view_transform(CANVAS, 1.0);
        let behind = eye.position - eye.forward() + eye.right() * 0.1;
        assert!(eye.project(behind).is_none());
        assert!(eye.project_segment(behind, camera.target).is_some());
        assert!(eye.project_segment(behind, behind - eye.forward()).is_none());
    }
}
