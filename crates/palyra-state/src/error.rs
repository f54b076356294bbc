//! Errors of opening, reading and changing the state root.

use palyra_common::ErrorCode;
use std::path::PathBuf;
use std::sync::Arc;

use palyra_common::fs::FsError;
use palyra_journal::JournalError;
use palyra_skills::Sha256Digest;
use palyra_skills::trust::{FeedError, TrustError};
use palyra_vault::VaultError;

use crate::damage::Damage;
use crate::lock::{LockError, LockHolder};
use crate::objects::ObjectError;
use crate::storage::StorageError;

/// Error of an operation on the state root.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StateError {
    /// The state root does not exist; opening never creates one.
    #[error("no state root at `{}`", path.display())]
    NotInitialised {
        /// Path that was searched.
        path: PathBuf,
    },
    /// A state root exists; creating one never replaces it.
    #[error("a state root already exists at `{}`", path.display())]
    AlreadyInitialised { path: PathBuf },
    /// Another process owns the state root.
    #[error("{}", LockError::Busy { holder: holder.clone() })]
    Busy {
        /// The owner, if its lock file names it.
        holder: Option<LockHolder>,
    },
    /// A file or row is missing, edited or rolled back; nothing runs until an operator repairs it.
    #[error("the state is damaged: {damage}")]
    Damaged { damage: Damage },
    /// A repair was requested, but no check found a difference.
    #[error("nothing to repair")]
    NothingToRepair,
    /// The accepted repair plan is not the plan for the current damage.
    #[error("the accepted repair is `{found}`, but the current damage is `{expected}`")]
    OtherRepair {
        /// Digest of the current plan.
        expected: Sha256Digest,
        /// The digest that was accepted.
        found: Sha256Digest,
    },
    /// A file operation failed.
    #[error(transparent)]
    File(Arc<FsError>),
    /// The journal failed.
    #[error(transparent)]
    Journal(JournalError),
    /// The vault failed.
    #[error(transparent)]
    Vault(Arc<VaultError>),
    /// The object store failed.
    #[error(transparent)]
    Object(Arc<ObjectError>),
    /// The storage database of skills cannot be opened.
    #[error(transparent)]
    Storage(Arc<StorageError>),
    /// The trust store rejected a change; nothing was changed.
    #[error(transparent)]
    Trust(#[from] TrustRefused),
    /// The state changed after this operation was planned.
    #[error("the state changed from generation {planned} to {found} during this operation")]
    Moved {
        /// Generation the operation was planned against.
        planned: u64,
        found: u64,
    },
    /// A record cannot be serialized or parsed.
    #[error("the record `{key}` cannot be {doing}: {reason}")]
    Record {
        /// `written` or `read`.
        doing: &'static str,
        key: String,
        reason: String,
    },
}

/// Why a change of publishers, keys or revocation lists was rejected.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TrustRefused {
    /// The operation is invalid for the stored publishers and keys.
    #[error(transparent)]
    Store(#[from] TrustError),
    /// The revocation list was rejected.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

impl TrustRefused {
    /// Returns the next step for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Feed(_) => "get the latest list from its issuer; `palyra trust list` shows the trusted \
                feeds"
                .into(),
        }
    }
}

impl StateError {
    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotInitialised { .. } => {
                Some("create one with `palyra up -d`, or choose another with `--state-root`".into())
            }
            Self::AlreadyInitialised { .. } => {
                Some("use the existing one, or choose another with `--state-root`".into())
            }
            Self::Busy { .. } => Some(
                "wait for it to finish, or stop it (a daemon with `palyra daemon stop`), then try again"
                    .into(),
            ),
            Self::Damaged { .. } => {
                Some("show the damage with `palyra trust repair`; nothing runs until it is repaired".into())
            }
            Self::OtherRepair { .. } => {
                Some("run `palyra trust repair` again and accept the digest it shows".into())
            }
            Self::File(error) => error.hint(),
            Self::Journal(error) => error.hint().map(str::to_owned),
            Self::Vault(error) => error.hint(),
            Self::Object(error) => Some(error.hint().to_owned()),
            Self::Trust(refused) => Some(refused.hint()),
            Self::Moved { .. } => Some("try again".into()),
            Self::NothingToRepair | Self::Storage(_) | Self::Record { .. } => None,
        }
    }

    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotInitialised { .. } => ErrorCode::NotInitialised,
            Self::AlreadyInitialised { .. } => ErrorCode::AlreadyInitialised,
            Self::Busy { .. } => ErrorCode::StateBusy,
            Self::File(error) if matches!(**error, FsError::LockLost { .. }) => ErrorCode::StateBusy,
            Self::Journal(JournalError::File(error)) if matches!(**error, FsError::LockLost { .. }) => {
                ErrorCode::StateBusy
            }
            Self::Damaged { .. } => ErrorCode::StateDamaged,
            Self::NothingToRepair | Self::OtherRepair { .. } => ErrorCode::RepairRefused,
            Self::File(_) | Self::Journal(_) | Self::Vault(_) | Self::Object(_) | Self::Storage(_) => {
                ErrorCode::StateIo
            }
            Self::Trust(_) => ErrorCode::TrustRefused,
            Self::Moved { .. } => ErrorCode::StateBusy,
            Self::Record { .. } => ErrorCode::Internal,
        }
    }

    /// Returns a closure that wraps an error with the operation (`written` or `read`) and the key of a record.
    pub fn record<E: std::fmt::Display>(
        doing: &'static str,
        key: impl Into<String>,
    ) -> impl FnOnce(E) -> Self {
        let key = key.into();
        move |error| Self::Record { doing, key, reason: error.to_string() }
    }
}

impl From<LockError> for StateError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy { holder } => Self::Busy { holder },
            LockError::File(error) => error.into(),
        }
    }
}

impl From<JournalError> for StateError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

macro_rules! shared {
    ($($variant:ident($error:ty)),+ $(,)?) => {$(
        impl From<$error> for StateError {
            fn from(error: $error) -> Self {
                Self::$variant(Arc::new(error))
            }
        }
    )+};
}
shared!(File(FsError), Vault(VaultError), Object(ObjectError), Storage(StorageError));
