//! The events of AG-UI 1.0 that a session sends.

use palyra_api::sessions::MessageRole;
use serde::Serialize;
use serde_json::Value;

/// Version of AG-UI that these events conform to.
pub(super) const PROTOCOL_VERSION: &str = "1.0";

/// An event with its time in Unix milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AgUiEvent {
    pub(super) timestamp: u64,
    #[serde(flatten)]
    pub(super) body: Body,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub(super) enum Body {
    RunStarted {
        thread_id: String,
        run_id: String,
        protocol_version: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_run_id: Option<String>,
    },
    RunFinished {
        thread_id: String,
        run_id: String,
        outcome: Outcome,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<TokenUsage>,
    },
    RunError {
        message: String,
        code: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<TokenUsage>,
    },
    TextMessageStart {
        message_id: String,
        role: MessageRole,
    },
    TextMessageContent {
        message_id: String,
        delta: String,
    },
    TextMessageEnd {
        message_id: String,
    },
    ReasoningStart {
        message_id: String,
    },
    ReasoningMessageStart {
        message_id: String,
        role: &'static str,
    },
    ReasoningMessageContent {
        message_id: String,
        delta: String,
    },
    ReasoningMessageEnd {
        message_id: String,
    },
    ReasoningEnd {
        message_id: String,
    },
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
    },
    ToolCallArgs {
        tool_call_id: String,
        delta: String,
    },
    ToolCallEnd {
        tool_call_id: String,
    },
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        role: &'static str,
        content: String,
        metadata: Value,
    },
    ActivitySnapshot {
        message_id: String,
        activity_type: &'static str,
        content: Value,
        replace: bool,
    },
    Custom {
        name: &'static str,
        value: Value,
    },
}

/// Outcome of a run that ended without an error.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Outcome {
    Success,
    Cancelled,
    Interrupt { interrupts: Vec<Interrupt> },
}

/// A pause of a run, in the form of AG-UI.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Interrupt {
    pub(super) id: String,
    pub(super) reason: Value,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<String>,
    pub(super) metadata: Value,
}

/// Token usage of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) total_tokens: u64,
}
