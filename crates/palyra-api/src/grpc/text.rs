//! Fields that keep JSON as the text it came as.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The text of a value.
pub(super) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(written)
}

/// The text of a value, if there is one.
pub(super) fn maybe<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Box<RawValue>>::deserialize(deserializer)?.map(written))
}

/// The texts of a list of values.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<Box<RawValue>>::deserialize(deserializer)?.into_iter().map(written).collect())
}

fn written(value: Box<RawValue>) -> String {
    Box::<str>::from(value).into_string()
}
