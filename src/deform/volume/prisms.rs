//! Volume that a segment has gained, as estimated in the paper: prisms between triangles.
//!
//! In: rest and posed corners of a segment's triangles, and the transform of its joint. Out: the
//! signed volume between both shapes in the joint's frame. Source: Rohmer, Hahmann, Cani 2008, §5.2
//! (docs/theory/volume.md#local-volumes). Each of the three sides of a prism is split at its
//! centroid into four triangles, so that neighbours agree. Cost: 14 triangles per triangle.

use glam::{DMat4, DVec3, Mat4};

/// Six times the volume gained from rest to pose by triangles that `posed_from_rest` would move
/// rigidly. Zero if that matrix has no inverse.
pub(super) fn gained_volume(
    posed_from_rest: &Mat4,
    triangles: impl Iterator<Item = ([DVec3; 3], [DVec3; 3])>,
) -> f64 {
    let matrix = posed_from_rest.as_dmat4();
    let rest_from_posed = matrix.inverse();
    if !is_finite(&rest_from_posed) {
        return 0.0;
    }
    // Volumes are compared in posed space, so the segment of a scaled joint counts with its scale.
    let growth = matrix.determinant();
    triangles
        .map(|(rest, posed)| prism(rest, posed.map(|p| rest_from_posed.transform_point3(p))))
        .sum::<f64>()
        * growth
}

fn is_finite(matrix: &DMat4) -> bool {
    matrix.to_cols_array().iter().all(|entry| entry.is_finite())
}

/// Six times the volume between two triangles, relative to the first corner of the lower one.
fn prism(low: [DVec3; 3], high: [DVec3; 3]) -> f64 {
    let origin = low[0];
    let low = low.map(|p| p - origin);
    let high = high.map(|p| p - origin);
    let six = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c));
    let mut volume = six(high[0], high[1], high[2]) - six(low[0], low[1], low[2]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let ring = [low[i], low[j], high[j], high[i]];
        let centroid = (ring[0] + ring[1] + ring[2] + ring[3]) * 0.25;
        for k in 0..4 {
            volume += six(ring[k], ring[(k + 1) % 4], centroid);
        }
    }
    volume
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prism_has_the_volume_of_a_prism_and_gains_outwards() {
        let low = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let high = low.map(|p| p + DVec3::Z * 0.5);
        assert!((prism(low, high) / 6.0 - 0.25).abs() < 1e-15);
        assert!((prism(high, low) / 6.0 + 0.25).abs() < 1e-15);
        assert_eq!(prism(low, low), 0.0);
    }
}
