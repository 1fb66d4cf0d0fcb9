//! What a run consists of: its stages, who watches them, and how long each took.

use crate::model::Weights;
use crate::progress::{Cancelled, Progress};
use crate::weights::Energy;

/// The steps from a character as read to one that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Topology, normals and the search tree of the mesh.
    Measure,
    /// Which joints deform, and their bones.
    Skeleton,
    /// The mesh cut up at the joints.
    Segment,
    /// How far vertices are from the cuts.
    Distance,
    /// Weights per bone.
    Weigh,
    /// Weights per joint, pruned.
    Finish,
}

impl Stage {
    /// In the order they run.
    pub const ALL: [Self; 6] =
        [Self::Measure, Self::Skeleton, Self::Segment, Self::Distance, Self::Weigh, Self::Finish];

    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::Skeleton => "skeleton",
            Self::Segment => "segment",
            Self::Distance => "distance",
            Self::Weigh => "weigh",
            Self::Finish => "finish",
        }
    }
}

/// Watches a run: hears of progress, may end it, and owns the clock (the browser has another one).
pub trait Observer {
    /// A stage has come so far (0 to 1). False cancels the run.
    fn progress(&mut self, stage: Stage, share: f64) -> bool;

    /// Seconds since some fixed moment.
    fn seconds(&self) -> f64;

    /// The weights of so many handles are found next, one after another; while they are, progress counts them.
    fn weighs(&mut self, handles: usize) {
        let _ = handles;
    }

    /// ExampleFit has come so far; `so_far` gives the weights per bone as they are. False ends it there: what was learned
    /// is used, and nothing is cancelled.
    fn learned(&mut self, energy: &Energy, so_far: &dyn Fn() -> Weights) -> bool {
        let _ = (energy, so_far);
        true
    }
}

/// Watches nothing.
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: Stage, _: f64) -> bool {
        true
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// How long a stage took; stages answered from memory are not listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// Which.
    pub stage: Stage,
    /// How long.
    pub seconds: f64,
}

/// One run under way.
pub(super) struct Run<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) times: Vec<StageTime>,
}

impl Run<'_> {
    /// Does the work of a stage, tells of its progress and notes its time.
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
        let mut listener = |share| observer.progress(stage, share);
        let result = work(&mut Progress::new(&mut listener))?;
        if !observer.progress(stage, 1.0) {
            return Err(Cancelled);
        }
        self.times.push(StageTime { stage, seconds: observer.seconds() - start });
        Ok(result)
    }
}
