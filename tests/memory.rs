//! Counts allocations per thread, so that tests can limit the memory of readers.
//!
//! Tests run in parallel, so the counters are per thread: allocations of other tests do not count.
//! Memory freed by another thread than the one that allocated it stays counted; the readers have no
//! threads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with counters.
struct Counting;

thread_local! {
    // Constant and without destructor: reading them allocates nothing, also while a thread ends.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    HELD.with(|held| {
        held.set(held.get().saturating_add(bytes));
        PEAK.with(|peak| peak.set(peak.get().max(held.get())));
    });
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call goes to the system allocator unchanged; the counters are two plain cells of
// the calling thread and neither allocate nor unwind.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        // SAFETY: `pointer` came from `System` with this layout, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Both blocks may exist while one is copied to the other.
        count(signed(new_size));
        // SAFETY: `pointer` came from `System` with this layout, as the caller promises.
        let moved = unsafe { System.realloc(pointer, layout, new_size) };
        count(-signed(if moved.is_null() { new_size } else { layout.size() }));
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`, and the largest number of bytes allocated at once beyond those allocated
/// before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let result = work();
    let peak = PEAK.with(Cell::get);
    (result, usize::try_from(peak - before).unwrap_or(0))
}

#[test]
fn the_peak_of_allocations_is_counted() {
    let (kept, peak) = peak_of(|| {
        drop(std::hint::black_box(vec![0u8; 3 << 20]));
        std::hint::black_box(vec![1u8; 1 << 20])
    });
    assert_eq!(kept.len(), 1 << 20);
    assert!((3 << 20..4 << 20).contains(&peak), "{peak}");
}
