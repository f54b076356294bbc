//! A session as it is stored.

use palyra_api::sessions::{AgentBudget, Session, SessionLabels};
use serde::{Deserialize, Serialize};

/// A session; the owner of the state root keeps it as a sealed row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// Its id.
    pub session_id: String,
    /// Its title; empty until the first message.
    pub title: String,
    /// Owner: the name of a principal.
    pub owner: String,
    /// The identity behind the name; the owner of the state root has none.
    pub owner_token: Option<[u8; 32]>,
    /// The model it asks for.
    pub model: Option<String>,
    /// The tools it can use.
    pub tools: Vec<String>,
    /// Limits of one run.
    pub budget: AgentBudget,
    /// Labels of what its runs have read.
    pub labels: SessionLabels,
    /// Whether lists omit it.
    pub archived: bool,
    /// Time at which it was created, in Unix milliseconds.
    pub created_ms: u64,
    /// Time of its last activity.
    pub last_active_ms: u64,
    /// The run that is in progress or waits.
    pub active_run: Option<String>,
    /// The number of its newest event.
    pub last_event: u64,
}

impl SessionState {
    /// The session as clients see it.
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
