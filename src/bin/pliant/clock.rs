//! Time and progress for people at a terminal.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use pliant::pipeline::{Observer, Stage};

/// Watches a run; shows progress when standard error is a terminal.
pub struct Clock {
    start: Instant,
    shows: bool,
    shown: Option<(Stage, u32)>,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the shell has a clock")]
    pub fn start() -> Self {
        Self { start: Instant::now(), shows: std::io::stderr().is_terminal(), shown: None }
    }
}

impl Observer for Clock {
    fn progress(&mut self, stage: Stage, share: f64) -> bool {
        let percent = (100.0 * share) as u32;
        if self.shows && self.shown != Some((stage, percent)) {
            self.shown = Some((stage, percent));
            eprint!("\r{:<10} {percent:>3} %", stage.name());
            if stage == Stage::Finish && share >= 1.0 {
                eprint!("\r{:<20}\r", "");
            }
            std::io::stderr().flush().unwrap_or_default();
        }
        true
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
