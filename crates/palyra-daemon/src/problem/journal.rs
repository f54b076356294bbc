//! Problems of journals that fail verification.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_journal::{Damage, VerifyReport};
use palyra_state::RecordsReport;
use serde_json::json;

/// Returns the problem of a journal that opens, but fails verification.
pub(crate) fn journal_damaged(damage: &Damage, report: &VerifyReport) -> Problem {
    Problem::new(ErrorCode::StateDamaged, format!("the journal is damaged: {damage}"))
        .hint(damage.hint())
        .details(json!({ "report": report }))
}

/// Returns the problem of rows that differ from the receipts in the journal.
pub(crate) fn records_altered(report: &RecordsReport) -> Problem {
    let count = report.more.saturating_add(report.differences.len() as u64);
    let first = report.differences.first().map(ToString::to_string).unwrap_or_default();
    Problem::new(
        ErrorCode::StateDamaged,
        format!("{count} rows differ from the receipts in the journal, the first: {first}"),
    )
    .hint(
        "the journal is intact; find out which program wrote to `state.db`, and restore a backup \
            with `palyra restore FILE`",
    )
    .details(json!({ "differences": report.differences, "more": report.more }))
}
