//! Skeletons of animals: legs, wings, and the line from the head to the tail.
//!
//! Input: a skeleton that is no humanoid. Output: its chains by their roles. Limbs are pairs of
//! chains that mirror each other (`map::structure`). Legs lead down to the ground, wings aside. The
//! front is where the head is. Canonical coordinates are those of humanoids: X left, Y up, Z front,
//! the origin on the ground. Cost: some passes over the joints.

use glam::{DMat3, DQuat, DVec3, Vec3};

use crate::axes::snapped;
use crate::map::structure::{self, Pair, chain};
use crate::skeleton::{Interpolation, Skeleton, Track, Trs, Values, World};

/// What a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// From the root of the body to the front.
    Spine,
    /// From the spine to the head.
    Neck,
    /// From the root to the tip of the tail.
    Tail,
    /// A leg: pairs are counted from the front, sides are left (0) and right (1).
    Leg {
        /// The number of the pair.
        pair: usize,
        /// The side.
        side: usize,
    },
    /// A wing or a large fin.
    Wing {
        /// The side.
        side: usize,
    },
}

/// The kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two pairs of legs.
    Quadruped,
    /// A pair of wings.
    Bird,
    /// Neither: a line that bends.
    Chain,
}

/// A creature with its chains.
#[derive(Clone, Debug)]
pub struct Creature<'a> {
    /// The joints.
    pub skeleton: &'a Skeleton,
    /// The kind of body.
    pub kind: Kind,
    /// Chains with their joints, each from the body outwards.
    pub chains: Vec<(Role, Vec<usize>)>,
    /// The joint that carries the whole body.
    pub root: usize,
    /// rest_from_canonical.
    pub turn: DQuat,
    /// The origin, in rest space.
    pub origin: DVec3,
    /// The length of the body, and of the legs if there are any.
    pub size: f64,
    /// Height of the tops of the legs above the ground.
    pub leg_height: f64,
}

/// Share of the height of a leg within which its end is on the ground.
const ON_GROUND: f64 = 0.2;

/// The fewest joints of a line that can bend in waves.
const MIN_LINE: usize = 4;

/// Words of joints at the front and at the back.
const FRONT: [&str; 7] = ["head", "neck", "skull", "nose", "jaw", "mouth", "beak"];
const BACK: [&str; 1] = ["tail"];

impl<'a> Creature<'a> {
    /// `None` if the skeleton has no chain that could be moved.
    pub fn of(skeleton: &'a Skeleton, positions: &[Vec3]) -> Option<Self> {
        let size = structure::extent(skeleton);
        if size <= 0.0 {
            return None;
        }
        let (lateral, pairs) = structure::pairs(skeleton).unwrap_or((DVec3::X, Vec::new()));
        let down: DVec3 = pairs.iter().map(|pair| pair.ends[1] - pair.ends[0]).sum();
        let up = snapped((lateral * down.dot(lateral) - down).normalize_or_zero());
        // Files stand upright. Bodies whose limbs do not lead down have the usual axis.
        let is_axis = up.abs().max_element() == 1.0 && down.length() > 0.1 * size;
        let up = if is_axis { up } else { DVec3::Y };
        let lateral = if lateral.dot(up).abs() > 0.5 { DVec3::X } else { lateral };
        let forward = lateral.cross(up).try_normalize()?;
        let heads = || (0..skeleton.joints().len()).map(|joint| skeleton.head(joint));
        let lowest = heads().map(|head| head.dot(up)).fold(f64::INFINITY, f64::min);
        let ground = positions.iter().map(|p| p.as_dvec3().dot(up)).fold(lowest, f64::min);
        let is_leg = |pair: &&Pair| {
            let height = pair.ends[0].dot(up) - ground;
            pair.ends[1].dot(up) - ground < ON_GROUND * height && height > 0.15 * size.min(4.0 * pair.length)
        };
        let mut legs: Vec<&Pair> = pairs.iter().filter(is_leg).collect();
        let spread = |pair: &Pair| {
            let ends = [0, 1].map(|side| skeleton.head(*pair.chains[side].last().unwrap_or(&pair.branch)));
            (ends[0] - ends[1]).dot(lateral).abs()
        };
        let wings = pairs.iter().filter(|pair| !legs.iter().any(|leg| leg == pair));
        let wings = wings.filter(|pair| spread(pair) > 1.2 * pair.length && spread(pair) > 0.5 * size);
        let wings = wings.max_by(|a, b| a.length.total_cmp(&b.length));
        let front = front_of(skeleton, forward, &legs);
        let left = up.cross(forward * front);
        legs.sort_by(|a, b| (b.ends[0].dot(forward) * front).total_cmp(&(a.ends[0].dot(forward) * front)));
        let longest = (0..skeleton.joints().len()).filter(|&joint| skeleton.joints()[joint].parent.is_none());
        let longest = longest.map(|joint| chain(skeleton, joint).len()).max().unwrap_or(0);
        let is_line = longest >= MIN_LINE && 2 * longest >= skeleton.joints().len();
        let other_limbs = pairs.iter().filter(|pair| pair.length > 0.2 * size).count();
        let kind = match (legs.len(), wings) {
            (2.., _) => Kind::Quadruped,
            (_, Some(_)) if other_limbs <= 3 => Kind::Bird,
            (0, None) if is_line => Kind::Chain,
            _ => return None,
        };
        let turn = DQuat::from_mat3(&DMat3::from_cols(left, up, forward * front));
        let (mut chains, root) = lines(skeleton, &legs, wings, forward * front)?;
        // The first chain of a pair is the one with the larger lateral coordinate.
        let side = |index: usize| if lateral.dot(left) > 0.0 { index } else { 1 - index };
        for (number, pair) in legs.iter().enumerate() {
            for index in 0..2 {
                chains.push((Role::Leg { pair: number, side: side(index) }, pair.chains[index].clone()));
            }
        }
        if let Some(pair) = wings {
            for index in 0..2 {
                chains.push((Role::Wing { side: side(index) }, pair.chains[index].clone()));
            }
        }
        let leg_heights = legs.iter().map(|pair| pair.ends[0].dot(up) - ground);
        let leg_height = leg_heights.fold(0.0, f64::max);
        let middle = skeleton.head(root);
        let origin = middle - up * (middle.dot(up) - ground);
        Some(Self { skeleton, kind, chains, root, turn, origin, size, leg_height })
    }

