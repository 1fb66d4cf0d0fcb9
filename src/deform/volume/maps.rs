//! Correction maps γ: how much each vertex may move (docs/theory/volume.md#correction-maps).
//!
//! In: rest positions, weights, bones, options. Out: one number per vertex and map, not negative
//! and not normalised, since only ratios matter. Source: Rohmer, Hahmann, Cani 2008, §4. Cost:
//! vertices × bones, once per rig.
//!
//! Exact mode deviates from the paper in two ways. The paper's local map fades out with 2m − 1,
//! which is zero on whole segments where three joints share every vertex (the neck of the
//! elephant); exact mode uses the difference of the two largest weights, which is the same for two
//! joints. And 1 − m has a crest where the heaviest joint changes, which shows in the bulge; exact
//! mode uses 1 − Σ w², which is smooth there. Linear blending loses volume in proportion to it
//! (docs/theory/skinning.md#volume-lost-by-a-bend).

use glam::Vec3;

use super::VolumeInputs;
use super::options::{CorrectionMap, CorrectionMode, VolumeOptions, VolumeScope};
use super::tuning::MapTuning;
use crate::model::{Bone, Skeleton, Weights};

/// Whether the weights of all but the heaviest joint of a vertex sum to more than `tolerance`.
pub fn is_shared(weights: &Weights, vertex: usize, tolerance: f64) -> bool {
    1.0 - heaviest(weights, vertex)[0] > tolerance
}

/// All maps, one number per vertex, multiplied by the painted map (except `shared`).
pub(super) struct Maps {
    /// γ.
    pub(super) gamma: Vec<f32>,
    /// γ without the fade at the end of a segment.
    pub(super) unfaded_gamma: Vec<f32>,
    /// γ of the fallback: 1 on a whole part; on a segment it fades out where the segment ends.
    pub(super) fallback_gamma: Vec<f32>,
    /// γ of the fallback on shared vertices: fades out towards rigid ones.
    pub(super) soft_gamma: Vec<f32>,
    /// 1 on shared vertices; fades to 0 on rigid ones over a narrower range than `soft_gamma`.
    pub(super) shared: Vec<f32>,
}

impl Maps {
    /// Computes all maps.
    pub(super) fn new(inputs: &VolumeInputs, options: &VolumeOptions) -> Self {
        let vertices = inputs.mesh.positions().len();
        let empty = || Vec::with_capacity(vertices);
        let mut maps = Self {
            gamma: empty(),
            unfaded_gamma: empty(),
            fallback_gamma: empty(),
            soft_gamma: empty(),
            shared: empty(),
        };
        let depth = BoneDistance::new(inputs, options);
        for vertex in 0..vertices {
            maps.push(inputs, options, &depth, vertex);
        }
        maps
    }

    fn push(&mut self, inputs: &VolumeInputs, options: &VolumeOptions, depth: &BoneDistance, vertex: usize) {
        let VolumeInputs { mesh, weights, painted, tuning, .. } = *inputs;
        let MapTuning { rigid_weight_tolerance, fade_slope, rigid_fade_width } = tuning.maps;
        let [largest, second] = heaviest(weights, vertex);
        let shared = match options.mode {
            CorrectionMode::Paper => 1.0 - largest,
            CorrectionMode::Exact => 1.0 - sum_of_squares(weights, vertex),
        };
        let at_joints = shared.max(0.0).powf(exponent(options.alpha));
        let unfaded = match options.map {
            CorrectionMap::Uniform => 1.0,
            CorrectionMap::Rubber => at_joints,
            CorrectionMap::Organic | CorrectionMap::Local => at_joints * depth.of(mesh.positions()[vertex]),
        };
        let fade = match (options.map, options.mode) {
            (CorrectionMap::Local, CorrectionMode::Paper) => (2.0 * largest - 1.0).max(0.0),
            (CorrectionMap::Local, CorrectionMode::Exact) => largest - second,
            _ => 1.0,
        };
        let of_other_joints = 1.0 - largest - rigid_weight_tolerance;
        let soft = smoothstep(fade_slope * of_other_joints);
        let ends = options.scope() == VolumeScope::Segments;
        let fallback = if ends { smoothstep(fade_slope * (largest - second)) } else { 1.0 };
        let paint = paint(painted, vertex);
        self.gamma.push((unfaded * fade * paint) as f32);
        self.unfaded_gamma.push((unfaded * paint) as f32);
        self.fallback_gamma.push((fallback * paint) as f32);
        self.soft_gamma.push((soft * paint) as f32);
        let width = rigid_fade_width * rigid_weight_tolerance;
        self.shared.push(smoothstep(of_other_joints / width) as f32);
    }
}

/// `(d / D)^β`: the distance from the nearest counted bone, relative to the mesh diagonal.
struct BoneDistance<'a> {
    bones: Vec<&'a Bone>,
    diagonal: f32,
    beta: f64,
}

impl<'a> BoneDistance<'a> {
    fn new(inputs: &VolumeInputs<'a>, options: &VolumeOptions) -> Self {
        Self {
            bones: counted_bones(inputs.skeleton, &options.excluded),
            diagonal: inputs.mesh.diagonal().max(f32::MIN_POSITIVE),
            beta: exponent(options.beta),
        }
    }

    fn of(&self, position: Vec3) -> f64 {
        f64::from(distance_to(&self.bones, position) / self.diagonal).powf(self.beta)
    }
}

/// An exponent within its range; 1 for NaN.
fn exponent(value: f64) -> f64 {
    let (least, most) = VolumeOptions::EXPONENTS.into_inner();
    if value.is_nan() { 1.0 } else { value.clamp(least, most) }
}

/// Cubic from 0 at 0 to 1 at 1, with zero slope at both ends.
fn smoothstep(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The two largest weights of a vertex.
fn heaviest(weights: &Weights, vertex: usize) -> [f64; 2] {
    weights.row(vertex).iter().map(|i| f64::from(i.weight)).fold([0.0, 0.0], |[first, second], weight| {
        if weight > first { [weight, first] } else { [first, second.max(weight)] }
    })
}

/// `Σ w²` of a vertex.
fn sum_of_squares(weights: &Weights, vertex: usize) -> f64 {
    weights.row(vertex).iter().map(|i| f64::from(i.weight).powi(2)).sum()
}

/// The painted factor of a vertex: 1 without a painted map, 0 for values that are not finite.
fn paint(painted: &[f32], vertex: usize) -> f64 {
    match painted.get(vertex) {
        Some(&factor) if factor.is_finite() => f64::from(factor.max(0.0)),
        Some(_) => 0.0,
        None => 1.0,
    }
}

/// All bones but the excluded ones; all of them if none would be left.
fn counted_bones<'a>(skeleton: &'a Skeleton, excluded: &[String]) -> Vec<&'a Bone> {
    let is_excluded = |bone: &&Bone| excluded.contains(&skeleton.joints()[bone.joint].name);
    let counted: Vec<&Bone> = skeleton.bones().iter().filter(|bone| !is_excluded(bone)).collect();
    if counted.is_empty() { skeleton.bones().iter().collect() } else { counted }
}

fn distance_to(bones: &[&Bone], position: Vec3) -> f32 {
    let nearest = bones.iter().map(|bone| bone.nearest(position).distance_squared(position));
    let squared = nearest.fold(f32::INFINITY, f32::min);
    if squared.is_finite() { squared.sqrt() } else { 0.0 }
}
