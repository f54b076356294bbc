//! Secrets at rest, signing keys, the device key, and the anchor of the state.
//!
//! A [`Vault`] is a private directory. Everything in it is encrypted or authenticated with keys derived from one
//! device key, which is stored in the operating system's keyring or in a private file. `docs/vault.md` describes what
//! this protects against.

#![forbid(unsafe_code)]

mod anchor;
mod cipher;
mod derived;
mod device_key;
mod drawer;
mod error;
mod header;
pub mod key_file;
mod passphrase;
mod record;
mod sealed;
mod secrets;
mod signing_keys;
mod vault;

pub use anchor::{Anchor, AnchorState, AnchorValue, JournalHead};
#[cfg(all(feature = "os-keyring", target_os = "linux"))]
pub use device_key::OsKeyring;
pub use device_key::{
    DeviceKey, DeviceKeyError, DeviceKeySource, FileDeviceKey, KeySourceChoice, Protection, RecordName,
    VaultId, probe_keyring,
};
pub use drawer::DamagedFile;
pub use error::{Damage, VaultError};
pub use key_file::{KdfCost, KeyFileError, KeyFileType};
pub use passphrase::{CREDENTIALS_DIRECTORY, Passphrase, PassphraseError};
pub use record::AnchorError;
pub use secrets::{SecretInfo, SecretList, Secrets};
pub use signing_keys::{KeyState, SigningKeyInfo, SigningKeyList, SigningKeys};
pub use vault::Vault;
