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

/// How much of a body is in each of the cubes that its box is divided into, with x fastest. The
/// body is given by the middles of its cells and their edge length: cells between two cubes count
/// for both, so that the masses do not depend on how the cells lie.
pub fn masses(points: &[Vec3], cell: f32) -> Vec<f32> {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let (middle, size) = (low.midpoint(high), (high - low).max_element().max(f32::MIN_POSITIVE));
    let half = 0.5 * VIEW as f32 * cell / size;
    // The two cubes along an axis, and the share of the second.
    let split = |x: f32| {
        let at = (x / size + 0.5) * VIEW as f32;
        let [first, last] = [at - half, at + half].map(|x| x.clamp(0.0, VIEW as f32 - 1e-3));
        let share = if half > 0.0 { (last - last.floor().max(first)) / (last - first) } else { 1.0 };
        ([first as usize, last as usize], [1.0 - share, share])
    };
    let mut out = vec![0.0f32; VIEW * VIEW * VIEW];
    for &point in points {
        let [(x, of_x), (y, of_y), (z, of_z)] = (point - middle).to_array().map(split);
        for i in 0..8 {
            let (a, b, c) = (i & 1, i >> 1 & 1, i >> 2);
            out[x[a] + VIEW * (y[b] + VIEW * z[c])] += of_x[a] * of_y[b] * of_z[c];
        }
    }
    out
}

/// Describes a body, given by its masses, in one orientation.
pub fn views(masses: &[f32], rotation: &Mat3) -> Vec<f32> {
    let mut out = vec![0.0f32; LENGTH];
    let middle = |i: usize| (i as f32 + 0.5) / VIEW as f32 - 0.5;
    let column = |x: f32| (((x + 0.5) * VIEW as f32) as usize).min(VIEW - 1);
    for (index, &mass) in masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
        let cube = [index % VIEW, index / VIEW % VIEW, index / (VIEW * VIEW)];
        let [x, y, z] = (*rotation * Vec3::from(cube.map(middle))).to_array().map(column);
        out[y * VIEW + x] += mass;
        out[VIEW * VIEW + y * VIEW + z] += mass;
        out[2 * VIEW * VIEW + z * VIEW + x] += mass;
    }
    // Thin limbs count for more than their share of the volume.
    let total: f32 = masses.iter().sum();
    let scale = (VIEW * VIEW) as f32 / (10.0 * total.max(1.0));
    out.iter_mut().for_each(|value| *value = (*value * scale).sqrt());
    out
}

/// How much a body looks like each plan in each orientation, by orientation and plan. The body is
/// given by the middles of its cells and their edge length.
pub fn scores(network: &Network, points: &[Vec3], cell: f32) -> Vec<Vec<f32>> {
    let masses = masses(points, cell);
    let mirror = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
    rotations()
        .iter()
        .map(|rotation| {
            let seen = network.apply(&views(&masses, rotation));
            let mirrored = network.apply(&views(&masses, &(mirror * *rotation)));
            seen.iter().zip(&mirrored).map(|(a, b)| 0.5 * (a + b)).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_between_two_cubes_count_for_both() {
        let cell = 1.0 / 56.0;
        let points = [-0.5, 0.003, 0.5].map(|x| Vec3::new(x, 0.0, 0.0));
        let masses = masses(&points, cell);
        let column = |x: usize| -> f32 { masses.iter().skip(x).step_by(VIEW).sum() };
        // The middle cell is 0.003 beside the border of two cubes.
        let share = 0.5 + 0.003 / cell;
        for (x, expected) in [(0, 1.0), (7, 1.0 - share), (8, share), (15, 1.0), (3, 0.0)] {
            assert!((column(x) - expected).abs() < 1e-3, "{x}: {} and not {expected}", column(x));
        }
    }

    #[test]
    fn a_view_of_a_turned_body_is_that_of_the_body_seen_from_there() {
        let points = [Vec3::new(-0.5, 0.2, 0.1), Vec3::new(0.5, -0.3, 0.0), Vec3::new(0.1, 0.4, -0.2)];
        for rotation in rotations() {
            let turned = points.map(|p| rotation * p);
            let seen = views(&masses(&points, 0.01), &rotation);
            assert_eq!(seen.len(), LENGTH);
            let there = views(&masses(&turned, 0.01), &Mat3::IDENTITY);
            assert!(seen.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-3), "{rotation}");
        }
    }
}
