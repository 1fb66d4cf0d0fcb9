//! What tells the front of a made-up body from its back.

use glam::{Mat3, Quat, Vec3};

use crate::made_up::Face;
use crate::random::Random;
use crate::solid::Solid;

/// Adds parts that only a front or only a back has. Each body gets some of them.
pub fn add(r: &mut Random, solids: &mut Vec<Solid>, joints: &[Vec3], face: &Face) {
    // Some bodies have many signs, some have hardly any.
    let often = r.range(0.3, 1.5);
    face_parts(r, solids, face, often);
    back_of_head(r, solids, face, often);
    trunk_parts(r, solids, joints, face, often);
    leg_parts(r, solids, joints, face, often);
}

/// The foremost (or rearmost, if `sign` is negative) point of the solids on a line along z.
fn surface(solids: &[Solid], x: f32, y: f32, sign: f32) -> Option<Vec3> {
    let ends = solids.iter().map(Solid::bounds);
    let far = ends.map(|(low, high)| low.z.abs().max(high.z.abs())).fold(0.0, f32::max);
    let steps = 120;
    let points = (0..steps).map(|i| Vec3::new(x, y, sign * far * (1.0 - 2.0 * i as f32 / steps as f32)));
    points.into_iter().find(|p| solids.iter().any(|solid| solid.contains(*p)))
}

fn both_sides(solids: &mut Vec<Solid>, solid: Solid) {
    let flip = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
    let mirrored = match solid {
        Solid::RoundCone { ends, radii } => Solid::RoundCone { ends: ends.map(flip), radii },
        Solid::Super { centre, axes, half, exponent, taper } => {
            Solid::Super { centre: flip(centre), axes, half, exponent, taper }
        }
        Solid::Cone { centre, axes, half, top } => Solid::Cone { centre: flip(centre), axes, half, top },
    };
    solids.extend([solid, mirrored]);
}

fn face_parts(r: &mut Random, solids: &mut Vec<Solid>, face: &Face, often: f32) {
    let [low, high] = face.ends;
    let size = (high - low).max(0.1);
    let at = |t: f32| low + t * size;
    let bare = solids.clone();
    if r.chance(0.5 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.3, 0.55)), 1.0)
    {
        // A nose, a beak, a trunk.
        let length = size * if r.chance(0.7) { r.range(0.03, 0.15) } else { r.range(0.15, 0.5) };
        let tip = root + Vec3::new(0.0, -r.range(-0.1, 0.6), 1.0) * length;
        let radius = size * r.range(0.03, 0.12);
        solids.push(Solid::RoundCone { ends: [root, tip], radii: [radius, radius * r.range(0.3, 1.1)] });
    }
    if r.chance(0.2 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.15, 0.45)), 1.0)
    {
        // A snout, a mouth, a mask.
        let half = Vec3::new(r.range(0.1, 0.35), r.range(0.08, 0.22), r.range(0.05, 0.4)) * size;
        solids.push(Solid::ellipsoid(root, half, r.range(2.0, 5.0)));
    }
    if r.chance(0.35 * often) {
        // Eyes, glasses, brows.
        let (x, y) = (size * r.range(0.1, 0.25), at(r.range(0.4, 0.75)));
        if let Some(root) = surface(&bare, x, y, 1.0) {
            let radius = size * r.range(0.04, 0.16);
            let half = Vec3::new(r.range(0.8, 1.8), 1.0, r.range(0.4, 1.2)) * radius;
            both_sides(solids, Solid::ellipsoid(root, half, r.range(2.0, 4.0)));
        }
    }
    if r.chance(0.2 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.0, 0.2)), 1.0)
    {
        // A chin or a beard.
        let tip = root + Vec3::new(0.0, -r.range(0.0, 0.5), r.range(0.0, 0.15)) * size;
        solids.push(Solid::RoundCone { ends: [root, tip], radii: [size * r.range(0.06, 0.2), 0.04 * size] });
    }
    if r.chance(0.12 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.65, 0.95)), 1.0)
    {
        // The peak of a cap.
        let half = Vec3::new(r.range(0.2, 0.5) * size, 0.03 * size + 0.01, r.range(0.1, 0.4) * size);
        let tilt = Mat3::from_quat(Quat::from_axis_angle(Vec3::X, r.range(-0.1, 0.5)));
        solids.push(Solid::Super { centre: root, axes: tilt, half, exponent: r.range(2.0, 5.0), taper: 0.0 });
    }
    if r.chance(0.1 * often)
        && let Some(root) = surface(&bare, 0.0, at(0.9), 1.0)
    {
        // A forelock.
        let tip = root + Vec3::new(0.1 * r.normal(), r.range(-0.3, 0.3), r.range(0.05, 0.3)) * size;
        solids.push(Solid::RoundCone { ends: [root, tip], radii: [0.12 * size, 0.04 * size] });
    }
}

fn back_of_head(r: &mut Random, solids: &mut Vec<Solid>, face: &Face, often: f32) {
    let [low, high] = face.ends;
    let size = (high - low).max(0.1);
    let bare = solids.clone();
    if r.chance(0.3 * often)
        && let Some(root) = surface(&bare, 0.0, low + size * r.range(0.3, 0.8), -1.0)
    {
        // Hair or a hood.
        let half = Vec3::new(r.range(0.2, 0.5), r.range(0.2, 0.8), r.range(0.08, 0.25)) * size;
        let centre = root - Vec3::Y * (size * r.range(0.0, 0.5));
        solids.push(Solid::ellipsoid(centre, half, r.range(2.0, 4.0)));
    }
    if r.chance(0.12 * often)
        && let Some(root) = surface(&bare, 0.0, low + size * r.range(0.4, 0.9), -1.0)
    {
        // A tail or a knot of hair.
        let tip = root + Vec3::new(0.1 * r.normal(), r.range(-1.2, 0.3), -r.range(0.05, 0.6)) * size;
        let radius = size * r.range(0.05, 0.18);
        solids.push(Solid::RoundCone { ends: [root, tip], radii: [radius, radius * r.range(0.4, 1.2)] });
    }
}

