//! Motions on their own skeleton, on a changed copy of it, and on others.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use pliant::model::Clip;
use pliant_motion::bone::{Bone, SIDES};
use pliant_motion::humanoid::Humanoid;
use pliant_motion::map::HumanoidMap;
use pliant_motion::retarget::{RetargetOptions, Root, retarget};
use pliant_motion::skeleton::{Joint, Skeleton, Trs};

use super::{Character, clip_for, data, frames, head, model};

const KEEP: RetargetOptions = RetargetOptions { root: Root::Keep };

#[test]
fn a_motion_on_its_own_skeleton_does_not_change() {
    for name in ["gltf_khronos/CesiumMan.glb", "gltf_khronos/RiggedFigure.glb", "fbx_ufbx/three_mixamo.fbx"] {
        let Some(path) = model(name) else { return };
        let character = Character::read(&path).unwrap();
        let humanoid = character.humanoid().unwrap();
        for clip in character.asset.clips.iter().filter(|clip| clip.tracks.len() > 3) {
            let carried = clip_for(&retarget(&data::clip(clip), &humanoid, &humanoid, KEEP));
            carried.assert_well_formed(&character.skeleton);
            let (mut worst, mut place) = (0.0_f64, String::new());
            for time in frames(clip, 50) {
                let (before, after) = (character.world(clip, time), character.world(&carried, time));
                for (bone, joint) in humanoid.map.bones() {
                    let far = before[joint].translation.distance(after[joint].translation);
                    if far > worst {
                        (worst, place) = (far, format!("{} {time}", bone.name()));
                    }
                }
            }
            println!("{name} {}: {:.1e} of the height at {place}", clip.name, worst / humanoid.height);
            assert!(worst < 1e-6 * humanoid.height, "{name} {}: {worst}", clip.name);
        }
    }
}

/// A number from 0 to 1 that depends on an index.
fn noise(index: usize) -> f64 {
    (index as f64 * 12.9898).sin().mul_add(43_758.545, 0.0).rem_euclid(1.0)
}

/// The skeleton scaled, with other names, other rolls of all joints, and arms that hang by 40°.
fn changed(character: &Character, humanoid: &Humanoid<'_>, scale: f64) -> Skeleton {
    let skeleton = &character.joints;
    let mut rest: Vec<DAffine3> = skeleton.joints().iter().map(|joint| joint.rest).collect();
    for side in &SIDES {
        let joint = humanoid.map.get(side.upper_arm).unwrap();
        let front = humanoid.turn * DVec3::Z;
        let lowered = DQuat::from_axis_angle(front, -side.sign * 40.0_f64.to_radians());
        let pivot = skeleton.head(joint);
        let about = DAffine3::from_translation(pivot)
            * DAffine3::from_quat(lowered)
            * DAffine3::from_translation(-pivot);
        for below in skeleton.subtree(joint) {
            rest[below] = about * rest[below];
        }
    }
    let rolled = |(index, frame): (usize, &DAffine3)| {
        let axis = DVec3::new(noise(index) - 0.5, noise(index + 7) - 0.5, noise(index + 13) - 0.5)
            .normalize_or_zero();
        let roll = DQuat::from_axis_angle(axis, 6.0 * noise(index + 29));
        DAffine3::from_scale_rotation_translation(
            DVec3::ONE,
            pliant_motion::skeleton::rotation_of(&frame.matrix3) * roll,
            frame.translation * scale,
        )
    };
    let rest: Vec<DAffine3> = rest.iter().enumerate().map(rolled).collect();
    let joints = skeleton.joints().iter().enumerate().map(|(index, joint)| {
        let local = joint.parent.map_or(rest[index], |parent| rest[parent].inverse() * rest[index]);
        let (scale, rotation, translation) = local.to_scale_rotation_translation();
        let human = humanoid.map.bone_of(index);
        let name = format!("joint {index}");
        Joint {
            name,
            parent: joint.parent,
            rest: rest[index],
            local: Trs { translation, rotation, scale },
            tail: None,
            human,
            is_secondary: false,
        }
    });
    Skeleton::new(joints.collect()).unwrap()
}

