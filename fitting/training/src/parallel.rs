//! Two threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies a function to all items, on all cores, and keeps their order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..items.len()).map(|_| None).collect());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
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
