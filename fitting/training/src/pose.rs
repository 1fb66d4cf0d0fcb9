//! Poses and proportions of characters, by their own skins.
//!
//! Every joint has a rotation and a scale. Scales are not inherited, so that limbs do not shear;
//! joints without a label continue the nearest labelled joint above them.

use std::collections::BTreeMap;

use glam::{Mat3, Quat, Vec3};

use crate::characters::Character;
use crate::random::Random;

/// A change of a labelled joint.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Rotation about the joint, in the axes of the character.
    pub rotation: Quat,
    /// Scale of what the joint carries, in the axes of the character at rest.
    pub scale: Mat3,
}

impl Default for Change {
    fn default() -> Self {
        Self { rotation: Quat::IDENTITY, scale: Mat3::IDENTITY }
    }
}

/// A character in another pose.
#[derive(Clone, Debug)]
pub struct Posed {
    /// Vertices, one unit high, feet at zero.
    pub positions: Vec<Vec3>,
    /// Joints.
    pub heads: Vec<Vec3>,
}

/// Changes by label.
pub type Changes = BTreeMap<String, Change>;

/// Applies changes to a character, and makes it one unit high again.
pub fn apply(character: &Character, changes: &Changes) -> Posed {
    let joints = character.heads.len();
    let mut own: Vec<Option<Change>> = vec![None; joints];
    for (label, change) in changes {
        if let Some(&joint) = character.labels.get(label) {
            own[joint] = Some(*change);
        }
    }
    let mut is_labelled = vec![false; joints];
    character.labels.values().for_each(|&joint| is_labelled[joint] = true);
    let mut turned = vec![Quat::IDENTITY; joints];
    let mut scales = vec![Mat3::IDENTITY; joints];
    let mut heads = character.heads.clone();
    for joint in 0..joints {
        let (parent_turn, parent_scale) = match character.parents[joint] {
            Some(parent) => {
                let offset = character.heads[joint] - character.heads[parent];
                heads[joint] = heads[parent] + turned[parent] * (scales[parent] * offset);
                (turned[parent], scales[parent])
            }
            None => (Quat::IDENTITY, Mat3::IDENTITY),
        };
        let change = own[joint].unwrap_or(Change {
            rotation: Quat::IDENTITY,
            scale: if is_labelled[joint] { Mat3::IDENTITY } else { parent_scale },
        });
        turned[joint] = parent_turn * change.rotation;
        scales[joint] = change.scale;
    }
    let transforms: Vec<Mat3> =
        turned.iter().zip(&scales).map(|(turn, scale)| Mat3::from_quat(*turn) * *scale).collect();
    let moved = |(vertex, row): (&Vec3, &Vec<(u32, f32)>)| {
        row.iter().fold(Vec3::ZERO, |sum, &(joint, weight)| {
            let joint = joint as usize;
            sum + (heads[joint] + transforms[joint] * (*vertex - character.heads[joint])) * weight
        })
    };
    let mut positions: Vec<Vec3> = character.positions.iter().zip(&character.weights).map(moved).collect();
    let used = || character.triangles.iter().flatten().map(|&v| positions[v as usize]);
    let low = used().fold(Vec3::INFINITY, Vec3::min);
    let high = used().fold(Vec3::NEG_INFINITY, Vec3::max);
    let origin = Vec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
    let height = high.y - low.y;
    positions.iter_mut().chain(&mut heads).for_each(|p| *p = (*p - origin) / height);
    Posed { positions, heads }
}

/// Scale along a bone, and across it.
pub fn bone_scale(along: Vec3, length: f32, thickness: f32) -> Mat3 {
    let a = along.normalize_or(Vec3::Y);
    let outer = Mat3::from_cols(a * a.x, a * a.y, a * a.z);
    Mat3::IDENTITY * thickness + outer * (length - thickness)
}

const SIDES: [(&str, f32); 2] = [("L", 1.0), ("R", -1.0)];

/// How the limbs of a humanoid are held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limbs {
    /// Degrees of the upper arm below the horizontal; `None` as in the file.
    pub arm_down: Option<f32>,
    /// Degrees of the upper arm to the front.
    pub arm_front: f32,
    /// Degrees that the elbow is bent.
    pub elbow: f32,
    /// Degrees that the thigh is turned outwards.
    pub apart: f32,
    /// Degrees that the thigh is turned to the front.
    pub hip: f32,
    /// Degrees that the knee is bent.
    pub knee: f32,
    /// Degrees that the palm is turned to the front, about the forearm.
    pub twist: f32,
    /// Degrees that the hand is bent down.
    pub wrist: f32,
}

