//! The result of a run: a violation takes precedence over the result of the guest.

use crate::report::RunOutput;
use crate::run_context::RunContext;
use palyra_common::{JsonText, JsonTextError, LimitKind, WasmPluginRunError};
use std::borrow::Cow;

/// Returns the result of a run.
pub(super) fn judge(
    run: &RunContext,
    violation: Option<WasmPluginRunError>,
    result: Result<RunOutput, WasmPluginRunError>,
) -> Result<RunOutput, WasmPluginRunError> {
    match (violation, result) {
        // A violation also precedes a timeout or cancellation, because it describes the problem better.
        (Some(violation), _) => Err(violation),
        (None, Err(error)) => Err(redacted(run, error)),
        (None, Ok(output)) => Ok(output),
    }
}

/// Checks the output of a core module and masks secrets in it.
pub(super) fn checked_bytes(run: &RunContext, output: Vec<u8>) -> Result<RunOutput, WasmPluginRunError> {
    check_size(run, output.len())?;
    as_output(JsonText::parse(run.secrets.redact_bytes(output)))
}

/// Checks the output of a component, whose text the engine already validated as UTF-8.
pub(super) fn checked_text(run: &RunContext, output: String) -> Result<RunOutput, WasmPluginRunError> {
    check_size(run, output.len())?;
    match run.secrets.redact_text(&output) {
        Cow::Owned(clean) => as_output(JsonText::from_text(clean)),
        Cow::Borrowed(_) => as_output(JsonText::from_text(output)),
    }
}

fn check_size(run: &RunContext, bytes: usize) -> Result<(), WasmPluginRunError> {
    let (allowed, used) = (run.limits.max_output_bytes, bytes as u64);
    if used > allowed {
        return Err(WasmPluginRunError::QuotaExceeded { limit: LimitKind::Output, allowed, used });
    }
    Ok(())
}

fn as_output(text: Result<JsonText, JsonTextError>) -> Result<RunOutput, WasmPluginRunError> {
    text.map(RunOutput::Json).map_err(|error| WasmPluginRunError::InvalidOutput {
        pointer: String::new(),
        reason: error.to_string(),
    })
}

fn redacted(run: &RunContext, error: WasmPluginRunError) -> WasmPluginRunError {
    match error {
        WasmPluginRunError::ToolFailed { code, message, details } => WasmPluginRunError::ToolFailed {
            code: run.secrets.redact_text(&code).into_owned(),
            message: run.secrets.redact_text(&message).into_owned(),
            details: details.map(|details| run.secrets.redact_value(details)),
        },
        other => other,
    }
}
