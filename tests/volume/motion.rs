//! Which vertices move, which do not, and smoothness in time.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use pliant::deform::{Baker, CorrectionMap, CorrectionMode, Deformer, Posed, PostSkinningOptions};
use pliant::model::Pose;
use pliant::samples::SampleCharacter;

use super::table::cylinder;
use super::{Stage, options, posed, rigged};
use crate::memory::peak_of;

const MODES: [CorrectionMode; 2] = [CorrectionMode::Exact, CorrectionMode::Paper];

#[test]
fn the_rest_pose_keeps_its_bits() {
    for member in SampleCharacter::ALL {
        let rig = rigged(member, 800);
        for (map, mode) in CorrectionMap::ALL.into_iter().flat_map(|map| MODES.map(|mode| (map, mode))) {
            let mut stage = Stage::new(&rig, &options(map, mode));
            let matrices = Pose::rest(&rig.skeleton).skinning_matrices(&rig.skeleton);
            let (mut positions, mut normals) =
                (rig.asset.render.positions.clone(), rig.asset.render.normals.clone());
            let moved = stage
                .post_skinning
                .correct(&matrices, Posed { positions: &mut positions, normals: &mut normals });
            assert!(!moved, "{} {map:?} {mode:?}", member.name());
            assert_eq!(positions, rig.asset.render.positions);
            assert_eq!(normals, rig.asset.render.normals);
        }
    }
}

#[test]
fn a_rigid_motion_is_not_corrected() {
    for member in SampleCharacter::ALL {
        let rig = rigged(member, 800);
        let size = rig.asset.mesh.diagonal();
        let motion = DAffine3::from_rotation_translation(
            DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.9, 2.4),
            DVec3::new(3.0, -2.0, 1.5),
        );
        let mut pose = Pose::rest(&rig.skeleton);
        for (joint, local) in rig.skeleton.joints().iter().zip(&mut pose.parent_from_joint) {
            if joint.parent.is_none() {
                *local = motion * *local;
            }
        }
        for (map, mode) in CorrectionMap::ALL.into_iter().flat_map(|map| MODES.map(|mode| (map, mode))) {
            let mut stage = Stage::new(&rig, &options(map, mode));
            stage.frame(&pose);
            let farthest = stage.moved().into_iter().fold(0.0, f32::max);
            // Rounding of positions of this size.
            assert!(farthest <= 1e-6 * size.max(4.0), "{} {map:?} {mode:?}: {farthest}", member.name());
        }
    }
}

/// Changing the map leaves no trace of the one before.
#[test]
fn a_changed_map_corrects_like_a_new_correction() {
    let rig = rigged(SampleCharacter::Elephant, 1_500);
    let pose = posed(&rig, &[("spine", [-35.0, 0.0, 0.0]), ("trunk_2", [45.0, 0.0, 0.0])]);
    let mut report = pliant::report::Report::default();
    let mut used = Stage::new(&rig, &options(CorrectionMap::Uniform, CorrectionMode::Exact));
    for (map, mode) in CorrectionMap::ALL.into_iter().flat_map(|map| MODES.map(|mode| (map, mode))) {
        used.frame(&pose);
        used.post_skinning.remap(&rig, &options(map, mode), &[], &mut report);
        used.frame(&pose);
        let mut fresh = Stage::new(&rig, &options(map, mode));
        fresh.frame(&pose);
        assert_eq!(used.positions, fresh.positions, "{map:?} {mode:?}");
    }
}

