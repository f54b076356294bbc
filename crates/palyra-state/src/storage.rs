//! The key-value storage of skills: `storage.db`, with one writer, separated by skill.
//!
//! A write takes effect at once and is not rolled back by a trap. The file contains values of guests, never a
//! grant or a setting, so it is not covered by the anchor.

use std::path::{Path, PathBuf};

use palyra_plugins_runtime::BackendError;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

/// Storage quota of one key prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance<'a> {
    /// Prefix of the keys that count.
    pub prefix: &'a str,
    /// Maximum total size of keys and values in bytes.
    pub max_bytes: u64,
    /// Maximum number of keys.
    pub max_keys: u64,
}

/// Error of a storage operation.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StorageError {
    /// The write would exceed the quota.
    #[error("it would hold {used}, the limit is {allowed}")]
    OverQuota { allowed: u64, used: u64 },
    /// A database operation failed.
    #[error("the storage `{}` failed", path.display())]
    Database {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
}

impl From<StorageError> for BackendError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::OverQuota { allowed, used } => Self::OverQuota { allowed, used },
            error => Self::Unavailable(error.to_string()),
        }
    }
}

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS entries (
    owner TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
    owner TEXT NOT NULL, prefix TEXT NOT NULL, bytes INTEGER NOT NULL, keys INTEGER NOT NULL,
    PRIMARY KEY (owner, prefix)
) STRICT, WITHOUT ROWID;
";

/// The database with the keys and values of all skills.
pub struct StorageDatabase {
    connection: Mutex<Connection>,
    path: PathBuf,
}

