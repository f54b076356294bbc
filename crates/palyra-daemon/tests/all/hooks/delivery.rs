//! Observers: delivered in order, isolated, retried, and moved to dead letters; nothing is delivered twice without a
//! reason.

use super::{bind, daemon, events, quick, told, until};
use crate::daemon::Daemon;
use palyra_api::hooks::BindRequest;
use palyra_api::tools::InvokeRequest;
use palyra_common::Scope;
use palyra_journal::{EventKind, RecordedEvent};

const ECHO: &str = "acme.bench.echo";

async fn call(daemon: &Daemon, tool: &str) {
    let _ = daemon.over_socket().invoke(tool, &InvokeRequest::default()).await;
}

fn sequences(receipts: &[RecordedEvent]) -> Vec<u64> {
    receipts.iter().map(|receipt| receipt.event.details["hook"]["sequence"].as_u64().unwrap()).collect()
}

fn completed(daemon: &Daemon, binding: &str) -> usize {
    told(daemon, binding).iter().filter(|event| event.event.kind == EventKind::RunCompleted).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_of_the_list_is_really_fired() {
    let daemon = daemon().await;
    let observed: Vec<&str> = palyra_skills::manifest::HOOK_EVENTS
        .into_iter()
        .filter(|event| *event != "run:before_tool")
        .collect();
    for event in &observed {
        let request = BindRequest {
            id: Some(event.replace(':', "-")),
            event: (*event).into(),
            plugin: "acme.watch".into(),
            hook: Some("acme.watch.agree".into()),
            ..BindRequest::default()
        };
        daemon.over_socket().bind_hook(&request).await.unwrap();
    }
    daemon.app.become_gateway(quick());
    daemon.install("other", "");
    daemon.state().skills().disable("acme.other", "for a while", "owner").unwrap();
    daemon.over_socket().enable_skill("acme.other", &Default::default()).await.unwrap();
    daemon.state().skills().quarantine("acme.other", "looked odd", "owner").unwrap();
    daemon.state().skills().remove("acme.other", "owner").unwrap();
    call(&daemon, ECHO).await;
    call(&daemon, "acme.bench.trap").await;
    let agent = daemon.over_tcp_as(&daemon.token_with("agent", &[Scope::Invoke]));
    let asked = agent.invoke("acme.bench.ask", &InvokeRequest::default()).await.unwrap_err().into_problem();
    let id = asked.details["approval_id"].as_str().unwrap().to_owned();
    daemon.over_socket().deny(&id, &Default::default()).await.unwrap();
    // Only the scheduler's leaf is needed here.
    let fired = palyra_journal::NewEvent::new(EventKind::RoutineFired, 1).subject("nightly");
    daemon.state().journal().append(fired).await.unwrap();
    let heard = |daemon: &Daemon, event: &str| completed(daemon, &event.replace(':', "-")) > 0;
    let live: Vec<&str> = observed.iter().copied().filter(|event| *event != "gateway:shutdown").collect();
    until(&daemon, "every event is heard", |daemon| live.iter().all(|event| heard(daemon, event))).await;
    assert_eq!(completed(&daemon, "run-after_tool"), 2, "whichever way a tool ended");
    // The last event is delivered while the daemon stops.
    let (state, _home) = daemon.stop_and_reopen().await;
    let query =
        palyra_journal::Query { kinds: vec![EventKind::RunCompleted], limit: 1_000, ..Default::default() };
    let receipts = state.journal().query(&query).unwrap().events;
    assert!(receipts.iter().any(|event| event.event.details["hook"]["event"] == "gateway:shutdown"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_binding_in_trouble_keeps_no_other_waiting_and_order_is_kept() {
    let daemon = daemon().await;
    for hook in ["agree", "trap", "spin", "fail"] {
        let request = BindRequest {
            id: Some(hook.into()),
            event: "run:completed".into(),
            plugin: "acme.watch".into(),
            hook: Some(format!("acme.watch.{hook}")),
            timeout_ms: Some(200),
            max_attempts: Some(2),
            ..BindRequest::default()
        };
        daemon.over_socket().bind_hook(&request).await.unwrap();
    }
    daemon.app.become_gateway(quick());
    for _ in 0..5 {
        call(&daemon, ECHO).await;
    }
    until(&daemon, "the healthy one is told", |daemon| completed(daemon, "agree") == 5).await;
    let calls: Vec<u64> = events(&daemon, &[EventKind::RunCompleted])
        .iter()
        .filter(|event| event.event.subject.as_deref() == Some(ECHO))
        .map(|event| event.leaf.sequence)
        .collect();
    assert_eq!(sequences(&told(&daemon, "agree")), calls);
    let letters = |daemon: &Daemon| events(daemon, &[EventKind::HookDeadLettered]).len();
    until(&daemon, "the others are put aside", |daemon| letters(daemon) == 15).await;
    let listed = daemon.over_socket().dead_letters(Some("trap"), None).await.unwrap().dead_letters;
    assert_eq!(listed.iter().rev().map(|letter| letter.sequence).collect::<Vec<_>>(), calls, "newest first");
    assert!(
        listed.iter().all(|letter| letter.attempts == 2 && letter.reason.contains("trapped")),
        "{listed:?}"
    );
    // Each attempt of a failing binding is in the journal, in the order of the events.
    let mut tried = sequences(&told(&daemon, "fail"));
    assert_eq!(tried.len(), 10);
    assert!(tried.is_sorted());
    tried.dedup();
    assert_eq!(tried, calls);
    let hooks = daemon.over_socket().hooks().await.unwrap().bindings;
    let of = |id: &str| hooks.iter().find(|binding| binding.id == id).unwrap();
    assert_eq!((of("agree").cursor.as_ref().unwrap().delivered, of("spin").dead_letters), (5, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_run_of_a_hook_reaches_no_hook() {
    let daemon = daemon().await;
    bind(&daemon, "agree", "run:completed").await;
    bind(&daemon, "remark", "run:after_tool").await;
    bind(&daemon, "trap", "run:failed").await;
    daemon.app.become_gateway(quick());
    call(&daemon, ECHO).await;
    call(&daemon, "acme.bench.trap").await;
    until(&daemon, "all are told", |daemon| {
        completed(daemon, "agree") == 1
            && completed(daemon, "remark") == 2
            && !events(daemon, &[EventKind::HookDeadLettered]).is_empty()
    })
    .await;
    // All later events are those of hook runs.
    assert_eq!(
        (told(&daemon, "agree").len(), told(&daemon, "remark").len(), told(&daemon, "trap").len()),
        (1, 2, 5)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_may_not_run_holds_its_events_until_it_may() {
    let daemon = daemon().await;
    bind(&daemon, "agree", "run:completed").await;
    daemon.app.become_gateway(quick());
    call(&daemon, ECHO).await;
    until(&daemon, "the first is told", |daemon| completed(daemon, "agree") == 1).await;
    daemon.state().skills().disable("acme.watch", "not now", "owner").unwrap();
    call(&daemon, ECHO).await;
    until(&daemon, "the second is refused", |daemon| {
        told(daemon, "agree").iter().any(|event| event.event.kind == EventKind::RunRefused)
    })
    .await;
    call(&daemon, ECHO).await;
    let held = || async { daemon.over_socket().hook("agree").await.unwrap() };
    while held().await.cursor.unwrap().error.is_none() {
        tokio::task::yield_now().await;
    }
    assert!(held().await.cursor.unwrap().error.unwrap().contains("disabled"));
    daemon.over_socket().enable_skill("acme.watch", &Default::default()).await.unwrap();
    until(&daemon, "all are told", |daemon| completed(daemon, "agree") == 3).await;
    assert_eq!(held().await.dead_letters, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn quarantined_in_the_middle_of_a_delivery_the_run_ends_and_the_event_waits() {
    let daemon = daemon().await;
    let request = BindRequest {
        id: Some("spin".into()),
        event: "run:completed".into(),
        plugin: "acme.watch".into(),
        hook: Some("acme.watch.spin".into()),
        timeout_ms: Some(60_000),
        ..BindRequest::default()
    };
    daemon.over_socket().bind_hook(&request).await.unwrap();
    daemon.app.become_gateway(quick());
    call(&daemon, ECHO).await;
    let spinning = || daemon.state().runs().running().iter().any(|run| run.tool_id == "acme.watch.spin");
    while !spinning() {
        tokio::task::yield_now().await;
    }
    daemon.state().skills().quarantine("acme.watch", "looked odd", "owner").unwrap();
    until(&daemon, "the run ends, and is refused from then on", |daemon| {
        let receipts = told(daemon, "spin");
        receipts.iter().any(|event| event.event.details["ended_by"] == "quarantined")
            && receipts.iter().any(|event| event.event.kind == EventKind::RunRefused)
    })
    .await;
    // Calls still succeed.
    daemon.over_socket().invoke(ECHO, &InvokeRequest::default()).await.unwrap();
    assert_eq!(daemon.over_socket().hook("spin").await.unwrap().dead_letters, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_wait_for_a_daemon_and_a_new_binding_begins_where_it_was_bound() {
    let daemon = daemon().await;
    call(&daemon, ECHO).await;
    bind(&daemon, "agree", "run:completed").await;
    call(&daemon, ECHO).await;
    call(&daemon, ECHO).await;
    assert_eq!(told(&daemon, "agree").len(), 0, "nobody is told before a daemon serves");
    daemon.app.become_gateway(quick());
    until(&daemon, "the two are told", |daemon| completed(daemon, "agree") == 2).await;
    daemon.over_socket().switch_hook("agree", false).await.unwrap();
    call(&daemon, ECHO).await;
    daemon.over_socket().switch_hook("agree", true).await.unwrap();
    call(&daemon, ECHO).await;
    until(&daemon, "the last one is told", |daemon| completed(daemon, "agree") == 3).await;
    let mut sequences = sequences(&told(&daemon, "agree"));
    sequences.dedup();
    assert_eq!(sequences.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_events_than_are_held_in_memory_are_read_again() {
    let daemon = daemon().await;
    bind(&daemon, "agree", "run:completed").await;
    for _ in 0..150 {
        call(&daemon, ECHO).await;
    }
    daemon.app.become_gateway(quick());
    until(&daemon, "all are told", |daemon| completed(daemon, "agree") == 150).await;
    let told = sequences(&told(&daemon, "agree"));
    assert!(told.is_sorted_by(|left, right| left < right));
}
