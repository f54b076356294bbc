//! Writes objects with sorted names, independent of the features of other crates in the build.
//!
//! A feature of `serde_json` decides whether a map keeps its names sorted or in insertion order, and any dependency can
//! enable it. Wherever a [`Value`] becomes bytes that are stored, signed, hashed, compared or displayed, this module is
//! used.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// A value that is written with the names of all objects sorted.
#[derive(Debug, Clone, Copy)]
pub struct InOrder<'v>(pub &'v Value);

/// Sorts the names of all objects of a value.
pub fn sort_objects(value: &mut Value) {
    value.sort_all_objects();
}

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => write_list(items, serializer),
            Value::Object(fields) => write_object(fields, serializer),
            plain => plain.serialize(serializer),
        }
    }
}

impl fmt::Display for InOrder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A value has names of text and finite numbers, so it always has a text.
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Serializes a field with sorted members: `#[serde(with = "palyra_common::json::in_order")]`.
pub fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    InOrder(value).serialize(serializer)
}

/// Deserializes a field and sorts the members of its objects.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let mut value = Value::deserialize(deserializer)?;
    sort_objects(&mut value);
    Ok(value)
}

/// Like the functions above, for an optional field.
pub mod optional {
    use super::{Deserialize, Deserializer, InOrder, Serialize, Serializer, Value};

    /// Serializes the value with sorted members.
    pub fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(InOrder).serialize(serializer)
    }

    /// Deserializes an optional field and sorts the members of its objects.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let mut value = Option::<Value>::deserialize(deserializer)?;
        value.iter_mut().for_each(super::sort_objects);
        Ok(value)
    }
}

/// Like the functions above, for a list.
pub mod list {
    use super::{Deserialize, Deserializer, Serializer, Value};

    /// Serializes the list with the members of each value sorted.
    pub fn serialize<S: Serializer>(values: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
        super::write_list(values, serializer)
    }

    /// Deserializes a list and sorts the members of its objects.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
        let mut values = Vec::<Value>::deserialize(deserializer)?;
        values.iter_mut().for_each(super::sort_objects);
        Ok(values)
    }
}

fn write_list<S: Serializer>(items: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(items.len()))?;
    for item in items {
        list.serialize_element(&InOrder(item))?;
    }
    list.end()
}

fn write_object<S: Serializer>(fields: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
    if fields.keys().is_sorted() {
        return write_fields(fields.iter(), fields.len(), serializer);
    }
    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    write_fields(sorted.into_iter(), fields.len(), serializer)
}

fn write_fields<'v, S: Serializer>(
    fields: impl Iterator<Item = (&'v String, &'v Value)>,
    length: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(Some(length))?;
    for (name, value) in fields {
        object.serialize_entry(name, &InOrder(value))?;
    }
    object.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SORTED: &str = r#"{"a":[{"x":null,"y":{"p":1,"q":2.5}}],"b":"é","é":{}}"#;

    fn unsorted() -> Value {
        json!({"é": {}, "b": "é", "a": [{"y": {"q": 2.5, "p": 1}, "x": null}]})
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Fields {
        #[serde(with = "super")]
        one: Value,
        #[serde(with = "super::optional")]
        maybe: Option<Value>,
        #[serde(with = "super::list")]
        many: Vec<Value>,
    }

    #[test]
    fn names_are_written_in_order_at_every_depth() {
        assert_eq!(InOrder(&unsorted()).to_string(), SORTED);
        let mut value = unsorted();
        sort_objects(&mut value);
        assert_eq!(value.to_string(), SORTED);
        assert_eq!(crate::JsonText::from(&unsorted()).as_str(), SORTED);
    }

    #[test]
    fn fields_are_written_and_read_in_order() {
        let fields = Fields { one: unsorted(), maybe: Some(unsorted()), many: vec![unsorted(), json!(1)] };
        let written = serde_json::to_string(&fields).unwrap();
        assert_eq!(written, format!(r#"{{"one":{SORTED},"maybe":{SORTED},"many":[{SORTED},1]}}"#));
        let unsorted = r#"{"one":{"b":1,"a":2},"maybe":{"b":1,"a":2},"many":[{"b":1,"a":2}]}"#;
        let read: Fields = serde_json::from_str(unsorted).unwrap();
        for value in [&read.one, read.maybe.as_ref().unwrap(), &read.many[0]] {
            assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#);
        }
    }

    /// Fails if a dependency enables a feature of the JSON crate that keeps the spelling of numbers:
    /// then two spellings of one number would be two digests.
    #[test]
    fn numbers_have_one_spelling() {
        for (text, expected) in [
            ("1.10", "1.1"),
            ("1e2", "100.0"),
            ("-0.0", "-0.0"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "1.8446744073709552e+19"),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(InOrder(&value).to_string(), expected);
        }
        assert!(serde_json::from_str::<Value>("1e400").is_err());
    }
}
