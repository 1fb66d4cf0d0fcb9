//! Clips for animals: walk, trot, graze and sit on four legs; swim and slither along a line; fly.

use glam::{DQuat, DVec3};

use super::curves::{bump, hermite, keys, smooth, wave};
use crate::creature::{Creature, Kind, Posture, Role};
use crate::trig;

/// A clip for a kind of body.
#[derive(Clone, Copy, Debug)]
pub struct AnimalEntry {
    /// Its name.
    pub name: &'static str,
    /// The body.
    pub kind: Kind,
    /// Length in seconds.
    pub seconds: f64,
    posture: fn(&Creature<'_>, f64) -> Posture,
}

/// All clips for animals. The first one of a kind is what it does when it was just opened.
pub const ANIMALS: [AnimalEntry; 7] = [
    AnimalEntry { name: "walk", kind: Kind::Quadruped, seconds: 1.3, posture: walk },
    AnimalEntry { name: "trot", kind: Kind::Quadruped, seconds: 0.75, posture: trot },
    AnimalEntry { name: "graze", kind: Kind::Quadruped, seconds: 6.0, posture: graze },
    AnimalEntry { name: "sit", kind: Kind::Quadruped, seconds: 5.0, posture: sit },
    AnimalEntry { name: "fly", kind: Kind::Bird, seconds: 0.9, posture: fly },
    AnimalEntry { name: "swim", kind: Kind::Chain, seconds: 1.6, posture: swim },
    AnimalEntry { name: "slither", kind: Kind::Chain, seconds: 2.4, posture: slither },
];

impl AnimalEntry {
    /// The postures of a creature and their times. The last one is the first one again.
    pub fn postures(&self, creature: &Creature<'_>) -> (Vec<f32>, Vec<Posture>) {
        let count = (self.seconds * super::FRAME_RATE).round().max(1.0) as usize;
        let phase = |index: usize| index as f64 / count as f64;
        let times = (0..=count).map(|index| (self.seconds * phase(index)) as f32).collect();
        (times, (0..=count).map(|index| (self.posture)(creature, phase(index))).collect())
    }
}

fn about(axis: DVec3, degrees: f64) -> DQuat {
    trig::about(axis, degrees.to_radians())
}

/// Rotates the joints of a chain by shares of an angle that add up to it, on top of the joint that
/// it hangs from.
fn bend(creature: &Creature<'_>, posture: &mut Posture, role: Role, turn: impl Fn(f64) -> DQuat) {
    let chain = creature.chain(role).to_vec();
    let Some(&first) = chain.first() else { return };
    let above = creature.skeleton.joints()[first].parent;
    let base = above.map_or(DQuat::IDENTITY, |above| posture.turn(creature, above));
    for (index, &joint) in chain.iter().enumerate() {
        posture.turns[joint] = Some(base * turn((index + 1) as f64 / chain.len() as f64));
    }
}

/// The joint of a leg that stands on the ground, as a place in its chain: the first one that is
/// low.
fn foot_place(creature: &Creature<'_>, chain: &[usize]) -> usize {
    let top = creature.head(chain[0]).y;
    let is_low = |&joint: &usize| creature.head(joint).y < 0.2 * top;
    chain.iter().position(is_low).unwrap_or(chain.len() - 1).max(1)
}

/// Brings the foot of a leg to where it stands at rest plus an offset, by swinging the leg and by
/// folding or stretching the joints between. The foot is pitched by an angle in degrees.
fn place_foot(creature: &Creature<'_>, posture: &mut Posture, role: Role, offset: DVec3, pitch: f64) {
    let chain = creature.chain(role).to_vec();
    if chain.len() < 2 {
        return;
    }
    let foot = foot_place(creature, &chain);
    let root = creature.head(creature.root);
    let above = creature.skeleton.joints()[chain[0]].parent.unwrap_or(creature.root);
    let base = posture.turn(creature, above);
    // The body carries the top of the leg along.
    let top = carried(creature, posture, chain[0], root);
    let target = creature.head(chain[foot]) + offset;
    let heads: Vec<DVec3> = chain[..=foot].iter().map(|&joint| creature.head(joint)).collect();
    let folded = |fold: f64| -> (Vec<DQuat>, DVec3) {
        let mut turn = base;
        let mut at = DVec3::ZERO;
        let mut turns = Vec::new();
        for place in 0..foot {
            if place > 0 {
                let (before, after) = (heads[place] - heads[place - 1], heads[place + 1] - heads[place]);
                let sine = before.cross(after).x;
                let angle = trig::atan2(sine, before.dot(after));
                // Straight joints do not fold; others do not bend through.
                let by = if fold >= 0.0 {
                    angle.signum() * fold * angle.abs().min(0.6) / 0.6
                } else {
                    angle * fold.max(-1.0)
                };
                turn *= trig::about(DVec3::X, by);
            }
            turns.push(turn);
            at += turn * (heads[place + 1] - heads[place]);
        }
        (turns, at)
    };
    let distance = (target - top).length();
    // The leg becomes shorter the more it folds.
    let (mut low, mut high) = (-1.0_f64, 2.2_f64);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if folded(middle).1.length() > distance { low = middle } else { high = middle }
    }
    let (turns, reached) = folded(0.5 * (low + high));
    let swing = trig::arc(reached, target - top);
    for (place, turn) in turns.into_iter().enumerate() {
        posture.turns[chain[place]] = Some(swing * turn);
    }
    posture.turns[chain[foot]] = Some(about(DVec3::X, pitch));
}

