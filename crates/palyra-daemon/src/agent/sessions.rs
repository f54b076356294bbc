//! Creates, changes and removes sessions, and adds messages to them.

use std::sync::Arc;

use palyra_agent::{Input, Plan, RunState, SessionState};
use palyra_api::Problem;
use palyra_api::sessions::{
    AgentBudget, AgentRun, MAX_MESSAGE_BYTES, MAX_SESSION_TOOLS, MAX_TITLE_CHARS, NewSession, Session,
    SessionChange, SessionLabels,
};
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;
use palyra_common::{ErrorCode, Principal};
use palyra_journal::{EventKind, NewEvent};
use palyra_skills::Sha256Digest;
use palyra_state::sessions::SessionUpdate;
use palyra_state::{PrincipalId, State, StateError};
use serde_json::json;

use super::{driver, think, write};
use crate::app::App;
use crate::blocking::blocking;
use crate::problem::{ToProblem, not_found};

/// Maximum length of a title that is derived from the first message.
const SHORT_TITLE_CHARS: usize = 80;
/// Maximum length of a model name in bytes.
const MAX_MODEL_BYTES: usize = 100;

/// Reads one session.
pub(super) fn find(state: &State, session_id: &str) -> Result<Option<SessionState>, StateError> {
    let Some(bytes) = state.sessions().session(session_id)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| broken(&error.to_string()))
}

pub(super) fn gone(session_id: &str) -> StateError {
    StateError::Record {
        doing: "read",
        key: session_id.to_owned(),
        reason: "the session was \
        removed"
            .to_owned(),
    }
}

pub(super) fn broken(reason: &str) -> StateError {
    StateError::Record { doing: "read", key: "session".to_owned(), reason: reason.to_owned() }
}

/// Returns the owner of a session in the form that rows use.
pub(super) fn owner_key(session: &SessionState) -> String {
    match session.owner_token.map(Sha256Digest::from_bytes) {
        Some(token) => PrincipalId::of_token(session.owner.as_str(), token).key(),
        None => PrincipalId::default().key(),
    }
}

/// Returns whether a principal may see a session: the owner of the state root sees all, a token its own.
pub(crate) fn may_see(principal: &Principal, session: &SessionState) -> bool {
    principal.is_owner() || (principal.identity.is_some() && principal.identity == session.owner_token)
}

/// Checks that a budget is within the limits of the API.
pub(crate) fn check_budget(budget: &AgentBudget) -> Result<(), Problem> {
    let AgentBudget { turns, tool_calls, tokens, wall_clock_ms } = *budget;
    let checks = [
        ("turns", (1..=100).contains(&turns)),
        ("tool_calls", (1..=500).contains(&tool_calls)),
        ("tokens", (1..=100_000_000).contains(&tokens)),
        ("wall_clock_ms", (1..=86_400_000).contains(&wall_clock_ms)),
    ];
    match checks.iter().find(|(_, fits)| !fits) {
        Some((name, _)) => {
            Err(Problem::new(ErrorCode::Usage, format!("the budget `{name}` is out of range")))
        }
        None => Ok(()),
    }
}

fn check_settings(title: Option<&str>, model: Option<&str>, tools: &[String]) -> Result<(), Problem> {
    let too_long = |what: &str, most: usize| {
        Err(Problem::new(ErrorCode::Usage, format!("`{what}` is longer than {most}")))
    };
    if title.is_some_and(|title| title.chars().count() > MAX_TITLE_CHARS) {
        return too_long("title", MAX_TITLE_CHARS);
    }
    if model.is_some_and(|model| model.len() > MAX_MODEL_BYTES) {
        return too_long("model", MAX_MODEL_BYTES);
    }
    if tools.len() > MAX_SESSION_TOOLS || tools.iter().any(|tool| tool.len() > 100) {
        too_long("tools", MAX_SESSION_TOOLS)
    } else {
        Ok(())
    }
}

impl App {
    /// Creates a session of a principal.
    pub(crate) async fn begin_session(
        self: &Arc<Self>,
        principal: &Principal,
        request: NewSession,
    ) -> Result<Session, Problem> {
        let NewSession { title, model, tools, budget } = request;
        check_settings(title.as_deref(), model.as_deref(), &tools)?;
        check_budget(&budget)?;
        let now = self.now_ms();
        let session = SessionState {
            session_id: self.sessions().new_id("ses").map_err(|error| error.to_problem())?,
            title: title.map(|title| escape_untrusted(&title)).unwrap_or_default(),
            owner: principal.name.clone(),
            owner_token: principal.identity,
            model: model.filter(|model| !model.is_empty()),
            tools,
            budget,
            labels: SessionLabels::default(),
            archived: false,
            created_ms: now,
            last_active_ms: now,
            active_run: None,
            last_event: 0,
        };
        let leaf = NewEvent::new(EventKind::SessionCreated, now).actor(principal.actor().into_owned());
        self.write_session(&session, leaf.subject(session.session_id.clone())).await?;
        Ok(session.to_api())
    }

    /// Returns a session that the principal may see; any other one is reported as unknown.
    pub(crate) async fn session_of(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
    ) -> Result<SessionState, Problem> {
        let (app, id) = (Arc::clone(self), session_id.to_owned());
        let found = blocking(move || find(app.state(), &id)).await?;
        let found = found.map_err(|error| error.to_problem())?.filter(|session| may_see(principal, session));
        found.ok_or_else(|| {
            not_found("session", session_id, Vec::new()).hint("list the sessions with `palyra sessions list`")
        })
    }

