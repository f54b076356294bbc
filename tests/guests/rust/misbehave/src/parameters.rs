//! The knobs of the bad tools; every one has a default.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Parameters {
    /// Bytes of output, or of one log line.
    pub(crate) bytes: usize,
    /// Levels of nesting, or log lines.
    pub(crate) count: usize,
    /// Where the denied request goes.
    pub(crate) url: String,
    /// The handle to try; without it the small numbers are.
    pub(crate) handle: Option<i32>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { bytes: 16 << 20, count: 100_000, url: "https://denied.example/".to_owned(), handle: None }
    }
}
