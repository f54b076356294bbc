//! Hooks: plugins that are bound to events, their dead letters, and the bindings file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deliveries::DeliveryCursor;
use crate::tools::{Leaf, LogLine, Usage};

/// Response of `GET /v1/hooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookList {
    /// The applied bindings, in the order of the file.
    pub bindings: Vec<HookBinding>,
    /// Differences of `hooks/bindings.json`.
    pub file: BindingsFile,
}

/// A binding in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookBinding {
    /// Its id.
    pub id: String,
    /// The event.
    pub event: String,
    /// The skill.
    pub plugin: String,
    /// The entrypoint of the skill.
    pub hook: String,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether it is a gate.
    pub gate: bool,
    /// Order among gates, lowest first.
    pub order: u32,
    /// Timeout in milliseconds.
    pub timeout_ms: u64,
    /// Fuel limit.
    pub fuel: Option<u64>,
    /// Maximum number of delivery attempts per event.
    pub max_attempts: u32,
    /// Only events about these skills; empty means any.
    pub skills: Vec<String>,
    /// Only events about these tools; empty means any.
    pub tools: Vec<String>,
    /// Why it cannot run now.
    pub problem: Option<String>,
    /// Progress of an observer; `null` before its first event.
    pub cursor: Option<DeliveryCursor>,
    /// Number of dead letters.
    pub dead_letters: u64,
}

/// Differences between `hooks/bindings.json` and the applied bindings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BindingsFile {
    /// Status.
    pub state: BindingsFileState,
    /// Changes that applying it would make.
    pub changes: Vec<BindingChange>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// Status of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BindingsFileState {
    /// It says what is in force.
    Applied,
    /// It is gone; what was applied last stays in force.
    Missing,
    /// It says something else; nothing of that is in force.
    Edited,
    /// It cannot be read; nothing of it is in force.
    Unreadable,
}

/// One binding that differs in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BindingChange {
    /// The binding.
    pub id: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
}

/// Request body of `POST /v1/hooks`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BindRequest {
    /// Its id [default: from plugin and event].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[a-z0-9_-]{1,60}$")]
    pub id: Option<String>,
    /// The event.
    pub event: String,
    /// The skill.
    pub plugin: String,
    /// The hook [default: the only hook of the skill for the event].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// Whether it is created disabled.
    #[serde(default)]
    pub disabled: bool,
    /// Order among gates, lowest first [default: 100].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Timeout in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Fuel limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Maximum number of delivery attempts per event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Only events about these skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Only events about these tools or name prefixes such as `acme.notes.*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// Request body of `POST /v1/hooks/apply`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyRequest {
    /// Rewrites the file from the applied bindings instead of applying it.
    #[serde(default)]
    pub restore: bool,
}

/// Request body of `POST /v1/hooks/bindings/{id}/test`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestRequest {
    /// Event payload [default: a sample of its event].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<serde_json::Value>,
}

/// Decision of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HookTest {
    /// The binding.
    pub binding: String,
    /// The event.
    pub event: String,
    /// `continue`, `annotate`, `request_approval` or `block`.
    pub decision: String,
    /// Message.
    pub text: Option<String>,
    /// The run.
    pub run_id: String,
    /// Use.
    pub usage: Usage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Sequence number of its receipt in the journal.
    pub receipt: Leaf,
}

/// Response of `GET /v1/hooks/dead-letters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterList {
    /// The letters, newest first.
    pub dead_letters: Vec<DeadLetter>,
}

/// An event whose delivery to an observer failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetter {
    /// Its number.
    pub letter: u64,
    /// The binding.
    pub binding: String,
    /// The event in the journal.
    pub sequence: u64,
    /// Description.
    pub event: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Last error.
    pub reason: String,
    /// Time at which it was given up, in Unix milliseconds.
    pub at_ms: u64,
}
