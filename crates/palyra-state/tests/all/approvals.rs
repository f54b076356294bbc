//! Approvals: asked for, decided once, bound to what was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palyra_common::{JsonText, WasmPluginRunError, WasmPluginRunErrorKind as Kind, WasmPluginRunnerPolicy};
use palyra_journal::EventKind;
use palyra_policy::PolicySet;
use palyra_state::call::{CallContext, CallError, ToolInvocation, ToolResult};
use palyra_state::{
    ApprovalDecision, ApprovalError, ApprovalFilter, ApprovalGate, ApprovalScope, ApprovalStatus,
    ApprovalVerdict, REQUEST_LIFETIME_MS,
};
use tokio::task::JoinHandle;

use crate::calls::{World, failure, invocation};
use crate::release::{Release, update};

const TOOL: &str = "acme.notes.add";
const ASKS: &str = "risk = { requires_approval = true }";

fn world() -> World {
    World::new(&Release { risk: ASKS, ..Release::default() })
}

fn asking(input: &str) -> ToolInvocation {
    let context =
        CallContext { session: Some("s1".into()), parent_run: Some("r1".into()), ..CallContext::default() };
    ToolInvocation { context, principal: "agent".into(), ..invocation(TOOL, input) }
}

fn by(principal: &str, verdict: ApprovalVerdict) -> ApprovalDecision {
    ApprovalDecision { verdict, principal: principal.into(), gate: ApprovalGate::open(), reason: None }
}

/// Somebody without a scope asks to decide.
pub(crate) fn no() -> palyra_policy::PolicyDecision {
    use palyra_policy::{Action, Face, PolicyContext, PolicyRequest, Principal, PrincipalKind, Resource};
    PolicySet::standard().evaluate(&PolicyRequest {
        principal: Principal::new(PrincipalKind::Token, "agent", []),
        action: Action::Read,
        resource: Resource::Daemon,
        context: PolicyContext::new(Face::Http),
    })
}

async fn ask(world: &World, call: ToolInvocation) -> String {
    match failure(world.caller.call(call).await) {
        WasmPluginRunError::ApprovalRequired { approval_id } => approval_id,
        other => panic!("{other}"),
    }
}

async fn approve(world: &World, id: &str, scope: ApprovalScope) {
    world.state.decide_approval(id, by("owner", ApprovalVerdict::Approve(scope))).await.unwrap();
}

/// A call that waits for a person, and what they are asked.
async fn waiting_call(world: &Arc<World>) -> (JoinHandle<Result<ToolResult, CallError>>, String) {
    let mut journal = world.state.journal().follow();
    let waiting = {
        let world = Arc::clone(world);
        let mut call = asking("{}");
        call.context.wait_for_approval = Some(Duration::from_secs(60));
        tokio::spawn(async move { world.caller.call(call).await })
    };
    loop {
        let page = world.state.approvals(&ApprovalFilter::default()).unwrap();
        match page.approvals.first() {
            Some(asked) => return (waiting, asked.approval_id.clone()),
            None => drop(journal.next().await.unwrap()),
        }
    }
}

