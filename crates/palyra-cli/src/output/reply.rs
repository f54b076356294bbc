//! What a command found or did, ready for every form of output.

use serde::Serialize;
use serde_json::Value;

/// The answer of a command.
pub(crate) trait Reply: Serialize {
    /// `palyra.<noun>.<verb>/v1`.
    const SCHEMA: &'static str;

    /// What was asked for, as people read it: it goes to standard output.
    fn data(&self) -> String;

    /// What else a person should know: it goes to standard error, unless `--quiet`.
    fn talk(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// The objects that `ndjson` writes one a line; without any, the whole answer is one line.
    fn lines(&self) -> Option<Vec<Value>> {
        None
    }
}

/// A remark for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// What happened, in a quiet colour.
    Note(String),
    /// Suggested commands.
    Next(String),
    /// Warnings.
    Warning(String),
}
