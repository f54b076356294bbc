//! Gates: called in order before a tool runs; they can only narrow a call, and a missing answer denies it.

use super::{bind, daemon, events, told};
use crate::daemon::Daemon;
use palyra_api::Problem;
use palyra_api::approvals::ApproveRequest;
use palyra_api::hooks::BindRequest;
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_journal::EventKind;
use serde_json::json;

const ECHO: &str = "acme.bench.echo";
const BEFORE: &str = "run:before_tool";

async fn call(daemon: &Daemon, tool: &str) -> Result<InvokeAnswer, Problem> {
    daemon.over_socket().invoke(tool, &InvokeRequest::default()).await.map_err(|error| error.into_problem())
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_decision_is_recorded_in_the_receipt() {
    let daemon = daemon().await;
    bind(&daemon, "agree", BEFORE).await;
    bind(&daemon, "remark", BEFORE).await;
    let answer = call(&daemon, ECHO).await.unwrap();
    let receipts = events(&daemon, &[EventKind::RunCompleted]);
    let receipt = receipts.iter().find(|event| event.event.run.as_ref() == Some(&answer.run_id)).unwrap();
    let gates = receipt.event.details["gates"].as_array().unwrap();
    assert_eq!(
        (gates[0]["binding"].as_str(), gates[0]["decision"].as_str()),
        (Some("agree"), Some("continue"))
    );
    assert_eq!((gates[1]["decision"].as_str(), gates[1]["text"].as_str()), (Some("annotate"), Some("seen")));
    // Each gate has its own run and principal, and its receipt names the binding and the event.
    let own = &told(&daemon, "remark")[0].event;
    assert_eq!(
        (own.actor.as_deref(), own.subject.as_deref()),
        (Some("hook:remark"), Some("acme.watch.remark"))
    );
    assert_eq!(own.details["hook"], json!({ "binding": "remark", "event": BEFORE, "sequence": null }));
    assert_eq!(own.details["decision"], json!({ "annotate": "seen" }));
    assert_eq!(own.run.as_deref(), gates[1]["run"].as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_blocks_with_its_reason() {
    let daemon = daemon().await;
    bind(&daemon, "block", BEFORE).await;
    let problem = call(&daemon, ECHO).await.unwrap_err();
    assert_eq!((problem.code.as_str(), problem.status), ("forbidden", 403));
    assert_eq!(problem.detail, "the gate `block` blocks `acme.bench.echo`: not today");
    assert_eq!(problem.details["gate"]["binding"], "block");
    let refused = events(&daemon, &[EventKind::RunRefused]);
    assert_eq!(refused[0].event.details["gate"], "block");
    // The tool did not run.
    assert!(
        events(&daemon, &[EventKind::RunCompleted])
            .iter()
            .all(|event| event.event.subject.as_deref() != Some(ECHO))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_gives_no_answer_says_no() {
    let daemon = daemon().await;
    let cases = [
        ("trap", "trapped"),
        ("nonsense", "invalid_output"),
        ("silent", "invalid_output"),
        ("fail", "tool_failed"),
        ("spin", "timed_out"),
    ];
    for (hook, code) in cases {
        let request = BindRequest {
            id: Some(hook.into()),
            event: BEFORE.into(),
            plugin: "acme.watch".into(),
            hook: Some(format!("acme.watch.{hook}")),
            timeout_ms: Some(300),
            ..BindRequest::default()
        };
        daemon.over_socket().bind_hook(&request).await.unwrap();
        let problem = call(&daemon, ECHO).await.unwrap_err();
        assert_eq!(problem.code.as_str(), "forbidden", "{hook} {}", problem.detail);
        assert_eq!(problem.details["gate"]["error"], code, "{hook} {}", problem.detail);
        assert!(problem.detail.contains(&format!("the gate `{hook}` failed")), "{}", problem.detail);
        daemon.over_socket().unbind_hook(hook).await.unwrap();
    }
    call(&daemon, ECHO).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_whose_skill_may_not_run_says_no() {
    let daemon = daemon().await;
    bind(&daemon, "agree", BEFORE).await;
    daemon.state().skills().quarantine("acme.watch", "looked odd", "owner").unwrap();
    let problem = call(&daemon, ECHO).await.unwrap_err();
    assert_eq!(
        (problem.code.as_str(), &problem.details["gate"]["error"]),
        ("forbidden", &json!("not_runnable"))
    );
    daemon.state().skills().remove("acme.watch", "owner").unwrap();
    let problem = call(&daemon, ECHO).await.unwrap_err();
    assert_eq!(problem.details["gate"]["error"], "not_found");
    let listed = daemon.over_socket().hooks().await.unwrap();
    assert_eq!(listed.bindings[0].problem.as_deref(), Some("`acme.watch` is not installed"));
    daemon.over_socket().unbind_hook("agree").await.unwrap();
    call(&daemon, ECHO).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn gates_are_asked_in_their_order_and_the_first_no_counts() {
    let daemon = daemon().await;
    for (hook, order) in [("agree", 1), ("block", 2), ("trap", 3)] {
        let request = BindRequest {
            id: Some(hook.into()),
            event: BEFORE.into(),
            plugin: "acme.watch".into(),
            hook: Some(format!("acme.watch.{hook}")),
            order: Some(order),
            ..BindRequest::default()
        };
        daemon.over_socket().bind_hook(&request).await.unwrap();
    }
    assert_eq!(call(&daemon, ECHO).await.unwrap_err().details["gate"]["binding"], "block");
    assert_eq!(
        (told(&daemon, "agree").len(), told(&daemon, "block").len(), told(&daemon, "trap").len()),
        (1, 1, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_asks_for_a_person_and_takes_the_yes() {
    let daemon = daemon().await;
    bind(&daemon, "ask", BEFORE).await;
    let agent = daemon.over_tcp_as(&daemon.token_with("agent", &[palyra_common::Scope::Invoke]));
    let request = InvokeRequest::default();
    let invoke = || agent.invoke(ECHO, &request);
    let problem = invoke().await.unwrap_err().into_problem();
    assert_eq!(problem.code.as_str(), "approval_required");
    let id = problem.details["approval_id"].as_str().unwrap();
    let shown = daemon.over_socket().approval(id).await.unwrap();
    assert_eq!(shown.asked_because.as_deref(), Some("gate `ask`: ask first"));
    daemon.over_socket().approve(id, &ApproveRequest::default()).await.unwrap();
    invoke().await.unwrap();
    assert_eq!(
        invoke().await.unwrap_err().into_problem().code.as_str(),
        "approval_required",
        "a yes is for one call"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_names_the_tools_a_gate_is_asked_about() {
    let daemon = daemon().await;
    let request = BindRequest {
        id: Some("narrow".into()),
        event: BEFORE.into(),
        plugin: "acme.watch".into(),
        hook: Some("acme.watch.block".into()),
        tools: vec!["acme.bench.tr*".into()],
        ..BindRequest::default()
    };
    daemon.over_socket().bind_hook(&request).await.unwrap();
    call(&daemon, ECHO).await.unwrap();
    assert_eq!(call(&daemon, "acme.bench.trap").await.unwrap_err().code.as_str(), "forbidden");
    assert_eq!(
        call(&daemon, "acme__bench__trap").await.unwrap_err().code.as_str(),
        "forbidden",
        "by its other name too"
    );
    daemon.over_socket().switch_hook("narrow", false).await.unwrap();
    assert_eq!(call(&daemon, "acme.bench.trap").await.unwrap_err().code.as_str(), "trapped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_can_keep_hooks_from_running_and_a_gate_says_no_then() {
    let daemon = daemon().await;
    bind(&daemon, "agree", BEFORE).await;
    let policy = concat!(
        include_str!("../../../../palyra-policy/src/default.cedar"),
        "\n@id(\"no-hooks\") @advice(\"hooks do not run\") forbid (principal, action, resource)\n",
        "when { principal.kind == Kind::\"hook\" };"
    );
    daemon.over_socket().set_policy(&palyra_api::policy::PolicyChange { text: policy.into() }).await.unwrap();
    let problem = call(&daemon, ECHO).await.unwrap_err();
    assert_eq!(
        problem.details["gate"],
        json!({ "binding": "agree", "plugin": "acme.watch", "blocked": false, "error": "forbidden" })
    );
}
