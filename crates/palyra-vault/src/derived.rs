//! Keys derived from the device key, one for each use.

use crate::cipher::Key;
use crate::device_key::{DeviceKey, VaultId};
use zeroize::{Zeroize, Zeroizing};

/// The keys of an open vault; the device key is dropped after their derivation.
pub(crate) struct VaultKeys {
    /// Wraps the data key of each sealed file.
    pub(crate) wrap: Key,
    /// Derives file names from names of entries.
    pub(crate) names: Key,
    /// Authenticates header, anchor and journal head.
    pub(crate) records: Key,
    /// The seed of the device's signing key.
    pub(crate) device_signing: Key,
    callers: Key,
}

impl VaultKeys {
    /// Derives the keys of one vault.
    pub(crate) fn derive(device_key: &DeviceKey, vault: &VaultId) -> Self {
        let key = |context| derive(context, &[device_key.expose(), vault.as_bytes()]);
        Self {
            wrap: key("palyra-vault v1: wrap data keys"),
            names: key("palyra-vault v1: names of sealed files"),
            records: key("palyra-vault v1: authenticate records"),
            device_signing: key("palyra-vault v1: device signing seed"),
            callers: key("palyra-vault v1: keys of callers"),
        }
    }

    /// Derives a key for a purpose outside the vault; keys of different purposes are unrelated.
    pub(crate) fn for_caller(&self, purpose: &str) -> Key {
        derive("palyra-vault v1: one caller's key", &[self.callers.as_slice(), purpose.as_bytes()])
    }
}

/// Returns a keyed hash over parts, each preceded by its length so that no two lists of parts hash the same bytes.
pub(crate) fn mac(key: &Key, label: &str, parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for part in std::iter::once(label.as_bytes()).chain(parts.iter().copied()) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let hash = hasher.finalize();
    hasher.zeroize();
    hash
}

fn derive(context: &'static str, parts: &[&[u8]]) -> Key {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    for part in parts {
        hasher.update(part);
    }
    let mut hash = hasher.finalize();
    hasher.zeroize();
    let key = Zeroizing::new(*hash.as_bytes());
    hash.zeroize();
    key
}
