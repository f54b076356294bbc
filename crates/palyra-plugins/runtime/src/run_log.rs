//! The log of one run: limited, escaped, and attributed to its source.

use palyra_common::redact::escape_untrusted;
use serde::{Deserialize, Serialize};

/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Fine-grained steps, for the author of a skill.
    Trace,
    /// Information for the author of a skill.
    Debug,
    /// Information for the operator.
    Info,
    /// A possible problem.
    Warn,
    /// A failure.
    Error,
}

/// A log line, already escaped: without line breaks and control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// The severity of the line.
    pub level: LogLevel,
    /// `log`, `stdout` or `stderr`.
    pub source: String,
    /// The escaped text.
    pub message: String,
}

/// Number of bytes charged for a line in addition to its text. Otherwise a flood of empty lines would be free.
const LINE_BYTES: u64 = 64;

/// The lines so far, and the remaining space.
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

    /// Adds a line. Returns the size that the log would have if the line does not fit.
    pub(crate) fn push(
        &mut self,
        level: LogLevel,
        source: &'static str,
        message: &str,
    ) -> Result<&LogLine, u64> {
        // Escaping makes text longer, so this first check only rejects obvious cases early.
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
