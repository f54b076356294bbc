//! Calls that require approval, and who may decide them.

use crate::daemon::Daemon;
use palyra_api::approvals::{
    ApprovalQuery, ApprovalScope, ApprovalStatus, ApproveRequest, DenyRequest, ReachedSecret,
};
use palyra_api::client::remote::Remote;
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError, Problem};
use palyra_common::Scope;
use palyra_skills::consent::ConsentGiven;
use palyra_state::InstallOptions;
use serde_json::value::RawValue;

const TOOL: &str = "acme.bench.ask";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn with(n: u32) -> InvokeRequest {
    InvokeRequest::with_input(RawValue::from_string(format!("{{\"n\": {n}}}")).unwrap())
}

/// Calls the tool and returns the id of the approval it requires.
async fn asked(client: &Client<Remote>, request: &InvokeRequest) -> String {
    let problem = problem(client.invoke(TOOL, request).await);
    assert_eq!((problem.code.as_str(), problem.status), ("approval_required", 409));
    let id = problem.details["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(problem.hints, [format!("palyra approvals approve {id}")]);
    id
}

fn callers(daemon: &Daemon) -> (Client<Remote>, Client<Remote>) {
    let agent = daemon.over_tcp_as(&daemon.token_with("agent", &[Scope::Invoke, Scope::Approve]));
    let person = daemon.over_tcp_as(&daemon.token_with("person", &[Scope::Read, Scope::Approve]));
    (agent, person)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_lets_one_call_through_and_is_then_used_up() {
    let daemon = Daemon::with_bench().await;
    let (agent, person) = callers(&daemon);
    let id = asked(&agent, &with(1)).await;
    assert_eq!(asked(&agent, &with(1)).await, id, "one request for one call");
    let waiting = ApprovalQuery { status: Some(ApprovalStatus::Pending), ..ApprovalQuery::default() };
    let listed = person.approvals(&waiting).await.unwrap().approvals;
    assert_eq!((listed.len(), listed[0].arguments.as_str()), (1, r#"{"n":1}"#));
    assert_eq!(person.approval(&id).await.unwrap(), listed[0]);
    let request = ApproveRequest { reason: Some("looks\nfine".into()), ..ApproveRequest::default() };
    let yes = person.approve(&id, &request).await.unwrap();
    assert_eq!((yes.status, yes.scope), (ApprovalStatus::Approved, Some(ApprovalScope::Once)));
    assert_eq!((yes.decided_by.as_deref(), yes.reason.as_deref()), (Some("person"), Some("looks\\u{a}fine")));
    let late = problem(person.deny(&id, &DenyRequest::default()).await);
    assert_eq!((late.code.as_str(), late.status), ("already_decided", 409));
    assert_ne!(asked(&agent, &with(2)).await, id, "other arguments need another yes");
    agent.invoke(TOOL, &with(1)).await.unwrap();
    assert_eq!(person.approval(&id).await.unwrap().status, ApprovalStatus::Used);
    assert_ne!(asked(&agent, &with(1)).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn requester_denies_but_never_approves_own_call_unless_owner_in_person() {
    let daemon = Daemon::with_bench().await;
    let (agent, person) = callers(&daemon);
    let id = asked(&agent, &with(1)).await;
    let present = ApproveRequest { owner_present: true, ..ApproveRequest::default() };
    for request in [&ApproveRequest::default(), &present] {
        let own = problem(agent.approve(&id, request).await);
        assert_eq!((own.code.as_str(), own.status), ("forbidden", 403), "a token is no person");
    }
    assert_eq!(person.approval(&id).await.unwrap().status, ApprovalStatus::Pending);
    assert_eq!(
        agent.deny(&id, &DenyRequest::default()).await.unwrap().status,
        ApprovalStatus::Denied,
        "denying widens nothing"
    );
    let owner = daemon.over_socket();
    let own = asked(&owner, &with(7)).await;
    assert_eq!(problem(owner.approve(&own, &ApproveRequest::default()).await).code.as_str(), "forbidden");
    owner.approve(&own, &present).await.unwrap();
    owner.invoke(TOOL, &with(7)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_reach_as_far_as_they_say() {
    let daemon = Daemon::with_bench().await;
    let (agent, person) = callers(&daemon);
    let scope = |scope| ApproveRequest { scope, ..ApproveRequest::default() };
    let id = asked(&agent, &with(1)).await;
    for impossible in [ApprovalScope::Run, ApprovalScope::Session] {
        assert_eq!(problem(person.approve(&id, &scope(impossible)).await).code.as_str(), "invalid_scope");
    }
    person.approve(&id, &scope(ApprovalScope::Arguments)).await.unwrap();
    for _ in 0..3 {
        agent.invoke(TOOL, &with(1)).await.unwrap();
    }
    asked(&agent, &with(2)).await;
    let in_session = |n| InvokeRequest { session: Some("s1".into()), ..with(n) };
    let id = asked(&agent, &in_session(3)).await;
    person.approve(&id, &scope(ApprovalScope::Session)).await.unwrap();
    agent.invoke(TOOL, &in_session(4)).await.unwrap();
    asked(&agent, &InvokeRequest { session: Some("s2".into()), ..with(4) }).await;
    let in_run = |n| InvokeRequest { parent_run: Some("run_1".into()), ..with(n) };
    let id = asked(&agent, &in_run(5)).await;
    person.approve(&id, &scope(ApprovalScope::Run)).await.unwrap();
    agent.invoke(TOOL, &in_run(6)).await.unwrap();
    for name in ["", "a b", "é", &"x".repeat(101)] {
        let odd = InvokeRequest { session: Some(name.into()), ..with(1) };
        assert_eq!(problem(agent.invoke(TOOL, &odd).await).code.as_str(), "usage", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_may_wait_for_its_answer() {
    let daemon = Daemon::with_bench().await;
    let (agent, person) = callers(&daemon);
    for approve in [true, false] {
        let agent = agent.clone();
        let waiting = InvokeRequest { wait_seconds: Some(600), ..with(u32::from(approve)) };
        let call = tokio::spawn(async move { agent.invoke(TOOL, &waiting).await });
        let pending = ApprovalQuery { status: Some(ApprovalStatus::Pending), ..ApprovalQuery::default() };
        let id = loop {
            let listed = person.approvals(&pending).await.unwrap().approvals;
            if let Some(first) = listed.first() {
                break first.approval_id.clone();
            }
        };
        if approve {
            person.approve(&id, &ApproveRequest::default()).await.unwrap();
            call.await.unwrap().unwrap();
        } else {
            person.deny(&id, &DenyRequest::default()).await.unwrap();
            assert_eq!(problem(call.await.unwrap()).details["approval_id"], id.as_str());
        }
    }
    let at_once = InvokeRequest { wait_seconds: Some(0), ..with(9) };
    assert_eq!(problem(agent.invoke(TOOL, &at_once).await).code.as_str(), "approval_required");
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_are_paged_and_unknown_ids_are_not_found() {
    let daemon = Daemon::with_bench().await;
    let (agent, person) = callers(&daemon);
    for n in 0..3 {
        asked(&agent, &with(n)).await;
    }
    let page = ApprovalQuery { limit: Some(2), ..ApprovalQuery::default() };
    let first = person.approvals(&page).await.unwrap();
    assert_eq!(first.approvals.len(), 2);
    let rest = person.approvals(&ApprovalQuery { before: first.next, ..page }).await.unwrap();
    assert_eq!((rest.approvals.len(), rest.next), (1, None));
    let missing = problem(person.approval("apr_../x").await);
    assert_eq!((missing.code.as_str(), missing.status), ("not_found", 404));
    let odd: Result<serde_json::Value, _> = person.get("/v1/approvals?status=maybe").await;
    assert_eq!(problem(odd).code.as_str(), "usage");
    daemon.advance(15 * 60 * 1_000);
    let expired = ApprovalQuery { status: Some(ApprovalStatus::Expired), ..ApprovalQuery::default() };
    assert_eq!(person.approvals(&expired).await.unwrap().approvals.len(), 3, "time that runs out is a no");
}

#[tokio::test(flavor = "multi_thread")]
async fn context_says_where_and_how_each_secret_is_sent() {
    let daemon = Daemon::start().await;
    let capabilities = r#"[capabilities]
http_egress_allowlist = ["api.acme.example"]

[[capabilities.secrets]]
scope = "global"
key_names = ["token"]
hosts = ["api.acme.example"]
inject = ["bearer", "header:x-api-key"]

[[capabilities.secrets]]
scope = "global"
key_names = ["pin"]
reveal = true
"#;
    let (bytes, digest) = crate::guests::package("bench", capabilities, 1);
    let secrets = ["global/token", "global/pin"].map(|name| name.parse().unwrap()).into();
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    daemon.state().skills().install(bytes, &options, "owner", &mut |_| {}).unwrap();
    let (agent, person) = callers(&daemon);
    let id = asked(&agent, &with(1)).await;
    let reach = person.approval_context(&id).await.unwrap().reach;
    let secret = |name: &str, hosts: &[&str], inject: &[&str], readable| ReachedSecret {
        secret: name.to_owned(),
        hosts: hosts.iter().map(ToString::to_string).collect(),
        inject: inject.iter().map(ToString::to_string).collect(),
        readable,
    };
    let sent = secret("global/token", &["api.acme.example"], &["bearer", "header:x-api-key"], false);
    assert_eq!(reach.secrets, [secret("global/pin", &[], &[], true), sent]);
}

#[tokio::test(flavor = "multi_thread")]
async fn context_has_the_last_approved_arguments_and_what_the_call_reaches() {
    let daemon = Daemon::start().await;
    let capabilities = "[capabilities]\nstorage_prefixes = [\"notes/\"]\nchannels = [\"alerts\"]\n";
    daemon.install("bench", capabilities);
    let (agent, person) = callers(&daemon);
    let first = asked(&agent, &with(1)).await;
    let alone = person.approval_context(&first).await.unwrap();
    assert_eq!((alone.approval.approval_id.as_str(), alone.last_approved), (first.as_str(), None));
    assert_eq!((alone.reach.channels, alone.reach.storage), (vec!["alerts".into()], vec!["notes/".into()]));
    assert!(alone.reach.hosts.is_empty() && alone.reach.directories.is_empty());
    person.approve(&first, &ApproveRequest::default()).await.unwrap();
    agent.invoke(TOOL, &with(1)).await.unwrap();
    daemon.advance(1);
    let second = asked(&agent, &with(2)).await;
    let compared = person.approval_context(&second).await.unwrap();
    assert_eq!(
        (compared.approval.arguments.as_str(), compared.last_approved.unwrap().arguments.as_str()),
        (r#"{"n":2}"#, r#"{"n":1}"#)
    );
    person.deny(&second, &DenyRequest::default()).await.unwrap();
    daemon.advance(1);
    let third = asked(&agent, &with(3)).await;
    let last = person.approval_context(&third).await.unwrap().last_approved.unwrap();
    assert_eq!(last.approval_id, first, "a denied request is none to compare with");
    assert_eq!(problem(person.approval_context("apr_0").await).code.as_str(), "not_found");
}
