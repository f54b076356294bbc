//! Many bindings and many events: order per binding, duration, and the effect on calls.
//!
//! `PALYRA_HOOK_BINDINGS`, `PALYRA_HOOK_EVENTS` and `PALYRA_HOOK_CALLS` set the numbers; the ordinary tests use few.

use super::{daemon, quick};
use crate::daemon::Daemon;
use palyra_api::hooks::{ApplyRequest, BindRequest};
use palyra_api::tools::InvokeRequest;
use palyra_journal::{EventKind, NewEvent, Query};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// Number of bindings per event.
const HEARD_BY: usize = 4;

fn number(name: &str, few: usize) -> usize {
    std::env::var(name).ok().map_or(few, |text| text.parse().unwrap())
}

/// Binds number N to skill N and the three after it.
fn write_bindings(daemon: &Daemon, bindings: usize) {
    let binding = |number: usize| {
        let skills: Vec<String> =
            (0..HEARD_BY).map(|more| format!("acme.s{}", (number + more) % bindings)).collect();
        json!({ "id": format!("b{number}"), "event": "skill:disabled", "plugin": "acme.watch",
            "hook": "acme.watch.agree", "skills": skills })
    };
    let all: Vec<serde_json::Value> = (0..bindings).map(binding).collect();
    let text = json!({ "schema": "palyra.hooks.bindings/v1", "bindings": all }).to_string();
    let folder = daemon.root.path().join("hooks");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(folder.join("bindings.json"), text).unwrap();
    std::fs::set_permissions(folder.join("bindings.json"), std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_bindings_hear_many_events_each_in_order() {
    let (bindings, events) = (number("PALYRA_HOOK_BINDINGS", 40), number("PALYRA_HOOK_EVENTS", 200));
    let daemon = daemon().await;
    write_bindings(&daemon, bindings);
    daemon.over_socket().apply_hooks(&ApplyRequest::default()).await.unwrap();
    daemon.app.become_gateway(quick());
    let (began, journal) = (Instant::now(), daemon.state().journal());
    let mut appended = HashMap::new();
    for number in 0..events {
        let event = NewEvent::new(EventKind::SkillDisabled, 1).skill(format!("acme.s{}", number % bindings));
        let leaf = journal.append(event).await.unwrap();
        appended.insert(leaf.sequence, began.elapsed());
    }
    let all_appended = began.elapsed();
    let heard_by = HEARD_BY.min(bindings);
    let mut told: HashMap<String, Vec<u64>> = HashMap::new();
    let (mut latencies, mut next) = (Vec::new(), 0);
    let mut follower = journal.follow();
    while latencies.len() < events * heard_by {
        let query = Query {
            kinds: vec![EventKind::RunCompleted],
            from_sequence: Some(next),
            limit: 1_000,
            ..Query::default()
        };
        let page = journal.query(&query).unwrap();
        if page.events.is_empty() {
            tokio::time::timeout(Duration::from_secs(60), follower.next())
                .await
                .expect("nothing is told")
                .unwrap();
            continue;
        }
        for event in page.events {
            next = event.leaf.sequence + 1;
            let hook = &event.event.details["hook"];
            let sequence = hook["sequence"].as_u64().unwrap();
            told.entry(hook["binding"].as_str().unwrap().to_owned()).or_default().push(sequence);
            latencies.push(began.elapsed().saturating_sub(appended[&sequence]));
        }
    }
    let took = began.elapsed();
    assert_eq!(told.values().map(Vec::len).sum::<usize>(), events * heard_by);
    assert!(
        told.values().all(|told| told.is_sorted_by(|left, right| left < right)),
        "each in its order, once"
    );
    latencies.sort();
    let at = |part: usize| latencies[latencies.len() * part / 100];
    let (deliveries, half, most) = (latencies.len(), at(50), latencies.last().unwrap());
    writeln!(
        std::io::stderr(),
        "{bindings} bindings, {events} events appended in {all_appended:.1?}, {deliveries} deliveries in {took:.1?}: \
         half within {half:.1?}, 99 of 100 within {:.1?}, all within {most:.1?}",
        at(99)
    )
    .unwrap();
}

/// Returns the median duration of a call.
async fn median_call(daemon: &Daemon, calls: usize) -> Duration {
    let client = daemon.over_socket();
    let request = InvokeRequest::default();
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let began = Instant::now();
        client.invoke("acme.bench.echo", &request).await.unwrap();
        times.push(began.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_do_not_wait_for_observers() {
    let calls = number("PALYRA_HOOK_CALLS", 20);
    let daemon = daemon().await;
    daemon.app.become_gateway(quick());
    let request = BindRequest {
        id: Some("all".into()),
        event: "run:completed".into(),
        plugin: "acme.watch".into(),
        hook: Some("acme.watch.agree".into()),
        disabled: true,
        ..BindRequest::default()
    };
    daemon.over_socket().bind_hook(&request).await.unwrap();
    median_call(&daemon, calls).await;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        daemon.over_socket().switch_hook("all", false).await.unwrap();
        without.push(median_call(&daemon, calls).await);
        daemon.over_socket().switch_hook("all", true).await.unwrap();
        with.push(median_call(&daemon, calls).await);
    }
    without.sort();
    with.sort();
    let ratio = with[2].as_secs_f64() / without[2].as_secs_f64();
    writeln!(
        std::io::stderr(),
        "a call takes {:.1?} without observers, {:.1?} with one: {ratio:.2}",
        without[2],
        with[2]
    )
    .unwrap();
    // An observer that never ends must not affect the others.
    let spin = BindRequest {
        id: Some("spin".into()),
        event: "run:completed".into(),
        plugin: "acme.watch".into(),
        hook: Some("acme.watch.spin".into()),
        timeout_ms: Some(60_000),
        ..BindRequest::default()
    };
    daemon.over_socket().bind_hook(&spin).await.unwrap();
    let times = median_call(&daemon, 5).await;
    assert!(times < Duration::from_secs(10), "{times:?}");
}
