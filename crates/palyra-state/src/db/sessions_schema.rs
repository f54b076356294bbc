//! Tables of agent sessions. The columns beside `bytes` only find rows; the authoritative content is in
//! `bytes`, under its MAC.

use palyra_journal::Migration;

/// Added after `deliveries-1`; never edited.
pub(super) const SESSIONS_1: Migration = Migration {
    name: "sessions-1",
    sql: "
CREATE TABLE agent_sessions (
    session_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    archived INTEGER NOT NULL,
    last_active INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_sessions_by_activity ON agent_sessions (archived, last_active, session_id);
CREATE TABLE agent_runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    open INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_runs_of_session ON agent_runs (session_id, run_id);
CREATE INDEX agent_runs_open ON agent_runs (run_id) WHERE open = 1;
CREATE TABLE session_events (
    session_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL,
    PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_pauses (
    pause_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    status TEXT NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_pauses_of_session ON session_pauses (session_id, pause_id);
CREATE INDEX session_pauses_waiting ON session_pauses (pause_id) WHERE status = 'waiting';
CREATE TABLE session_surfaces (
    session_id TEXT NOT NULL,
    surface TEXT NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL,
    PRIMARY KEY (session_id, surface)
) STRICT;
CREATE INDEX runs_of_session ON runs (session, run_id) WHERE session IS NOT NULL;
",
};

/// Added after `sessions-1`; never edited.
pub(super) const SESSIONS_2: Migration = Migration {
    name: "sessions-2",
    sql: "
CREATE TABLE call_surfaces (
    run_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE INDEX call_surfaces_of_owner ON call_surfaces (owner, run_id);
",
};
