//! Stopping a daemon: nothing is lost, and nothing is left running.

use crate::daemon::{Daemon, config};
use palyra_api::tools::InvokeRequest;
use palyra_common::ScopeSet;
use palyra_daemon::ServerConfig;
use palyra_journal::{EventKind, Query};
use palyra_state::State;
use palyra_state::runs::RunQuery;
use std::time::Duration;

/// Higher limits of fuel and time than a test reaches.
const LONG: &str = "[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000\n";

fn failed_runs(state: &State) -> usize {
    state
        .journal()
        .query(&Query { kinds: vec![EventKind::RunFailed], ..Query::default() })
        .unwrap()
        .events
        .len()
}

/// Waits for the row of the run: a call counts when it arrives, a run once it has its row.
async fn until_running(daemon: &Daemon) {
    while daemon.state().runs().list(&RunQuery::default()).unwrap().runs.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_does_not_end_is_cancelled_with_a_receipt() {
    let daemon = Daemon::with(ServerConfig { grace: Duration::from_millis(50), ..config() }).await;
    daemon.install("long", LONG);
    let client = daemon.over_tcp();
    let call = tokio::spawn(async move { client.invoke("acme.long.spin", &InvokeRequest::default()).await });
    until_running(&daemon).await;
    let health = daemon.over_socket().stop().await.unwrap();
    assert_eq!(health.calls_under_way, 1);
    let (state, _home) = daemon.stop_and_reopen().await;
    assert_eq!(call.await.unwrap().unwrap_err().into_problem().code.as_str(), "cancelled");
    assert_eq!(failed_runs(&state), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_ends_its_call() {
    let daemon = Daemon::start().await;
    daemon.install("long", LONG);
    let client = daemon.over_tcp();
    let call = tokio::spawn(async move { client.invoke("acme.long.spin", &InvokeRequest::default()).await });
    until_running(&daemon).await;
    call.abort();
    let _ = call.await;
    daemon.app.drained().await;
    assert_eq!(failed_runs(daemon.state()), 1, "the run has its receipt all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_running_ends_before_the_daemon_does() {
    let daemon = Daemon::with_bench().await;
    let mut calls = Vec::new();
    for _ in 0..8 {
        let client = daemon.over_tcp();
        calls.push(tokio::spawn(
            async move { client.invoke("acme.bench.echo", &InvokeRequest::default()).await },
        ));
    }
    let mut receipts = Vec::new();
    for call in calls {
        receipts.push(call.await.unwrap().unwrap().receipt.sequence);
    }
    let socket = daemon.socket.clone();
    let (state, _home) = daemon.stop_and_reopen().await;
    assert!(!socket.exists(), "no trace of it is left");
    receipts.sort_unstable();
    receipts.dedup();
    assert_eq!(receipts.len(), 8);
    let completed = Query { kinds: vec![EventKind::RunCompleted], ..Query::default() };
    assert_eq!(state.journal().query(&completed).unwrap().events.len(), 8);
    assert!(state.tokens().add("after", ScopeSet::all(), None, "owner").is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_daemon_stops() {
    let daemon = Daemon::with(ServerConfig { idle_exit: Some(Duration::from_millis(50)), ..config() }).await;
    let mut stopping = daemon.app.stopping();
    stopping.wait_for(|stopping| *stopping).await.unwrap();
    daemon.stop_and_reopen().await;
}
