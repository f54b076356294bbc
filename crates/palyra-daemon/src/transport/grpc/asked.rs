//! What messages say, in the shapes of the API.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use serde_json::value::RawValue;
use tonic::Status;

use super::answer::refused;

/// JSON text as it was written; none where it is empty.
pub(super) fn json(field: &str, text: String) -> Result<Option<Box<RawValue>>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    RawValue::from_string(text).map(Some).map_err(|error| not_json(field, &error))
}

/// A stream that began otherwise than it has to.
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
