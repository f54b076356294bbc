//! Rows that follow from receipts: what was edited in `state.db` is named.

use palyra_state::runs::RunQuery;
use palyra_testkit::{COUNTER, Release};
use rusqlite::Connection;

use crate::calls::World;

const TOOL: &str = "acme.notes.add";
const STORAGE: &str = "[capabilities]\nstorage_prefixes = [\"counters/\"]";

/// Edits of one cell or row, each with the row that the check must name.
const EDITS: [(&str, &str); 20] = [
    ("UPDATE runs SET status = 'failed'", "runs/run_"),
    ("UPDATE runs SET error = 'trapped'", "runs/run_"),
    ("UPDATE runs SET principal = 'somebody'", "runs/run_"),
    ("UPDATE runs SET session = 'another'", "runs/run_"),
    ("UPDATE runs SET skill_id = 'acme.other'", "runs/run_"),
    ("UPDATE runs SET tool_id = 'acme.notes.other'", "runs/run_"),
    ("UPDATE runs SET payload = 'another'", "runs/run_"),
    ("UPDATE runs SET started_at = 1", "runs/run_"),
    ("UPDATE runs SET finished_at = 1", "runs/run_"),
    ("UPDATE runs SET receipt_leaf = 0", "runs/run_"),
    ("UPDATE runs SET tape = 'another'", "runs/run_"),
    ("UPDATE runs SET receipt = '{}'", "runs/run_"),
    ("DELETE FROM runs", "runs/run_"),
    (
        "INSERT INTO runs (run_id, skill_id, tool_id, payload, status, started_at)
         VALUES ('run_planted', 's', 't', 'p', 'completed', 1)",
        "runs/run_planted",
    ),
    ("UPDATE run_tapes SET bytes = x'00'", "run_tapes/"),
    ("UPDATE capability_use SET uses = uses + 1", "capability_use/acme.notes/storage:counters/"),
    ("DELETE FROM capability_use", "capability_use/acme.notes/storage:counters/"),
    ("UPDATE touched SET uses = uses - 1", "touched/acme.notes/key_prefix/counters/"),
    ("UPDATE touched SET first_run = 'run_another'", "touched/acme.notes/key_prefix/counters/"),
    ("DELETE FROM touched", "touched/acme.notes/key_prefix/counters/"),
];

fn counter() -> World {
    World::new(&Release { wat: COUNTER.into(), tables: STORAGE, ..Release::default() })
}

fn edit(world: &World, sql: &str) {
    let changed = Connection::open(world.state.root().database()).unwrap().execute(sql, []).unwrap();
    assert!(changed > 0, "{sql}");
}

#[tokio::test]
async fn edited_row_is_named_by_the_comparison_with_receipts() {
    for (sql, row) in EDITS {
        let world = counter();
        world.call(TOOL, "{}").await.unwrap();
        world.call(TOOL, "{}").await.unwrap();
        let intact = world.state.runs().verify_records().unwrap();
        assert!(intact.is_intact() && intact.runs == 2 && intact.totals >= 2, "{intact:?}");
        edit(&world, sql);
        let report = world.state.runs().verify_records().unwrap();
        assert!(!report.is_intact(), "{sql}");
        assert!(report.differences.iter().all(|found| found.what.contains(row)), "{sql}: {report:?}");
    }
}

#[tokio::test]
async fn edited_run_is_listed_with_the_fields_that_differ() {
    let world = counter();
    let run_id = world.call(TOOL, "{}").await.unwrap().run_id;
    let listed = || world.state.runs().list(&RunQuery::default()).unwrap().runs.remove(0);
    assert!(
        listed().differs.is_empty() && world.state.runs().get(&run_id).unwrap().unwrap().differs.is_empty()
    );
    edit(&world, "UPDATE runs SET status = 'failed', error = 'trapped'");
    assert_eq!(listed().differs, ["status", "error"]);
    assert_eq!(world.state.runs().get(&run_id).unwrap().unwrap().differs, ["status", "error"]);
    edit(&world, "UPDATE runs SET receipt_leaf = NULL");
    assert_eq!(listed().differs, ["receipt_leaf"]);
}

#[tokio::test]
async fn failed_run_is_as_its_receipt_says() {
    let wat = r#"(module (memory (export "memory") 1)
        (func (export "palyra_plugin_main") (result i32) unreachable))"#;
    let trapping = World::new(&Release { wat: wat.into(), ..Release::default() });
    trapping.call(TOOL, "{}").await.unwrap_err();
    let report = trapping.state.runs().verify_records().unwrap();
    assert!(report.is_intact() && report.runs == 1, "{report:?}");
    edit(&trapping, "UPDATE run_notes SET failure = '{\"message\":\"all is well\"}'");
    let report = trapping.state.runs().verify_records().unwrap();
    assert!(
        report.differences.len() == 1 && report.differences[0].what.contains("run_notes/run_"),
        "{report:?}"
    );
}
