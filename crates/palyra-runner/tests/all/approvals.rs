//! Approvals: requested, decided once, bound to the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palyra_common::{Principal, WasmPluginRunError, WasmPluginRunErrorKind as Kind, WasmPluginRunnerPolicy};
use palyra_journal::EventKind;
use palyra_policy::PolicySet;
use palyra_runner::{CallContext, CallError, ToolInvocation, ToolResult};
use palyra_skills::Sha256Digest;
use palyra_state::{
    ApprovalDecision, ApprovalError, ApprovalFilter, ApprovalScope, ApprovalStatus, ApprovalVerdict,
    MAX_WAITING, Presence, REQUEST_LIFETIME_MS, YES_LIFETIME_MS, decide_approval,
};
use palyra_testkit::{Release, update};
use tokio::task::JoinHandle;

use crate::calls::{World, failure, holder, invocation, owner};

const TOOL: &str = "acme.notes.add";
const ASKS: &str = "risk = { requires_approval = true }";

fn world() -> World {
    World::new(&Release { risk: ASKS, ..Release::default() })
}

fn asking(input: &str) -> ToolInvocation {
    let context =
        CallContext { session: Some("s1".into()), parent_run: Some("r1".into()), ..CallContext::default() };
    ToolInvocation { context, principal: holder("agent"), ..invocation(TOOL, input) }
}

fn by(name: &str, verdict: ApprovalVerdict) -> ApprovalDecision {
    ApprovalDecision {
        verdict,
        decider: if name == "owner" { owner() } else { holder(name) },
        presence: Presence::Unknown,
        reason: None,
        arguments_sha256: None,
    }
}

async fn ask(world: &World, call: ToolInvocation) -> String {
    match failure(world.caller.call(call).await) {
        WasmPluginRunError::ApprovalRequired { approval_id, .. } => approval_id,
        other => panic!("{other}"),
    }
}

async fn approve(world: &World, id: &str, scope: ApprovalScope) {
    decide_approval(&world.state, id, by("owner", ApprovalVerdict::Approve(scope))).await.unwrap();
}

