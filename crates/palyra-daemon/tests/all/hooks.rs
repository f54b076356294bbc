//! Hooks from the perspective of operators and callers: gates, observers, the file, and the API.

mod delivery;
mod file;
mod gates;
mod scale;
mod verbs;
mod watch;

pub(crate) use watch::install as install_watch;

use crate::daemon::Daemon;
use palyra_api::hooks::{BindRequest, HookBinding};
use palyra_daemon::deliveries::{Backoff, DeliveryOptions};
use palyra_journal::{EventKind, Query, RecordedEvent};
use std::time::Duration;

/// Starts a daemon with tools and with hooks of every behavior.
pub(crate) async fn daemon() -> Daemon {
    let daemon = Daemon::with_bench().await;
    watch::install(daemon.state());
    daemon
}

/// Returns options with retries that are fast enough for tests.
pub(crate) fn quick() -> DeliveryOptions {
    let quick = Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(4) };
    DeliveryOptions { hooks: quick, channels: quick, channel_attempts: 3, ..DeliveryOptions::default() }
}

/// Binds `acme.watch.HOOK` with the id `HOOK`.
pub(crate) async fn bind(daemon: &Daemon, hook: &str, event: &str) -> HookBinding {
    let request = BindRequest {
        id: Some(hook.replace('.', "-")),
        event: event.into(),
        plugin: "acme.watch".into(),
        hook: Some(format!("acme.watch.{hook}")),
        ..BindRequest::default()
    };
    daemon.over_socket().bind_hook(&request).await.unwrap()
}

/// Returns the events of these kinds, oldest first.
pub(crate) fn events(daemon: &Daemon, kinds: &[EventKind]) -> Vec<RecordedEvent> {
    let query = Query { kinds: kinds.to_vec(), limit: 1_000, ..Query::default() };
    daemon.state().journal().query(&query).unwrap().events
}

/// Returns the receipts of a binding's runs, oldest first.
pub(crate) fn told(daemon: &Daemon, binding: &str) -> Vec<RecordedEvent> {
    let mut receipts =
        events(daemon, &[EventKind::RunCompleted, EventKind::RunFailed, EventKind::RunRefused]);
    receipts.retain(|event| event.event.details["hook"]["binding"] == binding);
    receipts
}

/// Waits for new journal events until a condition is true.
pub(crate) async fn until(daemon: &Daemon, what: &str, holds: impl Fn(&Daemon) -> bool) {
    let mut follower = daemon.state().journal().follow();
    let waiting = async {
        while !holds(daemon) {
            follower.next().await.unwrap();
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waiting).await.is_ok(), "{what}");
}
