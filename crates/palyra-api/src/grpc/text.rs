//! Fields that keep JSON as the text it came as.

use std::collections::BTreeMap;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// Serializes a JSON value to text.
pub(super) fn read_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(written)
}

/// Serializes an optional JSON value to text.
pub(super) fn read_maybe<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Box<RawValue>>::deserialize(deserializer)?.map(written))
}

/// Serializes a list of JSON values to texts.
pub(super) fn read_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<Box<RawValue>>::deserialize(deserializer)?.into_iter().map(written).collect())
}

/// Serializes a map of JSON values to texts.
pub(super) fn read_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let values = BTreeMap::<String, Box<RawValue>>::deserialize(deserializer)?;
    Ok(values.into_iter().map(|(name, value)| (name, written(value))).collect())
}

/// Writes the JSON value of a text.
pub(super) fn write_one<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    parsed::<S>(text)?.serialize(serializer)
}

/// Writes the JSON value of an optional text.
pub(super) fn write_maybe<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().map(parsed::<S>).transpose()?.serialize(serializer)
}

/// Writes a map of JSON values from texts.
pub(super) fn write_map<S: Serializer>(
    texts: &BTreeMap<String, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let values = texts.iter().map(|(name, text)| Ok((name, parsed::<S>(text)?)));
    values.collect::<Result<BTreeMap<_, _>, S::Error>>()?.serialize(serializer)
}

/// Parses a text; the error contains its position only, because the text may be a secret.
fn parsed<S: Serializer>(text: &str) -> Result<&RawValue, S::Error> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        S::Error::custom(format!("a `…_json` field is not JSON: see line {line} column {column}"))
    })
}

fn written(value: Box<RawValue>) -> String {
    Box::<str>::from(value).into_string()
}
