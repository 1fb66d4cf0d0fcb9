//! Bakes the correction of a clip as morph targets, for engines that only skin linearly.
//!
//! In: a rig, its [`PostSkinning`], a deformer, and a clip with a number of keys or a tolerance.
//! Out: [`Morphs`]: at every key the displacement in rest space that linear skinning transforms to
//! what the deformer and the correction show, `(Σ w_j A_j)⁻¹ Δ` (docs/theory/volume.md#baking).
//! Cost: one corrected frame and one 3 × 3 inverse per vertex and key; for a tolerance and for the
//! error also at three times between keys.

use glam::{DMat3, Mat3, Mat4, Vec3};

use super::post_skinning::PostSkinning;
use super::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::model::{Clip, Influence, Morphs, Rig};

/// Determinant of a blended matrix below which it counts as singular, and the displacement is left
/// out. Larger: strongly bent skin is not corrected. Smaller: vertices move far between keys.
const MIN_DETERMINANT: f64 = 1e-2;

/// Largest ratio of the displacement in rest space to the one in posed space. Larger: vertices move
/// far between keys. Smaller: strongly bent skin is not corrected.
const MAX_RATIO: f32 = 8.0;

/// Bakes the corrections of `clip` at `keys` evenly spaced times from its start to its end, both
/// included. If `joints` are given, only around these: the correction is multiplied by the weights
/// of these joints and their parents.
pub fn bake(
    rig: &Rig,
    post_skinning: &mut PostSkinning,
    clip: &Clip,
    keys: usize,
    joints: &[usize],
) -> Morphs {
    Baker::new(rig, post_skinning, Deformer::Linear, joints).evenly(clip, keys)
}

/// How far morph targets are from what they stand for, between their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BakeError {
    /// The largest displacement at any time that was examined.
    pub largest: f32,
    /// The largest difference between keys, where morph targets are blended.
    pub between_keys: f32,
}

impl BakeError {
    /// The difference as a share of the largest displacement; zero if nothing moves.
    pub fn share(&self) -> f32 {
        if self.largest > 0.0 { self.between_keys / self.largest } else { 0.0 }
    }

    fn join(&mut self, other: Self) {
        self.largest = self.largest.max(other.largest);
        self.between_keys = self.between_keys.max(other.between_keys);
    }
}

/// Bakes the clips of one rig.
#[derive(Debug)]
pub struct Baker<'a> {
    rig: &'a Rig,
    post_skinning: &'a mut PostSkinning,
    deformer: Deformer,
    factors: Vec<f32>,
    skin: Skin,
    scratch: Scratch,
}

impl<'a> Baker<'a> {
    /// Times between two keys that are compared with blended targets, as shares of the interval.
    const BETWEEN: [f32; 3] = [0.25, 0.5, 0.75];

    /// Keys that a search for a tolerance begins with. Larger: short clips get keys without need.
    /// Smaller: a motion that returns between two keys is not seen.
    const FIRST_KEYS: usize = 5;

    /// Bakes what `deformer` and the corrections show; around `joints`, or everywhere for none.
    pub fn new(
        rig: &'a Rig,
        post_skinning: &'a mut PostSkinning,
        deformer: Deformer,
        joints: &[usize],
    ) -> Self {
        let (factors, skin) = (factors_of(rig, joints), Skin::of_rig(rig));
        let scratch = Scratch::new(&skin);
        Self { rig, post_skinning, deformer, factors, skin, scratch }
    }

    /// Morph targets at `keys` evenly spaced times.
    pub fn evenly(&mut self, clip: &Clip, keys: usize) -> Morphs {
        let last = keys.max(2) - 1;
        let times = (0..=last).map(|key| clip.duration() * key as f32 / last as f32).collect::<Vec<_>>();
        let targets = times.iter().map(|&time| self.target(clip, time)).collect();
        Morphs { clip: clip.name.clone(), times, targets }
    }

