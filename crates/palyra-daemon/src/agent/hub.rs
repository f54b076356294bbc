//! Notifies the streams of sessions about new events.

use palyra_api::sessions::SessionEvent;
use tokio::sync::broadcast;

/// Number of signals a slow stream may lag behind; after that it reads the stored events instead.
const MAX_BEHIND: usize = 1_024;

/// Notification about a session.
#[derive(Debug, Clone)]
pub(crate) struct Signal {
    pub(crate) session_id: String,
    /// An event that is not stored; `None` to read stored events.
    pub(crate) event: Option<Box<SessionEvent>>,
}

/// Receiver of the signals of all sessions, for one stream.
pub(crate) type SessionSignals = broadcast::Receiver<Signal>;

/// Sends signals to all streams.
pub(crate) struct Hub(broadcast::Sender<Signal>);

impl Default for Hub {
    fn default() -> Self {
        Self(broadcast::Sender::new(MAX_BEHIND))
    }
}

impl Hub {
    pub(crate) fn follow(&self) -> SessionSignals {
        self.0.subscribe()
    }

    /// Signals that a session has new stored events, or changed.
    pub(crate) fn stored(&self, session_id: &str) {
        // There may be no followers.
        let _ = self.0.send(Signal { session_id: session_id.to_owned(), event: None });
    }

    /// Sends an event that is not stored.
    pub(crate) fn passing(&self, session_id: &str, event: SessionEvent) {
        let _ = self.0.send(Signal { session_id: session_id.to_owned(), event: Some(Box::new(event)) });
    }
}
