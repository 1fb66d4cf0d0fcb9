//! The stages of a run, their observer, and their times.

use crate::model::Weights;
use crate::progress::{Cancelled, Progress};
use crate::weights::Energy;

/// The stages from an imported character to a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Topology, normals and BVH of the mesh.
    Measure,
    /// Which joints deform, and their bones.
    Skeleton,
    /// Regions cut at the joints.
    Segment,
    /// Distances of vertices from the boundary curves.
    Distance,
    /// Weights per bone.
    Weights,
    /// Weights per joint, with a limited number of influences.
    Finish,
}

impl Stage {
    /// All stages, in the order they run.
    pub const ALL: [Self; 6] =
        [Self::Measure, Self::Skeleton, Self::Segment, Self::Distance, Self::Weights, Self::Finish];

    /// A stable name, used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::Skeleton => "skeleton",
            Self::Segment => "segment",
            Self::Distance => "distance",
            Self::Weights => "weights",
            Self::Finish => "finish",
        }
    }
}

/// Observes a run: receives progress, may cancel, and provides the clock (which differs in the
/// browser).
pub trait Observer {
    /// Receives the progress of a stage (0 to 1). Returning false cancels the run.
    fn progress(&mut self, stage: Stage, fraction: f64) -> bool;

    /// Seconds since an arbitrary fixed time.
    fn seconds(&self) -> f64;

    /// Receives the number of handles that are solved for next, one after the other. Progress then
    /// counts them.
    fn solving_handles(&mut self, handles: usize) {
        let _ = handles;
    }

    /// Called after every iteration of example fitting; `so_far` returns the current weights per
    /// bone. Returning false stops the fit there: its result is used, and nothing is cancelled.
    fn fit_iteration(&mut self, energy: &Energy, so_far: &dyn Fn() -> Weights) -> bool {
        let _ = (energy, so_far);
        true
    }
}

/// An observer that ignores everything.
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: Stage, _: f64) -> bool {
        true
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// The time of a stage. Stages with a cached result are not listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Its time in seconds.
    pub seconds: f64,
}

/// A run in progress.
pub(super) struct Run<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) times: Vec<StageTime>,
}

impl Run<'_> {
    /// Runs a stage, reports its progress and records its time.
    pub(super) fn stage<T>(
        &mut self,
        stage: Stage,
        work: impl FnOnce(&mut Progress<'_>) -> Result<T, Cancelled>,
    ) -> Result<T, Cancelled> {
        let observer = &mut *self.observer;
        let start = observer.seconds();
        if !observer.progress(stage, 0.0) {
            return Err(Cancelled);
        }
        let mut listener = |fraction| observer.progress(stage, fraction);
        let result = work(&mut Progress::new(&mut listener))?;
        if !observer.progress(stage, 1.0) {
            return Err(Cancelled);
        }
        self.times.push(StageTime { stage, seconds: observer.seconds() - start });
        Ok(result)
    }
}
