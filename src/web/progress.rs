//! How far a run is as a whole, and what people call its stages.

use crate::pipeline::{Method, Stage};

/// The shares of the whole that stages take, roughly as they last on 20,000 vertices.
fn share_of(stage: Stage) -> f64 {
    match stage {
        Stage::Measure => 0.15,
        Stage::Skeleton => 0.1,
        Stage::Segment => 0.25,
        Stage::Distance => 0.2,
        Stage::Weigh => 0.2,
        Stage::Finish => 0.1,
    }
}

/// Of learning, the share that is done when there are weights to begin with.
const BEGUN: f64 = 0.1;

/// The share of all weighing in runs whose weights are found handle by handle: all else is soon done.
const WEIGHING: (f64, f64) = (0.05, 0.98);

/// How much of a run is done, from 0 to 1, when `stage` is done by `share`.
pub fn overall(method: Method, stage: Stage, share: f64) -> f64 {
    let (from, to) = WEIGHING;
    match (method, stage) {
        (Method::Bbw, Stage::Weigh) => from + (to - from) * share,
        (Method::Examples, Stage::Weigh) => from + (to - from) * learned(share),
        (Method::Bbw | Method::Examples, Stage::Finish) => to + (1.0 - to) * share,
        (Method::Bbw | Method::Examples, _) => from * evenly(stage, share),
        _ => evenly(stage, share),
    }
}

/// Weights to begin with take as long as learning from there, roughly.
fn learned(share: f64) -> f64 {
    if share < BEGUN { 0.5 * share / BEGUN } else { 0.5 + 0.5 * (share - BEGUN) / (1.0 - BEGUN) }
}

fn evenly(stage: Stage, share: f64) -> f64 {
    let before: f64 = Stage::ALL.into_iter().filter(|&s| s < stage).map(share_of).sum();
    (before + share_of(stage) * share.clamp(0.0, 1.0)).min(1.0)
}

/// What a run does, for people, when `stage` is done by `share`; handles that are weighed one after another are counted.
pub fn label(method: Method, stage: Stage, share: f64, handles: usize) -> String {
    let counted = |what: &str, share: f64| {
        let done = (share * handles as f64).round() as usize;
        format!("{what}, {} of {handles}", (done + 1).min(handles))
    };
    match (method, stage) {
        (Method::Bbw, Stage::Weigh) => counted("Finding weights", share),
        (Method::Examples, Stage::Weigh) if share < BEGUN => counted("Finding start weights", share / BEGUN),
        (Method::Examples, Stage::Weigh) => "Learning from examples".into(),
        _ => name(stage).into(),
    }
}

/// What a stage does, for people.
fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Measure => "Measuring the mesh",
        Stage::Skeleton => "Reading the skeleton",
        Stage::Segment => "Cutting at the joints",
        Stage::Distance => "Measuring distances",
        Stage::Weigh => "Weighing",
        Stage::Finish => "Finishing the weights",
    }
}

/// Lets through only steps worth telling.
#[derive(Debug, Default)]
pub struct Steps {
    last: f64,
}

/// Telling more often than every hundredth costs more than it shows.
const WORTH: f64 = 0.01;

impl Steps {
    /// Whether `overall` is far enough from what was told last; then it counts as told.
    pub fn is_news(&mut self, overall: f64) -> bool {
        let is_news = overall - self.last >= WORTH;
        if is_news {
            self.last = overall;
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_runs_from_nothing_to_all_and_never_back() {
        for method in Method::ALL {
            let shares = [0.0, 0.05, 0.1, 0.5, 1.0];
            let all = Stage::ALL.into_iter().flat_map(|s| shares.map(|share| overall(method, s, share)));
            let all: Vec<f64> = all.collect();
            assert!(all.windows(2).all(|w| w[0] <= w[1]), "{method:?} {all:?}");
            assert_eq!(all[0], 0.0);
            assert!((all[all.len() - 1] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn handles_are_counted_from_the_first_to_the_last() {
        let told = |method, share| label(method, Stage::Weigh, share, 19);
        assert_eq!(told(Method::Examples, 0.0), "Finding start weights, 1 of 19");
        assert_eq!(told(Method::Examples, BEGUN * 6.0 / 19.0), "Finding start weights, 7 of 19");
        assert_eq!(told(Method::Examples, BEGUN), "Learning from examples");
        assert_eq!(told(Method::Bbw, 18.0 / 19.0), "Finding weights, 19 of 19");
        assert_eq!(told(Method::Bbw, 1.0), "Finding weights, 19 of 19");
        assert_eq!(told(Method::Heat, 0.5), "Weighing");
    }

    #[test]
    fn tiny_steps_are_no_news() {
        let mut steps = Steps::default();
        let told = (0..=100_000).filter(|&i| steps.is_news(f64::from(i) / 100_000.0)).count();
        assert!((90..=100).contains(&told), "{told}");
    }
}
