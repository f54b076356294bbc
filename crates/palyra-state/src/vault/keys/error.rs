//! Why nothing was done with a signing key.

use palyra_skills::signing::{KeyError, KeySetError};
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
    /// The epoch that ends is neither known nor named.
    #[error("the epoch of publisher `{publisher}` is not known here")]
    UnknownEpoch {
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