/// Rotations that hold the limbs of a humanoid as given, by side.
pub fn hold(character: &Character, limbs: [Limbs; 2]) -> Changes {
    let mut changes = Changes::new();
    let head = |label: &str, side: &str| {
        character.labels.get(&format!("{label}.{side}")).map(|&j| character.heads[j])
    };
    for ((side, sign), limbs) in SIDES.into_iter().zip(limbs) {
        let turn = |axis: Vec3, degrees: f32| Quat::from_axis_angle(axis, degrees.to_radians());
        let mut set = |label: &str, rotation: Quat| {
            changes.entry(format!("{label}.{side}")).or_default().rotation = rotation;
        };
        if let (Some(shoulder), Some(elbow)) = (head("upper_arm", side), head("forearm", side)) {
            let arm = elbow - shoulder;
            let now = (-arm.y).atan2(arm.x * sign).to_degrees();
            let down = limbs.arm_down.map_or(0.0, |down| down - now);
            let lowered = turn(Vec3::Z, -down * sign);
            set("upper_arm", turn(Vec3::Y, -limbs.arm_front * sign) * lowered);
            let along = arm.normalize_or(Vec3::X);
            // The elbow bends to the front, about an axis across arm and front.
            let axis = along.cross(Vec3::Z).normalize_or(Vec3::Y);
            set("forearm", turn(axis, limbs.elbow) * turn(along, limbs.twist * sign));
            set("hand", turn(along.cross(Vec3::Y).normalize_or(Vec3::Z), -limbs.wrist));
        }
        set("thigh", turn(Vec3::Z, limbs.apart * sign) * turn(Vec3::X, -limbs.hip));
        set("shin", turn(Vec3::X, limbs.knee));
        set("foot", turn(Vec3::X, limbs.hip - limbs.knee) * turn(Vec3::Z, -limbs.apart * sign));
    }
    changes
}

/// The poses in which characters are judged: as in the file, and with arms and legs moved.
pub fn judged() -> [(&'static str, Option<Limbs>); 6] {
    let arms = |down: f32| Limbs { arm_down: Some(down), ..Limbs::default() };
    [
        ("original", None),
        ("arms 20", Some(arms(20.0))),
        ("arms 45", Some(arms(45.0))),
        ("arms 75", Some(arms(75.0))),
        ("elbows bent", Some(Limbs { elbow: 40.0, ..arms(45.0) })),
        ("legs apart", Some(Limbs { apart: 12.0, ..arms(20.0) })),
    ]
}

/// Random limbs, the same on both sides most of the time.
fn random_limbs(random: &mut Random) -> [Limbs; 2] {
    let mut one = || Limbs {
        arm_down: (!random.chance(0.15)).then(|| random.range(-12.0, 84.0)),
        arm_front: 10.0 * random.normal(),
        elbow: if random.chance(0.5) { random.range(0.0, 60.0) } else { 5.0 * random.normal() },
        apart: random.range(-3.0, 14.0),
        hip: if random.chance(0.3) { 12.0 * random.normal() } else { 0.0 },
        knee: if random.chance(0.3) { random.range(0.0, 40.0) } else { 0.0 },
        twist: 20.0 * random.normal(),
        wrist: 12.0 * random.normal(),
    };
    let [left, right] = [one(), one()];
    let differs = random.chance(0.25);
    [left, if differs { right } else { left }]
}

/// A random pose with random proportions. `strength` is one for the usual spread.
pub fn random(character: &Character, random: &mut Random, strength: f32) -> Changes {
    let mut changes = hold(character, random_limbs(random));
    let s = strength;
    let at = |label: &str| character.labels.get(label).map(|&joint| character.heads[joint]);
    let torso = Mat3::from_diagonal(Vec3::new(
        random.factor(0.22 * s),
        random.factor(0.22 * s),
        random.factor(0.22 * s),
    ));
    for label in ["hips", "spine", "chest", "upper_chest"] {
        changes.entry(label.into()).or_default().scale = torso;
    }
    let neck = bone_scale(Vec3::Y, random.factor(0.3 * s), random.factor(0.25 * s));
    let head = Mat3::from_diagonal(Vec3::new(
        random.factor(0.12 * s),
        random.factor(0.12 * s),
        random.factor(0.12 * s),
    )) * random.factor(0.28 * s);
    changes.entry("neck".into()).or_default().scale = neck;
    let nod = Quat::from_axis_angle(Vec3::X, 0.12 * random.normal())
        * Quat::from_axis_angle(Vec3::Y, 0.15 * random.normal());
    let change = changes.entry("head".into()).or_default();
    (change.scale, change.rotation) = (head, nod);
    changes.entry("spine".into()).or_default().rotation =
        Quat::from_axis_angle(Vec3::X, 0.08 * random.normal())
            * Quat::from_axis_angle(Vec3::Z, 0.03 * random.normal());
    let arm_length = random.factor(0.22 * s);
    let leg_length = random.factor(0.25 * s);
    let limbs = [
        ("upper_arm", "forearm", arm_length * random.factor(0.12 * s), random.factor(0.25 * s)),
        ("forearm", "hand", arm_length * random.factor(0.12 * s), random.factor(0.25 * s)),
        ("thigh", "shin", leg_length * random.factor(0.12 * s), random.factor(0.25 * s)),
        ("shin", "foot", leg_length * random.factor(0.12 * s), random.factor(0.25 * s)),
    ];
    let (hand, foot) = (random.factor(0.25 * s), random.factor(0.22 * s));
    let shoulder = random.factor(0.2 * s);
    for (side, _) in SIDES {
        for (from, to, length, thickness) in limbs {
            let ends = (at(&format!("{from}.{side}")), at(&format!("{to}.{side}")));
            if let (Some(a), Some(b)) = ends {
                changes.entry(format!("{from}.{side}")).or_default().scale =
                    bone_scale(b - a, length, thickness);
            }
        }
        changes.entry(format!("hand.{side}")).or_default().scale = Mat3::IDENTITY * hand;
        for label in ["foot", "toe"] {
            changes.entry(format!("{label}.{side}")).or_default().scale = Mat3::IDENTITY * foot;
        }
        changes.entry(format!("shoulder.{side}")).or_default().scale =
            Mat3::from_diagonal(Vec3::new(shoulder, torso.y_axis.y, torso.z_axis.z));
    }
    changes
}
