//! Guests in five languages and with the SDK, over the same contract.

use crate::harness::*;
use palyra_common::{JsonText, RuntimeLimits, SecretValue, WasmPluginRunError};
use palyra_egress::testing::{TestReply, TestServer};
use palyra_egress::{EgressConfig, EgressGuard};
use palyra_plugins_runtime::{
    Entry, HookDecision, HostServices, Invocation, MemoryChannels, MemorySecrets, ReplayVerdict, RunOutput,
    RunReport, RuntimeConfig, WasmRuntime,
};
use serde_json::{Value, json};
use std::sync::Arc;

const CANARY: &str = "canary-0451-guest";

fn world() -> (WasmRuntime, Arc<MemoryChannels>) {
    let channels = Arc::new(MemoryChannels::default());
    let secrets: MemorySecrets =
        [("global/token".parse().unwrap(), SecretValue::new(CANARY))].into_iter().collect();
    let services = HostServices {
        channels: Arc::clone(&channels) as Arc<_>,
        secrets: Arc::new(secrets),
        egress: Some(EgressGuard::new(EgressConfig::default()).unwrap()),
        ..HostServices::default()
    };
    (WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap(), channels)
}

async fn ask(runtime: &WasmRuntime, guest: &str, tool: &str, input: &Value, grants: &[&str]) -> RunReport {
    let module = load(runtime, &built_guest(guest)).await;
    let limits = RuntimeLimits { fuel_budget: 2_000_000_000, ..RuntimeLimits::default() };
    runtime.invoke(&module, Invocation { limits, ..granted(call(tool, &input.to_string()), grants) }).await
}

#[tokio::test]
async fn rust_echoes_remembers_and_describes_itself() {
    let (runtime, _) = world();
    let report =
        ask(&runtime, "echo-http", "palyra.echo_http.echo", &json!({ "value": { "a": [1] } }), &[]).await;
    assert_eq!(output(&report)["value"], json!({ "a": [1] }));
    let module = load(&runtime, &built_guest("echo-http")).await;
    let describe = Invocation { entry: Entry::Describe, ..call("describe", "{}") };
    let description = output(&runtime.invoke(&module, describe).await);
    let ids: Vec<&str> =
        description["tools"].as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["palyra.echo_http.echo", "palyra.echo_http.fetch", "palyra.echo_http.remember"]);
    assert!(
        module.shape().imports.iter().all(|import| import.starts_with("palyra:plugin/")),
        "{:?}",
        module.shape().imports
    );
}

#[tokio::test]
async fn javascript_keeps_notes() {
    let (runtime, _) = world();
    let grants = ["storage:notes/"];
    let denied = ask(&runtime, "notes-js", "palyra.notes_js.add", &json!({ "text": "milk" }), &[]).await;
    match error(&denied) {
        WasmPluginRunError::CapabilityDenied(denial) => {
            assert_eq!(denial.grant.as_deref(), Some("storage:notes/"))
        }
        other => panic!("{other:?}"),
    }
    for (text, total) in [("milk", 1), ("brød", 2)] {
        let report =
            ask(&runtime, "notes-js", "palyra.notes_js.add", &json!({ "text": text }), &grants).await;
        assert_eq!(output(&report)["total"], total);
    }
    let report = ask(&runtime, "notes-js", "palyra.notes_js.list", &json!({}), &grants).await;
    assert_eq!(output(&report)["notes"][1]["text"], "brød");
}

#[tokio::test]
async fn python_describes_numbers_and_reports() {
    let (runtime, channels) = world();
    let input = json!({ "numbers": [1, 2, 3, 4], "report": true });
    let report =
        ask(&runtime, "stats-python", "palyra.stats_python.describe", &input, &["channel:reports"]).await;
    assert_eq!((&output(&report)["mean"], &output(&report)["count"]), (&json!(2.5), &json!(4)));
    assert_eq!(channels.messages().len(), 1);
    assert_eq!(channels.messages()[0].channel.as_str(), "reports");
}

#[tokio::test]
async fn c_counts_words_over_calls() {
    let (runtime, _) = world();
    let input = json!({ "text": "one two  three" });
    let report = ask(&runtime, "wordcount-c", "palyra.wordcount_c.count", &input, &["storage:totals/"]).await;
    assert_eq!(output(&report)["words"], 3);
}

#[tokio::test]
async fn wat_counts_through_host_calls() {
    let (runtime, _) = world();
    for count in [5, 10] {
        let report =
            ask(&runtime, "counter-wat", "counter", &json!({ "step": 5 }), &["storage:counters/"]).await;
        assert_eq!(output(&report)["count"], count);
    }
    let denied = ask(&runtime, "counter-wat", "counter", &json!({}), &[]).await;
    assert_eq!(kind(&denied), "capability_denied");
}

