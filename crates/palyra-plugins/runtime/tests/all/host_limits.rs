//! Limits of single values that a guest passes to the host, each at its boundary; docs/host-limits.md lists them.

use crate::harness::*;
use crate::hoarder::hoarder;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::RunReport;

async fn run(body: &str) -> RunReport {
    let runtime = runtime();
    let module = load(&runtime, &wat(&hoarder(body))).await;
    runtime.invoke(&module, call("t", "{}")).await
}

/// Polls one timer that has ended, named `count` times.
fn polling(count: u32) -> String {
    format!(
        "(local.set $r (call $timer (i64.const 0)))
         (loop $again
            (i32.store (i32.add (i32.const 300000) (i32.mul (local.get $n) (i32.const 4))) (local.get $r))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $n) (i32.const {count}))))
         (call $poll (i32.const 300000) (i32.const {count}) (i32.const 512))"
    )
}

#[tokio::test]
async fn poll_takes_no_more_than_1024_pollables() {
    assert_eq!(output(&run(&polling(1_024)).await), 1);
    assert_eq!(kind(&run(&polling(1_025)).await), "trapped");
}

/// Returns a guest that fails with a message of 64 KiB and details that are a JSON string of `length` bytes in all.
fn failing(length: u32) -> String {
    let (open, close) = (65_535, 65_535 + length - 1);
    format!(
        "(i32.store8 (i32.const {open}) (i32.const 34)) (i32.store8 (i32.const {close}) (i32.const 34))
         (i32.store (i32.const 16) (i32.const 1))
         (i32.store (i32.const 20) (i32.const 96)) (i32.store (i32.const 24) (i32.const 8))
         (i32.store (i32.const 28) (i32.const 65536)) (i32.store (i32.const 32) (i32.const 65000))
         (i32.store (i32.const 36) (i32.const 1))
         (i32.store (i32.const 40) (i32.const {open})) (i32.store (i32.const 44) (i32.const {length}))"
    )
}

#[tokio::test]
async fn error_of_a_tool_has_a_bounded_message_and_bounded_details() {
    for (length, is_kept) in [(65_536, true), (65_537, false)] {
        let report = run(&failing(length)).await;
        let WasmPluginRunError::ToolFailed { code, message, details } = error(&report) else {
            panic!("{:?}", report.result)
        };
        assert_eq!((code.as_str(), message.len()), ("x-header", 4_096));
        assert_eq!(details.is_some(), is_kept, "{length} bytes");
    }
}
