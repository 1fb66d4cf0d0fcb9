//! A person of 1.75 units, arms hanging close to the chest: near enough for bones to look across the gap.

use glam::Vec3;

use super::CastError;
use super::build::Model;
use super::limbs::{HandPlace, mitten};
use super::motion::{Motion, bump, sway};
use super::remesh::Sizing;
use super::rigging::{Rigging, SIDES, on_side};
use super::sdf::{Body, Shape, chain, cone, ellipsoid, ellipsoid_along};
use super::trig::wave;
use crate::model::{Clip, Skeleton, SkeletonError};

const SHOULDER: Vec3 = Vec3::new(0.184, 1.408, -0.018);
const ELBOW: Vec3 = Vec3::new(0.281, 1.126, -0.030);
const WRIST: Vec3 = Vec3::new(0.345, 0.888, 0.018);
const FINGERTIPS: Vec3 = Vec3::new(0.372, 0.712, 0.066);
const HIP: Vec3 = Vec3::new(0.092, 0.915, -0.005);
const KNEE: Vec3 = Vec3::new(0.108, 0.492, 0.008);
const ANKLE: Vec3 = Vec3::new(0.117, 0.082, -0.032);
const BALL_OF_FOOT: Vec3 = Vec3::new(0.135, 0.028, 0.095);
const TOES: Vec3 = Vec3::new(0.143, 0.021, 0.165);
const HEEL: Vec3 = Vec3::new(0.113, 0.036, -0.062);

/// The whole.
pub fn model() -> Result<Model, CastError> {
    let skeleton = skeleton()?;
    let clips = vec![walk(&skeleton), wave_hand(&skeleton)];
    Ok(Model {
        shape: body(),
        skeleton,
        clips,
        sizing: Sizing { thick: 0.11, finest_share: 0.42 },
        coarsest_grid: 0.0125,
        fewest_even: 1_500,
    })
}

fn body() -> Shape {
    let mut body = torso();
    body.add(0.05, neck_and_head());
    for (_, x) in SIDES {
        body.add_at(0.045, on_side(x, SHOULDER + Vec3::new(-0.02, -0.03, 0.0)), 0.22, arm(x));
        body.add_at(0.05, on_side(x, HIP), 0.22, leg(x));
    }
    body.shape()
}

fn torso() -> Body {
    let at = Vec3::new;
    let mut torso = Body::default();
    // Ribcage, loins and pelvis: broad and flat from front to back.
    let core = [
        (at(0.0, 0.925, -0.012), 0.142),
        (at(0.0, 1.000, -0.006), 0.138),
        (at(0.0, 1.090, 0.000), 0.130),
        (at(0.0, 1.190, -0.004), 0.140),
        (at(0.0, 1.280, -0.012), 0.154),
        (at(0.0, 1.360, -0.022), 0.142),
    ];
    torso.add(0.0, chain(&core, 2).flattened(Vec3::Z, 0.70));
    for (_, x) in SIDES {
        let side = |px: f32, py: f32, pz: f32| on_side(x, at(px, py, pz));
        // The shoulder girdle: collar, trapezius and shoulder blade.
        torso.add(0.06, cone(side(0.05, 1.425, -0.028), 0.052, side(0.145, 1.418, -0.02), 0.050));
        torso.add(0.05, cone(side(0.022, 1.490, -0.026), 0.030, side(0.125, 1.428, -0.026), 0.036));
        torso.add(
            0.04,
            ellipsoid_along(
                side(0.085, 1.325, -0.088),
                at(0.062, 0.085, 0.034),
                at(-x * 0.25, 1.0, 0.1),
                at(x * 0.3, 0.0, -1.0),
            ),
        );
        // Breast and flank.
        torso.add(
            0.035,
            ellipsoid_along(
                side(0.074, 1.318, 0.064),
                at(0.082, 0.062, 0.040),
                at(x * 0.25, 1.0, -0.25),
                at(x * 0.25, 0.2, 1.0),
            ),
        );
        torso.add(
            0.05,
            ellipsoid_along(
                side(0.108, 1.240, -0.035),
                at(0.045, 0.115, 0.065),
                at(x * 0.16, 1.0, 0.0),
                Vec3::Z,
            ),
        );
        // Seat and hip.
        torso.add(0.04, ellipsoid(side(0.074, 0.892, -0.058), at(0.080, 0.088, 0.072)));
    }
    // Belly.
    torso.add(0.05, ellipsoid(at(0.0, 1.06, 0.048), at(0.082, 0.12, 0.042)));
    torso
}

