//! Problems of a manifest: message, position, expected value and fix.

use std::fmt::{self, Write as _};
use std::ops::Range;

use palyra_common::capabilities::GrantSyntaxError;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_marked;

use super::tool_schema::SchemaProblem;
use crate::audit::unicode::{UnicodeProblem, check_text};

/// A rejected manifest: the problem, its position, and the expected value.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestError(Box<Details>);

#[derive(Debug, Clone, PartialEq)]
struct Details {
    problem: ManifestProblem,
    path: String,
    span: Range<usize>,
    line: usize,
    column: usize,
    shown: ShownLine,
}

/// A problem of a manifest, as facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ManifestProblem {
    /// The file is longer than [`super::MAX_MANIFEST_BYTES`].
    #[error("the manifest has {bytes} bytes")]
    TooLarge { bytes: usize },
    /// Tables, arrays or dotted keys are nested too deeply.
    #[error("values are nested more than {} levels deep", super::nesting::MAX_LEVELS)]
    TooDeep,
    /// The text is not TOML, or has a duplicate key.
    #[error("invalid TOML: {message}")]
    Toml { message: String },
    /// A character is invisible, or the text is not in Unicode normal form C.
    #[error("{0}")]
    Unicode(UnicodeProblem),
    /// The table has no such key.
    #[error("unknown key `{key}`")]
    UnknownKey {
        key: String,
        /// The valid keys of the table.
        known: Vec<String>,
    },
    /// A required key is missing.
    #[error("missing key `{key}`")]
    MissingKey { key: String },
    /// A value has the wrong type or is outside of its range.
    #[error("found {found}")]
    Value {
        /// The value found, as text.
        found: String,
        expected: String,
        /// A suggested value, if there is an obvious one.
        fix: Option<String>,
    },
    /// A host, path, secret, prefix, channel or root does not match its grammar.
    #[error("{0}")]
    Grant(GrantSyntaxError),
    /// A JSON Schema is invalid.
    #[error("{0}")]
    Schema(SchemaProblem),
}

/// The line of a problem, cut to fit a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownLine {
    text: String,
    caret_start: usize,
    caret_width: usize,
}

impl ManifestError {
    pub(super) fn new(source: &str, span: Range<usize>, path: String, problem: ManifestProblem) -> Self {
        let start = source.floor_char_boundary(span.start);
        let before = source.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        let shown = ShownLine::cut(source, line_start, start, span.end);
        Self(Box::new(Details { problem, path, span, line, column, shown }))
    }

    /// Returns the problem without its position.
    #[must_use]
    pub fn problem(&self) -> &ManifestProblem {
        &self.0.problem
    }

    /// Returns the byte range of the problem in the manifest.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// Returns the line of the problem, starting at 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Returns the column of the problem in characters, starting at 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Returns the path of the key, for example `entrypoints.tools[0].id`; empty for the whole file.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns a description of the expected value.
    #[must_use]
    pub fn expected(&self) -> String {
        self.0.problem.expected()
    }

    /// Returns a suggested fix, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.0.problem.fix()
    }

    /// Returns the complete message as plain text: problem, line with carets, expected value and fix.
    #[must_use]
    pub fn render(&self) -> String {
        let details = &*self.0;
        let number = details.line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = format!("skill.toml:{}:{}: {}", details.line, details.column, details.problem);
        if !details.path.is_empty() {
            let _ = write!(out, ", in `{}`", details.path);
        }
        let padding = " ".repeat(details.shown.caret_start);
        let carets = "^".repeat(details.shown.caret_width);
        let _ = write!(out, "\n{gutter} |\n{number} | {}\n{gutter} | {padding}{carets}", details.shown.text);
        let _ = write!(out, "\n{gutter} = expected: {}", self.expected());
        if let Some(fix) = self.hint() {
            let _ = write!(out, "\n{gutter} = fix: {fix}");
        }
        out.push('\n');
        out
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &*self.0;
        write!(f, "skill.toml line {}, column {}", details.line, details.column)?;
        if !details.path.is_empty() {
            write!(f, ", `{}`", details.path)?;
        }
        write!(f, ": {}", details.problem)
    }
}

impl std::error::Error for ManifestError {}

impl ManifestProblem {
    pub(super) fn value(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Value { found: found.into(), expected: expected.into(), fix: None }
    }

    pub(super) fn text(found: &str, expected: impl Into<String>) -> Self {
        Self::value(format!("`{}`", clip(found)), expected)
    }

