//! Every clip of the library on every humanoid of the folder of models.

use glam::{DAffine3, DVec3};
use pliant::model::Clip;
use pliant_motion::bone::{Bone, SIDES};
use pliant_motion::creature::Creature;
use pliant_motion::humanoid::Humanoid;
use pliant_motion::library::animals::ANIMALS;
use pliant_motion::library::pose::Actor;
use pliant_motion::library::{HUMANOID, humanoid_clip};
use pliant_motion::retarget::Root;
use pliant_motion::skeleton::rotation_of;
use pliant_motion::trig;

use super::{Character, clip_for, frames, head};
use crate::shared_models;

/// Largest rotations between bones and the bones that they hang from, in degrees, relative to the
/// T-pose.
const LIMITS: [(Bone, f64); 12] = [
    (Bone::Spine, 60.0),
    (Bone::Chest, 60.0),
    (Bone::UpperChest, 60.0),
    (Bone::Neck, 60.0),
    (Bone::Head, 75.0),
    (Bone::LeftShoulder, 45.0),
    (Bone::LeftUpperArm, 180.0),
    (Bone::LeftLowerArm, 155.0),
    (Bone::LeftHand, 90.0),
    (Bone::LeftUpperLeg, 140.0),
    (Bone::LeftLowerLeg, 160.0),
    (Bone::LeftFoot, 88.0),
];

/// The outline of the trunk at rest, from the stored weights: half width and half depth of slices
/// between hips and shoulders, and the middle of each.
struct Trunk {
    slices: Vec<Option<[f64; 3]>>,
    bottom: f64,
    top: f64,
}

const SLICES: usize = 10;

impl Trunk {
    fn of(character: &Character, humanoid: &Humanoid<'_>) -> Option<Self> {
        let weights = character.asset.stored_weights.as_ref()?;
        let at = |bone: Bone| Some(humanoid.canonical(humanoid.skeleton.head(humanoid.map.get(bone)?)));
        let bottom = at(Bone::LeftUpperLeg)?.y;
        let top = at(Bone::LeftUpperArm)?.y - 0.1 * (at(Bone::LeftUpperArm)?.y - bottom);
        let mut slices: Vec<Vec<DVec3>> = vec![Vec::new(); SLICES];
        for (vertex, position) in character.asset.render.positions.iter().enumerate() {
            let row = weights.row(vertex);
            let Some(most) = row.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)) else { continue };
            let bone =
                humanoid.skeleton.upwards(most.column as usize).find_map(|joint| humanoid.map.bone_of(joint));
            let is_trunk = bone.is_some_and(|bone| bone == Bone::Hips || Bone::TRUNK.contains(&bone));
            let point = humanoid.canonical(position.as_dvec3());
            let slice = (point.y - bottom) / (top - bottom) * SLICES as f64;
            if is_trunk && (0.0..SLICES as f64).contains(&slice) {
                slices[slice as usize].push(point);
            }
        }
        let outline = |points: Vec<DVec3>| {
            let sorted = |value: fn(&DVec3) -> f64| {
                let mut values: Vec<f64> = points.iter().map(value).collect();
                values.sort_by(f64::total_cmp);
                values
            };
            if points.len() < 8 {
                return None;
            }
            let (x, z) = (sorted(|p| p.x.abs()), sorted(|p| p.z));
            let share = |values: &[f64], share: f64| values[((values.len() - 1) as f64 * share) as usize];
            let (back, front) = (share(&z, 0.1), share(&z, 0.9));
            Some([share(&x, 0.9), 0.5 * (front - back), 0.5 * (front + back)])
        };
        Some(Self { slices: slices.into_iter().map(outline).collect(), bottom, top })
    }

    /// How deep a point at rest is inside: 1 in the middle, 0 outside.
    fn depth(&self, point: DVec3) -> f64 {
        let slice = (point.y - self.bottom) / (self.top - self.bottom) * SLICES as f64;
        if !(0.0..SLICES as f64).contains(&slice) {
            return 0.0;
        }
        let Some([width, depth, middle]) = self.slices[slice as usize] else { return 0.0 };
        let radius = ((point.x / width).powi(2) + ((point.z - middle) / depth).powi(2)).sqrt();
        (1.0 - radius).max(0.0)
    }
}

/// What is measured on a clip, as shares of the height where lengths.
#[derive(Default, Debug)]
struct Measured {
    below_ground: f64,
    slide: f64,
    hand_depth: f64,
    gap: f64,
    jump: f64,
    /// Joint and time of the largest jump.
    at: String,
    /// The worst violation of a limit.
    wrong: String,
}