fn trunk_parts(r: &mut Random, solids: &mut Vec<Solid>, joints: &[Vec3], face: &Face, often: f32) {
    let (hips, neck) = (joints[0], joints[1]);
    let torso = neck.y - hips.y;
    let width = face.half_chest;
    let bare = solids.clone();
    let at = |t: f32| hips.y + t * torso;
    if r.chance(0.25 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.1, 0.5)), 1.0)
    {
        let half =
            Vec3::new(width * r.range(0.5, 1.0), torso * r.range(0.15, 0.4), width * r.range(0.1, 0.5));
        solids.push(Solid::ellipsoid(root - Vec3::Z * (0.4 * half.z), half, r.range(2.0, 3.0)));
    }
    if r.chance(0.25 * often) {
        // Breasts, or the muscles of a chest.
        let (x, y) = (width * r.range(0.25, 0.55), at(r.range(0.55, 0.85)));
        if let Some(root) = surface(&bare, x, y, 1.0) {
            let radius = width * r.range(0.2, 0.5);
            let half = Vec3::new(radius, radius * r.range(0.6, 1.1), radius * r.range(0.3, 1.0));
            both_sides(solids, Solid::ellipsoid(root - Vec3::Z * (0.4 * half.z), half, r.range(2.0, 3.0)));
        }
    }
    if r.chance(0.3 * often) {
        let (x, y) = (joints[6].x.abs() * r.range(0.6, 1.0), at(r.range(-0.15, 0.1)));
        if let Some(root) = surface(&bare, x, y, -1.0) {
            let radius = width * r.range(0.25, 0.55);
            let half = Vec3::new(radius, radius, radius * r.range(0.4, 1.0));
            both_sides(solids, Solid::ellipsoid(root + Vec3::Z * (0.4 * half.z), half, 2.0));
        }
    }
    if r.chance(0.12 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.4, 0.8)), -1.0)
    {
        // A bag, a shell, a cape.
        let half = Vec3::new(width * r.range(0.4, 1.2), torso * r.range(0.2, 0.6), width * r.range(0.1, 0.7));
        solids.push(Solid::ellipsoid(root - Vec3::Z * (0.5 * half.z), half, r.range(2.0, 8.0)));
    }
    if r.chance(0.08 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.0, 0.15)), -1.0)
    {
        let tip = root + Vec3::new(0.2 * r.normal(), r.range(-0.9, 0.6), -r.range(0.1, 1.0)) * torso;
        let radius = torso * r.range(0.03, 0.14);
        solids.push(Solid::RoundCone { ends: [root, tip], radii: [radius, radius * r.range(0.2, 1.3)] });
    }
    if r.chance(0.1 * often)
        && let Some(root) = surface(&bare, 0.0, at(r.range(0.0, 0.9)), 1.0)
    {
        // A tie, a buckle, a bow.
        let half =
            Vec3::new(width * r.range(0.08, 0.4), torso * r.range(0.05, 0.3), width * r.range(0.03, 0.15));
        solids.push(Solid::ellipsoid(root, half, r.range(2.0, 8.0)));
    }
}

fn leg_parts(r: &mut Random, solids: &mut Vec<Solid>, joints: &[Vec3], face: &Face, often: f32) {
    let radius = face.leg_radius;
    let calf = r.chance(0.35 * often).then(|| (r.range(0.2, 0.45), r.range(0.2, 0.7), r.range(0.8, 1.0)));
    let knee = r.chance(0.15 * often).then(|| (r.range(0.3, 0.7), r.range(0.6, 1.0)));
    let shoe = r.chance(0.35 * often).then(|| (r.range(0.05, 0.35), r.range(0.6, 1.8), r.range(0.05, 0.2)));
    let heel = r.chance(0.1 * often).then(|| r.range(0.1, 0.5));
    for first in [6, 13] {
        let [knee_joint, ankle, ball] = [1, 2, 3].map(|i| joints[first + i]);
        if let Some((t, behind, size)) = calf {
            let centre = knee_joint.lerp(ankle, t) - Vec3::Z * (behind * radius);
            let half = Vec3::new(0.8 * radius, 0.25 * knee_joint.distance(ankle), 0.8 * radius) * size;
            solids.push(Solid::ellipsoid(centre, half, 2.0));
        }
        if let Some((before, size)) = knee {
            let centre = knee_joint + Vec3::Z * (before * radius);
            solids.push(Solid::ellipsoid(centre, Vec3::splat(0.7 * radius * size), 2.0));
        }
        let forward = Vec3::new(ball.x - ankle.x, 0.0, ball.z - ankle.z).normalize_or(Vec3::Z);
        if let Some((length, width, height)) = shoe {
            let low = ball.y.max(0.02);
            let tip = Vec3::new(ball.x, low, ball.z) + forward * length;
            let ends = [radius * width, (radius * width).min(height)];
            solids.push(Solid::RoundCone { ends: [Vec3::new(ball.x, low, ball.z), tip], radii: ends });
        }
        if let Some(behind) = heel {
            let centre = Vec3::new(ankle.x, 0.5 * ankle.y, ankle.z) - forward * (behind * radius);
            solids.push(Solid::ellipsoid(centre, Vec3::new(0.7 * radius, 0.5 * ankle.y, radius), 3.0));
        }
    }
}
