//! Writes the plan of a step in one transaction and notifies the followers of the session.

use std::sync::Arc;

use palyra_agent::{Plan, RunState, SessionState};
use palyra_api::sessions::{Pause, SessionEvent, SessionEventBody};
use palyra_journal::{EventKind, NewEvent};
use palyra_state::StateError;
use palyra_state::sessions::{PauseRow, SessionRow, SessionRunRow, SessionUpdate, SurfaceRow};
use serde::Serialize;
use serde_json::json;

use super::sessions::owner_key;
use crate::app::App;

/// Maximum length of the lower-case title that is stored for searches.
const MAX_SEARCHED: usize = 1_000;

/// Writes a plan, and updates the session's newest event and labels.
pub(super) async fn write(
    app: &Arc<App>,
    session: &mut SessionState,
    plan: &Plan,
    leaves: Vec<NewEvent>,
) -> Result<(), StateError> {
    let (now, run) = (app.now_ms(), &plan.run);
    let mut after = session.clone();
    after.last_active_ms = now;
    after.labels = after.labels.union(run.labels);
    after.active_run = (!run.status.is_final()).then(|| run.run_id.clone());
    let mut update = SessionUpdate { leaves, ..SessionUpdate::default() };
    for body in &plan.events {
        after.last_event += 1;
        let event = SessionEvent {
            number: Some(after.last_event),
            at_ms: now,
            run_id: run.run_id.clone(),
            body: body.clone(),
        };
        update.leaves.extend(leaf(session, run, body, now));
        update.events.push((session.session_id.clone(), after.last_event, bytes(&event)?));
    }
    update.session = Some(session_row(&after)?);
    update.run = Some(run_row(run)?);
    update.pauses = plan.pauses.iter().map(pause_row).collect::<Result<_, _>>()?;
    for surface in &plan.surfaces {
        let (session_id, name) = (surface.session_id.clone(), surface.surface.clone());
        update.surfaces.push(SurfaceRow { session_id, surface: name, bytes: bytes(surface)? });
    }
    app.sessions().apply(update).await?;
    *session = after;
    app.agent().hub().stored(&session.session_id);
    Ok(())
}

pub(super) fn session_row(session: &SessionState) -> Result<SessionRow, StateError> {
    let title = session.title.to_lowercase();
    Ok(SessionRow {
        session_id: session.session_id.clone(),
        owner: owner_key(session),
        title: title.get(..title.floor_char_boundary(MAX_SEARCHED)).unwrap_or_default().to_owned(),
        archived: session.archived,
        last_active_ms: session.last_active_ms,
        bytes: bytes(session)?,
    })
}

fn run_row(run: &RunState) -> Result<SessionRunRow, StateError> {
    Ok(SessionRunRow {
        run_id: run.run_id.clone(),
        session_id: run.session_id.clone(),
        open: !run.status.is_final(),
        bytes: bytes(run)?,
    })
}

fn pause_row(pause: &Pause) -> Result<PauseRow, StateError> {
    Ok(PauseRow {
        pause_id: pause.pause_id.clone(),
        session_id: pause.session_id.clone(),
        status: pause.status.wire_name(),
        bytes: bytes(pause)?,
    })
}

pub(super) fn bytes(value: &impl Serialize) -> Result<Vec<u8>, StateError> {
    serde_json::to_vec(value).map_err(|error| StateError::Record {
        doing: "written",
        key: "session".to_owned(),
        reason: error.to_string(),
    })
}

/// Returns the leaf of an event that is recorded in the journal as well.
fn leaf(session: &SessionState, run: &RunState, body: &SessionEventBody, now: u64) -> Option<NewEvent> {
    let labels = json!({ "private": run.labels.private, "untrusted": run.labels.untrusted });
    let (kind, details) = match body {
        SessionEventBody::RunPaused { pause } => (
            EventKind::AgentPaused,
            json!({ "pause": pause.pause_id, "kind": pause.kind, "bound_to": pause.bound_to, "labels": labels,
                "approval": pause.approval_id, "tool": pause.tool_id, "surface": pause.surface }),
        ),
        SessionEventBody::RunResumed { pause_id, status, answered_by } => (
            EventKind::AgentResumed,
            json!({ "pause": pause_id, "status": status, "answered_by": answered_by }),
        ),
        SessionEventBody::RunFinished { status, .. } => (
            EventKind::AgentFinished,
            json!({ "status": status, "turns": run.used.turns, "tool_calls": run.used.tool_calls,
                "input_tokens": run.used.input_tokens, "output_tokens": run.used.output_tokens, "labels": labels }),
        ),
        _ => return None,
    };
    let details = with_session(details, &session.session_id);
    let actor =
        palyra_common::principal::actor(palyra_common::PrincipalKind::Agent, &session.owner).into_owned();
    Some(NewEvent::new(kind, now).actor(actor).subject(run.run_id.clone()).details(details))
}

pub(super) fn with_session(mut details: serde_json::Value, session_id: &str) -> serde_json::Value {
    if let Some(details) = details.as_object_mut() {
        details.insert("session".to_owned(), session_id.into());
    }
    details
}
