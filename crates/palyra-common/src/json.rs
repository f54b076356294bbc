//! JSON text that is validated once and passed on as bytes.

mod canonical;
pub mod in_order;
mod quick;

pub use canonical::canonical_text;
pub use in_order::InOrder;

use crate::limits::MAX_JSON_DEPTH;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// UTF-8 JSON text that is complete, well formed and at most [`MAX_JSON_DEPTH`] levels deep.
///
/// Cloning is cheap. The text is never parsed into a tree and written again.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(Arc<String>);

impl JsonText {
    /// Validates bytes and takes ownership of them.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, JsonTextError> {
        let text = String::from_utf8(bytes.into())
            .map_err(|error| JsonTextError::NotUtf8 { offset: error.utf8_error().valid_up_to() })?;
        Self::from_text(text)
    }

    /// Validates text and takes ownership of it, without a copy.
    pub fn from_text(text: String) -> Result<Self, JsonTextError> {
        check(&text)?;
        Ok(Self(Arc::new(text)))
    }

    /// Returns the text `{}`.
    pub fn empty_object() -> Self {
        Self(Arc::new("{}".into()))
    }

    /// Returns the shared text.
    pub fn into_shared(self) -> Arc<String> {
        self.0
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Writes the value with the names of all objects sorted.
impl From<&serde_json::Value> for JsonText {
    fn from(value: &serde_json::Value) -> Self {
        Self(Arc::new(InOrder(value).to_string()))
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonText({} bytes)", self.0.len())
    }
}

/// The reason why bytes are not valid JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonTextError {
    /// The bytes are not UTF-8.
    #[error("it is not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("it is not JSON: {reason}")]
    NotJson {
        /// The parser's message, with line and column.
        reason: String,
    },
    /// The text is nested more than [`MAX_JSON_DEPTH`] levels deep.
    #[error("it is nested more than {MAX_JSON_DEPTH} levels deep")]
    TooDeep,
}

/// Validates text without allocating.
fn check(text: &str) -> Result<(), JsonTextError> {
    if quick::is_surely_json(text) {
        return Ok(());
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Shape::deserialize(&mut deserializer).and_then(|Shape| deserializer.end());
    parsed.map_err(|error| {
        if nesting(text) > MAX_JSON_DEPTH {
            JsonTextError::TooDeep
        } else {
            JsonTextError::NotJson { reason: error.to_string() }
        }
    })
}

/// Returns the nesting of brackets outside of strings. Called only for text that the parser rejected.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Visits a value with the parser's recursion limit and discards it.
struct Shape;

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Shape {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self, A::Error> {
        while sequence.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value::<Self>()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_json_and_nothing_else() {
        for text in ["null", " {\"a\": [1, -2.5e3, \"x\\u0041\", true, false, null]} ", "\"é\"", "0"] {
            assert_eq!(JsonText::parse(text).unwrap().as_str(), text);
        }
        for text in
            ["", " ", "{", "[1,]", "{\"a\"}", "nul", "1 2", "\"a\nb\"", "NaN", "'a'", "[1]]", "\u{feff}1"]
        {
            assert!(matches!(JsonText::parse(text), Err(JsonTextError::NotJson { .. })), "{text}");
        }
        assert_eq!(JsonText::parse(b"\"\xff\"".to_vec()), Err(JsonTextError::NotUtf8 { offset: 1 }));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(JsonText::parse(nested(MAX_JSON_DEPTH - 1)).is_ok());
        assert_eq!(JsonText::parse(nested(MAX_JSON_DEPTH + 1)), Err(JsonTextError::TooDeep));
        assert_eq!(JsonText::parse("[".repeat(100_000)), Err(JsonTextError::TooDeep));
        assert_eq!(JsonText::parse("{\"a\":".repeat(100_000)), Err(JsonTextError::TooDeep));
    }
}
