//! Times and progress of a run, shown in a terminal.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use pliant::pipeline::{Observer, Stage};

/// Measures a run, and prints progress if standard error is a terminal.
pub struct Clock {
    start: Instant,
    is_terminal: bool,
    printed: Option<(Stage, u32)>,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the shell has a clock")]
    pub fn start() -> Self {
        Self { start: Instant::now(), is_terminal: std::io::stderr().is_terminal(), printed: None }
    }
}

impl Observer for Clock {
    fn progress(&mut self, stage: Stage, share: f64) -> bool {
        let percent = (100.0 * share) as u32;
        if self.is_terminal && self.printed != Some((stage, percent)) {
            self.printed = Some((stage, percent));
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