    /// The joints of a role, or none.
    pub fn chain(&self, role: Role) -> &[usize] {
        self.chains.iter().find(|(known, _)| *known == role).map_or(&[], |(_, chain)| chain)
    }

    /// A point of rest space in canonical coordinates.
    pub fn canonical(&self, point: DVec3) -> DVec3 {
        self.turn.inverse() * (point - self.origin)
    }

    /// The head of a joint at rest, in canonical coordinates.
    pub fn head(&self, joint: usize) -> DVec3 {
        self.canonical(self.skeleton.head(joint))
    }

    /// The local transforms and the frames of all joints in a posture.
    pub fn pose(&self, posture: &Posture) -> (Vec<Trs>, World) {
        let skeleton = self.skeleton;
        let mut locals = skeleton.locals();
        let joints = locals.len();
        let mut world = World {
            frames: vec![glam::DAffine3::IDENTITY; joints],
            rotations: vec![DQuat::IDENTITY; joints],
        };
        for &joint in skeleton.parents_first() {
            let parent = skeleton.joints()[joint].parent;
            let above = parent.map_or(DQuat::IDENTITY, |parent| world.rotations[parent]);
            if let Some(turned) = posture.turns[joint] {
                let rotation = self.turn * turned * self.turn.inverse() * skeleton.rest_rotations()[joint];
                locals[joint].rotation = (above.inverse() * rotation).normalize();
            } else if skeleton.is_below(joint, self.root) {
                locals[joint].rotation = posture
                    .others
                    .iter()
                    .find(|(other, _)| *other == joint)
                    .map_or_else(|| skeleton.rest_local_rotation(joint), |(_, rotation)| *rotation);
            }
            if joint == self.root {
                let head = skeleton.head(joint) + self.turn * posture.offset;
                locals[joint].translation =
                    parent.map_or(head, |parent| world.frames[parent].inverse().transform_point3(head));
            }
            world.update(skeleton, joint, &locals[joint]);
        }
        (locals, world)
    }

    /// Rotation tracks of the joints that move, and a translation track of the root.
    pub fn tracks(&self, times: &[f32], postures: &[Posture]) -> Vec<Track> {
        let poses: Vec<Vec<Trs>> = postures.iter().map(|posture| self.pose(posture).0).collect();
        if poses.is_empty() {
            return Vec::new();
        }
        let mut tracks = Vec::new();
        for joint in self.skeleton.subtree(self.root) {
            let mut rotations: Vec<DQuat> = poses.iter().map(|pose| pose[joint].rotation).collect();
            for next in 1..rotations.len() {
                if rotations[next].dot(rotations[next - 1]) < 0.0 {
                    rotations[next] = -rotations[next];
                }
            }
            let interpolation = Interpolation::Linear;
            let moves = rotations.iter().any(|rotation| *rotation != rotations[0]);
            if moves || postures[0].turns[joint].is_some() {
                let (times, rotations) =
                    if moves { (times.to_vec(), rotations) } else { (vec![times[0]], vec![rotations[0]]) };
                tracks.push(Track { joint, times, interpolation, values: Values::Rotation(rotations) });
            }
            if joint == self.root {
                let values = Values::Translation(poses.iter().map(|pose| pose[joint].translation).collect());
                tracks.push(Track { joint, times: times.to_vec(), interpolation, values });
            }
        }
        tracks
    }
}

/// A pose of a creature: rotations relative to rest, in canonical coordinates.
#[derive(Clone, Debug)]
pub struct Posture {
    /// Of every joint; joints without one keep their rest rotation relative to their parents.
    pub turns: Vec<Option<DQuat>>,
    /// How far the root has moved.
    pub offset: DVec3,
    /// Local rotations of further joints.
    pub others: Vec<(usize, DQuat)>,
}

