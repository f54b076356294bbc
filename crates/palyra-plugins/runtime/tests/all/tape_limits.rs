//! The tape of a run is bounded, compresses repeated readings, and is exact.

use crate::harness::*;
use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{
    HostServices, Invocation, MemoryStorage, ReplayVerdict, RunReport, RuntimeConfig, StorageBackend,
    StorageQuota, Tape, WasmRuntime,
};
use std::sync::Arc;

fn replayed(report: &RunReport) -> Invocation {
    let tape = Arc::new(Tape::decode(&report.tape.encode()).unwrap());
    let header = tape.header.clone();
    Invocation {
        entry: header.entry,
        grants: header.grants,
        limits: header.limits,
        replay: Some(tape),
        ..call("t", header.input.as_str())
    }
}

/// A component that reads the monotonic clock so often and returns a hash of every reading.
fn clock_reader(readings: u32) -> String {
    format!(
        r#"(component
      (import "palyra:plugin/types@1.0.0" (instance $types
        (type $record (record (field "code" string) (field "message" string) (field "details-json" (option string))))
        (export "tool-error" (type (eq $record)))))
      (alias export $types "tool-error" (type $tool-error))
      (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock (export "now" (func (result u64)))))
      (core module $code
        (import "clock" "now" (func $now (result i64)))
        (memory (export "memory") 1)
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
        (func (export "invoke") (param i32 i32 i32 i32) (result i32) (local $i i32) (local $hash i64) (local $digit i64)
          (local.set $i (i32.const {readings}))
          (loop $again
            (local.set $hash (i64.add (i64.mul (local.get $hash) (i64.const 31)) (call $now)))
            (local.set $i (i32.sub (local.get $i) (i32.const 1)))
            (br_if $again (local.get $i)))
          (i32.store8 (i32.const 64) (i32.const 34))
          (loop $digits
            (local.set $digit (i64.and (local.get $hash) (i64.const 15)))
            (local.set $hash (i64.shr_u (local.get $hash) (i64.const 4)))
            (i32.store8 offset=65 (local.get $i) (i32.add (i32.const 97) (i32.wrap_i64 (local.get $digit))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $digits (i32.lt_u (local.get $i) (i32.const 16))))
          (i32.store8 (i32.const 81) (i32.const 34))
          (i32.store offset=4 (i32.const 16) (i32.const 64))
          (i32.store offset=8 (i32.const 16) (i32.const 18))
          (i32.const 16)))
      (core func $now (canon lower (func $clock "now")))
      (core instance $run (instantiate $code (with "clock" (instance (export "now" (func $now))))))
      (func $invoke (param "tool-id" string) (param "input-json" string) (result (result string (error $tool-error)))
        (canon lift (core func $run "invoke") (memory $run "memory") (realloc (func $run "realloc"))))
      (instance $tools (export "invoke" (func $invoke)))
      (export "palyra:plugin/tools@1.0.0" (instance $tools)))"#
    )
}

/// A core module that reads the value of the key `k` so often.
fn storage_reader(reads: u32) -> String {
    core(&format!(
        r#"
        (local.set $scratch (call $storage_handle (i32.const 0)))
        (local.set $n (i32.const 58))
        (loop $digit
          (i32.store8 (local.get $n) (i32.add (i32.const 48) (i32.rem_u (local.get $scratch) (i32.const 10))))
          (local.set $scratch (i32.div_u (local.get $scratch) (i32.const 10)))
          (local.set $n (i32.sub (local.get $n) (i32.const 1)))
          (br_if $digit (local.get $scratch)))
        (local.set $n (i32.const {reads}))
        (loop $again
          (local.set $scratch (call $call (i32.const 10) (i32.const 50)))
          (local.set $n (i32.sub (local.get $n) (i32.const 1)))
          (br_if $again (local.get $n)))
        (drop (call $output_write (i32.const 100) (i32.const 4)))
        (i32.const 0)"#
    ))
    .replace(
        "(memory (export \"memory\") 2)",
        r#"(memory (export "memory") 2)
           (data (i32.const 10) "{\"op\":\"storage.get\",\"key\":\"k\",\"handle\":          }")
           (data (i32.const 100) "true")"#,
    )
}

