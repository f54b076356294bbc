//! The device key, from which every other key of the vault derives, and the sources that store it.

mod file;
#[cfg(all(feature = "os-keyring", target_os = "linux"))]
mod os_keyring;

pub use file::FileDeviceKey;
#[cfg(all(feature = "os-keyring", target_os = "linux"))]
pub use os_keyring::OsKeyring;

use crate::cipher::{self, Key};
use crate::{KeyFileError, Passphrase, VaultError};
use palyra_common::fs::FsError;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// 32 random bytes that never leave this machine. `Debug` prints `****`.
#[derive(Clone)]
pub struct DeviceKey(Key);

/// The random id of a vault. Not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VaultId([u8; 16]);

/// The source of the device key for a new vault, chosen by the operator. There is no silent fallback.
#[derive(Debug, Clone)]
pub enum KeySourceChoice {
    /// The keyring of the operating system. Fails if there is none.
    OsKeyring,
    /// A private file next to the vault, for machines without a keyring.
    File,
    /// A private file, encrypted with a passphrase that every opening requires.
    FileWithPassphrase(Passphrase),
}

/// The protection of the device key, as recorded in the vault's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Stored in the keyring of the operating system.
    OsKeyring,
    /// Stored in a private file, unencrypted.
    PrivateFile,
    /// Stored in a private file, encrypted with a passphrase.
    PassphraseFile,
}

/// A record whose newest generation a keyring stores, to detect old copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordName {
    /// The anchor of trust and index.
    Anchor,
    /// The head of the journal.
    JournalHead,
}

/// A store for the device keys of vaults.
pub trait DeviceKeySource: Send + Sync {
    /// Returns the protection that this source provides.
    fn protection(&self) -> Protection;

    /// Stores the key of a new vault.
    fn store(&self, vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError>;

    /// Returns the key of a vault.
    fn load(&self, vault: &VaultId) -> Result<DeviceKey, DeviceKeyError>;

    /// Removes the key of a vault whose creation failed, and everything stored with it.
    ///
    /// A source inside of the vault's directory need not implement this, because the directory is removed.
    fn remove(&self, _vault: &VaultId) -> Result<(), DeviceKeyError> {
        Ok(())
    }

    /// Returns the newest generation of a record, if this source stores it.
    ///
    /// A source outside of the state root can, so an old copy of the whole root is detected.
    fn floor(&self, _vault: &VaultId, _record: RecordName) -> Result<Option<u64>, DeviceKeyError> {
        Ok(None)
    }

    /// Stores the generation of a record that was just written.
    fn raise_floor(
        &self,
        _vault: &VaultId,
        _record: RecordName,
        _generation: u64,
    ) -> Result<(), DeviceKeyError> {
        Ok(())
    }
}

/// The reason why the device key is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum DeviceKeyError {
    /// The source has no key for this vault.
    #[error("no device key in {place}")]
    Missing { place: String },
    /// The stored bytes are not a device key.
    #[error("{place} does not contain a device key")]
    Malformed { place: String },
    /// The key is encrypted with a passphrase, and none was provided.
    #[error("the device key `{}` needs a passphrase, and none was given", path.display())]
    PassphraseNeeded { path: PathBuf },
    /// The keyring is not reachable or did not respond in time.
    #[error("cannot use the operating system's keyring: {reason}")]
    KeyringUnavailable { reason: String },
    /// This build has no support for the keyring.
    #[error("this build of palyra cannot use the operating system's keyring")]
    KeyringNotBuilt,
    /// The file is not private to this user, or cannot be read.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The encrypted file could not be decrypted.
    #[error("cannot open the device key `{}`", path.display())]
    KeyFile {
        path: PathBuf,
        #[source]
        source: KeyFileError,
    },
}

impl DeviceKeyError {
    /// Returns advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Files(error) => error.hint(),
            Self::KeyFile { source, .. } => source.hint(),
            Self::KeyringUnavailable { .. } => {
                Some("start and unlock the keyring that holds the device key of this state root".to_owned())
            }
            Self::KeyringNotBuilt => Some("use a build of palyra with the feature `os-keyring`".to_owned()),
            Self::PassphraseNeeded { .. } => Some(
                "pass it as a systemd credential, a file or a file descriptor, never as an \
                argument"
                    .to_owned(),
            ),
            Self::Missing { .. } | Self::Malformed { .. } => {
                Some("restore it from a backup; without it nothing in the vault can be read".to_owned())
            }
        }
    }
}

