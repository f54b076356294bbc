//! Database rows that are edited while no daemon runs.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::process::options;
use palyra_common::Scope;
use palyra_state::journal::VerifyScope;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{State, StateRoot};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

/// Tables with rows that decide something, and the column to edit.
const EDITS: [&str; 7] = [
    "UPDATE index_rows SET bytes = CAST(bytes || x'20' AS BLOB)",
    "UPDATE trust_rows SET bytes = CAST(bytes || x'20' AS BLOB)",
    "UPDATE consent_rows SET bytes = CAST(bytes || x'20' AS BLOB)",
    "UPDATE token_rows SET mac = x'00'",
    "DELETE FROM token_rows",
    "UPDATE journal_event SET actor = 'nobody' WHERE seq = 1",
    "DELETE FROM journal_event WHERE seq = 1",
];

pub(super) async fn run(_: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let mut tally = Tally::default();
    let mut edits = EDITS.iter().cycle();
    while rounds.next() {
        let Some(edit) = edits.next() else { break };
        let found = tokio::task::spawn_blocking(|| is_found(edit)).await.unwrap();
        tally.tried += 1;
        if !found {
            tally.lost.push(format!("not found: {edit}"));
        }
    }
    tally
}

/// Returns whether an edit is detected by opening or verifying.
fn is_found(edit: &str) -> bool {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let options = options(SHORT_COMMAND_WAIT);
    let state = root.init(&options).unwrap();
    crate::guests::install(&state, "bench", "");
    state.tokens().add("agent", [Scope::Read].into_iter().collect(), None, "owner").unwrap();
    state.close().unwrap();
    change(&root.database(), edit);
    let Ok(state) = State::open(&root, &options) else { return true };
    let verified = state.journal().verify(VerifyScope::Everything, None);
    !verified.is_ok_and(|verified| verified.damage.is_none())
}

fn change(database: &Path, edit: &str) {
    let connection = Connection::open(database).unwrap();
    // Triggers prevent mistakes, but not an attacker with access to the file.
    let mut triggers = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").unwrap();
    let names: Vec<String> =
        triggers.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    for name in names {
        connection.execute_batch(&format!("DROP TRIGGER \"{name}\"")).unwrap();
    }
    let changed = connection.execute(edit, []).unwrap_or_else(|error| panic!("{edit}: {error}"));
    assert!(changed > 0, "{edit} changes nothing");
}
