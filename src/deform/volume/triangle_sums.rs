//! Sums over triangles in the frame loop: area vectors, volumes and volume gains.
//!
//! In: corners as indices into `positions`, which are relative to a point near the mesh. Out: area
//! vectors, and coefficients of six times the volume (docs/theory/volume.md#volume-and-gradient).
//! Cost: one or four cross products per triangle. All products use differences of corners, so that
//! no large terms cancel. Sums run in f32 over [`VolumeTuning::SUM_BLOCK`] triangles, and in f64
//! over blocks.

use glam::Vec3A;

use super::tuning::VolumeTuning;

/// Adds the area vector (twice the area long) of every triangle to its corners in `areas`. Returns
/// six times the volume between the triangles and the origin.
#[inline(never)]
pub(super) fn add_area_vectors(triangles: &[[u32; 3]], positions: &[Vec3A], areas: &mut [Vec3A]) -> f64 {
    let mut volume = 0.0;
    for block in triangles.chunks(VolumeTuning::SUM_BLOCK) {
        let mut sum = Vec3A::ZERO;
        for &corners in block {
            let [i, j, k] = corners.map(|v| v as usize);
            let (a, b, c) = (positions[i], positions[j], positions[k]);
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
pub(super) fn volume(triangles: &[[u32; 3]], positions: &[Vec3A]) -> f64 {
    let mut volume = 0.0;
    for block in triangles.chunks(VolumeTuning::SUM_BLOCK) {
        let mut sum = Vec3A::ZERO;
        for &corners in block {
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            sum += a * (b - a).cross(c - a);
        }
        volume += total(sum);
    }
    volume
}

/// Six times the volume with every vertex at `position + τ displacement`: the coefficients of 1, τ,
/// τ² and τ³.
#[inline(never)]
pub(super) fn volume_gains(triangles: &[[u32; 3]], positions: &[Vec3A], displacements: &[Vec3A]) -> [f64; 4] {
    let mut gains = [0.0; 4];
    for block in triangles.chunks(VolumeTuning::SUM_BLOCK) {
        let mut sums = [Vec3A::ZERO; 4];
        for &corners in block {
            let [i, j, k] = corners.map(|v| v as usize);
            let (a, b, c) = (positions[i], positions[j] - positions[i], positions[k] - positions[i]);
            let (p, q, r) =
                (displacements[i], displacements[j] - displacements[i], displacements[k] - displacements[i]);
            let constant = b.cross(c);
            let linear = b.cross(r) + q.cross(c);
            let quadratic = q.cross(r);
            sums[0] += a * constant;
            sums[1] += a * linear + p * constant;
            sums[2] += a * quadratic + p * linear;
            sums[3] += p * quadratic;
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
