//! Rows G01, G02, G03, G05 and G13: a guest cannot exceed its budgets.

use crate::harness::*;
use palyra_common::{JsonText, RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::{
    HostServices, Invocation, MemoryStorage, RuntimeConfig, StorageBackend, StorageQuota, WasmRuntime,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn run(body: &str, limits: RuntimeLimits) -> palyra_plugins_runtime::RunReport {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(body))).await;
    runtime.invoke(&module, Invocation { limits, ..call("t", "{}") }).await
}

fn limits() -> RuntimeLimits {
    RuntimeLimits::default()
}

#[tokio::test]
async fn g01_an_infinite_loop_ends_by_fuel() {
    let report = run("(loop (br 0)) (i32.const 0)", limits()).await;
    assert_eq!(kind(&report), "quota_exceeded(fuel)");
    assert!(report.usage.fuel >= limits().fuel_budget);
}

#[tokio::test]
async fn g01_an_infinite_loop_ends_by_time() {
    let limits = RuntimeLimits { fuel_budget: u64::MAX >> 1, wall_clock_timeout_ms: 100, ..limits() };
    let started = Instant::now();
    let report = run("(loop (br 0)) (i32.const 0)", limits).await;
    assert_eq!(error(&report), &WasmPluginRunError::TimedOut { limit_ms: 100 });
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn g01_recursion_ends_by_stack() {
    let runtime = runtime();
    let text = r#"(module (memory (export "memory") 1)
        (func $deep (param i32) (result i32) (i32.add (call $deep (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
        (func (export "palyra_plugin_main") (result i32) (call $deep (i32.const 0))))"#;
    let module = load(&runtime, &wat(text)).await;
    let report = runtime.invoke(&module, call("t", "{}")).await;
    assert_eq!(kind(&report), "quota_exceeded(stack)");
}

#[tokio::test]
async fn g01_unreachable_traps_with_named_frames() {
    let runtime = runtime();
    let text = r#"(module (memory (export "memory") 1) (func $inner unreachable)
        (func $outer (export "palyra_plugin_main") (result i32) (call $inner) (i32.const 0)))"#;
    let module = load(&runtime, &wat(text)).await;
    match error(&runtime.invoke(&module, call("t", "{}")).await) {
        WasmPluginRunError::Trapped { backtrace, .. } => assert_eq!(backtrace, &["inner", "outer"]),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g02_honest_guests_finish_while_others_loop() {
    let runtime = Arc::new(
        WasmRuntime::new(RuntimeConfig { max_concurrent_runs: 256, ..RuntimeConfig::default() }).unwrap(),
    );
    let looping = load(&runtime, &wat(&core("(loop (br 0)) (i32.const 0)"))).await;
    let honest = load(&runtime, &wat(&core(ECHO))).await;
    let limits = RuntimeLimits { fuel_budget: u64::MAX >> 1, wall_clock_timeout_ms: 4_000, ..limits() };
    let mut loops = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (runtime, module, limits) = (Arc::clone(&runtime), Arc::clone(&looping), limits.clone());
        loops.spawn(
            async move { kind(&runtime.invoke(&module, Invocation { limits, ..call("t", "{}") }).await) },
        );
    }
    let mut honest_runs = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (runtime, module) = (Arc::clone(&runtime), Arc::clone(&honest));
        honest_runs
            .spawn(async move { output(&runtime.invoke(&module, call("t", &number.to_string())).await) });
    }
    let mut answers: Vec<i64> = honest_runs.join_all().await.iter().map(|v| v.as_i64().unwrap()).collect();
    answers.sort_unstable();
    assert_eq!(answers, (0..100).collect::<Vec<i64>>());
    assert!(loops.join_all().await.iter().all(|kind| kind == "timed_out"));
}

#[tokio::test]
async fn g03_one_memory_over_the_cap() {
    let report = run("(drop (memory.grow (i32.const 2000))) (i32.const 0)", limits()).await;
    match error(&report) {
        WasmPluginRunError::QuotaExceeded { limit, allowed, used } => {
            assert_eq!((limit.wire_name(), *allowed, *used), ("memory", 64 << 20, 2_002 * 65_536));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn g03_several_memories_are_counted_together() {
    let text = r#"(module (memory (export "memory") 1) (memory $b 1) (memory $c 1)
        (func (export "palyra_plugin_main") (result i32)
          (drop (memory.grow (i32.const 400))) (drop (memory.grow $b (i32.const 400))) (drop (memory.grow $c (i32.const 400)))
          (i32.const 0)))"#;
    let runtime = runtime();
    let module = load(&runtime, &wat(text)).await;
    assert_eq!(kind(&runtime.invoke(&module, call("t", "{}")).await), "quota_exceeded(memory)");
    let roomy = RuntimeLimits { max_memory_bytes: 128 << 20, ..limits() };
    let report = runtime.invoke(&module, Invocation { limits: roomy, ..call("t", "{}") }).await;
    assert_eq!(kind(&report), "invalid_output", "with room it gets as far as returning nothing");
    assert_eq!(report.usage.peak_memory_bytes, 1_203 * 65_536);
}

#[tokio::test]
async fn g03_declared_memory_over_the_cap_never_starts() {
    let runtime = runtime();
    let module = load(&runtime, &wat(r#"(module (memory (export "memory") 2000) (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#)).await;
    let report = runtime.invoke(&module, call("t", "{}")).await;
    assert_eq!((kind(&report).as_str(), report.usage.fuel), ("quota_exceeded(memory)", 0));
    let huge = wat(
        r#"(module (memory (export "memory") 65536) (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#,
    );
    let refused = runtime.load(&huge).await.err().unwrap();
    assert_eq!(refused.kind().wire_name(), "quota_exceeded");
}

#[tokio::test]
async fn g03_the_guests_own_maximum_fails_the_ordinary_way() {
    let text = r#"(module (memory (export "memory") 1 2)
        (import "palyra:plugin/io@1.0.0" "output-write" (func $w (param i32 i32) (result i32)))
        (data (i32.const 0) "-1")
        (func (export "palyra_plugin_main") (result i32)
          (if (i32.eq (memory.grow (i32.const 5)) (i32.const -1)) (then (drop (call $w (i32.const 0) (i32.const 2)))))
          (i32.const 0)))"#;
    let text = text.replacen("(memory (export \"memory\") 1 2)\n", "", 1).replacen(
        "(data",
        "(memory (export \"memory\") 1 2) (data",
        1,
    );
    let runtime = runtime();
    let module = load(&runtime, &wat(&text)).await;
    assert_eq!(output(&runtime.invoke(&module, call("t", "{}")).await), -1);
}

#[tokio::test]
async fn g03_tables_are_counted() {
    let text = r#"(module (memory (export "memory") 1) (table $t 1 funcref) (table $u 1 funcref)
        (func (export "palyra_plugin_main") (result i32)
          (drop (table.grow $t (ref.null func) (i32.const 60000))) (drop (table.grow $u (ref.null func) (i32.const 60000)))
          (i32.const 0)))"#;
    let runtime = runtime();
    let module = load(&runtime, &wat(text)).await;
    assert_eq!(kind(&runtime.invoke(&module, call("t", "{}")).await), "quota_exceeded(tables)");
}

#[tokio::test]
async fn g05_output_over_the_cap() {
    let report = run(
        "(loop (drop (call $output_write (i32.const 0) (i32.const 65536))) (br 0)) (i32.const 0)",
        limits(),
    )
    .await;
    assert_eq!(kind(&report), "quota_exceeded(output)");
}

#[tokio::test]
async fn g05_output_that_is_not_json_not_utf8_or_too_deep() {
    let write = |data: &str| {
        let text = core(&format!(
            "(drop (call $output_write (i32.const 0) (i32.const {}))) (i32.const 0)",
            data.len()
        ));
        let escaped: String = data.bytes().map(|byte| format!("\\{byte:02x}")).collect();
        text.replacen(
            "(memory (export \"memory\") 2)",
            &format!("(memory (export \"memory\") 9) (data (i32.const 0) \"{escaped}\")"),
            1,
        )
    };
    let runtime = runtime();
    for (data, reason) in [("{\"a\":", "not JSON"), ("", "not JSON"), (&"[".repeat(100_000), "levels deep")] {
        let module = load(&runtime, &wat(&write(data))).await;
        match error(&runtime.invoke(&module, call("t", "{}")).await) {
            WasmPluginRunError::InvalidOutput { reason: found, pointer } => {
                assert!(found.contains(reason) && pointer.is_empty(), "{found}")
            }
            other => panic!("{other:?}"),
        }
    }
    let text = write("xx")
        .replace("\\78\\78", "\\22\\ff\\22")
        .replace("(i32.const 2))) (i32.const 0)", "(i32.const 3))) (i32.const 0)");
    let module = load(&runtime, &wat(&text)).await;
    match error(&runtime.invoke(&module, call("t", "{}")).await) {
        WasmPluginRunError::InvalidOutput { reason, .. } => {
            assert!(reason.contains("UTF-8 at byte 1"), "{reason}")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn input_over_the_cap_is_refused_before_anything_runs() {
    let limits = RuntimeLimits { max_input_bytes: 10, ..limits() };
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(ECHO))).await;
    let input = JsonText::parse("\"0123456789\"").unwrap();
    let report = runtime.invoke(&module, Invocation { limits, ..Invocation::tool("t", input) }).await;
    assert_eq!((kind(&report).as_str(), report.usage.fuel), ("quota_exceeded(input)", 0));
}

#[tokio::test]
async fn g13_the_log_is_bounded_escaped_and_attributed() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let forged =
        r#"{"op":"log.write","level":"info","message":"fine\n[error] palyra: forged \u001b[31m\u202e"}"#;
    let report = runtime.invoke(&module, call("t", forged)).await;
    assert_eq!(report.log.len(), 1);
    assert_eq!(report.log[0].message, r"fine\u{a}[error] palyra: forged \u{1b}[31m\u{202e}");
    assert_eq!(report.log[0].source, "log");

    let flood = PASS_THROUGH.replace(
        "(local.set $n (call $call",
        "(loop (drop (call $call (i32.const 0) (local.get $n))) (br 0)) (local.set $n (call $call",
    );
    let flooding = load(&runtime, &wat(&core(&flood))).await;
    let limits = RuntimeLimits { max_log_bytes: 1_000, ..limits() };
    let report = runtime.invoke(&flooding, Invocation { limits, ..call("t", forged) }).await;
    assert_eq!(kind(&report), "quota_exceeded(log)", "even though the guest then ran out of fuel");
    assert!(report.usage.log_bytes <= 1_000 && report.log.len() < 30);
}

#[tokio::test]
async fn host_calls_are_counted() {
    let runtime = runtime();
    let body = PASS_THROUGH.replace(
        "(local.set $n (call $call",
        "(drop (call $call (i32.const 0) (local.get $n))) (local.set $n (call $call",
    );
    let module = load(&runtime, &wat(&core(&body))).await;
    let limits = RuntimeLimits { max_host_calls: 1, ..limits() };
    let request = r#"{"op":"storage.get","handle":-1,"key":"a"}"#;
    let report = runtime.invoke(&module, Invocation { limits: limits.clone(), ..call("t", request) }).await;
    assert_eq!(report.usage.host_calls, 2);
    assert_eq!(kind(&report), "capability_denied", "the first broken rule is the one reported");
    let none = RuntimeLimits { max_host_calls: 0, ..limits };
    let report = runtime.invoke(&module, Invocation { limits: none, ..call("t", request) }).await;
    assert_eq!(kind(&report), "quota_exceeded(host_calls)");
}

#[tokio::test]
async fn host_call_responses_count_as_memory() {
    let storage = Arc::new(MemoryStorage::default());
    let quota = StorageQuota { prefix: "a/".into(), max_bytes: u64::MAX, max_keys: u64::MAX };
    storage.put("anonymous", "a/k", vec![b'x'; 8 << 20], &quota).await.unwrap();
    let services = HostServices { storage: storage as _, ..HostServices::default() };
    let runtime = WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap();
    let module = load(&runtime, &wat(&two_calls())).await;
    let input = serde_json::json!([
        r#"{"op":"host-capabilities.find","kind":"storage","name":"a/"}"#,
        r#"{"op":"storage.get","handle":HHHHHHHHHH,"key":"k"}"#
    ]);
    // 8 MiB are 18.7 MiB as base64 and text, beside the 4 MiB of the guest.
    let limits = RuntimeLimits { max_memory_bytes: 20 << 20, ..limits() };
    let invocation = Invocation { limits, ..call("t", &input.to_string()) };
    let report = runtime.invoke(&module, granted(invocation, &["storage:a/"])).await;
    assert_eq!(kind(&report), "quota_exceeded(memory)");
}

#[tokio::test]
async fn trace_subjects_are_cut() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let url = format!("https://a.example/{}", "é".repeat(20_000));
    let request =
        serde_json::json!({ "op": "http.send", "handle": -1, "request": { "method": "GET", "url": url } });
    let report = runtime.invoke(&module, call("t", &request.to_string())).await;
    assert_eq!(report.host_calls.len(), 1);
    assert!(report.host_calls[0].subject.len() <= 2 << 10 && report.host_calls[0].subject.len() > 2_000);
}

#[tokio::test]
async fn a_full_house_is_busy() {
    let config =
        RuntimeConfig { max_concurrent_runs: 1, queue_timeout: Duration::from_millis(1), ..config() };
    let runtime = Arc::new(WasmRuntime::new(config).unwrap());
    let module = load(&runtime, &wat(&core("(loop (br 0)) (i32.const 0)"))).await;
    let limits = RuntimeLimits { fuel_budget: u64::MAX >> 1, wall_clock_timeout_ms: 300, ..limits() };
    let first = runtime.invoke(&module, Invocation { limits: limits.clone(), ..call("t", "{}") });
    let second = runtime.invoke(&module, Invocation { limits, ..call("t", "{}") });
    let (first, second) = tokio::join!(first, second);
    assert_eq!((kind(&first).as_str(), kind(&second).as_str()), ("timed_out", "busy"));
}
