//! CPU time of the calling thread, which other programs on the machine do not change.

use std::time::Instant;

/// Measures CPU time on Linux, and elapsed time elsewhere.
pub struct CpuClock {
    start: Instant,
    cpu_start: Option<u64>,
}

impl CpuClock {
    /// Starts measuring.
    #[expect(clippy::disallowed_methods, reason = "this program never runs in the browser")]
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu_start: cpu_nanoseconds() }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        match self.cpu_start.zip(cpu_nanoseconds()) {
            Some((start, now)) => (now - start) as f64 * 1e-9,
            None => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// The first number of schedstat: nanoseconds that the thread has run.
fn cpu_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
