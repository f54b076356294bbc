//! The result of a command, for every output format.

use serde::Serialize;
use serde_json::Value;

/// The reply of a command.
pub(crate) trait Reply: Serialize {
    /// Schema name of the form `palyra.<noun>.<verb>/v1`.
    const SCHEMA: &'static str;

    /// Returns the result for people, which is printed to standard output.
    fn data(&self) -> String;

    /// Returns remarks, which are printed to standard error unless `--quiet` is set.
    fn talk(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// Returns the objects that `ndjson` prints one per line; `None` prints the whole reply as one line.
    fn lines(&self) -> Option<Vec<Value>> {
        None
    }
}

/// A remark for people, on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Information, in a dim colour.
    Note(String),
    /// A suggested command.
    Next(String),
    /// A warning.
    Warning(String),
}
