//! Reads sessions. A row with an invalid MAC is an error.

use rusqlite::{Connection, OptionalExtension, Params, params};

use super::SessionStore;
use super::rows::{EVENTS, PAUSES, RUNS, SESSIONS, SURFACES, Sealed, surface_key};
use crate::db::{signed, unsigned};
use crate::error::StateError;

/// Selects sessions for a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions of this owner.
    pub owner: Option<String>,
    /// Only sessions whose lower-case title contains this text.
    pub search: Option<String>,
    /// True to list archived sessions instead of the others.
    pub archived: bool,
    /// Only sessions that were active less recently than the session with this id.
    pub before: Option<String>,
    /// Maximum number of results.
    pub limit: usize,
}

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Number of the event in its session.
    pub number: u64,
    /// Serialized event, opaque to this crate.
    pub bytes: Vec<u8>,
}

impl SessionStore<'_> {
    /// Returns sessions, most recently active first.
    pub fn list(&self, filter: &SessionFilter) -> Result<Vec<Vec<u8>>, StateError> {
        let sql = "SELECT session_id, bytes, mac FROM agent_sessions
                   WHERE archived = ?1 AND (?2 IS NULL OR owner = ?2) AND (?3 IS NULL OR instr(title, ?3) > 0)
                   AND (?4 IS NULL OR (last_active, session_id) <
                        (SELECT last_active, session_id FROM agent_sessions WHERE session_id = ?4))
                   ORDER BY last_active DESC, session_id DESC LIMIT ?5";
        let SessionFilter { owner, search, archived, before, limit } = filter;
        self.all(SESSIONS, sql, params![archived, owner, search, before, signed(*limit as u64)])
    }

    /// Returns one session, or `None` if the id is unknown.
    pub fn session(&self, session_id: &str) -> Result<Option<Vec<u8>>, StateError> {
        let sql = "SELECT session_id, bytes, mac FROM agent_sessions WHERE session_id = ?1";
        self.one(SESSIONS, sql, params![session_id])
    }

    /// Returns one agent run, or `None` if the id is unknown.
    pub fn run(&self, run_id: &str) -> Result<Option<Vec<u8>>, StateError> {
        self.one(RUNS, "SELECT run_id, bytes, mac FROM agent_runs WHERE run_id = ?1", params![run_id])
    }

    /// Returns at most `limit` agent runs of a session older than `before`, newest first.
    pub fn runs_of(
        &self,
        session_id: &str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StateError> {
        let sql = "SELECT run_id, bytes, mac FROM agent_runs
                   WHERE session_id = ?1 AND (?2 IS NULL OR run_id < ?2) ORDER BY run_id DESC LIMIT ?3";
        self.all(RUNS, sql, params![session_id, before, signed(limit as u64)])
    }

    /// Returns every agent run that is in progress or paused, oldest first.
    pub fn open_runs(&self) -> Result<Vec<Vec<u8>>, StateError> {
        self.all(RUNS, "SELECT run_id, bytes, mac FROM agent_runs WHERE open = 1 ORDER BY run_id", params![])
    }

    /// Returns at most `limit` events of a session with higher numbers than `after`, oldest first.
    pub fn events_after(
        &self,
        session_id: &str,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StateError> {
        let sql = "SELECT session_id || '/' || number, bytes, mac, number FROM session_events
                   WHERE session_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let values = params![session_id, signed(after), signed(limit as u64)];
            let rows = statement
                .query_map(values, |row| Ok((unsigned(row.get::<_, i64>(3)?), Sealed::read(EVENTS, row)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = self.state.read("read the events of a session", read)?;
        let key = &self.state.row_key;
        rows.into_iter().map(|(number, row)| Ok(StoredEvent { number, bytes: row.open(key)? })).collect()
    }

    /// Returns one pause, or `None` if the id is unknown.
    pub fn pause(&self, pause_id: &str) -> Result<Option<Vec<u8>>, StateError> {
        let sql = "SELECT pause_id, bytes, mac FROM session_pauses WHERE pause_id = ?1";
        self.one(PAUSES, sql, params![pause_id])
    }

    /// Returns at most `limit` pauses older than `before`, newest first, optionally of one status or of one
    /// owner's sessions.
    pub fn pauses(
        &self,
        status: Option<&str>,
        owner: Option<&str>,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StateError> {
        let sql = "SELECT pause_id, bytes, mac FROM session_pauses
                   WHERE (?1 IS NULL OR status = ?1) AND (?3 IS NULL OR pause_id < ?3)
                   AND (?2 IS NULL OR session_id IN (SELECT session_id FROM agent_sessions WHERE owner = ?2))
                   ORDER BY pause_id DESC LIMIT ?4";
        self.all(PAUSES, sql, params![status, owner, before, signed(limit as u64)])
    }

    /// Returns the surfaces of a session, by name.
    pub fn surfaces(&self, session_id: &str) -> Result<Vec<Vec<u8>>, StateError> {
        let sql = "SELECT session_id || '/' || surface, bytes, mac FROM session_surfaces
                   WHERE session_id = ?1 ORDER BY surface";
        self.all(SURFACES, sql, params![session_id])
    }

    /// Returns one surface, or `None` if the session has none with this name.
    pub fn surface(&self, session_id: &str, surface: &str) -> Result<Option<Vec<u8>>, StateError> {
        let sql = "SELECT ?3, bytes, mac FROM session_surfaces WHERE session_id = ?1 AND surface = ?2";
        self.one(SURFACES, sql, params![session_id, surface, surface_key(session_id, surface)])
    }

    /// Returns id and status of the newest run of a tool in a session since a time in Unix milliseconds.
    pub fn tool_run(
        &self,
        session_id: &str,
        tool_id: &str,
        since_ms: u64,
    ) -> Result<Option<(String, String)>, StateError> {
        let sql = "SELECT run_id, status FROM runs WHERE session = ?1 AND tool_id = ?2 AND run_id >= ?3
                   ORDER BY run_id DESC LIMIT 1";
        let since = crate::text::first_id_at("run", since_ms);
        let read = |connection: &Connection| {
            let found = connection
                .query_row(sql, params![session_id, tool_id, since], |row| Ok((row.get(0)?, row.get(1)?)));
            found.optional()
        };
        self.state.read("read the run of a call", read)
    }

    pub(super) fn one(
        &self,
        table: &'static str,
        sql: &str,
        values: impl Params,
    ) -> Result<Option<Vec<u8>>, StateError> {
        Ok(self.all(table, sql, values)?.into_iter().next())
    }

    pub(super) fn all(
        &self,
        table: &'static str,
        sql: &str,
        values: impl Params,
    ) -> Result<Vec<Vec<u8>>, StateError> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(values, |row| Sealed::read(table, row))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = self.state.read("read sessions", read)?;
        rows.into_iter().map(|row| row.open(&self.state.row_key)).collect()
    }
}
