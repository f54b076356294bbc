//! Problems of the state root, its vault and its journal.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_journal::JournalError;
use palyra_skills::trust::{FeedError, TrustError};
use palyra_state::{StateError, TrustRefused};
use palyra_vault::{AnchorError, DeviceKeyError, KeyFileError, VaultError};
use serde_json::{Value, json};

use super::ToProblem;
use super::chain::sentence;

impl ToProblem for StateError {
    fn to_problem(&self) -> Problem {
        Problem::new(code(self), message(self)).hints(hints(self)).details(details(self))
    }
}

impl ToProblem for VaultError {
    fn to_problem(&self) -> Problem {
        let (hints, hint) = match self {
            Self::DeviceKey(error) => (device_key_hints(error), None),
            Self::KeyExists { .. } => (vec![taken_hint()], None),
            error => (Vec::new(), error.hint()),
        };
        Problem::new(vault_code(self), sentence(self)).hints(hints).hints(hint)
    }
}

impl ToProblem for JournalError {
    fn to_problem(&self) -> Problem {
        StateError::from(self.clone()).to_problem()
    }
}

/// Returns the message; the differences are in the details.
fn message(error: &StateError) -> String {
    match error {
        StateError::Damaged { damage } => match damage.differences.len() {
            1 => "the state is damaged in 1 place".into(),
            many => format!("the state is damaged in {many} places"),
        },
        error => sentence(error),
    }
}

fn code(error: &StateError) -> ErrorCode {
    match error {
        StateError::Trust(
            TrustRefused::Store(TrustError::UnknownPublisher(_))
            | TrustRefused::Feed(FeedError::UnknownIssuer(_)),
        ) => ErrorCode::NotFound,
        StateError::Journal(JournalError::Damaged(_)) => ErrorCode::StateDamaged,
        StateError::Vault(error) => vault_code(error),
        _ => error.code(),
    }
}

fn vault_code(error: &VaultError) -> ErrorCode {
    match error {
        VaultError::UnknownKey { .. } => ErrorCode::NotFound,
        VaultError::KeyExists { .. } => ErrorCode::AlreadyExists,
        VaultError::KeyNotActive { .. } => ErrorCode::KeyNotActive,
        VaultError::InvalidKeyName { .. }
        | VaultError::InvalidReference { .. }
        | VaultError::EmptySecret { .. }
        | VaultError::SecretTooLarge { .. } => ErrorCode::Usage,
        VaultError::Damaged { .. }
        | VaultError::Anchor(
            AnchorError::Deleted { .. }
            | AnchorError::Truncated { .. }
            | AnchorError::Edited { .. }
            | AnchorError::RolledBack { .. },
        ) => ErrorCode::StateDamaged,
        VaultError::DeviceKey(
            DeviceKeyError::PassphraseNeeded { .. }
            | DeviceKeyError::KeyFile { source: KeyFileError::WrongPassphrase, .. },
        ) => ErrorCode::Authentication,
        VaultError::DeviceKey(_) => ErrorCode::DeviceKey,
        _ => ErrorCode::StateIo,
    }
}

fn hints(error: &StateError) -> Vec<String> {
    match error {
        StateError::Vault(error) => error.to_problem().hints,
        error => error.hint().into_iter().collect(),
    }
}

fn taken_hint() -> String {
    "choose another name; `palyra keys list` shows the names in use".into()
}

/// Returns hints with flags, which the library does not know; the command that creates a device key reports its
/// location.
fn device_key_hints(error: &DeviceKeyError) -> Vec<String> {
    match error {
        DeviceKeyError::PassphraseNeeded { .. } => {
            vec!["pass it with `--passphrase-file FILE`, or run the command on a terminal".into()]
        }
        error => error.hint().into_iter().collect(),
    }
}

fn details(error: &StateError) -> Value {
    match error {
        StateError::Damaged { damage } => json!({ "differences": damage.differences }),
        StateError::Busy { holder } => json!({ "holder": holder }),
        StateError::NotInitialised { path } | StateError::AlreadyInitialised { path } => {
            json!({ "path": path.display().to_string() })
        }
        StateError::OtherRepair { expected, found } => json!({ "expected": expected, "found": found }),
        StateError::Journal(JournalError::Damaged(damage)) => json!({ "damage": damage }),
        _ => json!({}),
    }
}
