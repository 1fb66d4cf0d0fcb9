//! The motion of an animal on another one of the same kind.
//!
//! Chains of the same role correspond. Joints of a chain that has another number of joints get the
//! rotation at their place in it. Rest poses are taken to be alike: animals stand at rest. The
//! travel of the root is scaled by the height of the legs, or by the size of bodies without legs.

use glam::{DQuat, DVec3};

use super::{Root, key_times};
use crate::creature::{Creature, Posture};
use crate::skeleton::Clip;
use crate::trig;

/// The motion of `clip` on the target.
pub fn retarget_creature(clip: &Clip, source: &Creature<'_>, target: &Creature<'_>, root: Root) -> Clip {
    let times = key_times(clip);
    let size = |creature: &Creature<'_>| {
        if creature.leg_height > 0.0 { creature.leg_height } else { creature.size }
    };
    let has_legs = source.leg_height > 0.0 && target.leg_height > 0.0;
    let scale = if has_legs { size(target) / size(source) } else { target.size / source.size };
    let others = others(source, target);
    let mut postures: Vec<Posture> = times
        .iter()
        .map(|&time| {
            let locals = clip.sample(source.skeleton, time);
            let world = source.skeleton.world(&locals);
            let turn = |joint: usize| {
                let rotation = world.rotations[joint] * source.skeleton.rest_rotations()[joint].inverse();
                (source.turn.inverse() * rotation * source.turn).normalize()
            };
            let mut posture = Posture::rest(target);
            posture.offset = (source.canonical(world.head(source.root)) - source.head(source.root)) * scale;
            posture.turns[target.root] = Some(turn(source.root));
            for (role, chain) in &target.chains {
                let from = source.chain(*role);
                if from.is_empty() || chain.is_empty() {
                    continue;
                }
                let above = source.skeleton.joints()[from[0]].parent;
                let mut rotations = vec![above.map_or(DQuat::IDENTITY, turn)];
                rotations.extend(from.iter().map(|&joint| turn(joint)));
                for (index, &joint) in chain.iter().enumerate() {
                    let place = (index + 1) as f64 / chain.len() as f64 * from.len() as f64;
                    let before = (place as usize).min(from.len());
                    let after = (before + 1).min(from.len());
                    let share = place - before as f64;
                    posture.turns[joint] = Some(trig::slerp(rotations[before], rotations[after], share));
                }
            }
            for &(from, to) in &others {
                let turned = source.skeleton.rest_local_rotation(from).inverse() * locals[from].rotation;
                let there = source.turn.inverse() * source.skeleton.rest_rotations()[from];
                let here = target.turn.inverse() * target.skeleton.rest_rotations()[to];
                let turned = here.inverse() * (there * turned * there.inverse()) * here;
                posture.others.push((to, (target.skeleton.rest_local_rotation(to) * turned).normalize()));
            }
            posture
        })
        .collect();
    if root == Root::InPlace {
        remove_travel(&mut postures);
    }
    Clip { name: clip.name.clone(), tracks: target.tracks(&times, &postures) }
}

fn remove_travel(postures: &mut [Posture]) {
    let [Some(first), Some(last)] = [postures.first(), postures.last()] else { return };
    let along = |offset: DVec3| DVec3::new(offset.x, 0.0, offset.z);
    let (start, end) = (along(first.offset), along(last.offset));
    let steps = (postures.len() - 1).max(1) as f64;
    for (index, posture) in postures.iter_mut().enumerate() {
        posture.offset -= start.lerp(end, index as f64 / steps);
    }
}

/// Joints outside the chains with the same name in both.
fn others(source: &Creature<'_>, target: &Creature<'_>) -> Vec<(usize, usize)> {
    let is_free = |creature: &Creature<'_>, joint: usize| {
        joint != creature.root
            && creature.skeleton.is_below(joint, creature.root)
            && !creature.chains.iter().any(|(_, chain)| chain.contains(&joint))
    };
    let joints = target.skeleton.joints().iter().enumerate();
    joints
        .filter(|(to, _)| is_free(target, *to))
        .filter_map(|(to, joint)| Some((source.skeleton.find(&joint.name)?, to)))
        .filter(|(from, _)| is_free(source, *from))
        .collect()
}
