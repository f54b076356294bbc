//! Errors: the position in a document, and the violated rule.

use palyra_common::redact::escape_untrusted;
use serde::Deserialize;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

/// Maximum length of a reason, in characters. Parsers repeat names from the document.
const MAX_REASON_CHARS: usize = 300;

/// A violated rule of a document, patch or event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at `{pointer}`: {reason}")]
pub struct A2uiError {
    /// JSON pointer (RFC 6901) of the invalid value; empty for the whole text.
    pub pointer: String,
    /// The violated rule, safe to print.
    pub reason: String,
}

impl A2uiError {
    pub(crate) fn new(pointer: impl Into<String>, reason: impl AsRef<str>) -> Self {
        let reason: String = reason.as_ref().chars().take(MAX_REASON_CHARS).collect();
        Self { pointer: pointer.into(), reason: escape_untrusted(&reason) }
    }

    /// Returns the error relative to a value that contains the invalid one.
    pub(crate) fn under(mut self, prefix: impl std::fmt::Display) -> Self {
        self.pointer = format!("{prefix}{}", self.pointer);
        self
    }
}

/// Deserializes JSON text. Errors contain the pointer of the value that caused them.
pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, A2uiError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| A2uiError::new(pointer(error.path()), reason(error.inner())))?;
    deserializer.end().map_err(|error| A2uiError::new("", reason(&error)))?;
    Ok(value)
}

/// Returns one step of a JSON pointer.
pub(crate) fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn pointer(path: &Path) -> String {
    let steps = path.iter().map(|segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => step(key),
        // No value here is serialized as an enum with content, and an unknown segment adds no information.
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    });
    escape_untrusted(&steps.collect::<String>())
}

/// Returns the message of the parser. Line and column are removed if a value has the wrong form, because they are
/// relative to the parsed part and the pointer is exact.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match error.classify() {
        Category::Data => {
            let place = format!(" at line {} column {}", error.line(), error.column());
            text.strip_suffix(&place).map(str::to_owned).unwrap_or(text)
        }
        _ => text,
    }
}