#[tokio::test]
async fn every_capability_works_through_the_sdk() {
    let server = TestServer::http(|request| {
        let authorization =
            request.headers.get("authorization").map(|v| v.to_str().unwrap().to_owned()).unwrap_or_default();
        TestReply::ok(format!("{} {} {authorization}", request.method, request.target))
    });
    let server = server.await.unwrap();
    let (runtime, channels) = world();
    let rule = format!("http:* http://{}/**", server.address());
    let secret = format!("secret:global/token hosts={} inject=bearer reveal", server.address().ip());
    let grants = [rule.as_str(), secret.as_str(), "storage:cache/", "channel:news"];
    let url = format!("http://{}/x?q=1", server.address());
    let tool = |name: &str| format!("capabilities.{name}");
    let run =
        async |name: &str, input: Value| ask(&runtime, "capabilities", &tool(name), &input, &grants).await;

    let answer = output(&run("http_get", json!({ "url": url })).await);
    assert_eq!(answer["status"], 200);
    let answer = run("http_get", json!({ "url": url, "bearer": "global/token" })).await;
    assert_eq!(server.requests().last().unwrap().headers["authorization"], format!("Bearer {CANARY}"));
    assert!(!output(&answer).to_string().contains(CANARY));
    assert_eq!(
        output(&run("storage_put", json!({ "prefix": "cache/", "key": "a", "value": "1" })).await),
        Value::Null
    );
    assert_eq!(output(&run("storage_get", json!({ "prefix": "cache/", "key": "a" })).await), "1");
    assert_eq!(output(&run("storage_list", json!({ "prefix": "cache/", "start": "" })).await), json!(["a"]));
    assert_eq!(output(&run("storage_delete", json!({ "prefix": "cache/", "key": "a" })).await), true);
    run("channel_publish", json!({ "channel": "news", "content_type": "text/plain", "body": "hi" })).await;
    assert_eq!(channels.messages().last().unwrap().body, b"hi");
    let report = run("log", json!({ "level": "warn", "message": "careful" })).await;
    assert_eq!(report.log[0].message, "careful");
    let facts = output(&run("run", json!({})).await);
    assert_eq!(
        (facts["run_id"].as_str(), facts["tool_id"].as_str()),
        (Some("run"), Some("capabilities.run"))
    );
    // The value was revealed to the guest but is masked in its output.
    assert!(
        !output(&run("secret_reveal", json!({ "name": "global/token" })).await).to_string().contains(CANARY)
    );

    let report = run("http_get", json!({ "url": url })).await;
    let tape = Arc::new(report.tape.clone());
    let module = load(&runtime, &built_guest("capabilities")).await;
    let requests = server.requests().len();
    let replay = Invocation {
        entry: tape.header.entry.clone(),
        grants: Arc::clone(&tape.header.grants),
        limits: tape.header.limits.clone(),
        replay: Some(Arc::clone(&tape)),
        ..call("t", tape.header.input.as_str())
    };
    let again = runtime.invoke(&module, replay).await;
    assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), output(&report)));
    assert_eq!(server.requests().len(), requests, "a replay asks nobody");
}

#[tokio::test]
async fn bad_components_end_as_their_row_says() {
    let (runtime, _) = world();
    let module = load(&runtime, &built_guest("misbehave")).await;
    let many = json!({ "count": 1_000 });
    for (tool, input, expected) in [
        ("loop", json!({}), "quota_exceeded(fuel)"),
        ("recurse", json!({}), "trapped"),
        ("panic", json!({}), "trapped"),
        ("allocate", json!({}), "quota_exceeded(memory)"),
        ("huge_output", json!({ "bytes": 5 << 20 }), "quota_exceeded(output)"),
        ("huge_output", json!({ "bytes": 10 << 20 }), "quota_exceeded(output)"),
        ("not_json", json!({}), "invalid_output"),
        ("empty_output", json!({}), "invalid_output"),
        ("deep_output", json!({}), "invalid_output"),
        ("swallow_denial", json!({}), "capability_denied"),
        ("flood_log", json!({ "count": 1000, "bytes": 4000 }), "quota_exceeded(log)"),
        ("guess_handle", json!({}), "capability_denied"),
        ("many_host_calls", many, "capability_denied"),
        ("nothing", json!({}), "tool_failed"),
    ] {
        let limits = RuntimeLimits { fuel_budget: 400_000_000, ..RuntimeLimits::default() };
        let invocation = Invocation { limits, ..call(&format!("misbehave.{tool}"), &input.to_string()) };
        let report = runtime.invoke(&module, invocation).await;
        assert_eq!(kind(&report), expected, "{tool}: {:?}", error(&report));
    }
    for _ in 0..3 {
        let report = runtime.invoke(&module, call("misbehave.state", "{}")).await;
        assert_eq!(output(&report)["calls"], 1, "G16");
    }
}

#[tokio::test]
async fn hooks_decide() {
    let (runtime, _) = world();
    let module = load(&runtime, &built_guest("hooks")).await;
    let decide = async |id: &str, tool: &str| {
        let entry = Entry::Hook { id: id.into(), event: "run:before_tool".into(), export: None };
        let operator_config = JsonText::parse(r#"{"block":["acme.erase"],"ask":["acme.pay"]}"#).unwrap();
        let input = json!({ "tool_id": tool }).to_string();
        runtime.invoke(&module, Invocation { entry, operator_config, ..call("t", &input) }).await.result
    };
    assert_eq!(decide("hooks.gate", "acme.read").await, Ok(RunOutput::Decision(HookDecision::Continue)));
    assert!(matches!(
        decide("hooks.gate", "acme.erase").await,
        Ok(RunOutput::Decision(HookDecision::Block(_)))
    ));
    assert!(matches!(
        decide("hooks.gate", "acme.pay").await,
        Ok(RunOutput::Decision(HookDecision::RequestApproval(_)))
    ));
    assert!(matches!(decide("hooks.remark", "x").await, Ok(RunOutput::Decision(HookDecision::Annotate(_)))));
    assert!(matches!(decide("hooks.broken", "x").await, Err(WasmPluginRunError::ToolFailed { .. })));
}
