//! Which bones are nearest to a vertex.
//!
//! In: bones. Out: the nearest, if it can be seen, with all that are as near. Cost: all bones per vertex, and one
//! question about sight for each that could be it.
//!
//! "Near" is what Blender's automatic weights mean by it: the distance to the segment, made longer where the skin does not
//! face away from the bone, `d / ½(1 + cos)`. By plain distance, bone heat's heaviest joint was the file's
//! on 0.90 instead of 0.99 of the human that Blender weighed, and on 0.78 instead of 0.84 of the artist's Fox.

use glam::{DVec3, Vec3};

use crate::math::sort_few;
use crate::model::{Bone, Skeleton};
use crate::operators::MeshGeometry;
use crate::segment::BoneVisibility;

/// Bones farther than the nearest by no more than this share are as near. Larger: weights step where a bone
/// ceases to be as near as another. Smaller: of the two bones that meet in a joint, rounding picks one.
const AS_NEAR: f64 = 1e-4;

/// Bones behind the skin are nearer than bones beside it: the distance is divided by half of this plus the cosine between
/// the normal and the way from the bone. Larger: direction counts for less. At 1, what lies straight outside is
/// infinitely far.
const FACING: f64 = 1.001;

/// The nearest bones that were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Near {
    /// In ascending order; none when none is seen.
    pub(super) bones: Vec<u32>,
    /// To the nearest of them.
    pub(super) distance: f64,
}

/// Bones made ready to be measured from.
pub(super) struct Segments {
    segments: Vec<Segment>,
    /// Distance and place along the bone, of the vertex asked for last.
    measured: Vec<(f64, f64)>,
}

struct Segment {
    head: DVec3,
    along: DVec3,
    /// 0 for a bone without length, whose nearest place is its head.
    inverse_square: f64,
}

impl Segments {
    pub(super) fn new(bones: &[Bone]) -> Self {
        let segment = |bone: &Bone| {
            let along = bone.tail.as_dvec3() - bone.head.as_dvec3();
            let square = along.length_squared();
            let inverse_square = if square > 0.0 { square.recip() } else { 0.0 };
            Segment { head: bone.head.as_dvec3(), along, inverse_square }
        };
        Self { segments: bones.iter().map(segment).collect(), measured: Vec::new() }
    }

    fn measure(&mut self, position: DVec3, normal: DVec3) {
        self.measured.clear();
        self.measured.extend(self.segments.iter().map(|segment| {
            let from_head = position - segment.head;
            let share = (from_head.dot(segment.along) * segment.inverse_square).clamp(0.0, 1.0);
            let way = from_head - segment.along * share;
            let distance = way.length();
            let cosine =
                if distance > 0.0 && normal != DVec3::ZERO { way.dot(normal) / distance } else { 1.0 };
            (distance / (0.5 * (cosine + FACING)), share)
        }));
    }

    /// The nearest bones to a vertex whose skin faces `normal` (zero where it faces nowhere), as far as `sees` (bone, share
    /// of the way from head to tail) lets them through; none when none of those equally near is seen.
    pub(super) fn nearest_seen(
        &mut self,
        position: DVec3,
        normal: DVec3,
        mut sees: impl FnMut(usize, f32) -> bool,
    ) -> Near {
        self.measure(position, normal);
        let nearest = self.measured.iter().map(|m| m.0).fold(f64::INFINITY, f64::min);
        let limit = nearest * (1.0 + AS_NEAR);
        let as_near = self.measured.iter().enumerate().filter(|(_, measured)| measured.0 <= limit);
        let seen = as_near.filter(|(bone, measured)| sees(*bone, measured.1 as f32));
        let bones: Vec<u32> = seen.map(|(bone, _)| bone as u32).collect();
        if bones.is_empty() { Near::default() } else { Near { bones, distance: nearest } }
    }
}

/// The joint whose bone is nearest to the skin at a place, of those that the skin there sees; of all where it sees none. None without bones.
pub fn nearest_joint(geometry: &MeshGeometry, skeleton: &Skeleton, place: Vec3) -> Option<usize> {
    let vertex = geometry.mesh().nearest_vertex(place)?;
    let bones = skeleton.bones();
    let sight = BoneVisibility::new(geometry, bones);
    let mut segments = Segments::new(bones);
    segments.measure(geometry.mesh().positions()[vertex].as_dvec3(), sight.outward_normal(vertex));
    let measured = &segments.measured;
    let mut order: Vec<usize> = (0..bones.len()).collect();
    sort_few(&mut order, |&a, &b| measured[a].0.total_cmp(&measured[b].0));
    let seen = order.iter().find(|&&bone| sight.is_clear(vertex, bone, measured[bone].1 as f32));
    seen.or(order.first()).map(|&bone| bones[bone].joint)
}
