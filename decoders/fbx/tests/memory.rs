//! Counts the memory that each thread uses.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static USED: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// Counts the memory of each thread.
struct Counting;

fn count(bytes: isize) {
    // During the end of a thread the counters are gone.
    let _ = USED.try_with(|used| {
        used.set(used.get().saturating_add_signed(bytes));
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(used.get())));
    });
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its trait; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of a function and the largest number of bytes that it had allocated at a time.
pub fn peak_memory<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let used = USED.get();
    PEAK.set(used);
    let result = run();
    (result, PEAK.get().saturating_sub(used))
}
