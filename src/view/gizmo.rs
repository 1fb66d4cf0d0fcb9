//! The rotation gizmo: three rings in the joint's frame and one that faces the camera.
//!
//! [`Gizmo`] is where the rings are, [`Turn`] is one drag of a ring. Angles are radians,
//! counter-clockwise seen against the ring's axis; distances on the canvas are CSS pixels.

use std::f32::consts::{PI, TAU};

use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};

use super::camera::ViewTransform;
use super::picking::distance_to_segment;
use crate::math::{Trs, unit_or};

/// The rings' radius in CSS pixels: large enough to grab, small enough to leave the limb visible.
pub const RADIUS: f32 = 78.0;
/// The camera ring's radius against the others'.
pub const VIEW_RING: f32 = 1.18;

/// How near the pointer must come to a ring, in CSS pixels.
const MOUSE_REACH: f32 = 8.0;
/// The same for fingers.
const TOUCH_REACH: f32 = 18.0;

/// Steps of a turn while Shift is held.
pub const SNAP: f32 = 15.0 * PI / 180.0;

/// When the camera sees a ring flatter than this (the cosine between its axis and the line of
/// sight), the pointer's place on the ring's plane jumps about, and its way along the ring is used
/// instead.
const EDGE_ON: f32 = 0.22;

/// Into how many straight pieces a ring is cut to measure and draw it.
pub const PIECES: usize = 96;

/// The part of a ring that is shown and can be dragged: a little more than the half before the
/// joint.
const BEHIND: f32 = -0.04;

/// One of the gizmo's rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// Turns about the joint's x axis.
    X,
    /// Turns about the joint's y axis.
    Y,
    /// Turns about the joint's z axis.
    Z,
    /// Turns about the line of sight.
    View,
}

impl Ring {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::View];
}

/// Where the rings are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// The joint's head.
    pub center: Vec3,
    /// The radius of the three rings.
    pub radius: f32,
    axes: [Vec3; 3],
    to_eye: Vec3,
}

impl Gizmo {
    /// Around a joint, always equally large on the canvas.
    pub fn new(eye: &ViewTransform, world_from_joint: &DAffine3) -> Self {
        let center = world_from_joint.translation.as_vec3();
        let rotation = Trs::from_affine(world_from_joint).rotation.as_quat();
        Self {
            center,
            radius: RADIUS * eye.units_per_pixel(center),
            axes: [rotation * Vec3::X, rotation * Vec3::Y, rotation * Vec3::Z],
            to_eye: unit_or(eye.position - center, -eye.forward()),
        }
    }

    /// The axis a ring turns about, a unit vector.
    pub fn axis(&self, ring: Ring) -> Vec3 {
        match ring {
            Ring::X => self.axes[0],
            Ring::Y => self.axes[1],
            Ring::Z => self.axes[2],
            Ring::View => self.to_eye,
        }
    }

    /// How large a ring is.
    pub fn radius(&self, ring: Ring) -> f32 {
        if ring == Ring::View { self.radius * VIEW_RING } else { self.radius }
    }

    /// A point of a ring.
    pub fn point(&self, ring: Ring, angle: f32) -> Vec3 {
        let (u, v) = basis(self.axis(ring));
        self.center + (u * angle.cos() + v * angle.sin()) * self.radius(ring)
    }

    /// Whether a point of a ring is on the side of the joint that faces the camera.
    pub fn faces_eye(&self, ring: Ring, point: Vec3) -> bool {
        ring == Ring::View || (point - self.center).dot(self.to_eye) >= BEHIND * self.radius
    }

    /// The ring under the pointer.
    pub fn ring_at(&self, eye: &ViewTransform, pixel: Vec2, is_touch: bool) -> Option<Ring> {
        let reach = if is_touch { TOUCH_REACH } else { MOUSE_REACH };
        let nearest = |ring: Ring| {
            let ends = (0..PIECES).filter_map(|piece| {
                let [a, b] = [piece, piece + 1].map(|p| self.point(ring, p as f32 / PIECES as f32 * TAU));
                if !self.faces_eye(ring, a) {
                    return None;
                }
                let [a, b] = eye.project_segment(a, b)?;
                Some(distance_to_segment(pixel, a.0, b.0).0)
            });
            (ring, ends.fold(f32::INFINITY, f32::min))
        };
        let rings = Ring::ALL.map(nearest).into_iter().filter(|&(_, distance)| distance <= reach);
        rings.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(ring, _)| ring)
    }
}

/// A drag of a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Which ring.
    pub ring: Ring,
    /// The angle on the ring where the drag began.
    pub start: f32,
    gizmo: Gizmo,
    measure: Measure,
    last: f32,
    turned: f32,
}