/// Starts a call that waits for approval; returns its task and the id of the request.
async fn waiting_call(world: &Arc<World>) -> (JoinHandle<Result<ToolResult, CallError>>, String) {
    let mut journal = world.state.journal().follow();
    let waiting = {
        let world = Arc::clone(world);
        let mut call = asking("{}");
        call.context.wait_for_approval = Some(Duration::from_secs(60));
        tokio::spawn(async move { world.caller.call(call).await })
    };
    loop {
        let page = world.state.approvals().list(&ApprovalFilter::default()).unwrap();
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
    assert_eq!(world.state.approvals().get(&id).unwrap().status, ApprovalStatus::Used);
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
        let agent = Principal::clone(&holder("agent"));
        let for_agent = Principal::routine("other", holder("agent"));
        for (call, allowed) in [
            (asking("{}"), same_call),
            (asking(r#"{"a":1}"#), other_arguments),
            (moved("s1", "r2"), other_run),
            (moved("s2", "r1"), other_session),
            (ToolInvocation { principal: Arc::new(for_agent), ..asking("{}") }, false),
            // Another token with the same name is another principal.
            (
                ToolInvocation {
                    principal: Arc::new(Principal { identity: Some([2; 32]), ..agent }),
                    ..asking("{}")
                },
                false,
            ),
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
    let text = format!(
        "@id(\"all\") @advice(\"all\") permit (principal, action, resource);\n\
         @id(\"not-intern\") @advice(\"interns do not decide\")\n\
         forbid (principal, action == Action::\"approve\", resource == Tool::\"{TOOL}\")\n\
         when {{ principal.name == \"intern\" && context.requester.name == \"agent\" }};\n"
    );
    world.state.settings().set_access_policy(&PolicySet::parse(&text).unwrap(), "owner").unwrap();
    let denied = by("intern", yes);
    let refused = decide_approval(&world.state, &id, denied.clone()).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "forbidden", "{refused}");
    assert_eq!(world.state.approvals().get(&id).unwrap().status, ApprovalStatus::Pending);
    assert!(world.events(EventKind::ApprovalDecided).is_empty());
    decide_approval(&world.state, &id, by("owner", yes)).await.unwrap();
    let late = decide_approval(&world.state, &id, denied).await.unwrap_err();
    assert_eq!(late.code().as_str(), "already_decided", "the policy is not asked about a closed request");
    let alone = ToolInvocation { context: CallContext::default(), ..asking(r#"{"a":2}"#) };
    let no_run = ask(&world, alone).await;
    let wide = by("owner", ApprovalVerdict::Approve(ApprovalScope::Run));
    assert!(matches!(
        decide_approval(&world.state, &no_run, wide).await,
        Err(ApprovalError::NoSuchScope { .. })
    ));
    assert!(matches!(
        decide_approval(&world.state, "apr_x", by("owner", yes)).await,
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
            tokio::spawn(
                async move { decide_approval(&state, &id, by(&format!("p{number}"), verdict)).await },
            )
        })
        .collect();
    let mut winners = 0;
    for tried in tries {
        match tried.await.unwrap() {
            Ok(_) => winners += 1,
            Err(error) => assert_eq!(error.code().as_str(), "already_decided"),
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
        decide_approval(&world.state, &id, late).await,
        Err(ApprovalError::Decided { status: ApprovalStatus::Expired, .. })
    ));
    assert_eq!(world.events(EventKind::ApprovalDecided)[0].event.actor.as_deref(), Some("time"));
    let second = ask(&world, asking("{}")).await;
    time.fetch_add(REQUEST_LIFETIME_MS, Ordering::SeqCst);
    let pending = ApprovalFilter { status: Some(ApprovalStatus::Pending), ..ApprovalFilter::default() };
    assert!(world.state.approvals().list(&pending).unwrap().approvals.is_empty());
    assert_eq!(world.state.approvals().get(&second).unwrap().status, ApprovalStatus::Expired);
    // An unused approval expires too.
    let third = ask(&world, asking("{}")).await;
    approve(&world, &third, ApprovalScope::Arguments).await;
    world.caller.call(asking("{}")).await.unwrap();
    time.fetch_add(palyra_state::YES_LIFETIME_MS, Ordering::SeqCst);
    assert_eq!(failure(world.caller.call(asking("{}")).await).kind(), Kind::ApprovalRequired);
    assert_eq!(world.state.approvals().get(&third).unwrap().status, ApprovalStatus::Expired);
    // Closed requests are removed after some time; pending ones stay.
    time.fetch_add(31 * 24 * 60 * 60 * 1_000, Ordering::SeqCst);
    ask(&world, asking("{}")).await;
    assert_eq!(world.state.runs().trim().unwrap().approvals, 4);
    assert_eq!(world.state.approvals().list(&ApprovalFilter::default()).unwrap().approvals.len(), 1);
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
        decide_approval(&world.state, &id, by("owner", verdict)).await.unwrap();
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
                world.state.settings().set_profile("acme.notes", &Default::default(), "owner").unwrap();
            },
            true,
        ),
        (
            "the runner's policy",
            |world| {
                let policy = WasmPluginRunnerPolicy { allow_inline_modules: true, ..Default::default() };
                world.state.settings().set_runner_policy(&policy, "owner").unwrap();
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
            |world| drop(world.state.tokens().add("editor", Default::default(), None, "owner")),
            false,
        ),
    ];
    for (what, change, refused) in changes {
        let world = Arc::new(world());
        let (waiting, id) = waiting_call(&world).await;
        change(&world);
        approve(&world, &id, ApprovalScope::Once).await;
        let result = waiting.await.unwrap();
        if refused {
            assert_eq!(failure(result).kind(), Kind::NotRunnable, "{what}");
            assert_eq!(world.state.approvals().get(&id).unwrap().status, ApprovalStatus::Approved, "{what}");
            assert!(world.events(EventKind::RunCompleted).is_empty(), "{what}");
        } else {
            drop(result.unwrap())
        }
    }
}

#[tokio::test]
async fn a_forged_row_is_no_yes() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    let forged = world.state.approvals().get(&id).unwrap();
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
    assert_eq!(state.approvals().get(&id).unwrap_err().code().as_str(), "state_damaged");
}

#[tokio::test]
async fn requester_cannot_approve_own_request_whatever_the_policy_says() {
    let world = world();
    let text = "@id(\"all\") @advice(\"all\") permit (principal, action, resource);";
    world.state.settings().set_access_policy(&PolicySet::parse(text).unwrap(), "owner").unwrap();
    let id = ask(&world, asking("{}")).await;
    let yes = ApprovalVerdict::Approve(ApprovalScope::Once);
    for decision in [by("agent", yes), ApprovalDecision { presence: Presence::Owner, ..by("agent", yes) }] {
        let refused = decide_approval(&world.state, &id, decision).await.unwrap_err();
        assert!(matches!(refused, ApprovalError::OwnRequest { .. }), "{refused}");
    }
    decide_approval(&world.state, &id, by("other", yes)).await.unwrap();
    let owners = ToolInvocation { principal: owner(), ..asking(r#"{"a":1}"#) };
    let id = ask(&world, owners).await;
    assert_eq!(
        decide_approval(&world.state, &id, by("owner", yes)).await.unwrap_err().code().as_str(),
        "forbidden"
    );
    let in_person = ApprovalDecision { presence: Presence::Owner, ..by("owner", yes) };
    decide_approval(&world.state, &id, in_person).await.unwrap();
}

#[tokio::test]
async fn denial_of_own_request_is_allowed_whatever_the_policy_says() {
    let world = world();
    let id = ask(&world, asking("{}")).await;
    let text = "@id(\"read-only\") @advice(\"nobody decides\") permit (principal, action == Action::\"read\", resource);";
    world.state.settings().set_access_policy(&PolicySet::parse(text).unwrap(), "owner").unwrap();
    let denied = decide_approval(&world.state, &id, by("agent", ApprovalVerdict::Deny)).await.unwrap();
    assert_eq!(denied.status, ApprovalStatus::Denied);
}

#[tokio::test]
async fn approval_does_not_cover_another_profile_policy_or_grant() {
    type Change = fn(&World);
    let changes: [(&str, Change); 3] = [
        ("the profile", |world| {
            world.state.settings().set_profile("acme.notes", &Default::default(), "owner").unwrap();
        }),
        ("the runner's policy", |world| {
            let policy = WasmPluginRunnerPolicy { allow_inline_modules: true, ..Default::default() };
            world.state.settings().set_runner_policy(&policy, "owner").unwrap();
        }),
        ("the access policy", |world| {
            world.state.settings().set_access_policy(&PolicySet::standard(), "owner").unwrap();
        }),
    ];
    for (what, change) in changes {
        for scope in
            [ApprovalScope::Once, ApprovalScope::Arguments, ApprovalScope::Run, ApprovalScope::Session]
        {
            let world = world();
            let id = ask(&world, asking("{}")).await;
            approve(&world, &id, scope).await;
            change(&world);
            assert_ne!(ask(&world, asking("{}")).await, id, "{what} {scope:?}");
            assert!(world.events(EventKind::RunCompleted).is_empty(), "{what} {scope:?}");
        }
    }
    let world = world();
    let id = ask(&world, asking("{}")).await;
    approve(&world, &id, ApprovalScope::Session).await;
    let operator = palyra_common::OperatorGrants::parse(["address:127.0.0.1"]).unwrap();
    let other = ask(&world, ToolInvocation { operator, ..asking("{}") }).await;
    assert_ne!(other, id);
    assert_eq!(world.state.approvals().get(&other).unwrap().grants, ["address:127.0.0.1/32"]);
    world.caller.call(asking("{}")).await.unwrap();
}

#[tokio::test]
async fn approval_does_not_cover_other_settings() {
    let tables = "[operator.config.address]\ntype = \"string\"\nrequired = true\n";
    let world = World::new(&Release { risk: ASKS, tables, ..Release::default() });
    let set = |address: &str| {
        let values = std::collections::BTreeMap::from([("address".to_owned(), address.into())]);
        world.state.settings().set_plugin_config("acme.notes", &values, "owner").unwrap();
    };
    set("boss@corp.example");
    let id = ask(&world, asking("{}")).await;
    approve(&world, &id, ApprovalScope::Once).await;
    set("attacker@evil.example");
    assert_ne!(ask(&world, asking("{}")).await, id);
    assert!(world.events(EventKind::RunCompleted).is_empty());
}

#[tokio::test]
async fn long_arguments_are_kept_whole_and_need_their_digest_for_a_yes() {
    let world = world();
    let input = format!(r#"{{"z":"rm -rf /","a":"{}"}}"#, "x".repeat(5_000));
    let id = ask(&world, asking(&input)).await;
    let cut = world.state.approvals().get(&id).unwrap();
    let text = format!(r#"{{"a":"{}","z":"rm -rf /"}}"#, "x".repeat(5_000));
    let digest = Sha256Digest::of(text.as_bytes());
    assert_eq!((cut.arguments.as_str(), cut.arguments_bytes), (&text[..4_096], text.len() as u64));
    assert_eq!((cut.arguments_omitted(), cut.arguments_sha256), (text.len() as u64 - 4_096, Some(digest)));
    let whole = world.state.approvals().arguments(&id, 0).unwrap();
    assert_eq!((whole.arguments.as_str(), whole.arguments_omitted()), (text.as_str(), 0));
    let rest = world.state.approvals().arguments(&id, 4_096).unwrap();
    assert_eq!((rest.arguments.as_str(), rest.arguments_omitted()), (&text[4_096..], 4_096));
    assert_eq!(world.state.approvals().arguments(&id, u64::MAX).unwrap().arguments, "");
    let yes = ApprovalVerdict::Approve(ApprovalScope::Once);
    let blind = decide_approval(&world.state, &id, by("owner", yes)).await.unwrap_err();
    assert!(matches!(blind, ApprovalError::ArgumentsCut { .. }), "{blind}");
    let wrong = ApprovalDecision { arguments_sha256: Some(Sha256Digest::of(b"{}")), ..by("owner", yes) };
    let wrong = decide_approval(&world.state, &id, wrong).await.unwrap_err();
    assert!(matches!(wrong, ApprovalError::OtherArguments { .. }), "{wrong}");
    let seen = ApprovalDecision { arguments_sha256: Some(digest), ..by("owner", yes) };
    decide_approval(&world.state, &id, seen).await.unwrap();
    world.caller.call(asking(&input)).await.unwrap();
    assert_eq!(
        world.state.approvals().arguments(&id, 0).unwrap().arguments,
        text,
        "what ran can be looked at"
    );
    // A denial needs no digest, and removes the complete arguments.
    let id = ask(&world, asking(&input)).await;
    decide_approval(&world.state, &id, by("owner", ApprovalVerdict::Deny)).await.unwrap();
    assert!(world.state.approvals().arguments(&id, 0).unwrap().arguments_omitted() > 0);
}

#[tokio::test]
async fn edited_arguments_are_not_shown_as_what_was_asked() {
    let world = world();
    let id = ask(&world, asking(&format!(r#"{{"a":"{}"}}"#, "x".repeat(5_000)))).await;
    let World { home, state, caller } = world;
    drop((caller, state));
    home.sql("UPDATE approval_arguments SET arguments = '{}'");
    assert_eq!(home.open().approvals().arguments(&id, 0).unwrap_err().code().as_str(), "state_damaged");
}

#[tokio::test]
async fn waiting_requests_are_limited_per_principal() {
    let world = world();
    for number in 0..MAX_WAITING {
        ask(&world, asking(&format!(r#"{{"n":{number}}}"#))).await;
    }
    let one_more = failure(world.caller.call(asking(r#"{"n":-1}"#)).await);
    assert_eq!(one_more.details()["allowed"], MAX_WAITING, "{one_more}");
    assert_eq!(one_more.kind(), Kind::Busy);
    ask(&world, asking(r#"{"n":0}"#)).await;
    let other = ToolInvocation { principal: holder("other"), ..asking("{}") };
    ask(&world, other).await;
}

#[tokio::test]
async fn input_over_its_limit_is_refused_before_anybody_is_asked() {
    let world = world();
    let refused = failure(world.caller.call(asking(&format!(r#"{{"a":"{}"}}"#, "x".repeat(2 << 20)))).await);
    assert_eq!(refused.kind(), Kind::QuotaExceeded, "{refused}");
    assert!(world.state.approvals().list(&ApprovalFilter::default()).unwrap().approvals.is_empty());
}

#[tokio::test]
async fn waiting_arguments_of_a_principal_are_limited_in_bytes() {
    let release = Release {
        risk: ASKS,
        tables: "[capabilities.quotas]\nmax_input_bytes = 67108864",
        ..Release::default()
    };
    let world = World::new(&release);
    let large = |n: u8| format!(r#"{{"n":{n},"a":"{}"}}"#, "x".repeat(24 << 20));
    ask(&world, asking(&large(1))).await;
    ask(&world, asking(&large(2))).await;
    let third = failure(world.caller.call(asking(&large(3))).await);
    assert_eq!(third.details()["limit"], "waiting_approval_bytes", "{third}");
    ask(&world, asking("{}")).await;
}

#[tokio::test]
async fn unused_yes_expires_visibly() {
    let time = Arc::new(AtomicU64::new(1_700_000_000_000));
    let world = World::with_clock(&Release { risk: ASKS, ..Release::default() }, Arc::clone(&time));
    let id = ask(&world, asking("{}")).await;
    approve(&world, &id, ApprovalScope::Once).await;
    time.fetch_add(YES_LIFETIME_MS, Ordering::SeqCst);
    assert_eq!(world.state.approvals().expire().unwrap(), 1);
    let lapsed = world.state.approvals().get(&id).unwrap();
    assert_eq!((lapsed.status, lapsed.decided_by.as_deref()), (ApprovalStatus::Expired, Some("owner")));
    let told = world.events(EventKind::ApprovalDecided);
    let last = &told.last().unwrap().event;
    assert_eq!((last.actor.as_deref(), &last.details["status"]), (Some("time"), &"expired".into()));
}

#[tokio::test]
async fn approval_whose_time_is_over_stays_over_when_the_clock_is_set_back() {
    let start = 1_700_000_000_000;
    let time = Arc::new(AtomicU64::new(start));
    let world = World::with_clock(&Release { risk: ASKS, ..Release::default() }, Arc::clone(&time));
    let id = ask(&world, asking("{}")).await;
    approve(&world, &id, ApprovalScope::Arguments).await;
    world.caller.call(asking("{}")).await.unwrap();
    time.fetch_add(2 * YES_LIFETIME_MS, Ordering::SeqCst);
    // Only reading the clock records the latest time.
    world.state.expiry_now_ms();
    time.store(start + 1_000, Ordering::SeqCst);
    assert_ne!(ask(&world, asking("{}")).await, id);
    assert_eq!(world.state.approvals().get(&id).unwrap().status, ApprovalStatus::Expired);
    // A request created while the clock is behind lasts as long as any other.
    let later = ask(&world, asking(r#"{"a":1}"#)).await;
    assert_eq!(world.state.approvals().get(&later).unwrap().status, ApprovalStatus::Pending);
}
