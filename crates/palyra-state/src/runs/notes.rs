//! Notes of a run besides its receipt: the cause of a failure, and the durations of its steps. Stored as long
//! as its lines.

pub use palyra_common::model::runs::{Refusal, RefusedBy, RunFailure};

use palyra_common::WasmPluginRunError;
use palyra_common::text::clip_untrusted;
use palyra_journal::{JournalError, JournalTransaction};
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OptionalExtension, params};

use super::RunStore;
use crate::error::StateError;

/// Maximum length of a stored error message.
const MAX_MESSAGE_CHARS: usize = 2_000;
/// Maximum length of a stored target of a refusal.
const MAX_TARGET_CHARS: usize = 1_000;
/// Maximum bytes of stored error details.
const MAX_DETAILS_BYTES: usize = 8 << 10;

/// Notes stored for a run; most runs have none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunNotes {
    /// The [`RunFailure`] as JSON text.
    pub failure: Option<String>,
    /// Duration in microseconds of steps of the tape, by step number from 1.
    pub step_times: Vec<(u64, u64)>,
}

/// Converts an error to the failure that is stored with a run: escaped, truncated, and without details that are too
/// long.
pub fn run_failure(error: &WasmPluginRunError, refusal: Option<Refusal>) -> RunFailure {
    let details = error.details();
    let short = serde_json::to_vec(&details).is_ok_and(|text| text.len() <= MAX_DETAILS_BYTES);
    let has_facts = details.as_object().is_some_and(|facts| !facts.is_empty());
    let refusal = refusal
        .map(|refusal| Refusal { target: clip_untrusted(&refusal.target, MAX_TARGET_CHARS), ..refusal });
    RunFailure {
        message: clip_untrusted(&error.to_string(), MAX_MESSAGE_CHARS),
        refusal,
        details: (short && has_facts).then_some(details),
    }
}

impl RunNotes {
    /// Returns the SHA-256 of the failure, which the receipt contains.
    pub fn failure_sha256(&self) -> Option<Sha256Digest> {
        self.failure.as_ref().map(|text| Sha256Digest::of(text.as_bytes()))
    }

    /// Parses the failure; returns `None` if there is none or it is unreadable.
    pub fn read_failure(&self) -> Option<RunFailure> {
        serde_json::from_str(self.failure.as_deref()?).ok()
    }

    pub(super) fn write(&self, transaction: &JournalTransaction<'_>, run_id: &str) -> rusqlite::Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        let times = (!self.step_times.is_empty())
            .then(|| serde_json::to_string(&self.step_times).unwrap_or_default());
        let insert = "INSERT OR REPLACE INTO run_notes (run_id, failure, step_times) VALUES (?1, ?2, ?3)";
        let mut insert = transaction.sql().prepare_cached(insert)?;
        insert.execute(params![run_id, self.failure, times]).map(drop)
    }
}

impl RunStore<'_> {
    /// Returns the notes of a run, empty if there are none. Blocks the calling thread.
    pub fn notes(&self, run_id: &str) -> Result<RunNotes, StateError> {
        let sql = "SELECT failure, step_times FROM run_notes WHERE run_id = ?1";
        let read = |connection: &Connection| {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            connection.query_row(sql, [run_id], row).optional()
        };
        let found: Option<(Option<String>, Option<String>)> = self
            .state
            .journal
            .read(|connection| read(connection).map_err(JournalError::sqlite("read a run")))?;
        let (failure, times) = found.unwrap_or_default();
        let step_times = times.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(RunNotes { failure, step_times })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn failure_is_bounded_and_escaped() {
        let long = "x\u{1b}".repeat(100_000);
        let error = WasmPluginRunError::ToolFailed {
            code: "c".into(),
            message: long.clone(),
            details: Some(Value::String(long.clone())),
        };
        let refusal = Refusal { what: "http".into(), target: long, by: RefusedBy::Manifest };
        let failure = run_failure(&error, Some(refusal));
        let text = serde_json::to_string(&failure).unwrap();
        assert!(text.len() < 32 << 10 && failure.details.is_none(), "{}", text.len());
        assert!(!failure.message.contains('\u{1b}'));
        assert_eq!(serde_json::from_str::<RunFailure>(&text).unwrap(), failure);
    }
}
