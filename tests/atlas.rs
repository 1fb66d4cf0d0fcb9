//! Flexible skinning atlas (Hétroy et al. 2009; docs/theory/atlas.md): the results of the paper as
//! numbers.

use pliant::distance::{Metric, boundary_distances};
use pliant::model::{Regions, Skeleton};
use pliant::operators::MeshGeometry;
use pliant::progress::Progress;
use pliant::report::Report;
use pliant::segment::segment;
use pliant::weights::{Atlas, AtlasWeights, Distances, atlas};

/// The regions of a mesh.
pub fn regions_of(geometry: &MeshGeometry, skeleton: &Skeleton, report: &mut Report) -> Regions {
    segment(geometry, skeleton, report, &mut Progress::silent()).unwrap()
}

/// The grown regions of a segmented mesh.
pub fn cover(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    regions: &Regions,
    options: &Atlas,
) -> AtlasWeights {
    let measure = |metric: Metric| {
        boundary_distances(geometry, regions, metric, options.reach(), &mut Progress::silent()).unwrap()
    };
    let (overlap, weight) = (measure(options.overlap_metric()), measure(options.distance));
    let distances = Distances { overlap: &overlap, weight: &weight };
    atlas(geometry, skeleton, regions, distances, options)
}

/// All stages in one call.
pub fn by_atlas(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    options: &Atlas,
    report: &mut Report,
) -> AtlasWeights {
    let regions = regions_of(geometry, skeleton, report);
    cover(geometry, skeleton, &regions, options)
}

mod artists;
mod figures;
mod labels;
mod loose_parts;
mod oracle;
mod unusual_joints;