/// Where a joint of the body is in a posture, from the rotations of the joints above it.
fn carried(creature: &Creature<'_>, posture: &Posture, joint: usize, root: DVec3) -> DVec3 {
    let mut way: Vec<usize> =
        creature.skeleton.upwards(joint).take_while(|&above| above != creature.root).collect();
    way.push(creature.root);
    way.reverse();
    let mut at = root + posture.offset;
    for pair in way.windows(2) {
        at += posture.turn(creature, pair[0]) * (creature.head(pair[1]) - creature.head(pair[0]));
    }
    at
}

/// A gait: when each leg lands as a share of the cycle (front left, front right, hind left, hind
/// right), the share for which a foot stands, stride and lift in leg heights.
struct Gait {
    lands: [f64; 4],
    duty: f64,
    stride: f64,
    lift: f64,
    bob: f64,
    nod: f64,
}

/// The feet land one after another: left hind, left front, right hind, right front.
const WALK: Gait =
    Gait { lands: [0.25, 0.75, 0.0, 0.5], duty: 0.66, stride: 0.95, lift: 0.1, bob: 0.012, nod: 4.0 };

/// Diagonal feet land together.
const TROT: Gait =
    Gait { lands: [0.0, 0.5, 0.5, 0.0], duty: 0.46, stride: 1.1, lift: 0.2, bob: 0.03, nod: 2.0 };

fn gait(creature: &Creature<'_>, t: f64, gait: &Gait) -> Posture {
    let mut posture = Posture::rest(creature);
    let unit = creature.leg_height;
    posture.offset = DVec3::new(0.015 * wave(t), -0.05 + gait.bob * wave(2.0 * t + 0.1), 0.0) * unit;
    posture.turns[creature.root] = Some(
        about(DVec3::X, 0.8 * wave(2.0 * t))
            * about(DVec3::Y, 3.0 * wave(t))
            * about(DVec3::Z, 1.5 * wave(t + 0.2)),
    );
    bend(creature, &mut posture, Role::Spine, |share| about(DVec3::Y, -5.0 * share * wave(t)));
    bend(creature, &mut posture, Role::Neck, |share| {
        about(DVec3::X, share * gait.nod * wave(2.0 * t + 0.35)) * about(DVec3::Y, 2.5 * share * wave(t))
    });
    bend(creature, &mut posture, Role::Tail, |share| {
        about(DVec3::Y, 14.0 * share * wave(t - 0.25 * share))
            * about(DVec3::X, 4.0 * share * wave(2.0 * t - 0.2 * share))
    });
    let pairs = creature.chains.iter().filter(|(role, _)| matches!(role, Role::Leg { side: 0, .. })).count();
    for pair in 0..pairs {
        for side in 0..2 {
            let hind = usize::from(pair > 0);
            let phase =
                (t - gait.lands[2 * hind + side] - 0.13 * pair.saturating_sub(1) as f64).rem_euclid(1.0);
            let half = 0.5 * gait.stride * gait.duty;
            let (front, lift, pitch) = if phase < gait.duty {
                let u = phase / gait.duty;
                (half - 2.0 * half * u, 0.0, 0.0)
            } else {
                let w = (phase - gait.duty) / (1.0 - gait.duty);
                let slope = -gait.stride * (1.0 - gait.duty);
                (
                    hermite(w, [-half, slope], [half, slope]),
                    gait.lift * bump(w, 0.0, 1.0),
                    42.0 * bump(w, -0.2, 0.9),
                )
            };
            let fade = if phase < gait.duty {
                0.0
            } else {
                pitch * smooth((phase - gait.duty) / (1.0 - gait.duty) * 6.0)
            };
            let offset = DVec3::new(0.0, lift, front) * unit;
            place_foot(creature, &mut posture, Role::Leg { pair, side }, offset, fade);
        }
    }
    posture
}

