//! A directory of encrypted files of one kind.

use crate::sealed::{self, Kind, Slot};
use crate::vault::Vault;
use crate::{Damage, VaultError};
use palyra_common::fs::{Directory, FsError};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Maximum size of an encrypted file, in bytes.
const MAX_FILE_BYTES: u64 = 128 << 10;

/// A file that failed a check. Listing reports it and continues.
#[derive(Debug)]
pub struct DamagedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The failed check.
    pub error: VaultError,
}

/// The encrypted files of one kind in a vault.
pub(crate) struct Drawer<'v> {
    vault: &'v Vault,
    directory: &'v Directory,
    kind: Kind,
}

impl<'v> Drawer<'v> {
    pub(crate) fn new(vault: &'v Vault, directory: &'v Directory, kind: Kind) -> Self {
        Self { vault, directory, kind }
    }

    /// Encrypts an entry and writes its file atomically.
    pub(crate) fn write(&self, name: &str, description: &[u8], value: &[u8]) -> Result<(), VaultError> {
        let slot = self.slot(name);
        let bytes = sealed::seal(self.vault.derived(), self.vault.id(), &slot, description, value)?;
        Ok(self.directory.write(&slot.file_name(), &bytes)?)
    }

    /// Returns the description of an entry, or `None` if it does not exist.
    pub(crate) fn description(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        self.open(&self.slot(name), |opened| Ok(opened.description))
    }

    /// Returns description and value of an entry, or `None` if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Result<Option<DescriptionAndValue>, VaultError> {
        self.open(&self.slot(name), |opened| {
            let value = opened.value()?;
            Ok((opened.description, value))
        })
    }

    /// Removes an entry, readable or not. Returns `false` if it does not exist.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, VaultError> {
        Ok(self.directory.remove(&self.slot(name).file_name())?)
    }

    /// Returns every description, and the files that could not be read.
    ///
    /// `parse` returns the entry and its own name. A file that is stored under the hash of another name is damaged.
    pub(crate) fn list<T>(
        &self,
        parse: impl Fn(&[u8]) -> Option<(T, String)>,
    ) -> Result<(Vec<T>, Vec<DamagedFile>), VaultError> {
        let (mut entries, mut damaged) = (Vec::new(), Vec::new());
        for file in self.directory.names()? {
            match self.listed(&file, &parse) {
                Ok(Some(entry)) => entries.push(entry),
                // The file was removed after the names were read.
                Ok(None) => {}
                Err(error) => damaged.push(DamagedFile { path: self.directory.path().join(&file), error }),
            }
        }
        Ok((entries, damaged))
    }

    /// Creates the error for the file of an entry.
    pub(crate) fn damaged(&self, name: &str, damage: Damage) -> VaultError {
        self.damage(&self.slot(name).file_name(), damage)
    }

    fn listed<T>(
        &self,
        file: &str,
        parse: impl Fn(&[u8]) -> Option<(T, String)>,
    ) -> Result<Option<T>, VaultError> {
        let slot =
            Slot::from_file_name(self.kind, file).ok_or_else(|| self.damage(file, Damage::Misnamed))?;
        let description = self.open(&slot, |opened| Ok(opened.description))?;
        let Some(description) = description else { return Ok(None) };
        let (entry, name) = parse(&description).ok_or_else(|| self.damage(file, Damage::Altered))?;
        if self.slot(&name) != slot {
            return Err(self.damage(file, Damage::Altered));
        }
        Ok(Some(entry))
    }

    fn open<T>(
        &self,
        slot: &Slot,
        take: impl FnOnce(sealed::Opened<'_>) -> Result<T, Damage>,
    ) -> Result<Option<T>, VaultError> {
        let name = slot.file_name();
        let bytes = match self.directory.read(&name, MAX_FILE_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(FsError::TooLarge { .. }) => return Err(self.damage(&name, Damage::NotSealed)),
            Err(error) => return Err(error.into()),
        };
        let taken = sealed::open(self.vault.derived(), self.vault.id(), slot, &bytes).and_then(take);
        taken.map(Some).map_err(|damage| self.damage(&name, damage))
    }

    fn slot(&self, name: &str) -> Slot {
        Slot::of(self.vault.derived(), self.kind, name)
    }

    fn damage(&self, file: &str, damage: Damage) -> VaultError {
        VaultError::Damaged { path: self.directory.path().join(file), damage }
    }
}

/// Description and value of an entry, decrypted.
pub(crate) type DescriptionAndValue = (Zeroizing<Vec<u8>>, Zeroizing<Vec<u8>>);
