//! The vault: creating, opening and describing it.

use crate::anchor::{Anchor, JournalHead};
use crate::cipher::Key;
use crate::derived::VaultKeys;
use crate::device_key::{DeviceKey, DeviceKeySource, KeySourceChoice, Protection, RecordName, VaultId};
use crate::drawer::Drawer;
use crate::header::{self, Header};
use crate::record::RecordFile;
use crate::sealed::Kind;
use crate::secrets::Secrets;
use crate::signing_keys::SigningKeys;
use crate::{Passphrase, VaultError};
use palyra_common::fs::{Directory, FsError};
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

const SECRETS: &str = "secrets";
const SIGNING_KEYS: &str = "keys";

/// An open vault. One process owns it at a time, by the lock of the state root.
pub struct Vault {
    directory: Directory,
    secrets: Directory,
    signing_keys: Directory,
    id: VaultId,
    keys: VaultKeys,
    source: Box<dyn DeviceKeySource>,
}

impl Vault {
    /// Creates a vault, and its directory, with the device key in the chosen place.
    ///
    /// # Errors
    ///
    /// [`VaultError::AlreadyInitialised`] if the directory contains a vault. The header is written last, so that `init`
    /// can be repeated after another error.
    pub fn init(path: &Path, choice: KeySourceChoice) -> Result<Self, VaultError> {
        Self::init_with(path, choice.into_source(path)?)
    }

    /// Like [`Self::init`], with a device key source of the caller.
    pub fn init_with(path: &Path, source: Box<dyn DeviceKeySource>) -> Result<Self, VaultError> {
        let directory = Directory::create_private(path)?;
        refuse_existing(&directory)?;
        let secrets = directory.create_private_in(SECRETS)?;
        let signing_keys = directory.create_private_in(SIGNING_KEYS)?;
        let (id, device_key) = (VaultId::random()?, DeviceKey::random()?);
        source.store(&id, &device_key)?;
        let keys = VaultKeys::derive(&device_key, &id);
        let vault = Self { directory, secrets, signing_keys, id, keys, source };
        // Last, so that a stop before this leaves no vault and the next `init` starts over.
        match Header::new(vault.source.protection(), id).write(&vault.directory, &vault.keys) {
            Ok(()) => Ok(vault),
            Err(error) => {
                vault.forget_device_key();
                Err(error)
            }
        }
    }

    /// Removes the device key, after which nothing in this vault can be read; for a state root whose creation failed.
    pub fn forget_device_key(&self) {
        // Without the vault, a key left in an unavailable keyring opens nothing.
        let _ = self.source.remove(&self.id);
    }

    /// Opens the vault in this directory; its header states where the device key is.
    ///
    /// # Errors
    ///
    /// [`VaultError::NotInitialised`] if there is no vault, [`VaultError::HeaderMissing`] if only encrypted files are
    /// left, and [`VaultError::WrongDeviceKey`] if the header does not authenticate under the device key.
    pub fn open(path: &Path, passphrase: Option<&Passphrase>) -> Result<Self, VaultError> {
        let directory = open_directory(path)?;
        let protection = read_header(&directory)?.header.protection;
        Self::open_from(directory, protection.source(path, passphrase)?)
    }

    /// Like [`Self::open`], with a device key source of the caller.
    pub fn open_with(path: &Path, source: Box<dyn DeviceKeySource>) -> Result<Self, VaultError> {
        Self::open_from(open_directory(path)?, source)
    }

    /// Returns the protection of the device key, which displays as a description.
    pub fn describe(&self) -> Protection {
        self.source.protection()
    }

