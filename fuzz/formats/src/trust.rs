//! The rows of a trust store: an accepted store is written as the rows it was read from.

use palyra_skills::SkillTrustStore;
use palyra_skills::trust::{TrustRow, TrustStatement};

/// Takes the bytes as lines of `KEY VALUE`, and as a signed statement for the store.
pub fn check_trust_store(data: &[u8]) {
    let mut rows: Vec<TrustRow> = data.split(|byte| *byte == b'\n').filter_map(row).collect();
    if let Ok(store) = SkillTrustStore::from_rows(rows.clone()) {
        rows.sort();
        assert_eq!(store.rows().as_deref(), Ok(&*rows), "a store has two spellings");
    }
    check_statement(data);
}

/// A file may end with white space; that is the one liberty.
fn check_statement(data: &[u8]) {
    let Ok(statement) = TrustStatement::parse(data) else { return };
    let encoded = statement.encode().expect("a statement can be written");
    assert_eq!(encoded, data.trim_ascii_end(), "a statement has two spellings");
    let mut store = SkillTrustStore::default();
    let applied = match statement {
        TrustStatement::Rotation(rotation) => store.rotate(&rotation).is_ok(),
        TrustStatement::Revocations(revocations) => store.apply_feed(&revocations).is_ok(),
    };
    assert!(!applied, "a stranger's statement changes an empty store");
}

fn row(line: &[u8]) -> Option<TrustRow> {
    let at = line.iter().position(|byte| *byte == b' ')?;
    let key = String::from_utf8(line[..at].to_vec()).ok()?;
    Some(TrustRow { key, bytes: line[at + 1..].to_vec() })
}
