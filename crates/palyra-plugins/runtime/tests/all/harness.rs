//! Shared test code: runtimes, guests and invocations.

use palyra_common::capabilities::OperatorGrants;
use palyra_common::{JsonText, WasmPluginRunError};
use palyra_plugins_runtime::{Entry, Invocation, LoadedModule, RunReport, RuntimeConfig, WasmRuntime};
use std::sync::Arc;

/// A runtime configuration for tests.
pub(crate) fn config() -> RuntimeConfig {
    RuntimeConfig { max_concurrent_runs: 64, ..RuntimeConfig::default() }
}

pub(crate) fn runtime() -> WasmRuntime {
    WasmRuntime::new(config()).unwrap()
}

/// Binary WebAssembly from text.
pub(crate) fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) async fn load(runtime: &WasmRuntime, bytes: &[u8]) -> Arc<LoadedModule> {
    runtime.load(bytes).await.unwrap_or_else(|error| panic!("{error}"))
}

/// Creates a call with an input and no grants.
pub(crate) fn call(tool: &str, input: &str) -> Invocation {
    Invocation::tool(tool, JsonText::parse(input).unwrap())
}

pub(crate) fn with_export(mut invocation: Invocation, export: &str) -> Invocation {
    if let Entry::Tool { export: slot, .. } = &mut invocation.entry {
        *slot = Some(export.to_owned());
    }
    invocation
}

/// Returns the invocation with these grants.
pub(crate) fn granted(mut invocation: Invocation, grants: &[&str]) -> Invocation {
    let grants = OperatorGrants::parse(grants).unwrap_or_else(|error| panic!("{error}"));
    invocation.grants = Arc::new(grants.capabilities);
    invocation.allow_addresses = grants.allow_addresses.into();
    invocation
}

pub(crate) fn output(report: &RunReport) -> serde_json::Value {
    match &report.result {
        Ok(output) => serde_json::from_str(output.json().unwrap().as_str()).unwrap(),
        Err(error) => panic!("{error} {:?} log {:?}", error.details(), report.log),
    }
}

pub(crate) fn error(report: &RunReport) -> &WasmPluginRunError {
    match &report.result {
        Ok(output) => panic!("the run went well: {output:?}"),
        Err(error) => error,
    }
}

/// `(kind, limit)` of a failed run.
pub(crate) fn kind(report: &RunReport) -> String {
    match error(report) {
        WasmPluginRunError::QuotaExceeded { limit, .. } => format!("quota_exceeded({limit})"),
        other => other.kind().wire_name().to_owned(),
    }
}

/// Returns a core module whose entry function has this body; `$scratch` and `$n` are free locals.
pub(crate) fn core(body: &str) -> String {
    format!(
        r#"(module
        (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
        (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
        (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
        (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
        (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))
        (import "palyra:plugin/host-capabilities@1.0.0" "storage-handle" (func $storage_handle (param i32) (result i32)))
        (import "palyra:plugin/host-capabilities@1.0.0" "storage-count" (func $storage_count (result i32)))
        (memory (export "memory") 2)
        (func (export "palyra_plugin_main") (result i32) (local $n i32) (local $scratch i32)
          {body}))"#
    )
}

/// A core module that passes its input to `host-call` and returns the response.
pub(crate) const PASS_THROUGH: &str = "
    (local.set $n (call $input_length))
    (drop (call $input_read (i32.const 0) (i32.const 0) (local.get $n)))
    (local.set $n (call $call (i32.const 0) (local.get $n)))
    (drop (call $response_read (i32.const 0) (i32.const 0) (local.get $n)))
    (drop (call $output_write (i32.const 0) (local.get $n)))
    (i32.const 0)";

/// A core module that returns its input.
pub(crate) const ECHO: &str = "
    (local.set $n (call $input_length))
    (drop (call $input_read (i32.const 0) (i32.const 0) (local.get $n)))
    (drop (call $output_write (i32.const 0) (local.get $n)))
    (i32.const 0)";

/// Sends the first request, inserts the number from its response into the second, sends that and returns its response.
///
/// The input is `["request one","request two"]` with quotes escaped; the guest unescapes as it reads.
pub(crate) fn two_calls() -> String {
    r#"(module
      (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
      (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
      (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
      (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
      (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))
      (memory (export "memory") 64)
      (global $at (mut i32) (i32.const 0))
      ;; Copies the next JSON string, unescaped, to $to and returns its length.
      (func $next (param $to i32) (result i32) (local $start i32) (local $c i32)
        (local.set $start (local.get $to))
        (block $found (loop $skip
          (local.set $c (i32.load8_u (global.get $at)))
          (global.set $at (i32.add (global.get $at) (i32.const 1)))
          (br_if $found (i32.eq (local.get $c) (i32.const 34)))
          (br $skip)))
        (block $done (loop $copy
          (local.set $c (i32.load8_u (global.get $at)))
          (global.set $at (i32.add (global.get $at) (i32.const 1)))
          (br_if $done (i32.eq (local.get $c) (i32.const 34)))
          (if (i32.eq (local.get $c) (i32.const 92)) (then
            (local.set $c (i32.load8_u (global.get $at)))
            (global.set $at (i32.add (global.get $at) (i32.const 1)))))
          (i32.store8 (local.get $to) (local.get $c))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (br $copy)))
        (i32.sub (local.get $to) (local.get $start)))
      (func (export "palyra_plugin_main") (result i32) (local $n i32) (local $m i32) (local $i i32) (local $d i32)
        (drop (call $input_read (i32.const 0) (i32.const 0) (call $input_length)))
        (local.set $n (call $next (i32.const 1000000)))
        (local.set $m (call $next (i32.const 2000000)))
        (local.set $n (call $call (i32.const 1000000) (local.get $n)))
        (drop (call $response_read (i32.const 1000000) (i32.const 0) (local.get $n)))
        ;; {"ok":123} -> digits from offset 6; the ten H become those digits, padded with blanks in front.
        (local.set $i (i32.const 2000000))
        (block $patched (loop $look
          (br_if $patched (i32.ge_u (local.get $i) (i32.add (i32.const 2000000) (local.get $m))))
          (if (i32.and (i32.eq (i32.load8_u (local.get $i)) (i32.const 72)) (i32.eq (i32.load8_u offset=9 (local.get $i)) (i32.const 72))) (then
            (local.set $d (i32.const 0))
            (block $end (loop $digit
              (br_if $end (i32.ge_u (local.get $d) (i32.const 10)))
              (i32.store8 (i32.add (local.get $i) (local.get $d)) (i32.const 32))
              (if (i32.lt_u (local.get $d) (i32.sub (local.get $n) (i32.const 7))) (then
                (i32.store8 (i32.add (local.get $i) (local.get $d)) (i32.load8_u (i32.add (i32.const 1000006) (local.get $d))))))
              (local.set $d (i32.add (local.get $d) (i32.const 1)))
              (br $digit)))
            (br $patched)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $look)))
        (local.set $n (call $call (i32.const 2000000) (local.get $m)))
        (drop (call $response_read (i32.const 1000000) (i32.const 0) (local.get $n)))
        (drop (call $output_write (i32.const 1000000) (local.get $n)))
        (i32.const 0)))"#
        .to_owned()
}

/// A guest built from source by `cargo xtask guests`.
pub(crate) fn built_guest(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../target/guests")
        .join(format!("{name}.wasm"));
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask guests` first", path.display()))
}
