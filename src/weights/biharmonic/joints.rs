//! Gaps of the boundary conditions where bones meet (docs/theory/biharmonic.md#interior-domain).
//!
//! In the limit of a fine lattice no function of finite energy changes from one to zero at a point
//! of a line. The smaller the gap, the larger the energy, without limit, until the position of the
//! nodes around the joint determines weights half a body away: without gaps, lattices of 6,000 and
//! of 12,000 cells assigned the mannequin's chest to different bones. So a bone is fixed only
//! farther from a joint than the body is thick there, as on the surface. At the joint itself all
//! handles that meet have equal values.

use glam::{DVec3, Vec3};

use super::Handle;
use crate::model::Bone;
use crate::operators::MeshGeometry;

/// Length of the gap, in units of the thickness of the body around the bone. Larger: joints bend
/// more softly. Smaller: lattices must be finer to agree; at half of this, those of 6,000 and
/// 12,000 cells differ by twice as much.
const GAP_RADII: f64 = 1.0;

/// Largest gap at either end, as a fraction of the bone, so that short and thick bones are fixed
/// somewhere.
const MAX_GAP: f64 = 0.35;

/// Ends of bones closer than this fraction of the mesh size are one joint.
const JOINT_TOLERANCE: f32 = 1e-3;

/// A point where bones of different columns meet.
pub(super) struct Joint {
    pub(super) at: DVec3,
    pub(super) columns: Vec<u32>,
}

/// All joints, and the thickness of the body.
pub(super) struct Joints {
    all: Vec<Joint>,
    tolerance: f64,
    /// Thickness around each handle; of bones only.
    radii: Vec<f64>,
}

impl Joints {
    /// The joints of all bones among the handles.
    pub(super) fn of(geometry: &MeshGeometry, handles: &[Handle], column_of: &[u32]) -> Self {
        let tolerance = f64::from(JOINT_TOLERANCE * geometry.mesh().diagonal());
        let mut all: Vec<Joint> = Vec::new();
        for (handle, &column) in handles.iter().zip(column_of) {
            let Handle::Bone(bone) = handle else { continue };
            for at in [bone.head.as_dvec3(), bone.tail.as_dvec3()] {
                match all.iter_mut().find(|joint| joint.at.distance(at) <= tolerance) {
                    Some(joint) if joint.columns.contains(&column) => {}
                    Some(joint) => joint.columns.push(column),
                    None => all.push(Joint { at, columns: vec![column] }),
                }
            }
        }
        all.retain(|joint| joint.columns.len() > 1);
        Self { all, tolerance, radii: radii(geometry.mesh().positions(), handles) }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Joint> {
        self.all.iter()
    }

    /// The ends of the interval on which a bone is fixed.
    pub(super) fn fixed_interval(&self, handle: usize, bone: &Bone) -> [DVec3; 2] {
        let (head, tail) = (bone.head.as_dvec3(), bone.tail.as_dvec3());
        let fraction =
            (GAP_RADII * self.radii[handle] / head.distance(tail).max(f64::MIN_POSITIVE)).min(MAX_GAP);
        let is_joint = |end: DVec3| self.all.iter().any(|joint| joint.at.distance(end) <= self.tolerance);
        let gap = |end: DVec3| if is_joint(end) { fraction } else { 0.0 };
        [head.lerp(tail, gap(head)), tail.lerp(head, gap(tail))]
    }
}

/// Bones farther by no more than this factor are equally near, so that rounding does not assign a
/// vertex between two legs.
const EQUALLY_NEAR: f32 = 1.0 + 1e-4;

/// The distance of the surface from each bone: the median over its nearest vertices.
fn radii(positions: &[Vec3], handles: &[Handle]) -> Vec<f64> {
    let mut distances: Vec<Vec<f32>> = vec![Vec::new(); handles.len()];
    for &position in positions {
        let to_handle = |handle: &Handle| match handle {
            Handle::Bone(bone) => distance(bone, position),
            _ => f32::INFINITY,
        };
        let nearest = handles.iter().map(to_handle).fold(f32::INFINITY, f32::min);
        for (handle, distances) in handles.iter().zip(&mut distances) {
            if nearest.is_finite() && to_handle(handle) <= nearest * EQUALLY_NEAR {
                distances.push(nearest);
            }
        }
    }
    let median = |of: Vec<f32>| {
        // None is negative, so they sort like their bits.
        let mut bits: Vec<u32> = of.into_iter().map(f32::to_bits).collect();
        bits.sort_unstable();
        bits.get(bits.len() / 2).map_or(0.0, |&bits| f64::from(f32::from_bits(bits)))
    };
    distances.into_iter().map(median).collect()
}

fn distance(bone: &Bone, position: Vec3) -> f32 {
    let along = bone.tail - bone.head;
    let fraction = (position - bone.head).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    position.distance(bone.head + along * fraction.clamp(0.0, 1.0))
}
