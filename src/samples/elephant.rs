//! An African elephant, 3 units high at the shoulder.

use glam::Vec3;

use super::SampleError;
use super::build::Model;
use super::motion::{ClipBuilder, bump, soles, sway};
use super::remesh::Sizing;
use super::rigging::{SIDES, SkeletonBuilder, on_side};
use super::sdf::{Body, ClipPlane, Shape, chain, cone, ellipsoid, ellipsoid_along, sheet, spline};
use super::trig::wave;
use crate::model::{Clip, Skeleton, SkeletonError};

/// The trunk from the brow to its tip, with radii.
const TRUNK: [(Vec3, f32); 8] = [
    (Vec3::new(0.0, 2.32, 1.98), 0.300),
    (Vec3::new(0.0, 1.98, 2.26), 0.255),
    (Vec3::new(0.0, 1.58, 2.38), 0.205),
    (Vec3::new(0.0, 1.18, 2.40), 0.165),
    (Vec3::new(0.0, 0.80, 2.37), 0.135),
    (Vec3::new(0.0, 0.47, 2.39), 0.112),
    (Vec3::new(0.0, 0.26, 2.53), 0.095),
    (Vec3::new(0.0, 0.27, 2.73), 0.078),
];

/// Front and hind leg of the left side: shoulder or hip, elbow or knee, wrist or ankle.
const FORE: [Vec3; 3] =
    [Vec3::new(0.40, 1.72, 0.82), Vec3::new(0.43, 1.12, 0.74), Vec3::new(0.43, 0.42, 0.80)];
const HIND: [Vec3; 3] =
    [Vec3::new(0.38, 1.62, -0.98), Vec3::new(0.42, 1.02, -0.84), Vec3::new(0.42, 0.40, -1.02)];

const TAIL: [(Vec3, f32); 5] = [
    (Vec3::new(0.0, 2.10, -1.52), 0.105),
    (Vec3::new(0.0, 1.86, -1.72), 0.070),
    (Vec3::new(0.0, 1.50, -1.80), 0.055),
    (Vec3::new(0.0, 1.15, -1.82), 0.050),
    (Vec3::new(0.0, 0.90, -1.82), 0.062),
];

/// The left tusk, from its socket to its point.
const TUSK: [(Vec3, f32); 4] = [
    (Vec3::new(0.27, 2.02, 1.98), 0.105),
    (Vec3::new(0.36, 1.78, 2.20), 0.086),
    (Vec3::new(0.43, 1.58, 2.48), 0.070),
    (Vec3::new(0.43, 1.52, 2.80), 0.048),
];

const EAR: Vec3 = Vec3::new(0.40, 2.42, 1.42);
const EAR_TIP: Vec3 = Vec3::new(0.98, 2.20, 1.02);

/// The rim of the left ear, from the top of its root around to the lower lobe and back.
const EAR_RIM: [Vec3; 9] = [
    Vec3::new(0.36, 2.74, 1.44),
    Vec3::new(0.58, 2.86, 1.26),
    Vec3::new(0.84, 2.80, 1.08),
    Vec3::new(1.02, 2.58, 0.98),
    Vec3::new(1.04, 2.28, 1.00),
    Vec3::new(0.92, 1.96, 1.12),
    Vec3::new(0.72, 1.70, 1.26),
    Vec3::new(0.56, 1.74, 1.38),
    Vec3::new(0.42, 2.10, 1.46),
];

/// Half the thickness of the ear. If thinner, coarse meshes cannot represent it.
const EAR_RADIUS: f32 = 0.06;

/// The model of the elephant.
pub fn model() -> Result<Model, SampleError> {
    let skeleton = skeleton()?;
    let clips = vec![walk(&skeleton), swing_trunk(&skeleton)];
    Ok(Model {
        shape: body(),
        clip_plane: ClipPlane::ground(0.06),
        skeleton,
        clips,
        sizing: Sizing { thick: 0.35, min_ratio: 0.42 },
        coarsest_grid: 0.045,
        min_isotropic: 2_000,
    })
}

fn body() -> Shape {
    let mut body = torso();
    body.add(0.30, head());
    for (_, x) in SIDES {
        body.add_at(0.25, on_side(x, FORE[0]), 0.8, leg(x, &FORE, 0.9));
        body.add_at(0.25, on_side(x, HIND[0]), 0.8, leg(x, &HIND, 1.0));
    }
    body.add_at(0.12, TAIL[0].0, 0.4, chain(&TAIL, 2));
    body.shape()
}

