//! Rows G16, G19 and N4: no data of one call is visible to the next, and no memory accumulates.

use crate::harness::*;
use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{CancelToken, EngineClass, Invocation, WasmRuntime};
use std::sync::Arc;

#[tokio::test]
async fn g16_globals_and_memory_start_clean() {
    let text = core(
        "(global.set $calls (i32.add (global.get $calls) (i32.const 1)))
         (i32.store8 (i32.const 100) (i32.add (i32.load8_u (i32.const 100)) (i32.const 1)))
         (i32.store8 (i32.const 0) (i32.add (i32.const 47) (i32.add (global.get $calls) (i32.load8_u (i32.const 100)))))
         (drop (call $output_write (i32.const 0) (i32.const 1))) (i32.const 0)",
    )
    .replacen("(memory", "(global $calls (mut i32) (i32.const 0)) (memory", 1);
    let runtime = runtime();
    let module = load(&runtime, &wat(&text)).await;
    for _ in 0..5 {
        assert_eq!(output(&runtime.invoke(&module, call("t", "{}")).await), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g19_ten_thousand_calls_leave_nothing_behind() {
    let runtime = Arc::new(runtime());
    let module = load(&runtime, &wat(&core(ECHO))).await;
    let calls = |count: usize| {
        let (runtime, module) = (Arc::clone(&runtime), Arc::clone(&module));
        async move {
            for _ in 0..count {
                assert!(runtime.invoke(&module, call("t", r#"{"a":1}"#)).await.result.is_ok());
            }
        }
    };
    calls(1_000).await;
    let before = ProcessSize::now();
    calls(10_000).await;
    let after = ProcessSize::now();
    // Other tests of this binary run beside this one, so threads and files get some room; memory
    // would show a leak of as little as a few hundred bytes a call.
    assert!(after.rss_kib < before.rss_kib + 16_384, "{before:?} {after:?}");
    assert!(after.threads < before.threads + 32, "{before:?} {after:?}");
    assert!(after.files < before.files + 64, "{before:?} {after:?}");
}

/// Resource use of this process, according to the operating system.
#[derive(Debug)]
struct ProcessSize {
    rss_kib: u64,
    threads: u64,
    files: usize,
}

impl ProcessSize {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let number = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        Self {
            rss_kib: number("VmRSS:"),
            threads: number("Threads:"),
            files: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        }
    }
}

/// Searches all of its memory for bytes of an earlier guest, then fills it with its own.
///
/// The output is the number of words that were not zero.
fn stale_bytes_guest(pages: u32) -> String {
    let bytes = pages * 65_536;
    core(&format!(
        "(local.set $n (i32.const 4096))
         (block $done (loop $look
           (br_if $done (i32.ge_u (local.get $n) (i32.const {bytes})))
           (if (i64.ne (i64.load (local.get $n)) (i64.const 0)) (then (local.set $scratch (i32.add (local.get $scratch) (i32.const 1)))))
           (i64.store (local.get $n) (i64.const 0x5a5a5a5a5a5a5a5a))
           (local.set $n (i32.add (local.get $n) (i32.const 64)))
           (br $look)))
         (i32.store8 (i32.const 0) (select (i32.const 49) (i32.const 48) (local.get $scratch)))
         (drop (call $output_write (i32.const 0) (i32.const 1))) (i32.const 0)"
    ))
    .replacen("(memory (export \"memory\") 2)", &format!("(memory (export \"memory\") {pages})"), 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n4_no_stale_bytes_while_the_kernel_moves_pages() {
    let runtime = Arc::new(runtime());
    for (pages, class) in [(4, EngineClass::Keep), (40, EngineClass::General)] {
        let module = load(&runtime, &wat(&stale_bytes_guest(pages))).await;
        assert_eq!(module.class(), class);
        let mut runs = tokio::task::JoinSet::new();
        for _ in 0..2 {
            let (runtime, module) = (Arc::clone(&runtime), Arc::clone(&module));
            runs.spawn(async move {
                let limits = RuntimeLimits { fuel_budget: 1 << 40, ..RuntimeLimits::default() };
                for _ in 0..400 {
                    let report = runtime
                        .invoke(&module, Invocation { limits: limits.clone(), ..call("t", "{}") })
                        .await;
                    assert_eq!(output(&report), 0, "an instance saw bytes of an earlier one");
                }
            });
        }
        // Only root can request compaction; without it the test still checks the reset itself.
        let compacted = tokio::task::spawn_blocking(|| {
            (0..3).all(|_| std::fs::write("/proc/sys/vm/compact_memory", "1").is_ok())
        });
        if !compacted.await.unwrap() {
            eprintln!("n4: memory was not compacted: this needs root");
        }
        while let Some(run) = runs.join_next().await {
            run.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_can_be_cancelled_from_outside() {
    let runtime = Arc::new(runtime());
    let module = load(&runtime, &wat(&core("(loop (br 0)) (i32.const 0)"))).await;
    let cancel = CancelToken::default();
    let limits = RuntimeLimits { fuel_budget: u64::MAX >> 1, ..RuntimeLimits::default() };
    let run = {
        let (runtime, cancel) = (Arc::clone(&runtime), cancel.clone());
        tokio::spawn(async move {
            runtime.invoke(&module, Invocation { limits, cancel: Some(cancel), ..call("t", "{}") }).await
        })
    };
    tokio::task::yield_now().await;
    cancel.cancel();
    assert_eq!(kind(&run.await.unwrap()), "cancelled");
}

#[tokio::test]
async fn the_ticker_stops_with_its_runtime() {
    let name_of = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(entry.ok()?.path().join("comm")).ok()
    };
    let tickers = || {
        std::fs::read_dir("/proc/self/task")
            .unwrap()
            .filter_map(name_of)
            .filter(|name| name.starts_with("palyra-epoch"))
            .count()
    };
    let many: Vec<WasmRuntime> = (0..3).map(|_| runtime()).collect();
    let with = tickers();
    drop(many);
    assert!(tickers() <= with, "tickers are joined when their runtime drops");
}
