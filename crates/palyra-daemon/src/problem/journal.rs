//! Journals that are not what was written.

use palyra_api::Problem;
use palyra_journal::{Damage, VerifyReport};
use serde_json::json;

/// A journal that opens is not the one that was written.
pub(crate) fn journal_damaged(damage: &Damage, report: &VerifyReport) -> Problem {
    Problem::new("state_damaged", format!("the journal is damaged: {damage}"))
        .hint(damage.hint())
        .details(json!({ "report": report }))
}
