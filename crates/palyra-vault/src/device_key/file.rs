//! The device key in a private file of the vault, for machines without a keyring.

use super::{DeviceKey, DeviceKeyError, DeviceKeySource, Protection, VaultId};
use crate::Passphrase;
use crate::key_file::{self, KdfCost, KeyFileType};
use palyra_common::fs::Directory;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The name of the file in the vault's directory.
pub(crate) const FILE_NAME: &str = "device.key";
const MAX_FILE_BYTES: u64 = 4096;
/// The first line of a key file without a passphrase.
const PLAIN_HEADER: &[u8] = b"palyra-device-key v1 plain\n";
const HEX_BYTES: usize = 64;

/// Stores the key in `device.key`, unencrypted or encrypted with a passphrase.
#[derive(Debug)]
pub struct FileDeviceKey {
    directory: PathBuf,
    passphrase: Option<Passphrase>,
    cost: KdfCost,
}

impl FileDeviceKey {
    /// Stores the key unencrypted in a directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), passphrase: None, cost: KdfCost::default() }
    }

    /// Encrypts the key with a passphrase.
    pub fn with_passphrase(self, passphrase: Passphrase) -> Self {
        Self { passphrase: Some(passphrase), ..self }
    }

    /// Sets the cost of the key derivation when the key is stored.
    pub fn with_cost(self, cost: KdfCost) -> Self {
        Self { cost, ..self }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE_NAME)
    }

    fn place(&self) -> String {
        format!("`{}`", self.path().display())
    }
}

impl DeviceKeySource for FileDeviceKey {
    fn protection(&self) -> Protection {
        if self.passphrase.is_some() { Protection::PassphraseFile } else { Protection::PrivateFile }
    }

    fn store(&self, _vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError> {
        let text = match &self.passphrase {
            None => plain_text(key),
            Some(passphrase) => key_file::encode(KeyFileType::DeviceKey, key.as_key(), passphrase, self.cost)
                .map(|text| Zeroizing::new(text.into_bytes()))
                .map_err(|source| DeviceKeyError::KeyFile { path: self.path(), source })?,
        };
        Ok(Directory::open_private(&self.directory)?.write(FILE_NAME, &text)?)
    }

    fn load(&self, _vault: &VaultId) -> Result<DeviceKey, DeviceKeyError> {
        let bytes = Directory::open_private(&self.directory)?.read(FILE_NAME, MAX_FILE_BYTES)?;
        let bytes =
            bytes.map(Zeroizing::new).ok_or_else(|| DeviceKeyError::Missing { place: self.place() })?;
        match &self.passphrase {
            None => parse_plain(&bytes).ok_or_else(|| DeviceKeyError::Malformed { place: self.place() }),
            Some(passphrase) => key_file::decode(KeyFileType::DeviceKey, &bytes, passphrase)
                .map(DeviceKey::from_bytes)
                .map_err(|source| DeviceKeyError::KeyFile { path: self.path(), source }),
        }
    }
}

/// Formats the key file: the header, 64 hex digits and a line feed, in a buffer that is never reallocated.
fn plain_text(key: &DeviceKey) -> Zeroizing<Vec<u8>> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Zeroizing::new(Vec::with_capacity(PLAIN_HEADER.len() + HEX_BYTES + 1));
    text.extend_from_slice(PLAIN_HEADER);
    for byte in key.expose() {
        for nibble in [byte >> 4, byte & 15] {
            text.extend(DIGITS.get(usize::from(nibble)));
        }
    }
    text.push(b'\n');
    text
}

fn parse_plain(bytes: &[u8]) -> Option<DeviceKey> {
    let digits = bytes.strip_prefix(PLAIN_HEADER)?.strip_suffix(b"\n")?;
    let lower = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut key = Zeroizing::new([0; 32]);
    (lower && hex::decode_to_slice(digits, key.as_mut_slice()).is_ok()).then(|| DeviceKey::from_bytes(key))
}
