//! The log of one run: bounded, escaped, attributed.

use palyra_common::redact::escape_untrusted;
use serde::{Deserialize, Serialize};

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Steps of a step.
    Trace,
    /// For the author.
    Debug,
    /// For the operator.
    Info,
    /// Something to look at.
    Warn,
    /// Something failed.
    Error,
}

/// One line, already escaped: it has no line break and no control character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// How much it matters.
    pub level: LogLevel,
    /// `log`, `stdout` or `stderr`.
    pub source: String,
    /// The text.
    pub message: String,
}

/// What a line costs even when it is empty, or a flood of empty lines would be free.
const LINE_BYTES: u64 = 64;

/// Lines so far and the room left.
#[derive(Debug)]
pub(crate) struct RunLog {
    pub(crate) lines: Vec<LogLine>,
    bytes: u64,
    limit: u64,
}

impl RunLog {
    pub(crate) fn new(limit: u64) -> Self {
        Self { lines: Vec::new(), bytes: 0, limit }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes a line, or says how much there would have been.
    pub(crate) fn push(
        &mut self,
        level: LogLevel,
        source: &'static str,
        message: &str,
    ) -> Result<&LogLine, u64> {
        // Escaping makes text longer, so the first check is only a quick one.
        if message.len() as u64 > self.limit {
            return Err(self.bytes.saturating_add(message.len() as u64));
        }
        let message = escape_untrusted(message);
        let wanted = self.bytes.saturating_add(message.len() as u64).saturating_add(LINE_BYTES);
        if wanted > self.limit {
            return Err(wanted);
        }
        self.bytes = wanted;
        let line = LogLine { level, source: source.into(), message };
        self.lines.push(line);
        Ok(&self.lines[self.lines.len() - 1])
    }
}
