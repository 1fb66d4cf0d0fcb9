//! How far vertices are from the curves between regions (Hétroy et al. 2009, §3.2 and §5.2).
//!
//! In: [`MeshGeometry`], [`Regions`] and a [`Metric`]. Out: one [`DistanceField`] per boundary, which knows every vertex of the two
//! regions that meet there and of what lies within reach around; none depends on how wide overlaps are, so a
//! slider that changes them needs no new distances. Cost: each boundary only walks what it knows.

mod euclidean;
mod harmonic;
mod march;

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::model::{Boundary, DistanceField, Regions};
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};
use march::{March, Steps};

/// What "far" means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Straight through space. Fast, but a neighbouring finger is near.
    Euclidean,
    /// Along the edges of the mesh: the paper's approximate geodesic.
    Dijkstra,
    /// Along the surface, across its triangles, whichever way their edges run.
    #[default]
    Smooth,
    /// Laplace's equation between the curve and the points farthest from it.
    Harmonic,
}

impl Metric {
    /// Every metric there is.
    pub const ALL: [Self; 4] = [Self::Euclidean, Self::Dijkstra, Self::Smooth, Self::Harmonic];

    /// As in recipes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Dijkstra => "dijkstra",
            Self::Smooth => "smooth",
            Self::Harmonic => "harmonic",
        }
    }

    /// Whether it follows the surface, so that what is near hangs together.
    pub fn follows_surface(self) -> bool {
        self != Self::Euclidean
    }
}

/// The distances from every boundary of `regions`, known at least for both its regions and as far as overlaps of
/// size `k` can reach.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
pub fn boundary_distances(
    operators: &MeshGeometry,
    regions: &Regions,
    metric: Metric,
    k: f64,
    progress: &mut Progress,
) -> Result<Vec<DistanceField>, Cancelled> {
    let widest = widest_neighbours(regions);
    let sizes = regions.sizes();
    let mut march = March::new(operators);
    let mut fields = Vec::with_capacity(regions.boundaries.len());
    for (i, boundary) in regions.boundaries.iter().enumerate() {
        progress.step(i, regions.boundaries.len())?;
        let reach = (k * widest[i] / PI) as f32;
        let goal = Goal { regions, boundary, sizes: &sizes, reach };
        fields.push(match metric {
            Metric::Euclidean => euclidean::distances(operators, &goal),
            Metric::Dijkstra => march.distances(&goal, Steps::Edges),
            Metric::Smooth => march.distances(&goal, Steps::Triangles),
            Metric::Harmonic => {
                let geodesic = march.distances(&goal, Steps::Edges);
                harmonic::distances(operators, boundary, geodesic)
            }
        });
    }
    Ok(fields)
}

/// What a field has to know: both regions of its boundary, and everything within reach.
struct Goal<'a> {
    regions: &'a Regions,
    boundary: &'a Boundary,
    /// How many vertices each region has.
    sizes: &'a [usize],
    reach: f32,
}

impl Goal<'_> {
    fn is_own(&self, vertex: usize) -> bool {
        self.boundary.regions.contains(&self.regions.of_vertex[vertex])
    }

    fn own_vertices(&self) -> usize {
        self.boundary.regions.iter().map(|&region| self.sizes[region as usize]).sum()
    }
}

/// For each boundary, the largest loop_length among all boundaries of its two regions: the border of a grown region can be
/// that much farther away than the boundary's own overlap.
fn widest_neighbours(regions: &Regions) -> Vec<f64> {
    let mut widest = vec![0.0f64; regions.regions.len()];
    for boundary in &regions.boundaries {
        for region in boundary.regions {
            widest[region as usize] = widest[region as usize].max(boundary.loop_length);
        }
    }
    let of = |boundary: &Boundary| boundary.regions.map(|region| widest[region as usize]);
    regions.boundaries.iter().map(|boundary| of(boundary)[0].max(of(boundary)[1])).collect()
}