fn torso() -> Body {
    let at = Vec3::new;
    let mut torso = Body::default();
    // From the rump along the hollow back to the withers.
    let barrel = [
        (at(0.0, 1.82, -1.10), 0.54),
        (at(0.0, 1.86, -0.75), 0.64),
        (at(0.0, 1.76, -0.15), 0.69),
        (at(0.0, 1.83, 0.45), 0.67),
        (at(0.0, 1.97, 0.90), 0.58),
    ];
    torso.add(0.0, chain(&barrel, 1).flattened(Vec3::X, 0.96));
    torso.add(0.3, ellipsoid(at(0.0, 2.15, -0.66), at(0.32, 0.36, 0.55)));
    torso.add(0.3, ellipsoid(at(0.0, 2.22, 0.66), at(0.34, 0.40, 0.60)));
    for (_, x) in SIDES {
        torso.add(0.25, ellipsoid(on_side(x, at(0.34, 1.72, 0.80)), at(0.30, 0.62, 0.42)));
        torso.add(0.25, ellipsoid(on_side(x, at(0.32, 1.62, -0.98)), at(0.34, 0.62, 0.50)));
    }
    // Neck.
    torso.add(0.25, cone(at(0.0, 2.02, 1.0), 0.56, at(0.0, 2.28, 1.45), 0.46));
    torso
}

fn head() -> Shape {
    let at = Vec3::new;
    let mut head = Body::default();
    head.add(0.0, ellipsoid_along(at(0.0, 2.42, 1.66), at(0.43, 0.54, 0.44), at(0.0, 1.0, -0.2), Vec3::Z));
    // Lower jaw.
    head.add(0.15, cone(at(0.0, 1.98, 1.66), 0.26, at(0.0, 1.74, 1.98), 0.12));
    let mut trunk = Body::default();
    trunk.add(0.0, chain(&TRUNK, 2));
    head.add_at(0.2, TRUNK[0].0, 0.7, trunk.shape());
    for (_, x) in SIDES {
        let side = |px: f32, py: f32, pz: f32| on_side(x, at(px, py, pz));
        // Dome of the forehead, brow, cheek and the root of the tusk.
        head.add(0.18, ellipsoid(side(0.16, 2.76, 1.62), at(0.21, 0.20, 0.26)));
        head.add(
            0.10,
            ellipsoid_along(side(0.34, 2.46, 1.86), at(0.09, 0.13, 0.12), at(0.0, 1.0, 0.6), Vec3::Z),
        );
        head.add(0.15, ellipsoid(side(0.28, 2.12, 1.80), at(0.20, 0.30, 0.28)));
        let tusk = TUSK.map(|(point, radius)| (on_side(x, point), radius));
        head.add_at(0.08, tusk[0].0, 0.3, chain(&tusk, 2));
        head.add_at(0.10, on_side(x, EAR), 0.45, ear(x));
    }
    head.shape()
}

/// A broad sheet from the temple outwards and backwards, with a pointed lower lobe.
fn ear(x: f32) -> Shape {
    let hub = EAR.lerp(EAR_TIP, 0.55) + Vec3::new(0.02, 0.1, 0.05);
    let rim: Vec<Vec3> = spline(&EAR_RIM.map(|point| on_side(x, point).extend(0.0)), 4)
        .into_iter()
        .map(|point| point.truncate())
        .collect();
    sheet(on_side(x, hub), &rim, EAR_RADIUS)
}

fn leg(x: f32, [top, middle, low]: &[Vec3; 3], thickness: f32) -> Shape {
    let side = |point: Vec3| on_side(x, point);
    let bones = [
        (side(*top), 0.34 * thickness),
        (side(top.lerp(*middle, 0.6)), 0.30 * thickness),
        (side(*middle), 0.255 * thickness),
        (side(middle.lerp(*low, 0.55)), 0.205),
        (side(*low), 0.195),
        (side(*low * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * 0.20), 0.225),
    ];
    let mut leg = Body::default();
    leg.add(0.0, chain(&bones, 2));
    // A cushion under the foot.
    let sole = side(*low * Vec3::new(1.0, 0.0, 1.0) + Vec3::new(0.0, 0.06, 0.03));
    leg.add(0.10, ellipsoid(sole, Vec3::new(0.255, 0.16, 0.275)));
    leg.shape()
}

