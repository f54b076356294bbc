//! A temporary vault, and a keyring in memory.

use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_vault::{
    AnchorValue, DeviceKey, DeviceKeyError, DeviceKeySource, KeySourceChoice, Protection, RecordName, Vault,
    VaultId,
};
use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A temporary home with a vault in it.
pub(crate) struct Home {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Home {
    /// Creates a home without a vault.
    pub(crate) fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vault");
        Self { _directory: directory, path }
    }

    /// Creates a home with a vault and an unencrypted device key file.
    pub(crate) fn with_vault() -> (Self, Vault) {
        let home = Self::empty();
        let vault = Vault::init(&home.path, KeySourceChoice::File).unwrap();
        (home, vault)
    }

    pub(crate) fn open(&self) -> Vault {
        Vault::open(&self.path, None).unwrap()
    }

    /// The only file in a directory of the vault.
    pub(crate) fn only_file(&self, directory: &str) -> PathBuf {
        let files = files_in(&self.path.join(directory));
        assert_eq!(files.len(), 1, "{files:?}");
        files.into_iter().next().unwrap()
    }
}

/// Every file below a directory, sorted.
pub(crate) fn files_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

pub(crate) fn secret(text: &str) -> SecretRef {
    text.parse().unwrap()
}

pub(crate) fn value(text: &str) -> SecretValue {
    SecretValue::new(text)
}

pub(crate) fn anchor_value(text: &str) -> AnchorValue {
    AnchorValue::new(text).unwrap()
}

/// Stores one item of each type in a vault.
pub(crate) fn fill(vault: &Vault) {
    vault.secrets().put(&secret("global/token"), &value("open sesame"), 1).unwrap();
    vault.keys().create("release", 1).unwrap();
    vault.anchor().initialise(anchor_value("root 1")).unwrap();
    vault.anchor().write_pending(anchor_value("root 2")).unwrap();
    vault.journal_head().write(anchor_value("head 1")).unwrap();
}

/// Reads everything that [`fill`] stored and returns the first error.
pub(crate) fn read_all(path: &Path) -> Result<(), palyra_vault::VaultError> {
    let vault = Vault::open(path, None)?;
    let (secrets, keys) = (vault.secrets().list()?, vault.keys().list()?);
    if let Some(damaged) = secrets.damaged.into_iter().chain(keys.damaged).next() {
        return Err(damaged.error);
    }
    assert_eq!(vault.secrets().get(&secret("global/token"))?.unwrap().expose(), b"open sesame");
    vault.keys().seed("release")?;
    assert_eq!(vault.anchor().read()?.unwrap().pending, Some(anchor_value("root 2")));
    assert_eq!(vault.journal_head().read()?, Some(anchor_value("head 1")));
    Ok(())
}

/// A keyring that outlives the vault's directory and remembers generations.
#[derive(Clone, Default)]
pub(crate) struct MemoryKeyring(Arc<Mutex<HashMap<String, Vec<u8>>>>);

impl MemoryKeyring {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(name).cloned()
    }

    fn set(&self, name: String, bytes: &[u8]) {
        self.0.lock().unwrap().insert(name, bytes.to_vec());
    }
}

impl DeviceKeySource for MemoryKeyring {
    fn protection(&self) -> Protection {
        Protection::OsKeyring
    }

    fn store(&self, vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError> {
        self.set(vault.to_string(), key.expose());
        Ok(())
    }

    fn load(&self, vault: &VaultId) -> Result<DeviceKey, DeviceKeyError> {
        let missing = || DeviceKeyError::Missing { place: "the keyring of the test".to_owned() };
        let bytes: [u8; 32] = self.get(&vault.to_string()).ok_or_else(missing)?.try_into().unwrap();
        Ok(DeviceKey::from_bytes(bytes.into()))
    }

    fn floor(&self, vault: &VaultId, record: RecordName) -> Result<Option<u64>, DeviceKeyError> {
        let bytes = self.get(&format!("{vault} {}", record.file_name()));
        Ok(bytes.map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())))
    }

    fn raise_floor(
        &self,
        vault: &VaultId,
        record: RecordName,
        generation: u64,
    ) -> Result<(), DeviceKeyError> {
        self.set(format!("{vault} {}", record.file_name()), &generation.to_le_bytes());
        Ok(())
    }
}
