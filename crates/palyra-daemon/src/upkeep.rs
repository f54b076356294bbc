//! Periodic maintenance: expires approval requests, and removes old tapes and lines.

use std::sync::Arc;
use std::time::Duration;

use palyra_state::State;

use crate::app::{App, until_stopping};
use crate::problem::sentence;

/// Interval of the maintenance of a daemon.
pub const EVERY: Duration = Duration::from_secs(60);
/// Number of rounds between two trims, because runs are stored for days.
const TRIM_EVERY: u64 = 60;

/// Runs the maintenance until the daemon stops; the first round begins at once.
pub async fn keep_up(app: Arc<App>, every: Duration) {
    let mut stopping = app.stopping();
    for round in 0_u64.. {
        let state = Arc::clone(app.state());
        let tending = tokio::task::spawn_blocking(move || tend(&state, round.is_multiple_of(TRIM_EVERY)));
        if let Err(error) = tending.await {
            tracing::error!(%error, "upkeep stopped");
        }
        tokio::select! {
            biased;
            () = until_stopping(&mut stopping) => return,
            () = tokio::time::sleep(every) => {}
        }
    }
}

/// Runs one round; errors are logged, and the next round tries again.
fn tend(state: &State, trim: bool) {
    match state.approvals().expire() {
        Ok(0) => {}
        Ok(closed) => tracing::info!(closed, "expired approval requests"),
        Err(error) => tracing::error!(error = sentence(&error), "cannot expire approval requests"),
    }
    if let Err(error) = state.channels().trim() {
        tracing::error!(error = sentence(&error), "cannot trim channel messages");
    }
    if !trim {
        return;
    }
    match state.runs().trim() {
        Ok(trimmed) if trimmed == Default::default() => {}
        Ok(trimmed) => {
            tracing::info!(trimmed.runs, trimmed.tapes, trimmed.approvals, "trimmed old runs");
        }
        Err(error) => tracing::error!(error = sentence(&error), "cannot trim old runs"),
    }
    if let Err(error) = state.control().trim_fires() {
        tracing::error!(error = sentence(&error), "cannot trim the history of routines");
    }
}
