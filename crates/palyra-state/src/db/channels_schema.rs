//! Tables of channels: messages, cursors and dead letters.

use palyra_journal::Migration;

/// Added after `state-8`; never edited. Messages of earlier versions have no MAC.
pub(super) const STATE_9: Migration = Migration {
    name: "state-9",
    sql: "
ALTER TABLE channel_messages ADD COLUMN mac BLOB;
",
};

/// Added after `state-6`; never edited.
pub(super) const STATE_7: Migration = Migration {
    name: "state-7",
    sql: "
CREATE TABLE channel_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    skill_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    content_type TEXT NOT NULL,
    body BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX channel_messages_by_channel ON channel_messages (channel, id);
CREATE TABLE channel_cursors (
    channel TEXT PRIMARY KEY,
    next INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    error TEXT,
    delivered INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE channel_dead_letters (
    letter INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    message INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (channel, message)
) STRICT;
",
};
