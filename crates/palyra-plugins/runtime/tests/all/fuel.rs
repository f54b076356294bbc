//! Fuel is counted for every way a run can end.

use crate::harness::*;
use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{CancelToken, Invocation, ReplayVerdict, RunReport};
use std::sync::Arc;

/// Maximum fuel charged beyond the amount used, for a run that ends by a signal, a limit or an interruption.
const SLICE: u64 = 100_000;
const TURNS: u64 = 500_000;

/// Counts down in one function without a call, then executes `then`.
fn burning(then: &str) -> Vec<u8> {
    wat(&format!(
        r#"(module (memory (export "memory") 1) (table 1 funcref) (global $far (mut i32) (i32.const 2000000))
        (func (export "palyra_plugin_main") (result i32) (local $left i64)
          (local.set $left (i64.const {TURNS}))
          (loop $again
            (local.set $left (i64.sub (local.get $left) (i64.const 1)))
            (br_if $again (i64.ne (local.get $left) (i64.const 0))))
          {then}
          (i32.const 0)))"#
    ))
}

async fn run(then: &str, limits: RuntimeLimits) -> RunReport {
    let runtime = runtime();
    let module = load(&runtime, &burning(then)).await;
    runtime.invoke(&module, Invocation { limits, ..call("t", "{}") }).await
}

/// The fuel of the loop alone: `unreachable` writes the count back.
async fn exact() -> u64 {
    let report = run("unreachable", RuntimeLimits::default()).await;
    assert_eq!(kind(&report), "trapped");
    report.usage.fuel
}

#[tokio::test]
async fn fuel_is_counted_when_a_run_traps_or_meets_a_limit() {
    let exact = exact().await;
    assert!(exact > TURNS && exact < RuntimeLimits::default().fuel_budget, "{exact}");
    for (then, ends) in [
        ("(drop (i32.load (global.get $far)))", "trapped"),
        ("(i32.store (global.get $far) (i32.const 1))", "trapped"),
        ("(drop (i64.div_u (local.get $left) (local.get $left)))", "trapped"),
        ("(drop (memory.grow (i32.const 20000)))", "quota_exceeded(memory)"),
        ("(drop (call_indirect (result i32) (global.get $far)))", "trapped"),
    ] {
        let report = run(then, RuntimeLimits::default()).await;
        assert_eq!(kind(&report), ends, "{then}");
        let charged = report.usage.fuel;
        assert!(charged >= exact && charged <= exact + 2 * SLICE, "{then}: {charged} for {exact}");
        assert_eq!(report.tape.end.fuel, charged);
    }
}

#[tokio::test]
async fn fuel_is_counted_when_a_run_times_out_or_is_cancelled() {
    let endless =
        RuntimeLimits { fuel_budget: u64::MAX >> 1, wall_clock_timeout_ms: 200, ..RuntimeLimits::default() };
    let report = run("(loop (br 0))", endless.clone()).await;
    assert_eq!(kind(&report), "timed_out");
    assert!(report.usage.fuel > SLICE, "{}", report.usage.fuel);
    assert!(report.usage.fuel < endless.fuel_budget);

    let runtime = Arc::new(runtime());
    let module = load(&runtime, &burning("(loop (br 0))")).await;
    let cancel = CancelToken::default();
    let limits = RuntimeLimits { wall_clock_timeout_ms: 600_000, ..endless };
    let invocation = Invocation { limits, cancel: Some(cancel.clone()), ..call("t", "{}") };
    let running = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move { runtime.invoke(&module, invocation).await }
    });
    // The run yields to this task at the end of its first slice.
    tokio::task::yield_now().await;
    cancel.cancel();
    let report = running.await.unwrap();
    assert_eq!(kind(&report), "cancelled");
    assert!(report.usage.fuel >= SLICE, "{}", report.usage.fuel);
}

#[tokio::test]
async fn fuel_is_never_more_than_the_budget() {
    let limits = RuntimeLimits { fuel_budget: TURNS * 20, ..RuntimeLimits::default() };
    let small = RuntimeLimits { fuel_budget: SLICE / 2, ..limits };
    let report = run("(drop (i32.load (global.get $far)))", small.clone()).await;
    assert_eq!((kind(&report).as_str(), report.usage.fuel), ("quota_exceeded(fuel)", small.fuel_budget));
}

#[tokio::test]
async fn fuel_of_a_trapped_run_replays() {
    let runtime = runtime();
    let module = load(&runtime, &burning("(drop (i32.load (global.get $far)))")).await;
    let live = runtime.invoke(&module, call("t", "{}")).await;
    let replay = Invocation { replay: Some(Arc::new(live.tape.clone())), ..call("t", "{}") };
    let again = runtime.invoke(&module, replay).await;
    assert_eq!((again.replay, again.usage.fuel), (Some(ReplayVerdict::Identical), live.usage.fuel));
}

#[tokio::test]
async fn version_1_tape_of_a_trapped_run_replays_without_comparing_fuel() {
    let runtime = runtime();
    let module = load(&runtime, &burning("(drop (i32.load (global.get $far)))")).await;
    let mut old = runtime.invoke(&module, call("t", "{}")).await.tape;
    old.header.schema = "palyra.tape/v1".into();
    old.header.limits.max_tape_bytes = palyra_common::limits::NO_TAPE_LIMIT;
    old.end.fuel = 0;
    let replay = Invocation { replay: Some(Arc::new(old)), ..call("t", "{}") };
    assert_eq!(runtime.invoke(&module, replay).await.replay, Some(ReplayVerdict::Identical));
}
