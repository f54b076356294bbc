//! Errors of using a signing key.

use palyra_skills::signing::{KeyError, KeySetError, StatementError};
use palyra_skills::trust::{FeedError, RotationError};
use palyra_vault::{KeyFileError, VaultError};

use crate::error::StateError;

/// Error of using a signing key.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum KeysError {
    /// The vault or the journal failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// No key has this name.
    #[error("signing key `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// The file is not a key file, or the passphrase does not open it.
    #[error("cannot use the key file")]
    KeyFile(#[from] KeyFileError),
    /// The public key has an unsafe value.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The keys and the threshold do not form a valid key set.
    #[error(transparent)]
    KeySet(#[from] KeySetError),
    /// The given epoch is not the current epoch of the publisher.
    #[error(
        "the keys of publisher `{publisher}` have epoch {known}, so the rotation cannot end epoch {given}"
    )]
    WrongEpoch {
        publisher: String,
        /// Epoch in the request.
        given: u64,
        /// Epoch known on this machine.
        known: u64,
    },
    /// The keys to retire are not those of the publisher on this machine.
    #[error("publisher `{publisher}` has other keys on this machine: {}", .known.join(", "))]
    OtherKeys {
        publisher: String,
        /// Ids of the publisher's keys.
        known: Vec<String>,
    },
    /// A rotation to other keys was signed for this epoch before.
    #[error("a different rotation of publisher `{publisher}` from epoch {epoch} was signed here before")]
    OtherSuccessor { publisher: String, epoch: u64 },
    /// The bytes to sign are not a release statement.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The statement does not list the key.
    #[error("the statement does not list signing key `{name}` among the keys of publisher `{publisher}`")]
    NotListed { name: String, publisher: String },
    /// The rotation is invalid.
    #[error("cannot create the rotation")]
    Rotation(#[from] RotationError),
    /// The revocation list is invalid.
    #[error("cannot create the statement")]
    Revocations(#[from] FeedError),
}

impl From<VaultError> for KeysError {
    fn from(error: VaultError) -> Self {
        StateError::from(error).into()
    }
}
