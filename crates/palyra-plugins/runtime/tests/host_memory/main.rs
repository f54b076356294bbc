//! The memory that the host holds for a run stays within the run's limits and a fixed overhead.
//!
//! A separate test program, because it counts every byte of the heap and nothing else may run in the process. The
//! engine maps linear memories outside of the heap; the same limit bounds them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[path = "../all/harness.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod harness;
mod hoarder;

use harness::{call, config, core, granted, kind, load, wat};
use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{Invocation, WasmRuntime};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator with a count.
struct Counting;

#[allow(unsafe_code, reason = "an allocator is unsafe by nature; it passes everything on")]
// SAFETY: every call is passed on to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grown(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn grown(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory of a run in addition to its limits: its store, tables and report, in bytes.
const OVERHEAD: usize = 8 << 20;
// Below the data limit of all host calls of a run, so that the memory limit is reached first.
const MEMORY: usize = 4 << 20;
const RULE: &str = "http:GET,POST http://example.invalid/**";

struct Case {
    name: &'static str,
    module: String,
    input: String,
    grants: &'static [&'static str],
    ends: &'static str,
    /// The number of bytes that the limits allow the host to hold.
    limit: usize,
}

fn cases() -> Vec<Case> {
    let component = |name, body: &str, grants, ends, limit| Case {
        name,
        module: hoarder::hoarder(body),
        input: "{}".into(),
        grants,
        ends,
        limit,
    };
    let limits = RuntimeLimits::default();
    let output = usize::try_from(limits.max_output_bytes).unwrap();
    let log = usize::try_from(limits.max_log_bytes).unwrap();
    let control = format!(r#"{{"op":"log.write","level":"info","message":"{}"}}"#, r"\u0001".repeat(10_000));
    vec![
        component("bodies", hoarder::BODIES, &[RULE], "quota_exceeded(memory)", MEMORY),
        component("fields", hoarder::FIELDS, &[RULE], "quota_exceeded(memory)", MEMORY),
        component("authorities", hoarder::AUTHORITIES, &[RULE], "quota_exceeded(memory)", MEMORY),
        component("bodies without a rule", hoarder::BODIES, &[], "capability_denied", 0),
        component("fields without a rule", hoarder::FIELDS, &[], "capability_denied", 0),
        component("standard output", hoarder::LINES, &[], "quota_exceeded(log)", 2 * log),
        component("resources", hoarder::HANDLES, &[], "quota_exceeded(resources)", 0),
        component("one write", hoarder::LONG_WRITE, &[], "trapped", 0),
        component("random bytes", hoarder::RANDOM, &[], "trapped", 1 << 20),
        Case {
            name: "output",
            module: core(
                "(loop (drop (call $output_write (i32.const 0) (i32.const 65536))) (br 0)) (i32.const 0)",
            ),
            input: "{}".into(),
            grants: &[],
            ends: "quota_exceeded(output)",
            limit: 2 * output,
        },
        Case {
            name: "log",
            module: core(
                "(local.set $n (call $input_length))
                 (drop (call $input_read (i32.const 0) (i32.const 0) (local.get $n)))
                 (loop $again
                    (drop (call $call (i32.const 0) (local.get $n)))
                    (local.set $scratch (i32.add (local.get $scratch) (i32.const 1)))
                    (br_if $again (i32.lt_u (local.get $scratch) (i32.const 50))))
                 (i32.const 0)",
            ),
            input: control,
            grants: &[],
            ends: "quota_exceeded(log)",
            limit: 2 * log,
        },
    ]
}

#[tokio::test]
async fn host_memory_of_a_run_stays_within_its_limits() {
    let runtime = WasmRuntime::new(config()).unwrap();
    let limits = RuntimeLimits {
        max_memory_bytes: MEMORY as u64,
        fuel_budget: 1_000_000_000,
        ..RuntimeLimits::default()
    };
    for Case { name, module, input, grants, ends, limit } in cases() {
        let module = load(&runtime, &wat(&module)).await;
        let invocation = granted(Invocation { limits: limits.clone(), ..call("t", &input) }, grants);
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let report = runtime.invoke(&module, invocation).await;
        let held = PEAK.load(Ordering::Relaxed).saturating_sub(before);
        assert_eq!(kind(&report), ends, "{name}");
        assert!(held <= limit + OVERHEAD, "{name}: the host held {held} bytes, allowed {limit} + {OVERHEAD}");
        assert!(report.usage.peak_memory_bytes <= limits.max_memory_bytes, "{name}");
        drop(report);
        let left = LIVE.load(Ordering::Relaxed).saturating_sub(before);
        assert!(left <= 1 << 20, "{name}: {left} bytes stay after the run");
    }
}