/// The two points of the sole of each foot that touch the ground at rest: below the ankle, moving
/// with the foot, and below the ball, moving with the toes.
fn soles(humanoid: &Humanoid<'_>, world: &[DAffine3]) -> [[DVec3; 2]; 2] {
    [0, 1].map(|side| {
        let leg = &humanoid.legs[side];
        let bones = &SIDES[side];
        let turn = |bone: Bone| {
            let joint = humanoid.map.get(bone)?;
            Some((joint, humanoid.turn_of(joint, rotation_of(&world[joint].matrix3))))
        };
        let (foot, turned) = turn(bones.foot).unwrap();
        let ankle = humanoid.canonical(world[foot].translation);
        let heel = ankle + turned * DVec3::NEG_Y * leg.ankle_height;
        let Some(ball) = leg.ball else { return [heel, heel] };
        let at = ankle + turned * ball;
        let toes = turn(bones.toes).map_or(turned, |(_, toes)| toes);
        [heel, at + toes * DVec3::NEG_Y * (leg.ankle_height + ball.y)]
    })
}

fn measure(character: &Character, humanoid: &Humanoid<'_>, trunk: Option<&Trunk>, clip: &Clip) -> Measured {
    let height = humanoid.height;
    let mut measured = Measured::default();
    let times = frames(clip, (clip.duration() * 30.0).round() as usize);
    let mut before: Option<[[DVec3; 2]; 2]> = None;
    let mut slid = [[0.0_f64; 2]; 2];
    let mut last: Vec<DVec3> = Vec::new();
    let first = character.world(clip, 0.0);
    for &time in &times {
        let world = character.world(clip, time);
        assert!(world.iter().all(DAffine3::is_finite), "{} {}", character.name, clip.name);
        let turn = |bone: Bone| {
            let joint = humanoid.map.get(bone)?;
            Some(humanoid.turn_of(joint, rotation_of(&world[joint].matrix3)))
        };
        for (bone, limit) in
            LIMITS.into_iter().flat_map(|(bone, limit)| [(bone, limit), (bone.mirrored(), limit)])
        {
            let above = humanoid.map.parent_of(bone);
            if let (Some(turned), Some(above)) = (turn(bone), above.and_then(turn)) {
                let angle = trig::angle_of(above.inverse() * turned).to_degrees();
                // A rotation of 180° is that of −180°.
                let angle = if limit >= 180.0 { 0.0 } else { angle };
                if angle > limit {
                    measured.wrong = format!("{bone:?} {angle:.0}° at {time}");
                }
            }
        }
        for side in &SIDES {
            // Knees bend back, so the shin is never in front of the thigh.
            let (Some(thigh), Some(shin)) = (turn(side.upper_leg), turn(side.lower_leg)) else { continue };
            let bend = (thigh.inverse() * shin) * DVec3::NEG_Y;
            if bend.z > 0.05 {
                measured.wrong = format!("a knee bends to the front at {time}");
            }
        }
        let soles = soles(humanoid, &world);
        for (side, foot) in soles.iter().enumerate() {
            for (part, point) in foot.iter().enumerate() {
                measured.below_ground = measured.below_ground.max(-point.y / height);
                let stands = point.y < 0.004 * height
                    && before.is_some_and(|before: [[DVec3; 2]; 2]| before[side][part].y < 0.004 * height);
                let step = before.map_or(0.0, |before| {
                    let way = *point - before[side][part];
                    DVec3::new(way.x, 0.0, way.z).length() / height
                });
                slid[side][part] = if stands { slid[side][part] + step } else { 0.0 };
            }
            // A foot rolls from the heel to the ball: it slides if both do.
            measured.slide = measured.slide.max(slid[side][0].min(slid[side][1]));
        }
        before = Some(soles);
        if let Some(trunk) = trunk {
            for side in &SIDES {
                let hand = humanoid.map.get(side.hand).unwrap();
                let elbow = head(humanoid, &world, side.lower_arm).unwrap();
                let wrist = humanoid.canonical(world[hand].translation);
                let knuckles = wrist + (wrist - elbow).normalize_or_zero() * humanoid.arms[0].lengths[2];
                for point in [wrist, knuckles] {
                    // Back to rest with each part of the trunk; the least deep counts.
                    let bones = [Bone::Hips, Bone::Spine, Bone::Chest, Bone::UpperChest];
                    let depths = bones.into_iter().filter_map(|bone| {
                        let joint = humanoid.map.get(bone)?;
                        let rest = humanoid.skeleton.joints()[joint].rest * world[joint].inverse();
                        Some(trunk.depth(humanoid.canonical(rest.transform_point3(humanoid.rest(point)))))
                    });
                    let depth = depths.fold(1.0, f64::min);
                    measured.hand_depth = measured.hand_depth.max(depth);
                }
            }
        }
        let heads: Vec<DVec3> = world.iter().map(|frame| frame.translation).collect();
        if last.len() == heads.len() {
            for (joint, (a, b)) in heads.iter().zip(&last).enumerate() {
                let step = a.distance(*b) / height;
                if step > measured.jump {
                    measured.jump = step;
                    measured.at = format!("{} {time}", humanoid.skeleton.joints()[joint].name);
                }
            }
        }
        last = heads;
    }
    let end = character.world(clip, clip.duration());
    let gaps = first.iter().zip(&end).map(|(a, b)| a.translation.distance(b.translation) / height);
    measured.gap = gaps.fold(0.0, f64::max);
    measured
}