fn walk(creature: &Creature<'_>, t: f64) -> Posture {
    gait(creature, t, &WALK)
}

fn trot(creature: &Creature<'_>, t: f64) -> Posture {
    gait(creature, t, &TROT)
}

/// Puts all feet where they stand at rest, with offsets to the front of the front and hind feet.
fn stand(creature: &Creature<'_>, posture: &mut Posture, fronts: [f64; 2]) {
    let legs: Vec<Role> = creature.chains.iter().map(|(role, _)| *role).collect();
    for role in legs {
        if let Role::Leg { pair, .. } = role {
            let front = fronts[usize::from(pair > 0)] * creature.leg_height;
            place_foot(creature, posture, role, DVec3::Z * front, 0.0);
        }
    }
}

/// Bends the neck of a grazing animal: most at its base, and the head less than the neck, so that
/// the nose points down.
fn lower_neck(creature: &Creature<'_>, posture: &mut Posture, degrees: f64, aside: f64) {
    let count = creature.chain(Role::Neck).len().max(1) as f64;
    bend(creature, posture, Role::Neck, |share| {
        let place = (share * count).round();
        let bent = if place >= count && count > 1.0 { 0.6 } else { (0.55 + 0.25 * place).min(1.0) };
        about(DVec3::Y, aside * share) * about(DVec3::X, degrees * bent)
    });
}

