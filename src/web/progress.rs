//! How far a run is as a whole, and what people call its stages.

use crate::pipeline::Stage;

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

/// How much of a run is done, from 0 to 1, when `stage` is done by `share`.
pub fn overall(stage: Stage, share: f64) -> f64 {
    let before: f64 = Stage::ALL.into_iter().filter(|&s| s < stage).map(share_of).sum();
    (before + share_of(stage) * share.clamp(0.0, 1.0)).min(1.0)
}

/// What a stage does, for people.
pub fn label(stage: Stage) -> &'static str {
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
        let all = Stage::ALL.into_iter().flat_map(|s| [0.0, 0.5, 1.0].map(|share| overall(s, share)));
        let all: Vec<f64> = all.collect();
        assert!(all.windows(2).all(|w| w[0] <= w[1]), "{all:?}");
        assert_eq!(all[0], 0.0);
        assert!((all[all.len() - 1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn tiny_steps_are_no_news() {
        let mut steps = Steps::default();
        let told = (0..=100_000).filter(|&i| steps.is_news(f64::from(i) / 100_000.0)).count();
        assert!((90..=100).contains(&told), "{told}");
    }
}