    /// Morph targets at the times that bring the error between keys below `tolerance`, as a share
    /// of the largest displacement; at most `most_keys`. Also returns the error that is left.
    pub fn within(&mut self, clip: &Clip, tolerance: f32, most_keys: usize) -> (Morphs, BakeError) {
        let mut morphs = self.evenly(clip, Self::FIRST_KEYS.min(most_keys));
        let mut intervals: Vec<(BakeError, f32)> =
            (1..morphs.times.len()).map(|key| self.between(clip, &morphs, key)).collect();
        loop {
            let mut error = BakeError::default();
            intervals.iter().for_each(|&(of, _)| error.join(of));
            let widest = intervals.iter().enumerate();
            let widest = widest.max_by(|(_, (a, _)), (_, (b, _))| a.between_keys.total_cmp(&b.between_keys));
            let Some((at, &(_, time))) = widest else { return (morphs, error) };
            if error.share() <= tolerance || morphs.times.len() >= most_keys {
                return (morphs, error);
            }
            let target = self.target(clip, time);
            morphs.times.insert(at + 1, time);
            morphs.targets.insert(at + 1, target);
            intervals[at] = self.between(clip, &morphs, at + 1);
            intervals.insert(at + 1, self.between(clip, &morphs, at + 2));
        }
    }

    /// The error between the keys of morph targets of `clip`.
    pub fn error(&mut self, clip: &Clip, morphs: &Morphs) -> BakeError {
        let mut error = BakeError::default();
        (1..morphs.times.len()).for_each(|key| error.join(self.between(clip, morphs, key).0));
        error
    }

    /// The error between a key and the one before, and the time at which it is largest.
    fn between(&mut self, clip: &Clip, morphs: &Morphs, key: usize) -> (BakeError, f32) {
        let [from, to] = [key - 1, key].map(|key| (morphs.times[key], &morphs.targets[key]));
        let mut all = BakeError::default();
        let mut worst = 0.5 * (from.0 + to.0);
        for share in Self::BETWEEN {
            let time = from.0 + share * (to.0 - from.0);
            let mut here = BakeError::default();
            for ((wanted, a), b) in self.target(clip, time).into_iter().zip(from.1).zip(to.1) {
                let lengths = [wanted, *a, *b].map(Vec3::length);
                let largest = lengths.into_iter().fold(0.0, f32::max);
                here.join(BakeError { largest, between_keys: wanted.distance(a.lerp(*b, share)) });
            }
            if here.between_keys > all.between_keys {
                worst = time;
            }
            all.join(here);
        }
        (all, worst)
    }

    /// The displacements of all vertices in rest space at a time of a clip.
    fn target(&mut self, clip: &Clip, time: f32) -> Vec<Vec3> {
        let matrices = clip.sample(&self.rig.skeleton, time).skinning_matrices(&self.rig.skeleton);
        let rest = Rest { positions: &self.rig.asset.render.positions, normals: &[] };
        let mut skinned = vec![Vec3::ZERO; rest.positions.len()];
        let mut pose = |deformer, positions: &mut [Vec3]| {
            let posed = Posed { positions, normals: &mut [] };
            deform(deformer, &self.skin, &matrices, rest, posed, &mut self.scratch);
        };
        pose(Deformer::Linear, &mut skinned);
        let mut shown = skinned.clone();
        if self.deformer != Deformer::Linear {
            pose(self.deformer, &mut shown);
        }
        self.post_skinning.correct(&matrices, Posed { positions: &mut shown, normals: &mut [] });
        let pairs = skinned.iter().zip(&shown).enumerate();
        let moved = pairs.map(|(vertex, (a, b))| {
            to_rest(&matrices, self.rig.weights().row(vertex), (*b - *a) * self.factors[vertex])
        });
        moved.collect()
    }
}

/// The factor of the correction of every render vertex.
fn factors_of(rig: &Rig, joints: &[usize]) -> Vec<f32> {
    let mut chosen = vec![joints.is_empty(); rig.skeleton.joints().len()];
    for &joint in joints {
        chosen[joint] = true;
        if let Some(parent) = rig.skeleton.joints()[joint].parent {
            chosen[parent] = true;
        }
    }
    let sum = |row: &[Influence]| row.iter().filter(|i| chosen[i.column as usize]).map(|i| i.weight).sum();
    rig.weights().rows().map(sum).collect()
}

/// The displacement in rest space that skinning transforms to `moved`.
fn to_rest(posed_from_rest: &[Mat4], row: &[Influence], moved: Vec3) -> Vec3 {
    if moved == Vec3::ZERO {
        return moved;
    }
    let blend = row.iter().fold(DMat3::ZERO, |sum, influence| {
        sum + Mat3::from_mat4(posed_from_rest[influence.column as usize]).as_dmat3()
            * f64::from(influence.weight)
    });
    if blend.determinant().abs() < MIN_DETERMINANT {
        return Vec3::ZERO;
    }
    let back = (blend.inverse() * moved.as_dvec3()).as_vec3();
    back.clamp_length_max(MAX_RATIO * moved.length())
}
