//! Flexible skinning atlas (Hétroy, Gérot, Lu, Thibert 2009; docs/theory/atlas.md): grown regions,
//! blended.
//!
//! In: [`Regions`] and the distances from their boundaries. Out: [`AtlasWeights`], with one column
//! per bone, and the vertices in overlaps. A vertex nearer to a boundary than `K · L / π` (L the
//! length of the loop around its joint) belongs to both regions that meet there. Its weight in each
//! region it belongs to grows with its distance from that region's grown border:
//! `σ_j = s(d_j / δ_j)`, `ω_j = σ_j / Σ σ_i`. Cost: one pass over the distances, so K can change
//! while a slider is dragged.
//!
//! - The bones of a joint move together, so they have one region. Its weight is written to the
//!   first of them.
//! - `d_j` follows from the distances from the original boundary (`overlap_growth`): the border of
//!   a region grown by `w` over a boundary is where that distance is `w`, so it is `w ± distance`
//!   away. The paper measures again from the grown border. On a limb both are the same, and this
//!   form needs no search when K changes and has no steps of the mesh resolution.
//! - Each depth is in units of the width `w` of its overlap, and `δ` is the largest of all regions
//!   ([`Depth::Widths`]). So the weights on every boundary are equal, and a vertex follows its own
//!   region most. Where all widths and regions are alike, this is the paper's formula. With the
//!   formula to the letter ([`Depth::Lengths`]) the torso, whose loop is long, takes the whole
//!   neck: the heaviest joint is the artist's for 90 % instead of 94 % of CesiumMan, 80 % instead
//!   of 83 % of Fox.

mod overlap_growth;
mod transition;

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub use transition::{Heights, Transition, TransitionError};

use super::rows::Rows;
use crate::distance::Metric;
use crate::model::{Boundary, DistanceField, Regions, Skeleton, Tail, Weights};
use crate::operators::MeshGeometry;
use overlap_growth::{Membership, RegionGrower};

/// Options of [`atlas`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Atlas {
    /// Overlap size K: 0 is rigid, 0.5 the paper's usual value, 2 very soft.
    pub k: f64,
    /// K of individual joints, by name.
    pub k_joints: BTreeMap<String, f64>,
    /// Metric of the weights, and of the overlaps unless they have their own.
    pub distance: Metric,
    /// Metric of the overlaps.
    pub overlap_distance: Option<Metric>,
    /// The transition function.
    pub transition: Transition,
    /// Hierarchy guard, for the Euclidean metric: the largest number of bones between a vertex's
    /// own region and the boundary whose overlap it joins. `None`: overlaps are those of the
    /// paper's figure 5, including islands.
    pub guard: Option<u32>,
    /// The unit of the depth of a vertex in a region.
    pub depth: Depth,
    /// What K multiplies.
    pub unit: OverlapUnit,
}

/// What K multiplies to give half of the width of an overlap. Joints with a K of their own have
/// [`OverlapUnit::Loop`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum OverlapUnit {
    /// Twice the radius of the loop around the joint, as in the paper.
    #[default]
    Loop,
    /// Twice the geometric mean of that radius and the shorter bone at the joint.
    Bone,
}

/// The unit of the depth of a vertex in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// In widths of the overlaps, divided by the largest depth of all regions: equal weights on
    /// every boundary.
    #[default]
    Widths,
    /// In lengths, divided by the largest depth of the region: the paper's formula to the letter.
    Lengths,
}

impl Atlas {
    /// Allowed values of K. At the upper end every overlap covers any character.
    pub const KS: RangeInclusive<f64> = 0.0..=100.0;

    /// Largest ratio of the units [`OverlapUnit::Bone`] and [`OverlapUnit::Loop`]. Larger:
    /// distances must be known farther from boundaries. Smaller: long thin limbs are stiffer.
    const MAX_UNIT_RATIO: f64 = 4.0;

    /// Distances are always computed up to this K, so that a slider never waits for new ones.
    pub const SLIDER_K: f64 = 2.0;

    /// The metric of the overlaps.
    pub fn overlap_metric(&self) -> Metric {
        self.overlap_distance.unwrap_or(self.distance)
    }

    /// K at a joint.
    pub fn k_at(&self, skeleton: &Skeleton, joint: usize) -> f64 {
        self.k_joints.get(&skeleton.joints()[joint].name).copied().unwrap_or(self.k)
    }

    /// Half of the width of the overlap at a boundary.
    fn width(&self, skeleton: &Skeleton, boundary: &Boundary) -> f64 {
        let own_k = self.k_joints.get(&skeleton.joints()[boundary.joint].name);
        let ratio = match self.unit {
            OverlapUnit::Bone if own_k.is_none() => {
                let radius = boundary.loop_length / TAU;
                let bone = shorter_bone(skeleton, boundary.joint).unwrap_or(radius);
                (bone / radius).sqrt().min(Self::MAX_UNIT_RATIO)
            }
            _ => 1.0,
        };
        ratio * self.k_at(skeleton, boundary.joint) * boundary.loop_length / PI
    }

    /// The K up to which distances must be computed: a power of two, so that they are rarely
    /// computed again.
    pub fn reach(&self) -> f64 {
        let ratio = if self.unit == OverlapUnit::Bone { Self::MAX_UNIT_RATIO } else { 1.0 };
        let widest = self.k_joints.values().copied().fold(ratio * self.k, f64::max);
        let mut reach = Self::SLIDER_K;
        while reach < widest {
            reach *= 2.0;
        }
        reach
    }
}