#[test]
fn a_scaled_renamed_rerolled_a_posed_copy_moves_alike() {
    const SCALE: f64 = 0.37;
    for name in ["fbx_ufbx/three_mixamo.fbx", "gltf_khronos/CesiumMan.glb"] {
        let Some(path) = model(name) else { return };
        let character = Character::read(&path).unwrap();
        let humanoid = character.humanoid().unwrap();
        let copy = changed(&character, &humanoid, SCALE);
        let positions: Vec<Vec3> = character.positions().iter().map(|p| *p * SCALE as f32).collect();
        let target = Humanoid::new(&copy, HumanoidMap::of(&copy).unwrap(), &positions).unwrap();
        let clip = character.asset.clips.iter().max_by_key(|clip| clip.tracks.len()).unwrap();
        let carried = retarget(&data::clip(clip), &humanoid, &target, KEEP);
        let mut worst = 0.0_f64;
        for time in frames(clip, 60) {
            let there = character.world(clip, time);
            let here = copy.world(&carried.sample(&copy, time)).frames;
            for bone in [Bone::LeftHand, Bone::RightHand, Bone::LeftFoot, Bone::RightFoot, Bone::Head] {
                let (Some(a), Some(b)) = (head(&humanoid, &there, bone), head(&target, &here, bone)) else {
                    continue;
                };
                worst = worst.max((a * SCALE).distance(b));
            }
        }
        let share = worst / (SCALE * humanoid.height);
        println!("{name} {}: {:.3} % of the height", clip.name, 100.0 * share);
        assert!(share < 0.01, "{name}: {share}");
    }
}

/// The targets of the walks.
fn targets() -> Vec<Character> {
    let names = ["gltf_khronos/CesiumMan.glb", "makehuman/derived/makehuman_body.glb", "vrm/avatar_001.vrm"];
    let read = names.into_iter().filter_map(|name| Character::read(&model(name)?));
    read.chain([Character::mannequin()]).collect()
}

/// The balls of the feet, in canonical coordinates.
fn balls(humanoid: &Humanoid<'_>, world: &[DAffine3]) -> [DVec3; 2] {
    [0, 1].map(|side| {
        let foot = humanoid.map.get(SIDES[side].foot).unwrap();
        let ankle = humanoid.canonical(world[foot].translation);
        let rotation = pliant_motion::skeleton::rotation_of(&world[foot].matrix3);
        ankle + humanoid.turn_of(foot, rotation) * humanoid.legs[side].ball.unwrap_or(DVec3::ZERO)
    })
}

/// A foot stands while it moves slower than this share of the height per second.
const STANDING: f64 = 0.25;

#[test]
fn captured_walks_stand_on_feet_that_do_not_slide() {
    for name in ["motion_bvh/makehuman_walk1.bvh", "motion_bvh/pybvh_cmu_12_01_walk.bvh"] {
        let Some(path) = model(name) else { return };
        let motion = Character::read(&path).unwrap();
        let source = motion.humanoid().unwrap();
        let clip = &motion.asset.clips[0];
        for character in targets() {
            let target = character.humanoid().unwrap();
            let carried: Clip = clip_for(&retarget(&data::clip(clip), &source, &target, KEEP));
            carried.assert_well_formed(&character.skeleton);
            let times = frames(clip, (clip.duration() * 60.0) as usize);
            let there: Vec<[DVec3; 2]> =
                times.iter().map(|&t| balls(&source, &motion.world(clip, t))).collect();
            let here: Vec<[DVec3; 2]> =
                times.iter().map(|&t| balls(&target, &character.world(&carried, t))).collect();
            let mut worst = [0.0_f64; 2];
            let mut standing_frames = 0;
            for side in 0..2 {
                let speed = |i: usize| there[i][side].distance(there[i - 1][side]) / source.height * 60.0;
                let mut start: Option<usize> = None;
                for i in 1..times.len() {
                    let stands = speed(i) < STANDING;
                    standing_frames += usize::from(stands);
                    if !stands {
                        start = None;
                        continue;
                    }
                    let from = *start.get_or_insert(i - 1);
                    let slide = |points: &[[DVec3; 2]]| {
                        let way = points[i][side] - points[from][side];
                        DVec3::new(way.x, 0.0, way.z).length()
                    };
                    worst[0] = worst[0].max(slide(&there) / source.height);
                    worst[1] = worst[1].max(slide(&here) / target.height);
                }
            }
            println!(
                "{name} on {}: feet slide {:.2} % (source {:.2} %) in {standing_frames} frames",
                character.name,
                100.0 * worst[1],
                100.0 * worst[0]
            );
            // The other one walks in place, as on a treadmill.
            assert!(standing_frames > 5 || name.contains("makehuman"), "{name}: no foot stands");
            // What the source slides itself is part of its motion.
            assert!(worst[1] - worst[0] < 0.02, "{name} on {}: {worst:?}", character.name);
            for &time in &times {
                let world = character.world(&carried, time);
                assert!(world.iter().all(DAffine3::is_finite), "{name} on {}", character.name);
            }
        }
    }
}
