//! What can go wrong with a vault.

use crate::{AnchorError, DeviceKeyError};
use palyra_common::fs::FsError;
use std::path::PathBuf;

/// Why the vault, or something in it, was not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum VaultError {
    /// A file is not one that can be trusted, or the system refused.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The device key is not to be had.
    #[error(transparent)]
    DeviceKey(#[from] DeviceKeyError),
    /// The anchor or the journal head is not as it was left.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// There is no vault here.
    #[error("no vault in `{}`", path.display())]
    NotInitialised { path: PathBuf },
    /// There is one already.
    #[error("a vault already exists in `{}`", path.display())]
    AlreadyInitialised { path: PathBuf },
    /// Sealed files without the header that belongs to them.
    #[error("the vault in `{}` has no `header`", path.display())]
    HeaderMissing { path: PathBuf },
    /// The header is not one of ours.
    #[error("`{}` is not a vault header: {problem}", path.display())]
    BadHeader {
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The header does not check out under the device key.
    #[error("the device key does not match the vault in `{}`: the header was changed, or the key belongs \
        to another vault", path.display())]
    WrongDeviceKey { path: PathBuf },
    /// The vault keeps its device key elsewhere than the caller looked.
    #[error("the vault's device key is in {expected}, not in {found}")]
    OtherKeySource { expected: &'static str, found: &'static str },
    /// A sealed file is not as it was written.
    #[error("`{}` is damaged: {damage}", path.display())]
    Damaged { path: PathBuf, damage: Damage },
    /// The reference is not one that can be written as text.
    #[error("invalid secret reference `{reference}`")]
    InvalidReference { reference: String },
    /// A secret of no bytes.
    #[error("the value of `{reference}` is empty")]
    EmptySecret { reference: String },
    /// A secret of too many bytes.
    #[error("the value of `{reference}` has {bytes} bytes, the limit is {limit}")]
    SecretTooLarge { reference: String, bytes: usize, limit: usize },
    /// Not a name for a signing key.
    #[error(
        "invalid key name `{name}`: expected 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, starting with a \
        letter or digit"
    )]
    InvalidKeyName { name: String },
    /// No signing key of this name.
    #[error("signing key `{name}` does not exist")]
    UnknownKey { name: String },
    /// A signing key of this name exists.
    #[error("signing key `{name}` already exists")]
    KeyExists { name: String },
    /// The signing key may not sign any more.
    #[error("the signing key `{name}` is {state}")]
    KeyNotActive {
        name: String,
        /// `retired` or `revoked`.
        state: &'static str,
    },
    /// The system gave no randomness.
    #[error("cannot read the system random source: {reason}")]
    NoRandomness { reason: String },
    /// The cipher refused; only sizes beyond every limit here do that.
    #[error("cannot encrypt {bytes} bytes")]
    CannotSeal { bytes: usize },
}

/// How a sealed file differs from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It ends too early.
    #[error("it is truncated")]
    Truncated,
    /// It does not begin as sealed files do.
    #[error("it is not an encrypted file of this version")]
    NotSealed,
    /// It was changed, belongs under another name, or was sealed under another device key.
    #[error("it was changed, renamed, or encrypted under another device key")]
    Altered,
    /// Its name is not that of a sealed file.
    #[error("its name is not that of an encrypted file")]
    Misnamed,
}

impl VaultError {
    /// What a person can do about it.
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
