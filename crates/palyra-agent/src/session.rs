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
    /// Whose it is: the name of a principal.
    pub owner: String,
    /// The identity behind the name; the owner of the state root has none.
    pub owner_token: Option<[u8; 32]>,
    /// The model it asks for.
    pub model: Option<String>,
    /// The only tools it may use.
    pub tools: Vec<String>,
    /// What one run may use at most.
    pub budget: AgentBudget,
    /// What its runs have read.
    pub labels: SessionLabels,
    /// Whether lists leave it out.
    pub archived: bool,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: u64,
    /// When something last happened in it.
    pub last_active_ms: u64,
    /// The run that is under way or waits.
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
