//! Candidate planes for the loop at a joint.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::Constants;
use super::limbs::Limbs;
use super::plane::Plane;
use crate::math;
use crate::model::{Bone, Skeleton};

/// A joint is farther from an axis than another one if its distance is larger by this factor.
/// Smaller: of two joints at the same distance, rounding chooses one.
const CLEARLY_FARTHER: f64 = 1.0 + 1e-4;

/// Number of positions along the bone that are tried up to that distance.
const OFFSETS: usize = 8;

/// Number of planes tried at each of them, those next to the bisector.
const PLANES_PER_OFFSET: usize = 5;

/// The candidate planes at the head of `limb`, the bisecting plane first.
pub(super) fn planes_at(
    skeleton: &Skeleton,
    limbs: &Limbs,
    limb: usize,
    constants: &Constants,
) -> Vec<Plane> {
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
    let mut rotate_about = |axis: DVec3| {
        for i in 1..constants.planes as usize {
            // 1, −1, 2, −2 … steps from the bisector.
            let steps = i.div_ceil(2) as f64 * if i % 2 == 1 { 1.0 } else { -1.0 };
            let normal = DQuat::from_axis_angle(axis, steps * PI / constants.planes) * bisector;
            planes.push(Plane { origin, normal });
        }
    };
    if across.length() > constants.collinear_sine {
        rotate_about(math::unit_or_f64(across, math::any_orthogonal(bisector)));
    } else {
        let axis = sideways(skeleton, origin, bisector);
        rotate_about(axis);
        rotate_about(bisector.cross(axis));
    }
    planes.retain(|plane| plane.normal.dot(child) >= constants.min_bone_cosine);
    planes
}

/// A direction orthogonal to `axis` that rotates with the model: towards the joint farthest from
/// the axis, the first of equally far ones, such as the two of a pair.
fn sideways(skeleton: &Skeleton, origin: DVec3, axis: DVec3) -> DVec3 {
    let across = skeleton.joints().iter().map(|joint| (joint.head().as_dvec3() - origin).reject_from(axis));
    let is_farther = |offset: DVec3, best: DVec3| offset.length() > CLEARLY_FARTHER * best.length();
    let farthest = across.reduce(|best, offset| if is_farther(offset, best) { offset } else { best });
    let size =
        skeleton.joints().iter().map(|joint| joint.head().as_dvec3().distance(origin)).fold(0.0, f64::max);
    match farthest {
        Some(offset) if offset.length() > 1e-3 * size => {
            math::unit_or_f64(offset, math::any_orthogonal(axis))
        }
        _ => math::any_orthogonal(axis),
    }
}

/// Candidate planes for a limb that begins some distance along `bone`, the nearest to the joint
/// first.
pub(super) fn farther_out(planes: &[Plane], bone: &Bone, max_offset: f64) -> Vec<Plane> {
    let along = (bone.tail - bone.head).as_dvec3() * (max_offset / OFFSETS as f64);
    let mut farther = Vec::with_capacity(OFFSETS * PLANES_PER_OFFSET);
    for step in 1..=OFFSETS {
        let moved = |plane: &Plane| Plane { origin: plane.origin + along * step as f64, ..*plane };
        farther.extend(planes.iter().take(PLANES_PER_OFFSET).map(moved));
    }
    farther
}
