//! Clients that keep a daemon busy until it is killed, and the results they received before.

use crate::guests::package;
use palyra_api::approvals::ApproveRequest;
use palyra_api::client::full_body;
use palyra_api::client::remote::{Place, Remote};
use palyra_api::sessions::{
    AgentRunStatus, FormSubmit, NewSession, PauseAnswer, PauseDecision, SessionQuery,
};
use palyra_api::skills::InstallQuery;
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError};
use palyra_common::Scope;
use palyra_control_plane::ConcurrencyPolicy::{Allow, Forbid, Queue, Replace};
use palyra_control_plane::{MisfirePolicy, Routine, RoutineAction, StateStore, When};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::server::socket_path;
use palyra_state::{State, StateRoot};
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use zeroize::Zeroizing;

/// Results that a daemon acknowledged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acknowledged {
    /// Ids of runs whose result was received.
    pub(super) runs: Vec<String>,
    /// Ids of decided approvals.
    pub(super) decided: Vec<String>,
    /// Manual fires that were reported as completed.
    pub(super) fired: Vec<(String, u64)>,
    /// Ids of finished agent runs.
    pub(super) agent_runs: Vec<String>,
    /// Newest acknowledged release of `acme.other`.
    pub(super) release: u32,
}

impl Acknowledged {
    pub(super) fn add(&mut self, more: Self) {
        self.runs.extend(more.runs);
        self.decided.extend(more.decided);
        self.fired.extend(more.fired);
        self.agent_runs.extend(more.agent_runs);
        self.release = self.release.max(more.release);
    }
}

/// State shared by the clients of one daemon.
struct Shared {
    seen: Mutex<Acknowledged>,
    answers: AtomicU64,
    enough: Notify,
    after: u64,
}

impl Shared {
    fn note(&self, note: impl FnOnce(&mut Acknowledged)) {
        note(&mut self.seen.lock().unwrap());
        self.answered();
    }

    fn answered(&self) {
        if self.answers.fetch_add(1, Ordering::SeqCst) >= self.after {
            self.enough.notify_one();
        }
    }
}

const TOKEN_FILE: &str = "agent.token";

/// Adds tokens: the requester of approvals must not be the decider.
pub(super) fn add_tokens(state: &State, root: &StateRoot) {
    let token = state.tokens().add("agent", [Scope::Invoke].into_iter().collect(), None, "owner").unwrap();
    std::fs::write(beside(root), token.secret.as_str()).unwrap();
}

/// Adds routines that are always due, and make up for missed times.
pub(super) fn add_routines(state: State) -> State {
    let state = Arc::new(state);
    let store = StateStore::new(Arc::clone(&state));
    for (number, concurrency) in [Allow, Forbid, Queue, Replace].into_iter().enumerate() {
        let now = state.now_ms();
        let routine = Routine {
            name: format!("every-{number}"),
            enabled: true,
            action: RoutineAction::Tool { tool: "acme.bench.echo".into(), input: "{}".into() },
            when: When::Every { ms: 1_000, from_ms: now + 250 * number as u64 },
            time_zone: "UTC".into(),
            quiet: None,
            misfire: MisfirePolicy::CatchUp(10),
            concurrency,
            jitter_ms: 100 * number as u64,
            objective: None,
            wait_approval_ms: 0,
            creator: Default::default(),
            created_ms: now,
            since_ms: now,
        };
        store.put_routine(&routine, false, "owner").unwrap();
    }
    drop(store);
    Arc::try_unwrap(state).ok().unwrap()
}

/// Works until enough answers were received, kills the daemon, and returns what was acknowledged.
pub(super) async fn keep_busy(
    root: &StateRoot,
    point: u64,
    answers: u64,
    kill: impl FnOnce(),
) -> Acknowledged {
    let owner = OwnerToken::read(root).unwrap().unwrap().expose().clone();
    let agent = Zeroizing::new(std::fs::read_to_string(beside(root)).unwrap());
    let client = |token: &Zeroizing<String>| {
        Client::new(Remote::new(Place::Socket(socket_path(root)), Some(token.clone())))
    };
    let shared = Arc::new(Shared {
        seen: Mutex::default(),
        answers: AtomicU64::new(0),
        enough: Notify::new(),
        after: answers,
    });
    let mut working = JoinSet::new();
    for _ in 0..4 {
        working.spawn(call(client(&owner), Arc::clone(&shared)));
    }
    working.spawn(approve(client(&agent), client(&owner), Arc::clone(&shared), point));
    working.spawn(fire(client(&owner), Arc::clone(&shared)));
    working.spawn(converse(client(&owner), Arc::clone(&shared)));
    let first = u32::try_from(point).unwrap() * 100;
    working.spawn(install(client(&owner), Arc::clone(&shared), first));
    tokio::select! {
        () = shared.enough.notified() => kill(),
        ended = working.join_next() => panic!("a client ended before the daemon: {ended:?}"),
    }
    // Each client ends with its connection.
    while let Some(ended) = working.join_next().await {
        ended.unwrap();
    }
    std::mem::take(&mut shared.seen.lock().unwrap())
}

