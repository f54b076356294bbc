//! Components of unknown types: kept unchanged, and displayed as placeholders.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::A2uiError;
use crate::limits::{MAX_DEPTH, MAX_UNKNOWN_BYTES};
use crate::text::{Block, Name, Rule};

/// A component of a type this version does not know.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UnknownComponent {
    /// The type as the document names it.
    #[serde(rename = "type")]
    #[schemars(
        regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"),
        extend("not" = { "enum": ["text", "markdown", "list", "table", "form", "chart"] })
    )]
    pub kind: String,
    /// Its properties, bounded in bytes and depth.
    pub props: Value,
}

impl UnknownComponent {
    pub(crate) fn read(kind: String, props: &str) -> Result<Self, A2uiError> {
        if props.len() > MAX_UNKNOWN_BYTES {
            let reason =
                format!("{} bytes of an unknown type are more than {MAX_UNKNOWN_BYTES}", props.len());
            return Err(A2uiError::new("", reason));
        }
        let mut deserializer = serde_json::Deserializer::from_str(props);
        let props = Bounded { depth: 0 }.deserialize(&mut deserializer);
        let props = props.map_err(|error| A2uiError::new("", error.to_string()))?;
        Ok(Self { kind, props })
    }
}

/// Reads any value under the rules for names and text.
#[derive(Clone, Copy)]
struct Bounded {
    depth: usize,
}

impl Bounded {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            Err(E::custom(format!("nested more than {MAX_DEPTH} levels deep")))
        } else {
            Ok(Self { depth: self.depth + 1 })
        }
    }
}

impl<'de> DeserializeSeed<'de> for Bounded {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Block::check(text).map_err(E::custom)?;
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut list = Vec::new();
        while let Some(value) = sequence.next_element_seed(deeper)? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            Name::check(&name).map_err(|reason| A::Error::custom(format!("key `{name}`: {reason}")))?;
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate key `{name}`")));
            }
            map.insert(name, members.next_value_seed(deeper)?);
        }
        Ok(map.into())
    }
}
