//! Progress and cancellation of long computations.

/// The error of a computation that was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Receives the completed fraction in 0..=1 and returns whether to continue.
type Listener<'a> = dyn FnMut(f64) -> bool + 'a;

/// Passed into long loops. Reports progress to a listener, which may cancel.
pub struct Progress<'a> {
    listener: Option<&'a mut Listener<'a>>,
    span: (f64, f64),
}

impl<'a> Progress<'a> {
    /// Without a listener: nothing is reported or cancelled.
    pub fn silent() -> Self {
        Self { listener: None, span: (0.0, 1.0) }
    }

    /// `listener` receives the completed fraction in 0..=1 and returns whether to continue.
    pub fn new(listener: &'a mut Listener<'a>) -> Self {
        Self { listener: Some(listener), span: (0.0, 1.0) }
    }

    /// Maps subsequent reports from 0..1 to `from`..`to`, for work in several stages.
    pub fn span(&mut self, from: f64, to: f64) {
        self.span = (from, to);
    }

    /// Reports that `done` of `all` equal steps are complete.
    ///
    /// # Errors
    /// [`Cancelled`] if the listener returns false.
    pub fn step(&mut self, done: usize, all: usize) -> Result<(), Cancelled> {
        let Some(listener) = &mut self.listener else { return Ok(()) };
        let (from, to) = self.span;
        let fraction = done as f64 / all.max(1) as f64;
        if listener(from + (to - from) * fraction) { Ok(()) } else { Err(Cancelled) }
    }
}
