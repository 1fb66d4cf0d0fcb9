//! Overall progress of a run, and labels of its stages.

use crate::pipeline::{Method, Stage};

/// Fraction of a run that a stage takes, measured roughly on 20,000 vertices.
fn share_of(stage: Stage) -> f64 {
    match stage {
        Stage::Measure => 0.15,
        Stage::Skeleton => 0.1,
        Stage::Segment => 0.25,
        Stage::Distance => 0.2,
        Stage::Weights => 0.2,
        Stage::Finish => 0.1,
    }
}

/// Fraction of example fitting that is done when the initial weights are known.
const INITIAL: f64 = 0.1;

/// Start and end of the weights stage in runs that solve handle by handle, as fractions of the run:
/// all other stages are short.
const SOLVING: (f64, f64) = (0.05, 0.98);

/// Overall progress, from 0 to 1, when the fraction `share` of `stage` is done.
pub fn overall(method: Method, stage: Stage, share: f64) -> f64 {
    let (from, to) = SOLVING;
    match (method, stage) {
        (Method::Bbw, Stage::Weights) => from + (to - from) * share,
        (Method::Examples, Stage::Weights) => from + (to - from) * fit_progress(share),
        (Method::Bbw | Method::Examples, Stage::Finish) => to + (1.0 - to) * share,
        (Method::Bbw | Method::Examples, _) => from * evenly(stage, share),
        _ => evenly(stage, share),
    }
}

/// The initial weights take about as long as the iterations.
fn fit_progress(share: f64) -> f64 {
    if share < INITIAL { 0.5 * share / INITIAL } else { 0.5 + 0.5 * (share - INITIAL) / (1.0 - INITIAL) }
}

fn evenly(stage: Stage, share: f64) -> f64 {
    let before: f64 = Stage::ALL.into_iter().filter(|&s| s < stage).map(share_of).sum();
    (before + share_of(stage) * share.clamp(0.0, 1.0)).min(1.0)
}

/// The label shown when the fraction `share` of `stage` is done. Handles that are solved one after
/// the other are counted.
pub fn label(method: Method, stage: Stage, share: f64, handles: usize) -> String {
    let counted = |what: &str, share: f64| {
        let done = (share * handles as f64).round() as usize;
        format!("{what}, {} of {handles}", (done + 1).min(handles))
    };
    match (method, stage) {
        (Method::Bbw, Stage::Weights) => counted("Finding weights", share),
        (Method::Examples, Stage::Weights) if share < INITIAL => {
            counted("Finding start weights", share / INITIAL)
        }
        (Method::Examples, Stage::Weights) => "Learning from examples".into(),
        _ => name(stage).into(),
    }
}

/// The label of a stage.
fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Measure => "Measuring the mesh",
        Stage::Skeleton => "Reading the skeleton",
        Stage::Segment => "Cutting at the joints",
        Stage::Distance => "Measuring distances",
        Stage::Weights => "Computing weights",
        Stage::Finish => "Finishing the weights",
    }
}

/// Suppresses progress reports that follow each other too closely.
#[derive(Debug, Default)]
pub struct Steps {
    last: f64,
}

/// Smallest step of reported progress. Smaller: messages cost more than they show.
const MIN_STEP: f64 = 0.01;

impl Steps {
    /// Whether `overall` is far enough from the last reported value, which it then replaces.
    pub fn is_news(&mut self, overall: f64) -> bool {
        let is_news = overall - self.last >= MIN_STEP;
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
        let told = |method, share| label(method, Stage::Weights, share, 19);
        assert_eq!(told(Method::Examples, 0.0), "Finding start weights, 1 of 19");
        assert_eq!(told(Method::Examples, INITIAL * 6.0 / 19.0), "Finding start weights, 7 of 19");
        assert_eq!(told(Method::Examples, INITIAL), "Learning from examples");
        assert_eq!(told(Method::Bbw, 18.0 / 19.0), "Finding weights, 19 of 19");
        assert_eq!(told(Method::Bbw, 1.0), "Finding weights, 19 of 19");
        assert_eq!(told(Method::Heat, 0.5), "Computing weights");
    }

    #[test]
    fn tiny_steps_are_no_news() {
        let mut steps = Steps::default();
        let told = (0..=100_000).filter(|&i| steps.is_news(f64::from(i) / 100_000.0)).count();
        assert!((90..=100).contains(&told), "{told}");
    }
}
