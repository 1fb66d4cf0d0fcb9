//! Inverse kinematics of a leg: two bones and a hinge.

use glam::{DMat3, DQuat, DVec3};

/// The longest distance from hip to ankle as a share of the length of a straight leg. At 1 the
/// knee snaps when the leg becomes straight.
pub const MAX_STRETCH: f64 = 0.9995;

/// Places the knee of a leg from `hip` to `ankle`, bent towards `pole`. Returns the knee and the
/// ankle that can be reached.
pub fn knee(hip: DVec3, ankle: DVec3, [thigh, shin]: [f64; 2], pole: DVec3) -> (DVec3, DVec3) {
    let to_ankle = ankle - hip;
    let shortest = (thigh - shin).abs() + 1e-3 * (thigh + shin);
    let distance = to_ankle.length().clamp(shortest, MAX_STRETCH * (thigh + shin));
    let down = to_ankle.try_normalize().unwrap_or(DVec3::NEG_Y);
    let forward =
        (pole - down * pole.dot(down)).try_normalize().unwrap_or_else(|| down.any_orthonormal_vector());
    let along = (thigh * thigh - shin * shin + distance * distance) / (2.0 * distance);
    let aside = (thigh * thigh - along * along).max(0.0).sqrt();
    (hip + down * along + forward * aside, hip + down * distance)
}

/// The rotation that maps the direction `from` to `to` and the hinge axis `from_hinge` as near as
/// possible to `to_hinge`.
pub fn aligned(from: DVec3, from_hinge: DVec3, to: DVec3, to_hinge: DVec3) -> DQuat {
    let basis = |direction: DVec3, hinge: DVec3| {
        let x = direction.try_normalize().unwrap_or(DVec3::X);
        let y = (hinge - x * hinge.dot(x)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
        DMat3::from_cols(x, y, x.cross(y))
    };
    DQuat::from_mat3(&(basis(to, to_hinge) * basis(from, from_hinge).transpose())).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_at_its_lengths_and_bends_to_the_pole() {
        let hip = DVec3::new(0.1, 0.9, 0.0);
        for ankle in [DVec3::new(0.1, 0.1, 0.2), DVec3::new(0.0, 0.5, -0.3), DVec3::new(0.1, -3.0, 0.0), hip]
        {
            let (knee, reached) = knee(hip, ankle, [0.42, 0.4], DVec3::Z);
            assert!((knee.distance(hip) - 0.42).abs() < 1e-9 && (knee.distance(reached) - 0.4).abs() < 1e-9);
            let middle = hip.lerp(reached, 0.5);
            assert!((knee - middle).dot(DVec3::Z) > 0.0, "{knee}");
        }
    }

    #[test]
    fn an_alignment_maps_direction_and_hinge() {
        let rotation = aligned(DVec3::NEG_Y, DVec3::X, DVec3::Z, DVec3::X);
        assert!((rotation * DVec3::NEG_Y).abs_diff_eq(DVec3::Z, 1e-12));
        assert!((rotation * DVec3::X).abs_diff_eq(DVec3::X, 1e-12));
    }
}
