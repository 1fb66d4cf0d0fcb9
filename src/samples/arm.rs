//! A left arm along +X, shoulder at the origin. Palm and inside of the elbow face +Z, the thumb is
//! up.

use glam::Vec3;

use super::SampleError;
use super::build::Model;
use super::limbs::{HandFrame, mitten};
use super::motion::{ClipBuilder, sway};
use super::remesh::Sizing;
use super::rigging::SkeletonBuilder;
use super::sdf::{Body, ClipPlane, Shape, chain, ellipsoid};
use super::trig::wave;

const ELBOW: f32 = 3.0;
const WRIST: f32 = 5.6;
const FINGERTIPS: f32 = 7.5;

/// The model of the arm.
pub fn model() -> Result<Model, SampleError> {
    let mut rig = SkeletonBuilder::default();
    rig.joint("upper_arm", "", Vec3::ZERO);
    rig.joint("forearm", "upper_arm", Vec3::X * ELBOW);
    rig.joint("hand", "forearm", Vec3::X * WRIST);
    rig.tip("hand", Vec3::new(FINGERTIPS - 0.25, 0.05, 0.08));
    let skeleton = rig.skeleton()?;
    let bend = ClipBuilder::new(&skeleton, "bend", 2.0)
        .rotate("upper_arm", &|t| [0.0, 8.0 * sway(t), 10.0 * sway(t)])
        .rotate("forearm", &|t| [0.0, -125.0 * sway(t), 0.0])
        .rotate("hand", &|t| [0.0, -20.0 * sway(t), 8.0 * wave(t)])
        .finish();
    let twist = ClipBuilder::new(&skeleton, "twist", 2.0)
        .rotate("forearm", &|t| [75.0 * wave(t), -20.0, 0.0])
        .rotate("hand", &|t| [25.0 * wave(t - 0.05), 0.0, 0.0])
        .finish();
    Ok(Model {
        shape: body(),
        clip_plane: ClipPlane { outward: Vec3::NEG_X, offset: 0.35, radius: 0.3 },
        skeleton,
        clips: vec![bend, twist],
        sizing: Sizing { thick: 0.5, min_ratio: 0.45 },
        coarsest_grid: 0.13,
        min_isotropic: 800,
    })
}

fn body() -> Shape {
    let at = Vec3::new;
    let bones = [
        (at(-0.35, 0.05, 0.0), 0.66),
        (at(0.6, 0.0, 0.0), 0.60),
        (at(1.6, -0.02, 0.04), 0.52),
        (at(2.5, 0.0, 0.02), 0.42),
        (at(ELBOW, 0.0, 0.0), 0.405),
        (at(3.6, 0.0, 0.02), 0.43),
        (at(4.5, 0.0, 0.0), 0.36),
        (at(5.2, 0.0, 0.0), 0.275),
        (at(WRIST, 0.0, 0.0), 0.255),
    ];
    let mut arm = Body::default();
    arm.add(0.0, chain(&bones, 2));
    // Deltoid, biceps, triceps, elbow, and the two bulges of the forearm.
    arm.add(0.35, ellipsoid(at(0.35, 0.25, 0.0), at(0.85, 0.48, 0.58)));
    arm.add(0.30, ellipsoid(at(1.75, 0.02, 0.30), at(0.85, 0.34, 0.32)));
    arm.add(0.30, ellipsoid(at(1.45, 0.0, -0.30), at(0.95, 0.36, 0.30)));
    arm.add(0.15, ellipsoid(at(ELBOW, 0.0, -0.26), at(0.22, 0.20, 0.18)));
    arm.add(0.35, ellipsoid(at(3.70, 0.18, 0.08), at(0.85, 0.27, 0.30)));
    arm.add(0.35, ellipsoid(at(3.85, -0.16, 0.05), at(0.90, 0.26, 0.28)));
    arm.add(
        0.2,
        mitten(HandFrame {
            wrist: Vec3::X * WRIST,
            along: Vec3::X,
            thumbward: Vec3::Y,
            palmward: Vec3::Z,
            length: FINGERTIPS - WRIST,
        }),
    );
    arm.shape()
}
