//! Tells the page how far a run is.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::js::{now_ms, to_js};
use super::progress::{Steps, label, overall};
use crate::model::Weights;
use crate::pipeline::{Method, Observer, Stage};
use crate::weights::Energy;

/// ExampleFit is interrupted after so many milliseconds, so that the page can see how far it is, and stop it. Larger: it stops late.
/// Smaller: sending weights takes longer than finding them.
const LOOK_MS: f64 = 500.0;

/// Tells the page how far a run is.
pub(super) struct Watch {
    progress: Function,
    steps: Steps,
    started: f64,
    /// Hears of iterations; without it, nothing is interrupted.
    learned: Option<Function>,
    /// How weights are found.
    pub(super) method: Method,
    /// How many handles are weighed, if one after another.
    handles: usize,
    is_interrupted: bool,
}

impl Watch {
    /// `progress` hears the share done and what is being done.
    pub(super) fn new(progress: Function) -> Self {
        Self {
            progress,
            steps: Steps::default(),
            started: now_ms(),
            learned: None,
            method: Method::Atlas,
            handles: 0,
            is_interrupted: false,
        }
    }

    /// ExampleFit is interrupted now and then; `learned` hears of its iterations.
    pub(super) fn learning(progress: Function, learned: Function) -> Self {
        Self { learned: Some(learned), ..Self::new(progress) }
    }
}

impl Observer for Watch {
    fn progress(&mut self, stage: Stage, share: f64) -> bool {
        let overall = overall(self.method, stage, share);
        // What follows an interruption is not the end.
        if !self.is_interrupted && self.steps.is_news(overall) {
            let name = label(self.method, stage, share, self.handles);
            // A listener that throws is the page's affair; the run goes on.
            let _ = self.progress.call2(&JsValue::NULL, &overall.into(), &name.into());
        }
        true
    }

    fn seconds(&self) -> f64 {
        now_ms() / 1000.0
    }

    fn solving_handles(&mut self, handles: usize) {
        self.handles = handles;
    }

    fn fit_iteration(&mut self, energy: &Energy, _: &dyn Fn() -> Weights) -> bool {
        let Some(listener) = &self.learned else { return true };
        if let Ok(energy) = to_js(energy) {
            let _ = listener.call1(&JsValue::NULL, &energy);
        }
        self.is_interrupted = now_ms() - self.started >= LOOK_MS;
        !self.is_interrupted
    }
}
