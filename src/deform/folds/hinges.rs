//! The joints that are guarded, and the vertices near each: laid out once per rig.
//!
//! In: the mesh at rest, weights, bones. Out: [`Hinges`]. A hinge is where two bones meet in flesh that both hold; its contact at rest is the plane equally near
//! to both. Cost: a pass over the vertices for every such joint.

use glam::Vec3;

use super::TOUCHING;
use crate::deform::volume::is_shared;
use crate::math::unit_or;
use crate::model::{Bone, Mesh, Skeleton, Weights};

/// Vertices this many thicknesses from a joint may touch in it: at 150° contact reaches 3.7. Larger: neighbouring
/// fingers are held as well. Smaller: far ends of strongly bent bones pass through each other.
const REACH: f32 = 4.0;

/// A vertex belongs to a joint's flesh when both bones hold this much of it.
const SHARED: f32 = 0.1;

/// Bones meet when the gap between them is less than this share of the shorter one.
const MEETS: f32 = 0.1;

/// What is left between both sides of a contact, in thicknesses. Larger: a visible slit. Smaller: rounding
/// lets triangles touch.
const SLIT: f32 = 0.02;

/// And for every height that a vertex had above the contact at rest: skin that is laid over itself at the ends of a crease stays in the order it had. Larger: slits open
/// towards the far ends of bones. Smaller: of 64 fingers bent by 120°, of four sizes and methods, 1 is cut at 0.02, 10 at zero.
const LAYERS: f32 = 0.04;

/// A contact is felt this many thicknesses before it is reached, at most, so that nothing stops with a jerk. Larger: flesh is parted that does not touch yet. Smaller: rigid
/// flesh stops within a frame.
const CUSHION: f32 = 0.2;

/// What follows one bone and lies on the other's side of the contact by this many thicknesses at rest is left alone. Larger: a sitting figure's crotch is carried away by its
/// thighs. Smaller: flesh is left out where the border between two bones does not lie in that plane.
const STRAY: f32 = 0.25;

/// What its two bones hold less of than this, others may carry over the contact of a slight bend: flesh around it goes along, so it cuts nothing.
const DRAGGED: f32 = 0.98;

/// All hinges, and the vertices of one after those of the other.
#[derive(Default)]
pub(super) struct Hinges {
    pub(super) hinges: Vec<Hinge>,
    pub(super) vertices: Vec<Guarded>,
}

/// A joint between two bones that meet.
#[derive(Clone, Debug)]
pub(super) struct Hinge {
    pub(super) joints: [usize; 2],
    /// The far end of the upper bone, the joint, the far end of the lower bone, at rest.
    pub(super) places: [Vec3; 3],
    /// By how many radians it is bent at rest.
    pub(super) rest_angle: f32,
    /// How far the flesh around the joint reaches.
    pub(super) thickness: f32,
    pub(super) vertices: std::ops::Range<usize>,
}

/// A vertex near a hinge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guarded {
    pub(super) vertex: u32,
    /// +1 on the lower bone's side at rest, −1 on the upper's.
    pub(super) side: f32,
    /// How near to the contact it may come, and how much before that it feels it.
    pub(super) gap: f32,
    pub(super) felt: f32,
    /// From the joint, at rest.
    pub(super) rest: Vec3,
    /// Whether several joints hold it, by more than next to nothing, and how much of what its own bone does not hold the other one does.
    pub(super) is_shared: bool,
    pub(super) other: f32,
    /// Where joints of other hinges hold it as well: how much of what the upper and the lower bone hold each of them does.
    pub(super) dragged: Option<[f32; 2]>,
    /// Whether someone else looks after its normal.
    pub(super) is_covered: bool,
}

impl Hinges {
    pub(super) fn find(mesh: &Mesh, weights: &Weights, skeleton: &Skeleton) -> Self {
        let mut all = Self::default();
        let bones = skeleton.bones();
        for lower in bones {
            let Some(upper) = lower.parent.map(|parent| &bones[parent]) else { continue };
            let apart = upper.tail.distance(lower.head);
            if upper.joint != lower.joint && apart <= MEETS * upper.length().min(lower.length()) {
                all.add(mesh, weights, (bones, upper, lower));
            }
        }
        all
    }

