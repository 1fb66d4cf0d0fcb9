//! Body parts that several characters share.

use glam::Vec3;

use super::sdf::{Body, Shape, chain, cone, ellipsoid_along};

/// Position, orientation and size of a hand.
#[derive(Clone, Copy, Debug)]
pub struct HandFrame {
    /// The centre of the wrist.
    pub wrist: Vec3,
    /// From the wrist to the fingers.
    pub along: Vec3,
    /// Towards the thumb.
    pub thumbward: Vec3,
    /// The direction that the palm faces.
    pub palmward: Vec3,
    /// The length from the wrist to the fingertips.
    pub length: f32,
}

/// A simple hand: adjacent fingers with grooves between them, and a separate thumb.
pub fn mitten(frame: HandFrame) -> Shape {
    let HandFrame { wrist, along, thumbward, palmward, length } = frame;
    // Coordinates relative to the length of the hand.
    let at = |a: f32, t: f32, p: f32| wrist + (along * a + thumbward * t + palmward * p) * length;
    let r = |radius: f32| radius * length;
    let mut hand = Body::default();
    hand.add(0.0, cone(at(0.02, 0.0, 0.0), r(0.15), at(0.36, 0.0, 0.01), r(0.225)).flattened(palmward, 0.55));
    // The ball of the thumb.
    hand.add(
        r(0.08),
        ellipsoid_along(
            at(0.2, 0.14, 0.05),
            Vec3::new(r(0.085), r(0.17), r(0.085)),
            along + thumbward * 0.45,
            palmward,
        ),
    );
    let mut fingers = Body::default();
    for (side, reach, thick) in FINGERS {
        let knuckle = at(0.42, side * 0.95, -0.005);
        let middle = at(0.42 + 0.45 * (reach - 0.42), side, 0.0);
        let tip = at(reach - thick, side * 0.94, 0.07);
        fingers.add(
            r(0.12),
            chain(&[(knuckle, r(thick * 1.08)), (middle, r(thick)), (tip, r(thick * 0.82))], 1),
        );
    }
    hand.add(r(0.10), fingers.shape());
    let thumb = [
        (at(0.16, 0.14, 0.05), r(0.085)),
        (at(0.33, 0.28, 0.09), r(0.072)),
        (at(0.45, 0.345, 0.11), r(0.066)),
        (at(0.55, 0.375, 0.125), r(0.052)),
    ];
    hand.add_at(r(0.1), at(0.2, 0.18, 0.05), r(0.28), chain(&thumb, 1));
    hand.shape()
}

/// For each finger: offset towards the thumb, end, and radius, relative to the length of the hand.
const FINGERS: [(f32, f32, f32); 4] =
    [(0.160, 0.94, 0.060), (0.053, 1.0, 0.062), (-0.055, 0.95, 0.060), (-0.155, 0.83, 0.054)];
