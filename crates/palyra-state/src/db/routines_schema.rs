//! Tables of routines: the fires of each routine, and the use of objectives.

use palyra_journal::Migration;

/// Added after `state-4`; never edited. The primary key prevents a due time from firing twice.
pub(super) const STATE_5: Migration = Migration {
    name: "state-5",
    sql: "
CREATE TABLE routine_fires (
    routine TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    fired_at INTEGER NOT NULL,
    late_ms INTEGER NOT NULL,
    finished_at INTEGER,
    tool_id TEXT,
    run_id TEXT,
    error TEXT,
    message TEXT,
    fuel INTEGER,
    objective TEXT,
    PRIMARY KEY (routine, due_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX routine_fires_open ON routine_fires (routine, due_at) WHERE status = 'running';
CREATE TABLE objective_use (
    objective TEXT PRIMARY KEY,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;
",
};