    pub(super) fn with_fix(self, text: impl Into<String>) -> Self {
        match self {
            Self::Value { found, expected, .. } => Self::Value { found, expected, fix: Some(text.into()) },
            other => other,
        }
    }

    /// Returns a description of the expected value.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::TooLarge { .. } => format!("at most {} bytes", super::MAX_MANIFEST_BYTES),
            Self::TooDeep => {
                format!("at most {} levels of tables, arrays and dotted keys", super::nesting::MAX_LEVELS)
            }
            Self::Toml { .. } => "a TOML document without duplicate keys".to_owned(),
            Self::Unicode(_) => "visible text in Unicode normal form C".to_owned(),
            Self::UnknownKey { known, .. } => one_of(known),
            Self::MissingKey { key } => format!("`{key} = …`"),
            Self::Value { expected, .. } => expected.clone(),
            Self::Grant(GrantSyntaxError::Part { what, .. }) => format!("a {what}"),
            Self::Grant(_) => "a grant".to_owned(),
            Self::Schema(problem) => problem.expected(),
        }
    }

    /// Returns a suggested fix, if there is one.
    #[must_use]
    pub fn fix(&self) -> Option<String> {
        match self {
            Self::TooLarge { .. } => Some("move long texts into files below `assets/`".to_owned()),
            Self::TooDeep => Some("flatten the value".to_owned()),
            Self::Toml { .. } => None,
            Self::Unicode(problem) => Some(problem.hint().to_owned()),
            Self::UnknownKey { key, known } => Some(match closest(key, known) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("remove `{key}`"),
            }),
            Self::MissingKey { key } => Some(format!("add `{key}`")),
            Self::Value { fix, .. } => fix.clone(),
            Self::Grant(GrantSyntaxError::Part { what: "host", .. }) => {
                Some("write a plain name such as `api.example.com`".to_owned())
            }
            Self::Grant(GrantSyntaxError::Part { what: "path", .. }) => {
                Some("write a path such as `/items/*` or `/items/**`".to_owned())
            }
            Self::Grant(GrantSyntaxError::Part { what: "filesystem root", .. }) => {
                Some("write a logical name such as `docs`; the operator maps it to a directory".to_owned())
            }
            Self::Grant(_) => None,
            Self::Schema(problem) => problem.fix(),
        }
    }
}

impl ShownLine {
    /// Maximum number of characters shown before, in and after the problem, each.
    const WIDTH: usize = 100;
    const BEFORE: usize = 60;

    fn cut(source: &str, line_start: usize, start: usize, end: usize) -> Self {
        let line = source.get(line_start..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        let offset = start.saturating_sub(line_start).min(line.len());
        let (head, tail) = (line.get(..offset).unwrap_or_default(), line.get(offset..).unwrap_or_default());
        let skipped = head.chars().count().saturating_sub(Self::BEFORE);
        let mut shown_head: String = head.chars().skip(skipped).collect();
        if skipped > 0 {
            shown_head.insert(0, '…');
        }
        let marked_bytes = tail.floor_char_boundary(end.saturating_sub(start).min(tail.len()));
        let (marked, rest) = tail.split_at_checked(marked_bytes).unwrap_or((tail, ""));
        let clip = |text: &str| show(&text.chars().take(Self::WIDTH).collect::<String>());
        let (head, marked, rest) = (clip(&shown_head), clip(marked), clip(rest));
        Self {
            caret_start: head.chars().count(),
            caret_width: marked.chars().count().max(1),
            text: format!("{head}{marked}{rest}").trim_end().replace('\t', " "),
        }
    }
}

/// Escapes every invisible character of a text.
fn show(text: &str) -> String {
    let visible = |character: char| check_text(character.encode_utf8(&mut [0; 4])).is_ok();
    let shown = |character: char| {
        if visible(character) { character.to_string() } else { character.escape_unicode().to_string() }
    };
    escape_untrusted(&text.chars().map(shown).collect::<String>())
}

/// Returns the most similar known word, if it is similar enough to be a typing error.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a String>) -> Option<&'a String> {
    // Comparing costs the product of the lengths, and keys of a hostile file can be long.
    if word.len() > 64 {
        return None;
    }
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(word, name), name));
    scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

pub(super) fn one_of(words: &[String]) -> String {
    match words {
        [] => "no key at all".to_owned(),
        [word] => format!("`{word}`"),
        words => format!("one of `{}`", words.join("`, `")),
    }
}

pub(crate) fn clip(text: &str) -> String {
    escape_untrusted(&clip_marked(text, 80))
}