fn neck_and_head() -> Shape {
    let at = Vec3::new;
    let mut head = Body::default();
    head.add(0.0, ellipsoid(at(0.0, 1.662, -0.006), at(0.074, 0.089, 0.096)));
    // Face: brow to chin, tapering, then cheekbones, jaw, nose.
    head.add(
        0.04,
        ellipsoid_along(at(0.0, 1.606, 0.032), at(0.058, 0.082, 0.064), at(0.0, 1.0, -0.10), Vec3::Z),
    );
    head.add(0.03, ellipsoid(at(0.0, 1.545, 0.070), at(0.026, 0.022, 0.024)));
    head.add(0.022, cone(at(0.0, 1.646, 0.086), 0.010, at(0.0, 1.610, 0.104), 0.0145));
    for (_, x) in SIDES {
        head.add(
            0.03,
            cone(on_side(x, at(0.044, 1.590, 0.010)), 0.022, on_side(x, at(0.014, 1.552, 0.056)), 0.018),
        );
        head.add(0.022, ellipsoid(on_side(x, at(0.040, 1.618, 0.062)), at(0.020, 0.014, 0.020)));
        head.add(
            0.010,
            ellipsoid_along(
                on_side(x, at(0.076, 1.622, -0.006)),
                at(0.010, 0.030, 0.018),
                at(0.0, 1.0, -0.2),
                at(-x * 0.4, 0.0, 1.0),
            ),
        );
    }
    let mut all = Body::default();
    all.add(
        0.0,
        chain(
            &[(at(0.0, 1.42, -0.03), 0.066), (at(0.0, 1.50, -0.016), 0.055), (at(0.0, 1.59, 0.0), 0.055)],
            2,
        ),
    );
    all.add(0.03, head.shape());
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
    arm.add(0.0, chain(&bones, 2));
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
    let hand = HandPlace {
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
        (upper(0.0, 0.0, 0.0), 0.086),
        (upper(0.25, 0.0, 0.004), 0.082),
        (upper(0.55, 0.0, 0.008), 0.072),
        (upper(0.82, 0.0, 0.004), 0.057),
        (lower(0.0, 0.0, 0.0), 0.0525),
        (lower(0.14, 0.0, -0.006), 0.050),
        (lower(0.32, 0.002, -0.012), 0.053),
        (lower(0.60, 0.0, -0.006), 0.042),
        (lower(0.85, 0.0, 0.0), 0.0335),
        (lower(1.0, 0.0, 0.0), 0.036),
    ];
    let mut leg = Body::default();
    leg.add(0.0, chain(&bones, 2));
    let at = |px: f32, py: f32, pz: f32| on_side(x, Vec3::new(px, py, pz));
    // Calf, kneecap, front of the thigh.
    leg.add(0.03, ellipsoid(at(0.110, 0.365, -0.034), Vec3::new(0.040, 0.088, 0.036)));
    leg.add(0.02, ellipsoid(at(0.109, 0.502, 0.046), Vec3::new(0.026, 0.034, 0.020)));
    leg.add(0.05, ellipsoid(at(0.106, 0.700, 0.040), Vec3::new(0.056, 0.140, 0.044)));
    leg.add(0.03, foot(x));
    leg.shape()
}

fn foot(x: f32) -> Shape {
    let at = |point: Vec3| on_side(x, point);
    let mut foot = Body::default();
    foot.add(0.0, cone(at(HEEL), 0.036, at(HEEL + Vec3::Y * 0.03), 0.033));
    // Sole and instep.
    foot.add(
        0.03,
        cone(at(HEEL + Vec3::new(0.004, -0.004, 0.02)), 0.033, at(BALL_OF_FOOT), 0.046)
            .flattened(Vec3::Y, 0.62),
    );
    foot.add(
        0.03,
        cone(
            at(ANKLE + Vec3::new(0.002, -0.01, 0.018)),
            0.034,
            at(BALL_OF_FOOT + Vec3::new(-0.006, 0.010, -0.005)),
            0.026,
        ),
    );
    foot.add(
        0.025,
        cone(at(BALL_OF_FOOT + Vec3::new(-0.002, -0.002, 0.0)), 0.048, at(TOES), 0.034)
            .flattened(Vec3::Y, 0.52),
    );
    foot.shape()
}