    /// Changes settings of a session.
    pub(crate) async fn change_session(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
        change: SessionChange,
    ) -> Result<Session, Problem> {
        let lock = self.agent().lock_of(session_id);
        let _held = lock.lock().await;
        let mut session = self.session_of(principal, session_id).await?;
        let SessionChange { title, model, tools, budget, archived, clear_labels } = change;
        check_settings(title.as_deref(), model.as_deref(), tools.as_deref().unwrap_or_default())?;
        if let Some(budget) = budget {
            check_budget(&budget)?;
            session.budget = budget;
        }
        if let Some(title) = title {
            session.title = escape_untrusted(&title);
        }
        if let Some(model) = model {
            session.model = Some(model).filter(|model| !model.is_empty());
        }
        if let Some(tools) = tools {
            session.tools = tools;
        }
        if let Some(archived) = archived {
            session.archived = archived;
        }
        if clear_labels {
            if session.active_run.is_some() {
                return Err(Problem::new(
                    ErrorCode::Busy,
                    "labels cannot be cleared while a run is in \
                    progress",
                ));
            }
            session.labels = SessionLabels::default();
        }
        let details = json!({ "labels_cleared": clear_labels, "archived": session.archived });
        let leaf = NewEvent::new(EventKind::SessionChanged, self.now_ms()).details(details);
        let leaf = leaf.actor(principal.actor().into_owned()).subject(session_id);
        self.write_session(&session, leaf).await?;
        self.agent().hub().stored(session_id);
        Ok(session.to_api())
    }

    /// Removes a session with its content, unless one of its runs is in progress.
    pub(crate) async fn remove_session(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
    ) -> Result<Session, Problem> {
        let lock = self.agent().lock_of(session_id);
        let _held = lock.lock().await;
        let session = self.session_of(principal, session_id).await?;
        if let Some(run) = &session.active_run {
            return Err(under_way(run));
        }
        let leaf = NewEvent::new(EventKind::SessionRemoved, self.now_ms());
        let leaf = leaf.actor(principal.actor().into_owned()).subject(session_id);
        self.sessions().remove(session_id, leaf).await.map_err(|error| error.to_problem())?;
        self.agent().hub().stored(session_id);
        Ok(session.to_api())
    }

    /// Sends a message to a session, which starts a run.
    pub(crate) async fn say(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
        text: String,
    ) -> Result<AgentRun, Problem> {
        if text.trim().is_empty() || text.len() > MAX_MESSAGE_BYTES {
            let expected = format!("1 to {MAX_MESSAGE_BYTES} bytes, not only spaces");
            return Err(Problem::new(ErrorCode::Usage, format!("invalid message: expected {expected}")));
        }
        let (app, principal, session_id) = (Arc::clone(self), principal.clone(), session_id.to_owned());
        // A client that goes away must not leave a run without a driver, which would block its session.
        let begun = tokio::spawn(async move { app.begin_driven(&principal, &session_id, text).await });
        begun.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
    }

    async fn begin_driven(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
        text: String,
    ) -> Result<AgentRun, Problem> {
        let run_id = self.sessions().new_id("agr").map_err(|error| error.to_problem())?;
        // Opened before the run is written, so that a run over the limit is never written.
        let commands = self
            .agent()
            .open(&run_id)
            .ok_or_else(|| Problem::new(ErrorCode::Busy, "too many agent runs are in progress or waiting"))?;
        match self.begin_run(principal, session_id, run_id.clone(), text).await {
            Ok(run) => {
                let api = run.to_api();
                driver::begin(self, run, Input::Begin, commands);
                Ok(api)
            }
            Err(problem) => {
                drop(commands);
                self.agent().close(&run_id);
                Err(problem)
            }
        }
    }

    /// Writes a queued run; a session has at most one run in progress.
    async fn begin_run(
        self: &Arc<Self>,
        principal: &Principal,
        session_id: &str,
        run_id: String,
        text: String,
    ) -> Result<RunState, Problem> {
        let lock = self.agent().lock_of(session_id);
        let _held = lock.lock().await;
        let mut session = self.session_of(principal, session_id).await?;
        if let Some(run) = &session.active_run {
            return Err(under_way(run));
        }
        if session.title.is_empty() {
            let title: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            session.title = clip_untrusted(&title, SHORT_TITLE_CHARS);
        }
        let now = self.now_ms();
        let mut run = RunState::new(run_id, session_id.to_owned(), text, now);
        (run.budget, run.labels) = (session.budget, session.labels);
        run.model = think::model_name(self, &session);
        run.small_model = run.model.as_ref().is_some_and(|name| think::is_small(self, name));
        let details = json!({ "session": session_id, "model": run.model });
        let leaf = NewEvent::new(EventKind::AgentStarted, now).details(details).subject(run.run_id.clone());
        let leaf = leaf.actor(principal.actor().into_owned());
        let plan = Plan {
            run: run.clone(),
            events: Vec::new(),
            pauses: Vec::new(),
            surfaces: Vec::new(),
            effects: Vec::new(),
        };
        let written = write::write(self, &mut session, &plan, vec![leaf]).await;
        written.map_err(|error| error.to_problem())?;
        Ok(run)
    }

    async fn write_session(&self, session: &SessionState, leaf: NewEvent) -> Result<(), Problem> {
        let row = write::session_row(session).map_err(|error| error.to_problem())?;
        let update = SessionUpdate { session: Some(row), leaves: vec![leaf], ..SessionUpdate::default() };
        self.sessions().apply(update).await.map_err(|error| error.to_problem())
    }
}

fn under_way(run_id: &str) -> Problem {
    Problem::new(ErrorCode::Busy, format!("run `{run_id}` of this session is in progress or waiting"))
        .hint("answer its question, or stop it")
        .details(json!({ "run_id": run_id }))
}
