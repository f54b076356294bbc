//! The stored form of a session.

use palyra_api::sessions::{AgentBudget, Session, SessionLabels};
use serde::{Deserialize, Serialize};

/// A session. The owner of the state root stores it as a sealed row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// `ses_` and a time-sorted random part.
    pub session_id: String,
    /// Title; empty until the first message.
    pub title: String,
    /// Name of the owning principal.
    pub owner: String,
    /// SHA-256 of the owning principal's token; `None` for the owner of the state root.
    pub owner_token: Option<[u8; 32]>,
    /// Name of the requested model; `None` for the default.
    pub model: Option<String>,
    /// Ids of the tools it can use; empty for all enabled tools.
    pub tools: Vec<String>,
    /// Limits of each run.
    pub budget: AgentBudget,
    /// Labels of the data that its runs have read.
    pub labels: SessionLabels,
    /// True if default lists omit the session.
    pub archived: bool,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
    /// Time of the last activity in Unix milliseconds.
    pub last_active_ms: u64,
    /// Id of the run that is in progress, paused or queued.
    pub active_run: Option<String>,
    /// Number of its newest event.
    pub last_event: u64,
}

impl SessionState {
    /// Returns the session in its API form.
    pub fn to_api(&self) -> Session {
        let Self {
            session_id,
            title,
            owner,
            owner_token: _,
            model,
            tools,
            budget,
            labels,
            archived,
            created_ms,
            last_active_ms,
            active_run,
            last_event,
        } = self.clone();
        Session {
            session_id,
            title,
            owner,
            model,
            tools,
            budget,
            labels,
            archived,
            created_ms,
            last_active_ms,
            active_run,
            last_event,
        }
    }
}