fn skeleton() -> Result<Skeleton, SkeletonError> {
    let at = Vec3::new;
    let mut rig = Rigging::default();
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

/// A relaxed walk on the spot. Forward is a negative turn about X for a hanging limb.
fn walk(skeleton: &Skeleton) -> Clip {
    let thigh = |t: f64| -4.0 - 24.0 * wave(t);
    let shin = |t: f64| 6.0 + 52.0 * bump(t - 0.88) + 9.0 * bump(t - 0.36);
    let foot = |t: f64| -0.75 * (thigh(t) + shin(t)) + 20.0 * bump(t - 0.72);
    let soles = [HEEL, BALL_OF_FOOT, TOES].map(|p| p * Vec3::new(1.0, 0.0, 1.0));
    let sole = |i: usize, x: f32| on_side(x, soles[i]);
    Motion::new(skeleton, "walk", 1.2)
        .turn("hips", |t| [2.0, 5.0 * wave(t), 2.5 * wave(t + 0.2)])
        .turn("spine", |t| [1.0, -4.0 * wave(t), -1.5 * wave(t + 0.2)])
        .turn("chest", |t| [1.0, -6.0 * wave(t), -1.0 * wave(t + 0.2)])
        .turn("neck", |t| [-2.0, 2.5 * wave(t), 0.0])
        .turn("head", |t| [-1.0 + 1.0 * wave(2.0 * t), 2.5 * wave(t), 0.0])
        .turn_pair("upper_arm", 0.5, |t| [3.0 + 24.0 * wave(t - 0.02), 0.0, -3.0])
        .turn_pair("forearm", 0.5, |t| [-20.0 + 13.0 * wave(t - 0.07), 0.0, 0.0])
        .turn_pair("hand", 0.5, |t| [-4.0 + 5.0 * wave(t - 0.1), 0.0, 0.0])
        .turn_pair("thigh", 0.5, |t| [thigh(t), 0.0, 0.0])
        .turn_pair("shin", 0.5, |t| [shin(t), 0.0, 0.0])
        .turn_pair("foot", 0.5, |t| [foot(t), 0.0, 0.0])
        .turn_pair("toe", 0.5, |t| [-28.0 * bump(t - 0.66), 0.0, 0.0])
        .grounded(&[
            ("foot.L", sole(0, 1.0)),
            ("foot.L", sole(1, 1.0)),
            ("toe.L", sole(2, 1.0)),
            ("foot.R", sole(0, -1.0)),
            ("foot.R", sole(1, -1.0)),
            ("toe.R", sole(2, -1.0)),
        ])
        .finish()
}

/// The right hand goes up and greets.
fn wave_hand(skeleton: &Skeleton) -> Clip {
    let up = |t: f64| (2.2 * sway(t)).min(1.0);
    Motion::new(skeleton, "wave", 2.0)
        .turn("spine", |t| [0.0, 0.0, 2.0 * up(t)])
        .turn("chest", |t| [0.0, 0.0, 3.0 * up(t)])
        .turn("head", |t| [2.0 * up(t), -6.0 * up(t), 4.0 * wave(2.0 * t) * up(t)])
        .turn("shoulder.R", |t| [0.0, 0.0, -14.0 * up(t)])
        .turn("upper_arm.R", |t| [-22.0 * up(t), 0.0, -62.0 * up(t)])
        .turn("forearm.R", |t| [0.0, 0.0, (-78.0 + 22.0 * wave(3.0 * t)) * up(t)])
        .turn("hand.R", |t| [0.0, 80.0 * up(t), 12.0 * wave(3.0 * t - 0.12) * up(t)])
        .turn("upper_arm.L", |t| [2.0 * wave(t), 0.0, 0.0])
        .finish()
}
