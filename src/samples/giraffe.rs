//! A giraffe, 5 units high.

use glam::Vec3;

use super::SampleError;
use super::build::Model;
use super::motion::{ClipBuilder, bump, soles, sway};
use super::remesh::Sizing;
use super::rigging::{SIDES, SkeletonBuilder, on_side};
use super::sdf::{Body, ClipPlane, Shape, ball, chain, cone, ellipsoid, ellipsoid_along};
use super::trig::wave;
use crate::model::{Clip, Skeleton, SkeletonError};

/// The neck from the chest to the head, with radii.
const NECK: [(Vec3, f32); 6] = [
    (Vec3::new(0.0, 2.62, 0.62), 0.400),
    (Vec3::new(0.0, 3.04, 0.88), 0.285),
    (Vec3::new(0.0, 3.48, 1.08), 0.215),
    (Vec3::new(0.0, 3.92, 1.25), 0.175),
    (Vec3::new(0.0, 4.33, 1.40), 0.150),
    (Vec3::new(0.0, 4.66, 1.52), 0.138),
];

const POLL: Vec3 = Vec3::new(0.0, 4.74, 1.58);
const MUZZLE: Vec3 = Vec3::new(0.0, 4.43, 2.10);

/// Left legs: shoulder or hip, elbow or knee, wrist or hock, fetlock.
const FORE: [Vec3; 4] = [
    Vec3::new(0.20, 2.42, 0.62),
    Vec3::new(0.24, 1.86, 0.50),
    Vec3::new(0.235, 1.02, 0.56),
    Vec3::new(0.235, 0.22, 0.56),
];
const HIND: [Vec3; 4] = [
    Vec3::new(0.20, 2.20, -0.72),
    Vec3::new(0.25, 1.66, -0.52),
    Vec3::new(0.235, 0.98, -0.86),
    Vec3::new(0.235, 0.22, -0.78),
];

const TAIL: [(Vec3, f32); 5] = [
    (Vec3::new(0.0, 2.36, -1.00), 0.085),
    (Vec3::new(0.0, 2.16, -1.20), 0.052),
    (Vec3::new(0.0, 1.82, -1.28), 0.042),
    (Vec3::new(0.0, 1.48, -1.30), 0.048),
    (Vec3::new(0.0, 1.18, -1.31), 0.066),
];

const EAR: Vec3 = Vec3::new(0.10, 4.80, 1.52);
const EAR_TIP: Vec3 = Vec3::new(0.36, 4.86, 1.42);

/// The model of the giraffe.
pub fn model() -> Result<Model, SampleError> {
    let skeleton = skeleton()?;
    let clips = vec![walk(&skeleton), graze(&skeleton)];
    Ok(Model {
        shape: body(),
        clip_plane: ClipPlane::ground(0.03),
        skeleton,
        clips,
        sizing: Sizing { thick: 0.28, min_ratio: 0.40 },
        coarsest_grid: 0.032,
        min_isotropic: 2_000,
    })
}

fn body() -> Shape {
    let at = Vec3::new;
    let mut body = Body::default();
    // The back slopes from high withers to a low rump.
    let barrel = [
        (at(0.0, 2.20, -0.78), 0.40),
        (at(0.0, 2.22, -0.40), 0.47),
        (at(0.0, 2.28, 0.10), 0.52),
        (at(0.0, 2.42, 0.50), 0.50),
    ];
    body.add(0.0, chain(&barrel, 1).flattened(Vec3::X, 0.84));
    body.add(0.25, ellipsoid_along(at(0.0, 2.80, 0.42), at(0.16, 0.22, 0.40), at(0.0, 1.0, -0.5), Vec3::Z));
    body.add(0.30, chain(&NECK, 2).flattened(Vec3::X, 0.86));
    body.add(0.10, head());
    for (_, x) in SIDES {
        body.add(
            0.2,
            ellipsoid_along(
                on_side(x, at(0.20, 2.36, 0.56)),
                at(0.20, 0.46, 0.27),
                at(0.0, 1.0, 0.15),
                Vec3::Z,
            ),
        );
        body.add(
            0.2,
            ellipsoid_along(
                on_side(x, at(0.18, 2.08, -0.66)),
                at(0.22, 0.46, 0.34),
                at(0.0, 1.0, -0.2),
                Vec3::Z,
            ),
        );
        body.add_at(0.2, on_side(x, FORE[0]), 0.75, fore_leg(x));
        body.add_at(0.2, on_side(x, HIND[0]), 0.8, hind_leg(x));
    }
    body.add_at(0.1, TAIL[0].0, 0.3, chain(&TAIL, 2));
    body.shape()
}

