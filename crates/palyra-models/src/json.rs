//! Small helpers for the bodies of requests.

use crate::error::ModelError;
use palyra_common::JsonText;
use serde::Serialize;
use serde_json::{Map, Value};

/// Sets a member of an object if there is a value.
pub(crate) fn put(object: &mut Value, name: &str, value: Option<impl Serialize>) {
    if let (Value::Object(members), Some(value)) = (object, value)
        && let Ok(value) = serde_json::to_value(value)
    {
        members.insert(name.to_owned(), value);
    }
}

/// Parses a schema.
pub(crate) fn json_of(text: &JsonText) -> Result<Value, ModelError> {
    let value = serde_json::from_str(text.as_str());
    value.map_err(|error| ModelError::InvalidRequest { reason: format!("a schema is not JSON: {error}") })
}

/// Returns arguments as the object that some protocols require; text that is not an object is wrapped in one.
pub(crate) fn arguments_object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(members)) => Value::Object(members),
        _ => Value::Object(Map::from_iter([("arguments".to_owned(), Value::String(arguments.to_owned()))])),
    }
}
