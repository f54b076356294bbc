//! The rows of sessions: columns for queries, opaque content, and the MAC over key and content.

use rusqlite::{Connection, Row, params};

use crate::db::{RowKey, signed};
use crate::error::StateError;

pub(super) const SESSIONS: &str = "agent_sessions";
pub(super) const RUNS: &str = "agent_runs";
pub(super) const EVENTS: &str = "session_events";
pub(super) const PAUSES: &str = "session_pauses";
pub(super) const SURFACES: &str = "session_surfaces";

/// A session to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Id of the session.
    pub session_id: String,
    /// Owner, as [`crate::PrincipalId::key`] formats it.
    pub owner: String,
    /// Title in lower case, for searches.
    pub title: String,
    /// True if default lists omit the session.
    pub archived: bool,
    /// Time of the last activity in Unix milliseconds.
    pub last_active_ms: u64,
    /// Serialized session, opaque to this crate.
    pub bytes: Vec<u8>,
}

/// An agent run to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRunRow {
    /// Id of the agent run.
    pub run_id: String,
    /// Session of the agent run.
    pub session_id: String,
    /// True while the run is in progress or paused.
    pub open: bool,
    /// Serialized run, opaque to this crate.
    pub bytes: Vec<u8>,
}

/// A pause of an agent run to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseRow {
    /// Id of the pause.
    pub pause_id: String,
    /// Session of the paused run.
    pub session_id: String,
    /// Status for queries, such as `waiting`.
    pub status: &'static str,
    /// Serialized pause, opaque to this crate.
    pub bytes: Vec<u8>,
}

/// A surface of a session to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceRow {
    /// Session of the surface.
    pub session_id: String,
    /// Name, unique in the session.
    pub surface: String,
    /// Serialized surface, opaque to this crate.
    pub bytes: Vec<u8>,
}

impl SessionRow {
    pub(super) fn write(&self, sql: &Connection, key: &RowKey) -> rusqlite::Result<()> {
        let Self { session_id, owner, title, archived, last_active_ms, bytes } = self;
        let mac = key.seal_in(SESSIONS, session_id, bytes);
        let text = "INSERT OR REPLACE INTO agent_sessions
                    (session_id, owner, title, archived, last_active, bytes, mac) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let values =
            params![session_id, owner, title, archived, signed(*last_active_ms), bytes, mac.as_slice()];
        sql.prepare_cached(text)?.execute(values).map(drop)
    }
}

impl SessionRunRow {
    pub(super) fn write(&self, sql: &Connection, key: &RowKey) -> rusqlite::Result<()> {
        let Self { run_id, session_id, open, bytes } = self;
        let mac = key.seal_in(RUNS, run_id, bytes);
        let text = "INSERT OR REPLACE INTO agent_runs (run_id, session_id, open, bytes, mac)
                    VALUES (?1, ?2, ?3, ?4, ?5)";
        sql.prepare_cached(text)?.execute(params![run_id, session_id, open, bytes, mac.as_slice()]).map(drop)
    }
}

impl PauseRow {
    pub(super) fn write(&self, sql: &Connection, key: &RowKey) -> rusqlite::Result<()> {
        let Self { pause_id, session_id, status, bytes } = self;
        let mac = key.seal_in(PAUSES, pause_id, bytes);
        let text = "INSERT OR REPLACE INTO session_pauses (pause_id, session_id, status, bytes, mac)
                    VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = params![pause_id, session_id, status, bytes, mac.as_slice()];
        sql.prepare_cached(text)?.execute(values).map(drop)
    }
}

impl SurfaceRow {
    pub(super) fn write(&self, sql: &Connection, key: &RowKey) -> rusqlite::Result<()> {
        let Self { session_id, surface, bytes } = self;
        let mac = key.seal_in(SURFACES, &surface_key(session_id, surface), bytes);
        let text = "INSERT OR REPLACE INTO session_surfaces (session_id, surface, bytes, mac)
                    VALUES (?1, ?2, ?3, ?4)";
        sql.prepare_cached(text)?.execute(params![session_id, surface, bytes, mac.as_slice()]).map(drop)
    }
}

/// Inserts an event; fails if the number is already used.
pub(super) fn write_event(
    sql: &Connection,
    key: &RowKey,
    session_id: &str,
    number: u64,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let mac = key.seal_in(EVENTS, &event_key(session_id, number), bytes);
    let text = "INSERT INTO session_events (session_id, number, bytes, mac) VALUES (?1, ?2, ?3, ?4)";
    let values = params![session_id, signed(number), bytes, mac.as_slice()];
    sql.prepare_cached(text)?.execute(values).map(drop)
}

/// A row as read: key, bytes and MAC, not verified yet.
pub(super) struct Sealed {
    pub(super) table: &'static str,
    pub(super) key: String,
    pub(super) bytes: Vec<u8>,
    pub(super) mac: Vec<u8>,
}

impl Sealed {
    /// Reads the columns `key, bytes, mac`.
    pub(super) fn read(table: &'static str, row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { table, key: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? })
    }

    /// Returns the bytes if the MAC is valid.
    pub(super) fn open(self, key: &RowKey) -> Result<Vec<u8>, StateError> {
        match key.check_in(self.table, &self.key, &self.bytes, &self.mac) {
            Ok(()) => Ok(self.bytes),
            Err(_) => Err(StateError::record("read", format!("{}/{}", self.table, self.key))(
                "it has an invalid MAC",
            )),
        }
    }
}

pub(super) fn surface_key(session_id: &str, surface: &str) -> String {
    format!("{session_id}/{surface}")
}

pub(super) fn event_key(session_id: &str, number: u64) -> String {
    format!("{session_id}/{number}")
}