fn humanoids() -> Vec<Character> {
    let files = shared_models::files_with(&[".glb", ".vrm", ".fbx"]);
    let wanted = files.iter().filter(|path| {
        let name = path.to_string_lossy();
        !name.contains("bad_gltf") && !name.contains("compressed") && !name.contains("sequences")
    });
    let read = wanted.filter_map(|path| Character::read(path)).filter(|c| !c.positions().is_empty());
    read.chain([Character::mannequin()]).collect()
}

#[test]
fn every_clip_moves_every_humanoid() {
    let mut count = 0;
    let mut worst: Vec<Measured> = HUMANOID.iter().map(|_| Measured::default()).collect();
    let mut problems: Vec<String> = Vec::new();
    for character in humanoids() {
        let Some(humanoid) = character.humanoid() else { continue };
        count += 1;
        let actor = Actor::new(&humanoid, character.positions());
        let trunk = Trunk::of(&character, &humanoid);
        for (entry, worst) in HUMANOID.iter().zip(&mut worst) {
            let clip = clip_for(&humanoid_clip(entry.name, &humanoid, &actor, Root::InPlace).unwrap());
            clip.assert_well_formed(&character.skeleton);
            let mut found = measure(&character, &humanoid, trunk.as_ref(), &clip);
            // In place, the ground moves: whether feet slide shows when the body travels.
            let travelling = clip_for(&humanoid_clip(entry.name, &humanoid, &actor, Root::Keep).unwrap());
            found.slide = measure(&character, &humanoid, None, &travelling).slide;
            let arm = humanoid.arms[0].lengths.iter().sum::<f64>() / humanoid.height;
            let limits = [
                (found.below_ground, 0.02, "below the ground"),
                (found.slide, 0.02, "slide of a standing foot"),
                (found.gap, 1e-6, "gap between end and start"),
                // The hands of a jump are fastest, with arms that may be longer than the body.
                (found.jump / (1.0 + arm), 0.25, "way in a frame"),
                (found.hand_depth, 0.1, "hand in the trunk"),
            ];
            for (value, limit, what) in limits {
                if value > limit {
                    problems
                        .push(format!("{} {}: {what} {value:.3} {}", character.name, entry.name, found.at));
                }
            }
            if !found.wrong.is_empty() {
                problems.push(format!("{} {}: {}", character.name, entry.name, found.wrong));
            }
            worst.slide = worst.slide.max(found.slide);
            worst.below_ground = worst.below_ground.max(found.below_ground);
            worst.hand_depth = worst.hand_depth.max(found.hand_depth);
            worst.jump = worst.jump.max(found.jump);
        }
    }
    for (entry, worst) in HUMANOID.iter().zip(&worst) {
        println!("{}: {worst:?}", entry.name);
    }
    println!("{count} humanoids, {} clips, {} problems", HUMANOID.len(), problems.len());
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn animals_move_by_the_clips_of_their_kind() {
    let mut moved = 0;
    for path in shared_models::files_with(&[".glb"]) {
        let name = path.to_string_lossy().into_owned();
        if name.contains("bad_gltf") || name.contains("sequences") {
            continue;
        }
        let Some(character) = Character::read(&path).filter(|c| !c.positions().is_empty()) else { continue };
        if character.humanoid().is_some() {
            continue;
        }
        let Some(creature) = Creature::of(&character.joints, character.positions()) else { continue };
        for entry in ANIMALS.iter().filter(|entry| entry.kind == creature.kind) {
            moved += 1;
            let (times, postures) = entry.postures(&creature);
            let tracks = creature.tracks(&times, &postures);
            let clip = clip_for(&pliant_motion::skeleton::Clip { name: entry.name.to_owned(), tracks });
            clip.assert_well_formed(&character.skeleton);
            let (first, last) = (character.world(&clip, 0.0), character.world(&clip, clip.duration()));
            for (a, b) in first.iter().zip(&last) {
                assert!(
                    a.translation.distance(b.translation) < 1e-6 * creature.size,
                    "{name} {}",
                    entry.name
                );
            }
            let mut before = first;
            for time in frames(&clip, 60) {
                let world = character.world(&clip, time);
                assert!(world.iter().all(DAffine3::is_finite), "{name} {}", entry.name);
                let steps = world.iter().zip(&before).map(|(a, b)| a.translation.distance(b.translation));
                let step = steps.fold(0.0, f64::max);
                assert!(step < 0.2 * creature.size, "{name} {} at {time}: {step}", entry.name);
                before = world;
            }
        }
    }
    println!("{moved} clips of animals");
    assert!(moved > 20 || shared_models::folder().is_none());
}
