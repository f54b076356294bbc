//! Counts denials of authenticated principals, and records them in the journal up to a limit per address.

use palyra_common::ErrorCode;
use std::net::IpAddr;

use palyra_api::Problem;
use palyra_journal::{EventKind, NewEvent};
use serde_json::{Value, json};

use crate::app::App;

/// Counts and records a problem if it is a denial.
pub(crate) fn record(app: &App, request_id: &str, actor: &str, from: Option<IpAddr>, problem: &Problem) {
    if problem.code != ErrorCode::Forbidden {
        return;
    }
    app.metrics().refused(problem.code);
    if !app.access().count_denial(from) {
        return;
    }
    let fact = |name: &str| problem.details.get(name).cloned();
    let details = json!({ "code": problem.code.as_str(), "request": request_id, "scope": fact("scope"),
        "action": fact("action"), "policy": fact("policy") });
    let mut event = NewEvent::new(EventKind::AccessRefused, app.now_ms()).actor(actor).details(details);
    if let Some(Value::String(skill_id)) = fact("skill_id") {
        event = event.skill(skill_id);
    }
    if let Some(Value::String(subject)) = fact("tool_id").or_else(|| fact("version")) {
        event = event.subject(subject);
    }
    // The refusal does not wait for the journal.
    drop(app.journal().append(event));
}