fn head() -> Shape {
    let at = Vec3::new;
    let mut head = Body::default();
    head.add(0.0, ellipsoid_along(at(0.0, 4.74, 1.62), at(0.145, 0.160, 0.205), at(0.0, 1.0, 0.55), Vec3::Z));
    let face = [
        (at(0.0, 4.74, 1.66), 0.150),
        (at(0.0, 4.62, 1.86), 0.115),
        (at(0.0, 4.50, 2.02), 0.092),
        (MUZZLE, 0.088),
    ];
    head.add(0.06, chain(&face, 2).flattened(Vec3::X, 0.92));
    // Jaw, and the bump on the brow.
    head.add(0.05, cone(at(0.0, 4.60, 1.66), 0.095, at(0.0, 4.40, 2.02), 0.060));
    head.add(0.06, ellipsoid_along(at(0.0, 4.84, 1.74), at(0.07, 0.06, 0.10), at(0.0, 1.0, 0.6), Vec3::Z));
    for (_, x) in SIDES {
        let side = |px: f32, py: f32, pz: f32| on_side(x, at(px, py, pz));
        head.add(0.05, ellipsoid(side(0.115, 4.74, 1.74), at(0.045, 0.060, 0.070)));
        // Horns with their knobs.
        head.add(0.05, cone(side(0.070, 4.84, 1.60), 0.045, side(0.092, 5.05, 1.52), 0.036));
        head.add(0.03, ball(side(0.094, 5.07, 1.512), 0.048));
        let (root, tip) = (on_side(x, EAR), on_side(x, EAR_TIP));
        let ear = [(root, 0.050), (root.lerp(tip, 0.5), 0.088), (tip, 0.034)];
        let flat = at(0.25 * x, -0.35, 1.0);
        head.add_at(0.05, root, 0.14, chain(&ear, 2).flattened(flat, 0.55));
    }
    head.shape()
}

fn fore_leg(x: f32) -> Shape {
    let side = |point: Vec3| on_side(x, point);
    let [shoulder, elbow, wrist, fetlock] = FORE;
    let bones = [
        (side(shoulder), 0.235),
        (side(elbow), 0.168),
        (side(elbow.lerp(wrist, 0.5)), 0.112),
        (side(wrist), 0.098),
        (side(wrist.lerp(fetlock, 0.3)), 0.070),
        (side(wrist.lerp(fetlock, 0.75)), 0.064),
        (side(fetlock), 0.078),
    ];
    let mut leg = Body::default();
    leg.add(0.0, chain(&bones, 2));
    leg.add(0.04, hoof(side(fetlock)));
    leg.shape()
}

fn hind_leg(x: f32) -> Shape {
    let side = |point: Vec3| on_side(x, point);
    let [hip, knee, hock, fetlock] = HIND;
    let bones = [
        (side(hip), 0.285),
        (side(hip.lerp(knee, 0.55)), 0.250),
        (side(knee), 0.180),
        (side(knee.lerp(hock, 0.5)), 0.120),
        (side(hock), 0.092),
        (side(hock.lerp(fetlock, 0.3)), 0.072),
        (side(hock.lerp(fetlock, 0.75)), 0.064),
        (side(fetlock), 0.078),
    ];
    let mut leg = Body::default();
    leg.add(0.0, chain(&bones, 2));
    leg.add(0.04, hoof(side(fetlock)));
    leg.shape()
}

fn hoof(fetlock: Vec3) -> Shape {
    let toe = fetlock * Vec3::new(1.0, 0.0, 1.0) + Vec3::new(0.0, 0.0, 0.075);
    cone(fetlock + Vec3::new(0.0, -0.03, 0.012), 0.070, toe + Vec3::Y * 0.072, 0.102).flattened(Vec3::Y, 0.7)
}

