//! Scales and translates a template skeleton to fit a mesh.

use glam::{DVec3, Vec3};

use crate::model::{Clip, Interpolation, Joint, Mesh, Skeleton, SkeletonError, TrackValues};

/// Largest stretch of an axis relative to the overall scale. If larger, a mesh with hanging arms
/// compresses the arms of the template, and a mesh that lies along another axis distorts it. If
/// smaller, broad meshes get narrow skeletons.
const MAX_STRETCH: f32 = 2.0;

/// Fits the skeleton of the body `own` to `mesh`: heads are mapped from bounding box to bounding
/// box, axis by axis.
///
/// # Errors
/// Only if a coordinate overflows.
pub fn fit(
    skeleton: &Skeleton,
    clips: &[Clip],
    own: &Mesh,
    mesh: &Mesh,
) -> Result<(Skeleton, Vec<Clip>), SkeletonError> {
    let (map, overall_scale) = BoxMap::between(own, mesh);
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    for joint in &mut joints {
        joint.rest.translation = map.apply(joint.head()).as_dvec3();
        joint.tail = joint.tail.map(|tail| map.apply(tail));
    }
    let fitted = Skeleton::new(joints.clone())?;
    let offset = |skeleton: &Skeleton, joint: usize| skeleton.rest_local(joint).translation;
    let maps: Vec<TranslationMap> = (0..joints.len())
        .map(|joint| TranslationMap {
            from: offset(skeleton, joint),
            to: offset(&fitted, joint),
            scale: overall_scale.into(),
        })
        .collect();
    for (joint, map) in joints.iter_mut().zip(&maps) {
        joint.local.translation = map.apply(joint.local.translation);
    }
    Ok((Skeleton::new(joints)?, clips.iter().map(|clip| moved(clip, &maps)).collect()))
}

/// The affine map between two bounding boxes.
struct BoxMap {
    from: Vec3,
    to: Vec3,
    scale: Vec3,
}

impl BoxMap {
    /// The map, and the overall scale.
    fn between(own: &Mesh, mesh: &Mesh) -> (Self, f32) {
        let ((low, high), (to_low, to_high)) = (own.bounds(), mesh.bounds());
        let (size, to_size) = (high - low, to_high - to_low);
        let overall_scale = to_size.length() / size.length().max(f32::MIN_POSITIVE);
        let overall_scale = if overall_scale > 0.0 { overall_scale } else { 1.0 };
        // An axis without extent in the template gets the overall scale.
        let ratio = |axis: usize| if size[axis] > 0.0 { to_size[axis] / size[axis] } else { overall_scale };
        let scale = |axis: usize| ratio(axis).clamp(overall_scale / MAX_STRETCH, overall_scale * MAX_STRETCH);
        let map = Self {
            from: low.midpoint(high),
            to: to_low.midpoint(to_high),
            scale: Vec3::new(scale(0), scale(1), scale(2)),
        };
        (map, overall_scale)
    }

    fn apply(&self, point: Vec3) -> Vec3 {
        self.to + (point - self.from) * self.scale
    }
}

/// Maps the translation of a joint in its parent frame. Displacements from the rest translation
/// scale with the overall scale.
struct TranslationMap {
    from: DVec3,
    to: DVec3,
    scale: f64,
}

impl TranslationMap {
    fn apply(&self, offset: DVec3) -> DVec3 {
        self.to + (offset - self.from) * self.scale
    }
}

fn moved(clip: &Clip, maps: &[TranslationMap]) -> Clip {
    // Morph tracks are for the targets of the template.
    let mut clip = Clip { morph_tracks: Vec::new(), ..clip.clone() };
    for track in &mut clip.tracks {
        let TrackValues::Translation(values) = &mut track.values else { continue };
        let map = &maps[track.joint];
        let is_tangent = |i: usize| track.interpolation == Interpolation::Cubic && i % 3 != 1;
        for (i, value) in values.iter_mut().enumerate() {
            *value = if is_tangent(i) { *value * map.scale } else { map.apply(*value) };
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
    fn a_template_fits_a_scaled_copy_of_its_own_mesh() {
        let person = samples::make(SampleCharacter::Mannequin, 2_000).unwrap();
        let scale = |p: Vec3| p * 3.0 + Vec3::new(5.0, -2.0, 1.0);
        let positions = person.mesh.positions().iter().map(|&p| scale(p)).collect();
        let mesh = person.mesh.with_positions(positions).unwrap();
        let (skeleton, clips) = fit(&person.skeleton, &person.clips, &person.mesh, &mesh).unwrap();
        for (joint, own) in skeleton.joints().iter().zip(person.skeleton.joints()) {
            assert!(joint.head().distance(scale(own.head())) < 1e-4, "{}", joint.name);
        }
        // The clip is the same, three times as large.
        let (posed, own_posed) =
            (clips[0].sample(&skeleton, 0.3), person.clips[0].sample(&person.skeleton, 0.3));
        let (world, own_world) = (posed.world(&skeleton), own_posed.world(&person.skeleton));
        for (a, b) in world.iter().zip(&own_world) {
            let want = scale(b.translation.as_vec3());
            assert!(a.translation.as_vec3().distance(want) < 1e-3, "{:?} {want}", a.translation);
        }
    }

    #[test]
    fn flat_and_empty_meshes_get_a_skeleton() {
        let person = samples::make(SampleCharacter::Mannequin, 2_000).unwrap();
        for mesh in [Mesh::default(), Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).unwrap()]
        {
            let (skeleton, _) = fit(&person.skeleton, &[], &person.mesh, &mesh).unwrap();
            skeleton.assert_well_formed();
            Pose::rest(&skeleton).assert_well_formed(&skeleton);
        }
    }
}
