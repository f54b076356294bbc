//! `wasi:http` goes through the same guard and the same tape as `http`.

use crate::harness::*;
use palyra_common::WasmPluginRunError;
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
    for grants in [vec![], vec![other.as_str()]] {
        let report = send(&runtime, &json!({ "url": url }), &grants).await;
        match error(&report) {
            WasmPluginRunError::CapabilityDenied(denial) => {
                assert_eq!(denial.grant.as_deref(), Some(format!("http:GET {url}").as_str()))
            }
            other => panic!("{other:?}"),
        }
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
