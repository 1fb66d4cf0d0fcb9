//! Bone heat (Baran and Popović 2007, section 4; docs/theory/bone-heat.md), which Blender calls
//! automatic weights.
//!
//! In: [`MeshGeometry`] of the solve mesh and bones. Out: one column per bone. Each vertex is
//! attached to the nearest bone, if it is visible, with the conductance `H = c / d²`; equally near
//! bones share it, and their conductances add up. The attachment then diffuses over the surface
//! ([`diffuse`]). Cost: vertices × bones for distances, one or two BVH traversals per vertex, and
//! the cost of [`diffuse`].
//!
//! - Visibility is the strict test (docs/theory.md#visibility): the segment from the vertex to the
//!   bone enters no component, not even an overlapping one. A vertex whose nearest bone is hidden
//!   has `H = 0` and takes what its neighbours have, as in the paper. Tried: searching for the next
//!   visible bone; stored weights of seven characters were matched within 0.003 either way, for
//!   more rays.
//! - A connected piece of the surface where no vertex sees any bone (an island outside, or one
//!   hidden in a cavity) would make the system singular. Its vertices are attached to their nearest
//!   bones, visible or not: `c / d²` is small if those are far, so the piece moves nearly rigidly.
//!   A warning names it.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::diffuse::{Sources, diffuse, pieces};
use super::input_checks;
use super::nearest::{BoneSegments, NearestBones};
use crate::model::{Skeleton, Weights};
use crate::operators::bvh::Bvh4;
use crate::operators::{MeshGeometry, morton_order};
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, UnreachedPart, Warning};
use crate::segment::{BoneVisibility, RecentOccluders};

/// Options of [`bone_heat`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Heat {
    /// `c`: strength of the attachment to bones relative to diffusion. Clamped to
    /// [`Heat::CONDUCTANCES`].
    pub conductance: f64,
    /// Which bone is the nearest.
    pub nearness: Nearness,
}

/// Which bone counts as the nearest to a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Nearness {
    /// Bones that the surface faces away from are nearer than those beside it, as in Blender.
    #[default]
    Facing,
    /// By distance alone, as in the paper. Arms then take much of the sides of the chest.
    Plain,
}

impl Heat {
    /// Allowed conductances. Larger: each vertex follows its nearest bone only. Smaller: weights
    /// are constant over the whole surface.
    pub const CONDUCTANCES: std::ops::RangeInclusive<f64> = 0.01..=100.0;

    /// The conductance clamped to the allowed range.
    pub(super) fn clamped(conductance: f64) -> f64 {
        let (least, most) = Self::CONDUCTANCES.into_inner();
        if conductance.is_nan() { Self::default().conductance } else { conductance.clamp(least, most) }
    }
}

impl Default for Heat {
    /// Corresponds to Blender's automatic weights. Their c is 1, but their discrete Laplacian is a
    /// quarter of ours (half of the cotangents, over twice the area), so it is 4 here. On two
    /// characters weighted by Blender, 1.4 and 2.5 % of the weight then lies on other joints than
    /// in the file, against 7.6 and 14.2 % with 1.
    fn default() -> Self {
        Self { conductance: 4.0, nearness: Nearness::default() }
    }
}

/// Fraction of the work that is done when the sources are known.
pub(super) const SOURCES_PROGRESS: f64 = 0.6;

/// Number of vertices between two progress reports.
const PROGRESS_STEP: usize = 512;

/// Computes bone heat weights per bone.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn bone_heat(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Heat,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Weights, Cancelled> {
    progress.span(0.0, SOURCES_PROGRESS);
    let sources = heat_sources(geometry, skeleton, options, report, progress)?;
    progress.span(SOURCES_PROGRESS, 1.0);
    Ok(diffuse(geometry, &sources, skeleton.bones().len(), progress)?.weights())
}

