//! Tables of deliveries: the cursor and the dead letters of each lane.

use palyra_journal::Migration;

/// Added after `approvals-2`; never edited. Merges the tables of hooks and channels.
///
/// Letters of hooks keep their numbers. Letters of channels get new numbers after the highest ever used, in
/// their old order, because letter numbers are now unique over both kinds.
pub(super) const DELIVERIES_1: Migration = Migration {
    name: "deliveries-1",
    sql: "
CREATE TABLE delivery_cursors (
    kind TEXT NOT NULL CHECK (kind IN ('hook', 'channel')),
    lane TEXT NOT NULL,
    next INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    error TEXT,
    delivered INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, lane)
) STRICT, WITHOUT ROWID;
CREATE TABLE dead_letters (
    letter INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('hook', 'channel')),
    lane TEXT NOT NULL,
    item INTEGER NOT NULL,
    event TEXT,
    attempts INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (kind, lane, item)
) STRICT;
INSERT INTO delivery_cursors SELECT 'hook', binding, next, attempts, retry_at, error, delivered FROM hook_cursors;
INSERT INTO delivery_cursors SELECT 'channel', channel, next, attempts, retry_at, error, delivered FROM channel_cursors;
INSERT INTO sqlite_sequence (name, seq) SELECT 'dead_letters', coalesce(max(seq), 0) FROM sqlite_sequence
    WHERE name IN ('hook_dead_letters', 'channel_dead_letters');
INSERT INTO dead_letters (letter, kind, lane, item, event, attempts, reason, at)
    SELECT letter, 'hook', binding, sequence, event, attempts, reason, at FROM hook_dead_letters;
INSERT INTO dead_letters (kind, lane, item, attempts, reason, at)
    SELECT 'channel', channel, message, attempts, reason, at FROM channel_dead_letters ORDER BY letter;
DROP TABLE hook_cursors;
DROP TABLE hook_dead_letters;
DROP TABLE channel_cursors;
DROP TABLE channel_dead_letters;
",
};