impl StorageDatabase {
    /// Opens the database, creating it if it does not exist.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let failed = |source| StorageError::Database { path: path.to_owned(), source };
        let connection = Connection::open(path).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        connection.execute_batch(SCHEMA).map_err(failed)?;
        Ok(Self { connection: Mutex::new(connection), path: path.to_owned() })
    }

    /// Returns the value of a key, or `None`.
    pub fn get(&self, owner: &str, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.with(|connection| value(connection, owner, key))
    }

    /// Sets the value of a key. Fails with [`StorageError::OverQuota`], and changes nothing, if the quota
    /// would be exceeded.
    pub fn put(
        &self,
        owner: &str,
        key: &str,
        new: &[u8],
        allowance: &Allowance<'_>,
    ) -> Result<(), StorageError> {
        let mut connection = self.lock();
        let failed = |source| self.failed(source);
        let sql = connection.transaction().map_err(failed)?;
        let old = value(&sql, owner, key).map_err(failed)?;
        let held = held(&sql, owner, allowance.prefix).map_err(failed)?;
        let change = Change::between(key, old.as_deref(), Some(new));
        change.check(held, allowance)?;
        let text = "INSERT OR REPLACE INTO entries (owner, key, value) VALUES (?1, ?2, ?3)";
        sql.execute(text, params![owner, key, new]).map_err(failed)?;
        change.record(&sql, owner, key).map_err(failed)?;
        sql.commit().map_err(failed)
    }

    /// Removes a key; returns whether it existed.
    pub fn delete(&self, owner: &str, key: &str) -> Result<bool, StorageError> {
        let mut connection = self.lock();
        let failed = |source| self.failed(source);
        let sql = connection.transaction().map_err(failed)?;
        let old = value(&sql, owner, key).map_err(failed)?;
        if old.is_some() {
            sql.execute("DELETE FROM entries WHERE owner = ?1 AND key = ?2", [owner, key]).map_err(failed)?;
            Change::between(key, old.as_deref(), None).record(&sql, owner, key).map_err(failed)?;
        }
        sql.commit().map_err(failed)?;
        Ok(old.is_some())
    }

    /// Returns at most `limit` keys with this prefix that follow `after`, in byte order.
    pub fn list(
        &self,
        owner: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, StorageError> {
        self.with(|connection| {
            let (comparison, start) = match after.filter(|after| *after >= prefix) {
                Some(after) => (">", after),
                None => (">=", prefix),
            };
            let sql =
                format!("SELECT key FROM entries WHERE owner = ?1 AND key {comparison} ?2 ORDER BY key");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([owner, start])?;
            let mut keys = Vec::new();
            while let Some(row) = rows.next()? {
                let key: String = row.get(0)?;
                if keys.len() == limit || !key.starts_with(prefix) {
                    break;
                }
                keys.push(key);
            }
            Ok(keys)
        })
    }

    /// Removes every key of a skill; returns their number.
    pub fn forget(&self, owner: &str) -> Result<usize, StorageError> {
        let mut connection = self.lock();
        let failed = |source| self.failed(source);
        let sql = connection.transaction().map_err(failed)?;
        sql.execute("DELETE FROM held WHERE owner = ?1", [owner]).map_err(failed)?;
        let keys = sql.execute("DELETE FROM entries WHERE owner = ?1", [owner]).map_err(failed)?;
        sql.commit().map_err(failed)?;
        Ok(keys)
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StorageError> {
        work(&self.lock()).map_err(|source| self.failed(source))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock()
    }

    fn failed(&self, source: rusqlite::Error) -> StorageError {
        StorageError::Database { path: self.path.clone(), source }
    }
}

/// Difference in bytes and keys that a write makes for every prefix of its key.
struct Change {
    bytes: i64,
    keys: i64,
}

impl Change {
    fn between(key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let size = |value: Option<&[u8]>| value.map_or(0, |value| length(key.len()) + length(value.len()));
        let count = |value: Option<&[u8]>| i64::from(value.is_some());
        Self { bytes: size(new) - size(old), keys: count(new) - count(old) }
    }

    fn check(&self, held: (i64, i64), allowance: &Allowance<'_>) -> Result<(), StorageError> {
        for (used, allowed) in
            [(held.0 + self.bytes, allowance.max_bytes), (held.1 + self.keys, allowance.max_keys)]
        {
            let used = u64::try_from(used).unwrap_or(0);
            if used > allowed {
                return Err(StorageError::OverQuota { allowed, used });
            }
        }
        Ok(())
    }

    fn record(&self, sql: &Transaction<'_>, owner: &str, key: &str) -> rusqlite::Result<()> {
        let text = "UPDATE held SET bytes = bytes + ?3, keys = keys + ?4
                    WHERE owner = ?1 AND substr(?2, 1, length(prefix)) = prefix";
        sql.execute(text, params![owner, key, self.bytes, self.keys]).map(|_| ())
    }
}

/// Returns bytes and number of keys below a prefix; counted on first use and maintained by every later write.
fn held(sql: &Transaction<'_>, owner: &str, prefix: &str) -> rusqlite::Result<(i64, i64)> {
    let known = "SELECT bytes, keys FROM held WHERE owner = ?1 AND prefix = ?2";
    let known = sql.query_row(known, [owner, prefix], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let count = "SELECT coalesce(sum(length(CAST(key AS BLOB)) + length(value)), 0), count(*) FROM entries
                 WHERE owner = ?1 AND substr(key, 1, length(?2)) = ?2";
    let counted: (i64, i64) = sql.query_row(count, [owner, prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let text = "INSERT INTO held (owner, prefix, bytes, keys) VALUES (?1, ?2, ?3, ?4)";
    sql.execute(text, params![owner, prefix, counted.0, counted.1])?;
    Ok(counted)
}

fn value(connection: &Connection, owner: &str, key: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = "SELECT value FROM entries WHERE owner = ?1 AND key = ?2";
    connection.prepare_cached(sql)?.query_row([owner, key], |row| row.get(0)).optional()
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn open() -> (tempfile::TempDir, StorageDatabase) {
        let home = tempfile::tempdir().unwrap();
        let storage = StorageDatabase::open(&home.path().join("storage.db")).unwrap();
        (home, storage)
    }

    #[test]
    fn one_skill_never_sees_another() {
        let (_home, storage) = open();
        let allowance = Allowance { prefix: "a/", max_bytes: 1_000, max_keys: 10 };
        storage.put("one", "a/1", b"x", &allowance).unwrap();
        assert_eq!(storage.get("two", "a/1").unwrap(), None);
        assert!(storage.list("two", "", None, 9).unwrap().is_empty());
        assert!(!storage.delete("two", "a/1").unwrap());
        assert_eq!(storage.forget("two").unwrap(), 0);
        assert_eq!(storage.get("one", "a/1").unwrap().unwrap(), b"x");
    }

    #[test]
    fn quotas_count_keys_and_bytes_below_their_prefix() {
        let (_home, storage) = open();
        let all = Allowance { prefix: "a/", max_bytes: 20, max_keys: 3 };
        let inner = Allowance { prefix: "a/b/", max_bytes: 10, max_keys: 3 };
        storage.put("one", "a/b/1", b"12345", &inner).unwrap();
        let over = storage.put("one", "a/b/2", b"1", &inner).unwrap_err();
        assert!(matches!(over, StorageError::OverQuota { allowed: 10, used: 16 }), "{over}");
        storage.put("one", "a/2", b"1234567", &all).unwrap();
        assert!(matches!(
            storage.put("one", "a/3", b"", &all).unwrap_err(),
            StorageError::OverQuota { allowed: 20, used: 23 }
        ));
        storage.put("one", "a/2", b"", &all).unwrap();
        storage.put("one", "a/3", b"", &all).unwrap();
        assert!(matches!(
            storage.put("one", "a/4", b"", &all).unwrap_err(),
            StorageError::OverQuota { allowed: 3, used: 4 }
        ));
        assert!(storage.delete("one", "a/3").unwrap());
        storage.put("one", "a/4", b"", &all).unwrap();
    }

    #[test]
    fn pages_and_survives() {
        let (home, storage) = open();
        let allowance = Allowance { prefix: "é/", max_bytes: 10_000, max_keys: 100 };
        for number in 0..10 {
            storage.put("one", &format!("é/{number}"), b"v", &allowance).unwrap();
        }
        assert_eq!(storage.list("one", "é/", None, 2).unwrap(), ["é/0", "é/1"]);
        assert_eq!(storage.list("one", "é/", Some("é/8"), 9).unwrap(), ["é/9"]);
        drop(storage);
        let again = StorageDatabase::open(&home.path().join("storage.db")).unwrap();
        assert_eq!(again.list("one", "é/", None, 99).unwrap().len(), 10);
    }
}
