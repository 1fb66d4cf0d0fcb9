//! The contact plane of a bent joint in a pose, and the displacement it gives to a vertex.
//!
//! In: the matrices of the two joints. Out: heights, displacements and mobility of vertices
//! (docs/theory/contacts.md#displacement).

use glam::{Mat3, Mat4, Vec3};

use super::layout::{ContactJoint, ContactVertex, Corner};
use super::tuning::ContactTuning;
use crate::math::larger;

/// The contact plane of a joint in a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPlane {
    pub(super) joint: Vec3,
    /// Unit normal, towards the lower bone's side.
    pub(super) normal: Vec3,
    /// Unit vector from the joint into the bend.
    inward: Vec3,
    /// Factor of displacements: 0 where the contact begins to act, 1 for stronger bends.
    onset: f32,
    /// 0 for a slight bend, 1 for a strong one.
    strength: f32,
    pub(super) thickness: f32,
    inverse_thickness: f32,
    /// Heights by the upper and the lower bone alone: the normal in the rest frame, and an offset.
    heights: [(Vec3, f32); 2],
    rim_shift: f32,
    inverse_rim_width: f32,
    inverse_mobility_height: f32,
}

impl ContactPlane {
    /// The plane of a joint; none if it is hardly more bent than at rest.
    pub(super) fn new(joint: &ContactJoint, matrices: [&Mat4; 2], tuning: &ContactTuning) -> Option<Self> {
        let ([upper, lower], [top, head, end]) = (matrices, joint.corner);
        let at = lower.transform_point3(head);
        let Corner { normal, inward, angle } =
            Corner::new([upper.transform_point3(top), at, lower.transform_point3(end)]);
        let bend = angle - joint.rest_angle - tuning.onset_angle;
        let separation = upper.transform_point3(head) - at;
        let to_rest = |matrix: &Mat4| Mat3::from_mat4(*matrix).transpose() * normal;
        // Bones that coincide have no plane between them.
        (bend > 0.0 && normal != Vec3::ZERO).then(|| Self {
            joint: at,
            normal,
            inward,
            onset: smoothstep(bend / tuning.onset_range),
            strength: smoothstep(bend / (tuning.full_angle - tuning.onset_angle)),
            thickness: joint.thickness,
            inverse_thickness: 1.0 / joint.thickness,
            heights: [(to_rest(upper), separation.dot(normal)), (to_rest(lower), 0.0)],
            rim_shift: tuning.rim_shift,
            inverse_rim_width: 1.0 / tuning.rim_width,
            inverse_mobility_height: 1.0 / tuning.mobility_height,
        })
    }

    /// Distance of a point from the rim of the contact, in thicknesses; negative outside of the
    /// bend, where there is no contact.
    #[inline]
    pub(super) fn rim_distance(&self, from_joint: Vec3) -> f32 {
        from_joint.dot(self.inward) * self.inverse_thickness + self.rim_shift
    }

    /// Height of a vertex if its own bone alone moved it.
    #[inline]
    pub(super) fn height_by_own_bone(&self, vertex: &ContactVertex) -> f32 {
        self.height_by_bone(vertex, usize::from(vertex.side > 0.0))
    }

    /// Height of a vertex if the upper (0) or the lower (1) bone alone moved it.
    #[inline]
    fn height_by_bone(&self, vertex: &ContactVertex, bone: usize) -> f32 {
        let (normal, offset) = self.heights[bone];
        vertex.side * (vertex.rest.dot(normal) + offset)
    }

    /// The height of a vertex, raised in a slightly bent joint to the height it would have without
    /// third joints.
    #[inline]
    pub(super) fn tolerated_height(&self, vertex: &ContactVertex, height: f32) -> f32 {
        let Some([upper, lower]) = vertex.own_shares else { return height };
        let by_both = upper * self.height_by_bone(vertex, 0) + lower * self.height_by_bone(vertex, 1);
        height + (1.0 - self.strength) * larger(by_both - height, 0.0)
    }

    /// How much higher the other bone has moved a vertex than its own alone would. It is moved back
    /// by this in strong bends; otherwise the crease drifts to one side, and the skin flattened
    /// there intersects.
    #[inline]
    pub(super) fn height_by_other_bone(&self, vertex: &ContactVertex, height: f32, by_own: f32) -> f32 {
        larger(height - by_own, 0.0) * self.strength * vertex.other_share
    }

    /// A displacement with the factors of onset and rim.
    #[inline]
    pub(super) fn faded(&self, displacement: f32, rim_distance: f32) -> f32 {
        displacement * self.onset * smoothstep(rim_distance * self.inverse_rim_width)
    }

    /// Mobility of a vertex at a height above its clearance.
    #[inline]
    pub(super) fn mobility(&self, height: f32, rim_distance: f32) -> f32 {
        let free = smoothstep(height * self.inverse_thickness * self.inverse_mobility_height);
        1.0 - self.strength * smoothstep(rim_distance * self.inverse_mobility_height) * (1.0 - free)
    }
}

impl ContactVertex {
    /// The displacement `δ` for an overlap `o = ε − h`: zero below −f, `o` above f, smooth in
    /// between.
    #[inline]
    pub(super) fn displacement(&self, overlap: f32) -> f32 {
        let within = (overlap + self.softness).clamp(0.0, 2.0 * self.softness);
        within * within / (4.0 * self.softness) + larger(overlap - self.softness, 0.0)
    }
}

/// Cubic from 0 at 0 to 1 at 1, with zero slope at both ends.
pub(super) fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
