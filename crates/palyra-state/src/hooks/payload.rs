//! The input of a hook: one schema for every event.

use palyra_common::principal::from_stored;
use palyra_common::{InOrder, JsonText, PrincipalKind, WasmPluginRunError};
use palyra_journal::{NewEvent, RecordedEvent};
use serde_json::{Value, json};

use super::{HookBindingRecord, HookEventKind};

/// Schema name of every payload.
pub const HOOK_EVENT_SCHEMA: &str = "palyra.hook.event/v1";

/// Returns whether the event was caused by the run of a hook. Such an event triggers no hook, which prevents loops.
pub fn is_of_hook(event: &NewEvent) -> bool {
    // The journal stores the actor as text, so its kind is parsed from it.
    event.actor.as_deref().is_some_and(|actor| from_stored(actor).0 == PrincipalKind::Hook)
}

/// Returns the payload of an event in the journal.
pub fn event_payload(kind: HookEventKind, recorded: &RecordedEvent) -> JsonText {
    let event = &recorded.event;
    let tool = event.subject.as_deref().filter(|_| kind.has_tool());
    let value = json!({
        "schema": HOOK_EVENT_SCHEMA,
        "event": kind,
        "sequence": recorded.leaf.sequence,
        "at_ms": event.at_ms,
        "actor": event.actor,
        "run_id": event.run,
        "skill_id": event.skill,
        "tool_id": tool,
        "subject": event.subject,
        "journal_kind": event.kind,
        "details": event.details,
    });
    JsonText::from(&value)
}

/// Returns a payload with sample values, for testing a binding.
pub fn sample_payload(binding: &HookBindingRecord, at_ms: u64) -> JsonText {
    let skill = binding.skills.first().map_or("acme.notes", String::as_str);
    let tool = binding.tools.first().map_or("acme.notes.add", String::as_str).replace('*', "sample");
    let kind = binding.event;
    let value = json!({
        "schema": HOOK_EVENT_SCHEMA,
        "event": kind,
        "sample": true,
        "at_ms": at_ms,
        "actor": "owner",
        "run_id": kind.has_tool().then_some("run_sample"),
        "skill_id": kind.has_skill().then_some(skill),
        "tool_id": kind.has_tool().then_some(tool.as_str()),
        "subject": kind.has_tool().then_some(tool.as_str()),
        "input": kind.is_gate().then(|| json!({})),
        "details": {},
    });
    JsonText::from(&value)
}

/// A call as its gates see it.
pub struct BeforeTool<'c> {
    /// Time in Unix milliseconds.
    pub at_ms: u64,
    /// Principal of the call, as its actor text.
    pub principal: &'c str,
    /// Session of the call.
    pub session: Option<&'c str>,
    /// Skill that owns the tool.
    pub skill_id: &'c str,
    /// Full id of the tool.
    pub tool_id: &'c str,
    /// Version of the release, if its manifest has one.
    pub version: Option<&'c str>,
    /// SHA-256 of the release, from its signature.
    pub payload: &'c str,
    /// Unchanged input of the call.
    pub input: &'c JsonText,
}

/// Returns the payload of a call that is about to run. The input is inserted as text, not parsed again.
pub fn before_tool_payload(wanted: &BeforeTool<'_>) -> Result<JsonText, WasmPluginRunError> {
    let facts: Value = json!({
        "schema": HOOK_EVENT_SCHEMA,
        "event": HookEventKind::RunBeforeTool,
        "at_ms": wanted.at_ms,
        "actor": wanted.principal,
        "session": wanted.session,
        "skill_id": wanted.skill_id,
        "tool_id": wanted.tool_id,
        "subject": wanted.tool_id,
        "version": wanted.version,
        "payload": wanted.payload,
    });
    let mut text = InOrder(&facts).to_string();
    text.pop();
    text.push_str(",\"input\":");
    text.push_str(wanted.input.as_str());
    text.push('}');
    JsonText::from_text(text).map_err(|error| WasmPluginRunError::invalid_input("", error.to_string()))
}
