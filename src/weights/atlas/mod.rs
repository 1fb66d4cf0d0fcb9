//! Flexible skinning on an atlas (Hétroy, Gérot, Lu, Thibert 2009): regions grown over their borders, blended.
//!
//! In: [`Regions`] and the distances from their boundaries. Out: [`AtlasWeights`]: one column per bone, and which vertices lie
//! in overlaps. A vertex nearer to a boundary than `K · L / π` (L the length of the loop around its joint) belongs to
//! both regions that meet there; in each region it belongs to, it counts the more the farther it is
//! from that region's grown border: `σ_j = s(d_j / δ_j)`, `ω_j = σ_j / Σ σ_i`. Cost: one pass over the distances, so a slider can change
//! K while it is dragged.
//!
//! - A joint's bones move as one, so they share a region, and its weight is written to the first of them.
//! - `d_j` is read off the distances from the boundary itself (`cover`): the border of a region grown by `w` over a
//!   boundary is where that distance is `w`, so it lies `w ± distance` away. The paper measures again from the grown
//!   border; on a limb both are the same, and this one neither costs a search per change of K nor steps with the mesh.
//! - Each of these is counted in widths `w` of its overlap, and `δ` is the largest of all regions ([`Depth::Widths`]), so that weights
//!   are even on every boundary and a vertex follows its own region most. Where widths and regions are alike,
//!   that is the paper's formula. Where not, the formula to the letter ([`Depth::Lengths`]) lets the torso, whose loop is long,
//!   seize the whole neck: the heaviest joint is the artist's for 90 % instead of 94 % of CesiumMan, 80 % instead of 83 % of Fox.

mod cover;
mod transition;

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub use transition::{Heights, Transition, TransitionError};

use super::rows::Rows;
use crate::distance::Metric;
use crate::model::{Boundary, DistanceField, Regions, Skeleton, Weights};
use crate::operators::MeshGeometry;
use cover::{Grower, Membership};

/// Options of [`atlas`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Atlas {
    /// How wide overlaps are: 0 is rigid, 0.5 the classic width, 2 very soft.
    pub k: f64,
    /// Other widths at the joints named.
    pub k_joints: BTreeMap<String, f64>,
    /// How distances are measured for the weights, and for the overlaps too unless they have their own.
    pub distance: Metric,
    /// How distances are measured for the overlaps.
    pub overlap_distance: Option<Metric>,
    /// How weights fade across an overlap.
    pub transition: Transition,
    /// How many bones away, at most, a vertex's own bone may be from a joint whose overlap it joins when distances
    /// run straight through space. Without it overlaps are as the paper's Fig. 5 shows them, islands and all.
    pub guard: Option<u32>,
    /// How the depth of a vertex in a region is counted.
    pub depth: Depth,
}

/// How the depth of a vertex in a region is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// In widths of the overlaps, against the deepest vertex of all: even on every boundary.
    #[default]
    Widths,
    /// In lengths, against the deepest vertex of the region: the paper's formula to the letter.
    Lengths,
}

impl Atlas {
    /// Widths that make sense. At the upper end every overlap covers any character.
    pub const KS: RangeInclusive<f64> = 0.0..=100.0;

    /// Distances are always known this far, so that the slider never waits for new ones.
    pub const SLIDER_K: f64 = 2.0;

    /// How distances are measured for the overlaps.
    pub fn overlap_metric(&self) -> Metric {
        self.overlap_distance.unwrap_or(self.distance)
    }

    /// The width at a joint.
    pub fn k_at(&self, skeleton: &Skeleton, joint: usize) -> f64 {
        self.k_joints.get(&skeleton.joints()[joint].name).copied().unwrap_or(self.k)
    }

    /// How far distances must be known, in K: powers of two, so that they are rarely measured again.
    pub fn reach(&self) -> f64 {
        let widest = self.k_joints.values().copied().fold(self.k, f64::max);
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
        }
    }
}

/// The weights of an atlas, and where its grown regions overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct AtlasWeights {
    /// One column per bone.
    pub weights: Weights,
    /// Whether each vertex lies in more than one grown region.
    pub overlapped: Vec<bool>,
}

/// The distances from every boundary of `regions`: for the overlaps, and for the weights where those differ.
#[derive(Clone, Copy)]
pub struct Distances<'a> {
    /// Decides who belongs to which overlap.
    pub overlap: &'a [DistanceField],
    /// Decides how weights fade.
    pub weight: &'a [DistanceField],
}

/// Weights per bone from regions grown over their borders.
///
/// # Panics
/// When `distances` are not those of `regions`.
pub fn atlas(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    regions: &Regions,
    distances: Distances<'_>,
    options: &Atlas,
) -> AtlasWeights {
    assert_eq!(distances.overlap.len(), regions.boundaries.len(), "one field per boundary");
    assert_eq!(distances.weight.len(), regions.boundaries.len(), "one field per boundary");
    let width = |boundary: &Boundary| options.k_at(skeleton, boundary.joint) * boundary.loop_length / PI;
    let widths: Vec<f64> = regions.boundaries.iter().map(width).collect();
    let mut grower = Grower::new(operators, regions, distances, &widths, options);
    let mut grown: Vec<Vec<Membership>> =
        (0..regions.regions.len()).map(|region| grower.grow(region as u32)).collect();
    scale(&mut grown, options.depth);
    blend(skeleton, regions, &grown, &options.transition.heights())
}

/// Divides depths by the largest.
fn scale(grown: &mut [Vec<Membership>], depth: Depth) {
    let largest = |members: &[Membership]| members.iter().map(|member| member.depth).fold(0.0, f32::max);
    let shared = grown.iter().map(|members| largest(members)).fold(0.0, f32::max);
    for members in grown {
        let whole = match depth {
            Depth::Widths => shared,
            Depth::Lengths => largest(members),
        };
        if whole > 0.0 {
            members.iter_mut().for_each(|member| member.depth /= whole);
        }
    }
}

/// Makes rows of the depths at which vertices lie in regions.
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
    let mut shares = vec![(0u32, 0.0f64); counts[vertices] as usize];
    for (region, members) in grown.iter().enumerate() {
        let column = column(region);
        for member in members {
            let slot = &mut next[member.vertex as usize];
            shares[*slot as usize] = (column, heights.at(f64::from(member.depth)));
            *slot += 1;
        }
    }
    let mut rows = Rows::default();
    let mut overlapped = Vec::with_capacity(vertices);
    let mut row: Vec<(u32, f64)> = Vec::new();
    for vertex in 0..vertices {
        row.clear();
        for &(column, share) in &shares[counts[vertex] as usize..counts[vertex + 1] as usize] {
            // Several regions of one joint count once, as deep as the vertex is in any of them.
            match row.last_mut().filter(|last| last.0 == column) {
                Some(last) => last.1 = last.1.max(share),
                None => row.push((column, share)),
            }
        }
        overlapped.push(row.len() > 1);
        if row.iter().any(|&(_, share)| share > 0.0) {
            rows.push(&row);
        } else {
            // On the border of every region it is in, or in one without a border: its own region's.
            rows.push(&[(column(regions.of_vertex[vertex] as usize), 1.0)]);
        }
    }
    AtlasWeights { weights: rows.into_weights(skeleton.bones().len()), overlapped }
}
