//! A person of 1.75 units with arms hanging close to the chest, near enough that straight lines
//! from bones cross the gap.

use glam::Vec3;

use super::SampleError;
use super::build::Model;
use super::limbs::{HandFrame, mitten};
use super::motion::{ClipBuilder, bump, soles, sway};
use super::remesh::Sizing;
use super::rigging::{SIDES, SkeletonBuilder, on_side};
use super::sdf::{Body, ClipPlane, Shape, chain, cone, ellipsoid, ellipsoid_along};
use super::trig::wave;
use crate::model::{Clip, Skeleton, SkeletonError};

const SHOULDER: Vec3 = Vec3::new(0.184, 1.408, -0.018);
const ELBOW: Vec3 = Vec3::new(0.281, 1.126, -0.030);
const WRIST: Vec3 = Vec3::new(0.345, 0.888, 0.018);
const FINGERTIPS: Vec3 = Vec3::new(0.374, 0.700, 0.070);
const HIP: Vec3 = Vec3::new(0.088, 0.910, -0.005);
const KNEE: Vec3 = Vec3::new(0.108, 0.492, 0.008);
const ANKLE: Vec3 = Vec3::new(0.117, 0.082, -0.032);
const BALL_OF_FOOT: Vec3 = Vec3::new(0.130, 0.022, 0.085);
const TOES: Vec3 = Vec3::new(0.139, 0.014, 0.155);

/// The model of the mannequin.
pub fn model() -> Result<Model, SampleError> {
    let skeleton = skeleton()?;
    let clips = vec![walk(&skeleton), wave_hand(&skeleton)];
    Ok(Model {
        shape: body(),
        clip_plane: ClipPlane::ground(0.012),
        skeleton,
        clips,
        sizing: Sizing { thick: 0.11, min_ratio: 0.42 },
        coarsest_grid: 0.0155,
        min_isotropic: 1_500,
    })
}

fn body() -> Shape {
    let mut body = torso();
    body.add(0.05, neck_and_head());
    for (_, x) in SIDES {
        body.add_at(0.055, on_side(x, SHOULDER + Vec3::new(-0.02, -0.03, 0.0)), 0.22, arm(x));
        body.add_at(0.055, on_side(x, HIP), 0.24, leg(x));
    }
    body.shape()
}

fn torso() -> Body {
    let at = Vec3::new;
    let mut torso = Body::default();
    // Pelvis, waist and ribcage: broad, and flattened from front to back.
    let core = [
        (at(0.0, 0.900, -0.012), 0.124),
        (at(0.0, 0.970, -0.008), 0.136),
        (at(0.0, 1.040, -0.002), 0.131),
        (at(0.0, 1.110, 0.002), 0.129),
        (at(0.0, 1.200, -0.002), 0.143),
        (at(0.0, 1.290, -0.010), 0.155),
        (at(0.0, 1.365, -0.020), 0.142),
    ];
    torso.add(0.0, chain(&core, 1).flattened(Vec3::Z, 0.70));
    for (_, x) in SIDES {
        let side = |px: f32, py: f32, pz: f32| on_side(x, at(px, py, pz));
        // The shoulder girdle: collar, trapezius and shoulder blade.
        torso.add(0.06, cone(side(0.05, 1.420, -0.022), 0.052, side(0.145, 1.412, -0.018), 0.050));
        torso.add(0.06, cone(side(0.022, 1.490, -0.028), 0.030, side(0.130, 1.424, -0.026), 0.036));
        let blade = (at(-x * 0.25, 1.0, 0.1), at(x * 0.3, 0.0, -1.0));
        torso.add(
            0.05,
            ellipsoid_along(side(0.085, 1.320, -0.082), at(0.060, 0.085, 0.034), blade.0, blade.1),
        );
        // Breast and flank.
        let breast = (at(x * 0.25, 1.0, -0.2), at(x * 0.3, 0.2, 1.0));
        torso.add(
            0.05,
            ellipsoid_along(side(0.076, 1.312, 0.052), at(0.084, 0.070, 0.036), breast.0, breast.1),
        );
        torso.add(
            0.05,
            ellipsoid_along(
                side(0.108, 1.240, -0.030),
                at(0.042, 0.105, 0.062),
                at(x * 0.16, 1.0, 0.0),
                Vec3::Z,
            ),
        );
        // Seat.
        torso.add(0.05, ellipsoid(side(0.072, 0.895, -0.050), at(0.078, 0.090, 0.070)));
    }
    // Belly.
    torso.add(0.06, ellipsoid(at(0.0, 1.05, 0.046), at(0.085, 0.13, 0.042)));
    torso
}

