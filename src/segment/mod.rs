//! Which flesh belongs to which joint, and where it is cut (Hétroy et al. 2009, §3.1).
//!
//! In: [`MeshGeometry`] and a [`Skeleton`]. Out: [`Regions`]: one per joint that drives bones (or several, where its flesh does not hang
//! together on the surface), every vertex in exactly one, and the curves between them as polylines through faces.
//!
//! Joints are taken from the root outwards; each cuts its own flesh out of its parent's region along the
//! shortest loop around it (`plane`), which must separate what lies nearer to the joint's own bones from what
//! does not (`split`). Where no loop does (knuckles inside a palm, ears, clavicles), the border of the nearest
//! visible bone (`nearest`) is taken instead. What ends up in pieces is gathered (`relabel_components`), and the curves
//! are read off the labels (`curves`). Cost: one ray per vertex, a few floods of the parent's region per joint.

mod curves;
mod flood;
mod limbs;
mod nearest;
mod plane;
mod planes;
mod relabel_components;
mod split;
mod visibility;

pub use nearest::nearest_visible_bones;
pub(crate) use visibility::{BoneVisibility, Walls};

use glam::Vec3;

use crate::math::{key_of, sort_by_keys};
use crate::model::{Bone, Region, Regions, Skeleton};
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, Warning};
use limbs::Limbs;
use split::{Cuts, Splitter};

/// Cuts the mesh into the flesh of each joint.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
pub fn segment(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Regions, Cancelled> {
    let limbs = Limbs::of(skeleton);
    let bones = limbs::without_twisted_ends(skeleton, &limbs);
    let nearest = nearest::nearest(operators, &bones, progress)?;
    let areas = vertex_areas(operators);
    let mut splitter = Splitter::new(operators, skeleton, &limbs, &nearest, &areas);
    for (parent, children) in limbs.families() {
        splitter.split(parent, children);
    }
    let mut cuts = splitter.into_cuts();
    let is_beside = |vertex: u32, limb: u32| {
        let position = operators.mesh().positions()[vertex as usize];
        let shares =
            skeleton.bones()[limbs.bones(limb as usize)].iter().map(|bone| share_along(bone, position));
        shares.into_iter().any(|share| share > 0.0 && share < 1.0)
    };
    relabel_components::gather(operators, &areas, &mut cuts.labels, is_beside);
    report_bare(skeleton, &limbs, &cuts.labels, report);
    let ranks = relabel_components::ranks(operators, &areas, &cuts.labels);
    Ok(assemble(operators, skeleton, &limbs, &cuts, &ranks))
}

/// How far along a bone its point nearest to `position` is, from 0 at the head to 1 at the tail.
fn share_along(bone: &Bone, position: Vec3) -> f32 {
    let along = bone.tail - bone.head;
    ((position - bone.head).dot(along) / along.length_squared()).clamp(0.0, 1.0)
}

/// A third of the area of the triangles around each vertex.
fn vertex_areas(operators: &MeshGeometry) -> Vec<f64> {
    let mut areas = vec![0.0; operators.mesh().positions().len()];
    for (t, triangle) in operators.mesh().triangles().iter().enumerate() {
        let [a, b, c] = operators.mesh().corners(t).map(|p| p.as_dvec3());
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

/// Names the joints that end up without flesh.
fn report_bare(skeleton: &Skeleton, limbs: &Limbs, labels: &[u32], report: &mut Report) {
    let mut bare = vec![true; limbs.len()];
    labels.iter().for_each(|&limb| bare[limb as usize] = false);
    let name = |limb: usize| skeleton.joints()[limbs.joint(limb)].name.clone();
    let joints: Vec<String> = (0..limbs.len()).filter(|&limb| bare[limb]).map(name).collect();
    if !joints.is_empty() {
        report.warn(Warning::IdleJoints { joints });
    }
}

/// Numbers the limbs that have flesh, piece by piece, and reads off the curves between them.
fn assemble(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    limbs: &Limbs,
    cuts: &Cuts,
    ranks: &[u32],
) -> Regions {
    let mut found: Vec<(u32, u32)> = cuts.labels.iter().copied().zip(ranks.iter().copied()).collect();
    let number = |of: (u32, u32), found: &[(u32, u32)]| found.binary_search(&of).ok().map(|i| i as u32);
    let pairs = found.clone();
    sort_by_keys(&mut found, |&(limb, rank)| key_of(limb, rank));
    found.dedup();
    let parent = |&(limb, rank): &(u32, u32)| {
        if rank > 0 {
            return number((limb, 0), &found);
        }
        let above = std::iter::successors(limbs.parent(limb as usize), |&above| limbs.parent(above));
        above.into_iter().find_map(|above| number((above as u32, 0), &found))
    };
    let region = |of: &(u32, u32)| Region { joint: limbs.joint(of.0 as usize), parent: parent(of) };
    let regions: Vec<Region> = found.iter().map(region).collect();
    let of_vertex: Vec<u32> = pairs.iter().filter_map(|&pair| number(pair, &found)).collect();
    let loop_lengths: Vec<f64> = found.iter().map(|&(limb, _)| cuts.loop_lengths[limb as usize]).collect();
    let partition =
        curves::Partition { regions: &regions, loop_lengths: &loop_lengths, of_vertex: &of_vertex };
    let boundaries = curves::boundaries(operators, skeleton, &partition, &cuts.crossings);
    Regions { regions, of_vertex, boundaries }
}