#[test]
fn only_segments_at_the_bent_joint_move() {
    let rig = rigged(SampleCharacter::Mannequin, 5_000);
    let pose = posed(&rig, &[("forearm.L", [0.0, 80.0, 0.0])]);
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
    stage.frame(&pose);
    let segments = stage.segments();
    let near = ["upper_arm.L", "forearm.L"].map(|name| rig.skeleton.find(name).unwrap());
    let (mut most_near, mut most_far) = (0.0_f32, 0.0_f32);
    for (vertex, moved) in stage.moved().into_iter().enumerate() {
        let joint = segments.segments()[segments.of_vertex(vertex).unwrap()].joint.unwrap();
        let most = if near.contains(&joint) { &mut most_near } else { &mut most_far };
        *most = most.max(moved);
    }
    let size = rig.asset.mesh.diagonal();
    println!("at the joint {most_near}, elsewhere {most_far}, size {size}");
    assert!(most_near > 1e-3 * size && most_far <= 1e-6 * size, "{most_near} and {most_far}");
}

/// Over 300 frames from rest to a bent pose and back, with poses at phases from 0 to 1: the largest
/// displacement by the correction, and the largest second difference of a vertex's displacement.
fn jolts(stage: &mut Stage, pose_at: impl Fn(f64) -> Pose) -> [f32; 2] {
    const FRAMES: u32 = 300;
    let mut last: Vec<Vec<Vec3>> = Vec::new();
    let (mut most, mut jolt) = (0.0_f32, 0.0_f32);
    for frame in 0..FRAMES {
        // A phase that is smooth in time.
        let phase = 0.5 - 0.5 * (std::f64::consts::TAU * f64::from(frame) / f64::from(FRAMES)).cos();
        stage.frame(&pose_at(phase));
        let [skinned, corrected] = stage.post_skinning.solved();
        last.push(skinned.iter().zip(corrected).map(|(a, b)| *b - *a).collect());
        if let [a, b, c] = &last[..] {
            for ((a, b), c) in a.iter().zip(b).zip(c) {
                most = most.max(c.length());
                jolt = jolt.max((*a - *b * 2.0 + *c).length());
            }
            last.remove(0);
        }
    }
    [most, jolt]
}

/// A pose between rest and the most bent pose of the clip. Clips interpolate keys linearly, which
/// is not smooth at keys; this is.
fn eased(clip: &pliant::model::Clip, skeleton: &pliant::model::Skeleton, phase: f64) -> Pose {
    let (rest, bent) = (Pose::rest(skeleton), clip.sample(skeleton, 0.5 * clip.duration()));
    let mut pose = rest.clone();
    for (joint, local) in pose.parent_from_joint.iter_mut().enumerate() {
        let (from, to) = (rest.parent_from_joint[joint], bent.parent_from_joint[joint]);
        let turn = DQuat::from_mat3(&(from.inverse() * to).matrix3).normalize();
        *local = from * DAffine3::from_quat(DQuat::IDENTITY.slerp(turn, phase));
    }
    pose
}

#[test]
fn nothing_pops_over_a_clip_of_300_frames() {
    for member in [
        SampleCharacter::Cylinder,
        SampleCharacter::Arm,
        SampleCharacter::Hand,
        SampleCharacter::Elephant,
        SampleCharacter::Giraffe,
    ] {
        let rig = rigged(member, 1_500);
        for map in CorrectionMap::ALL {
            let mut stage = Stage::new(&rig, &options(map, CorrectionMode::Exact));
            let [most, jolt] = jolts(&mut stage, |phase| eased(&rig.asset.clips[0], &rig.skeleton, phase));
            println!("{} {map:?}: moves by {most:.5}, second difference {jolt:.2e}", member.name());
            // A smooth motion of this length has second differences of about 0.0002 of its
            // amplitude; a pop has one of its own size.
            assert!(most > 0.0 && jolt <= 0.01 * most, "{} {map:?}: {jolt} of {most}", member.name());
        }
    }
}

