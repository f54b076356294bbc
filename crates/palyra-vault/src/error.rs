//! Errors of the vault.

use crate::{AnchorError, DeviceKeyError};
use palyra_common::fs::FsError;
use std::path::PathBuf;

/// The reason why the vault or an entry cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum VaultError {
    /// A file is not private to this user, or cannot be read.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The device key is not available.
    #[error(transparent)]
    DeviceKey(#[from] DeviceKeyError),
    /// The anchor or the journal head is invalid.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// The directory contains no vault.
    #[error("no vault in `{}`", path.display())]
    NotInitialised { path: PathBuf },
    /// The directory already contains a vault.
    #[error("a vault already exists in `{}`", path.display())]
    AlreadyInitialised { path: PathBuf },
    /// The directory contains encrypted files but no header.
    #[error("the vault in `{}` has no `header`", path.display())]
    HeaderMissing { path: PathBuf },
    /// The header is malformed.
    #[error("`{}` is not a vault header: {problem}", path.display())]
    BadHeader {
        path: PathBuf,
        /// The violated rule of the format.
        problem: &'static str,
    },
    /// The MAC of the header does not match the device key.
    #[error("the device key does not match the vault in `{}`: the header was changed, or the key belongs \
        to another vault", path.display())]
    WrongDeviceKey { path: PathBuf },
    /// The header names another key source than the caller uses.
    #[error("the vault's device key is in {expected}, not in {found}")]
    OtherKeySource { expected: &'static str, found: &'static str },
    /// An encrypted file is damaged.
    #[error("`{}` is damaged: {damage}", path.display())]
    Damaged { path: PathBuf, damage: Damage },
    /// The reference is not a valid `SCOPE/KEY`.
    #[error("invalid secret reference `{reference}`")]
    InvalidReference { reference: String },
    /// The value of a secret is empty.
    #[error("the value of `{reference}` is empty")]
    EmptySecret { reference: String },
    /// The value of a secret exceeds the limit.
    #[error("the value of `{reference}` has {bytes} bytes, the limit is {limit}")]
    SecretTooLarge { reference: String, bytes: usize, limit: usize },
    /// The name is not valid for a signing key.
    #[error(
        "invalid key name `{name}`: expected 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, starting with a \
        letter or digit"
    )]
    InvalidKeyName { name: String },
    /// There is no signing key with this name.
    #[error("signing key `{name}` does not exist")]
    UnknownKey { name: String },
    /// A signing key with this name exists.
    #[error("signing key `{name}` already exists")]
    KeyExists { name: String },
    /// The signing key is retired or revoked.
    #[error("the signing key `{name}` is {state}")]
    KeyNotActive {
        name: String,
        /// `retired` or `revoked`.
        state: &'static str,
    },
    /// The operating system provided no random bytes.
    #[error("cannot read the system random source: {reason}")]
    NoRandomness { reason: String },
    /// The cipher failed, which happens only for sizes beyond every limit of the vault.
    #[error("cannot encrypt {bytes} bytes")]
    CannotSeal { bytes: usize },
}

/// The damage of an encrypted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The file is truncated.
    #[error("it is truncated")]
    Truncated,
    /// The file does not have the header of this format.
    #[error("it is not an encrypted file of this version")]
    NotSealed,
    /// The file was changed, renamed, or encrypted with another device key.
    #[error("it was changed, renamed, or encrypted under another device key")]
    Altered,
    /// The file name is not that of an encrypted file.
    #[error("its name is not that of an encrypted file")]
    Misnamed,
}

impl VaultError {
    /// Returns advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Files(error) => error.hint(),
            Self::DeviceKey(error) => error.hint(),
            Self::Anchor(error) => error.hint(),
            Self::NotInitialised { .. } => Some("create the state root first with `palyra init`".to_owned()),
            Self::AlreadyInitialised { .. } => Some(
                "use the existing one, or choose another \
                directory"
                    .to_owned(),
            ),
            Self::HeaderMissing { .. } | Self::BadHeader { .. } | Self::WrongDeviceKey { .. } => {
                Some("restore the vault and its device key from one backup; nothing was changed".to_owned())
            }
            Self::OtherKeySource { .. } => Some("open it with the key source it was created with".to_owned()),
            Self::Damaged { .. } => {
                Some("restore the file from a backup, or remove the entry and add it again".to_owned())
            }
            Self::InvalidReference { .. } => Some(
                "write SCOPE/KEY, for example `global/github_token` or \
                    `skill:acme.notes/pin`"
                    .to_owned(),
            ),
            Self::UnknownKey { .. } => Some("list the keys with `palyra keys list`".to_owned()),
            Self::KeyExists { .. } => Some("choose another name, or remove that key first".to_owned()),
            Self::KeyNotActive { .. } => {
                Some("sign with its successor, or create a key with `palyra keys new NAME`".to_owned())
            }
            Self::EmptySecret { .. } => Some("remove a secret with `palyra vault remove`".to_owned()),
            Self::SecretTooLarge { .. }
            | Self::InvalidKeyName { .. }
            | Self::NoRandomness { .. }
            | Self::CannotSeal { .. } => None,
        }
    }
}
