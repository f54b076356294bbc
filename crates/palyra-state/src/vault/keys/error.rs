//! Why nothing was done with a signing key.

use palyra_skills::signing::{KeyError, KeySetError, StatementError};
use palyra_skills::trust::{FeedError, RotationError};
use palyra_vault::{KeyFileError, VaultError};

use crate::error::StateError;

/// Why nothing was done with a signing key.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The vault or the journal could not do its part.
    #[error(transparent)]
    State(#[from] StateError),
    /// No key has this name.
    #[error("there is no signing key `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A key file is not one, or does not open.
    #[error("the key file cannot be used")]
    KeyFile(#[from] KeyFileError),
    /// A public half nobody may believe.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Keys and a threshold that do not go together.
    #[error(transparent)]
    KeySet(#[from] KeySetError),
    /// The epoch that was named is not the one the publisher is at.
    #[error(
        "the keys of publisher `{publisher}` are of epoch {known}, so the rotation cannot end epoch {given}"
    )]
    WrongEpoch {
        /// The publisher.
        publisher: String,
        /// The epoch that was named.
        given: u64,
        /// The epoch that is known here.
        known: u64,
    },
    /// The keys that would end are not those the publisher is known by.
    #[error("publisher `{publisher}` is known here by other keys: {}", .known.join(", "))]
    OtherKeys {
        /// The publisher.
        publisher: String,
        /// The ids of its keys.
        known: Vec<String>,
    },
    /// Another successor was named for this epoch before.
    #[error("a different rotation of publisher `{publisher}` from epoch {epoch} was signed here before")]
    OtherSuccessor {
        /// The publisher.
        publisher: String,
        /// The epoch.
        epoch: u64,
    },
    /// What is to be signed is not the statement of a release.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A release that does not list the key.
    #[error("the release does not list signing key `{name}` among the keys of publisher `{publisher}`")]
    NotListed {
        /// The key.
        name: String,
        /// The publisher.
        publisher: String,
    },
    /// A rotation that does not hold.
    #[error("the rotation cannot be made")]
    Rotation(#[from] RotationError),
    /// A revocation list that does not hold.
    #[error("the statement cannot be made")]
    Revocations(#[from] FeedError),
}

impl From<VaultError> for KeysError {
    fn from(error: VaultError) -> Self {
        StateError::from(error).into()
    }
}
