//! Periodic maintenance of a daemon.

use crate::daemon::Daemon;
use palyra_api::tools::InvokeRequest;
use palyra_daemon::upkeep::keep_up;
use palyra_journal::{EventKind, Query};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_ran_out_of_time_are_closed_without_anybody_asking() {
    let daemon = Daemon::with_bench().await;
    daemon.over_tcp().invoke("acme.bench.ask", &InvokeRequest::default()).await.unwrap_err();
    daemon.over_tcp().invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    // After a year, the request has expired and the tape of the run is too old.
    daemon.advance(365 * 24 * 60 * 60 * 1_000);
    let mut follower = daemon.state().journal().follow();
    let upkeep = tokio::spawn(keep_up(Arc::clone(&daemon.app), Duration::from_millis(1)));
    let decided = Query { kinds: vec![EventKind::ApprovalDecided], ..Query::default() };
    while daemon.state().journal().query(&decided).unwrap().events.is_empty() {
        follower.next().await.unwrap();
    }
    let query = palyra_state::runs::RunQuery::default();
    while daemon.state().runs().list(&query).unwrap().runs[0].tape.is_some() {
        tokio::task::yield_now().await;
    }
    daemon.app.begin_stop();
    upkeep.await.unwrap();
}
