//! The state of a connection, shared by its requests and the server's connection table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls without a token that one connection may have in progress.
const ANONYMOUS_CALLS: usize = 2;

/// The principal a connection was first authenticated as, and what it may do before that.
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
    /// Notes that a request of this connection was authenticated.
    pub(crate) fn set_authenticated(&self, principal: &str) {
        self.principal.get_or_init(|| principal.into());
    }

    /// Returns the principal of its first authenticated request, if there was one.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.principal.get().map(AsRef::as_ref)
    }

    /// Notes that the peer stopped after its first bytes while the daemon waits for more.
    pub(crate) fn set_stalled(&self) {
        self.stalled.store(true, Ordering::Relaxed);
    }

    /// Notes that a whole head arrived: from now on the peer waits for the daemon and not the other way round.
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
