//! JSON with one interpretation: no duplicate key, no unknown field, no trailing data.

use std::fmt;

use palyra_common::json::in_order::sort_objects;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::{Map, Number, Value};

/// Why bytes are not acceptable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictJsonError {
    /// Not JSON, or not of the expected form, which includes duplicate keys and unknown fields.
    #[error("{0}")]
    Form(String),
    /// The content is valid, but not in its canonical form.
    #[error("it is not in canonical form from byte {offset} on")]
    NotCanonical {
        /// The first byte that differs.
        offset: usize,
    },
}

/// Reads a value and requires that encoding it gives the same bytes.
pub fn parse_canonical<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, StrictJsonError> {
    let value: T = parse_typed(bytes)?;
    let written = encode_canonical(&value)?;
    if written == bytes {
        return Ok(value);
    }
    let same = written.iter().zip(bytes).take_while(|(ours, theirs)| ours == theirs).count();
    Err(StrictJsonError::NotCanonical { offset: same })
}

/// Encodes a value in canonical form: no white space, fields in the order of their type.
pub fn encode_canonical<T: Serialize>(value: &T) -> Result<Vec<u8>, StrictJsonError> {
    serde_json::to_vec(value).map_err(|error| form(&error))
}

/// Parses a value whose type denies unknown fields.
pub fn parse_typed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StrictJsonError> {
    serde_json::from_slice(bytes).map_err(|error| form(&error))
}

/// Parses any JSON value. Rejects duplicate keys, and returns objects with sorted keys.
pub fn parse_value(bytes: &[u8]) -> Result<Value, StrictJsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let mut value = StrictValue.deserialize(&mut deserializer).map_err(|error| form(&error))?;
    deserializer.end().map_err(|error| form(&error))?;
    sort_objects(&mut value);
    Ok(value)
}

/// Wraps a parser error. Its message may quote the input, so it is clipped and escaped.
fn form(error: &serde_json::Error) -> StrictJsonError {
    StrictJsonError::Form(crate::artifact::clip(&error.to_string()))
}

struct StrictValue;

impl<'de> DeserializeSeed<'de> for StrictValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Self)?;
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate key `{name}` in one object")));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