/// Makes calls, and requests the receipt of each.
async fn call(client: Client<Remote>, shared: Arc<Shared>) {
    loop {
        let Some(answer) = unless_gone(client.invoke("acme.bench.echo", &InvokeRequest::default()).await)
        else {
            return;
        };
        shared.note(|seen| seen.runs.push(answer.run_id.clone()));
        let Some(receipt) = unless_gone(client.receipt(&answer.run_id).await) else { return };
        let text = serde_json::to_vec(&receipt).unwrap();
        assert!(palyra_state::verify_receipt(&text, None).unwrap().completed);
        shared.answered();
    }
}

/// Fires a routine by request while it also fires by schedule.
async fn fire(client: Client<Remote>, shared: Arc<Shared>) {
    loop {
        let Some(fire) = unless_gone(client.fire_routine("every-0").await) else { return };
        match fire.status.as_str() {
            "completed" => shared.note(|seen| seen.fired.push((fire.routine, fire.due_ms))),
            _ => shared.answered(),
        }
    }
}

/// Finishes the agent runs of an earlier daemon, then begins others.
async fn converse(client: Client<Remote>, shared: Arc<Shared>) {
    let Some(left) = unless_gone(client.sessions(&SessionQuery::default()).await) else { return };
    for run_id in left.sessions.into_iter().filter_map(|session| session.active_run) {
        if finish(&client, &run_id).await.is_none() {
            return;
        }
        shared.note(|seen| seen.agent_runs.push(run_id));
    }
    let new = NewSession { tools: vec!["acme.bench.echo".into()], ..NewSession::default() };
    loop {
        let Some(session) = unless_gone(client.new_session(&new).await) else { return };
        let Some(run) = unless_gone(client.say(&session.session_id, "echo the number 7").await) else {
            return;
        };
        if finish(&client, &run.run_id).await.is_none() {
            return;
        }
        shared.note(|seen| seen.agent_runs.push(run.run_id));
    }
}

/// Confirms the proposals of a run and waits until it finishes; returns `None` once the daemon is gone.
async fn finish(client: &Client<Remote>, run_id: &str) -> Option<()> {
    let run = unless_gone(client.agent_run(run_id).await)?;
    let mut events = client.follow_session(&run.session_id, Some(0)).await.ok()?;
    loop {
        let run = unless_gone(client.agent_run(run_id).await)?;
        if run.status.is_final() {
            assert_eq!(run.status, AgentRunStatus::Finished, "{run:?}");
            return Some(());
        }
        let Some(pause) = run.pause else {
            events.next().await.ok()??;
            continue;
        };
        let submit = FormSubmit {
            rev: pause.rev.unwrap(),
            component_id: "arguments".into(),
            values: serde_json::json!({ "n": 7 }),
        };
        let answer = PauseAnswer {
            decision: PauseDecision::Approve,
            bound_to: pause.bound_to,
            submit: Some(submit),
            reason: None,
            owner_present: true,
        };
        match client.answer_pause(&pause.pause_id, &answer).await {
            // A daemon that has just started may not have resumed the run yet.
            Err(ClientError::Problem(problem)) if problem.code.as_str() == "not_under_way" => {}
            answered => {
                unless_gone(answered)?;
            }
        }
    }
}

/// Makes calls with new arguments, approves them, and repeats them.
async fn approve(agent: Client<Remote>, owner: Client<Remote>, shared: Arc<Shared>, point: u64) {
    for number in 0.. {
        let input = format!("{{\"n\": {}}}", point * 1_000_000 + number);
        let request = InvokeRequest::with_input(RawValue::from_string(input).unwrap());
        let id = match agent.invoke("acme.bench.ask", &request).await {
            Err(ClientError::Problem(problem)) if problem.code.as_str() == "approval_required" => {
                problem.details["approval_id"].as_str().unwrap().to_owned()
            }
            other => {
                unless_gone(other);
                return;
            }
        };
        if unless_gone(owner.approve(&id, &ApproveRequest::default()).await).is_none() {
            return;
        }
        shared.note(|seen| seen.decided.push(id));
        let Some(answer) = unless_gone(agent.invoke("acme.bench.ask", &request).await) else { return };
        shared.note(|seen| seen.runs.push(answer.run_id));
    }
}

/// Installs consecutive releases.
async fn install(client: Client<Remote>, shared: Arc<Shared>, first: u32) {
    for release in first + 2.. {
        let (package, _) = package("other", "", release);
        let installed = client.install(full_body(package), &InstallQuery::default()).await;
        if unless_gone(installed).is_none() {
            return;
        }
        shared.note(|seen| seen.release = release);
    }
}

/// Returns `None` once the daemon is gone; a problem from the daemon fails the test.
fn unless_gone<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Option<T> {
    match result {
        Ok(answer) => Some(answer),
        Err(ClientError::Problem(problem)) => panic!("{problem:?}"),
        Err(_) => None,
    }
}

fn beside(root: &StateRoot) -> std::path::PathBuf {
    root.path().with_file_name(TOKEN_FILE)
}
