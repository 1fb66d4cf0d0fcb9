//! Flexible skinning on an atlas (Hétroy et al. 2009): what the paper shows, measured.

use pliant::distance::{Metric, boundary_distances};
use pliant::model::{Regions, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::segment::segment;
use pliant::weights::{Atlas, AtlasWeights, Distances, atlas};

/// The regions of a mesh.
pub fn regions_of(operators: &MeshGeometry, skeleton: &Skeleton, report: &mut Report) -> Regions {
    segment(operators, skeleton, report, &mut Progress::silent()).unwrap()
}

/// Grown regions of a mesh already cut up.
pub fn cover(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    regions: &Regions,
    options: &Atlas,
) -> AtlasWeights {
    let measure = |metric: Metric| {
        boundary_distances(operators, regions, metric, options.reach(), &mut Progress::silent()).unwrap()
    };
    let (overlap, weight) = (measure(options.overlap_metric()), measure(options.distance));
    let distances = Distances { overlap: &overlap, weight: &weight };
    atlas(operators, skeleton, regions, distances, options)
}

/// All stages in one.
pub fn by_atlas(
    operators: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Atlas,
    report: &mut Report,
) -> AtlasWeights {
    let regions = regions_of(operators, skeleton, report);
    cover(operators, skeleton, &regions, options)
}

mod artists;
mod figures;
mod oddities;
mod oracle;