#[test]
fn frames_do_not_allocate() {
    let rig = rigged(SampleCharacter::Hand, 1_500);
    let poses = [40.0, 80.0, 0.0, 110.0].map(|angle| {
        let turns = [
            ("index_2", [angle, 0.0, 0.0]),
            ("middle_1", [angle, 0.0, 0.0]),
            ("palm", [0.3 * angle, 0.0, 0.0]),
        ];
        posed(&rig, &turns).skinning_matrices(&rig.skeleton)
    });
    for (map, mode) in CorrectionMap::ALL.into_iter().flat_map(|map| MODES.map(|mode| (map, mode))) {
        let with_contacts = pliant::deform::PostSkinningOptions { fold_guard: true, ..options(map, mode) };
        let mut stage = Stage::new(&rig, &with_contacts);
        for matrices in &poses {
            let out = Posed { positions: &mut stage.positions, normals: &mut stage.normals };
            let (_, peak) = peak_of(|| stage.post_skinning.correct(matrices, out));
            assert_eq!(peak, 0, "{map:?} {mode:?}");
        }
    }
}

#[test]
fn normals_follow_the_corrected_surface() {
    let rig = cylinder(4_000);
    let pose = posed(&rig, &[("second", [0.0, 0.0, 80.0])]);
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Organic, CorrectionMode::Exact));
    stage.frame(&pose);
    assert!(stage.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
    let [skinned, corrected] = stage.post_skinning.solved();
    let triangles = rig.asset.mesh.triangles();
    let of = |positions: &[Vec3]| pliant::operators::normals_of(positions, triangles);
    let (before, after) = (of(skinned), of(corrected));
    let angles = |to: &[Vec3]| {
        let moved = stage.moved();
        let pairs = stage.normals.iter().zip(to).zip(moved).filter(|(_, moved)| *moved > 0.01);
        let (mut sum, mut count) = (0.0, 0);
        for ((a, b), _) in pairs {
            sum += a.angle_between(*b);
            count += 1;
        }
        sum / count as f32
    };
    println!(
        "mean angle to the skinned surface {}, to the corrected one {}",
        angles(&before),
        angles(&after)
    );
    assert!(angles(&after) < 0.02 && angles(&after) < 0.2 * angles(&before));
}

#[test]
fn dual_quaternion_skinning_is_corrected_as_well() {
    let rig = cylinder(1_000);
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
    stage.deformer = Deformer::DualQuaternion;
    stage.frame(&posed(&rig, &[("second", [0.0, 0.0, 100.0])]));
    let [_, corrected] = stage.whole_errors();
    assert!(corrected <= 0.01, "{corrected}");
}

#[test]
fn linear_skinning_of_baked_morph_targets_gives_the_corrected_positions() {
    let rig = rigged(SampleCharacter::Arm, 1_500);
    let clip = rig.asset.clips[0].clone();
    let with_contacts = pliant::deform::PostSkinningOptions {
        fold_guard: true,
        ..options(CorrectionMap::Local, CorrectionMode::Exact)
    };
    let mut stage = Stage::new(&rig, &with_contacts);
    let morphs = pliant::deform::bake(&rig, &mut stage.post_skinning, &clip, 5, &[]);
    morphs.assert_well_formed();
    assert_eq!((morphs.times.len(), morphs.clip.as_str()), (5, clip.name.as_str()));
    let mut farthest = 0.0_f32;
    for (&time, target) in morphs.times.iter().zip(&morphs.targets) {
        let pose = clip.sample(&rig.skeleton, time);
        stage.frame(&pose);
        let matrices = pose.skinning_matrices(&rig.skeleton);
        for (vertex, (rest, moved)) in rig.asset.render.positions.iter().zip(target).enumerate() {
            let blend = |i: &pliant::model::Influence| {
                matrices[i.column as usize].transform_point3(*rest + *moved) * i.weight
            };
            let posed: Vec3 = rig.weights().row(vertex).iter().map(blend).sum();
            farthest = farthest.max(posed.distance(stage.positions[vertex]));
        }
    }
    let size = rig.asset.mesh.diagonal();
    println!("baked morph targets are off by {:.2e} of the size", farthest / size);
    assert!(morphs.targets.iter().flatten().any(|d| d.length() > 1e-3 * size), "nothing was baked");
    assert!(farthest <= 0.005 * size, "{farthest} of {size}");
}

