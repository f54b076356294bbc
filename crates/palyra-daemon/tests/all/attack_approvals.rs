//! Attacks on approvals over HTTP, gRPC and MCP: no call runs with an approval of another request.

use crate::daemon::Daemon;
use crate::mcp::{Editor, call, lifecycles, number, problem as mcp_problem};
use crate::raw;
use crate::routines::request as routine;
use palyra_api::approvals::{Approval, ApprovalQuery, ApprovalScope, ApprovalStatus, ApproveRequest};
use palyra_api::client::remote::Remote;
use palyra_api::policy::PolicyChange;
use palyra_api::tokens::NewTokenRequest;
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError, Problem};
use palyra_common::Scope;
use palyra_skills::Sha256Digest;
use serde_json::json;
use serde_json::value::RawValue;

const ASK: &str = "acme.bench.ask";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn with(input: &str) -> InvokeRequest {
    InvokeRequest::with_input(RawValue::from_string(input.to_owned()).unwrap())
}

async fn asked(client: &Client<Remote>, input: &str) -> String {
    let problem = problem(client.invoke(ASK, &with(input)).await);
    assert_eq!(problem.code.as_str(), "approval_required", "{problem:?}");
    problem.details["approval_id"].as_str().unwrap().to_owned()
}

fn client(daemon: &Daemon, name: &str, scopes: &[Scope]) -> Client<Remote> {
    daemon.over_tcp_as(&daemon.token_with(name, scopes))
}

async fn pending(person: &Client<Remote>) -> Vec<Approval> {
    let query = ApprovalQuery { status: Some(ApprovalStatus::Pending), ..ApprovalQuery::default() };
    person.approvals(&query).await.unwrap().approvals
}

const MCP: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// Opens an MCP session; returns its id.
async fn open_mcp_session(daemon: &Daemon, token: &str) -> String {
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } } });
    let reply = raw::ask(daemon, "POST", "/mcp", Some(token), &MCP, &hello.to_string()).await;
    let line = reply.head.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    line.unwrap_or_else(|| panic!("{reply:?}")).split_once(':').unwrap().1.trim().to_owned()
}

/// Sends a message in an MCP session; returns the status of the response.
async fn use_mcp_session(daemon: &Daemon, token: &str, session: &str) -> u16 {
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    let headers = [MCP[0], MCP[1], ("Mcp-Session-Id", session)];
    raw::ask(daemon, "POST", "/mcp", Some(token), &headers, &message).await.status
}

