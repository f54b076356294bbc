//! The seam where secrets are blotted out, before an event has any bytes.

use palyra_common::SecretValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Takes secrets out of text; called for every string of every event, names of fields included.
pub trait RedactText: Send + Sync {
    /// The text without secrets.
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str>;
}

/// Leaves text as it is: for journals whose authors hold no secrets.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepText;

impl RedactText for KeepText {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }
}

/// Replaces the values of known secrets by `****`.
#[derive(Debug, Clone, Default)]
pub struct BlotOut(Vec<SecretValue>);

impl BlotOut {
    /// Knows these secrets; a value that is empty or not text occurs in no text.
    pub fn new(secrets: impl IntoIterator<Item = SecretValue>) -> Self {
        Self(secrets.into_iter().collect())
    }
}

impl RedactText for BlotOut {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in &self.0 {
            match std::str::from_utf8(secret.expose()) {
                Ok(secret) if !secret.is_empty() && text.contains(secret) => {
                    text = Cow::Owned(text.replace(secret, "****"));
                }
                _ => {}
            }
        }
        text
    }
}

/// Redacts a string in place.
pub(super) fn redact_string(redactor: &dyn RedactText, text: &mut String) {
    if let Cow::Owned(redacted) = redactor.redact(text) {
        *text = redacted;
    }
}

/// Redacts every string in a value; deeper than the ceiling is left, because the event is refused for it.
pub(super) fn redact_value(redactor: &dyn RedactText, value: &mut Value) {
    redact_nested(redactor, value, super::MAX_DETAILS_DEPTH);
}

fn redact_nested(redactor: &dyn RedactText, value: &mut Value, levels: usize) {
    let below = match value {
        Value::Array(_) | Value::Object(_) => levels.checked_sub(1),
        _ => Some(levels),
    };
    let Some(below) = below else { return };
    match value {
        Value::String(text) => redact_string(redactor, text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_nested(redactor, item, below)),
        Value::Object(fields) => {
            if fields.keys().any(|name| matches!(redactor.redact(name), Cow::Owned(_))) {
                // Two names that become one leave the last of them, in the order of names.
                fields.sort_keys();
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed
                    .map(|(name, item)| (redactor.redact(&name).into_owned(), item))
                    .collect::<Map<_, _>>();
            }
            fields.values_mut().for_each(|item| redact_nested(redactor, item, below));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn known_secrets_leave_every_string() {
        let redactor = BlotOut::new([SecretValue::new("hunter2"), SecretValue::new("")]);
        let mut value = json!({"a": "x hunter2 y", "hunter2": [{"b": "hunter2hunter2"}], "n": 7});
        redact_value(&redactor, &mut value);
        assert_eq!(value, json!({"a": "x **** y", "****": [{"b": "********"}], "n": 7}));
    }

    #[test]
    fn what_is_encoded_is_redacted_at_every_depth() {
        use crate::event::{Encoded, EventKind, MAX_DETAILS_DEPTH, NewEvent};
        let redactor = BlotOut::new([SecretValue::new("hunter2")]);
        // A string inside as many lists as are accepted.
        let details = (0..MAX_DETAILS_DEPTH).fold(json!("hunter2"), |inner, _| json!([inner]));
        let event = NewEvent::new(EventKind::VaultPut, 1).subject("hunter2").details(details);
        let leaf = Encoded::new(event, &redactor).unwrap().fields.leaf();
        assert!(!String::from_utf8(leaf).unwrap().contains("hunter2"));
    }
}
