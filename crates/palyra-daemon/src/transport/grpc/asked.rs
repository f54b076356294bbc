//! What messages say, in the shapes of the API.

use palyra_api::Problem;
use palyra_api::grpc::words::{Word, asked};
use palyra_common::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;
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

/// JSON text as a value; what is wrong with it is told by its place, for it may hold something that is kept out of
/// outputs.
pub(super) fn value(field: &str, text: &str) -> Result<Value, Status> {
    serde_json::from_str(text).map_err(|error| not_json(field, &error))
}

/// An enum as the word it stands for; none where it is not set.
pub(super) fn word<W: Word, T: DeserializeOwned>(value: i32) -> Result<Option<T>, Status> {
    asked::<W, T>(value).map_err(|problem| refused(&problem))
}

/// A number that is smaller elsewhere.
pub(super) fn small(field: &str, number: Option<u32>) -> Result<Option<u16>, Status> {
    let too_large =
        |_| refused(&Problem::new(ErrorCode::Usage, format!("`{field}` is at most {}", u16::MAX)));
    number.map(u16::try_from).transpose().map_err(too_large)
}

/// A stream that began otherwise than it has to.
pub(super) fn out_of_order(expected: &str) -> Status {
    refused(&Problem::new(
        ErrorCode::Usage,
        format!("the first message of this stream {expected}, and no later one"),
    ))
}

fn not_json(field: &str, error: &serde_json::Error) -> Status {
    let (line, column) = (error.line(), error.column());
    refused(&Problem::new(
        ErrorCode::Usage,
        format!("`{field}` is not JSON: see line {line} column {column}"),
    ))
}
