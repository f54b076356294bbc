//! The smallest successful runs.

use crate::harness::*;

#[tokio::test]
async fn a_core_module_returns_its_input() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(ECHO))).await;
    let report = runtime.invoke(&module, call("echo", r#"{"a":[1,2]}"#)).await;
    assert_eq!(output(&report), serde_json::json!({ "a": [1, 2] }));
    assert!(report.usage.fuel > 0 && report.usage.peak_memory_bytes == 131_072, "{:?}", report.usage);
}

#[tokio::test]
async fn a_host_call_is_granted_counted_and_taped() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let find = granted(
        call("t", r#"{"op":"host-capabilities.find","kind":"storage","name":"cache/"}"#),
        &["storage:cache/"],
    );
    let handle = output(&runtime.invoke(&module, find).await)["ok"].as_i64().unwrap();
    assert!(handle > 0);
    let denied = runtime.invoke(&module, call("t", r#"{"op":"storage.get","handle":7,"key":"a"}"#)).await;
    assert_eq!(kind(&denied), "capability_denied");
    assert_eq!(denied.host_calls.len(), 1);
}
