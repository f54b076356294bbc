//! Runs: listed, followed, verified, replayed and cancelled.

use crate::daemon::Daemon;
use crate::modules::{allow, module};
use palyra_api::client::sse::{SseEvent, SseStream};
use palyra_api::modules::RunModuleRequest;
use palyra_api::runs::{ReplayVerdict, RunEnd, RunFilter, RunLine};
use palyra_api::tools::InvokeRequest;
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use palyra_state::verify_receipt;
use serde_json::Value;
use serde_json::value::RawValue;

/// A module that logs two lines and then runs for a long time.
const MURMUR: &str = r#"(module
    (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"one\"}")
    (data (i32.const 100) "{\"op\":\"log.write\",\"level\":\"warn\",\"message\":\"two\"}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $call (i32.const 0) (i32.const 49)))
        (drop (call $call (i32.const 100) (i32.const 49)))
        (loop (br 0)) (i32.const 0)))"#;

/// Higher limits of fuel and time than a test reaches.
const LONG: &str = "[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000\n";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn schema_file(name: &str) -> String {
    format!("{}/../../schemas/json/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_and_shown() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let first = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    daemon.advance(1_000);
    client.invoke("acme.bench.fail", &InvokeRequest::default()).await.unwrap_err();
    let all = client.runs(&RunFilter::default()).await.unwrap();
    let ended: Vec<(&str, &str)> =
        all.runs.iter().map(|run| (run.tool_id.as_str(), run.status.as_str())).collect();
    assert_eq!(ended, [("acme.bench.fail", "failed"), ("acme.bench.echo", "completed")]);
    assert_eq!(all.runs[0].error.as_deref(), Some("tool_failed"));
    let count = async |filter: RunFilter| client.runs(&filter).await.unwrap().runs.len();
    let none = RunFilter::default;
    assert_eq!(count(RunFilter { skill_id: Some("acme.bench".into()), ..none() }).await, 2);
    assert_eq!(count(RunFilter { skill_id: Some("acme.other".into()), ..none() }).await, 0);
    assert_eq!(count(RunFilter { tool_id: Some("acme.bench.echo".into()), ..none() }).await, 1);
    assert_eq!(count(RunFilter { status: Some("failed".into()), ..none() }).await, 1);
    let began = all.runs[0].started_ms;
    assert_eq!(count(RunFilter { since_ms: Some(began), ..none() }).await, 1);
    assert_eq!(count(RunFilter { until_ms: Some(began), ..none() }).await, 1);
    let page = client.runs(&RunFilter { limit: Some(1), ..none() }).await.unwrap();
    assert_eq!(count(RunFilter { before: page.next, ..none() }).await, 1);
    let shown = client.run(&first.run_id).await.unwrap();
    assert_eq!(shown.run, all.runs[1]);
    assert_eq!(shown.run.receipt_leaf, Some(first.receipt.sequence));
    assert_eq!(shown.details["fuel"], first.usage.fuel);
    assert_eq!(problem(client.run("run_none").await).status, 404);
    let odd = RunFilter { status: Some("done".into()), ..none() };
    assert_eq!(problem(client.runs(&odd).await).code.as_str(), "usage");
}

#[tokio::test(flavor = "multi_thread")]
async fn receipt_verifies_without_state_and_daemon() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let run = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let receipt = client.receipt(&run.run_id).await.unwrap();
    let text = serde_json::to_string_pretty(&receipt).unwrap() + "\n";
    let shown = verify_receipt(text.as_bytes(), None).unwrap();
    assert_eq!((shown.run_id.as_str(), shown.completed), (run.run_id.as_str(), true));
    assert_eq!(shown.sequence, run.receipt.sequence);
    let other = text.replace("acme.bench.echo", "acme.bench.fail");
    assert!(verify_receipt(other.as_bytes(), None).is_err());
    assert_eq!(problem(client.receipt("run_none").await).code.as_str(), "not_found");
    // Other programs read receipts by this schema and this example.
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(schema_file("receipt.schema.json")).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let example = schema_file("examples/receipt.json");
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::create_dir_all(schema_file("examples")).unwrap();
        std::fs::write(&example, &text).unwrap();
    }
    let example = std::fs::read_to_string(example).unwrap();
    assert!(verify_receipt(example.as_bytes(), None).unwrap().completed);
    for text in [&text, &example] {
        let value: Value = serde_json::from_str(text).unwrap();
        if let Err(error) = schema.validate(&value) {
            panic!("{error}");
        }
        let mut without = value.clone();
        without["receipt"]["proof"] = Value::Null;
        assert!(!schema.is_valid(&without));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_replayed_from_its_tape() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let input = RawValue::from_string("{\"n\":3}".into()).unwrap();
    let run = client.invoke("acme.bench.echo", &InvokeRequest::with_input(input)).await.unwrap();
    let again = client.replay(&run.run_id).await.unwrap();
    assert_eq!(again.verdict, ReplayVerdict::Identical);
    assert_eq!((again.output["n"].as_u64(), again.usage.fuel), (Some(3), run.usage.fuel));
    let tape = client.tape(&run.run_id).await.unwrap();
    assert!(tape.starts_with(b"{") && tape.len() > 100, "{tape:?}");
    let failed = problem(client.invoke("acme.bench.fail", &InvokeRequest::default()).await);
    assert_eq!(failed.code.as_str(), "tool_failed");
    // Two runs in the same millisecond have no order.
    let filter = RunFilter { status: Some("failed".into()), ..RunFilter::default() };
    let failed = client.runs(&filter).await.unwrap().runs.remove(0);
    assert_eq!(client.replay(&failed.run_id).await.unwrap().error.as_deref(), Some("tool_failed"));
    for missing in [client.replay("run_none").await.map(drop), client.tape("run_none").await.map(drop)] {
        assert_eq!(problem(missing).code.as_str(), "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_under_way_is_followed_and_ended() {
    let daemon = Daemon::start().await;
    daemon.install("long", LONG);
    let client = daemon.over_tcp();
    let caller = client.clone();
    let call = tokio::spawn(async move { caller.invoke("acme.long.spin", &InvokeRequest::default()).await });
    let run_id = loop {
        if let Some(run) = daemon.state().runs().running().into_iter().next() {
            break run.run_id;
        }
        tokio::task::yield_now().await;
    };
    // The row is written before the run is listed as started.
    let mut stream = loop {
        match client.follow_run(&run_id).await {
            Ok(stream) => break stream,
            Err(error) => assert_eq!(error.into_problem().code.as_str(), "not_found"),
        }
    };
    assert_eq!(problem(client.receipt(&run_id).await).code.as_str(), "not_ended");
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    assert_eq!(problem(reader.cancel_run(&run_id).await).code.as_str(), "forbidden");
    let ended = client.cancel_run(&run_id).await.unwrap();
    assert_eq!((ended.status.as_str(), ended.error.as_deref()), ("cancelled", Some("cancelled")));
    let last = stream.next().await.unwrap().unwrap();
    assert_eq!(last.event.as_deref(), Some("finished"));
    assert_eq!(serde_json::from_str::<RunEnd>(&last.data).unwrap().status, "cancelled");
    assert_eq!(stream.next().await.unwrap(), None::<SseEvent>);
    assert_eq!(problem(call.await.unwrap()).code.as_str(), "cancelled");
    assert_eq!(client.run(&run_id).await.unwrap().details["ended_by"], "operator");
    let twice = problem(client.cancel_run(&run_id).await);
    assert_eq!((twice.code.as_str(), twice.status), ("not_under_way", 409));
    assert_eq!(problem(client.cancel_run("run_none").await).code.as_str(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_run_tells_its_lines_and_its_end() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let run = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let lines = client.run_lines(&run.run_id, None).await.unwrap();
    assert_eq!((lines.lines.len(), lines.next), (0, None));
    let mut stream = client.follow_run(&run.run_id).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().event.as_deref(), Some("finished"));
    assert_eq!(problem(client.follow_run("run_none").await.map(drop)).code.as_str(), "not_found");
    assert_eq!(problem(client.run_lines("run_none", None).await).code.as_str(), "not_found");
}

async fn line(stream: &mut SseStream) -> (Option<String>, RunLine) {
    let event = stream.next().await.unwrap().unwrap();
    assert_eq!(event.event.as_deref(), Some("line"), "{event:?}");
    (event.id, serde_json::from_str(&event.data).unwrap())
}

fn told(number: u64, text: &str) -> (Option<String>, RunLine) {
    (Some(number.to_string()), RunLine { number, kind: "log".into(), text: text.into() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_hears_the_log_while_the_run_goes_on_and_no_line_twice() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let client = daemon.over_tcp();
    let caller = client.clone();
    let limits = vec!["fuel=1000000000000".into(), "timeout=600s".into()];
    let request = RunModuleRequest { limits, ..module(MURMUR) };
    let call = tokio::spawn(async move { caller.run_module(&request).await });
    let run_id = loop {
        if let Some(run) = daemon.state().runs().running().into_iter().next() {
            break run.run_id;
        }
        tokio::task::yield_now().await;
    };
    // The row is written before the run is listed as started.
    let mut first = loop {
        match client.follow_run(&run_id).await {
            Ok(stream) => break stream,
            Err(error) => assert_eq!(error.into_problem().code.as_str(), "not_found"),
        }
    };
    let (one, two) = (told(0, "Info log: one"), told(1, "Warn log: two"));
    assert_eq!((line(&mut first).await, line(&mut first).await), (one.clone(), two.clone()));
    assert_eq!(client.run(&run_id).await.unwrap().run.status, "started");
    // A client that lost its connection continues after the last line, and a second follower starts at the first one.
    let mut again = client.follow_run_after(&run_id, Some(0)).await.unwrap();
    assert_eq!(line(&mut again).await, two);
    let mut second = daemon.in_process().follow_run(&run_id).await.unwrap();
    assert_eq!(line(&mut second).await, one);
    client.cancel_run(&run_id).await.unwrap();
    assert_eq!(line(&mut second).await, two);
    for stream in [&mut first, &mut again, &mut second] {
        assert_eq!(stream.next().await.unwrap().unwrap().event.as_deref(), Some("finished"));
        assert_eq!(stream.next().await.unwrap(), None);
    }
    assert_eq!(problem(call.await.unwrap()).code.as_str(), "cancelled");
    // Stored lines have the same numbers.
    let mut kept = client.follow_run_after(&run_id, Some(0)).await.unwrap();
    assert_eq!(line(&mut kept).await, two);
    assert_eq!(kept.next().await.unwrap().unwrap().event.as_deref(), Some("finished"));
    let lines = client.run_lines(&run_id, None).await.unwrap().lines;
    assert_eq!(lines, [one.1, two.1]);
}