/// Computes `H` and `p`, the right-hand side of the equation, and records warnings.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn heat_sources(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Heat,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Sources, Cancelled> {
    let visibility = BoneVisibility::new(geometry, skeleton.bones());
    input_checks::warn_of_input(geometry, skeleton, &visibility, report);
    let boxes = Bvh4::of(geometry.bvh());
    let attached = attachments(skeleton, &visibility, &boxes, options.nearness, report, progress)?;
    let mut sources = Sources::default();
    for nearest in &attached {
        let share = 1.0 / nearest.bones.len() as f64;
        let shares: Vec<(u32, f64)> = nearest.bones.iter().map(|&bone| (bone, share)).collect();
        sources.push(conductance_of(nearest, options.conductance), &shares);
    }
    input_checks::warn_of_idle_joints(skeleton, &sources, report);
    Ok(sources)
}

/// `H = k c / d²` for k equally near bones.
pub(super) fn conductance_of(nearest: &NearestBones, conductance: f64) -> f64 {
    let squared = (nearest.distance * nearest.distance).max(f64::MIN_POSITIVE);
    nearest.bones.len() as f64 * Heat::clamped(conductance) / squared
}

/// The nearest visible bones of each vertex, or none, but at least one vertex of every piece has
/// one. `boxes` is the BVH of the mesh. Neighbours follow each other, and what hides a bone from
/// one is tested first for the next.
pub(super) fn attachments(
    skeleton: &Skeleton,
    visibility: &BoneVisibility<'_>,
    boxes: &Bvh4<'_>,
    nearness: Nearness,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<Vec<NearestBones>, Cancelled> {
    let geometry = visibility.geometry();
    let positions = geometry.mesh().positions();
    assert!(!skeleton.bones().is_empty() || positions.is_empty(), "weights need at least one bone");
    let mut segments = BoneSegments::new(skeleton.bones());
    let mut occluders = vec![RecentOccluders::default(); skeleton.bones().len()];
    let mut attached = vec![NearestBones::default(); positions.len()];
    for (done, vertex) in morton_order(positions).into_iter().enumerate() {
        if done % PROGRESS_STEP == 0 {
            progress.step(done, positions.len())?;
        }
        let vertex = vertex as usize;
        let normal = match nearness {
            Nearness::Facing => visibility.outward_normal(vertex),
            Nearness::Plain => DVec3::ZERO,
        };
        let sees =
            |bone: usize, share| visibility.is_clear_cached(&mut occluders[bone], boxes, vertex, bone, share);
        attached[vertex] = segments.nearest_visible(positions[vertex].as_dvec3(), normal, sees);
    }
    attach_unreached_pieces(geometry, skeleton, &mut segments, &mut attached, report);
    progress.step(positions.len(), positions.len())?;
    Ok(attached)
}

/// Attaches pieces that see no bone to their nearest bones.
fn attach_unreached_pieces(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    segments: &mut BoneSegments,
    attached: &mut [NearestBones],
    report: &mut Report,
) {
    let piece_of_vertex = pieces(geometry);
    let count = piece_of_vertex.iter().max().map_or(0, |&last| last as usize + 1);
    let mut is_attached = vec![false; count];
    for (nearest, &piece) in attached.iter().zip(&piece_of_vertex) {
        is_attached[piece as usize] |= !nearest.bones.is_empty();
    }
    let mut unreached: Vec<Option<UnreachedPart>> = vec![None; count];
    for (vertex, &piece) in piece_of_vertex.iter().enumerate().filter(|(_, p)| !is_attached[**p as usize]) {
        let position = geometry.mesh().positions()[vertex];
        attached[vertex] = segments.nearest_visible(position.as_dvec3(), DVec3::ZERO, |_, _| true);
        let joint = attached[vertex].bones.first().map(|&bone| skeleton.bones()[bone as usize].joint);
        let part = unreached[piece as usize].get_or_insert_with(|| UnreachedPart {
            vertices: 0,
            at: position.to_array(),
            joint: joint.map(|joint| skeleton.joints()[joint].name.clone()).unwrap_or_default(),
        });
        part.vertices += 1;
    }
    let parts: Vec<UnreachedPart> = unreached.into_iter().flatten().collect();
    if !parts.is_empty() {
        report.warn(Warning::UnreachedParts { parts });
    }
}
