//! How far a long computation is, and whether it should go on.

/// A long computation was asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Told a share in 0..=1; answers whether to go on.
type Listener<'a> = dyn FnMut(f64) -> bool + 'a;

/// Handed down into loops that may take long; asks its listener now and then whether to go on.
pub struct Progress<'a> {
    listener: Option<&'a mut Listener<'a>>,
    span: (f64, f64),
}

impl<'a> Progress<'a> {
    /// Nobody listens, nothing is cancelled.
    pub fn silent() -> Self {
        Self { listener: None, span: (0.0, 1.0) }
    }

    /// `listener` hears the share done, from 0 to 1, and answers whether to go on.
    pub fn new(listener: &'a mut Listener<'a>) -> Self {
        Self { listener: Some(listener), span: (0.0, 1.0) }
    }

    /// From now on, what is reported as 0 to 1 is heard as `from` to `to`: for work in several steps.
    pub fn span(&mut self, from: f64, to: f64) {
        self.span = (from, to);
    }

    /// Reports that `done` of `all` equal steps are finished.
    ///
    /// # Errors
    /// [`Cancelled`] when the listener wants no more.
    pub fn step(&mut self, done: usize, all: usize) -> Result<(), Cancelled> {
        let Some(listener) = &mut self.listener else { return Ok(()) };
        let (from, to) = self.span;
        let share = done as f64 / all.max(1) as f64;
        if listener(from + (to - from) * share) { Ok(()) } else { Err(Cancelled) }
    }
}
