//! Rows G07 to G12 and G14: capabilities are denied without a grant, and a grant permits only what it states.

use crate::harness::*;
use async_trait::async_trait;
use palyra_common::limits::{MAX_MASKED_RESPONSES, MAX_MESSAGE_BYTES};
use palyra_common::{RuntimeLimits, SecretValue, WasmPluginRunError, WasmPluginRunErrorKind};
use palyra_egress::testing::{FixedResolver, TestReply, TestServer};
use palyra_egress::{EgressConfig, EgressGuard};
use palyra_plugins_runtime::{
    BackendError, HostServices, Invocation, MemorySecrets, RunReport, RuntimeConfig, StorageBackend,
    StorageQuota, WasmRuntime,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

const CANARY: &str = "canary-5f3759df-secret";

fn services() -> HostServices {
    let egress = EgressGuard::new(EgressConfig::default()).unwrap();
    let secrets: MemorySecrets =
        [("global/token".parse().unwrap(), SecretValue::new(CANARY))].into_iter().collect();
    HostServices { egress: Some(egress), secrets: Arc::new(secrets), ..HostServices::default() }
}

fn with_services(services: HostServices) -> WasmRuntime {
    WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap()
}

/// Makes two host calls: finds the first handle of a kind, then uses it.
async fn act(
    runtime: &WasmRuntime,
    grants: &[&str],
    find: Option<(&str, &str)>,
    mut operation: Value,
) -> RunReport {
    let module = load(runtime, &wat(&two_calls())).await;
    let first = match find {
        Some((kind, name)) => json!({ "op": "host-capabilities.find", "kind": kind, "name": name }),
        None => json!({ "op": "run.run-id" }),
    };
    operation["handle"] = json!("HANDLE");
    let input = json!([first.to_string(), operation.to_string().replace("\"HANDLE\"", "HHHHHHHHHH")]);
    let limits =
        RuntimeLimits { fuel_budget: 1_000_000_000, max_input_bytes: 4 << 20, ..RuntimeLimits::default() };
    runtime.invoke(&module, Invocation { limits, ..granted(call("t", &input.to_string()), grants) }).await
}

fn get(url: &str) -> Value {
    json!({ "op": "http.send", "request": { "method": "GET", "url": url } })
}

fn denied_grant(report: &RunReport) -> String {
    match error(report) {
        WasmPluginRunError::CapabilityDenied(denial) => denial.grant.clone().unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn g07_guessed_stale_and_foreign_handles() {
    let runtime = with_services(services());
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let grants = ["storage:a/", "channel:news"];
    for handle in [0, 1, 2, -1, -2, i32::MAX, i32::MIN] {
        let request = json!({ "op": "storage.get", "handle": handle, "key": "k" }).to_string();
        let report = runtime.invoke(&module, granted(call("t", &request), &grants)).await;
        assert_eq!(kind(&report), "capability_denied", "{handle}");
        assert_eq!(report.host_calls[0].outcome, "denied");
    }
    let find = json!({ "op": "host-capabilities.find", "kind": "storage", "name": "a/" }).to_string();
    let earlier =
        output(&runtime.invoke(&module, granted(call("t", &find), &grants)).await)["ok"].as_i64().unwrap();
    let stale = json!({ "op": "storage.get", "handle": earlier, "key": "k" }).to_string();
    assert_eq!(
        kind(&runtime.invoke(&module, granted(call("t", &stale), &grants)).await),
        "capability_denied"
    );
    let report =
        act(&runtime, &grants, Some(("channel", "news")), json!({ "op": "storage.get", "key": "k" })).await;
    match error(&report) {
        WasmPluginRunError::CapabilityDenied(denial) => {
            assert!(denial.reason.contains("kind `channel`"), "{denial}")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn g08_a_denial_names_the_grant_that_would_have_allowed_it() {
    let server = TestServer::http(|_| TestReply::ok("{}")).await.unwrap();
    let url = format!("http://{}/items/42", server.address());
    let runtime = with_services(services());
    let report = act(&runtime, &[], Some(("http", &url)), get(&url)).await;
    let grant = denied_grant(&report);
    assert_eq!(grant, format!("http:GET {url}"));
    let report = act(&runtime, &[&grant], Some(("http", &url)), get(&url)).await;
    assert_eq!(output(&report)["ok"]["status"], 200);
    assert_eq!(report.host_calls.iter().filter(|call| call.op == "http.send").count(), 1);
    assert!(report.usage.egress_bytes > 0);
}

#[tokio::test]
async fn g09_a_name_that_resolves_to_a_private_address_is_denied() {
    let server = TestServer::http(|_| TestReply::ok("{}")).await.unwrap();
    let resolver = FixedResolver::new().with("api.example.com", [server.address().ip()]);
    let egress =
        EgressGuard::new(EgressConfig { resolver: Arc::new(resolver), ..EgressConfig::default() }).unwrap();
    let runtime = with_services(HostServices { egress: Some(egress), ..services() });
    let url = format!("http://api.example.com:{}/x", server.address().port());
    let rule = format!("http:GET {url}");
    let report = act(&runtime, &[&rule], Some(("http", &url)), get(&url)).await;
    let grant = denied_grant(&report);
    assert_eq!(grant, "address:127.0.0.1/32");
    let report = act(&runtime, &[&rule, &grant], Some(("http", &url)), get(&url)).await;
    assert_eq!(output(&report)["ok"]["status"], 200);
}

#[tokio::test]
async fn g11_the_canary_is_nowhere() {
    let server = TestServer::http(|request| {
        let sent = request.headers["authorization"].to_str().unwrap().to_owned();
        TestReply::ok(format!("you sent {sent}")).header("x-echo", sent)
    });
    let server = server.await.unwrap();
    let url = format!("http://{}/echo", server.address());
    let host = server.address().ip();
    let runtime = with_services(services());
    let rule = format!("http:* http://{}/**", server.address());
    let secret = format!("secret:global/token hosts={host} inject=bearer");
    let module = load(&runtime, &wat(&two_calls())).await;
    // The first call finds the secret's handle; the second sends it as an injection under the first rule.
    let first =
        json!({ "op": "host-capabilities.find", "kind": "secret", "name": "global/token" }).to_string();
    let second = json!({ "op": "http.send", "handle": -1, "request": {
        "method": "GET", "url": url, "secrets": [{ "secret": "HANDLE", "form": "bearer" }] } });
    let second = second.to_string().replace("\"HANDLE\"", "HHHHHHHHHH");
    let input = json!([first, second]).to_string();
    let report = runtime.invoke(&module, granted(call("t", &input), &[&rule, &secret])).await;
    let answer = output(&report);
    assert_eq!(answer["ok"]["status"], 200, "{answer}");
    assert_eq!(
        server.requests()[0].headers["authorization"],
        format!("Bearer {CANARY}"),
        "the server did get it"
    );
    let tape = String::from_utf8(report.tape.encode()).unwrap();
    for text in [answer.to_string(), tape, format!("{report:?}")] {
        assert!(!text.contains(CANARY));
    }
}

#[tokio::test]
async fn g11_reveal_needs_its_own_word_and_leaves_no_trace() {
    let runtime = with_services(services());
    let reveal = json!({ "op": "secrets.reveal" });
    let closed = "secret:global/token hosts=api.example.com inject=bearer";
    let report = act(&runtime, &[closed], Some(("secret", "token")), reveal.clone()).await;
    assert_eq!(denied_grant(&report), format!("{closed} reveal"));
    let report = act(&runtime, &["secret:global/token reveal"], Some(("secret", "token")), reveal).await;
    let tape = String::from_utf8(report.tape.encode()).unwrap();
    assert!(!tape.contains(CANARY) && !output(&report).to_string().contains(CANARY));
    assert_eq!(report.host_calls.last().unwrap().op, "secrets.reveal");
}

/// A guest cannot pass a secret's value to the log or the journal as the name of something.
#[tokio::test]
async fn g11_no_name_tells_a_secret() {
    let runtime = with_services(services());
    let grants = ["secret:global/token reveal", "storage:a/", "channel:news"];
    let key = format!("x/{CANARY}");
    let (storage, channel) = (Some(("storage", "a/")), Some(("channel", "news")));
    let refused = [
        (storage, json!({ "op": "storage.put", "key": key, "value_text": "1" })),
        (storage, json!({ "op": "storage.get", "key": key })),
        (storage, json!({ "op": "storage.delete", "key": key })),
        (storage, json!({ "op": "storage.list", "prefix": key, "limit": 5 })),
        (storage, json!({ "op": "storage.list", "prefix": "", "cursor": key, "limit": 5 })),
        (channel, json!({ "op": "channels.publish", "content_type": CANARY, "body_text": "1" })),
    ];
    for (find, operation) in refused {
        let report = act(&runtime, &grants, find, operation.clone()).await;
        assert_eq!(kind(&report), "capability_denied", "{operation}");
        assert_value_absent(&report);
    }
    let long = json!({ "op": "channels.publish", "content_type": "a/b", "body_text": "x".repeat(MAX_MESSAGE_BYTES + 1) });
    let report = act(&runtime, &grants, channel, long).await;
    assert_eq!(output(&report)["error"]["code"], "invalid_argument");
    for kind in ["storage", "channel", "secret", "http"] {
        let operation = match kind {
            "storage" => json!({ "op": "storage.get", "key": CANARY }),
            "channel" => json!({ "op": "channels.publish", "content_type": "a/b", "body_text": "1" }),
            "secret" => json!({ "op": "secrets.reveal" }),
            _ => get(&format!("https://{CANARY}.example.com/")),
        };
        let report = act(&runtime, &grants, Some((kind, &key)), operation).await;
        assert_eq!(error(&report).kind(), WasmPluginRunErrorKind::CapabilityDenied, "{kind}");
        assert_value_absent(&report);
    }
}

/// A guest that may only have a secret injected cannot find it out by writing guesses: the first right one ends the run.
#[tokio::test]
async fn guest_that_writes_a_guarded_secret_is_denied() {
    let runtime = with_services(services());
    let injected = "secret:global/token hosts=api.example.com inject=bearer";
    let grants = [injected, "storage:a/", "channel:news"];
    let (storage, channel) = (Some(("storage", "a/")), Some(("channel", "news")));
    let guesses = format!("guess-1 {CANARY} guess-2");
    let hexadecimal = hex::encode(CANARY);
    for (find, operation) in [
        (storage, json!({ "op": "storage.put", "key": "k", "value_text": guesses })),
        (storage, json!({ "op": "storage.put", "key": "k", "value_text": hexadecimal })),
        (storage, json!({ "op": "storage.put", "key": CANARY, "value_text": "1" })),
        (channel, json!({ "op": "channels.publish", "content_type": "a/b", "body_text": guesses })),
    ] {
        let report = act(&runtime, &grants, find, operation.clone()).await;
        match error(&report) {
            WasmPluginRunError::CapabilityDenied(denial) => assert_eq!(denial.subject, "global/token"),
            other => panic!("{operation}: {other:?}"),
        }
        assert_eq!(report.host_calls.last().unwrap().outcome, "denied", "{operation}");
        assert_value_absent(&report);
    }
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let line = json!({ "op": "log.write", "level": "info", "message": guesses }).to_string();
    let report = runtime.invoke(&module, granted(call("t", &line), &grants)).await;
    assert_eq!(kind(&report), "capability_denied");
    assert!(report.log.is_empty(), "{:?}", report.log);
    assert_value_absent(&report);
}

/// A host that repeatedly returns the secret ends the run.
#[tokio::test]
async fn responses_masked_too_often_end_the_run() {
    let server = TestServer::http(|_| TestReply::ok(format!("is it {CANARY}?"))).await.unwrap();
    let runtime = with_services(services());
    let rule = format!("http:* http://{}/**", server.address());
    let secret = format!("secret:global/token hosts={} inject=bearer", server.address().ip());
    let request = json!({ "op": "http.send", "handle": -1,
        "request": { "method": "GET", "url": format!("http://{}/", server.address()) } });
    for (requests, ends) in [(MAX_MASKED_RESPONSES, false), (MAX_MASKED_RESPONSES + 1, true)] {
        let again = format!(
            "(local.set $scratch (i32.const {requests}))
             (loop $again
               (drop (call $input_read (i32.const 0) (i32.const 0) (call $input_length)))
               (local.set $n (call $call (i32.const 0) (call $input_length)))
               (local.set $scratch (i32.sub (local.get $scratch) (i32.const 1)))
               (br_if $again (local.get $scratch)))
             (drop (call $response_read (i32.const 0) (i32.const 0) (local.get $n)))
             (drop (call $output_write (i32.const 0) (local.get $n)))
             (i32.const 0)"
        );
        let module = load(&runtime, &wat(&core(&again))).await;
        let call = granted(call("t", &request.to_string()), &[&rule, &secret]);
        let report = runtime.invoke(&module, call).await;
        if ends {
            assert_eq!(kind(&report), "capability_denied")
        } else {
            assert_eq!(output(&report)["ok"]["body_text"], "is it ****?")
        }
    }
}

/// Checks every part of the report that the run produced; the tape has the input unchanged.
fn assert_value_absent(report: &RunReport) {
    let subjects = report.host_calls.iter().map(|call| call.subject.clone());
    let said = match &report.result {
        Ok(_) => output(report).to_string(),
        Err(error) => format!("{error} {:?} {}", error.hints(), error.details()),
    };
    let steps = format!("{:?}", report.tape.steps);
    for text in subjects.chain([said, steps]) {
        assert!(!text.contains(CANARY), "{text}");
    }
}

#[tokio::test]
async fn g12_storage_stays_in_its_namespace() {
    let runtime = with_services(services());
    let long = "k".repeat(1 << 20);
    for key in ["../b/x", "a/../../x", "nul\u{0}", "/etc", long.as_str(), ""] {
        let report = act(
            &runtime,
            &["storage:a/"],
            Some(("storage", "a/")),
            json!({ "op": "storage.get", "key": key }),
        )
        .await;
        assert_eq!(output(&report)["error"]["code"], "invalid_argument", "{:?}", key.get(..10));
    }
    let put = json!({ "op": "storage.put", "key": "k", "value_text": "mine" });
    let module = load(&runtime, &wat(&two_calls())).await;
    assert_eq!(
        output(&act(&runtime, &["storage:a/"], Some(("storage", "a/")), put).await)["ok"],
        Value::Null
    );
    let input = json!([
        r#"{"op":"host-capabilities.find","kind":"storage","name":"a/"}"#,
        r#"{"op":"storage.get","handle":HHHHHHHHHH,"key":"k"}"#
    ]);
    for (owner, expected) in [("anonymous", json!("mine")), ("another.skill", Value::Null)] {
        let invocation =
            Invocation { owner: Arc::from(owner), ..granted(call("t", &input.to_string()), &["storage:a/"]) };
        assert_eq!(
            output(&runtime.invoke(&module, invocation).await)["ok"]["value_text"],
            expected,
            "{owner}"
        );
    }
}

#[tokio::test]
async fn g12_quota_and_pages() {
    let services = services();
    let quota = StorageQuota { prefix: "a/".into(), max_bytes: u64::MAX, max_keys: u64::MAX };
    for number in 0..2_500 {
        services.storage.put("anonymous", &format!("b/{number:05}"), Vec::new(), &quota).await.unwrap();
    }
    let runtime = with_services(services);
    let list = json!({ "op": "storage.list", "prefix": "", "limit": 1_000_000 });
    let report = act(&runtime, &["storage:b/"], Some(("storage", "b/")), list).await;
    let page = output(&report);
    assert_eq!(page["ok"]["keys"].as_array().unwrap().len(), 1_000);
    assert_eq!(page["ok"]["next"], "00999");
    let put = json!({ "op": "storage.put", "key": "k", "value_text": "0123456789" });
    let report = act(&runtime, &["storage:a/ bytes=10"], Some(("storage", "a/")), put).await;
    assert_eq!(kind(&report), "quota_exceeded(storage)");
}

/// A backend that never answers.
struct Stuck;

#[async_trait]
impl StorageBackend for Stuck {
    async fn get(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, BackendError> {
        std::future::pending().await
    }
    async fn put(&self, _: &str, _: &str, _: Vec<u8>, _: &StorageQuota) -> Result<(), BackendError> {
        std::future::pending().await
    }
    async fn delete(&self, _: &str, _: &str) -> Result<bool, BackendError> {
        std::future::pending().await
    }
    async fn list(&self, _: &str, _: &str, _: Option<&str>, _: usize) -> Result<Vec<String>, BackendError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn g14_a_host_call_that_blocks_ends_at_the_deadline() {
    let runtime = with_services(HostServices { storage: Arc::new(Stuck), ..services() });
    let module = load(&runtime, &wat(&two_calls())).await;
    let input = json!([
        r#"{"op":"host-capabilities.find","kind":"storage","name":"a/"}"#,
        r#"{"op":"storage.get","handle":HHHHHHHHHH,"key":"k"}"#
    ]);
    let limits = RuntimeLimits { wall_clock_timeout_ms: 50, ..RuntimeLimits::default() };
    let started = Instant::now();
    // One worker thread: were it blocked, the second run could not even start.
    for _ in 0..2 {
        let invocation =
            Invocation { limits: limits.clone(), ..granted(call("t", &input.to_string()), &["storage:a/"]) };
        assert_eq!(kind(&runtime.invoke(&module, invocation).await), "timed_out");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn change_below_a_prefix_for_reading_is_a_denied_step() {
    let runtime = with_services(services());
    let put = json!({ "op": "storage.put", "key": "k", "value_text": "first" });
    output(&act(&runtime, &["storage:a/"], Some(("storage", "a/")), put).await);
    let read = act(
        &runtime,
        &["storage-read:a/"],
        Some(("storage", "a/")),
        json!({ "op": "storage.list", "prefix": "", "limit": 5 }),
    )
    .await;
    assert_eq!(output(&read)["ok"]["keys"], json!(["k"]));
    for change in [
        json!({ "op": "storage.put", "key": "k", "value_text": "second" }),
        json!({ "op": "storage.delete", "key": "k" }),
    ] {
        let report = act(&runtime, &["storage-read:a/"], Some(("storage", "a/")), change.clone()).await;
        let WasmPluginRunError::CapabilityDenied(denial) = error(&report) else { panic!("{change}") };
        assert_eq!((denial.subject.as_str(), denial.grant.as_deref()), ("a/k", Some("storage:a/")));
        assert_eq!(denial.reason, "`a/` is granted for reading only");
        let step = report.tape.steps.last().unwrap();
        assert_eq!(
            (step.op.as_str(), &step.answer["Err"]["denied"]["subject"]),
            (change["op"].as_str().unwrap(), &json!("a/k"))
        );
        // The hint of the denial grants exactly the refused operation.
        let grant = denial.grant.clone().unwrap();
        output(&act(&runtime, &[&grant], Some(("storage", "a/")), change).await);
    }
}
