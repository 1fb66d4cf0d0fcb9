//! Correction maps γ: where the flesh gives (Rohmer, Hahmann, Cani 2008, §4; PAPERS §4.3).
//!
//! In: rest positions, weights, bones, options. Out: one number per vertex, none negative, not normalised:
//! only ratios matter. Cost: vertices × bones, once per rig.
//!
//! A segment ends where two weights are equally large. The paper's local map fades out with 2m − 1, which is that for two bones;
//! where three share a vertex it is zero all over small segments, such as an elephant's neck, which then
//! could not give at all. So exact mode fades out with the difference of the two largest weights. And `1 − m` has a crest where the heaviest
//! joint changes, which shows in what swells by it: exact mode takes `1 − Σ w²`, which is the same wherever some joints share a vertex alike, and smooth in
//! between. It is also where linear blending loses volume: `w (1 − w)` of it (PAPERS §4, oracle).

use glam::Vec3;

use super::Body;
use super::options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
use crate::model::{Bone, Skeleton, Weights};

/// A whole segment gives all it can where its weight is ahead of the next by the inverse of this. Larger: grooves where segments meet. Smaller:
/// thin segments, such as a giraffe's chest, have little flesh left that gives, and that goes far.
const SOON: f64 = 4.0;

/// PostSkinning of which other joints than one hold no more than this is left alone where the pose decides who gives: it would hardly move. Larger: bulges
/// end short. Smaller: frames take longer; by bone heat nothing is held by one joint alone.
const HARDLY_SHARED: f64 = 5e-3;

/// Whether a pose can bend the flesh around a vertex by more than next to nothing.
pub fn is_shared(weights: &Weights, vertex: usize) -> bool {
    1.0 - heaviest(weights, vertex)[0] > HARDLY_SHARED
}

/// All that a correction asks of vertices, one number each, multiplied by what is painted.
pub(super) struct Maps {
    /// γ.
    pub(super) gamma: Vec<f32>,
    /// γ where nothing fades out at the end of a segment.
    pub(super) unfaded: Vec<f32>,
    /// All of a part alike, or all of a segment, fading out where it ends: for what γ's flesh cannot hold.
    pub(super) spread: Vec<f32>,
    /// All that more than one joint holds, fading out where one joint holds all but all.
    pub(super) soft: Vec<f32>,
    /// The same, fading out late.
    pub(super) shared: Vec<f32>,
}

/// Every map.
pub(super) fn all(body: &Body, options: &VolumeOptions) -> Maps {
    let Body { mesh, weights, skeleton, painted } = *body;
    let (least, most) = VolumeOptions::EXPONENTS.into_inner();
    let exponent = |given: f64| if given.is_nan() { 1.0 } else { given.clamp(least, most) };
    let (alpha, beta) = (exponent(options.alpha), exponent(options.beta));
    let counted = counted_bones(skeleton, &options.excluded);
    let size = mesh.diagonal().max(f32::MIN_POSITIVE);
    let ends = options.scope() == VolumeScope::Segments;
    let vertices = mesh.positions().len();
    let empty = || Vec::with_capacity(vertices);
    let mut maps = Maps { gamma: empty(), unfaded: empty(), spread: empty(), soft: empty(), shared: empty() };
    for (vertex, &position) in mesh.positions().iter().enumerate() {
        let [largest, second] = heaviest(weights, vertex);
        let shared = match options.mode {
            CorrectionMode::Paper => 1.0 - largest,
            CorrectionMode::Exact => 1.0 - squared(weights, vertex),
        };
        let give = shared.max(0.0).powf(alpha);
        let depth = || f64::from(distance_to(&counted, position) / size).powf(beta);
        let unfaded = match options.map {
            CorrectionMap::Uniform => 1.0,
            CorrectionMap::Rubber => give,
            CorrectionMap::Organic | CorrectionMap::Local => give * depth(),
        };
        let fade = match (options.map, options.mode) {
            (CorrectionMap::Local, CorrectionMode::Paper) => (2.0 * largest - 1.0).max(0.0),
            (CorrectionMap::Local, CorrectionMode::Exact) => largest - second,
            _ => 1.0,
        };
        let held_by_others = 1.0 - largest - HARDLY_SHARED;
        let soft = smooth(SOON * held_by_others);
        let spread = if ends { smooth(SOON * (largest - second)) } else { 1.0 };
        let paint = paint(painted, vertex);
        maps.gamma.push((unfaded * fade * paint) as f32);
        maps.unfaded.push((unfaded * paint) as f32);
        maps.spread.push((spread * paint) as f32);
        maps.soft.push((soft * paint) as f32);
        maps.shared.push(smooth(held_by_others / (3.0 * HARDLY_SHARED)) as f32);
    }
    maps
}

/// From 0 to 1 with level ends.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The two largest weights of a vertex.
fn heaviest(weights: &Weights, vertex: usize) -> [f64; 2] {
    weights.row(vertex).iter().map(|i| f64::from(i.weight)).fold([0.0, 0.0], |[first, second], weight| {
        if weight > first { [weight, first] } else { [first, second.max(weight)] }
    })
}

/// The sum of the squares of a vertex's weights.
fn squared(weights: &Weights, vertex: usize) -> f64 {
    weights.row(vertex).iter().map(|i| f64::from(i.weight).powi(2)).sum()
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
