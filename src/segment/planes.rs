//! The planes in which a joint's flesh may be cut off.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::limbs::Limbs;
use super::plane::Plane;
use crate::math;
use crate::model::{Bone, Skeleton};

/// Planes tried per joint over half a turn. Larger: slower, and no loop gets noticeably shorter. Smaller: cuts
/// miss the crease of an armpit, and jump where one plane takes over from the next (with 12, joints moved by a
/// twentieth change 4 % of a mannequin's labels, with 24 3 %).
const PLANES: usize = 24;

/// A cut must lie at least this steeply (as a cosine) across the child's bone. Smaller: limbs are slit
/// along. Larger: slanted cuts, as through the groin, are not found.
const STEEPNESS: f64 = 0.25;

/// Bones closer to a straight line than this (as a sine) span no plane.
const COLLINEAR: f64 = 0.2;

/// How far out along its bone a limb may begin, as a share of the bone. Larger: fingers lose their first half. Smaller:
/// thumbs begin inside the palm.
const FARTHEST_OUT: f64 = 0.5;

/// Places tried on the way there.
const STEPS_OUT: usize = 8;

/// Planes tried at each of them: the first few, which lie about the bisector.
const PLANES_OUT: usize = 5;

/// The planes tried at the head of `limb`, the bisecting one first.
pub(super) fn planes_at(skeleton: &Skeleton, limbs: &Limbs, limb: usize) -> Vec<Plane> {
    let own = &skeleton.bones()[limbs.bones(limb)];
    let origin = own[0].head.as_dvec3();
    let first = (own[0].tail - own[0].head).as_dvec3().normalize_or_zero();
    let child: DVec3 = own.iter().map(|bone| (bone.tail - bone.head).as_dvec3()).sum();
    let child = math::unit_or_f64(child, first);
    let above = own[0].parent.map(|parent| origin - skeleton.bones()[parent].head.as_dvec3());
    let parent = math::unit_or_f64(above.unwrap_or(child), child);
    let across = parent.cross(child);
    let bisector = math::unit_or_f64(parent + child, child);
    let mut planes = vec![Plane { origin, normal: bisector }];
    let mut turn_about = |axis: DVec3| {
        for i in 1..PLANES {
            // 1, −1, 2, −2 … steps from the bisector.
            let steps = i.div_ceil(2) as f64 * if i % 2 == 1 { 1.0 } else { -1.0 };
            let normal = DQuat::from_axis_angle(axis, steps * PI / PLANES as f64) * bisector;
            planes.push(Plane { origin, normal });
        }
    };
    if across.length() > COLLINEAR {
        turn_about(math::unit_or_f64(across, math::any_orthogonal(bisector)));
    } else {
        let axis = sideways(skeleton, origin, bisector);
        turn_about(axis);
        turn_about(bisector.cross(axis));
    }
    planes.retain(|plane| plane.normal.dot(child) >= STEEPNESS);
    planes
}

/// A direction across `axis` that turns with the model: towards whichever joint lies farthest to the side.
fn sideways(skeleton: &Skeleton, origin: DVec3, axis: DVec3) -> DVec3 {
    let across = skeleton.joints().iter().map(|joint| (joint.head().as_dvec3() - origin).reject_from(axis));
    let farthest = across.reduce(|best, way| if way.length() > best.length() { way } else { best });
    let size =
        skeleton.joints().iter().map(|joint| joint.head().as_dvec3().distance(origin)).fold(0.0, f64::max);
    match farthest {
        Some(way) if way.length() > 1e-3 * size => math::unit_or_f64(way, math::any_orthogonal(axis)),
        _ => math::any_orthogonal(axis),
    }
}

/// Planes for a limb that comes out of the body some way along `bone`, the nearest to the joint first.
pub(super) fn farther_out(planes: &[Plane], bone: &Bone) -> Vec<Plane> {
    let along = (bone.tail - bone.head).as_dvec3() * (FARTHEST_OUT / STEPS_OUT as f64);
    let mut farther = Vec::with_capacity(STEPS_OUT * PLANES_OUT);
    for step in 1..=STEPS_OUT {
        let move_out = |plane: &Plane| Plane { origin: plane.origin + along * step as f64, ..*plane };
        farther.extend(planes.iter().take(PLANES_OUT).map(move_out));
    }
    farther
}