fn skeleton() -> Result<Skeleton, SkeletonError> {
    let at = Vec3::new;
    let mut rig = SkeletonBuilder::default();
    rig.joint("hips", "", at(0.0, 2.32, -0.70));
    rig.joint("spine", "hips", at(0.0, 2.36, -0.20));
    rig.joint("chest", "spine", at(0.0, 2.46, 0.28));
    // The last point of the neck is not a joint: the head rotates a little above it.
    rig.chain("neck", "chest", &NECK);
    let last = format!("neck_{}", NECK.len() - 1);
    rig.remove_tip(&last);
    rig.joint("head", &last, POLL);
    rig.tip("head", MUZZLE);
    rig.pair("ear", "head", EAR);
    rig.tips("ear", EAR_TIP);
    for (name, parent, [top, middle, low, fetlock]) in [("fore", "chest", FORE), ("hind", "hips", HIND)] {
        rig.pair(&format!("{name}_upper"), parent, top);
        rig.pair(&format!("{name}_middle"), &format!("{name}_upper"), middle);
        rig.pair(&format!("{name}_lower"), &format!("{name}_middle"), low);
        rig.pair(&format!("{name}_foot"), &format!("{name}_lower"), fetlock);
        rig.tips(&format!("{name}_foot"), fetlock * at(1.0, 0.0, 1.0) + at(0.0, 0.06, 0.1));
    }
    rig.chain("tail", "hips", &TAIL);
    rig.skeleton()
}

/// Giraffes pace: both legs of a side move together, and the neck nods once per step.
fn walk(skeleton: &Skeleton) -> Clip {
    let fore = |t: f64| -2.0 - 15.0 * wave(t);
    let hind = |t: f64| -2.0 - 15.0 * wave(t);
    let fore_lower = |t: f64| 42.0 * bump(t - 0.93);
    let hind_middle = |t: f64| 24.0 * bump(t - 0.93);
    let hind_lower = |t: f64| -30.0 * bump(t - 0.93);
    let mut motion = ClipBuilder::new(skeleton, "walk", 1.8)
        .rotate("hips", &|t| [0.8 * wave(2.0 * t), 1.5 * wave(t), 1.0 * wave(t + 0.1)])
        .rotate("chest", &|t| [0.0, -1.5 * wave(t), -wave(t + 0.1)])
        .rotate("head", &|t| [-5.0 * wave(2.0 * t + 0.05), 0.0, 0.0])
        .rotate_pair("ear", 0.3, &|t| [0.0, 8.0 * wave(2.0 * t), 0.0])
        .rotate_pair("fore_upper", 0.5, &|t| [fore(t - 0.12), 0.0, 0.0])
        .rotate_pair("fore_lower", 0.5, &|t| [fore_lower(t - 0.12), 0.0, 0.0])
        .rotate_pair("fore_foot", 0.5, &|t| [18.0 * bump(t - 0.06), 0.0, 0.0])
        .rotate_pair("hind_upper", 0.5, &|t| [hind(t), 0.0, 0.0])
        .rotate_pair("hind_middle", 0.5, &|t| [hind_middle(t), 0.0, 0.0])
        .rotate_pair("hind_lower", 0.5, &|t| [hind_lower(t), 0.0, 0.0])
        .rotate_pair("hind_foot", 0.5, &|t| [16.0 * bump(t - 0.9), 0.0, 0.0]);
    for i in 1..NECK.len() {
        let delay = 0.02 * i as f64;
        motion = motion.rotate(&format!("neck_{i}"), &|t| {
            [1.0 + 1.6 * wave(2.0 * t - delay), 0.0, 0.6 * wave(t - delay)]
        });
    }
    for i in 1..TAIL.len() {
        let delay = 0.06 * i as f64;
        motion = motion.rotate(&format!("tail_{i}"), &|t| [0.0, 0.0, 7.0 * wave(t - delay)]);
    }
    motion.grounded(&soles(&[("fore_foot", FORE[3]), ("hind_foot", HIND[3])], [-0.02, 0.15])).finish()
}

/// The neck bends down to the grass and up again.
fn graze(skeleton: &Skeleton) -> Clip {
    let mut motion = ClipBuilder::new(skeleton, "graze", 3.0)
        .rotate("head", &|t| [-20.0 * sway(t), 0.0, 0.0])
        .rotate_pair("ear", 0.0, &|t| [0.0, 10.0 * wave(3.0 * t), 0.0])
        .rotate_pair("fore_upper", 0.0, &|t| [0.0, 0.0, 5.0 * sway(t)]);
    for i in 1..NECK.len() {
        let turn = [34.0, 26.0, 20.0, 16.0, 14.0][i - 1];
        motion = motion.rotate(&format!("neck_{i}"), &|t| [turn * sway(t), 0.0, 1.5 * wave(t)]);
    }
    for i in 1..TAIL.len() {
        let delay = 0.08 * i as f64;
        motion = motion.rotate(&format!("tail_{i}"), &|t| [0.0, 0.0, 10.0 * wave(2.0 * t - delay)]);
    }
    motion.finish()
}