impl KeySourceChoice {
    pub(crate) fn into_source(self, directory: &Path) -> Result<Box<dyn DeviceKeySource>, DeviceKeyError> {
        match self {
            Self::OsKeyring => os_keyring(),
            Self::File => Ok(Box::new(FileDeviceKey::new(directory))),
            Self::FileWithPassphrase(passphrase) => {
                Ok(Box::new(FileDeviceKey::new(directory).with_passphrase(passphrase)))
            }
        }
    }
}

impl Protection {
    const ALL: [Self; 3] = [Self::OsKeyring, Self::PrivateFile, Self::PassphraseFile];

    /// Describes the protection and its limits, for `doctor` and `vault list`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::OsKeyring => {
                "the device key is in the operating system's keyring: a copy of the disk or of this \
                directory cannot be decrypted, and restoring an old copy of the state is detected; \
                programs in your unlocked session can use the vault"
            }
            Self::PrivateFile => {
                "the device key is in a file that only this user can read: other users of this machine \
                have no access; root, and anyone with a copy or backup of this directory, can read the \
                secrets; restoring an old copy of the whole state root cannot be detected"
            }
            Self::PassphraseFile => {
                "the device key is in a file encrypted with a passphrase: a copy of this directory is as \
                safe as the passphrase is strong; restoring an old copy of the whole state root cannot be \
                detected"
            }
        }
    }

    /// Returns whether an old copy of the whole state root, including the vault, is detected.
    pub fn detects_restored_copies(self) -> bool {
        self == Self::OsKeyring
    }

    /// Returns a short name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::OsKeyring => "the operating system's keyring",
            Self::PrivateFile => "a private file",
            Self::PassphraseFile => "a private file encrypted with a passphrase",
        }
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::OsKeyring => 1,
            Self::PrivateFile => 2,
            Self::PassphraseFile => 3,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|protection| protection.byte() == byte)
    }

    /// Returns the source for a vault with this protection in its header.
    pub(crate) fn source(
        self,
        directory: &Path,
        passphrase: Option<&Passphrase>,
    ) -> Result<Box<dyn DeviceKeySource>, DeviceKeyError> {
        let file = FileDeviceKey::new(directory);
        match (self, passphrase) {
            (Self::OsKeyring, _) => os_keyring(),
            (Self::PrivateFile, _) => Ok(Box::new(file)),
            (Self::PassphraseFile, Some(passphrase)) => {
                Ok(Box::new(file.with_passphrase(passphrase.clone())))
            }
            (Self::PassphraseFile, None) => Err(DeviceKeyError::PassphraseNeeded { path: file.path() }),
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

impl RecordName {
    /// Every record of a vault.
    pub const ALL: [Self; 2] = [Self::Anchor, Self::JournalHead];

    /// Returns the name of its file in the vault's directory.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::JournalHead => "journal-head",
        }
    }
}

impl DeviceKey {
    /// Generates a new key.
    pub fn random() -> Result<Self, VaultError> {
        cipher::random().map(Self)
    }

    /// Wraps existing key bytes.
    pub fn from_bytes(bytes: Key) -> Self {
        Self(bytes)
    }

    /// Returns the bytes in plain text, for a source that stores them.
    pub fn expose(&self) -> &[u8] {
        self.0.as_slice()
    }

    pub(crate) fn as_key(&self) -> &Key {
        &self.0
    }
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceKey(****)")
    }
}

impl VaultId {
    pub(crate) fn random() -> Result<Self, VaultError> {
        cipher::random().map(|bytes| Self(*bytes))
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for VaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// Checks within `limit` whether the keyring of the operating system can store a device key.
#[cfg(all(feature = "os-keyring", target_os = "linux"))]
pub fn probe_keyring(limit: Duration) -> Result<(), DeviceKeyError> {
    OsKeyring::probe(limit)
}

/// Returns an error, because this build does not support the keyring.
#[cfg(not(all(feature = "os-keyring", target_os = "linux")))]
pub fn probe_keyring(_limit: Duration) -> Result<(), DeviceKeyError> {
    Err(DeviceKeyError::KeyringNotBuilt)
}

#[cfg(all(feature = "os-keyring", target_os = "linux"))]
fn os_keyring() -> Result<Box<dyn DeviceKeySource>, DeviceKeyError> {
    Ok(Box::new(OsKeyring::connect()?))
}

#[cfg(not(all(feature = "os-keyring", target_os = "linux")))]
fn os_keyring() -> Result<Box<dyn DeviceKeySource>, DeviceKeyError> {
    Err(DeviceKeyError::KeyringNotBuilt)
}
