//! A right hand, fingers up, palm forward, with three joints per finger. One unit is a decimetre.

use glam::Vec3;

use super::SampleError;
use super::build::Model;
use super::motion::{ClipBuilder, sway};
use super::remesh::Sizing;
use super::rigging::SkeletonBuilder;
use super::sdf::{Body, ClipPlane, Shape, chain, cone, ellipsoid_along};
use super::trig::wave;
use crate::model::{Clip, Skeleton, SkeletonError};

/// A finger: knuckle, the following joints, tip, and its radius at each of them.
struct Finger {
    name: &'static str,
    points: [Vec3; 4],
    radii: [f32; 4],
}

/// Thumb first. Slightly spread and curled, as in a relaxed hand.
fn fingers() -> [Finger; 5] {
    let at = Vec3::new;
    let straight = |name, base: Vec3, lean: f32, lengths: [f32; 3], thick: f32| {
        let mut points = [base; 4];
        for i in 0..3 {
            let curl = [0.02, 0.10, 0.17][i];
            let direction = at(lean, 1.0, curl).normalize_or_zero();
            points[i + 1] = points[i] + direction * lengths[i];
        }
        Finger { name, points, radii: [1.12, 1.0, 0.9, 0.74].map(|factor| factor * thick) }
    };
    [
        Finger {
            name: "thumb",
            points: [at(0.20, 0.22, 0.10), at(0.47, 0.53, 0.21), at(0.64, 0.83, 0.26), at(0.745, 1.10, 0.27)],
            radii: [0.155, 0.120, 0.110, 0.078],
        },
        straight("index", at(0.315, 0.98, 0.0), 0.17, [0.44, 0.27, 0.215], 0.098),
        straight("middle", at(0.100, 1.02, -0.012), 0.035, [0.49, 0.31, 0.225], 0.101),
        straight("ring", at(-0.110, 0.985, -0.005), -0.085, [0.45, 0.29, 0.22], 0.096),
        straight("little", at(-0.300, 0.91, 0.012), -0.24, [0.36, 0.205, 0.185], 0.084),
    ]
}

/// The model of the hand.
pub fn model() -> Result<Model, SampleError> {
    let fingers = fingers();
    let skeleton = skeleton(&fingers)?;
    let clips = vec![grasp(&skeleton), wave_hand(&skeleton)];
    Ok(Model {
        shape: body(&fingers),
        clip_plane: ClipPlane { outward: Vec3::NEG_Y, offset: 0.66, radius: 0.12 },
        skeleton,
        clips,
        sizing: Sizing { thick: 0.2, min_ratio: 0.6 },
        coarsest_grid: 0.032,
        min_isotropic: 1_200,
    })
}

fn body(fingers: &[Finger; 5]) -> Shape {
    let at = Vec3::new;
    let mut hand = Body::default();
    // A stump of the forearm, and the wrist, flattened from front to back.
    let forearm = [
        (at(0.0, -0.62, -0.01), 0.315),
        (at(0.0, -0.30, 0.0), 0.285),
        (at(0.0, 0.0, 0.0), 0.268),
        (at(0.0, 0.2, 0.0), 0.30),
    ];
    hand.add(0.0, chain(&forearm, 2).flattened(Vec3::Z, 0.72));
    // The palm is a smooth union of the metacarpal bones.
    let mut palm = Body::default();
    for (finger, x) in fingers[1..].iter().zip([0.13, 0.045, -0.045, -0.125]) {
        let root = at(x, 0.12, -0.01);
        palm.add(0.12, cone(root, 0.16, finger.points[0], finger.radii[0] * 1.12));
    }
    hand.add(0.10, palm.shape());
    // Balls of the thumb and of the little finger; the pads below the fingers.
    hand.add(
        0.10,
        ellipsoid_along(at(0.235, 0.38, 0.12), at(0.155, 0.33, 0.145), at(0.55, 1.0, 0.2), Vec3::Z),
    );
    hand.add(
        0.10,
        ellipsoid_along(at(-0.215, 0.36, 0.085), at(0.125, 0.34, 0.115), at(-0.15, 1.0, 0.0), Vec3::Z),
    );
    hand.add(0.12, ellipsoid_along(at(0.0, 0.86, 0.05), at(0.35, 0.11, 0.075), at(0.15, 1.0, 0.1), Vec3::Z));
    for (i, finger) in fingers.iter().enumerate() {
        let knuckle = finger.points[0];
        let (radius, reach) = if i == 0 { (0.12, 0.5) } else { (0.075, 0.24) };
        hand.add_at(radius, knuckle, reach, finger_shape(finger));
    }
    hand.shape()
}