#[test]
fn keys_are_placed_until_the_error_between_them_is_small() {
    let rig = rigged(SampleCharacter::Arm, 800);
    let clip = rig.asset.clips[0].clone();
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
    let mut baker = Baker::new(&rig, &mut stage.post_skinning, Deformer::Linear, &[]);
    let few = baker.evenly(&clip, 5);
    let of_few = baker.error(&clip, &few);
    let (baked, error) = baker.within(&clip, 0.05, 64);
    baked.assert_well_formed();
    println!("5 keys: {:.3}; {} keys: {:.3}", of_few.share(), baked.times.len(), error.share());
    assert!(of_few.share() > 0.05, "nothing to improve");
    assert!(error.share() <= 0.05 && (6..64).contains(&baked.times.len()), "{error:?}");
    assert_eq!(baker.error(&clip, &baked), error);
}

#[test]
fn the_look_of_dual_quaternions_can_be_baked() {
    let rig = rigged(SampleCharacter::Arm, 800);
    let clip = rig.asset.clips[0].clone();
    let mut stage = Stage::new(&rig, &PostSkinningOptions::default());
    let baked = Baker::new(&rig, &mut stage.post_skinning, Deformer::DualQuaternion, &[]).evenly(&clip, 3);
    stage.deformer = Deformer::DualQuaternion;
    let pose = clip.sample(&rig.skeleton, baked.times[1]);
    stage.frame(&pose);
    let matrices = pose.skinning_matrices(&rig.skeleton);
    let farthest =
        rig.asset.render.positions.iter().zip(&baked.targets[1]).enumerate().map(|(v, (p, by))| {
            let blend = |i: &pliant::model::Influence| {
                matrices[i.column as usize].transform_point3(*p + *by) * i.weight
            };
            rig.weights().row(v).iter().map(blend).sum::<Vec3>().distance(stage.positions[v])
        });
    let (farthest, size) = (farthest.fold(0.0, f32::max), rig.asset.mesh.diagonal());
    assert!(baked.targets[1].iter().any(|by| by.length() > 1e-3 * size), "nothing was baked");
    assert!(farthest <= 1e-3 * size, "{farthest} of {size}");
}

/// A joint that is scaled, sheared or mirrored changes the volume on purpose.
#[test]
fn scaled_joints_keep_their_scale() {
    let rig = rigged(SampleCharacter::Mannequin, 3_000);
    let size = rig.asset.mesh.diagonal();
    let with_contacts =
        PostSkinningOptions { fold_guard: true, ..options(CorrectionMap::Local, CorrectionMode::Exact) };
    let mut stage = Stage::new(&rig, &with_contacts);
    let shear = DAffine3::from_mat3(glam::DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.0, 0.0), DVec3::Z));
    let scales = [DVec3::splat(1.12), DVec3::splat(0.5), DVec3::new(1.0, 1.5, 1.0), DVec3::ZERO];
    let changes = scales.map(DAffine3::from_scale).into_iter();
    let changes = changes.chain([shear, DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0))]);
    for (number, change) in changes.enumerate() {
        for joint in ["forearm.L", "head", "thigh.R"] {
            let joint = rig.skeleton.find(joint).unwrap();
            let mut pose = Pose::rest(&rig.skeleton);
            pose.parent_from_joint[joint] *= change;
            stage.frame(&pose);
            let farthest = stage.moved().into_iter().fold(0.0, f32::max) / size;
            println!("change {number} of joint {joint}: up to {farthest:.4} of the size");
            assert!(stage.positions.iter().all(|p| p.is_finite()));
            // 0.39 before the wanted volume followed the scale.
            assert!(farthest <= 0.02, "change {number} of joint {joint}: {farthest}");
        }
    }
}

