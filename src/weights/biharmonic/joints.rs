//! Which stretch of a bone holds the flesh around it, and what holds where bones meet.
//!
//! In the limit of a fine lattice no function of finite energy changes from one to zero at a point
//! of a line. The less room it has for that, the more it costs, without end, until how the nodes
//! around the joint happen to lie decides what weights are half a body away: without gaps, lattices
//! of 6,000 and of 12,000 cells put the mannequin's chest on different bones. So a bone holds only
//! what is farther from a joint than its flesh is thick, as it does on the skin, and at the joint
//! itself all that meet have the same share.

use glam::{DVec3, Vec3};

use super::Handle;
use crate::model::Bone;
use crate::operators::MeshGeometry;

/// How far from a joint bones hold, against how thick flesh is around them. Larger: joints bend
/// softer. Smaller: lattices must be finer to agree; at half of this, those of 6,000 and 12,000
/// cells are twice as far apart.
const GAP: f64 = 1.0;

/// But no more of a bone is left out at either end than this share, so that short and stout ones
/// hold something.
const MOST_GAP: f64 = 0.35;

/// Ends of bones this share of the mesh's size apart are one joint.
const ONE_JOINT: f32 = 1e-3;

/// Where bones of different columns meet.
pub(super) struct Joint {
    pub(super) at: DVec3,
    pub(super) columns: Vec<u32>,
}

/// All joints, and how thick flesh is.
pub(super) struct Joints {
    all: Vec<Joint>,
    near: f64,
    /// Around each handle; of bones only.
    radii: Vec<f64>,
}

impl Joints {
    /// Of all bones among the handles.
    pub(super) fn of(geometry: &MeshGeometry, handles: &[Handle], column_of: &[u32]) -> Self {
        let near = f64::from(ONE_JOINT * geometry.mesh().diagonal());
        let mut all: Vec<Joint> = Vec::new();
        for (handle, &column) in handles.iter().zip(column_of) {
            let Handle::Bone(bone) = handle else { continue };
            for at in [bone.head.as_dvec3(), bone.tail.as_dvec3()] {
                match all.iter_mut().find(|joint| joint.at.distance(at) <= near) {
                    Some(joint) if joint.columns.contains(&column) => {}
                    Some(joint) => joint.columns.push(column),
                    None => all.push(Joint { at, columns: vec![column] }),
                }
            }
        }
        all.retain(|joint| joint.columns.len() > 1);
        Self { all, near, radii: radii(geometry.mesh().positions(), handles) }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Joint> {
        self.all.iter()
    }

    /// The ends of the stretch that a bone holds.
    pub(super) fn held_of(&self, handle: usize, bone: &Bone) -> [DVec3; 2] {
        let (head, tail) = (bone.head.as_dvec3(), bone.tail.as_dvec3());
        let share = (GAP * self.radii[handle] / head.distance(tail).max(f64::MIN_POSITIVE)).min(MOST_GAP);
        let is_joint = |end: DVec3| self.all.iter().any(|joint| joint.at.distance(end) <= self.near);
        let gap = |end: DVec3| if is_joint(end) { share } else { 0.0 };
        [head.lerp(tail, gap(head)), tail.lerp(head, gap(tail))]
    }
}

/// Bones farther by no more than this share are as near: rounding must not say whose a vertex
/// between two legs is.
const AS_NEAR: f32 = 1.0 + 1e-4;

/// How far skin is from each bone: the median over the vertices that no other bone is nearer to.
fn radii(positions: &[Vec3], handles: &[Handle]) -> Vec<f64> {
    let mut distances: Vec<Vec<f32>> = vec![Vec::new(); handles.len()];
    for &position in positions {
        let to_handle = |handle: &Handle| match handle {
            Handle::Bone(bone) => distance(bone, position),
            _ => f32::INFINITY,
        };
        let nearest = handles.iter().map(to_handle).fold(f32::INFINITY, f32::min);
        for (handle, distances) in handles.iter().zip(&mut distances) {
            if nearest.is_finite() && to_handle(handle) <= nearest * AS_NEAR {
                distances.push(nearest);
            }
        }
    }
    let median = |of: Vec<f32>| {
        // None is negative, so they sort as their bits do.
        let mut bits: Vec<u32> = of.into_iter().map(f32::to_bits).collect();
        bits.sort_unstable();
        bits.get(bits.len() / 2).map_or(0.0, |&bits| f64::from(f32::from_bits(bits)))
    };
    distances.into_iter().map(median).collect()
}

fn distance(bone: &Bone, position: Vec3) -> f32 {
    let along = bone.tail - bone.head;
    let share = (position - bone.head).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    position.distance(bone.head + along * share.clamp(0.0, 1.0))
}