fn skeleton() -> Result<Skeleton, SkeletonError> {
    let at = Vec3::new;
    let mut rig = SkeletonBuilder::default();
    rig.joint("hips", "", at(0.0, 1.95, -0.95));
    rig.joint("spine", "hips", at(0.0, 1.95, -0.25));
    rig.joint("chest", "spine", at(0.0, 2.0, 0.45));
    rig.joint("neck", "chest", at(0.0, 2.12, 1.10));
    rig.joint("head", "neck", at(0.0, 2.36, 1.52));
    rig.joint("jaw", "head", at(0.0, 2.02, 1.66));
    rig.tip("jaw", at(0.0, 1.76, 1.97));
    rig.chain("trunk", "head", &TRUNK);
    // Without bones of their own, the tusks would bend with the trunk.
    rig.pair("tusk", "head", TUSK[0].0);
    rig.tips("tusk", TUSK[3].0);
    rig.pair("ear", "head", EAR);
    rig.tips("ear", EAR.lerp(EAR_TIP, 0.9));
    for (name, parent, [top, middle, low]) in [("fore", "chest", FORE), ("hind", "hips", HIND)] {
        rig.pair(&format!("{name}_upper"), parent, top);
        rig.pair(&format!("{name}_lower"), &format!("{name}_upper"), middle);
        rig.pair(&format!("{name}_foot"), &format!("{name}_lower"), low);
        rig.tips(&format!("{name}_foot"), low * at(1.0, 0.0, 1.0) + at(0.0, 0.08, 0.05));
    }
    rig.chain("tail", "hips", &TAIL);
    rig.skeleton()
}

/// The walk of an elephant: hind foot, front foot of the same side, then the other side.
fn walk(skeleton: &Skeleton) -> Clip {
    let upper = |t: f64| -2.0 - 15.0 * wave(t);
    let fore_lower = |t: f64| 26.0 * bump(t - 0.94);
    let hind_lower = |t: f64| 4.0 + 24.0 * bump(t - 0.94);
    let mut motion = ClipBuilder::new(skeleton, "walk", 2.0)
        .rotate("hips", &|t| [0.0, 1.5 * wave(t), 1.5 * wave(t + 0.1)])
        .rotate("chest", &|t| [0.0, -2.0 * wave(t), -1.5 * wave(t + 0.1)])
        .rotate("neck", &|t| [2.0 * wave(2.0 * t), 0.0, 0.0])
        .rotate("head", &|t| [2.5 * wave(2.0 * t - 0.1), 2.0 * wave(t), 0.0])
        .rotate_pair("ear", 0.0, &|t| [0.0, -10.0 + 12.0 * wave(t), 0.0])
        .rotate_pair("hind_upper", 0.5, &|t| [upper(t), 0.0, 0.0])
        .rotate_pair("hind_lower", 0.5, &|t| [hind_lower(t), 0.0, 0.0])
        .rotate_pair("hind_foot", 0.5, &|t| [-0.8 * (upper(t) + hind_lower(t)), 0.0, 0.0])
        .rotate_pair("fore_upper", 0.5, &|t| [upper(t - 0.22), 0.0, 0.0])
        .rotate_pair("fore_lower", 0.5, &|t| [fore_lower(t - 0.22), 0.0, 0.0])
        .rotate_pair("fore_foot", 0.5, &|t| [-0.6 * upper(t - 0.22) + 10.0 * bump(t - 0.16), 0.0, 0.0]);
    for i in 1..TRUNK.len() {
        let delay = 0.05 * i as f64;
        motion = motion
            .rotate(&format!("trunk_{i}"), &|t| [1.5 * wave(2.0 * t - delay), 0.0, 3.5 * wave(t - delay)]);
    }
    for i in 1..TAIL.len() {
        let delay = 0.07 * i as f64;
        motion = motion.rotate(&format!("tail_{i}"), &|t| [0.0, 0.0, 7.0 * wave(t - delay)]);
    }
    motion.grounded(&soles(&[("fore_foot", FORE[2]), ("hind_foot", HIND[2])], [-0.2, 0.26])).finish()
}

/// The trunk curls up to the mouth and swings out again.
fn swing_trunk(skeleton: &Skeleton) -> Clip {
    let mut motion = ClipBuilder::new(skeleton, "trunk", 2.0)
        .rotate("head", &|t| [-8.0 * sway(t), 0.0, 0.0])
        .rotate("jaw", &|t| [12.0 * sway(t), 0.0, 0.0])
        .rotate_pair("ear", 0.0, &|t| [0.0, 22.0 * sway(t), 0.0]);
    for i in 1..TRUNK.len() {
        let curl = [-14.0, -26.0, -34.0, -36.0, -34.0, -26.0, -20.0][i - 1];
        let delay = 0.02 * i as f64;
        motion =
            motion.rotate(&format!("trunk_{i}"), &|t| [curl * sway(t - delay), 0.0, 4.0 * wave(t - delay)]);
    }
    motion.finish()
}
