//! Distances of vertices from the boundary curves of regions (Hétroy et al. 2009, sections 3.2 and
//! 5.2; docs/theory/atlas.md#distances).
//!
//! In: [`MeshGeometry`], [`Regions`] and a [`Metric`]. Out: one [`DistanceField`] per boundary,
//! with the distances of all vertices of its two regions and of the vertices within reach.
//! Distances do not depend on overlap widths, so a slider for them needs no new distances. Cost: in
//! proportion to the vertices in the fields.

mod euclidean;
mod harmonic;
mod march;

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::model::{Boundary, DistanceField, Regions};
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};
use march::{Advance, March};

/// How distances are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Straight lines through space. Fast, but a neighbouring finger is near.
    Euclidean,
    /// Shortest paths along edges of the mesh: the paper's approximate geodesic.
    Dijkstra,
    /// Geodesic distances across triangles, independent of the direction of edges.
    #[default]
    Smooth,
    /// Harmonic: Laplace's equation between the curve and the points farthest from it.
    Harmonic,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 4] = [Self::Euclidean, Self::Dijkstra, Self::Smooth, Self::Harmonic];

    /// The name in recipes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Dijkstra => "dijkstra",
            Self::Smooth => "smooth",
            Self::Harmonic => "harmonic",
        }
    }

    /// Whether it follows the surface, so that vertices within a distance are connected.
    pub fn follows_surface(self) -> bool {
        self != Self::Euclidean
    }
}

/// Computes the distances from every boundary of `regions`, at least for both its regions and as
/// far as overlaps of size `k` can reach.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
pub fn boundary_distances(
    geometry: &MeshGeometry,
    regions: &Regions,
    metric: Metric,
    k: f64,
    progress: &mut Progress,
) -> Result<Vec<DistanceField>, Cancelled> {
    let loop_lengths = largest_loop_lengths(regions);
    let sizes = regions.sizes();
    let mut march = March::new(geometry);
    let mut fields = Vec::with_capacity(regions.boundaries.len());
    for (i, boundary) in regions.boundaries.iter().enumerate() {
        progress.step(i, regions.boundaries.len())?;
        let reach = (k * loop_lengths[i] / PI) as f32;
        let extent = Extent { regions, boundary, sizes: &sizes, reach };
        fields.push(match metric {
            Metric::Euclidean => euclidean::distances(geometry, &extent),
            Metric::Dijkstra => march.distances(&extent, Advance::Edges),
            Metric::Smooth => march.distances(&extent, Advance::Triangles),
            Metric::Harmonic => {
                let geodesic = march.distances(&extent, Advance::Edges);
                harmonic::distances(geometry, boundary, geodesic)
            }
        });
    }
    Ok(fields)
}

/// The vertices of a field: both regions of its boundary, and everything within reach.
struct Extent<'a> {
    regions: &'a Regions,
    boundary: &'a Boundary,
    /// Number of vertices of each region.
    sizes: &'a [usize],
    reach: f32,
}

impl Extent<'_> {
    #[inline]
    fn is_own(&self, vertex: usize) -> bool {
        self.boundary.regions.contains(&self.regions.of_vertex[vertex])
    }

    fn own_vertices(&self) -> usize {
        self.boundary.regions.iter().map(|&region| self.sizes[region as usize]).sum()
    }
}

/// For each boundary, the largest loop length among all boundaries of its two regions: the border
/// of a grown region can be that much farther away than the boundary's own overlap.
fn largest_loop_lengths(regions: &Regions) -> Vec<f64> {
    let mut loop_lengths = vec![0.0f64; regions.regions.len()];
    for boundary in &regions.boundaries {
        for region in boundary.regions {
            loop_lengths[region as usize] = loop_lengths[region as usize].max(boundary.loop_length);
        }
    }
    let of = |boundary: &Boundary| boundary.regions.map(|region| loop_lengths[region as usize]);
    regions.boundaries.iter().map(|boundary| of(boundary)[0].max(of(boundary)[1])).collect()
}
