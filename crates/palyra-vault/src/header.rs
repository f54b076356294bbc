//! The vault's header: its id, its key protection and the records it has begun, authenticated by a MAC.

use crate::VaultError;
use crate::derived::{VaultKeys, mac};
use crate::device_key::{Protection, RecordName, VaultId};
use palyra_common::fs::Directory;

/// The name of the file in the vault's directory. The last file that `init` writes.
pub(crate) const FILE_NAME: &str = "header";
const MAGIC: &[u8; 8] = b"PLYRVHD1";
const BODY_BYTES: usize = 8 + 1 + 16 + 1;
const MAC_BYTES: usize = 32;

/// The contents of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) protection: Protection,
    pub(crate) vault: VaultId,
    begun: u8,
}

/// A parsed header. Its MAC can only be verified with the key that it leads to.
pub(crate) struct UncheckedHeader {
    pub(crate) header: Header,
    mac: [u8; MAC_BYTES],
}

impl Header {
    pub(crate) fn new(protection: Protection, vault: VaultId) -> Self {
        Self { protection, vault, begun: 0 }
    }

    /// Returns whether this record was ever written. Otherwise a deleted record would look like that of a new vault.
    pub(crate) fn has_begun(&self, record: RecordName) -> bool {
        self.begun & flag(record) != 0
    }

    pub(crate) fn begin(&mut self, record: RecordName) {
        self.begun |= flag(record);
    }

    /// Reads the header, or returns `None` if there is none.
    pub(crate) fn read(directory: &Directory) -> Result<Option<UncheckedHeader>, VaultError> {
        let limit = (BODY_BYTES + MAC_BYTES) as u64;
        let Some(bytes) = directory.read(FILE_NAME, limit)? else { return Ok(None) };
        parse(&bytes)
            .map(Some)
            .map_err(|problem| VaultError::BadHeader { path: directory.path().join(FILE_NAME), problem })
    }

    pub(crate) fn write(&self, directory: &Directory, keys: &VaultKeys) -> Result<(), VaultError> {
        let mut bytes = self.body();
        bytes.extend_from_slice(self.mac(keys).as_bytes());
        Ok(directory.write(FILE_NAME, &bytes)?)
    }

    fn body(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(BODY_BYTES + MAC_BYTES);
        body.extend_from_slice(MAGIC);
        body.push(self.protection.byte());
        body.extend_from_slice(self.vault.as_bytes());
        body.push(self.begun);
        body
    }

    fn mac(&self, keys: &VaultKeys) -> blake3::Hash {
        mac(&keys.records, "header", &[&self.body()])
    }
}

impl UncheckedHeader {
    /// Returns the header if its MAC was made with these keys.
    pub(crate) fn check(&self, directory: &Directory, keys: &VaultKeys) -> Result<Header, VaultError> {
        if self.header.mac(keys) == blake3::Hash::from_bytes(self.mac) {
            Ok(self.header)
        } else {
            Err(VaultError::WrongDeviceKey { path: directory.path().to_owned() })
        }
    }
}

fn parse(bytes: &[u8]) -> Result<UncheckedHeader, &'static str> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it is not a header of this version")?;
    let (&[protection], rest) = rest.split_first_chunk().ok_or("it is truncated")?;
    let (vault, rest) = rest.split_first_chunk().ok_or("it is truncated")?;
    let (&[begun], rest) = rest.split_first_chunk().ok_or("it is truncated")?;
    let mac = rest.try_into().map_err(|_| "it is truncated")?;
    let protection =
        Protection::from_byte(protection).ok_or("it has an unknown location of the device key")?;
    Ok(UncheckedHeader { header: Header { protection, vault: VaultId::from_bytes(*vault), begun }, mac })
}

fn flag(record: RecordName) -> u8 {
    match record {
        RecordName::Anchor => 1,
        RecordName::JournalHead => 2,
    }
}