impl Default for Atlas {
    fn default() -> Self {
        Self {
            k: 0.5,
            k_joints: BTreeMap::new(),
            distance: Metric::default(),
            overlap_distance: None,
            transition: Transition::default(),
            guard: Some(1),
            depth: Depth::default(),
            unit: OverlapUnit::default(),
        }
    }
}

/// The length of the shorter bone at a joint: its own, if its end is known, or that from the joint
/// above it.
fn shorter_bone(skeleton: &Skeleton, joint: usize) -> Option<f64> {
    let mut lengths = [0.0f32; 2];
    for bone in skeleton.bones().iter().filter(|bone| bone.joint == joint) {
        let own = if bone.end == Tail::Virtual { 0.0 } else { bone.length() };
        let above = bone.parent.map_or(0.0, |parent| skeleton.bones()[parent].head.distance(bone.head));
        lengths = [lengths[0].max(own), lengths[1].max(above)];
    }
    lengths.into_iter().filter(|&length| length > 0.0).reduce(f32::min).map(f64::from)
}

/// The weights and the overlaps of grown regions.
#[derive(Clone, Debug, PartialEq)]
pub struct AtlasWeights {
    /// One column per bone.
    pub weights: Weights,
    /// Whether each vertex lies in more than one grown region.
    pub overlapped: Vec<bool>,
}

/// The distances from every boundary of `regions`: for the overlaps, and for the weights if those
/// differ.
#[derive(Clone, Copy)]
pub struct Distances<'a> {
    /// Decides which vertices belong to which overlap.
    pub overlap: &'a [DistanceField],
    /// Decides how weights vary across it.
    pub weight: &'a [DistanceField],
}

/// Computes weights per bone from grown regions.
///
/// # Panics
/// If `distances` are not those of `regions`.
pub fn atlas(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    regions: &Regions,
    distances: Distances<'_>,
    options: &Atlas,
) -> AtlasWeights {
    assert_eq!(distances.overlap.len(), regions.boundaries.len(), "one field per boundary");
    assert_eq!(distances.weight.len(), regions.boundaries.len(), "one field per boundary");
    let width = |boundary| options.width(skeleton, boundary);
    let widths: Vec<f64> = regions.boundaries.iter().map(width).collect();
    let mut grower = RegionGrower::new(geometry, regions, distances, &widths, options);
    let mut grown: Vec<Vec<Membership>> =
        (0..regions.regions.len()).map(|region| grower.grow(region as u32)).collect();
    scale(&mut grown, options);
    blend(skeleton, regions, &grown, &options.transition.heights())
}

/// Depth of the far border of an overlap, in widths.
const OVERLAP_DEPTH: f32 = 2.0;

/// Divides depths by that at which the transition function is 1.
fn scale(grown: &mut [Vec<Membership>], options: &Atlas) {
    let largest = |members: &[Membership]| members.iter().map(|member| member.depth).fold(0.0, f32::max);
    let shared = grown.iter().map(|members| largest(members)).fold(0.0, f32::max);
    for members in grown {
        let divisor = match (options.depth, &options.transition) {
            (Depth::Widths, Transition::Curve(_)) => OVERLAP_DEPTH,
            (Depth::Widths, _) => shared,
            (Depth::Lengths, _) => largest(members),
        };
        if divisor > 0.0 {
            members.iter_mut().for_each(|member| member.depth /= divisor);
        }
    }
}

/// Computes weight rows from the depths of vertices in regions.
fn blend(
    skeleton: &Skeleton,
    regions: &Regions,
    grown: &[Vec<Membership>],
    heights: &Heights,
) -> AtlasWeights {
    let vertices = regions.of_vertex.len();
    let column = |region: usize| {
        let joint = regions.regions[region].joint;
        skeleton.bones().partition_point(|bone| bone.joint < joint) as u32
    };
    let mut counts = vec![0u32; vertices + 1];
    grown.iter().flatten().for_each(|member| counts[member.vertex as usize + 1] += 1);
    for i in 0..vertices {
        counts[i + 1] += counts[i];
    }
    let mut next = counts.clone();
    let mut values = vec![(0u32, 0.0f64); counts[vertices] as usize];
    for (region, members) in grown.iter().enumerate() {
        let column = column(region);
        for member in members {
            let slot = &mut next[member.vertex as usize];
            values[*slot as usize] = (column, heights.at(f64::from(member.depth)));
            *slot += 1;
        }
    }
    let mut rows = Rows::default();
    let mut overlapped = Vec::with_capacity(vertices);
    let mut row: Vec<(u32, f64)> = Vec::new();
    for vertex in 0..vertices {
        row.clear();
        for &(column, value) in &values[counts[vertex] as usize..counts[vertex + 1] as usize] {
            // Several regions of one joint count once, with the largest depth.
            match row.last_mut().filter(|last| last.0 == column) {
                Some(last) => last.1 = last.1.max(value),
                None => row.push((column, value)),
            }
        }
        overlapped.push(row.len() > 1);
        if row.iter().any(|&(_, value)| value > 0.0) {
            rows.push(&row);
        } else {
            // On the border of every region that contains it, or in one without a border: its own
            // region.
            rows.push(&[(column(regions.of_vertex[vertex] as usize), 1.0)]);
        }
    }
    AtlasWeights { weights: rows.into_weights(skeleton.bones().len()), overlapped }
}
