//! Bodies with known joints.

use glam::Vec3;
use pliant_fitting::body::Body;
use pliant_fitting::cascade::Plan;

use crate::characters::Character;
use crate::parallel::map;
use crate::random::Random;
use crate::robes::{self, ROBES};
use crate::{made_up, pose, solid};

/// A body with known joints.
pub struct Sample {
    pub body: Body,
    /// Joints of the plan; NaN where the label is missing.
    pub joints: Vec<Vec3>,
    /// Index of the character, or `usize::MAX` for a made-up one.
    pub character: usize,
    /// Index of the judged pose or robe, or `usize::MAX` for a random one.
    pub pose: usize,
    pub profiles: [Vec<f32>; 2],
    pub centroid: Vec3,
}

impl Sample {
    pub fn new(body: Body, joints: Vec<Vec3>, character: usize, pose: usize) -> Self {
        let centroid = pliant_fitting::profile::centroid(&body);
        let profiles = [false, true].map(|m| pliant_fitting::profile::profile(&body, centroid, m));
        Self { body, joints, character, pose, profiles, centroid }
    }
}

fn labelled(plan: &Plan, character: &Character, heads: &[Vec3]) -> Vec<Vec3> {
    let at = |name: &str| character.labels.get(name).map_or(Vec3::NAN, |&joint| heads[joint]);
    plan.joints.iter().map(|joint| at(joint.name)).collect()
}

/// Bodies of all characters in the judged poses.
pub fn judged(plan: &Plan, characters: &[Character]) -> Vec<Sample> {
    let jobs: Vec<(usize, usize)> =
        (0..characters.len()).flat_map(|c| (0..pose::judged().len()).map(move |p| (c, p))).collect();
    map(&jobs, |&(c, p)| {
        let character = &characters[c];
        let changes = pose::judged()[p].1.map(|limbs| pose::hold(character, [limbs; 2])).unwrap_or_default();
        let posed = pose::apply(character, &changes);
        let body = Body::of_mesh(&posed.positions, &character.triangles);
        Sample::new(body, labelled(plan, character, &posed.heads), c, p)
    })
}

/// Bodies of all characters in robes.
pub fn robed(plan: &Plan, characters: &[Character]) -> Vec<Sample> {
    let jobs: Vec<(usize, usize)> =
        (0..characters.len()).flat_map(|c| (0..ROBES.len()).map(move |robe| (c, robe))).collect();
    let dressed = map(&jobs, |&(c, robe)| {
        let character = &characters[c];
        let (posed, triangles) = robes::dress(character, &ROBES[robe])?;
        let body = Body::of_mesh(&posed.positions, &triangles);
        Some(Sample::new(body, labelled(plan, character, &posed.heads), c, robe))
    });
    dressed.into_iter().flatten().collect()
}

/// Bodies of all characters in random poses with random proportions.
pub fn random(plan: &Plan, characters: &[Character], variants: usize, seed: u64) -> Vec<Sample> {
    let jobs: Vec<(usize, usize)> =
        (0..characters.len()).flat_map(|c| (0..variants).map(move |v| (c, v))).collect();
    map(&jobs, |&(c, v)| {
        let character = &characters[c];
        let mut random = Random::new(seed ^ ((c as u64) << 20) ^ v as u64);
        let strength = if v % 4 == 0 { 0.0 } else { 1.0 };
        let changes = pose::random(character, &mut random, strength);
        let posed = pose::apply(character, &changes);
        let mut solids = Vec::new();
        if v % 3 == 1 {
            // Hats and bags, as other authors give them to their characters.
            let top = Vec3::new(0.0, 1.0, 0.0);
            let half = character.labels.get("head").map_or(0.1, |&j| 0.5 * (1.0 - posed.heads[j].y).max(0.1));
            made_up::adorn_head(&mut random, &mut solids, top, half, half);
        }
        let (body, origin, factor) = solid::body(&posed.positions, &character.triangles, &solids);
        let heads: Vec<Vec3> = posed.heads.iter().map(|&p| (p - origin) * factor).collect();
        Sample::new(body, labelled(plan, character, &heads), c, usize::MAX)
    })
}

/// Made-up bodies.
pub fn made_up(count: usize, seed: u64) -> Vec<Sample> {
    made(count, seed, made_up::humanoid)
}

/// Made-up bodies with faces, bellies, shoes and what else tells front from back.
pub fn made_up_with_front(count: usize, seed: u64) -> Vec<Sample> {
    made(count, seed, made_up::humanoid_with_front)
}

fn made(count: usize, seed: u64, make: fn(&mut Random) -> (Vec<solid::Solid>, Vec<Vec3>)) -> Vec<Sample> {
    let jobs: Vec<u64> = (0..count as u64).collect();
    map(&jobs, |&job| {
        let mut random = Random::new(seed.wrapping_mul(77) ^ (job << 8));
        let (solids, joints) = make(&mut random);
        let (body, origin, factor) = solid::body(&[], &[], &solids);
        Sample::new(body, joints.iter().map(|&p| (p - origin) * factor).collect(), usize::MAX, usize::MAX)
    })
}
