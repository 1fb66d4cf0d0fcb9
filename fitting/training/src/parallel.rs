//! Work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads there are, if not as many as cores.
const THREADS: &str = "TRAINING_THREADS";

/// Applies a function to all items, on all cores, and keeps their order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..items.len()).map(|_| None).collect());
    let wanted = std::env::var(THREADS).ok().and_then(|text| text.parse().ok());
    let threads =
        wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = f(item);
                    results.lock().expect("no thread panics")[i] = Some(result);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics").into_iter().flatten().collect()
}
