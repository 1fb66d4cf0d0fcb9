//! The cached stages of the atlas: a change of K runs only the last one.

use std::sync::Arc;

use super::cache::{Cached, SkeletonKey};
use super::stage::{Run, Stage};
use crate::distance::{self, Metric};
use crate::model::{DistanceField, RegionOverlay, Regions, Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::progress::Cancelled;
use crate::report::Report;
use crate::segment;
use crate::weights::{self, Atlas, Distances};

/// The inputs of the stages.
pub(super) struct Inputs<'a> {
    pub(super) geometry: &'a MeshGeometry,
    pub(super) skeleton: &'a Skeleton,
    pub(super) deforms: &'a SkeletonKey,
    /// The joint of every vertex, in place of a segmentation.
    pub(super) labels: Option<&'a [u32]>,
}

/// What regions depend on: the skeleton and the labels.
type RegionsKey = (SkeletonKey, Option<Vec<u32>>);

/// What distances depend on.
#[derive(Clone, PartialEq)]
struct FieldKey {
    deforms: SkeletonKey,
    metric: Metric,
    reach: f64,
}

/// Number of cached metrics: one for the overlaps, one for the weights, and one to go back to.
const CACHED_METRICS: usize = 3;

/// The cached results of earlier runs.
#[derive(Clone, Default)]
pub(super) struct AtlasStages {
    regions: Option<Cached<RegionsKey, Regions>>,
    /// The last used one comes last.
    fields: Vec<Cached<FieldKey, Vec<DistanceField>>>,
}

impl AtlasStages {
    /// Computes weights per bone, and the regions they come from.
    pub(super) fn weights(
        &mut self,
        inputs: &Inputs<'_>,
        options: &Atlas,
        report: &mut Report,
        run: &mut Run<'_>,
    ) -> Result<(Weights, RegionOverlay), Cancelled> {
        let regions = self.segment(inputs, report, run)?;
        let overlap = self.fields(inputs, &regions, options.overlap_metric(), options.reach(), run)?;
        let weight = self.fields(inputs, &regions, options.distance, options.reach(), run)?;
        let found = run.stage(Stage::Weights, |_| {
            let distances = Distances { overlap: &overlap, weight: &weight };
            Ok(weights::atlas(inputs.geometry, inputs.skeleton, &regions, distances, options))
        })?;
        Ok((found.weights, RegionOverlay { regions, overlapped: Arc::new(found.overlapped) }))
    }

    fn segment(
        &mut self,
        inputs: &Inputs<'_>,
        report: &mut Report,
        run: &mut Run<'_>,
    ) -> Result<Arc<Regions>, Cancelled> {
        let Inputs { geometry, skeleton, deforms, labels } = *inputs;
        let is_of_inputs = |key: &RegionsKey| key.0 == *deforms && key.1.as_deref() == labels;
        if self.regions.as_ref().is_none_or(|cached| !is_of_inputs(&cached.key)) {
            self.fields.clear();
            let mut found = Report::default();
            let regions = run.stage(Stage::Segment, |progress| match labels {
                Some(labels) => Ok(segment::labelled_regions(geometry, skeleton, labels, &mut found)),
                None => segment::segment(geometry, skeleton, &mut found, progress),
            })?;
            let key = (deforms.clone(), labels.map(<[u32]>::to_vec));
            self.regions = Some(Cached { key, value: Arc::new(regions), report: found });
        }
        let cached = self.regions.as_ref().ok_or(Cancelled)?;
        report.absorb(cached.report.clone());
        Ok(cached.value.clone())
    }

    fn fields(
        &mut self,
        inputs: &Inputs<'_>,
        regions: &Regions,
        metric: Metric,
        reach: f64,
        run: &mut Run<'_>,
    ) -> Result<Arc<Vec<DistanceField>>, Cancelled> {
        let key = FieldKey { deforms: inputs.deforms.clone(), metric, reach };
        if let Some(at) = self.fields.iter().position(|cached| cached.key == key) {
            let found = self.fields.remove(at);
            self.fields.push(found);
        } else {
            let fields = run.stage(Stage::Distance, |progress| {
                distance::boundary_distances(inputs.geometry, regions, metric, reach, progress)
            })?;
            self.fields.push(Cached { key, value: Arc::new(fields), report: Report::default() });
            if self.fields.len() > CACHED_METRICS {
                self.fields.remove(0);
            }
        }
        Ok(self.fields[self.fields.len() - 1].value.clone())
    }
}
