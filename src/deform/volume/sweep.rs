//! The frame loops of the volume correction: what is summed over triangles.
//!
//! In: corners as indices into `at` (positions from a point near the mesh, one register each). Out: area vectors, and the
//! coefficients of six times the volume as the vertices move along `push`. Cost: one or four cross
//! products per triangle. Everything is written with differences of corners, so that nothing large cancels; sums
//! run in f32 over [`BLOCK`] triangles and in f64 over blocks.

use glam::Vec3A;

/// Triangles summed in f32 before the sum is taken over to f64. Larger: the last digits of the volume go.
/// Smaller: more of the time is spent converting.
const BLOCK: usize = 32;

/// Adds every triangle's area vector (twice its area long) to its corners in `areas`; returns six times the
/// volume between the triangles and the origin.
#[inline(never)]
pub(super) fn areas(triangles: &[[u32; 3]], at: &[Vec3A], areas: &mut [Vec3A]) -> f64 {
    let mut volume = 0.0;
    for block in triangles.chunks(BLOCK) {
        let mut sum = Vec3A::ZERO;
        for &corners in block {
            let [i, j, k] = corners.map(|v| v as usize);
            let (a, b, c) = (at[i], at[j], at[k]);
            let area = (b - a).cross(c - a);
            areas[i] += area;
            areas[j] += area;
            areas[k] += area;
            sum += a * area;
        }
        volume += total(sum);
    }
    volume
}

/// Six times the volume between the triangles and the origin.
#[inline(never)]
pub(super) fn volume(triangles: &[[u32; 3]], at: &[Vec3A]) -> f64 {
    let mut volume = 0.0;
    for block in triangles.chunks(BLOCK) {
        let mut sum = Vec3A::ZERO;
        for &corners in block {
            let [a, b, c] = corners.map(|v| at[v as usize]);
            sum += a * (b - a).cross(c - a);
        }
        volume += total(sum);
    }
    volume
}

/// The same with every vertex at `at + τ push`: coefficients of 1, τ, τ² and τ³.
#[inline(never)]
pub(super) fn gains(triangles: &[[u32; 3]], at: &[Vec3A], push: &[Vec3A]) -> [f64; 4] {
    let mut gains = [0.0; 4];
    for block in triangles.chunks(BLOCK) {
        let mut sums = [Vec3A::ZERO; 4];
        for &corners in block {
            let [i, j, k] = corners.map(|v| v as usize);
            let (a, b, c) = (at[i], at[j] - at[i], at[k] - at[i]);
            let (p, q, r) = (push[i], push[j] - push[i], push[k] - push[i]);
            let still = b.cross(c);
            let once = b.cross(r) + q.cross(c);
            let twice = q.cross(r);
            sums[0] += a * still;
            sums[1] += a * once + p * still;
            sums[2] += a * twice + p * once;
            sums[3] += p * twice;
        }
        for (gain, sum) in gains.iter_mut().zip(sums) {
            *gain += total(sum);
        }
    }
    gains
}

fn total(sum: Vec3A) -> f64 {
    let [x, y, z] = sum.to_array();
    f64::from(x) + f64::from(y) + f64::from(z)
}
