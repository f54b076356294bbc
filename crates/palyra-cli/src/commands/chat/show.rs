//! Shows the events of a session to people and programs.

use crate::client::AnyClient;
use crate::error::CliError;
use crate::forms::escaped;
use crate::output::{Printer, Reply, pretty_json, table};
use palyra_api::sessions::{SessionEvent, ToolCallStatus};
use palyra_common::JsonText;
use serde::Serialize;
use serde_json::{Value, json};

/// Text for people, or an event for programs.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Shown {
    event: Value,
    #[serde(skip)]
    text: String,
}

impl Shown {
    pub(super) fn text(text: &str) -> Self {
        Self { event: Value::Null, text: text.to_owned() }
    }

    pub(super) fn event(event: &SessionEvent) -> Self {
        Self { event: json!(event), text: String::new() }
    }
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.chat/v1";

    fn data(&self) -> String {
        self.text.clone()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(vec![self.event.clone()])
    }
}

/// Prints the tools as a table.
pub(super) async fn tools(client: &AnyClient, printer: &Printer) -> Result<(), CliError> {
    let listed = client.tools().await?.tools;
    let rows: Vec<_> = listed.iter().map(|tool| [tool.tool_id.clone(), tool.description.clone()]).collect();
    printer.stream(&Shown::text(&table(["tool", "what it does"], &rows))).map(drop)
}

/// Returns a sentence about the model of a session.
pub(super) async fn model(client: &AnyClient, session_id: &str) -> Result<String, CliError> {
    let own = client.session(session_id).await?.model;
    let listed = client.models().await?;
    let used = match own.or(listed.default) {
        Some(name) => format!("this session uses the model `{name}`"),
        None => "this session uses no model: your messages are matched to tools".to_owned(),
    };
    let names: Vec<String> = listed.models.iter().map(|model| format!("`{}`", model.name)).collect();
    Ok(match names.as_slice() {
        [] => format!("{used}; add one with `palyra models add`"),
        names => format!("{used}; models: {}", names.join(", ")),
    })
}

/// Formats the output of a tool: a text without quotes, everything else as JSON.
pub(super) fn output(output: &str) -> String {
    let shown = match serde_json::from_str(output) {
        Ok(Value::String(text)) => escaped(&text),
        // Truncated output is not valid JSON.
        Ok(_) => {
            JsonText::from_text(output.to_owned()).map_or_else(|_| escaped(output), |json| pretty_json(&json))
        }
        Err(_) => escaped(output),
    };
    shown + "\n"
}

/// Returns the final status of a call as a verb.
pub(super) fn ended(status: ToolCallStatus) -> &'static str {
    match status {
        ToolCallStatus::Completed => "completed",
        ToolCallStatus::Failed => "failed",
        ToolCallStatus::Refused => "was refused",
        ToolCallStatus::Denied => "was denied",
        ToolCallStatus::Cancelled => "was cancelled",
        ToolCallStatus::Interrupted => "was interrupted",
        ToolCallStatus::Repeated => "was not repeated",
    }
}
