//! The state of a connection, shared by its requests and the server's connection table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent calls without a token on one connection.
const ANONYMOUS_CALLS: usize = 2;

/// The principal that a connection was first authenticated as, and its permits before that.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionState {
    principal: Arc<OnceLock<Box<str>>>,
    anonymous_calls: Arc<Semaphore>,
    stalled: Arc<AtomicBool>,
    has_head: Arc<AtomicBool>,
}

impl Default for ConnectionState {
    fn default() -> Self {
        Self {
            principal: Arc::default(),
            anonymous_calls: Arc::new(Semaphore::new(ANONYMOUS_CALLS)),
            stalled: Arc::default(),
            has_head: Arc::default(),
        }
    }
}

impl ConnectionState {
    /// Records that a request of this connection was authenticated.
    pub(crate) fn set_authenticated(&self, principal: &str) {
        self.principal.get_or_init(|| principal.into());
    }

    /// Returns the principal of its first authenticated request, if there was one.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.principal.get().map(AsRef::as_ref)
    }

    /// Marks the connection as stalled: the peer sent bytes and then stopped while the daemon waits for more.
    pub(crate) fn set_stalled(&self) {
        self.stalled.store(true, Ordering::Relaxed);
    }

    /// Records that a complete head arrived: now the peer waits for the daemon.
    pub(crate) fn set_head_received(&self) {
        self.has_head.store(true, Ordering::Relaxed);
    }

    /// Returns whether the peer stalled within its first head.
    pub(crate) fn is_stalled(&self) -> bool {
        self.stalled.load(Ordering::Relaxed) && !self.has_head.load(Ordering::Relaxed)
    }

    /// Returns a permit for a call without a token, unless the maximum is in progress.
    pub(crate) fn anonymous_call(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.anonymous_calls).try_acquire_owned().ok()
    }
}