fn neck_and_head() -> Shape {
    let at = Vec3::new;
    let mut head = Body::default();
    head.add(0.0, ellipsoid(at(0.0, 1.664, -0.008), at(0.0735, 0.087, 0.094)));
    // From the brow to the chin, the nose, the corners of the jaw, the ears.
    head.add(0.04, cone(at(0.0, 1.648, 0.030), 0.058, at(0.0, 1.560, 0.045), 0.038));
    head.add(0.025, cone(at(0.0, 1.650, 0.078), 0.010, at(0.0, 1.614, 0.091), 0.0115));
    for (_, x) in SIDES {
        let side = |px: f32, py: f32, pz: f32| on_side(x, at(px, py, pz));
        head.add(0.03, cone(side(0.043, 1.600, 0.002), 0.022, side(0.014, 1.552, 0.046), 0.020));
        let ear = (at(0.0, 1.0, -0.2), at(-x * 0.4, 0.0, 1.0));
        head.add(0.012, ellipsoid_along(side(0.075, 1.626, -0.010), at(0.011, 0.031, 0.019), ear.0, ear.1));
    }
    let neck =
        [(at(0.0, 1.42, -0.030), 0.060), (at(0.0, 1.50, -0.018), 0.052), (at(0.0, 1.60, -0.006), 0.053)];
    let mut all = Body::default();
    all.add(0.0, chain(&neck, 1));
    all.add(0.035, head.shape());
    all.shape()
}

fn arm(x: f32) -> Shape {
    let between = |share: f32, dz: f32| on_side(x, SHOULDER.lerp(ELBOW, share) + Vec3::Z * dz);
    let below = |share: f32, dz: f32| on_side(x, ELBOW.lerp(WRIST, share) + Vec3::Z * dz);
    let bones = [
        (between(0.0, 0.0), 0.055),
        (between(0.22, 0.0), 0.053),
        (between(0.52, 0.006), 0.046),
        (between(0.82, 0.002), 0.0385),
        (below(0.0, 0.0), 0.0375),
        (below(0.24, 0.002), 0.041),
        (below(0.60, 0.0), 0.0335),
        (below(1.0, 0.0), 0.0245),
    ];
    let mut arm = Body::default();
    arm.add(0.0, chain(&bones, 1));
    // Deltoid and biceps.
    let down = (ELBOW - SHOULDER).normalize_or_zero();
    let up = on_side(x, -down);
    arm.add(
        0.03,
        ellipsoid_along(
            on_side(x, SHOULDER + Vec3::new(0.022, -0.040, 0.0)),
            Vec3::new(0.040, 0.078, 0.056),
            up,
            Vec3::Z,
        ),
    );
    arm.add(0.03, ellipsoid_along(between(0.58, 0.022), Vec3::new(0.032, 0.075, 0.030), up, Vec3::Z));
    let along = on_side(x, (FINGERTIPS - WRIST).normalize_or_zero());
    let thumbward = Vec3::new(-0.12 * x, 0.0, 1.0);
    let thumbward = (thumbward - along * along.dot(thumbward)).normalize_or_zero();
    let palmward = along.cross(thumbward) * x;
    let hand = HandFrame {
        wrist: on_side(x, WRIST),
        along,
        thumbward,
        palmward,
        length: WRIST.distance(FINGERTIPS),
    };
    arm.add(0.02, mitten(hand));
    arm.shape()
}

fn leg(x: f32) -> Shape {
    let upper = |share: f32, dx: f32, dz: f32| on_side(x, HIP.lerp(KNEE, share) + Vec3::new(dx, 0.0, dz));
    let lower = |share: f32, dx: f32, dz: f32| on_side(x, KNEE.lerp(ANKLE, share) + Vec3::new(dx, 0.0, dz));
    let bones = [
        (upper(0.0, -0.004, 0.0), 0.078),
        (upper(0.22, 0.004, 0.004), 0.086),
        (upper(0.55, 0.002, 0.008), 0.071),
        (upper(0.82, 0.0, 0.004), 0.057),
        (lower(0.0, 0.0, 0.0), 0.0525),
        (lower(0.14, 0.0, -0.006), 0.050),
        (lower(0.32, 0.002, -0.012), 0.053),
        (lower(0.60, 0.0, -0.006), 0.042),
        (lower(0.85, 0.0, 0.0), 0.0335),
        (lower(1.0, 0.0, 0.0), 0.036),
    ];
    let mut leg = Body::default();
    leg.add(0.0, chain(&bones, 1));
    let at = |px: f32, py: f32, pz: f32| on_side(x, Vec3::new(px, py, pz));
    // Calf, kneecap, front of the thigh.
    leg.add(0.03, ellipsoid(at(0.110, 0.365, -0.034), Vec3::new(0.040, 0.088, 0.036)));
    leg.add(0.02, ellipsoid(at(0.109, 0.502, 0.046), Vec3::new(0.026, 0.034, 0.020)));
    leg.add(0.05, ellipsoid(at(0.106, 0.700, 0.040), Vec3::new(0.056, 0.140, 0.044)));
    leg.add(0.03, foot(x));
    leg.shape()
}

/// Modelled slightly below the ground plane, which clips the sole flat.
fn foot(x: f32) -> Shape {
    let at = |px: f32, py: f32, pz: f32| on_side(x, Vec3::new(px, py, pz));
    let mut foot = Body::default();
    foot.add(0.0, cone(at(0.113, 0.030, -0.052), 0.036, at(0.115, 0.066, -0.044), 0.032));
    // Sole, instep and toes.
    foot.add(
        0.03,
        cone(at(0.116, 0.020, -0.030), 0.036, at(0.130, 0.018, 0.085), 0.046).flattened(Vec3::Y, 0.62),
    );
    foot.add(0.03, cone(at(0.118, 0.070, -0.014), 0.035, at(0.127, 0.034, 0.078), 0.028));
    foot.add(
        0.025,
        cone(at(0.130, 0.018, 0.082), 0.046, at(0.138, 0.010, 0.140), 0.036).flattened(Vec3::Y, 0.55),
    );
    foot.shape()
}

