//! Correction maps γ: where the flesh gives (Rohmer, Hahmann, Cani 2008, §4; PAPERS §4.3).
//!
//! In: rest positions, weights, bones, options. Out: one number per vertex, none negative, not normalised:
//! only ratios matter. Cost: vertices × bones, once per rig.
//!
//! A segment ends where two weights are equally large. The paper's local map fades out with 2m − 1, which is that for two bones;
//! where three share a vertex it is zero all over small segments, such as an elephant's neck, which then
//! could not give at all. So exact mode fades out with the difference of the two largest weights.

use glam::Vec3;

use super::options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
use crate::model::{Bone, Mesh, Skeleton, Weights};

/// γ of every vertex of the solve mesh; `painted` (one factor per vertex, or none at all) multiplies it.
pub(super) fn gamma(
    mesh: &Mesh,
    weights: &Weights,
    skeleton: &Skeleton,
    options: &VolumeOptions,
    painted: &[f32],
) -> Vec<f32> {
    let (least, most) = VolumeOptions::EXPONENTS.into_inner();
    let exponent = |given: f64| if given.is_nan() { 1.0 } else { given.clamp(least, most) };
    let (alpha, beta) = (exponent(options.alpha), exponent(options.beta));
    let counted = counted_bones(skeleton, &options.excluded);
    let size = mesh.diagonal().max(f32::MIN_POSITIVE);
    let value = |vertex: usize, position: &Vec3| -> f64 {
        let [largest, second] = heaviest(weights, vertex);
        let give = (1.0 - largest).max(0.0).powf(alpha);
        let depth = || f64::from(distance_to(&counted, *position) / size).powf(beta);
        match options.map {
            CorrectionMap::Uniform => 1.0,
            CorrectionMap::Rubber => give,
            CorrectionMap::Organic => give * depth(),
            CorrectionMap::Local => {
                let fade = match options.mode {
                    CorrectionMode::Paper => 2.0 * largest - 1.0,
                    CorrectionMode::Exact => largest - second,
                };
                give * depth() * fade.max(0.0)
            }
        }
    };
    let positions = mesh.positions().iter().enumerate();
    positions.map(|(vertex, position)| (value(vertex, position) * paint(painted, vertex)) as f32).collect()
}

/// All of a part alike, or all of a segment, fading out where it ends: for what γ's flesh cannot hold.
pub(super) fn spread(weights: &Weights, scope: VolumeScope, painted: &[f32]) -> Vec<f32> {
    let value = |vertex| {
        let [largest, second] = heaviest(weights, vertex);
        let fade = if scope == VolumeScope::Segments { largest - second } else { 1.0 };
        fade * paint(painted, vertex)
    };
    (0..weights.vertices()).map(|vertex| value(vertex) as f32).collect()
}

/// The two largest weights of a vertex.
fn heaviest(weights: &Weights, vertex: usize) -> [f64; 2] {
    weights.row(vertex).iter().map(|i| f64::from(i.weight)).fold([0.0, 0.0], |[first, second], weight| {
        if weight > first { [weight, first] } else { [first, second.max(weight)] }
    })
}

fn paint(painted: &[f32], vertex: usize) -> f64 {
    match painted.get(vertex) {
        Some(&factor) if factor.is_finite() => f64::from(factor.max(0.0)),
        Some(_) => 0.0,
        None => 1.0,
    }
}

/// All bones but the excluded ones; all of them if none would be left.
fn counted_bones<'a>(skeleton: &'a Skeleton, excluded: &[String]) -> Vec<&'a Bone> {
    let is_out = |bone: &&Bone| excluded.contains(&skeleton.joints()[bone.joint].name);
    let counted: Vec<&Bone> = skeleton.bones().iter().filter(|bone| !is_out(bone)).collect();
    if counted.is_empty() { skeleton.bones().iter().collect() } else { counted }
}

fn distance_to(bones: &[&Bone], position: Vec3) -> f32 {
    let nearest = bones.iter().map(|bone| bone.nearest(position).distance_squared(position));
    let squared = nearest.fold(f32::INFINITY, f32::min);
    if squared.is_finite() { squared.sqrt() } else { 0.0 }
}
