//! The one key everything else follows from, and the places that keep it.

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

/// 32 random bytes that never leave this machine; prints as `****`.
#[derive(Clone)]
pub struct DeviceKey(Key);

/// The name of one vault, drawn when it is made; no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VaultId([u8; 16]);

/// Where the operator wants the device key of a new vault; there is no silent second choice.
#[derive(Debug, Clone)]
pub enum KeySourceChoice {
    /// The operating system's keyring; refused where there is none.
    OsKeyring,
    /// A private file beside the vault: for machines without a keyring.
    File,
    /// The same, sealed under a passphrase that every opening needs.
    FileWithPassphrase(Passphrase),
}

/// Which protection the device key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// The operating system's keyring.
    OsKeyring,
    /// A private file.
    PrivateFile,
    /// A private file under a passphrase.
    PassphraseFile,
}

/// A record whose newest generation a keyring remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordName {
    /// The anchor of trust and index.
    Anchor,
    /// The head of the journal.
    JournalHead,
}

/// A place that keeps the device key of a vault.
pub trait DeviceKeySource: Send + Sync {
    /// Which protection it gives.
    fn protection(&self) -> Protection;

    /// Keeps a new key for a vault that is being made.
    fn store(&self, vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError>;

    /// The key of a vault.
    fn load(&self, vault: &VaultId) -> Result<DeviceKey, DeviceKeyError>;

    /// Forgets the key of a vault whose creation failed, and everything kept beside it.
    ///
    /// A place inside the vault's directory goes with the directory and has nothing to do here.
    fn remove(&self, _vault: &VaultId) -> Result<(), DeviceKeyError> {
        Ok(())
    }

    /// The generation a record had when it was last written, if this place remembers it.
    ///
    /// A place outside the state root can, and so an old copy of the whole root is found out.
    fn floor(&self, _vault: &VaultId, _record: RecordName) -> Result<Option<u64>, DeviceKeyError> {
        Ok(None)
    }

    /// Remembers the generation of a record that was just written.
    fn raise_floor(
        &self,
        _vault: &VaultId,
        _record: RecordName,
        _generation: u64,
    ) -> Result<(), DeviceKeyError> {
        Ok(())
    }
}

/// Why the device key is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum DeviceKeyError {
    /// It is not where it should be.
    #[error("no device key in {place}")]
    Missing { place: String },
    /// What is there is no device key.
    #[error("{place} does not contain a device key")]
    Malformed { place: String },
    /// It is under a passphrase, and none was given.
    #[error("the device key `{}` needs a passphrase, and none was given", path.display())]
    PassphraseNeeded { path: PathBuf },
    /// The keyring did not answer.
    #[error("cannot use the operating system's keyring: {reason}")]
    KeyringUnavailable { reason: String },
    /// This build does not know the keyring.
    #[error("this build of palyra cannot use the operating system's keyring")]
    KeyringNotBuilt,
    /// Its file is not one that only we read, or the system refused.
    #[error(transparent)]
    Files(#[from] FsError),
    /// Its sealed file did not open.
    #[error("cannot open the device key `{}`", path.display())]
    KeyFile {
        path: PathBuf,
        #[source]
        source: KeyFileError,
    },
}

impl DeviceKeyError {
    /// What a person can do about it.
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

    /// In plain words, for `doctor` and `vault list`.
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

    /// Whether an old copy of the whole state root, vault included, is found out.
    pub fn detects_restored_copies(self) -> bool {
        self == Self::OsKeyring
    }

    /// A short name, for messages.
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

    /// The source for a vault whose header says so.
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
    /// Every record.
    pub const ALL: [Self; 2] = [Self::Anchor, Self::JournalHead];

    /// The name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::JournalHead => "journal-head",
        }
    }
}

impl DeviceKey {
    /// A new one.
    pub fn random() -> Result<Self, VaultError> {
        cipher::random().map(Self)
    }

    /// These bytes.
    pub fn from_bytes(bytes: Key) -> Self {
        Self(bytes)
    }

    /// The bytes in the clear, for a place that keeps them.
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

/// Whether the operating system's keyring can keep a device key, as far as an attempt within `limit` shows.
#[cfg(all(feature = "os-keyring", target_os = "linux"))]
pub fn probe_keyring(limit: Duration) -> Result<(), DeviceKeyError> {
    OsKeyring::probe(limit)
}

/// Whether the operating system's keyring can keep a device key; this build never can.
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
