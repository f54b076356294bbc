//! `wasi:http` goes through the same guard and the same tape as `http`.

use crate::harness::*;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use palyra_egress::testing::{TestReply, TestServer};
use palyra_egress::{EgressConfig, EgressGuard};
use palyra_plugins_runtime::{
    HostServices, Invocation, ReplayVerdict, RunReport, RuntimeConfig, WasmRuntime,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn connected() -> WasmRuntime {
    let services = HostServices {
        egress: Some(EgressGuard::new(EgressConfig::default()).unwrap()),
        ..HostServices::default()
    };
    WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap()
}

async fn send(runtime: &WasmRuntime, input: &Value, grants: &[&str]) -> RunReport {
    let module = load(runtime, &built_guest("wasi-http")).await;
    runtime.invoke(&module, granted(call("send", &input.to_string()), grants)).await
}

#[tokio::test]
async fn a_granted_request_works_and_replays_without_the_server() {
    let server =
        TestServer::http(|request| TestReply::ok(format!("{} {}", request.method, "x".repeat(200_000))));
    let server = server.await.unwrap();
    let runtime = connected();
    let url = format!("http://{}/items/1", server.address());
    let grant = format!("http:GET,POST http://{}/items/*", server.address());
    let input = json!({ "url": url, "body": "b".repeat(10_000) });
    let live = send(&runtime, &input, &[&grant]).await;
    let answer = output(&live);
    assert_eq!(
        (answer["status"].as_u64(), answer["body"].as_str().unwrap().len()),
        (Some(200), 200_005),
        "{answer:.100}"
    );
    assert_eq!(server.requests()[0].body.len(), 10_000);
    drop(server);

    let module = load(&runtime, &built_guest("wasi-http")).await;
    let tape = Arc::new(live.tape.clone());
    let replay = Invocation { replay: Some(tape), ..granted(call("send", &input.to_string()), &[&grant]) };
    let again = runtime.invoke(&module, replay).await;
    assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), answer));
}

