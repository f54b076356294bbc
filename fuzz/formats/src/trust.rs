//! The rows of a trust store: an accepted store is written as the rows it was read from.

use palyra_skills::SkillTrustStore;
use palyra_skills::trust::TrustRow;

/// Takes the bytes as lines of `KEY VALUE`, and as a signed statement for the store.
pub fn check_trust_store(data: &[u8]) {
    let mut rows: Vec<TrustRow> = data.split(|byte| *byte == b'\n').filter_map(row).collect();
    if let Ok(store) = SkillTrustStore::from_rows(rows.clone()) {
        rows.sort();
        assert_eq!(store.rows().as_deref(), Ok(&*rows), "a store has two spellings");
    }
}

fn row(line: &[u8]) -> Option<TrustRow> {
    let at = line.iter().position(|byte| *byte == b' ')?;
    let key = String::from_utf8(line[..at].to_vec()).ok()?;
    Some(TrustRow { key, bytes: line[at + 1..].to_vec() })
}
