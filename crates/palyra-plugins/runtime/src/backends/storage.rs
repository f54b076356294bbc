//! Storage: keys and values, namespaced by the skill that owns them.

use super::BackendError;
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Storage quota of one prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageQuota {
    /// The prefix the quota is for.
    pub prefix: String,
    /// Maximum bytes of keys and values.
    pub max_bytes: u64,
    /// Maximum number of keys.
    pub max_keys: u64,
}

/// Key-value storage. Keys are complete: the granted prefix followed by the guest's part.
#[async_trait]
pub trait StorageBackend: Send + Sync {
    /// Returns the value of a key, or `None`.
    async fn get(&self, owner: &str, key: &str) -> Result<Option<Vec<u8>>, BackendError>;
    /// Sets a key, within the quota.
    async fn put(
        &self,
        owner: &str,
        key: &str,
        value: Vec<u8>,
        quota: &StorageQuota,
    ) -> Result<(), BackendError>;
    /// Removes a key; returns whether it existed.
    async fn delete(&self, owner: &str, key: &str) -> Result<bool, BackendError>;
    /// Returns at most `limit` keys that start with `prefix` and come after `after`, in byte order.
    async fn list(
        &self,
        owner: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, BackendError>;
}

/// Storage in memory, for tests and one-shot runs.
#[derive(Debug, Default)]
pub struct MemoryStorage(Mutex<Entries>);

/// Values by owner and key.
type Entries = BTreeMap<(String, String), Vec<u8>>;

#[async_trait]
impl StorageBackend for MemoryStorage {
    async fn get(&self, owner: &str, key: &str) -> Result<Option<Vec<u8>>, BackendError> {
        Ok(self.0.lock().get(&(owner.to_owned(), key.to_owned())).cloned())
    }

    async fn put(
        &self,
        owner: &str,
        key: &str,
        value: Vec<u8>,
        quota: &StorageQuota,
    ) -> Result<(), BackendError> {
        let mut map = self.0.lock();
        let in_prefix = map
            .range((owner.to_owned(), quota.prefix.clone())..)
            .take_while(|((o, k), _)| o == owner && k.starts_with(&quota.prefix));
        let mut held = Held::default();
        for ((_, other), bytes) in in_prefix {
            held.add(other, bytes.len() as u64, key);
        }
        held.check(key, value.len() as u64, quota)?;
        map.insert((owner.to_owned(), key.to_owned()), value);
        Ok(())
    }

    async fn delete(&self, owner: &str, key: &str) -> Result<bool, BackendError> {
        Ok(self.0.lock().remove(&(owner.to_owned(), key.to_owned())).is_some())
    }

    async fn list(
        &self,
        owner: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, BackendError> {
        let map = self.0.lock();
        let start = after.filter(|after| *after >= prefix).unwrap_or(prefix);
        let keys = map
            .range((owner.to_owned(), start.to_owned())..)
            .map(|((o, k), _)| (o, k))
            .take_while(|(o, k)| *o == owner && k.starts_with(prefix))
            .filter(|(_, k)| after.is_none_or(|after| k.as_str() > after));
        Ok(keys.take(limit).map(|(_, k)| k.clone()).collect())
    }
}

/// Storage in a directory: one file a key, named by the key in hexadecimal, below one folder an owner.
///
/// Made for an author's machine: it survives restarts and needs no other software; a quota check reads the
/// names and sizes below the prefix.
#[derive(Debug)]
pub struct DirectoryStorage {
    root: PathBuf,
    /// Two writes at once could both pass the quota check.
    writing: tokio::sync::Mutex<()>,
}

impl DirectoryStorage {
    /// Opens a directory, making it if it is missing.
    pub fn open(root: impl Into<PathBuf>) -> std::io::Result<Self> {
        let root = root.into();
        std::fs::create_dir_all(&root)?;
        Ok(Self { root, writing: tokio::sync::Mutex::new(()) })
    }

    fn owner_directory(&self, owner: &str) -> PathBuf {
        self.root.join(hex::encode(owner))
    }
}

#[async_trait]
impl StorageBackend for DirectoryStorage {
    async fn get(&self, owner: &str, key: &str) -> Result<Option<Vec<u8>>, BackendError> {
        let path = key_path(&self.owner_directory(owner), key);
        blocking(move || match std::fs::read(path) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        })
        .await
    }

    async fn put(
        &self,
        owner: &str,
        key: &str,
        value: Vec<u8>,
        quota: &StorageQuota,
    ) -> Result<(), BackendError> {
        let _writing = self.writing.lock().await;
        let directory = self.owner_directory(owner);
        let (key, quota) = (key.to_owned(), quota.clone());
        blocking(move || {
            let mut held = Held::default();
            for (other, bytes) in
                read_keys(&directory)?.into_iter().filter(|(k, _)| k.starts_with(&quota.prefix))
            {
                held.add(&other, bytes, &key);
            }
            held.check(&key, value.len() as u64, &quota)?;
            let path = key_path(&directory, &key);
            let folder = path.parent().unwrap_or(&directory);
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut file, &value)?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        })
        .await
    }

