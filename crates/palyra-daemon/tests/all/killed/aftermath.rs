//! Invariants of a state root whose owner was killed.

use super::busy::Acknowledged;
use crate::process::options;
use palyra_state::journal::{EventKind, Query, RecordedEvent, VerifyScope};
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::runs::{RunQuery, RunRow};
use palyra_state::{ApprovalFilter, ApprovalStatus, FireKey, State, StateRoot};
use serde_json::Value;
use std::collections::BTreeMap;

/// Asserts that the state opens and verifies, contains every acknowledged result once, and nothing incomplete.
pub(super) fn check(root: &StateRoot, known: &Acknowledged) {
    let state = State::open(root, &options(SHORT_COMMAND_WAIT)).unwrap_or_else(|error| panic!("{error}"));
    let verified = state.journal().verify(VerifyScope::Everything, None).unwrap();
    assert!(verified.damage.is_none(), "{verified:?}");
    check_runs(&state, known);
    check_approvals(&state, known);
    check_release(&state, known);
    check_fires(&state, known);
    check_agent_runs(&state, known);
    state.close().unwrap();
}

/// Asserts that each run has one leaf, the one its row names, and that each acknowledged run completed.
fn check_runs(state: &State, known: &Acknowledged) {
    let runs = all_runs(state);
    let leaves = all_events(state, vec![EventKind::RunCompleted, EventKind::RunFailed]);
    assert_eq!(leaves.len(), runs.len());
    for leaf in &leaves {
        let run = &runs[leaf.event.run.as_deref().unwrap()];
        assert_eq!(run.receipt_leaf, Some(leaf.leaf.sequence), "{}", run.run_id);
        assert_ne!(run.status, "started");
    }
    for run_id in &known.runs {
        assert_eq!(runs.get(run_id).map(|run| run.status.as_str()), Some("completed"), "{run_id}");
    }
}

/// Asserts that each decision has one leaf, and every acknowledged decision is there.
fn check_approvals(state: &State, known: &Acknowledged) {
    let leaves = all_events(state, vec![EventKind::ApprovalDecided]);
    let id_of = |leaf: &RecordedEvent| leaf.event.details["approval"].as_str().unwrap().to_owned();
    let mut decided: Vec<String> = leaves.iter().map(id_of).collect();
    decided.sort();
    let before = decided.len();
    decided.dedup();
    assert_eq!(decided.len(), before, "a decision was doubled");
    for id in &known.decided {
        assert!(decided.binary_search(id).is_ok(), "{id} was decided");
    }
    let pending = ApprovalFilter { status: Some(ApprovalStatus::Pending), ..ApprovalFilter::default() };
    for approval in state.approvals().list(&pending).unwrap().approvals {
        assert!(decided.binary_search(&approval.approval_id).is_err());
    }
}

/// Asserts that each due time fired once, with one leaf and at most one run, and that interrupted fires are closed.
fn check_fires(state: &State, known: &Acknowledged) {
    let leaves = all_events(state, vec![EventKind::RoutineFired]);
    let key_of = |leaf: &RecordedEvent| {
        (leaf.event.subject.clone().unwrap(), leaf.event.details["due_ms"].as_u64().unwrap())
    };
    let mut fired: Vec<(String, u64)> = leaves.iter().map(key_of).collect();
    fired.sort();
    let before = fired.len();
    fired.dedup();
    assert_eq!(fired.len(), before, "something fired twice");
    let runs = all_runs(state);
    let mut sessions: Vec<&str> = runs.values().filter_map(|run| run.session.as_deref()).collect();
    sessions.retain(|session| session.starts_with("routine:"));
    let before = sessions.len();
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), before, "a fire ran twice");
    for (routine, due_ms) in &fired {
        let key = FireKey { routine: routine.clone(), due_ms: *due_ms };
        let row =
            state.control().fire(&key).unwrap().unwrap_or_else(|| panic!("{key:?} is not in the history"));
        assert!(!["running", "skipped"].contains(&row.status.as_str()), "{row:?}");
        if row.status == "completed" {
            assert_eq!(runs[row.run_id.as_deref().unwrap()].status, "completed", "{row:?}");
        }
    }
    for (routine, due_ms) in &known.fired {
        let key = FireKey { routine: routine.clone(), due_ms: *due_ms };
        assert_eq!(state.control().fire(&key).unwrap().unwrap().status, "completed");
    }
}

/// Asserts that each acknowledged agent run finished with the receipt of its call, and that others can be resumed.
fn check_agent_runs(state: &State, known: &Acknowledged) {
    let runs = all_runs(state);
    for run_id in &known.agent_runs {
        let row: Value = serde_json::from_slice(&state.sessions().run(run_id).unwrap().unwrap()).unwrap();
        assert_eq!(row["status"], "finished", "{run_id}");
        let session = row["session_id"].as_str();
        let completed =
            runs.values().filter(|run| run.session.as_deref() == session && run.status == "completed");
        assert!(completed.count() >= 1, "{run_id} called its tool");
    }
    for open in state.sessions().open_runs().unwrap() {
        let row: Value = serde_json::from_slice(&open).unwrap();
        assert!(
            ["queued", "thinking", "calling", "paused"].contains(&row["status"].as_str().unwrap()),
            "{row}"
        );
    }
}

/// Asserts that the newest acknowledged release, or a later one, is complete.
fn check_release(state: &State, known: &Acknowledged) {
    let view = state.view();
    let installed = view.index().get("acme.other").map(|record| record.current.manifest.version.major);
    assert!(installed.unwrap_or(0) >= u64::from(known.release), "{installed:?} after {}", known.release);
    if installed.is_some() {
        state.skills().verify_installed("acme.other", "owner").unwrap();
    }
}

fn all_runs(state: &State) -> BTreeMap<String, RunRow> {
    let mut runs = BTreeMap::new();
    let mut query = RunQuery::default();
    loop {
        let page = state.runs().list(&query).unwrap();
        runs.extend(page.runs.into_iter().map(|run| (run.run_id.clone(), run)));
        match page.next {
            Some(next) => query.before = Some(next),
            None => return runs,
        }
    }
}

fn all_events(state: &State, kinds: Vec<EventKind>) -> Vec<RecordedEvent> {
    let mut events: Vec<RecordedEvent> = Vec::new();
    let mut query = Query { kinds, ..Query::default() };
    loop {
        let page = state.journal().query(&query).unwrap();
        let Some(last) = page.events.last() else { return events };
        query.from_sequence = Some(last.leaf.sequence + 1);
        events.extend(page.events);
    }
}