fn skeleton() -> Result<Skeleton, SkeletonError> {
    let at = Vec3::new;
    let mut rig = SkeletonBuilder::default();
    rig.joint("hips", "", at(0.0, 0.95, -0.01));
    rig.joint("spine", "hips", at(0.0, 1.06, -0.012));
    rig.joint("chest", "spine", at(0.0, 1.20, -0.022));
    rig.joint("neck", "chest", at(0.0, 1.46, -0.026));
    rig.joint("head", "neck", at(0.0, 1.575, -0.004));
    rig.tip("head", at(0.0, 1.73, 0.0));
    rig.pair("shoulder", "chest", at(0.03, 1.425, -0.015));
    rig.pair("upper_arm", "shoulder", SHOULDER);
    rig.pair("forearm", "upper_arm", ELBOW);
    rig.pair("hand", "forearm", WRIST);
    rig.tips("hand", WRIST.lerp(FINGERTIPS, 0.9));
    rig.pair("thigh", "hips", HIP);
    rig.pair("shin", "thigh", KNEE);
    rig.pair("foot", "shin", ANKLE);
    rig.pair("toe", "foot", BALL_OF_FOOT);
    rig.tips("toe", TOES);
    rig.skeleton()
}

/// A relaxed walk on the spot. Forward is a negative rotation about X for a hanging limb.
fn walk(skeleton: &Skeleton) -> Clip {
    let thigh = |t: f64| -3.0 - 22.0 * wave(t);
    let shin = |t: f64| 4.0 + 50.0 * bump(t - 0.94).powi(2) + 7.0 * bump(t - 0.36);
    let foot = |t: f64| -0.75 * (thigh(t) + shin(t)) + 22.0 * bump(t - 0.76).powi(2);
    let mut ground = soles(&[("foot", ANKLE)], [-0.04, 0.11]);
    ground.extend(soles(&[("toe", BALL_OF_FOOT)], [0.0, 0.07]));
    ClipBuilder::new(skeleton, "walk", 1.2)
        .rotate("hips", &|t| [2.0, 5.0 * wave(t), 2.5 * wave(t + 0.2)])
        .rotate("spine", &|t| [1.0, -4.0 * wave(t), -1.5 * wave(t + 0.2)])
        .rotate("chest", &|t| [1.0, -6.0 * wave(t), -wave(t + 0.2)])
        .rotate("neck", &|t| [-2.0, 2.5 * wave(t), 0.0])
        .rotate("head", &|t| [-1.0 + 1.0 * wave(2.0 * t), 2.5 * wave(t), 0.0])
        .rotate_pair("upper_arm", 0.5, &|t| [2.0 + 19.0 * wave(t - 0.02), 0.0, -3.0])
        .rotate_pair("forearm", 0.5, &|t| [-17.0 + 10.0 * wave(t - 0.07), 0.0, 0.0])
        .rotate_pair("hand", 0.5, &|t| [-4.0 + 5.0 * wave(t - 0.1), 0.0, 0.0])
        .rotate_pair("thigh", 0.5, &|t| [thigh(t), 0.0, 0.0])
        .rotate_pair("shin", 0.5, &|t| [shin(t), 0.0, 0.0])
        .rotate_pair("foot", 0.5, &|t| [foot(t), 0.0, 0.0])
        .rotate_pair("toe", 0.5, &|t| [-28.0 * bump(t - 0.70).powi(2), 0.0, 0.0])
        .grounded(&ground)
        .finish()
}

/// The right hand is raised and waves.
fn wave_hand(skeleton: &Skeleton) -> Clip {
    let up = |t: f64| (2.2 * sway(t)).min(1.0);
    ClipBuilder::new(skeleton, "wave", 2.0)
        .rotate("spine", &|t| [0.0, 0.0, 2.0 * up(t)])
        .rotate("chest", &|t| [0.0, 0.0, 3.0 * up(t)])
        .rotate("head", &|t| [2.0 * up(t), -6.0 * up(t), 4.0 * wave(2.0 * t) * up(t)])
        .rotate("shoulder.R", &|t| [0.0, 0.0, -14.0 * up(t)])
        .rotate("upper_arm.R", &|t| [-22.0 * up(t), 0.0, -62.0 * up(t)])
        .rotate("forearm.R", &|t| [0.0, 0.0, (-98.0 + 18.0 * wave(3.0 * t)) * up(t)])
        .rotate("hand.R", &|t| [0.0, 80.0 * up(t), 12.0 * wave(3.0 * t - 0.12) * up(t)])
        .rotate("upper_arm.L", &|t| [2.0 * wave(t), 0.0, 0.0])
        .finish()
}
