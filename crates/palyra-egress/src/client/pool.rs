//! Idle connections, kept for further requests of their route.

use super::connection::LiveConnection;
use super::{PinnedAddresses, Route};
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Idle connections, the oldest first.
pub(crate) struct Pool {
    max_idle: usize,
    lifetime: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: VecDeque<Idle>,
    /// Whether a task that closes idle connections is running.
    reaped: bool,
}

struct Idle {
    connection: LiveConnection,
    since: Instant,
}

impl Pool {
    pub(super) fn new(max_idle: usize, lifetime: Duration) -> Self {
        Self { max_idle, lifetime, state: Mutex::default() }
    }

    /// Returns an idle connection of this route that the server has not closed.
    pub(super) async fn take(&self, route: Route<'_>, pinned: &PinnedAddresses) -> Option<LiveConnection> {
        while let Some(mut connection) = self.pick(route, pinned) {
            if connection.settle().await {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection if it can be used again, and closes it otherwise.
    pub(crate) async fn put(self: &Arc<Self>, mut connection: LiveConnection) {
        if self.max_idle == 0 || !connection.settle().await {
            return;
        }
        let mut state = self.state();
        if state.idle.len() >= self.max_idle {
            state.idle.pop_front();
        }
        state.idle.push_back(Idle { connection, since: Instant::now() });
        if !std::mem::replace(&mut state.reaped, true) {
            drop(state);
            tokio::spawn(reap(ReaperMark(Arc::downgrade(self))));
        }
    }

    fn pick(&self, route: Route<'_>, pinned: &PinnedAddresses) -> Option<LiveConnection> {
        let mut state = self.state();
        self.drop_old(&mut state);
        let index = state.idle.iter().rposition(|idle| idle.connection.key.fits(route, pinned))?;
        state.idle.remove(index).map(|idle| idle.connection)
    }

    fn drop_old(&self, state: &mut State) {
        while state.idle.front().is_some_and(|idle| idle.since.elapsed() >= self.lifetime) {
            state.idle.pop_front();
        }
    }

    /// Closes connections that exceeded their lifetime and returns the time until the next one does, if any is left.
    fn sweep(&self) -> Option<Duration> {
        let mut state = self.state();
        self.drop_old(&mut state);
        let next = state.idle.front().map(|idle| self.lifetime.saturating_sub(idle.since.elapsed()));
        if next.is_none() {
            state.reaped = false;
        }
        next
    }

    fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Closes idle connections. Ends when none remains.
async fn reap(mark: ReaperMark) {
    while let Some(wait) = mark.0.upgrade().and_then(|pool| pool.sweep()) {
        tokio::time::sleep(wait).await;
    }
}

/// Marks the reaper as stopped when it is dropped, also if its runtime ends first.
struct ReaperMark(Weak<Pool>);

impl Drop for ReaperMark {
    fn drop(&mut self) {
        if let Some(pool) = self.0.upgrade() {
            pool.state().reaped = false;
        }
    }
}