/// How the pointer's way becomes an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    /// By where it is on the ring's plane.
    OnPlane,
    /// By its way along the ring's tangent on the canvas, in radians per pixel.
    Along { from: Vec2, radians_per_pixel: Vec2 },
}

impl Turn {
    /// Begins a drag of `ring` at `pixel`.
    pub fn begin(gizmo: &Gizmo, eye: &ViewTransform, ring: Ring, pixel: Vec2) -> Self {
        let axis = gizmo.axis(ring);
        let is_edge_on = axis.dot(gizmo.to_eye).abs() < EDGE_ON;
        let start = nearest_angle(gizmo, eye, ring, pixel);
        let measure = if is_edge_on { along(gizmo, eye, ring, start, pixel) } else { Measure::OnPlane };
        let mut turn = Self { ring, start, gizmo: *gizmo, measure, last: 0.0, turned: 0.0 };
        turn.last = turn.measured(eye, pixel).unwrap_or(0.0);
        turn
    }

    /// Follows the pointer; the angle since the drag began, beyond full turns.
    pub fn update(&mut self, eye: &ViewTransform, pixel: Vec2, snaps: bool) -> f32 {
        if let Some(angle) = self.measured(eye, pixel) {
            let step = match self.measure {
                Measure::OnPlane => wrapped(angle - self.last),
                Measure::Along { .. } => angle - self.last,
            };
            self.turned += step;
            self.last = angle;
        }
        if snaps { (self.turned / SNAP).round() * SNAP } else { self.turned }
    }

    /// The rings when the drag began.
    pub fn gizmo(&self) -> &Gizmo {
        &self.gizmo
    }

    fn measured(&self, eye: &ViewTransform, pixel: Vec2) -> Option<f32> {
        match self.measure {
            Measure::OnPlane => {
                let axis = self.gizmo.axis(self.ring);
                let met = eye.ray(pixel).meets_plane(self.gizmo.center, axis)?;
                let (u, v) = basis(axis);
                let from_center = met - self.gizmo.center;
                Some(from_center.dot(v).atan2(from_center.dot(u)))
            }
            Measure::Along { from, radians_per_pixel } => Some((pixel - from).dot(radians_per_pixel)),
        }
    }
}

/// The rotation in the joint's own frame that turns it about the world's `axis` by `angle`.
///
/// A mirrored frame turns the other way round, and a scaled one is read without its scale.
pub fn local_rotation(world_from_joint: &DAffine3, axis: Vec3, angle: f32) -> DQuat {
    let frame = Trs::from_affine(world_from_joint);
    let local = frame.rotation.inverse() * axis.as_dvec3();
    let mirrors = world_from_joint.matrix3.determinant() < 0.0;
    // Trs puts a mirror into x; seen through it, the axis is flipped and so is the sense of
    // turning.
    let local = if mirrors { local * DVec3::new(1.0, -1.0, -1.0) } else { local };
    DQuat::from_axis_angle(local.normalize_or(DVec3::Y), f64::from(angle))
}

/// Two unit vectors that span the plane at right angles to a unit vector, in counter-clockwise
/// order.
fn basis(axis: Vec3) -> (Vec3, Vec3) {
    let u = axis.any_orthonormal_vector();
    (u, axis.cross(u))
}

fn nearest_angle(gizmo: &Gizmo, eye: &ViewTransform, ring: Ring, pixel: Vec2) -> f32 {
    let distance = |angle: &f32| {
        let point = gizmo.point(ring, *angle);
        let hidden = if gizmo.faces_eye(ring, point) { 0.0 } else { 1e6 };
        eye.project(point).map_or(f32::INFINITY, |(at, _)| at.distance(pixel) + hidden)
    };
    let angles = (0..PIECES).map(|piece| piece as f32 / PIECES as f32 * TAU);
    angles.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0.0)
}

fn along(gizmo: &Gizmo, eye: &ViewTransform, ring: Ring, angle: f32, from: Vec2) -> Measure {
    let step = TAU / PIECES as f32;
    let at = |angle: f32| eye.project(gizmo.point(ring, angle)).map_or(from, |(at, _)| at);
    let tangent = (at(angle + step) - at(angle - step)) / (2.0 * step);
    // Near the ring's ends the tangent points at the camera and is short; the radius bounds the
    // speed.
    let pixels = RADIUS * 0.5;
    let radians_per_pixel = tangent / tangent.length_squared().max(pixels * pixels);
    Measure::Along { from, radians_per_pixel }
}

fn wrapped(angle: f32) -> f32 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
#[path = "gizmo_tests.rs"]
mod tests;
