//! The grammars of the names that a manifest defines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum release counter, the largest integer that JSON carries exactly.
pub const MAX_RELEASE_COUNTER: u64 = (1 << 53) - 1;
/// The events that a hook can be bound to.
pub const HOOK_EVENTS: [&str; 14] = [
    "gateway:startup",
    "gateway:shutdown",
    "skill:installed",
    "skill:enabled",
    "skill:quarantined",
    "skill:disabled",
    "skill:removed",
    "run:before_tool",
    "run:after_tool",
    "run:completed",
    "run:failed",
    "approval:requested",
    "approval:decided",
    "routine:fired",
];
/// Maximum length of a tool id, in bytes.
pub(super) const MAX_TOOL_ID_BYTES: usize = 60;
const MAX_PUBLISHER_BYTES: usize = 32;
const MAX_SKILL_NAME_BYTES: usize = 64;

/// The name of a publisher: `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 32 bytes.
///
/// Underscores are single and never at the end, because `.` becomes `__` in the names that models see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublisherName(String);

/// The text is not a valid publisher name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid publisher name `{0}`: expected `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 32 bytes")]
pub struct PublisherNameError(String);

impl PublisherName {
    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PublisherName {
    type Err = PublisherNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() <= MAX_PUBLISHER_BYTES && is_word(text, "_") {
            Ok(Self(text.to_owned()))
        } else {
            Err(PublisherNameError(super::error::clip(text)))
        }
    }
}

impl TryFrom<String> for PublisherName {
    type Error = PublisherNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PublisherName> for String {
    fn from(name: PublisherName) -> Self {
        name.0
    }
}

impl fmt::Display for PublisherName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the name that models and MCP clients see for a tool id: `acme.notes.add` becomes `acme__notes__add`.
#[must_use]
pub fn model_name(tool_id: &str) -> String {
    tool_id.replace('.', "__")
}

/// Returns whether `text` is valid after the publisher in a skill id: a word with single `_` or `-` inside.
pub(super) fn is_skill_name(text: &str) -> bool {
    text.len() <= MAX_SKILL_NAME_BYTES && is_word(text, "_-")
}

/// Returns whether `text` is `[a-z0-9_]+(\.[a-z0-9_]+)+` with at most 60 bytes.
pub(super) fn is_tool_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.len() <= MAX_TOOL_ID_BYTES
        && text.contains('.')
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(plain))
}

/// Returns whether `text` is the path of a module in the archive.
pub(super) fn is_module_path(text: &str) -> bool {
    text.starts_with(crate::constants::MODULES_PREFIX)
        && crate::artifact::check_entry_path(text.as_bytes()).is_ok()
}

/// Returns whether `text` consists of lower-case letters and digits, starts with a letter, and has single joiners
/// inside.
pub(super) fn is_word(text: &str, joiners: &str) -> bool {
    let alphanumeric = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && text.split(|c| joiners.contains(c)).all(alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn publishers() {
        for text in ["acme", "a", "acme_labs", "a1_2b"] {
            assert!(text.parse::<PublisherName>().is_ok(), "{text}");
        }
        for text in ["", "Acme", "1a", "_a", "a_", "a__b", "a-b", "a.b", "é", &"a".repeat(33)] {
            assert!(text.parse::<PublisherName>().is_err(), "{text}");
        }
    }

    #[test]
    fn tool_ids_and_modules() {
        assert!(is_tool_id("acme.add") && is_tool_id("acme.notes.add_2"));
        for text in
            ["acme", "acme.", ".add", "acme..add", "acme.Add", "acme.a-b", &format!("a.{}", "b".repeat(59))]
        {
            assert!(!is_tool_id(text), "{text}");
        }
        assert!(is_module_path("modules/a.wasm") && is_module_path("modules/a-b_c.1.wasm"));
        for text in [
            "a.wasm",
            "modules/.wasm",
            "modules/a.wat",
            "modules/../a.wasm",
            "modules//a.wasm",
            "/modules/a.wasm",
            "modules/A.wasm",
            "modules\\a.wasm",
        ] {
            assert!(!is_module_path(text), "{text}");
        }
    }
}