/// The angle by which the neck must bend so that the head is near the ground.
fn neck_angle(creature: &Creature<'_>, posture: &Posture) -> f64 {
    /// Beyond this the head would be between the legs.
    const MAX_ANGLE: f64 = 110.0;
    let chain = creature.chain(Role::Neck);
    let Some(&last) = chain.last() else { return 0.0 };
    let root = creature.head(creature.root);
    let height = |degrees: f64| {
        let mut bent = posture.clone();
        lower_neck(creature, &mut bent, degrees, 0.0);
        carried(creature, &bent, last, root).y
    };
    let wanted = 0.35 * creature.leg_height;
    let (mut low, mut high) = (0.0, MAX_ANGLE);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if height(middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn graze(creature: &Creature<'_>, t: f64) -> Posture {
    let mut posture = Posture::rest(creature);
    let down = keys(t, &[(0.0, 0.0), (0.05, 0.0), (0.28, 1.0), (0.74, 1.0), (0.95, 0.0), (1.0, 0.0)]);
    let mut low = Posture::rest(creature);
    low.turns[creature.root] = Some(about(DVec3::X, 7.0));
    let angle = neck_angle(creature, &low);
    posture.offset = DVec3::new(0.0, -0.06 * down, 0.0) * creature.leg_height;
    posture.turns[creature.root] = Some(about(DVec3::X, 7.0 * down));
    let tearing = down * bump(t, 0.26, 0.76).sqrt();
    let nibble = 3.0 * tearing * wave(9.0 * t);
    lower_neck(creature, &mut posture, angle * down + nibble, 9.0 * tearing * wave(2.0 * t));
    bend(creature, &mut posture, Role::Tail, |share| {
        about(DVec3::Y, 16.0 * share * wave(3.0 * t - 0.25 * share))
    });
    stand(creature, &mut posture, [0.0, 0.0]);
    posture
}

/// How far a tail hangs: 1 if it points down, 0 if it is level.
fn hanging(creature: &Creature<'_>) -> f64 {
    let chain = creature.chain(Role::Tail);
    let [Some(&first), Some(&last)] = [chain.first(), chain.last()] else { return 0.0 };
    let along = (creature.head(last) - creature.head(first)).normalize_or_zero();
    (-along.y).clamp(0.0, 1.0)
}

fn sit(creature: &Creature<'_>, t: f64) -> Posture {
    let mut posture = Posture::rest(creature);
    let down = keys(t, &[(0.0, 0.0), (0.05, 0.0), (0.3, 1.0), (0.72, 1.0), (0.95, 0.0), (1.0, 0.0)]);
    posture.offset = DVec3::new(0.0, -0.52, 0.16) * (down * creature.leg_height);
    // The trunk rises from the hips so far that the shoulders stay where they are.
    let spine = creature.chain(Role::Spine);
    let length = spine
        .last()
        .map_or(creature.size, |&last| (creature.head(last) - creature.head(creature.root)).length());
    let rise = trig::atan2(0.5 * creature.leg_height, length.max(0.3 * creature.size)).to_degrees();
    posture.turns[creature.root] = Some(about(DVec3::X, -rise * down));
    bend(creature, &mut posture, Role::Neck, |share| {
        about(DVec3::X, 0.8 * rise * down * share) * about(DVec3::Y, 12.0 * share * down * wave(2.0 * t))
    });
    // The tail lies behind the body.
    let lift = rise + 80.0 * hanging(creature);
    bend(creature, &mut posture, Role::Tail, |share| {
        about(DVec3::X, lift * down) * about(DVec3::Y, 14.0 * share * wave(4.0 * t - 0.2 * share))
    });
    stand(creature, &mut posture, [0.0, 0.22 * down]);
    posture
}

fn fly(creature: &Creature<'_>, t: f64) -> Posture {
    let mut posture = Posture::rest(creature);
    let unit = creature.size;
    posture.offset = DVec3::new(0.0, 0.35 - 0.035 * wave(t + 0.02), 0.0) * unit;
    posture.turns[creature.root] = Some(about(DVec3::X, 4.0 + 3.0 * wave(t + 0.25)));
    for side in 0..2 {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        // Outer parts of the wing follow later.
        bend(creature, &mut posture, Role::Wing { side }, |share| {
            let stroke = 6.0 + 30.0 * wave(t) + 16.0 * share * wave(t - 0.14 * share);
            about(DVec3::Z, sign * stroke) * about(DVec3::X, -8.0 * share * wave(t + 0.2))
        });
    }
    bend(creature, &mut posture, Role::Neck, |share| about(DVec3::X, -share * (4.0 + 3.0 * wave(t + 0.25))));
    bend(creature, &mut posture, Role::Tail, |share| about(DVec3::X, 6.0 * share * wave(t - 0.1)));
    let legs: Vec<Role> = creature.chains.iter().map(|(role, _)| *role).collect();
    for role in legs {
        if let Role::Leg { .. } = role {
            bend(creature, &mut posture, role, |share| about(DVec3::X, 40.0 + 25.0 * share));
        }
    }
    posture
}

/// The line from the head to the tip of the tail, with the place of each joint from 0 to 1.
fn spine_line(creature: &Creature<'_>) -> Vec<(usize, f64)> {
    let mut line: Vec<usize> = creature.chain(Role::Neck).iter().rev().copied().collect();
    line.extend(creature.chain(Role::Spine).iter().rev());
    line.push(creature.root);
    line.extend(creature.chain(Role::Tail));
    let front = line.iter().map(|&joint| creature.head(joint).z).fold(f64::NEG_INFINITY, f64::max);
    let back = line.iter().map(|&joint| creature.head(joint).z).fold(f64::INFINITY, f64::min);
    let length = (front - back).max(f64::MIN_POSITIVE);
    line.into_iter().map(|joint| (joint, (front - creature.head(joint).z) / length)).collect()
}

/// A wave that runs from the head to the tail: headings of the joints, in degrees.
fn undulate(creature: &Creature<'_>, t: f64, waves: f64, amplitude: impl Fn(f64) -> f64) -> Posture {
    let mut posture = Posture::rest(creature);
    let line = spine_line(creature);
    for &(joint, place) in &line {
        posture.turns[joint] = Some(about(DVec3::Y, amplitude(place) * wave(t - waves * place)));
    }
    // The middle of the line stays where it is.
    let root = creature.head(creature.root);
    let drift: DVec3 =
        line.iter().map(|&(joint, _)| carried(creature, &posture, joint, root) - creature.head(joint)).sum();
    posture.offset = -drift / line.len().max(1) as f64;
    posture
}

fn swim(creature: &Creature<'_>, t: f64) -> Posture {
    let mut posture = undulate(creature, t, 0.6, |place| 5.0 + 26.0 * place * place);
    for side in 0..2 {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        bend(creature, &mut posture, Role::Wing { side }, |share| {
            about(DVec3::Z, -sign * share * 12.0 * wave(t + 0.1))
        });
    }
    posture
}

fn slither(creature: &Creature<'_>, t: f64) -> Posture {
    undulate(creature, t, 1.5, |place| 34.0 * (0.45 + 0.55 * smooth(2.0 * place)))
}
