//! `kill -9` at random steps of agent runs whose tool has an effect that can be counted.

use super::{FEW, Victim, number};
use crate::guests::build;
use crate::process::{options, start};
use palyra_api::client::remote::{Place, Remote};
use palyra_api::sessions::{
    AgentRun, AgentRunStatus, FormSubmit, NewSession, Pause, PauseAnswer, PauseDecision, PauseKind,
    SessionQuery,
};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::server::socket_path;
use palyra_skills::consent::ConsentGiven;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{InstallOptions, State, StateRoot};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

const COUNTER: &str = "acme.counter.add";
/// Number of steps of one run before a kill, at most: its answers and events, and a few more.
const MOST_STEPS: u64 = 14;
/// Maximum number of requests between a step and the kill, which vary the moment of the kill.
const MOST_PINGS: u64 = 4;

#[tokio::test(flavor = "multi_thread")]
async fn killed_agent_run_resumes_or_ends_truthfully_and_repeats_no_effect() {
    let points = number("PALYRA_KILL_POINTS").unwrap_or(FEW);
    let seed = number("PALYRA_KILL_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
    install_counter(&state);
    state.close().unwrap();
    let (mut random, mut counted, mut finished) = (seed, 0, 0);
    for point in 0..=points {
        let place = format!("PALYRA_KILL_SEED={seed}, point {point}");
        let mut daemon = Victim(start(&root, &[]));
        let client = client(&root);
        let run = settle(&client).await;
        let now = count(&client).await;
        // The question whether to repeat the call is denied: its effect happened at most once.
        let effects = now - counted;
        match run.as_ref().map(|run| (run.status, &run.reason)) {
            None => assert_eq!(effects, 0, "{place}"),
            Some((AgentRunStatus::Finished, _)) => assert_eq!(effects, 1, "{place}: {run:?}"),
            Some((AgentRunStatus::Interrupted, Some(_))) => assert!(effects <= 1, "{place}: {run:?}"),
            Some(_) => panic!("{place}: {run:?}"),
        }
        finished += u64::from(run.is_some_and(|run| run.status == AgentRunStatus::Finished));
        counted = now;
        if point == points {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (steps, pings) = ((random >> 33) % MOST_STEPS, (random >> 50) % MOST_PINGS);
        let progress = Arc::new(Progress { steps: AtomicU64::new(0), after: steps, reached: Notify::new() });
        let working = tokio::spawn(converse(self::client(&root), Arc::clone(&progress)));
        progress.reached.notified().await;
        for _ in 0..pings {
            client.health().await.unwrap();
        }
        daemon.0.kill().unwrap();
        drop(daemon);
        working.await.unwrap();
    }
    assert!(finished > 0, "PALYRA_KILL_SEED={seed}");
}

/// Number of steps a conversation has seen, and the number after which the daemon is killed.
struct Progress {
    steps: AtomicU64,
    after: u64,
    reached: Notify,
}

impl Progress {
    fn step(&self) {
        if self.steps.fetch_add(1, Ordering::SeqCst) >= self.after {
            self.reached.notify_one();
        }
    }
}

/// Sends one message and follows its run, until the run or the daemon ends.
async fn converse(client: Client<Remote>, progress: Arc<Progress>) {
    talk(&client, &progress).await;
    progress.reached.notify_one();
}

async fn talk(client: &Client<Remote>, progress: &Progress) -> Option<()> {
    let new = NewSession { tools: vec![COUNTER.into()], ..NewSession::default() };
    let session = unless_gone(client.new_session(&new).await)?;
    progress.step();
    let run = unless_gone(client.say(&session.session_id, "add a step of 1 to the counter").await)?;
    progress.step();
    let mut events = unless_gone(client.follow_session(&session.session_id, Some(0)).await)?;
    loop {
        events.next().await.ok()??;
        progress.step();
        let run = unless_gone(client.agent_run(&run.run_id).await)?;
        if run.status.is_final() {
            return Some(());
        }
        if let Some(pause) = run.pause {
            unless_gone(client.answer_pause(&pause.pause_id, &answer(&pause)).await)?;
            progress.step();
        }
    }
}

/// Completes the run that an earlier daemon has left.
async fn settle(client: &Client<Remote>) -> Option<AgentRun> {
    let sessions = client.sessions(&SessionQuery::default()).await.unwrap().sessions;
    let session = sessions.iter().max_by_key(|session| (session.created_ms, session.session_id.clone()))?;
    let run = client.agent_runs(&session.session_id, None).await.unwrap().runs.into_iter().next()?;
    let mut events = client.follow_session(&session.session_id, Some(0)).await.unwrap();
    loop {
        let run = client.agent_run(&run.run_id).await.unwrap();
        if run.status.is_final() {
            return Some(run);
        }
        let Some(pause) = run.pause else {
            events.next().await.unwrap().unwrap();
            continue;
        };
        // An answer right after the start waits until the daemon has resumed the run.
        client.answer_pause(&pause.pause_id, &answer(&pause)).await.unwrap();
    }
}

/// Accepts the proposal, and declines to repeat a call that may have had its effect.
fn answer(pause: &Pause) -> PauseAnswer {
    let form = pause.kind == PauseKind::Form;
    let submit = form.then(|| FormSubmit {
        rev: pause.rev.unwrap(),
        component_id: "arguments".into(),
        values: json!({ "step": 1 }),
    });
    PauseAnswer {
        decision: if form { PauseDecision::Approve } else { PauseDecision::Deny },
        bound_to: pause.bound_to.clone(),
        submit,
        reason: None,
        owner_present: true,
    }
}

/// Returns the value of the counter.
async fn count(client: &Client<Remote>) -> u64 {
    let input = RawValue::from_string(r#"{"step":0}"#.to_owned()).unwrap();
    let answer = client.invoke(COUNTER, &InvokeRequest::with_input(input)).await.unwrap();
    let result: Value = serde_json::from_str(answer.result.get()).unwrap();
    result["count"].as_u64().unwrap()
}

fn client(root: &StateRoot) -> Client<Remote> {
    let token = OwnerToken::read(root).unwrap().unwrap().expose().clone();
    Client::new(Remote::new(Place::Socket(socket_path(root)), Some(token)))
}

fn install_counter(state: &State) {
    let manifest = format!(
        r#"manifest_version = 1
skill_id = "acme.counter"
name = "Counter"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "{COUNTER}"
name = "Add"
description = "Adds a step to the counter and returns its value"
module = "modules/counter.wasm"
input_schema = {{ type = "object", properties = {{ step = {{ type = "integer" }} }} }}
output_schema = {{ type = "object" }}

[capabilities]
storage_prefixes = ["counter/"]
storage_quota_bytes = 4096
"#
    );
    let guest = include_str!("../../../../../examples/skills/counter-wat/guest.wat");
    let (bytes, digest) =
        build(&manifest, &[("modules/counter.wasm".to_owned(), wat::parse_str(guest).unwrap())]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    state.skills().install(bytes, &options, "owner", &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
}

/// Returns `None` after the daemon is gone; a problem fails the test.
fn unless_gone<T>(result: Result<T, ClientError>) -> Option<T> {
    match result {
        Ok(answer) => Some(answer),
        Err(ClientError::Problem(problem)) => panic!("{problem:?}"),
        Err(_) => None,
    }
}
