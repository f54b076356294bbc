//! The allocator of a guest: the standard library's own, started inside the initial memory.
//!
//! The standard one leaves the rest of the last initial page unused and grows the memory at the first
//! allocation. Under a pooling host each growth costs two system calls that take the address space's lock,
//! in every call of every guest. Here the bytes between the data and the end of the initial memory are used
//! first, so a small call never grows.
#![expect(unsafe_code, reason = "an allocator hands out raw memory; the trait itself is unsafe")]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32;
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use dlmalloc::{Allocator, Dlmalloc};

const PAGE: usize = 64 << 10;
/// Granularity of dlmalloc's requests for memory: small, so that a request is close to the needed size.
const STEP: usize = 1 << 10;

unsafe extern "C" {
    /// Where data and stack end; set by the linker.
    static __heap_base: u8;
    /// Where the initial memory ends; set by the linker.
    static __heap_end: u8;
}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(empty_heap()));

struct Heap(UnsafeCell<Dlmalloc<Pages>>);

// SAFETY: the target has no threads (the check below), and no method calls back into the heap.
unsafe impl Sync for Heap {}
const _: () = assert!(!cfg!(target_feature = "atomics"), "this heap has no lock: disable the feature `heap`");

// SAFETY: every method passes the caller's own layout to dlmalloc, which keeps the contract of `GlobalAlloc`.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: there is one thread, and dlmalloc calls only `Pages`, so no second reference exists during the call.
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`; the block came from this heap with this layout.
        unsafe { (*self.0.get()).free(block, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`.
        unsafe { (*self.0.get()).realloc(block, layout.size(), layout.align(), size) }
    }
}

const fn empty_heap() -> Dlmalloc<Pages> {
    let mut heap = Dlmalloc::new_with_allocator(Pages { rest_is_used: Cell::new(false) });
    assert!(heap.set_granularity(STEP), "the step is a power of two");
    heap
}

/// Where dlmalloc gets memory: first the rest of the initial memory, then new pages.
struct Pages {
    rest_is_used: Cell<bool>,
}

impl Pages {
    /// Returns the bytes after the data, at most once, if they are sufficient.
    fn rest_of_initial_memory(&self, size: usize) -> Option<(*mut u8, usize)> {
        let start = (&raw const __heap_base).addr().next_multiple_of(16);
        let rest = (&raw const __heap_end).addr().checked_sub(start)?;
        if rest < size || self.rest_is_used.replace(true) {
            return None;
        }
        Some((ptr::with_exposed_provenance_mut(start), rest))
    }
}

// SAFETY: a region is handed out once, is inside linear memory, and was never written before, so it is zero.
unsafe impl Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        if let Some((start, rest)) = self.rest_of_initial_memory(size) {
            return (start, rest, 0);
        }
        let pages = size.div_ceil(PAGE);
        let before = wasm32::memory_grow(0, pages);
        // The last page of the address space is left alone: a pointer to its end would wrap to zero.
        if before == usize::MAX || before.checked_add(pages).is_none_or(|after| after >= usize::MAX / PAGE) {
            return (ptr::null_mut(), 0, 0);
        }
        (ptr::with_exposed_provenance_mut(before * PAGE), pages * PAGE, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}