    fn add(&mut self, mesh: &Mesh, weights: &Weights, (bones, upper, lower): (&[Bone], &Bone, &Bone)) {
        let joints = [upper.joint, lower.joint];
        let holds = |vertex: usize, joint: usize| weight_of(weights, vertex, joint) > SHARED;
        let (mut sum, mut count) = (0.0, 0);
        for (vertex, position) in mesh.positions().iter().enumerate() {
            if joints.iter().all(|&joint| holds(vertex, joint)) {
                sum += upper
                    .nearest(*position)
                    .distance(*position)
                    .min(lower.nearest(*position).distance(*position));
                count += 1;
            }
        }
        let thickness = sum / count as f32;
        // PostSkinning that nobody shares, a sheet that lies on its bones, numbers too large to multiply.
        if !(thickness > 0.0 && thickness.is_finite()) {
            return;
        }
        let trunk = trunk_of(bones, upper, lower, thickness);
        let places = [far_end(trunk, lower.head), lower.head, lower.tail];
        let Corner { normal, angle: rest_angle, .. } = Corner::new(places);
        let start = self.vertices.len();
        for (vertex, &position) in mesh.positions().iter().enumerate() {
            let follows = weights.dominant(vertex) as usize;
            let from_joint = position - lower.head;
            if !joints.contains(&follows) || from_joint.length() > REACH * thickness {
                continue;
            }
            // A palm has many bones; only what is nearest to the one that leads here is of this joint.
            let distance = |bone: &Bone| bone.nearest(position).distance_squared(position);
            let near = distance(upper).min(distance(trunk)).min(distance(lower));
            if bones.iter().any(|bone| joints.contains(&bone.joint) && distance(bone) < near) {
                continue;
            }
            let height = from_joint.dot(normal);
            let side = if height < 0.0 { -1.0 } else { 1.0 };
            // A crotch is of the pelvis, and on the thighs' side.
            let is_beyond = (height < 0.0) != (follows == upper.joint);
            if is_beyond && height.abs() > STRAY * thickness {
                continue;
            }
            let gap = (0.5 * height.abs()).min(SLIT * thickness + LAYERS * height.abs());
            // Not where it is at rest: nothing is parted that has not come nearer.
            let felt = (height.abs() - gap).clamp(TOUCHING * thickness, CUSHION * thickness);
            let (rest, is_shared) = (from_joint, is_shared(weights, vertex));
            let [of_upper, of_lower] = joints.map(|joint| weight_of(weights, vertex, joint));
            let (own, other) = if side < 0.0 { (of_upper, of_lower) } else { (of_lower, of_upper) };
            let other = if is_shared { (other / (1.0 - own)).min(1.0) } else { 0.0 };
            let both = of_upper + of_lower;
            let dragged = (both < DRAGGED && both > 0.0).then(|| [of_upper / both, of_lower / both]);
            let vertex = vertex as u32;
            self.vertices.push(Guarded {
                vertex,
                side,
                gap,
                felt,
                rest,
                is_shared,
                other,
                dragged,
                is_covered: false,
            });
        }
        self.hinges.push(Hinge {
            joints,
            places,
            rest_angle,
            thickness,
            vertices: start..self.vertices.len(),
        });
    }
}

fn weight_of(weights: &Weights, vertex: usize, joint: usize) -> f32 {
    weights.row(vertex).iter().find(|i| i.column as usize == joint).map_or(0.0, |i| i.weight)
}

/// The bone that the flesh above a joint is around: the one that ends there, or, where that is shorter than the flesh is thick, as from a pelvis to its thighs, the
/// one of its joint, or before it, that leads away most from the lower bone.
fn trunk_of<'a>(bones: &'a [Bone], upper: &'a Bone, lower: &Bone, thickness: f32) -> &'a Bone {
    if upper.length() >= thickness {
        return upper;
    }
    let along = unit_or(lower.tail - lower.head, Vec3::ZERO);
    let towards = |bone: &Bone| unit_or(far_end(bone, lower.head) - lower.head, Vec3::ZERO).dot(along);
    let others = bones.iter().filter(|bone| bone.joint == upper.joint);
    let before = upper.parent.map(|parent| &bones[parent]);
    others.chain(before).min_by(|a, b| towards(a).total_cmp(&towards(b))).unwrap_or(upper)
}

/// The end of a bone that is farther from a place.
fn far_end(bone: &Bone, from: Vec3) -> Vec3 {
    if bone.head.distance_squared(from) >= bone.tail.distance_squared(from) { bone.head } else { bone.tail }
}

/// How two bones that meet stand to each other.
pub(super) struct Corner {
    /// Unit vectors across the plane equally near to both, towards the lower one, and into the bend; none when the bones are in line.
    pub(super) normal: Vec3,
    pub(super) inner: Vec3,
    /// By how many radians they are bent.
    pub(super) angle: f32,
}

impl Corner {
    pub(super) fn new([upper, joint, lower]: [Vec3; 3]) -> Self {
        let along = [upper, lower].map(|end| unit_or(end - joint, Vec3::ZERO));
        let (across, inner) = (along[1] - along[0], along[0] + along[1]);
        let angle = 2.0 * inner.length().atan2(across.length());
        Self { normal: unit_or(across, Vec3::ZERO), inner: unit_or(inner, Vec3::ZERO), angle }
    }
}
