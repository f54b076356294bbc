//! `kill -9` during deliveries to observers and channels.

use super::{FEW, Victim, number};
use crate::process::{options, start};
use palyra_api::client::remote::{Place, Remote};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::server::socket_path;
use palyra_state::channels::ChannelKind;
use palyra_state::hooks::{HookBindingRecord, HookEventKind};
use palyra_state::journal::{EventKind, Query, RecordedEvent, VerifyScope};
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{State, StateRoot};
use std::collections::BTreeMap;

/// Maximum number of answers before a kill.
const MOST_ANSWERS: u64 = 12;
const TOOLS: [&str; 2] = ["acme.bench.echo", "acme.speaker.say"];

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_loses_no_event_and_records_every_delivery() {
    let points = number("PALYRA_KILL_POINTS").unwrap_or(FEW);
    let seed = number("PALYRA_KILL_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let outside = tempfile::tempdir().unwrap();
    let told = outside.path().join("alerts.jsonl");
    let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
    crate::guests::install(&state, "bench", "");
    crate::hooks::install_watch(&state);
    crate::channels::install_publisher(&state);
    for (id, hook) in [("one", "acme.watch.agree"), ("two", "acme.watch.remark")] {
        let binding = HookBindingRecord::new(id, HookEventKind::RunCompleted, "acme.watch", hook);
        state.hooks().bind(binding, "owner").unwrap();
    }
    state.channels().add("alerts", ChannelKind::File { path: told.clone() }, "owner").unwrap();
    state.close().unwrap();
    let (mut random, mut answered) = (seed, 0);
    for _ in 0..points {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut daemon = Victim(start(&root, &[]));
        answered += call(&root, (random >> 33) % MOST_ANSWERS, || daemon.0.kill().unwrap()).await;
        drop(daemon);
    }
    let daemon = Victim(start(&root, &[]));
    settle(&root).await;
    drop(daemon);
    let checked = tokio::task::spawn_blocking(move || check(&root, &told, answered)).await;
    assert!(checked.is_ok(), "PALYRA_KILL_SEED={seed}");
}

fn client(root: &StateRoot) -> Client<Remote> {
    let token = OwnerToken::read(root).unwrap().unwrap().expose().clone();
    Client::new(Remote::new(Place::Socket(socket_path(root)), Some(token)))
}

/// Calls tools until this many responded, and kills the daemon during another call.
async fn call(root: &StateRoot, answers: u64, kill: impl FnOnce()) -> usize {
    let client = client(root);
    let request = InvokeRequest::default();
    for number in 0..answers {
        client.invoke(TOOLS[usize::try_from(number % 2).unwrap()], &request).await.unwrap();
    }
    let last = tokio::spawn(async move { client.invoke(TOOLS[1], &InvokeRequest::default()).await });
    tokio::task::yield_now().await;
    kill();
    let last = last.await.unwrap();
    usize::try_from(answers).unwrap() + usize::from(last.is_ok())
}

/// Waits until everything is delivered.
async fn settle(root: &StateRoot) {
    let client = client(root);
    let mut stream = client.events(&[], None).await.unwrap();
    client.invoke(TOOLS[1], &InvokeRequest::default()).await.unwrap();
    while !is_settled(&client).await.unwrap() {
        stream.next().await.unwrap().unwrap();
    }
}

async fn is_settled(client: &Client<Remote>) -> Result<bool, ClientError> {
    let query =
        palyra_api::journal::JournalQuery { limit: Some(1_000), newest_first: true, ..Default::default() };
    let page = client.journal(&query).await?;
    let is_call = |kind: &str, actor: Option<&str>| {
        kind == "run:completed" && !actor.is_some_and(|actor| actor.starts_with("hook:"))
    };
    let last = page
        .events
        .iter()
        .find(|event| is_call(&event.kind, event.actor.as_deref()))
        .map(|event| event.sequence);
    let hooks = client.hooks().await?.bindings;
    let passed = |next: Option<u64>| next.is_some_and(|next| last.is_none_or(|last| next > last));
    let told = hooks.iter().all(|binding| passed(binding.cursor.as_ref().map(|cursor| cursor.next)));
    let newest = client.channel_messages("alerts", Some(1)).await?.messages.last().map(|message| message.id);
    let delivered = client.channel("alerts").await?.cursor.map(|cursor| cursor.next);
    Ok(told && newest.is_none_or(|newest| delivered.is_some_and(|next| next > newest)))
}

fn check(root: &StateRoot, told: &std::path::Path, answered: usize) {
    let state = State::open(root, &options(SHORT_COMMAND_WAIT)).unwrap_or_else(|error| panic!("{error}"));
    assert!(state.journal().verify(VerifyScope::Everything, None).unwrap().damage.is_none());
    let runs = all_events(&state, EventKind::RunCompleted);
    let of_hook = |event: &&RecordedEvent| event.event.details.get("hook").is_some();
    let calls: Vec<u64> =
        runs.iter().filter(|event| !of_hook(event)).map(|event| event.leaf.sequence).collect();
    assert!(calls.len() >= answered);
    for binding in ["one", "two"] {
        let taken: Vec<u64> = runs
            .iter()
            .filter(|event| event.event.details["hook"]["binding"] == binding)
            .map(|event| event.event.details["hook"]["sequence"].as_u64().unwrap())
            .collect();
        assert_eq!(taken, calls, "every event once, in order, for `{binding}`");
    }
    // The file contains every published message, and only recorded ones.
    let mut recorded: BTreeMap<u64, usize> = BTreeMap::new();
    for event in all_events(&state, EventKind::ChannelDelivered) {
        *recorded.entry(event.event.details["message"].as_u64().unwrap()).or_default() += 1;
    }
    assert!(recorded.values().all(|times| *times == 1), "{recorded:?}");
    let text = std::fs::read_to_string(told).unwrap();
    let mut written: Vec<u64> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .map(|line| line["message"].as_u64().unwrap())
        .collect();
    assert!(written.is_sorted());
    written.dedup();
    assert_eq!(written, recorded.keys().copied().collect::<Vec<_>>());
    let kept = state.channels().newest("alerts", 1_000).unwrap();
    assert!(kept.iter().all(|message| recorded.contains_key(&message.id)));
    state.close().unwrap();
}

fn all_events(state: &State, kind: EventKind) -> Vec<RecordedEvent> {
    let mut events = Vec::new();
    let mut query = Some(Query { kinds: vec![kind], limit: 1_000, ..Query::default() });
    while let Some(next) = query {
        let page = state.journal().query(&next).unwrap();
        events.extend(page.events);
        query = page.next;
    }
    events
}
