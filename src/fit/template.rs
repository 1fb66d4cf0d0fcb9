//! Scales and moves a skeleton so that it stands in a mesh as it stood in its own.

use glam::{DVec3, Vec3};

use crate::model::{Clip, Interpolation, Joint, Mesh, Skeleton, SkeletonError, TrackValues};

/// An axis may be stretched against the whole by at most this factor. Larger: a figure with hanging arms
/// pulls the template's arms to threads, and one that lies along another axis is torn. Smaller: broad
/// figures get narrow skeletons.
const MOST_STRETCH: f32 = 2.0;

/// The skeleton of the body `own`, in `mesh`: heads move with the boxes around the two bodies, axis by axis.
///
/// # Errors
/// Only when a coordinate overflows.
pub fn fit(
    skeleton: &Skeleton,
    clips: &[Clip],
    own: &Mesh,
    mesh: &Mesh,
) -> Result<(Skeleton, Vec<Clip>), SkeletonError> {
    let (map, whole) = Map::between(own, mesh);
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    for joint in &mut joints {
        joint.rest.translation = map.apply(joint.head()).as_dvec3();
        joint.tail = joint.tail.map(|tail| map.apply(tail));
    }
    let fitted = Skeleton::new(joints.clone())?;
    let offset = |skeleton: &Skeleton, joint: usize| skeleton.rest_local(joint).translation;
    let ways: Vec<Way> = (0..joints.len())
        .map(|joint| Way { from: offset(skeleton, joint), to: offset(&fitted, joint), scale: whole.into() })
        .collect();
    for (joint, way) in joints.iter_mut().zip(&ways) {
        joint.local.translation = way.apply(joint.local.translation);
    }
    Ok((Skeleton::new(joints)?, clips.iter().map(|clip| moved(clip, &ways)).collect()))
}

/// From box to box.
struct Map {
    from: Vec3,
    to: Vec3,
    scale: Vec3,
}

impl Map {
    /// Also how much larger the second body is on the whole.
    fn between(own: &Mesh, mesh: &Mesh) -> (Self, f32) {
        let ((low, high), (to_low, to_high)) = (own.bounds(), mesh.bounds());
        let (size, to_size) = (high - low, to_high - to_low);
        let whole = to_size.length() / size.length().max(f32::MIN_POSITIVE);
        let whole = if whole > 0.0 { whole } else { 1.0 };
        // An axis along which the template has no extent has none to stretch either.
        let ratio = |axis: usize| if size[axis] > 0.0 { to_size[axis] / size[axis] } else { whole };
        let scale = |axis: usize| ratio(axis).clamp(whole / MOST_STRETCH, whole * MOST_STRETCH);
        let map = Self {
            from: low.midpoint(high),
            to: to_low.midpoint(to_high),
            scale: Vec3::new(scale(0), scale(1), scale(2)),
        };
        (map, whole)
    }

    fn apply(&self, point: Vec3) -> Vec3 {
        self.to + (point - self.from) * self.scale
    }
}

/// Where a joint stands in its parent: before and after. Steps away from there scale with the whole.
struct Way {
    from: DVec3,
    to: DVec3,
    scale: f64,
}

impl Way {
    fn apply(&self, offset: DVec3) -> DVec3 {
        self.to + (offset - self.from) * self.scale
    }
}

fn moved(clip: &Clip, ways: &[Way]) -> Clip {
    let mut clip = clip.clone();
    for track in &mut clip.tracks {
        let TrackValues::Translation(values) = &mut track.values else { continue };
        let way = &ways[track.joint];
        let is_slope = |i: usize| track.interpolation == Interpolation::Cubic && i % 3 != 1;
        for (i, value) in values.iter_mut().enumerate() {
            *value = if is_slope(i) { *value * way.scale } else { way.apply(*value) };
        }
    }
    clip
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Pose;
    use crate::samples::{self, SampleCharacter};

    #[test]
    fn a_template_fitted_to_its_own_body_moved_and_scaled_stands_in_it_alike() {
        let person = samples::make(SampleCharacter::Mannequin, 2_000).unwrap();
        let scale = |p: Vec3| p * 3.0 + Vec3::new(5.0, -2.0, 1.0);
        let positions = person.mesh.positions().iter().map(|&p| scale(p)).collect();
        let mesh = person.mesh.with_positions(positions).unwrap();
        let (skeleton, clips) = fit(&person.skeleton, &person.clips, &person.mesh, &mesh).unwrap();
        for (joint, own) in skeleton.joints().iter().zip(person.skeleton.joints()) {
            assert!(joint.head().distance(scale(own.head())) < 1e-4, "{}", joint.name);
        }
        // Its motion is the same motion, three times as large.
        let (posed, own_posed) =
            (clips[0].sample(&skeleton, 0.3), person.clips[0].sample(&person.skeleton, 0.3));
        let (world, own_world) = (posed.world(&skeleton), own_posed.world(&person.skeleton));
        for (a, b) in world.iter().zip(&own_world) {
            let want = scale(b.translation.as_vec3());
            assert!(a.translation.as_vec3().distance(want) < 1e-3, "{:?} {want}", a.translation);
        }
    }

    #[test]
    fn a_flat_mesh_still_gets_a_skeleton() {
        let person = samples::make(SampleCharacter::Mannequin, 2_000).unwrap();
        for mesh in [Mesh::default(), Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).unwrap()]
        {
            let (skeleton, _) = fit(&person.skeleton, &[], &person.mesh, &mesh).unwrap();
            skeleton.assert_well_formed();
            Pose::rest(&skeleton).assert_well_formed(&skeleton);
        }
    }
}
