//! Tables of hooks: the cursor and the dead letters of each observer.

use palyra_journal::Migration;

/// Added after `state-4`; never edited.
pub(super) const STATE_6: Migration = Migration {
    name: "state-6",
    sql: "
CREATE TABLE hook_cursors (
    binding TEXT PRIMARY KEY,
    next INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    error TEXT,
    delivered INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE hook_dead_letters (
    letter INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (binding, sequence)
) STRICT;
",
};