    async fn delete(&self, owner: &str, key: &str) -> Result<bool, BackendError> {
        let path = key_path(&self.owner_directory(owner), key);
        blocking(move || match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        })
        .await
    }

    async fn list(
        &self,
        owner: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, BackendError> {
        let directory = self.owner_directory(owner);
        let (prefix, after) = (prefix.to_owned(), after.map(str::to_owned));
        blocking(move || {
            let mut keys: Vec<String> = read_keys(&directory)?
                .into_iter()
                .map(|(key, _)| key)
                .filter(|key| key.starts_with(&prefix) && after.as_ref().is_none_or(|after| key > after))
                .collect();
            keys.sort();
            keys.truncate(limit);
            Ok(keys)
        })
        .await
    }
}

/// The usage of a prefix, without the key that is about to be written.
#[derive(Default)]
struct Held {
    bytes: u64,
    keys: u64,
}

impl Held {
    fn add(&mut self, other: &str, value_bytes: u64, key: &str) {
        if other != key {
            self.bytes = self.bytes.saturating_add(other.len() as u64).saturating_add(value_bytes);
            self.keys += 1;
        }
    }

    fn check(&self, key: &str, value_bytes: u64, quota: &StorageQuota) -> Result<(), BackendError> {
        let bytes = self.bytes.saturating_add(key.len() as u64).saturating_add(value_bytes);
        if bytes > quota.max_bytes {
            return Err(BackendError::OverQuota { allowed: quota.max_bytes, used: bytes });
        }
        if self.keys + 1 > quota.max_keys {
            return Err(BackendError::OverQuota { allowed: quota.max_keys, used: self.keys + 1 });
        }
        Ok(())
    }
}

/// Returns the path of a key; long ones are split into directories because file names are limited to 255 bytes.
fn key_path(directory: &Path, key: &str) -> PathBuf {
    let encoded = hex::encode(key);
    let mut path = directory.to_owned();
    for piece in encoded.as_bytes().chunks(200) {
        path.push(String::from_utf8_lossy(piece).as_ref());
    }
    path.set_extension("value");
    path
}

fn read_keys(directory: &Path) -> Result<Vec<(String, u64)>, BackendError> {
    let mut keys = Vec::new();
    let mut folders = vec![(directory.to_owned(), String::new())];
    while let Some((folder, encoded)) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push((entry.path(), format!("{encoded}{name}")));
            } else if let Some(last) = name.strip_suffix(".value")
                && let Some(key) = decode_key(&format!("{encoded}{last}"))
            {
                keys.push((key, metadata.len()));
            }
        }
    }
    Ok(keys)
}

fn decode_key(encoded: &str) -> Option<String> {
    hex::decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackendError> + Send + 'static,
) -> Result<T, BackendError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| BackendError::Unavailable(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(storage: &dyn StorageBackend) {
        let quota = StorageQuota { prefix: "a/".into(), max_bytes: 1_000, max_keys: 3 };
        for key in ["a/1", "a/2", "a/3"] {
            storage.put("one", key, key.into(), &quota).await.unwrap();
        }
        let over = storage.put("one", "a/4", vec![1], &quota).await;
        assert!(matches!(over, Err(BackendError::OverQuota { allowed: 3, used: 4 })));
        let over = storage.put("one", "a/3", vec![0; 2_000], &quota).await;
        assert!(matches!(over, Err(BackendError::OverQuota { allowed: 1_000, .. })));
        let long = format!("b/{}", "k".repeat(500));
        let other = StorageQuota { prefix: "b/".into(), max_bytes: 1_000, max_keys: 3 };
        storage.put("one", &long, vec![7], &other).await.unwrap();
        assert_eq!(storage.get("one", &long).await.unwrap(), Some(vec![7]));
        assert_eq!(storage.get("two", "a/1").await.unwrap(), None);
        assert_eq!(storage.list("one", "a/", None, 2).await.unwrap(), ["a/1", "a/2"]);
        assert_eq!(storage.list("one", "a/", Some("a/2"), 9).await.unwrap(), ["a/3"]);
        assert_eq!(storage.list("two", "", None, 9).await.unwrap(), Vec::<String>::new());
        assert!(storage.delete("one", "a/1").await.unwrap());
        assert!(!storage.delete("one", "a/1").await.unwrap());
    }

    #[tokio::test]
    async fn memory() {
        check(&MemoryStorage::default()).await;
    }

    #[tokio::test]
    async fn directory() {
        let root = tempfile::tempdir().unwrap();
        check(&DirectoryStorage::open(root.path()).unwrap()).await;
        let reopened = DirectoryStorage::open(root.path()).unwrap();
        assert_eq!(reopened.get("one", "a/2").await.unwrap(), Some(b"a/2".to_vec()));
    }
}
