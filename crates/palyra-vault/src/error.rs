//! What can go wrong with a vault.

use crate::{AnchorError, DeviceKeyError};
use palyra_common::fs::FsError;
use std::path::PathBuf;

/// Why the vault, or something in it, was not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    #[error("there is no vault in `{}`", path.display())]
    NotInitialised {
        /// The directory.
        path: PathBuf,
    },
    /// There is one already.
    #[error("there is a vault in `{}` already", path.display())]
    AlreadyInitialised {
        /// The directory.
        path: PathBuf,
    },
    /// Sealed files without the header that belongs to them.
    #[error("the vault in `{}` has lost its `header`", path.display())]
    HeaderMissing {
        /// The directory.
        path: PathBuf,
    },
    /// The header is not one of ours.
    #[error("`{}` is not a vault header: {problem}", path.display())]
    BadHeader {
        /// The header's path.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The header does not check out under the device key.
    #[error("the device key does not fit the vault in `{}`: its header was changed, or the key is another vault's", path.display())]
    WrongDeviceKey {
        /// The directory.
        path: PathBuf,
    },
    /// The vault keeps its device key elsewhere than the caller looked.
    #[error("the vault's device key is in {expected}, not in {found}")]
    OtherKeySource {
        /// What the header says.
        expected: &'static str,
        /// What the caller offered.
        found: &'static str,
    },
    /// A sealed file is not as it was written.
    #[error("`{}` is damaged: {damage}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How.
        damage: Damage,
    },
    /// The reference is not one that can be written as text.
    #[error("`{reference}` is not a secret reference")]
    InvalidReference {
        /// The reference, escaped.
        reference: String,
    },
    /// A secret of no bytes.
    #[error("the value of `{reference}` is empty")]
    EmptySecret {
        /// The reference.
        reference: String,
    },
    /// A secret of too many bytes.
    #[error("the value of `{reference}` has {bytes} bytes, more than {limit}")]
    SecretTooLarge {
        /// The reference.
        reference: String,
        /// Its size.
        bytes: usize,
        /// The largest size.
        limit: usize,
    },
    /// Not a name for a signing key.
    #[error(
        "`{name}` is not a key name: expected 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit"
    )]
    InvalidKeyName {
        /// The name, escaped.
        name: String,
    },
    /// No signing key of this name.
    #[error("there is no signing key `{name}`")]
    UnknownKey {
        /// The name.
        name: String,
    },
    /// A signing key of this name exists.
    #[error("there is a signing key `{name}` already")]
    KeyExists {
        /// The name.
        name: String,
    },
    /// The signing key may not sign any more.
    #[error("the signing key `{name}` is {state}")]
    KeyNotActive {
        /// The name.
        name: String,
        /// `retired` or `revoked`.
        state: &'static str,
    },
    /// The system gave no randomness.
    #[error("the system gave no randomness: {reason}")]
    NoRandomness {
        /// What it said.
        reason: String,
    },
    /// The cipher refused; only sizes beyond every limit here do that.
    #[error("the cipher refused to seal {bytes} bytes")]
    CannotSeal {
        /// How many bytes.
        bytes: usize,
    },
}

/// How a sealed file differs from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It ends too early.
    #[error("it is cut short")]
    Truncated,
    /// It does not begin as sealed files do.
    #[error("it is not a sealed file of this version")]
    NotSealed,
    /// It was changed, belongs under another name, or was sealed under another device key.
    #[error("it was changed, moved here from another name, or sealed under another device key")]
    Altered,
    /// Its name is not that of a sealed file.
    #[error("its name is not that of a sealed file")]
    Misnamed,
}

impl VaultError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Files(error) => error.hint(),
            Self::DeviceKey(error) => error.hint(),
            Self::Anchor(error) => error.hint(),
            Self::NotInitialised { .. } => {
                Some("initialise the state root first, and say where the device key is to be kept".to_owned())
            }
            Self::AlreadyInitialised { .. } => Some("open it, or choose another directory".to_owned()),
            Self::HeaderMissing { .. } | Self::BadHeader { .. } | Self::WrongDeviceKey { .. } => Some(
                "restore the vault and its device key together from one backup; nothing in it was changed"
                    .to_owned(),
            ),
            Self::OtherKeySource { .. } => Some("open it with the key source it was made with".to_owned()),
            Self::Damaged { .. } => {
                Some("restore the file from a backup, or remove the entry and add it again".to_owned())
            }
            Self::InvalidReference { .. } => {
                Some("write SCOPE/KEY, as in `global/github_token` or `skill:acme.notes/pin`".to_owned())
            }
            Self::UnknownKey { .. } => Some("`palyra keys list` shows the names".to_owned()),
            Self::KeyExists { .. } => Some("choose another name, or remove that key first".to_owned()),
            Self::KeyNotActive { .. } => {
                Some("sign with its successor, or make a key with `palyra keys new NAME`".to_owned())
            }
            Self::EmptySecret { .. } => Some("to take a secret away use `palyra vault remove`".to_owned()),
            Self::SecretTooLarge { .. }
            | Self::InvalidKeyName { .. }
            | Self::NoRandomness { .. }
            | Self::CannotSeal { .. } => None,
        }
    }
}