#[tokio::test]
async fn a_yes_to_one_call_is_used_once_whatever_the_spelling() {
    let world = world();
    let id = ask(&world, asking(r#"{"a":1,"b":2}"#)).await;
    assert_eq!(ask(&world, asking(r#"{"b":2,"a":1}"#)).await, id, "one request for one call");
    approve(&world, &id, ApprovalScope::Once).await;
    let other = ask(&world, asking(r#"{"a":2,"b":2}"#)).await;
    assert_ne!(other, id);
    let result = world.caller.call(asking(r#"{"b":2,"a":1}"#)).await.unwrap();
    let receipt = &world.events(EventKind::RunCompleted)[0].event;
    assert_eq!(receipt.run.as_deref(), Some(result.run_id.as_str()));
    assert_eq!(receipt.details["approval"], id.as_str());
    assert_ne!(ask(&world, asking(r#"{"a":1,"b":2}"#)).await, id);
    assert_eq!(world.state.approval(&id).unwrap().status, ApprovalStatus::Used);
    assert_eq!(world.events(EventKind::ApprovalRequested).len(), 3);
    assert_eq!(world.events(EventKind::ApprovalDecided).len(), 1);
}

#[tokio::test]
async fn scopes_reach_as_far_as_they_say() {
    for (scope, same_call, other_arguments, other_run, other_session) in [
        (ApprovalScope::Arguments, true, false, true, true),
        (ApprovalScope::Run, true, true, false, true),
        (ApprovalScope::Session, true, true, true, false),
    ] {
        let world = world();
        approve(&world, &ask(&world, asking("{}")).await, scope).await;
        let moved = |session: &str, run: &str| {
            let context = CallContext {
                session: Some(session.into()),
                parent_run: Some(run.into()),
                ..CallContext::default()
            };
            ToolInvocation { context, ..asking("{}") }
        };
        for (call, allowed) in [
            (asking("{}"), same_call),
            (asking(r#"{"a":1}"#), other_arguments),
            (moved("s1", "r2"), other_run),
            (moved("s2", "r1"), other_session),
            (ToolInvocation { principal: "other".into(), ..asking("{}") }, false),
        ] {
            assert_eq!(world.caller.call(call).await.is_ok(), allowed, "{scope:?}");
        }
    }
}

#[tokio::test]
async fn whom_the_policy_does_not_let_decide_changes_nothing() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    let yes = ApprovalVerdict::Approve(ApprovalScope::Once);
    let asked = Arc::new(AtomicU64::new(0));
    let gate = ApprovalGate::new({
        let asked = Arc::clone(&asked);
        move |approval| {
            asked.fetch_add(1, Ordering::SeqCst);
            assert_eq!((approval.principal.as_str(), approval.tool_id.as_str()), ("agent", TOOL));
            Err(Arc::new(no()))
        }
    });
    let denied = ApprovalDecision { gate, ..by("agent", yes) };
    let refused = world.state.decide_approval(&id, denied.clone()).await.unwrap_err();
    assert_eq!(refused.code(), "forbidden", "{refused}");
    assert_eq!(world.state.approval(&id).unwrap().status, ApprovalStatus::Pending);
    assert!(world.events(EventKind::ApprovalDecided).is_empty());
    world.state.decide_approval(&id, by("owner", yes)).await.unwrap();
    let late = world.state.decide_approval(&id, denied).await.unwrap_err();
    assert_eq!(late.code(), "already_decided", "what is decided asks nobody");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let alone = ToolInvocation { context: CallContext::default(), ..asking(r#"{"a":2}"#) };
    let no_run = ask(&world, alone).await;
    let wide = by("owner", ApprovalVerdict::Approve(ApprovalScope::Run));
    assert!(matches!(
        world.state.decide_approval(&no_run, wide).await,
        Err(ApprovalError::NoSuchScope { .. })
    ));
    assert!(matches!(
        world.state.decide_approval("apr_x", by("owner", yes)).await,
        Err(ApprovalError::NotFound { .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_decide_one_wins() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    let tries: Vec<_> = (0..16)
        .map(|number| {
            let (state, id) = (Arc::clone(&world.state), id.clone());
            let verdict = match number % 2 {
                0 => ApprovalVerdict::Deny,
                _ => ApprovalVerdict::Approve(ApprovalScope::Once),
            };
            tokio::spawn(async move { state.decide_approval(&id, by(&format!("p{number}"), verdict)).await })
        })
        .collect();
    let mut winners = 0;
    for tried in tries {
        match tried.await.unwrap() {
            Ok(_) => winners += 1,
            Err(error) => assert_eq!(error.code(), "already_decided"),
        }
    }
    assert_eq!((winners, world.events(EventKind::ApprovalDecided).len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_calls_one_uses_a_yes_to_one_call() {
    let world = Arc::new(world());
    approve(&world, &ask(&world, asking("{}")).await, ApprovalScope::Once).await;
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.caller.call(asking("{}")).await.is_ok() })
        })
        .collect();
    let mut ran = 0;
    for call in calls {
        ran += usize::from(call.await.unwrap());
    }
    assert_eq!((ran, world.events(EventKind::RunCompleted).len()), (1, 1));
}

#[tokio::test]
async fn time_that_runs_out_is_a_no() {
    let time = Arc::new(AtomicU64::new(1_700_000_000_000));
    let world = World::with_clock(&Release { risk: ASKS, ..Release::default() }, Arc::clone(&time));
    let id = ask(&world, asking("{}")).await;
    time.fetch_add(REQUEST_LIFETIME_MS, Ordering::SeqCst);
    let late = by("owner", ApprovalVerdict::Approve(ApprovalScope::Once));
    assert!(matches!(
        world.state.decide_approval(&id, late).await,
        Err(ApprovalError::Decided { status: ApprovalStatus::Expired, .. })
    ));
    assert_eq!(world.events(EventKind::ApprovalDecided)[0].event.actor.as_deref(), Some("time"));
    let second = ask(&world, asking("{}")).await;
    time.fetch_add(REQUEST_LIFETIME_MS, Ordering::SeqCst);
    let pending = ApprovalFilter { status: Some(ApprovalStatus::Pending), ..ApprovalFilter::default() };
    assert!(world.state.approvals(&pending).unwrap().approvals.is_empty());
    assert_eq!(world.state.approval(&second).unwrap().status, ApprovalStatus::Expired);
    // A yes that is not used in time does not last either.
    let third = ask(&world, asking("{}")).await;
    approve(&world, &third, ApprovalScope::Arguments).await;
    world.caller.call(asking("{}")).await.unwrap();
    time.fetch_add(palyra_state::YES_LIFETIME_MS, Ordering::SeqCst);
    assert_eq!(failure(world.caller.call(asking("{}")).await).kind(), Kind::ApprovalRequired);
    assert_eq!(world.state.approval(&third).unwrap().status, ApprovalStatus::Expired);
    // What is closed goes after a while; what waits stays.
    time.fetch_add(31 * 24 * 60 * 60 * 1_000, Ordering::SeqCst);
    ask(&world, asking("{}")).await;
    assert_eq!(world.state.trim_runs().unwrap().approvals, 3);
    assert_eq!(world.state.approvals(&ApprovalFilter::default()).unwrap().approvals.len(), 2);
}

#[tokio::test]
async fn an_update_needs_a_new_yes() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    approve(&world, &id, ApprovalScope::Session).await;
    world.caller.call(asking("{}")).await.unwrap();
    let next = Release { number: 2, risk: ASKS, ..Release::default() }.build();
    update(&world.state, &next);
    assert_eq!(world.state.view().index().get("acme.notes").unwrap().current.manifest.version.minor, 2);
    assert_ne!(ask(&world, asking("{}")).await, id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_can_wait_for_the_decision() {
    for verdict in [ApprovalVerdict::Approve(ApprovalScope::Once), ApprovalVerdict::Deny] {
        let world = Arc::new(world());
        let (waiting, id) = waiting_call(&world).await;
        world.state.decide_approval(&id, by("owner", verdict)).await.unwrap();
        let result = waiting.await.unwrap();
        match verdict {
            ApprovalVerdict::Approve(_) => drop(result.unwrap()),
            ApprovalVerdict::Deny => assert_eq!(failure(result).kind(), Kind::ApprovalRequired),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_is_not_for_what_was_taken_back_while_the_call_waited() {
    type Change = fn(&World);
    let changes: [(&str, Change, bool); 4] = [
        (
            "the profile",
            |world| {
                world.state.set_profile("acme.notes", &Default::default(), "owner").unwrap();
            },
            true,
        ),
        (
            "the runner's policy",
            |world| {
                let policy = WasmPluginRunnerPolicy { allow_inline_modules: true, ..Default::default() };
                world.state.set_runner_policy(&policy, "owner").unwrap();
            },
            true,
        ),
        (
            "the release",
            |world| update(&world.state, &Release { number: 2, risk: ASKS, ..Release::default() }.build()),
            true,
        ),
        (
            "something else",
            |world| drop(world.state.add_token("editor", Default::default(), None, "owner")),
            false,
        ),
    ];
    for (what, change, refused) in changes {
        let world = Arc::new(world());
        let (waiting, id) = waiting_call(&world).await;
        change(&world);
        approve(&world, &id, ApprovalScope::Once).await;
        let result = waiting.await.unwrap();
        match refused {
            true => {
                assert_eq!(failure(result).kind(), Kind::NotRunnable, "{what}");
                assert_eq!(world.state.approval(&id).unwrap().status, ApprovalStatus::Approved, "{what}");
                assert!(world.events(EventKind::RunCompleted).is_empty(), "{what}");
            }
            false => drop(result.unwrap()),
        }
    }
}

#[tokio::test]
async fn a_forged_row_is_no_yes() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    let forged = world.state.approval(&id).unwrap();
    let mut forged = serde_json::to_value(forged).unwrap();
    forged["status"] = "approved".into();
    forged["scope"] = "session".into();
    let World { home, state, caller } = world;
    drop((caller, state));
    let bytes: String = forged.to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
    home.sql(&format!("UPDATE approvals SET status = 'approved', bytes = x'{bytes}'"));
    let state = Arc::new(home.open());
    let caller = crate::calls::caller(&state);
    assert_eq!(failure(caller.call(asking("{}")).await).kind(), Kind::ApprovalRequired);
    assert_eq!(state.approval(&id).unwrap_err().code(), "state_damaged");
}

#[test]
fn equal_arguments_have_one_digest() {
    let digest = |text: &str| {
        let payload = palyra_skills::Sha256Digest::of(b"x");
        palyra_state::call::approval_digest(&payload, TOOL, "owner", &JsonText::parse(text).unwrap())
    };
    assert_eq!(digest(r#"{"a": 1, "b": [1, 2]}"#), digest(r#"{"b":[1,2],"a":1}"#));
    assert_ne!(digest(r#"{"a":1}"#), digest(r#"{"a":"1"}"#));
}