impl Posture {
    /// At rest.
    pub fn rest(creature: &Creature<'_>) -> Self {
        let joints = creature.skeleton.joints().len();
        Self { turns: vec![None; joints], offset: DVec3::ZERO, others: Vec::new() }
    }

    /// The rotation of a joint: its own or that of the nearest one above.
    pub fn turn(&self, creature: &Creature<'_>, joint: usize) -> DQuat {
        creature.skeleton.upwards(joint).find_map(|above| self.turns[above]).unwrap_or(DQuat::IDENTITY)
    }
}

/// 1 if the front is along `forward`, −1 if it is the other way.
fn front_of(skeleton: &Skeleton, forward: DVec3, legs: &[&Pair]) -> f64 {
    let mean = |words: &[&str]| {
        let found: Vec<f64> = skeleton
            .joints()
            .iter()
            .filter(|joint| words.iter().any(|word| joint.name.to_ascii_lowercase().contains(word)))
            .map(|joint| joint.rest.translation.dot(forward))
            .collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    };
    let count = skeleton.joints().len().max(1) as f64;
    let middle =
        (0..skeleton.joints().len()).map(|joint| skeleton.head(joint).dot(forward)).sum::<f64>() / count;
    let named = match (mean(&FRONT), mean(&BACK)) {
        (Some(front), Some(back)) => front - back,
        (Some(front), None) => front - middle,
        (None, Some(back)) => middle - back,
        (None, None) => 0.0,
    };
    if named != 0.0 {
        return named.signum();
    }
    // Toes point to the front.
    let toes = legs.iter().flat_map(|pair| &pair.chains).filter_map(|chain| {
        let [.., before, last] = chain.as_slice() else { return None };
        Some((skeleton.head(*last) - skeleton.head(*before)).dot(forward))
    });
    let toes: f64 = toes.sum();
    if toes == 0.0 { if forward.z < 0.0 { -1.0 } else { 1.0 } } else { toes.signum() }
}

/// A chain and what it is.
type Line = (Role, Vec<usize>);

/// The chains of the middle, and the root of the body.
fn lines(
    skeleton: &Skeleton,
    legs: &[&Pair],
    wings: Option<&Pair>,
    front: DVec3,
) -> Option<(Vec<Line>, usize)> {
    let limbs: Vec<&Pair> = legs.iter().copied().chain(wings).collect();
    let is_limb = |joint: usize| limbs.iter().any(|pair| pair.chains.iter().any(|chain| chain[0] == joint));
    let root = match limbs.split_first() {
        Some((first, rest)) => rest.iter().try_fold(first.branch, |root, pair| {
            skeleton.upwards(root).find(|&above| skeleton.is_below(pair.branch, above))
        })?,
        // Without limbs: the joint from which the longest chain starts.
        None => {
            let starts = skeleton
                .parents_first()
                .iter()
                .copied()
                .filter(|&joint| !skeleton.children(joint).is_empty());
            let roots = starts.filter(|&joint| skeleton.joints()[joint].parent.is_none());
            let longest = roots.max_by_key(|&root| chain(skeleton, root).len())?;
            skeleton
                .subtree(longest)
                .into_iter()
                .find(|&joint| {
                    skeleton.children(joint).len() != 1 || skeleton.head(joint) != skeleton.head(longest)
                })
                .unwrap_or(longest)
        }
    };
    // Everything that hangs from the body between root and the foremost limb, and leads to the
    // front or to the back.
    let foremost = limbs
        .iter()
        .map(|pair| pair.branch)
        .max_by(|&a, &b| skeleton.head(a).dot(front).total_cmp(&skeleton.head(b).dot(front)));
    let mut spine: Vec<usize> =
        foremost.map_or(Vec::new(), |end| skeleton.upwards(end).take_while(|&joint| joint != root).collect());
    spine.reverse();
    let mut body = vec![root];
    body.extend(&spine);
    let reach = |joint: usize, sign: f64| {
        let line = chain(skeleton, joint);
        (skeleton.head(line[line.len() - 1]) - skeleton.head(body[0])).dot(front) * sign
    };
    let free = |joint: &usize| !is_limb(*joint) && !body.contains(joint);
    let best = |from: &[usize], sign: f64| {
        let children = from.iter().flat_map(|&joint| skeleton.children(joint).iter().copied()).filter(free);
        children
            .filter(|&joint| reach(joint, sign) > 0.0)
            .max_by(|&a, &b| reach(a, sign).total_cmp(&reach(b, sign)))
    };
    let neck = best(&body[body.len() - 1..], 1.0).or_else(|| best(&body, 1.0));
    let tail = best(&body, -1.0).filter(|&tail| Some(tail) != neck);
    let mut chains = vec![(Role::Spine, spine)];
    for (role, start) in [(Role::Neck, neck), (Role::Tail, tail)] {
        chains.push((role, start.map_or(Vec::new(), |start| chain(skeleton, start))));
    }
    Some((chains, root))
}
