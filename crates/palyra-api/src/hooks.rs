//! Hooks: plugins that are bound to events, what they could not take, and the file that says the same by hand.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deliveries::DeliveryCursor;
use crate::tools::{Leaf, LogLine, Usage};

/// The answer of `GET /v1/hooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookList {
    /// The bindings in force, in the order of the file.
    pub bindings: Vec<HookBinding>,
    /// How `hooks/bindings.json` compares with them.
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
    /// Whether it hears of anything.
    pub enabled: bool,
    /// Whether it is asked before something happens, and can keep it from happening.
    pub gate: bool,
    /// Gates are asked from the smallest on.
    pub order: u32,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
    /// How much fuel it may use at most.
    pub fuel: Option<u64>,
    /// How often an observer is tried with one event.
    pub max_attempts: u32,
    /// Only events about these skills; empty means any.
    pub skills: Vec<String>,
    /// Only events about these tools; empty means any.
    pub tools: Vec<String>,
    /// What keeps it from running now.
    pub problem: Option<String>,
    /// How far an observer has come; nothing for one that was told nothing yet.
    pub cursor: Option<DeliveryCursor>,
    /// How many events it could not take.
    pub dead_letters: u64,
}

/// How `hooks/bindings.json` compares with what is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BindingsFile {
    /// How it stands.
    pub state: BindingsFileState,
    /// What would change if it were applied.
    pub changes: Vec<BindingChange>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// How a file stands.
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

/// One binding that the file has otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BindingChange {
    /// The binding.
    pub id: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
}

/// The body of `POST /v1/hooks`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BindRequest {
    /// Its id; without one it is made of the plugin and the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[a-z0-9_-]{1,60}$")]
    pub id: Option<String>,
    /// The event.
    pub event: String,
    /// The skill.
    pub plugin: String,
    /// The entrypoint; without one it is the only hook of the skill that hears of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// Whether it stays off for now.
    #[serde(default)]
    pub disabled: bool,
    /// Gates are asked from the smallest on; 100 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// How long it may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How much fuel it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// How often an observer is tried with one event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Only events about these skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Only events about these tools, or about all below a name as in `acme.notes.*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// The body of `POST /v1/hooks/apply`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyRequest {
    /// Writes the file anew from what is in force, instead of accepting it.
    #[serde(default)]
    pub restore: bool,
}

/// The body of `POST /v1/hooks/bindings/{id}/test`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestRequest {
    /// What the hook is told; without it, a sample of its event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<serde_json::Value>,
}

/// What a hook answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HookTest {
    /// The binding.
    pub binding: String,
    /// The event.
    pub event: String,
    /// `continue`, `annotate`, `request_approval` or `block`.
    pub decision: String,
    /// What it had to say.
    pub text: Option<String>,
    /// The run.
    pub run_id: String,
    /// What it used.
    pub usage: Usage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Where its receipt stands in the journal.
    pub receipt: Leaf,
}

/// The answer of `GET /v1/hooks/dead-letters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetterList {
    /// The letters, newest first.
    pub dead_letters: Vec<DeadLetter>,
}

/// An event that an observer could not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetter {
    /// Its number.
    pub letter: u64,
    /// The binding.
    pub binding: String,
    /// The event in the journal.
    pub sequence: u64,
    /// What it was.
    pub event: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it failed last.
    pub reason: String,
    /// When it was given up, in milliseconds of Unix time.
    pub at_ms: u64,
}
