//! Why nothing was done with a signing key.

use palyra_skills::signing::{KeyError, KeySetError, StatementError};
use palyra_skills::trust::{FeedError, RotationError};
use palyra_vault::{KeyFileError, VaultError};

use crate::error::StateError;

/// Why nothing was done with a signing key.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum KeysError {
    /// The vault or the journal could not do its part.
    #[error(transparent)]
    State(#[from] StateError),
    /// No key has this name.
    #[error("signing key `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// A key file is not one, or does not open.
    #[error("cannot use the key file")]
    KeyFile(#[from] KeyFileError),
    /// A public key that must not be trusted.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Keys and a threshold that do not go together.
    #[error(transparent)]
    KeySet(#[from] KeySetError),
    /// The epoch that was named is not the one the publisher is at.
    #[error(
        "the keys of publisher `{publisher}` have epoch {known}, so the rotation cannot end epoch {given}"
    )]
    WrongEpoch {
        publisher: String,
        /// The epoch that was named.
        given: u64,
        /// The epoch that is known here.
        known: u64,
    },
    /// The keys that would end are not those the publisher is known by.
    #[error("publisher `{publisher}` has other keys on this machine: {}", .known.join(", "))]
    OtherKeys {
        publisher: String,
        /// The ids of its keys.
        known: Vec<String>,
    },
    /// Another successor was named for this epoch before.
    #[error("a different rotation of publisher `{publisher}` from epoch {epoch} was signed here before")]
    OtherSuccessor { publisher: String, epoch: u64 },
    /// What is to be signed is not the statement of a release.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A release that does not list the key.
    #[error("the release does not list signing key `{name}` among the keys of publisher `{publisher}`")]
    NotListed { name: String, publisher: String },
    /// A rotation that does not hold.
    #[error("cannot create the rotation")]
    Rotation(#[from] RotationError),
    /// A revocation list that does not hold.
    #[error("cannot create the statement")]
    Revocations(#[from] FeedError),
}

impl From<VaultError> for KeysError {
    fn from(error: VaultError) -> Self {
        StateError::from(error).into()
    }
}
