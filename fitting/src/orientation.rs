//! Which way is up and which way is front, of humanoids.
//!
//! The body is seen from three sides in each of the 24 orientations along the axes. A network says
//! how much each looks like an upright humanoid that faces the viewer.

use glam::{Mat3, Vec3};

use crate::network::Network;

/// Rows and columns of a view.
const VIEW: usize = 16;

/// Numbers that describe a body in one orientation: thickness from the front, the side and above.
pub const LENGTH: usize = 3 * VIEW * VIEW;

/// All rotations that map axes to axes. The first is the identity.
pub fn rotations() -> Vec<Mat3> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    let mut out = vec![Mat3::IDENTITY];
    for up in axes {
        for front in axes.into_iter().filter(|front| front.dot(up) == 0.0) {
            let rotation = Mat3::from_cols(up.cross(front), up, front).transpose();
            if rotation != Mat3::IDENTITY {
                out.push(rotation);
            }
        }
    }
    out
}

/// Points moved into a cube around the origin with edges of length one.
pub fn normalized(points: &[Vec3]) -> Vec<Vec3> {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let (middle, size) = (low.midpoint(high), (high - low).max_element().max(f32::MIN_POSITIVE));
    points.iter().map(|&p| (p - middle) / size).collect()
}

/// Describes a body, given by the middles of its cells, in one orientation.
pub fn views(points: &[Vec3], rotation: &Mat3) -> Vec<f32> {
    let mut out = vec![0.0f32; LENGTH];
    let column = |x: f32| (((x + 0.5) * VIEW as f32).max(0.0) as usize).min(VIEW - 1);
    for &point in points {
        let [x, y, z] = (*rotation * point).to_array().map(column);
        out[y * VIEW + x] += 1.0;
        out[VIEW * VIEW + y * VIEW + z] += 1.0;
        out[2 * VIEW * VIEW + z * VIEW + x] += 1.0;
    }
    // Thin limbs count for more than their share of the volume.
    let scale = (VIEW * VIEW) as f32 / (10.0 * points.len().max(1) as f32);
    out.iter_mut().for_each(|value| *value = (*value * scale).sqrt());
    out
}

/// How much a body looks like each plan in each orientation, by orientation and plan.
pub fn scores(network: &Network, points: &[Vec3]) -> Vec<Vec<f32>> {
    let points = normalized(points);
    let mirror = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
    rotations()
        .iter()
        .map(|rotation| {
            let seen = network.apply(&views(&points, rotation));
            let mirrored = network.apply(&views(&points, &(mirror * *rotation)));
            seen.iter().zip(&mirrored).map(|(a, b)| 0.5 * (a + b)).collect()
        })
        .collect()
}