fn yes() -> ApproveRequest {
    ApproveRequest::default()
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_behind_a_cut_cannot_be_approved_blindly() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let input = format!(r#"{{"a":"{}","z_command":"rm -rf /"}}"#, "x".repeat(5_000));
    let id = asked(&agent, &input).await;
    let listed = &pending(&person).await[0];
    let digest = Sha256Digest::of(input.as_bytes()).to_string();
    assert_eq!(listed.arguments.len(), 4_096);
    assert_eq!(listed.arguments_bytes, input.len() as u64);
    assert_eq!(listed.arguments_omitted, input.len() as u64 - 4_096);
    assert_eq!(listed.arguments_sha256.as_deref(), Some(digest.as_str()));
    assert_eq!(&person.approval(&id).await.unwrap(), listed);
    let whole = person.whole_approval(&id).await.unwrap();
    assert_eq!((whole.arguments.as_str(), whole.arguments_omitted), (input.as_str(), 0));
    let blind = problem(person.approve(&id, &yes()).await);
    assert_eq!((blind.code.as_str(), blind.status), ("usage", 400), "{blind:?}");
    assert_eq!(blind.details["arguments_omitted"], input.len() as u64 - 4_096);
    for wrong in ["", "x", &Sha256Digest::of(b"{}").to_string()] {
        let request = ApproveRequest { arguments_sha256: Some(wrong.into()), ..yes() };
        assert_eq!(problem(person.approve(&id, &request).await).code.as_str(), "usage", "{wrong}");
    }
    assert_eq!(person.approval(&id).await.unwrap().status, ApprovalStatus::Pending);
    person.approve(&id, &ApproveRequest { arguments_sha256: Some(digest), ..yes() }).await.unwrap();
    agent.invoke(ASK, &with(&input)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_client_is_not_asked_about_arguments_that_do_not_fit() {
    let daemon = Daemon::with_bench().await;
    let token = daemon.token_with("editor", &[Scope::Read, Scope::Invoke, Scope::Elicit]);
    for (way, lifecycle) in lifecycles() {
        let editor = Editor::that_says(true);
        let questions = std::sync::Arc::clone(&editor.asked);
        let client = editor.over_http(&daemon, &token, lifecycle).await;
        let long = json!({ "a": "x".repeat(5_000), "z": "rm -rf /" }).as_object().unwrap().clone();
        let refused = mcp_problem(call(&client, "acme__bench__ask", long).await);
        assert_eq!(refused["code"], "approval_required", "{way}");
        assert!(questions.lock().unwrap().is_empty(), "{way}");
        call(&client, "acme__bench__ask", number(1)).await.unwrap();
        assert!(questions.lock().unwrap()[0].contains(r#"{"n":1}"#), "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_of_one_number_does_not_cover_another() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    for (shown, other) in [
        (r#"{"account":12345678901234567890123}"#, r#"{"account":12345678901234567890999}"#),
        (r#"{"account":0.1}"#, r#"{"account":0.1000000000000000055}"#),
        (r#"{"account":1e2}"#, r#"{"account":100}"#),
    ] {
        let id = asked(&agent, shown).await;
        assert_eq!(person.approval(&id).await.unwrap().arguments, shown);
        person.approve(&id, &yes()).await.unwrap();
        assert_ne!(asked(&agent, other).await, id, "{other}");
        let ran = agent.invoke(ASK, &with(shown)).await.unwrap();
        assert_eq!(ran.result.get(), shown, "the guest gets the number that was shown");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn policy_rule_on_arguments_tells_numbers_apart() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    let (allowed, other) =
        (r#"{"account":12345678901234567890123}"#, r#"{"account":12345678901234567890999}"#);
    let rule = format!(
        "@id(\"one-account\") @advice(\"only this account\")\n\
         forbid (principal, action == Action::\"invoke\", resource is Tool)\n\
         unless {{ context.arguments == \"{}\" }};",
        Sha256Digest::of(allowed.as_bytes())
    );
    let text = format!("{}\n{rule}\n", palyra_policy::DEFAULT_POLICY);
    daemon.in_process().set_policy(&PolicyChange { text }).await.unwrap();
    agent.invoke("acme.bench.echo", &with(allowed)).await.unwrap();
    let refused = problem(agent.invoke("acme.bench.echo", &with(other)).await);
    assert_eq!(refused.code.as_str(), "forbidden", "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_lapses_when_the_profile_changes_before_its_use() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke, Scope::Operate]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let id = asked(&agent, r#"{"n":1}"#).await;
    person.approve(&id, &ApproveRequest { scope: ApprovalScope::Arguments, ..yes() }).await.unwrap();
    agent.invoke(ASK, &with(r#"{"n":1}"#)).await.unwrap();
    daemon.state().settings().set_profile("acme.bench", &Default::default(), "owner").unwrap();
    assert_ne!(asked(&agent, r#"{"n":1}"#).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn token_with_approve_cannot_answer_its_own_question_over_mcp() {
    let daemon = Daemon::with_bench().await;
    let token = daemon.token_with("agent", &[Scope::Read, Scope::Invoke, Scope::Approve]);
    for (way, lifecycle) in lifecycles() {
        let editor = Editor::that_says(true);
        let questions = std::sync::Arc::clone(&editor.asked);
        let client = editor.over_http(&daemon, &token, lifecycle).await;
        let refused = mcp_problem(call(&client, "acme__bench__ask", number(1)).await);
        assert_eq!(refused["code"], "approval_required", "{way}");
        assert!(questions.lock().unwrap().is_empty(), "{way}");
    }
    // A request made over MCP cannot be approved by the same token over HTTP.
    let agent = daemon.over_tcp_as(&token);
    let id = pending(&agent).await[0].approval_id.clone();
    assert_eq!(problem(agent.approve(&id, &yes()).await).code.as_str(), "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn requester_cannot_decide_own_request_under_a_policy_that_permits_everything() {
    let daemon = Daemon::with_bench().await;
    let text = "@id(\"all\") @advice(\"all\") permit (principal, action, resource);".to_owned();
    daemon.in_process().set_policy(&PolicyChange { text }).await.unwrap();
    let agent = client(&daemon, "agent", &[Scope::Read, Scope::Invoke, Scope::Approve, Scope::Elicit]);
    let id = asked(&agent, "{}").await;
    for owner_present in [false, true] {
        let refused = problem(agent.approve(&id, &ApproveRequest { owner_present, ..yes() }).await);
        assert_eq!((refused.code.as_str(), refused.status), ("forbidden", 403), "{refused:?}");
    }
    let owner = daemon.over_socket();
    let own = asked(&owner, "{}").await;
    assert_eq!(problem(owner.approve(&own, &yes()).await).code.as_str(), "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_cannot_approve_own_request_with_a_token_it_created() {
    let daemon = Daemon::with_bench().await;
    let scopes = [Scope::Read, Scope::Invoke, Scope::Approve, Scope::Admin];
    let agent = client(&daemon, "agent", &scopes);
    let create = async |by: &Client<Remote>, name: &str| {
        let scopes = scopes.to_vec();
        let request = NewTokenRequest { name: name.into(), scopes, lifetime_seconds: None };
        daemon.over_tcp_as(&by.add_token(&request).await.unwrap().secret)
    };
    let child = create(&agent, "child").await;
    let grandchild = create(&child, "grandchild").await;
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let all = [&agent, &child, &grandchild];
    for (n, asks) in all.into_iter().enumerate() {
        let id = asked(asks, &json!({ "n": n }).to_string()).await;
        for decides in all {
            let refused = problem(decides.approve(&id, &yes()).await);
            assert_eq!((refused.code.as_str(), refused.status), ("forbidden", 403), "{refused:?}");
        }
        person.approve(&id, &yes()).await.unwrap();
    }
    // The creating token is removed, but both tokens still have the same lineage.
    let id = asked(&agent, "{}").await;
    daemon.state().tokens().remove("child", "owner").unwrap();
    assert_eq!(problem(grandchild.approve(&id, &yes()).await).code.as_str(), "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn creator_of_a_routine_cannot_approve_what_it_asks_for() {
    let daemon = Daemon::with_bench().await;
    let scopes = [Scope::Read, Scope::Operate, Scope::Invoke, Scope::Approve];
    let agent = client(&daemon, "agent", &scopes);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    agent.add_routine(&routine("loop", ASK, r#"{"n":1}"#)).await.unwrap();
    assert_eq!(agent.routine("loop").await.unwrap().created_by, "agent");
    let fire = agent.fire_routine("loop").await.unwrap();
    assert_eq!(fire.error.as_deref(), Some("approval_required"));
    let waits = &pending(&person).await[0];
    assert_eq!((waits.principal.as_str(), waits.requested_by.as_str()), ("routine:loop", "agent"));
    assert_eq!(problem(agent.approve(&waits.approval_id, &yes()).await).code.as_str(), "forbidden");
    person.approve(&waits.approval_id, &yes()).await.unwrap();
    assert_eq!(agent.fire_routine("loop").await.unwrap().status, "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn routine_of_a_removed_token_does_not_fire_on_an_old_yes() {
    let daemon = Daemon::with_bench().await;
    let maker = client(&daemon, "maker", &[Scope::Read, Scope::Operate, Scope::Invoke]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    maker.add_routine(&routine("loop", ASK, r#"{"n":1}"#)).await.unwrap();
    maker.fire_routine("loop").await.unwrap();
    let id = pending(&person).await[0].approval_id.clone();
    person.approve(&id, &ApproveRequest { scope: ApprovalScope::Arguments, ..yes() }).await.unwrap();
    assert_eq!(maker.fire_routine("loop").await.unwrap().status, "completed");
    // A token that may not call tools cannot create a routine that does.
    let operator = client(&daemon, "operator", &[Scope::Read, Scope::Operate]);
    for refused in
        [problem(operator.fire_routine("loop").await), problem(operator.enable_routine("loop").await)]
    {
        assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &json!("invoke")));
    }
    daemon.state().tokens().remove("maker", "owner").unwrap();
    let other = client(&daemon, "other", &[Scope::Read, Scope::Operate, Scope::Invoke]);
    let fire = other.fire_routine("loop").await.unwrap();
    assert_eq!((fire.status.as_str(), fire.error.as_deref()), ("failed", Some("forbidden")), "{fire:?}");
    assert!(fire.message.unwrap().contains("`maker`"));
    // Another token with the same name is not the creator.
    let again = client(&daemon, "maker", &[Scope::Read, Scope::Operate, Scope::Invoke]);
    assert_eq!(again.fire_routine("loop").await.unwrap().error.as_deref(), Some("forbidden"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_token_of_the_same_name_inherits_no_approval_and_no_mcp_session() {
    let daemon = Daemon::with_bench().await;
    let scopes = [Scope::Read, Scope::Invoke];
    let secret = daemon.token_with("agent", &scopes);
    let agent = daemon.over_tcp_as(&secret);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let id = asked(&agent, "{}").await;
    person.approve(&id, &ApproveRequest { scope: ApprovalScope::Arguments, ..yes() }).await.unwrap();
    agent.invoke(ASK, &with("{}")).await.unwrap();
    let session = open_mcp_session(&daemon, &secret).await;
    assert_eq!(use_mcp_session(&daemon, &secret, &session).await, 202);
    daemon.state().tokens().remove("agent", "owner").unwrap();
    let other = daemon.token_with("agent", &scopes);
    assert_ne!(asked(&daemon.over_tcp_as(&other), "{}").await, id);
    assert_eq!(use_mcp_session(&daemon, &other, &session).await, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_requests_of_one_token_keep_no_other_from_asking() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    for n in 0..palyra_state::MAX_WAITING {
        asked(&agent, &format!(r#"{{"n":{n}}}"#)).await;
    }
    let refused = problem(agent.invoke(ASK, &with(r#"{"n":-1}"#)).await);
    assert_eq!((refused.code.as_str(), refused.status), ("busy", 429));
    assert_eq!(refused.details["allowed"], palyra_state::MAX_WAITING);
    asked(&client(&daemon, "other", &[Scope::Invoke]), r#"{"n":-1}"#).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_token_and_approval_do_not_count_when_the_clock_is_set_back() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let scopes = [Scope::Read].into_iter().collect();
    let expires = Some(daemon.state().now_ms() + 1_000);
    let short = daemon.state().tokens().add("short", scopes, expires, "owner").unwrap();
    let short = daemon.over_tcp_as(&short.secret);
    let id = asked(&agent, "{}").await;
    person.approve(&id, &ApproveRequest { scope: ApprovalScope::Arguments, ..yes() }).await.unwrap();
    daemon.advance(3_600_000);
    assert_eq!(problem(short.tools().await).code.as_str(), "authentication");
    daemon.clock().fetch_sub(3_600_000, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(problem(short.tools().await).code.as_str(), "authentication");
    assert_ne!(asked(&agent, "{}").await, id);
    assert_eq!(person.approval(&id).await.unwrap().status, ApprovalStatus::Expired);
}

#[tokio::test(flavor = "multi_thread")]
async fn call_of_a_token_removed_while_it_waited_does_not_run() {
    let daemon = Daemon::with_bench().await;
    let agent = client(&daemon, "agent", &[Scope::Invoke]);
    let person = client(&daemon, "person", &[Scope::Read, Scope::Approve]);
    let waiting = InvokeRequest { wait_seconds: Some(600), ..with("{}") };
    let call = tokio::spawn(async move { agent.invoke(ASK, &waiting).await });
    let mut journal = daemon.state().journal().follow();
    let id = loop {
        match pending(&person).await.first() {
            Some(waits) => break waits.approval_id.clone(),
            None => drop(journal.next().await.unwrap()),
        }
    };
    daemon.state().tokens().remove("agent", "owner").unwrap();
    person.approve(&id, &yes()).await.unwrap();
    let refused = problem(call.await.unwrap());
    assert_eq!(refused.code.as_str(), "not_runnable", "{refused:?}");
}