#[tokio::test]
async fn a_request_that_is_not_granted_ends_the_run() {
    let server = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    let runtime = connected();
    let url = format!("http://{}/items/1", server.address());
    let other = format!("http:GET http://{}/other", server.address());
    // Without any rule the run ends before there is a request, so the exact grant is unknown.
    let sent = format!("http:GET {url}");
    for (grants, expected) in [(vec![], "http:GET https://HOST/PATH"), (vec![other.as_str()], sent.as_str())]
    {
        let report = send(&runtime, &json!({ "url": url }), &grants).await;
        match error(&report) {
            WasmPluginRunError::CapabilityDenied(denial) => {
                assert_eq!(denial.grant.as_deref(), Some(expected));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(report.usage.host_calls, 1, "a denied step is a step");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_response_over_the_cap_is_a_quota() {
    let server = TestServer::http(|_| TestReply::ok("x".repeat(100_000))).await.unwrap();
    let grant = format!("http:GET http://{}/** response=1KiB", server.address());
    let report =
        send(&connected(), &json!({ "url": format!("http://{}/", server.address()) }), &[&grant]).await;
    assert_eq!(kind(&report), "quota_exceeded(egress)");
}

/// Sends 40 requests and keeps every response unread.
fn hoarding_answers(authority: &str) -> String {
    format!(
        r#"(component
    (import "palyra:plugin/types@1.0.0" (instance $types
        (type $fields (record (field "code" string) (field "message" string) (field "details-json" (option string))))
        (export "tool-error" (type (eq $fields)))))
    (alias export $types "tool-error" (type $tool-error))
    (import "wasi:io/poll@0.2.0" (instance $polls
        (export "pollable" (type $pollable (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $pollable))))))
    (alias export $polls "pollable" (type $pollable))
    (import "wasi:http/types@0.2.0" (instance $http
        (alias outer 1 $pollable (type $poll))
        (export "pollable" (type $pollable (eq $poll)))
        (export "fields" (type $fields (sub resource)))
        (export "outgoing-request" (type $request (sub resource)))
        (export "request-options" (type $options (sub resource)))
        (export "future-incoming-response" (type $future (sub resource)))
        (type $scheme-cases (variant (case "HTTP") (case "HTTPS") (case "other" string)))
        (export "scheme" (type $scheme (eq $scheme-cases)))
        (type $dns (record (field "rcode" (option string)) (field "info-code" (option u16))))
        (export "DNS-error-payload" (type $dns-error (eq $dns)))
        (type $alert (record (field "alert-id" (option u8)) (field "alert-message" (option string))))
        (export "TLS-alert-received-payload" (type $tls-alert (eq $alert)))
        (type $size (record (field "field-name" (option string)) (field "field-size" (option u32))))
        (export "field-size-payload" (type $field-size (eq $size)))
        (type $codes (variant
            (case "DNS-timeout") (case "DNS-error" $dns-error) (case "destination-not-found")
            (case "destination-unavailable") (case "destination-IP-prohibited") (case "destination-IP-unroutable")
            (case "connection-refused") (case "connection-terminated") (case "connection-timeout")
            (case "connection-read-timeout") (case "connection-write-timeout") (case "connection-limit-reached")
            (case "TLS-protocol-error") (case "TLS-certificate-error") (case "TLS-alert-received" $tls-alert)
            (case "HTTP-request-denied") (case "HTTP-request-length-required")
            (case "HTTP-request-body-size" (option u64)) (case "HTTP-request-method-invalid")
            (case "HTTP-request-URI-invalid") (case "HTTP-request-URI-too-long")
            (case "HTTP-request-header-section-size" (option u32))
            (case "HTTP-request-header-size" (option $field-size))
            (case "HTTP-request-trailer-section-size" (option u32)) (case "HTTP-request-trailer-size" $field-size)
            (case "HTTP-response-incomplete") (case "HTTP-response-header-section-size" (option u32))
            (case "HTTP-response-header-size" $field-size) (case "HTTP-response-body-size" (option u64))
            (case "HTTP-response-trailer-section-size" (option u32)) (case "HTTP-response-trailer-size" $field-size)
            (case "HTTP-response-transfer-coding" (option string)) (case "HTTP-response-content-coding" (option string))
            (case "HTTP-response-timeout") (case "HTTP-upgrade-failed") (case "HTTP-protocol-error")
            (case "loop-detected") (case "configuration-error") (case "internal-error" (option string))))
        (export "error-code" (type $error-code (eq $codes)))
        (export "[constructor]fields" (func (result (own $fields))))
        (export "[constructor]outgoing-request" (func (param "headers" (own $fields)) (result (own $request))))
        (export "[method]outgoing-request.set-scheme"
            (func (param "self" (borrow $request)) (param "scheme" (option $scheme)) (result (result))))
        (export "[method]outgoing-request.set-authority"
            (func (param "self" (borrow $request)) (param "authority" (option string)) (result (result))))
        (export "[method]outgoing-request.set-path-with-query"
            (func (param "self" (borrow $request)) (param "path-with-query" (option string)) (result (result))))
        (export "[method]future-incoming-response.subscribe"
            (func (param "self" (borrow $future)) (result (own $pollable))))))
    (alias export $http "outgoing-request" (type $request))
    (alias export $http "request-options" (type $options))
    (alias export $http "future-incoming-response" (type $future))
    (alias export $http "error-code" (type $error-code))
    (import "wasi:http/outgoing-handler@0.2.0" (instance $handler
        (alias outer 1 $request (type $r)) (export "outgoing-request" (type $request (eq $r)))
        (alias outer 1 $options (type $o)) (export "request-options" (type $options (eq $o)))
        (alias outer 1 $future (type $f)) (export "future-incoming-response" (type $future (eq $f)))
        (alias outer 1 $error-code (type $e)) (export "error-code" (type $error-code (eq $e)))
        (export "handle" (func (param "request" (own $request)) (param "options" (option (own $options)))
            (result (result (own $future) (error $error-code)))))))
    (core module $libc
        (memory (export "memory") 1)
        (global $top (mut i32) (i32.const 16384))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
            (local.set $at (global.get $top))
            (global.set $top
                (i32.and (i32.add (i32.add (global.get $top) (local.get 3)) (i32.const 7)) (i32.const -8)))
            (local.get $at))
        (data (i32.const 16) "\00\00\00\00\40\00\00\00\01\00\00\00")
        (data (i32.const 64) "1")
        (data (i32.const 120) "/")
        (data (i32.const 128) "{authority}"))
    (core instance $libc (instantiate $libc))
    (core func $fields (canon lower (func $http "[constructor]fields")))
    (core func $request (canon lower (func $http "[constructor]outgoing-request")))
    (core func $scheme (canon lower (func $http "[method]outgoing-request.set-scheme") (memory $libc "memory")))
    (core func $authority
        (canon lower (func $http "[method]outgoing-request.set-authority") (memory $libc "memory")))
    (core func $path
        (canon lower (func $http "[method]outgoing-request.set-path-with-query") (memory $libc "memory")))
    (core func $subscribe (canon lower (func $http "[method]future-incoming-response.subscribe")))
    (core func $handle (canon lower (func $handler "handle") (memory $libc "memory")
        (realloc (func $libc "realloc"))))
    (core func $block (canon lower (func $polls "[method]pollable.block")))
    (core module $guest
        (import "libc" "memory" (memory 1))
        (import "host" "fields" (func $fields (result i32)))
        (import "host" "request" (func $request (param i32) (result i32)))
        (import "host" "scheme" (func $scheme (param i32 i32 i32 i32 i32) (result i32)))
        (import "host" "authority" (func $authority (param i32 i32 i32 i32) (result i32)))
        (import "host" "path" (func $path (param i32 i32 i32 i32) (result i32)))
        (import "host" "subscribe" (func $subscribe (param i32) (result i32)))
        (import "host" "handle" (func $handle (param i32 i32 i32 i32)))
        (import "host" "block" (func $block (param i32)))
        (func (export "invoke") (param i32 i32 i32 i32) (result i32) (local $n i32) (local $r i32)
            (loop $again
                (local.set $r (call $request (call $fields)))
                (drop (call $scheme (local.get $r) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
                (drop (call $authority (local.get $r) (i32.const 1) (i32.const 128) (i32.const {length})))
                (drop (call $path (local.get $r) (i32.const 1) (i32.const 120) (i32.const 1)))
                (call $handle (local.get $r) (i32.const 0) (i32.const 0) (i32.const 512))
                (if (i32.load8_u (i32.const 512)) (then unreachable))
                (call $block (call $subscribe (i32.load (i32.const 520))))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $again (i32.lt_u (local.get $n) (i32.const 40))))
            (i32.const 16)))
    (core instance $guest (instantiate $guest
        (with "libc" (instance $libc))
        (with "host" (instance
            (export "fields" (func $fields)) (export "request" (func $request)) (export "scheme" (func $scheme))
            (export "authority" (func $authority)) (export "path" (func $path)) (export "subscribe" (func $subscribe))
            (export "handle" (func $handle)) (export "block" (func $block))))))
    (func $invoke (param "tool-id" string) (param "input-json" string) (result (result string (error $tool-error)))
        (canon lift (core func $guest "invoke") (memory $libc "memory") (realloc (func $libc "realloc"))))
    (instance $tools (export "tool-error" (type $tool-error)) (export "invoke" (func $invoke)))
    (export "palyra:plugin/tools@1.0.0" (instance $tools)))"#,
        length = authority.len(),
    )
}

#[tokio::test]
async fn wasi_http_answers_count_as_memory() {
    let server = TestServer::http(|_| TestReply::ok("x".repeat(1 << 20))).await.unwrap();
    let runtime = connected();
    let module = load(&runtime, &wat(&hoarding_answers(&server.address().to_string()))).await;
    let grant = format!("http:GET http://{}/**", server.address());
    let run = async |memory: u64| {
        let limits =
            RuntimeLimits { max_memory_bytes: memory, max_egress_bytes: 1 << 30, ..RuntimeLimits::default() };
        runtime.invoke(&module, granted(Invocation { limits, ..call("t", "{}") }, &[&grant])).await
    };
    assert_eq!(kind(&run(8 << 20).await), "quota_exceeded(memory)");
    let report = run(64 << 20).await;
    assert_eq!(output(&report), 1);
    assert!(report.usage.peak_memory_bytes > 40 << 20, "{}", report.usage.peak_memory_bytes);
}