    /// Returns access to the secrets.
    pub fn secrets(&self) -> Secrets<'_> {
        Secrets::new(Drawer::new(self, &self.secrets, Kind::Secret))
    }

    /// Returns access to the named signing keys.
    pub fn keys(&self) -> SigningKeys<'_> {
        SigningKeys::new(Drawer::new(self, &self.signing_keys, Kind::SigningKey))
    }

    /// Returns access to the anchor of trust and index.
    pub fn anchor(&self) -> Anchor<'_> {
        Anchor::new(RecordFile::new(self, RecordName::Anchor))
    }

    /// Returns access to the stored journal head.
    pub fn journal_head(&self) -> JournalHead<'_> {
        JournalHead::new(RecordFile::new(self, RecordName::JournalHead))
    }

    /// Derives a key for a purpose of the caller. Deterministic; the purpose names the crate and the use.
    pub fn derive_key(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        self.keys.for_caller(purpose)
    }

    /// Returns the seed of the Ed25519 key with which this device signs, such as checkpoints of its journal.
    pub fn device_signing_seed(&self) -> Zeroizing<[u8; 32]> {
        Key::clone(&self.keys.device_signing)
    }

    /// Removes temporary files of a killed process and returns how many; the caller must hold the lock.
    pub fn sweep(&self) -> Result<usize, VaultError> {
        Ok(self.directory.sweep()? + self.secrets.sweep()? + self.signing_keys.sweep()?)
    }

    /// Returns the directory, for messages.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn read_header(&self) -> Result<Header, VaultError> {
        read_header(&self.directory)?.check(&self.directory, &self.keys)
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn id(&self) -> &VaultId {
        &self.id
    }

    pub(crate) fn derived(&self) -> &VaultKeys {
        &self.keys
    }

    pub(crate) fn source(&self) -> &dyn DeviceKeySource {
        &*self.source
    }

    fn open_from(directory: Directory, source: Box<dyn DeviceKeySource>) -> Result<Self, VaultError> {
        let unchecked = read_header(&directory)?;
        let (expected, found) = (unchecked.header.protection, source.protection());
        if expected != found {
            return Err(VaultError::OtherKeySource { expected: expected.name(), found: found.name() });
        }
        let id = unchecked.header.vault;
        let keys = VaultKeys::derive(&source.load(&id)?, &id);
        unchecked.check(&directory, &keys)?;
        let secrets = directory.open_private_in(SECRETS)?;
        let signing_keys = directory.open_private_in(SIGNING_KEYS)?;
        Ok(Self { directory, secrets, signing_keys, id, keys, source })
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("path", &self.path())
            .field("protection", &self.describe().name())
            .finish_non_exhaustive()
    }
}

fn open_directory(path: &Path) -> Result<Directory, VaultError> {
    match Directory::open_private(path) {
        Err(error) if error.is_not_found() => Err(VaultError::NotInitialised { path: path.to_owned() }),
        opened => Ok(opened?),
    }
}

/// Reads the header. A directory without one has no vault, unless sealed files remain.
fn read_header(directory: &Directory) -> Result<header::UncheckedHeader, VaultError> {
    let path = || directory.path().to_owned();
    match Header::read(directory)? {
        Some(header) => Ok(header),
        None if has_sealed_files(directory)? => Err(VaultError::HeaderMissing { path: path() }),
        None => Err(VaultError::NotInitialised { path: path() }),
    }
}

fn refuse_existing(directory: &Directory) -> Result<(), VaultError> {
    match read_header(directory) {
        Ok(_) => Err(VaultError::AlreadyInitialised { path: directory.path().to_owned() }),
        Err(VaultError::NotInitialised { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns whether there is a file that could not be opened with a new device key.
fn has_sealed_files(directory: &Directory) -> Result<bool, VaultError> {
    for record in RecordName::ALL {
        if directory.contains(record.file_name())? {
            return Ok(true);
        }
    }
    for drawer in [SECRETS, SIGNING_KEYS] {
        let names = match directory.open_private_in(drawer) {
            Ok(inner) => inner.names()?,
            Err(error) if error.is_not_found() => Vec::new(),
            Err(error) => return Err(FsError::into(error)),
        };
        if !names.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
