//! Segmentation of the mesh into one region per joint (Hétroy et al. 2009, section 3.1;
//! docs/theory/atlas.md#segmentation).
//!
//! In: [`MeshGeometry`] and a [`Skeleton`]. Out: [`Regions`], one per joint that drives bones, or
//! several where the vertices of a joint are not connected on the surface. Every vertex is in
//! exactly one region. Boundary curves are polylines through faces.
//!
//! Joints are processed from the root outwards. Each cuts its region out of its parent's region
//! along the shortest loop around it (`plane`). The loop must separate the vertices that are nearer
//! to the joint's own bones from the others (`split`). Where no loop does (knuckles inside a palm,
//! ears, clavicles), the border of the nearest bone (`nearest`) is the cut. Vertices that a loop
//! put into the region of a far bone return. Stray components of a region join their neighbours
//! (`relabel_components`), loose parts that do not bend belong to one joint (`loose_parts`), and
//! the boundary curves follow from the labels (`curves`). Cost: one ray per vertex, and a few flood
//! fills of the parent's region per joint.

mod constants;
mod curves;
mod flood;
mod labelled;
mod limbs;
mod loose_parts;
mod nearest;
mod plane;
mod planes;
mod relabel_components;
mod split;
mod visibility;

pub use constants::Constants;
pub use labelled::labelled_regions;
pub use nearest::nearest_visible_bones;
pub(crate) use visibility::{BoneVisibility, RecentOccluders};

use glam::Vec3;

use crate::math::{key_of, sort_by_keys};
use crate::model::{Bone, Region, Regions, Skeleton};
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, Warning};
use limbs::Limbs;
use nearest::Nearest;
use split::{Cuts, Splitter};

/// Segments the mesh into one region per joint.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn segment(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Regions, Cancelled> {
    segment_with(&Constants::CHOSEN, geometry, skeleton, report, progress)
}

/// Same as [`segment`], with other constants.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn segment_with(
    constants: &Constants,
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Regions, Cancelled> {
    let limbs = Limbs::of(skeleton);
    let bones = limbs::without_twisted_ends(skeleton, &limbs, constants);
    let mut visibility = BoneVisibility::new(geometry, &bones);
    let nearest = nearest::nearest(geometry, &mut visibility, constants, progress)?;
    let areas = vertex_areas(geometry);
    let mut splitter = Splitter::new(geometry, skeleton, constants, &limbs, &nearest, &areas);
    for (parent, children) in limbs.families() {
        splitter.split(parent, children);
    }
    let mut cuts = splitter.into_cuts();
    return_far_vertices(geometry, constants, &limbs, &bones, &nearest, &mut cuts.labels);
    let is_beside = |vertex: u32, limb: u32| {
        let position = geometry.mesh().positions()[vertex as usize];
        let parameters =
            skeleton.bones()[limbs.bones(limb as usize)].iter().map(|bone| parameter_along(bone, position));
        parameters.into_iter().any(|parameter| parameter > 0.0 && parameter < 1.0)
    };
    relabel_components::relabel_strays(geometry, &areas, &mut cuts.labels, constants, is_beside);
    loose_parts::unify(geometry, &limbs, &mut visibility, constants, &areas, &mut cuts.labels);
    warn_of_empty_regions(skeleton, &limbs, &cuts.labels, report);
    let ranks = relabel_components::ranks(geometry, &areas, &cuts.labels);
    Ok(assemble(geometry, skeleton, &limbs, &cuts, &ranks))
}

/// Returns vertices that a loop put into the region of a far bone to that of their nearest bone.
fn return_far_vertices(
    geometry: &MeshGeometry,
    constants: &Constants,
    limbs: &Limbs,
    bones: &[Bone],
    nearest: &[Nearest],
    labels: &mut [u32],
) {
    for (vertex, &position) in geometry.mesh().positions().iter().enumerate() {
        let own = limbs.of_bone(nearest[vertex].bone as usize);
        let label = labels[vertex] as usize;
        let distance = |limb: usize| {
            let distances =
                bones[limbs.bones(limb)].iter().map(|bone| bone.nearest(position).distance(position));
            distances.fold(f32::INFINITY, f32::min)
        };
        let may_return = label != own && !limbs.is_side_leaf(own);
        if may_return && distance(label) > constants.max_loop_ratio as f32 * distance(own) {
            labels[vertex] = own as u32;
        }
    }
}

/// The parameter of the point of a bone nearest to `position`, from 0 at the head to 1 at the tail.
#[inline]
fn parameter_along(bone: &Bone, position: Vec3) -> f32 {
    let along = bone.tail - bone.head;
    ((position - bone.head).dot(along) / along.length_squared()).clamp(0.0, 1.0)
}

/// A third of the area of the triangles around each vertex.
fn vertex_areas(geometry: &MeshGeometry) -> Vec<f64> {
    let mut areas = vec![0.0; geometry.mesh().positions().len()];
    for (t, triangle) in geometry.mesh().triangles().iter().enumerate() {
        let [a, b, c] = geometry.mesh().corners(t).map(|p| p.as_dvec3());
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

/// Warns of the joints that have no vertex in their region.
fn warn_of_empty_regions(skeleton: &Skeleton, limbs: &Limbs, labels: &[u32], report: &mut Report) {
    let mut is_empty = vec![true; limbs.len()];
    labels.iter().for_each(|&limb| is_empty[limb as usize] = false);
    let name = |limb: usize| skeleton.joints()[limbs.joint(limb)].name.clone();
    let joints: Vec<String> = (0..limbs.len()).filter(|&limb| is_empty[limb]).map(name).collect();
    if !joints.is_empty() {
        report.warn(Warning::IdleJoints { joints });
    }
}

/// Numbers the regions (a limb and the rank of a component of it) and extracts the curves between
/// them.
fn assemble(
    geometry: &MeshGeometry,
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
    let boundaries = curves::boundaries(geometry, skeleton, &partition, &cuts.crossings);
    Regions { regions, of_vertex, boundaries }
}
