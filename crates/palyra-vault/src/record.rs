//! A small record with a MAC and an increasing generation. The header of the vault stores whether it was ever written.
//!
//! ```text
//! magic 8 · generation 8 · length 4 · payload · MAC 32
//! ```

use crate::VaultError;
use crate::derived::mac;
use crate::device_key::{DeviceKeyError, RecordName};
use crate::header::Header;
use crate::vault::Vault;
use palyra_common::fs::FsError;
use std::path::PathBuf;

const MAGIC: &[u8; 8] = b"PLYRVRC1";
const HEAD_BYTES: usize = 8 + 8 + 4;
const MAC_BYTES: usize = 32;
/// Two anchor values with their lengths.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 2 * 4096 + 16;

/// The reason why a record of the vault was rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum AnchorError {
    /// The record was written before, and its file was deleted.
    #[error("`{}` was deleted, although the vault's header lists it", path.display())]
    Deleted { path: PathBuf },
    /// The file is truncated.
    #[error("`{}` is truncated: {found} bytes, expected {expected}", path.display())]
    Truncated {
        path: PathBuf,
        found: usize,
        /// The expected size in bytes; the actual one may be larger.
        expected: usize,
    },
    /// The MAC does not match the bytes.
    #[error("`{}` was edited: its MAC does not match", path.display())]
    Edited { path: PathBuf },
    /// The record is an old copy.
    #[error("`{}` is an old copy: it has generation {found}, the keyring has {expected}", path.display())]
    RolledBack {
        path: PathBuf,
        found: u64,
        /// The newest generation according to the keyring.
        expected: u64,
    },
    /// The record was never written.
    #[error("`{}` was never written", path.display())]
    NeverInitialised { path: PathBuf },
    /// The anchor already has a first value.
    #[error("`{}` was already written", path.display())]
    AlreadyInitialised { path: PathBuf },
    /// A pending value exists and must be settled first.
    #[error("`{}` already has a pending value", path.display())]
    PendingExists { path: PathBuf },
    /// There is no pending value.
    #[error("`{}` has no pending value", path.display())]
    NothingPending { path: PathBuf },
    /// The value exceeds the limit.
    #[error("a value of {bytes} bytes is above the limit of {limit}")]
    ValueTooLong { bytes: usize, limit: usize },
    /// The file is not private to this user, or cannot be read.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The keyring that stores generations is not available.
    #[error(transparent)]
    DeviceKey(#[from] DeviceKeyError),
    /// The header of the vault is invalid.
    #[error("cannot use the vault's header")]
    Header(#[source] Box<VaultError>),
}

impl AnchorError {
    /// Returns advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Deleted { .. } | Self::Truncated { .. } | Self::Edited { .. } | Self::RolledBack { .. } => {
                Some(
                    "run `palyra trust repair`; nothing runs until you confirmed the repair it shows"
                        .to_owned(),
                )
            }
            Self::Files(error) => error.hint(),
            Self::DeviceKey(error) => error.hint(),
            Self::Header(error) => error.hint(),
            _ => None,
        }
    }
}

/// The contents of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) generation: u64,
    pub(crate) payload: Vec<u8>,
}

/// Access to one record of a vault.
#[derive(Clone, Copy)]
pub(crate) struct RecordFile<'v> {
    vault: &'v Vault,
    name: RecordName,
}

impl<'v> RecordFile<'v> {
    pub(crate) fn new(vault: &'v Vault, name: RecordName) -> Self {
        Self { vault, name }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.vault.directory().path().join(self.name.file_name())
    }

    /// Returns the record, or `None` if none was ever written.
    pub(crate) fn read(&self) -> Result<Option<Record>, AnchorError> {
        let limit = (HEAD_BYTES + MAX_PAYLOAD_BYTES + MAC_BYTES) as u64;
        let floor = self.vault.source().floor(self.vault.id(), self.name)?;
        let bytes = match self.vault.directory().read(self.name.file_name(), limit) {
            Err(FsError::TooLarge { .. }) => return Err(AnchorError::Edited { path: self.path() }),
            bytes => bytes?,
        };
        let Some(bytes) = bytes else {
            let begun = floor.is_some() || self.header()?.has_begun(self.name);
            return if begun { Err(AnchorError::Deleted { path: self.path() }) } else { Ok(None) };
        };
        let record = self.decode(&bytes)?;
        match floor {
            Some(expected) if record.generation < expected => {
                Err(AnchorError::RolledBack { path: self.path(), found: record.generation, expected })
            }
            _ => Ok(Some(record)),
        }
    }

    /// Writes the successor of `previous`.
    pub(crate) fn write(&self, previous: Option<&Record>, payload: Vec<u8>) -> Result<(), AnchorError> {
        let generation = previous.map_or(0, |record| record.generation).saturating_add(1);
        self.write_generation(generation, payload)
    }

    /// Writes a record that succeeds the existing one, valid or not.
    pub(crate) fn overwrite(&self, payload: Vec<u8>) -> Result<(), AnchorError> {
        let floor = self.vault.source().floor(self.vault.id(), self.name)?.unwrap_or(0);
        let readable = self.read().ok().flatten().map_or(0, |record| record.generation);
        self.write_generation(floor.max(readable).saturating_add(1), payload)
    }

    /// Writes first the record, then the flag in the header, then the generation in the keyring. A crash in between can
    /// leave a record without its flag, but never a flag without its record.
    fn write_generation(&self, generation: u64, payload: Vec<u8>) -> Result<(), AnchorError> {
        let bytes = self.encode(&Record { generation, payload });
        self.vault.directory().write(self.name.file_name(), &bytes)?;
        let mut header = self.header()?;
        if !header.has_begun(self.name) {
            header.begin(self.name);
            header
                .write(self.vault.directory(), self.vault.derived())
                .map_err(|error| AnchorError::Header(Box::new(error)))?;
        }
        Ok(self.vault.source().raise_floor(self.vault.id(), self.name, generation)?)
    }

    fn header(&self) -> Result<Header, AnchorError> {
        self.vault.read_header().map_err(|error| AnchorError::Header(Box::new(error)))
    }

    fn encode(&self, record: &Record) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + record.payload.len() + MAC_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&record.generation.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(record.payload.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&record.payload);
        let mac = self.mac(&bytes);
        bytes.extend_from_slice(mac.as_bytes());
        bytes
    }

    fn decode(&self, bytes: &[u8]) -> Result<Record, AnchorError> {
        let edited = || AnchorError::Edited { path: self.path() };
        let truncated = |expected| AnchorError::Truncated { path: self.path(), found: bytes.len(), expected };
        let short = || truncated(HEAD_BYTES + MAC_BYTES);
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or_else(short)?;
        let (generation, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok();
        let length = length.filter(|length| *length <= MAX_PAYLOAD_BYTES).ok_or_else(edited)?;
        if magic != MAGIC {
            return Err(edited());
        }
        if rest.len() < length + MAC_BYTES {
            return Err(truncated(HEAD_BYTES + length + MAC_BYTES));
        }
        let (signed, found) = bytes.split_last_chunk::<MAC_BYTES>().ok_or_else(short)?;
        if rest.len() != length + MAC_BYTES || self.mac(signed) != blake3::Hash::from_bytes(*found) {
            return Err(edited());
        }
        let payload = rest.get(..length).ok_or_else(edited)?.to_vec();
        Ok(Record { generation: u64::from_le_bytes(*generation), payload })
    }

    fn mac(&self, bytes: &[u8]) -> blake3::Hash {
        mac(&self.vault.derived().records, self.name.file_name(), &[self.vault.id().as_bytes(), bytes])
    }
}
