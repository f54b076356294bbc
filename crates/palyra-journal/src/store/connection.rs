//! Database connections, all with the same settings.

use crate::JournalError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// The SQLite application id of journal files: `PLYR`.
pub const APPLICATION_ID: u32 = 0x504c_5952;

/// Time that a statement waits for another connection.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Page cache of the writer in KiB; SQLite expects a negative number.
const WRITER_CACHE: i64 = -16 * 1024;

/// Opens the single connection that writes.
pub(super) fn open_writer(path: &Path) -> Result<Connection, JournalError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let set = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "cache_size", WRITER_CACHE)?;
        // SQLite may decline the mode, for example on an unusual file system. Durability cannot be guaranteed then.
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        match mode.as_str() {
            "wal" => connection.pragma_update(None, "synchronous", "NORMAL"),
            _ => Err(rusqlite::Error::InvalidQuery),
        }
    };
    set().map_err(JournalError::sqlite("use write-ahead logging"))?;
    Ok(connection)
}

/// Opens a connection that only checkpoints the write-ahead log.
pub(super) fn open_folder(path: &Path) -> Result<Connection, JournalError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // In this mode, the log is synced before the file changes, and the file before the log is reset.
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .map_err(JournalError::sqlite("set up the folding of the log"))?;
    Ok(connection)
}

/// Opens a read-only connection.
pub(super) fn open_reader(path: &Path) -> Result<Connection, JournalError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "query_only", true).map_err(JournalError::sqlite("be read only"))?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, JournalError> {
    // Directories in the path may be links, as home directories sometimes are, but the file itself may not.
    let directory =
        path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let resolved = directory.map(Path::canonicalize).transpose();
    let resolved = match (resolved, path.file_name()) {
        (Ok(Some(directory)), Some(name)) if directory.join(name).symlink_metadata().is_ok() => {
            directory.join(name)
        }
        _ => return Err(JournalError::Missing { path: path.to_owned() }),
    };
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection =
        Connection::open_with_flags(resolved, flags).map_err(JournalError::sqlite("open the journal"))?;
    let set = || -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")
    };
    set().map_err(JournalError::sqlite("set up the connection"))?;
    Ok(connection)
}

/// Returns the application id of the file, 0 for a new one.
pub(super) fn application_id(connection: &Connection) -> Result<u32, JournalError> {
    let id: i64 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(JournalError::sqlite("read the application id"))?;
    // SQLite returns the 32 bits as a signed number.
    Ok(id as u32)
}
