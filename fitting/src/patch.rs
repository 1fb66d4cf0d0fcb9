//! Samples of the distance field around a joint, in a frame along its bone.

use glam::{Mat3, Vec3};

use crate::body::Body;

/// Samples of a patch: the middle, and 26 directions on every shell.
pub const SAMPLES: usize = 1 + 26 * SHELLS;

/// Shells of a patch.
const SHELLS: usize = 5;

/// Limit of a sample, relative to the radius of its shell.
const LIMIT: f32 = 2.0;

/// The radii of the shells, in heights.
pub type Radii = [f32; SHELLS];

/// The frame of a bone: Y along it, Z as far forward as possible.
pub fn bone_frame(along: Vec3) -> Mat3 {
    let y = along.try_normalize().unwrap_or(Vec3::Y);
    let x = y.cross(Vec3::Z).try_normalize().unwrap_or(Vec3::X);
    Mat3::from_cols(x, y, x.cross(y))
}

/// The signed distances around `centre`, each relative to the radius of its shell. With `mirrored`,
/// those of the body reflected in x = 0.
pub fn sample(body: &Body, centre: Vec3, frame: &Mat3, radii: &Radii, mirrored: bool) -> Vec<f32> {
    let side = Vec3::new(if mirrored { -1.0 } else { 1.0 }, 1.0, 1.0);
    let at = |point: Vec3, radius: f32| (body.distance(point * side) / radius).clamp(-LIMIT, LIMIT);
    let mut out = Vec::with_capacity(SAMPLES);
    out.push(at(centre, radii[0]));
    for radius in radii {
        for direction in directions() {
            out.push(at(centre + *frame * (direction * *radius), *radius));
        }
    }
    out
}

/// The directions to the 26 neighbours of a cell.
fn directions() -> impl Iterator<Item = Vec3> {
    (0..27).filter(|&i| i != 13).map(|i| {
        let axis = |step: i32| (i / step % 3 - 1) as f32;
        Vec3::new(axis(1), axis(3), axis(9)).normalize_or_zero()
    })
}
