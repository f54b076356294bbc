//! The same call has the same result over every transport, with one receipt each.

use crate::daemon::Daemon;
use crate::grpc::{self, Wire};
use crate::mcp::{self, Editor};
use palyra_api::objectives::ObjectiveRequest;
use palyra_api::routines::RoutineRequest;
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_api::{ClientError, Problem};
use palyra_journal::{EventKind, Query};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A call and its expected outcome: `ok` or an error code.
struct Case {
    tool: &'static str,
    request: InvokeRequest,
    ends: &'static str,
    /// Number of receipts: a call of an unknown tool is not recorded in the journal.
    receipts: usize,
}

fn case(tool: &'static str, input: &str, limits: &[&str], ends: &'static str, receipts: usize) -> Case {
    let request = InvokeRequest {
        limits: limits.iter().map(|&limit| limit.to_owned()).collect(),
        ..InvokeRequest::with_input(RawValue::from_string(input.to_owned()).unwrap())
    };
    Case { tool, request, ends, receipts }
}

fn cases() -> Vec<Case> {
    vec![
        case("acme.bench.echo", r#"{"n": 1, "é": [true, 1.50]}"#, &[], "ok", 1),
        case("acme__bench__echo", "{}", &[], "ok", 1),
        case("acme.bench.nothing", "{}", &[], "not_found", 0),
        case("acme.bench.echo", r#"{"n": "one"}"#, &[], "invalid_input", 1),
        case("acme.bench.echo", r#"{"n": 1}"#, &["input=1"], "quota_exceeded", 1),
        case("acme.bench.trap", "{}", &[], "trapped", 1),
        case("acme.bench.fail", "{}", &[], "tool_failed", 1),
        case("acme.bench.silent", "{}", &[], "invalid_output", 1),
        case("acme.bench.spin", "{}", &["fuel=100000"], "quota_exceeded", 1),
        case("acme.bench.ask", "{}", &[], "approval_required", 1),
        case("acme.off.echo", "{}", &[], "not_runnable", 1),
    ]
}

fn receipts(daemon: &Daemon) -> usize {
    let kinds = vec![EventKind::RunCompleted, EventKind::RunFailed, EventKind::RunRefused];
    daemon.state().journal().query(&Query { kinds, limit: 1_000, ..Query::default() }).unwrap().events.len()
}

/// Removes the fields that differ between runs.
fn comparable(result: Result<InvokeAnswer, ClientError>) -> (String, Value) {
    match result {
        Ok(answer) => {
            let mut told = serde_json::to_value(&answer).unwrap();
            for field in ["run_id", "receipt", "compile_us"] {
                told[field] = Value::Null;
            }
            told["usage"]["elapsed_us"] = Value::Null;
            told["result"] = json!(answer.result.get());
            ("ok".into(), told)
        }
        Err(error) => {
            let problem = Problem { run_id: None, request_id: None, ..error.into_problem() };
            (problem.code.to_string(), json!(problem))
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_result_and_one_receipt_whichever_way_a_call_comes() {
    let daemon = Daemon::with_bench().await;
    daemon.install("off", "");
    daemon.state().skills().disable("acme.off", "not now", "owner").unwrap();
    let wire = Wire::owner(&daemon);
    for Case { tool, request, ends, receipts: wanted } in cases() {
        let mut told = Vec::new();
        for way in ["in process", "socket", "tcp"] {
            let before = receipts(&daemon);
            let result = match way {
                "in process" => daemon.in_process().invoke(tool, &request).await,
                "socket" => daemon.over_socket().invoke(tool, &request).await,
                _ => daemon.over_tcp().invoke(tool, &request).await,
            };
            let (ended, comparable) = comparable(result);
            assert_eq!(ended, ends, "{tool} {way} {comparable}");
            assert_eq!(receipts(&daemon) - before, wanted, "{tool} {way}");
            told.push(comparable);
        }
        assert_eq!(told[0], told[1], "{tool}");
        assert_eq!(told[0], told[2], "{tool}");
        let before = receipts(&daemon);
        let over_grpc = by_grpc(&wire, tool, &request, &told[0]).await;
        assert_eq!(receipts(&daemon) - before, wanted, "{tool} over gRPC");
        assert_eq!(over_grpc, told[0], "{tool} over gRPC");
        // The only limits of a routine are those of its objective.
        if request.limits.iter().all(|limit| limit.starts_with("fuel=")) {
            let before = receipts(&daemon);
            let (ended, output) = by_routine(&daemon, tool, &request).await;
            assert_eq!(ended, ends, "{tool} by a routine");
            // Invalid input is rejected when the routine is added, so nothing fires.
            let wanted = if ends == "invalid_input" { 0 } else { wanted };
            assert_eq!(receipts(&daemon) - before, wanted, "{tool} by a routine");
            if let Some(digest) = output {
                let result = told[0]["result"].as_str().unwrap();
                assert_eq!(digest, palyra_skills::Sha256Digest::of(result.as_bytes()).to_string(), "{tool}");
            }
        }
    }
}

/// Makes the call over gRPC; returns the result in the form of HTTP.
async fn by_grpc(wire: &Wire, tool: &str, request: &InvokeRequest, wanted: &Value) -> Value {
    match grpc::invoke(wire, tool, request).await {
        Err(error) => comparable(Err(error)).1,
        Ok(mut answer) => {
            (answer.run_id, answer.receipt, answer.compile_us) = (String::new(), None, None);
            answer.usage.as_mut().unwrap().elapsed_us = 0;
            let mut told = wanted.clone();
            told["result"] = serde_json::from_str(wanted["result"].as_str().unwrap()).unwrap();
            let mut expected: palyra_api::grpc::gateway::v1::InvokeAnswer =
                serde_json::from_str(&without_nulls(told).to_string()).unwrap();
            expected.result_json = wanted["result"].as_str().unwrap().to_owned();
            assert_eq!(answer, expected, "{tool}");
            wanted.clone()
        }
    }
}

/// Removes null fields.
fn without_nulls(mut told: Value) -> Value {
    let drop_nulls = |fields: &mut Value| fields.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    drop_nulls(&mut told);
    drop_nulls(&mut told["usage"]);
    told
}

/// Makes the call by a routine; returns its outcome and the digest of its output.
async fn by_routine(daemon: &Daemon, tool: &str, request: &InvokeRequest) -> (String, Option<String>) {
    let client = daemon.in_process();
    let input = request.input.as_ref().unwrap().get();
    let mut routine = RoutineRequest { replace: true, ..crate::routines::request("same", tool, input) };
    if let Some(fuel) = request.limits.first() {
        let max_fuel = fuel.rsplit('=').next().unwrap().parse().ok();
        let objective =
            ObjectiveRequest { name: "same".into(), goal: "the same".into(), max_runs: None, max_fuel };
        client.add_objective(&objective).await.unwrap();
        routine.objective = Some("same".into());
    }
    if let Err(error) = client.add_routine(&routine).await {
        return (error.into_problem().code.to_string(), None);
    }
    let fire = client.fire_routine("same").await.unwrap();
    match fire.error {
        Some(code) => (code, None),
        None => {
            let run = client.run(fire.run_id.as_deref().unwrap()).await.unwrap();
            ("ok".into(), run.details["output_sha256"].as_str().map(str::to_owned))
        }
    }
}

/// Returns the part of a result that every transport has; an MCP call has no limits, and its JSON is a parsed value.
fn told_alike(result: Result<InvokeAnswer, ClientError>) -> (String, Value) {
    match result {
        Ok(answer) => ("ok".into(), serde_json::from_str(answer.result.get()).unwrap()),
        Err(error) => {
            let problem = Problem { run_id: None, request_id: None, ..error.into_problem() };
            let mut told = json!(problem);
            // Each call requests its own approval.
            told["details"]["approval_id"] = Value::Null;
            if problem.code.as_str() == "approval_required" {
                told["hints"] = Value::Null;
                told["detail"] = Value::Null;
            }
            (problem.code.to_string(), told)
        }
    }
}

/// The problem of a failed run names the run, so that its row, receipt and tape can be found.
#[tokio::test(flavor = "multi_thread")]
async fn problem_of_a_failed_run_names_the_run() {
    let daemon = Daemon::with_bench().await;
    for way in ["in process", "socket", "tcp"] {
        let request = InvokeRequest::default();
        let invoked = match way {
            "in process" => daemon.in_process().invoke("acme.bench.trap", &request).await,
            "socket" => daemon.over_socket().invoke("acme.bench.trap", &request).await,
            _ => daemon.over_tcp().invoke("acme.bench.trap", &request).await,
        };
        let problem = invoked.unwrap_err().into_problem();
        let run = daemon.over_socket().run(problem.run_id.as_deref().unwrap()).await.unwrap();
        assert_eq!(
            (run.run.tool_id.as_str(), run.run.error.as_deref()),
            ("acme.bench.trap", Some("trapped")),
            "{way}"
        );
    }
    let refused = daemon.over_tcp().invoke("acme.bench.nothing", &InvokeRequest::default()).await;
    assert_eq!(refused.unwrap_err().into_problem().run_id, None, "nothing began");
}

/// A run of a hook passes through the same pipeline: its failures have the codes of any call, and one receipt.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_ends_as_a_call_of_the_same_code_does() {
    let daemon = crate::hooks::daemon().await;
    let cases = [
        ("agree", "ok"),
        ("trap", "trapped"),
        ("fail", "tool_failed"),
        ("silent", "invalid_output"),
        ("nonsense", "invalid_output"),
        ("spin", "quota_exceeded"),
    ];
    for (hook, ends) in cases {
        let request = palyra_api::hooks::BindRequest {
            id: Some(hook.into()),
            event: "run:completed".into(),
            plugin: "acme.watch".into(),
            hook: Some(format!("acme.watch.{hook}")),
            fuel: Some(100_000),
            ..Default::default()
        };
        daemon.over_socket().bind_hook(&request).await.unwrap();
        for way in ["in process", "socket", "tcp"] {
            let before = receipts(&daemon);
            let request = palyra_api::hooks::TestRequest::default();
            let result = match way {
                "in process" => daemon.in_process().test_hook(hook, &request).await,
                "socket" => daemon.over_socket().test_hook(hook, &request).await,
                _ => daemon.over_tcp().test_hook(hook, &request).await,
            };
            let ended = result.map_or_else(|error| error.into_problem().code.to_string(), |_| "ok".into());
            assert_eq!((ended.as_str(), receipts(&daemon) - before), (ends, 1), "{hook} {way}");
        }
    }
    daemon.state().skills().disable("acme.watch", "not now", "owner").unwrap();
    let before = receipts(&daemon);
    let refused =
        daemon.over_socket().test_hook("agree", &Default::default()).await.unwrap_err().into_problem();
    assert_eq!((refused.code.as_str(), receipts(&daemon) - before), ("not_runnable", 1));
}

fn told_by_mcp(result: Result<rmcp::model::CallToolResult, Value>) -> (String, Value) {
    let problem = match result {
        Ok(result) if result.is_error != Some(true) => {
            return ("ok".into(), result.structured_content.unwrap());
        }
        Ok(result) => result.meta.unwrap()["palyra/problem"].clone(),
        Err(problem) => problem,
    };
    let problem: Problem = serde_json::from_value(problem).unwrap();
    told_alike(Err(ClientError::Problem(Box::new(problem))))
}

/// Converts hints and lists to their MCP form: tools by the names the client knows, commands for the operator.
fn as_models_read_it(problem: &mut Value) {
    let hints = problem.get_mut("hints").and_then(Value::as_array_mut);
    for hint in hints.into_iter().flatten() {
        let text = hint.as_str().unwrap();
        let named = text.replace("acme.bench.", "acme__bench__").replace("acme.off.", "acme__off__");
        *hint =
            if text.contains("palyra ") { format!("for the operator: {named}").into() } else { named.into() };
    }
    if let Some(known) = problem.get_mut("details").and_then(|details| details.get_mut("known")) {
        for name in known.as_array_mut().into_iter().flatten() {
            *name = name.as_str().unwrap().replace('.', "__").into();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_over_mcp_ends_as_every_other_and_has_one_receipt() {
    let daemon = Daemon::with_bench().await;
    daemon.install("off", "");
    daemon.state().skills().disable("acme.off", "not now", "owner").unwrap();
    let token = daemon.token_with("editor", &[palyra_common::Scope::Read, palyra_common::Scope::Invoke]);
    let http = daemon.over_tcp_as(&token);
    for (way, lifecycle) in mcp::lifecycles() {
        let clients = [
            Editor::default().over_http(&daemon, &token, lifecycle.clone()).await,
            Editor::default().over_stdio(&daemon, &token, lifecycle).await,
        ];
        for client in &clients {
            for Case { tool, request, ends, receipts: wanted } in cases() {
                if !request.limits.is_empty() {
                    continue;
                }
                let input = serde_json::from_str(request.input.as_ref().unwrap().get()).unwrap();
                let before = receipts(&daemon);
                let over_mcp = told_by_mcp(mcp::call(client, tool, input).await);
                assert_eq!(receipts(&daemon) - before, wanted, "{tool} {way}");
                assert_eq!(over_mcp.0, ends, "{tool} {way} {}", over_mcp.1);
                let mut over_http = told_alike(http.invoke(tool, &request).await);
                as_models_read_it(&mut over_http.1);
                // Names of functions come from the guest and are not shown to models.
                if let Some(details) = over_http.1.get_mut("details").and_then(Value::as_object_mut) {
                    details.remove("backtrace");
                }
                assert_eq!(over_mcp, over_http, "{tool} {way}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_and_tools_are_the_same_on_every_transport() {
    let daemon = Daemon::with_bench().await;
    let (own, remote) = (daemon.in_process(), daemon.over_tcp());
    assert_eq!(own.skills().await.unwrap(), remote.skills().await.unwrap());
    assert_eq!(own.skill("acme.bench").await.unwrap(), remote.skill("acme.bench").await.unwrap());
    assert_eq!(own.tools().await.unwrap(), remote.tools().await.unwrap());
    assert_eq!(own.tools().await.unwrap().tools.len(), 7);
    let found = remote.search_tools("echo & more?", 3).await.unwrap().tools;
    assert_eq!(found[0].tool_id, "acme.bench.echo");
    remote.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let shown = own.tool("acme__bench__echo").await.unwrap();
    assert_eq!((shown.summary.tool_id.as_str(), shown.cost.completed), ("acme.bench.echo", 1));
    for missing in [own.skill("acme.benhc").await.map(drop), remote.tool("../../v1/health").await.map(drop)] {
        let problem = missing.unwrap_err().into_problem();
        assert_eq!((problem.code.as_str(), problem.status), ("not_found", 404));
    }
    let guess = own.skill("acme.benhc").await.unwrap_err().into_problem();
    assert_eq!(guess.hints[0], "did you mean `acme.bench`?");
}
