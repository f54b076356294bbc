//! Secrets at rest, signing keys, the device key, and the anchor of the state.
//!
//! A [`Vault`] is a private directory. Everything in it is sealed or authenticated under keys derived from
//! one device key, which the operating system's keyring holds, or a private file if the operator chose that.
//! What this protects from whom is told in `docs/vault.md`.

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
