//! Tables of calls: approvals, tapes and notes of runs, and resources that skills touched.

use palyra_journal::Migration;

/// Added after the tables of `state-1`; never edited.
pub(super) const STATE_3: Migration = Migration {
    name: "state-3",
    sql: "
ALTER TABLE runs ADD COLUMN principal TEXT;
ALTER TABLE runs ADD COLUMN session TEXT;
ALTER TABLE runs ADD COLUMN error TEXT;
ALTER TABLE runs ADD COLUMN tape TEXT;
ALTER TABLE runs ADD COLUMN trimmed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_of_skill ON runs (skill_id, run_id);
CREATE INDEX runs_of_tool ON runs (tool_id, run_id);
CREATE INDEX runs_by_status ON runs (status, run_id);
CREATE INDEX runs_by_time ON runs (started_at, run_id);
CREATE INDEX runs_to_trim ON runs (started_at) WHERE trimmed = 0;
CREATE TABLE approvals (
    approval_id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    skill_id TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    binding TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_status ON approvals (status, approval_id);
CREATE INDEX approvals_by_tool ON approvals (tool_id, status);
CREATE TABLE touched (
    skill_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    uses INTEGER NOT NULL,
    first_run TEXT NOT NULL,
    last_run TEXT NOT NULL,
    PRIMARY KEY (skill_id, kind, subject)
) STRICT, WITHOUT ROWID;
",
};

/// Added after `state-3`; never edited. Small tapes are stored beside their receipts, under the number of their leaf.
pub(super) const STATE_4: Migration = Migration {
    name: "state-4",
    sql: "
CREATE TABLE run_tapes (leaf INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
DROP INDEX runs_by_skill;
",
};

/// Added after `state-8`; never edited. Approvals are looked up by requester and by expiry; arguments that a
/// row truncates are stored in their own table. Existing rows get no requester, which makes them expire.
pub(super) const APPROVALS_2: Migration = Migration {
    name: "approvals-2",
    sql: "
ALTER TABLE approvals ADD COLUMN requester TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN arguments_bytes INTEGER NOT NULL DEFAULT 0;
DROP INDEX approvals_by_tool;
CREATE INDEX approvals_by_requester ON approvals (requester, tool_id, approval_id)
    WHERE status IN ('pending', 'approved');
CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE status IN ('pending', 'approved');
CREATE TABLE approval_arguments (approval_id TEXT PRIMARY KEY, arguments TEXT NOT NULL) STRICT;
",
};

/// Added after `state-7`; never edited. Run ids sort by time, so neither times nor completed runs need an
/// index, which every run would have to write.
pub(super) const STATE_8: Migration = Migration {
    name: "state-8",
    sql: "
DROP INDEX runs_by_status;
DROP INDEX runs_by_time;
DROP INDEX runs_to_trim;
CREATE INDEX runs_otherwise ON runs (status, run_id) WHERE status <> 'completed';
",
};

/// Added after `sessions-1`; never edited. Holds the cause of a failure and the step times of a run, only for
/// runs that have them, as long as the output of the run is kept.
pub(super) const RUNS_2: Migration = Migration {
    name: "runs-2",
    sql: "
CREATE TABLE run_notes (run_id TEXT PRIMARY KEY, failure TEXT, step_times TEXT) STRICT, WITHOUT ROWID;
",
};