/// Creates a runtime whose storage has the key `a/k` with a value of this length.
async fn with_value(bytes: usize) -> WasmRuntime {
    let storage = MemoryStorage::default();
    let quota = StorageQuota { prefix: "a/".into(), max_bytes: 64 << 20, max_keys: 10 };
    storage.put("anonymous", "a/k", vec![b'v'; bytes], &quota).await.unwrap();
    let services = HostServices { storage: Arc::new(storage), ..HostServices::default() };
    WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap()
}

fn limits(max_tape_bytes: u64) -> RuntimeLimits {
    RuntimeLimits { fuel_budget: 1_000_000_000, max_tape_bytes, ..RuntimeLimits::default() }
}

#[tokio::test]
async fn clock_readings_take_few_bytes_and_replay_exactly() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&clock_reader(200_000))).await;
    let live = runtime.invoke(&module, Invocation { limits: limits(32 << 20), ..call("t", "{}") }).await;
    let hash = output(&live);
    let bytes = live.tape.encode().len();
    assert!(bytes < 1 << 20, "200,000 readings take {bytes} bytes");
    let again = runtime.invoke(&module, replayed(&live)).await;
    assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), hash));
}

#[tokio::test]
async fn equal_bytes_read_many_times_are_on_the_tape_once() {
    let runtime = with_value(1 << 20).await;
    let module = load(&runtime, &wat(&storage_reader(250))).await;
    let invocation = granted(call("t", "{}"), &["storage:a/"]);
    let live = runtime.invoke(&module, Invocation { limits: limits(32 << 20), ..invocation }).await;
    assert_eq!((output(&live), live.usage.host_calls), (true.into(), 250));
    assert_eq!((live.tape.steps.len(), live.tape.blobs.len()), (250, 1));
    let bytes = live.tape.encode().len();
    assert!(bytes < 2 << 20, "{bytes}");
    let elsewhere = crate::harness::runtime();
    let module = load(&elsewhere, &wat(&storage_reader(250))).await;
    let again = elsewhere.invoke(&module, replayed(&live)).await;
    assert_eq!(again.replay, Some(ReplayVerdict::Identical));
}

/// By many steps, by one large answer, and by readings: the run ends, its tape stays within the limit, and a replay
/// ends the same way.
#[tokio::test]
async fn a_tape_over_its_limit_ends_the_run() {
    let runtime = with_value(1 << 20).await;
    for (guest, allowed) in
        [(storage_reader(250), 8 << 10), (storage_reader(1), 100_000), (clock_reader(200_000), 10_000)]
    {
        let module = load(&runtime, &wat(&guest)).await;
        let invocation = granted(call("t", "{}"), &["storage:a/"]);
        let live = runtime.invoke(&module, Invocation { limits: limits(allowed), ..invocation }).await;
        assert_eq!(kind(&live), "quota_exceeded(tape)", "{:?}", live.result);
        let bytes = live.tape.encode().len() as u64;
        assert!(bytes < allowed + 4_096, "{bytes} of {allowed}");
        let again = runtime.invoke(&module, replayed(&live)).await;
        assert_eq!((again.replay.clone(), error(&again)), (Some(ReplayVerdict::Identical), error(&live)));
    }
}

#[tokio::test]
async fn the_limit_of_the_tape_has_a_ceiling() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(ECHO))).await;
    let report = runtime.invoke(&module, Invocation { limits: limits(u64::MAX), ..call("t", "{}") }).await;
    assert_eq!(report.tape.header.limits.max_tape_bytes, palyra_common::limits::MAX_TAPE_BYTES);
}
