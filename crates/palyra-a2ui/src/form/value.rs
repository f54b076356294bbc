//! The value of a field: its default, or the submitted one.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::limits::MAX_OPTIONS;
use crate::text::{Block, Rule};

/// A value of a field. Its debug form names the kind only, because a submitted value can be a secret.
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// Of a checkbox.
    Bool(bool),
    /// Of a number or slider.
    Number(Number),
    /// Of every other field but a multiselect.
    Text(String),
    /// Of a multiselect.
    Choices(Vec<String>),
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool(_) => "Bool(…)",
            Self::Number(_) => "Number(…)",
            Self::Text(_) => "Text(…)",
            Self::Choices(_) => "Choices(…)",
        })
    }
}

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, true, false or an array of strings")
    }

    fn visit_bool<E>(self, value: bool) -> Result<FieldValue, E> {
        Ok(FieldValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<FieldValue, E> {
        Ok(FieldValue::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<FieldValue, E> {
        Ok(FieldValue::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<FieldValue, E> {
        let number = Number::from_f64(value);
        number.map(FieldValue::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FieldValue, E> {
        Block::check(text).map_err(E::custom)?;
        Ok(FieldValue::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<FieldValue, A::Error> {
        let mut choices: Vec<String> = Vec::new();
        while let Some(choice) = sequence.next_element::<String>()? {
            if choices.len() == MAX_OPTIONS {
                return Err(A::Error::custom(format!("more than {MAX_OPTIONS} entries")));
            }
            choices.push(choice);
        }
        Ok(FieldValue::Choices(choices))
    }
}