fn finger_shape(finger: &Finger) -> Shape {
    let [a, b, c, d] = finger.points;
    let [ra, rb, rc, rd] = finger.radii;
    // Thinner between the joints than at them.
    let links = [
        (a, ra),
        (a.lerp(b, 0.5), 0.5 * (ra + rb) * 0.97),
        (b, rb * 1.03),
        (b.lerp(c, 0.5), 0.5 * (rb + rc) * 0.96),
        (c, rc * 1.02),
        (c.lerp(d, 0.55), 0.5 * (rc + rd) * 1.04),
        (d.lerp(c, 0.25), rd),
    ];
    chain(&links, 2)
}

fn skeleton(fingers: &[Finger; 5]) -> Result<Skeleton, SkeletonError> {
    let mut rig = SkeletonBuilder::default();
    rig.joint("wrist", "", Vec3::new(0.0, -0.5, 0.0));
    rig.joint("palm", "wrist", Vec3::ZERO);
    for finger in fingers {
        let mut parent = "palm".to_owned();
        for (i, &head) in finger.points[..3].iter().enumerate() {
            let name = format!("{}_{}", finger.name, i + 1);
            rig.joint(&name, &parent, head);
            parent = name;
        }
        rig.tip(&parent, finger.points[3]);
    }
    rig.skeleton()
}

/// All fingers close one after the other, and open again.
fn grasp(skeleton: &Skeleton) -> Clip {
    let mut motion = ClipBuilder::new(skeleton, "grasp", 2.0).rotate("palm", &|t| [-8.0 * sway(t), 0.0, 0.0]);
    for (i, name) in ["index", "middle", "ring", "little"].into_iter().enumerate() {
        let delay = 0.03 * (3.0 - i as f64);
        let close = move |t: f64| sway(t - delay);
        let spread = [4.0, 1.0, -2.0, -7.0][i];
        motion = motion
            .rotate(&format!("{name}_1"), &|t| [62.0 * close(t), 0.0, spread * close(t)])
            .rotate(&format!("{name}_2"), &|t| [78.0 * close(t), 0.0, 0.0])
            .rotate(&format!("{name}_3"), &|t| [48.0 * close(t), 0.0, 0.0]);
    }
    let close = |t: f64| sway(t - 0.05);
    motion
        .rotate("thumb_1", &|t| [14.0 * close(t), -34.0 * close(t), 10.0 * close(t)])
        .rotate("thumb_2", &|t| [16.0 * close(t), -12.0 * close(t), 22.0 * close(t)])
        .rotate("thumb_3", &|t| [12.0 * close(t), -8.0 * close(t), 30.0 * close(t)])
        .finish()
}

/// The hand swings from side to side, and the fingers lag behind.
fn wave_hand(skeleton: &Skeleton) -> Clip {
    let mut motion = ClipBuilder::new(skeleton, "wave", 1.4).rotate("palm", &|t| [0.0, 0.0, 22.0 * wave(t)]);
    for (i, name) in ["index", "middle", "ring", "little"].into_iter().enumerate() {
        let delay = 0.04 + 0.02 * i as f64;
        motion = motion
            .rotate(&format!("{name}_1"), &|t| [4.0, 0.0, 5.0 * wave(t - delay)])
            .rotate(&format!("{name}_2"), &|t| [5.0 + 4.0 * wave(t - delay), 0.0, 0.0]);
    }
    motion.rotate("thumb_1", &|t| [0.0, 0.0, 6.0 * wave(t - 0.1)]).finish()
}
