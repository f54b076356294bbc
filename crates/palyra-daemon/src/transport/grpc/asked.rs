//! Converts fields of messages to the types of the API.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use serde_json::value::RawValue;
use tonic::Status;

use super::answer::refused;

/// Parses JSON text without reformatting it; returns `None` if it is empty.
pub(super) fn json(field: &str, text: String) -> Result<Option<Box<RawValue>>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    RawValue::from_string(text).map(Some).map_err(|error| not_json(field, &error))
}

/// Returns the error of a stream whose first message has the wrong type.
pub(super) fn out_of_order(expected: &str) -> Status {
    refused(&Problem::new(ErrorCode::Usage, format!("only the first message of this stream {expected}")))
}

fn not_json(field: &str, error: &serde_json::Error) -> Status {
    let (line, column) = (error.line(), error.column());
    refused(&Problem::new(
        ErrorCode::Usage,
        format!("`{field}` is not JSON: see line {line} column {column}"),
    ))
}
