//! Formats runs and errors as JSON, one object per line.

use super::Reply;
use super::json_layout::compact;
use crate::commands::run::{FinishedRun, ModuleFacts};
use crate::error::{CliError, Failure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use palyra_common::{ErrorCode, InOrder};
use palyra_plugins_runtime::{
    ChannelMessage, HostCallTrace, LogLine, ReplayVerdict, RunUsage, RuntimeLimits,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Name and version of the JSON object of a run.
const RUN_SCHEMA: &str = "palyra.run/v1";

#[derive(Serialize)]
struct RunDocument<'a> {
    schema: &'static str,
    tool: &'a str,
    /// Result as the guest wrote it, without whitespace between tokens.
    result: Option<Box<RawValue>>,
    /// Error of a replayed run that failed as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
    #[serde(flatten)]
    facts: RunFacts<'a>,
    warnings: &'a [String],
}

/// Fields of a run that both outcomes have.
#[derive(Serialize)]
struct RunFacts<'a> {
    run_id: &'a str,
    usage: &'a RunUsage,
    limits: &'a RuntimeLimits,
    log: &'a [LogLine],
    host_calls: &'a [HostCallTrace],
    channels: Vec<ShownMessage<'a>>,
    module: &'a ModuleFacts,
    replay: Option<&'a ReplayVerdict>,
    tape: Option<String>,
}

#[derive(Serialize)]
struct ErrorBody {
    code: ErrorCode,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    hints: Vec<String>,
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    details: Value,
}

#[derive(Serialize)]
struct ShownMessage<'a> {
    channel: &'a str,
    content_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

/// Returns the document of a command's reply.
pub(super) fn reply_document<R: Reply>(reply: &R) -> String {
    #[derive(Serialize)]
    struct ReplyDocument<'a, R> {
        schema: &'static str,
        #[serde(flatten)]
        reply: &'a R,
    }
    one_line(&ReplyDocument { schema: R::SCHEMA, reply })
}

/// Formats objects of one schema, one per line.
pub(super) fn lines(schema: &'static str, values: &[Value]) -> String {
    let line = |value: &Value| {
        let mut object = serde_json::Map::from_iter([("schema".to_owned(), json!(schema))]);
        match value {
            Value::Object(fields) => object.extend(fields.clone()),
            other => drop(object.insert("value".into(), other.clone())),
        }
        one_line(&InOrder(&Value::Object(object)))
    };
    values.iter().map(line).collect()
}

/// Returns the document of a successful run.
pub(super) fn run_document(run: &FinishedRun, warnings: &[String]) -> String {
    let document = RunDocument {
        schema: RUN_SCHEMA,
        tool: &run.tool,
        result: run.result().and_then(|text| RawValue::from_string(compact(&text)).ok()),
        error: run.report.result.as_ref().err().map(|error| error_body(&CliError::Run(error.clone()))),
        facts: facts(run),
        warnings,
    };
    one_line(&document)
}

/// Returns `{"error":{…}}`, with the facts of the run in `details.report`.
pub(super) fn error_document(failure: &Failure, warnings: &[String]) -> String {
    let mut body = error_body(&failure.error);
    if let Some(run) = &failure.run {
        body.details["report"] = json!(facts(run));
        body.details["report"]["tool"] = json!(run.tool);
    }
    if !warnings.is_empty() {
        body.details["warnings"] = json!(warnings);
    }
    #[derive(Serialize)]
    struct ErrorDocument {
        error: ErrorBody,
    }
    one_line(&ErrorDocument { error: body })
}

fn error_body(error: &CliError) -> ErrorBody {
    ErrorBody {
        code: error.code(),
        message: error.to_string(),
        run_id: error.run_id().map(str::to_owned),
        hints: error.hints(),
        details: error.details(),
    }
}

fn facts(run: &FinishedRun) -> RunFacts<'_> {
    RunFacts {
        run_id: run.run_id(),
        usage: &run.report.usage,
        limits: run.limits(),
        log: &run.report.log,
        host_calls: &run.report.host_calls,
        channels: run.channels.iter().map(shown_message).collect(),
        module: &run.module,
        replay: run.report.replay.as_ref(),
        tape: run.recorded.as_ref().map(|path| path.display().to_string()),
    }
}

fn shown_message(message: &ChannelMessage) -> ShownMessage<'_> {
    let text = std::str::from_utf8(&message.body).ok();
    ShownMessage {
        channel: message.channel.as_str(),
        content_type: &message.content_type,
        body_text: text,
        body_base64: text.is_none().then(|| STANDARD.encode(&message.body)),
    }
}

fn one_line(document: &impl Serialize) -> String {
    // Serialization cannot fail: keys are strings, numbers are finite, and raw JSON is checked.
    serde_json::to_string(document).unwrap_or_default() + "\n"
}
