//! The owner's tables, as migrations that are appended and never edited.

use palyra_journal::Migration;

use super::calls_schema::{APPROVALS_2, RUNS_2, STATE_3, STATE_4, STATE_8};
use super::channels_schema::{STATE_7, STATE_9};
use super::deliveries_schema::DELIVERIES_1;
use super::hooks_schema::STATE_6;
use super::routines_schema::STATE_5;
use super::sessions_schema::{SESSIONS_1, SESSIONS_2};

/// All migrations. Each is applied once, in order, in the transaction that records it.
pub(crate) const MIGRATIONS: &[Migration] = &[
    STATE_1,
    STATE_2,
    STATE_3,
    STATE_4,
    STATE_5,
    STATE_6,
    STATE_7,
    STATE_8,
    STATE_9,
    APPROVALS_2,
    DELIVERIES_1,
    SESSIONS_1,
    RUNS_2,
    SESSIONS_2,
];

const STATE_1: Migration = Migration {
    name: "state-1",
    sql: "
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE trust_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE index_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE consent_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE alias_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE setting_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    skill_id TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    receipt_leaf INTEGER,
    receipt TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_skill ON runs (skill_id, started_at);
CREATE TABLE run_events (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE capability_use (
    skill_id TEXT NOT NULL,
    capability TEXT NOT NULL,
    uses INTEGER NOT NULL,
    denials INTEGER NOT NULL,
    last_run TEXT NOT NULL,
    PRIMARY KEY (skill_id, capability)
) STRICT, WITHOUT ROWID;
",
};

const STATE_2: Migration = Migration {
    name: "state-2",
    sql: "
CREATE TABLE token_rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;
",
};
