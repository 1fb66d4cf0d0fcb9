//! Reports the progress of a run to the page, and interrupts example fitting.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::js::{now_ms, to_js};
use super::progress::{Steps, label, overall};
use crate::model::Weights;
use crate::pipeline::{Method, Observer, Stage};
use crate::weights::Energy;

/// Example fitting is interrupted after so many milliseconds, so that the page can show the current
/// weights, or stop. Larger: it stops late. Smaller: sending weights takes longer than computing
/// them.
const LOOK_MS: f64 = 500.0;

/// Reports the progress of a run to the page.
pub(super) struct Watch {
    progress: Function,
    steps: Steps,
    started: f64,
    /// Called after iterations of example fitting.
    fitted: Function,
    method: Method,
    /// The number of handles, if weights are computed one handle after another.
    handles: usize,
    is_interrupted: bool,
}

impl Watch {
    /// Calls `progress` with the part done and the stage, and `fitted` after iterations of example
    /// fitting, which is interrupted from time to time.
    pub(super) fn new(method: Method, progress: Function, fitted: Function) -> Self {
        Self {
            progress,
            steps: Steps::default(),
            started: now_ms(),
            fitted,
            method,
            handles: 0,
            is_interrupted: false,
        }
    }
}

impl Observer for Watch {
    fn progress(&mut self, stage: Stage, share: f64) -> bool {
        let overall = overall(self.method, stage, share);
        // Stages after an interruption would report the end.
        if !self.is_interrupted && self.steps.is_news(overall) {
            let name = label(self.method, stage, share, self.handles);
            // The run goes on if the listener throws.
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
        if let Ok(energy) = to_js(energy) {
            let _ = self.fitted.call1(&JsValue::NULL, &energy);
        }
        self.is_interrupted = now_ms() - self.started >= LOOK_MS;
        !self.is_interrupted
    }
}