#[test]
fn morph_targets_can_be_baked_around_one_joint() {
    let rig = rigged(SampleCharacter::Mannequin, 2_000);
    let clip = rig.asset.clips[0].clone();
    let mut stage = Stage::new(&rig, &options(CorrectionMap::Local, CorrectionMode::Exact));
    let all = pliant::deform::bake(&rig, &mut stage.post_skinning, &clip, 5, &[]);
    let knee = rig.skeleton.find("shin.L").unwrap();
    let thigh = rig.skeleton.joints()[knee].parent.unwrap();
    let one = pliant::deform::bake(&rig, &mut stage.post_skinning, &clip, 5, &[knee]);
    let mut moves = 0;
    for (all, one) in all.targets.iter().zip(&one.targets) {
        for (vertex, (all, one)) in all.iter().zip(one).enumerate() {
            let of_joint = |i: &&pliant::model::Influence| [knee, thigh].contains(&(i.column as usize));
            let share: f32 = rig.weights().row(vertex).iter().filter(of_joint).map(|i| i.weight).sum();
            assert!(share < 1.0 || one.distance(*all) <= 1e-6, "vertex {vertex} of the knee differs");
            assert!(share > 0.0 || *one == Vec3::ZERO, "vertex {vertex} has no weight of the knee");
            moves += usize::from(*one != Vec3::ZERO);
        }
    }
    assert!(moves > 0, "nothing was baked");
}

type Turns = &'static [(&'static str, [f64; 3])];

/// Strong bends, as in the plot of the gallery.
const STRONG: [(SampleCharacter, Turns); 4] = [
    (SampleCharacter::Arm, &[("forearm", [0.0, -110.0, 0.0])]),
    (SampleCharacter::Hand, &[("index_2", [120.0, 0.0, 0.0])]),
    (
        SampleCharacter::Elephant,
        &[
            ("spine", [18.0, 0.0, 0.0]),
            ("chest", [12.0, 0.0, 0.0]),
            ("trunk_1", [-30.0, 0.0, 0.0]),
            ("trunk_2", [-30.0, 0.0, 0.0]),
            ("trunk_3", [-30.0, 0.0, 0.0]),
            ("hind_upper.L", [-35.0, 0.0, 0.0]),
            ("hind_upper.R", [-35.0, 0.0, 0.0]),
            ("hind_lower.L", [55.0, 0.0, 0.0]),
            ("hind_lower.R", [55.0, 0.0, 0.0]),
        ],
    ),
    (
        SampleCharacter::Giraffe,
        &[("neck_1", [35.0, 0.0, 0.0]), ("neck_2", [45.0, 0.0, 0.0]), ("neck_3", [45.0, 0.0, 0.0])],
    ),
];

/// Also where joints that are bent at rest (the legs of the elephant) do not move: their contacts
/// must not flicker.
#[test]
fn strong_bends_do_not_pop() {
    let PostSkinningOptions { volume, .. } = options(CorrectionMap::Local, CorrectionMode::Exact);
    for (member, turns) in STRONG {
        let rig = rigged(member, 3_000);
        for (volume, fold_guard) in [(volume.clone(), false), (None, true), (volume.clone(), true)] {
            let options = PostSkinningOptions { volume, fold_guard };
            let [most, jolt] = jolts(&mut Stage::new(&rig, &options), |phase| {
                let turned = turns.iter().map(|(name, turn)| (*name, turn.map(|by| by * phase)));
                posed(&rig, &turned.collect::<Vec<_>>())
            });
            let size = rig.asset.mesh.diagonal();
            println!(
                "{}, volume {}, contacts {fold_guard}: moves by {:.4} of the size, second difference {:.2e}",
                member.name(),
                options.volume.is_some(),
                most / size,
                jolt / size
            );
            // Vertices that the volume correction moves into a contact stop there, and growth ends
            // where a gap closes. A pop would have a second difference of its own size.
            assert!(most > 0.0 && jolt <= 0.01 * most, "{}: {jolt} of {most}", member.name());
        }
    }
}
