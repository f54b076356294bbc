//! What each error of the state root, its vault and its journal means outside.

use super::chain::sentence;
use palyra_skills::trust::{FeedError, TrustError};
use palyra_state::journal::JournalError;
use palyra_state::{Damage, StateError, TrustRefused};
use palyra_vault::{AnchorError, DeviceKeyError, KeyFileError, VaultError};
use serde_json::{Value, json};

/// The state is not as it was left.
pub(super) const DAMAGED: u8 = 7;
/// A name that nothing has.
pub(super) const NOT_FOUND: u8 = 11;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;
const BUSY: u8 = 8;

/// The word for programs and the exit code.
pub(super) struct Meaning {
    pub(super) code: &'static str,
    pub(super) exit_code: u8,
}

/// The message; what differs stands in the notes below it.
pub(super) fn message(error: &StateError) -> String {
    match error {
        StateError::Damaged { damage } => match damage.differences.len() {
            1 => "the state is damaged: one thing is not as it was left".into(),
            many => format!("the state is damaged: {many} things are not as they were left"),
        },
        error => sentence(error),
    }
}

pub(super) fn meaning(error: &StateError) -> Meaning {
    let (code, exit_code) = match error {
        StateError::Busy { .. } => (error.code(), BUSY),
        StateError::Damaged { .. } => (error.code(), DAMAGED),
        StateError::Trust(refused) => match refused {
            TrustRefused::Store(TrustError::UnknownPublisher(_) | TrustError::NotFound { .. })
            | TrustRefused::Feed(FeedError::UnknownIssuer(_)) => ("not_found", NOT_FOUND),
            _ => (error.code(), super::refusals::REFUSED),
        },
        StateError::Journal(JournalError::Damaged(_)) => ("state_damaged", DAMAGED),
        StateError::Vault(error) => vault_meaning(error),
        StateError::OtherRepair { .. } => (error.code(), super::refusals::REFUSED),
        _ => (error.code(), FAILED),
    };
    Meaning { code, exit_code }
}

fn vault_meaning(error: &VaultError) -> (&'static str, u8) {
    match error {
        VaultError::UnknownKey { .. } => ("not_found", NOT_FOUND),
        VaultError::KeyExists { .. } => ("already_exists", FAILED),
        VaultError::KeyNotActive { .. } => ("key_not_active", FAILED),
        VaultError::InvalidKeyName { .. }
        | VaultError::InvalidReference { .. }
        | VaultError::EmptySecret { .. }
        | VaultError::SecretTooLarge { .. } => ("usage", USAGE),
        VaultError::Damaged { .. }
        | VaultError::Anchor(
            AnchorError::Deleted { .. }
            | AnchorError::Truncated { .. }
            | AnchorError::Edited { .. }
            | AnchorError::RolledBack { .. },
        ) => ("state_damaged", DAMAGED),
        VaultError::DeviceKey(
            DeviceKeyError::PassphraseNeeded { .. }
            | DeviceKeyError::KeyFile { source: KeyFileError::WrongPassphrase, .. },
        ) => ("authentication", AUTHENTICATION),
        VaultError::DeviceKey(_) => ("device_key", FAILED),
        _ => ("state_io", FAILED),
    }
}

pub(super) fn hints(error: &StateError) -> Vec<String> {
    if let StateError::Vault(error) = error
        && let VaultError::DeviceKey(error) = &**error
    {
        return device_key_hints(error);
    }
    if let StateError::Vault(error) = error
        && let VaultError::KeyExists { .. } = &**error
    {
        return vec!["choose another name; `palyra keys list` shows those that are taken".into()];
    }
    error.hint().into_iter().collect()
}

/// The library does not know our flags.
fn device_key_hints(error: &DeviceKeyError) -> Vec<String> {
    match error {
        DeviceKeyError::KeyringUnavailable { .. } | DeviceKeyError::KeyringNotBuilt => vec![
            "on a machine without a keyring choose a private file: `palyra init --device-key file`".into(),
            "or a private file under a passphrase: `palyra init --device-key passphrase`".into(),
        ],
        DeviceKeyError::PassphraseNeeded { .. } => {
            vec!["give it with `--passphrase-file FILE`, or run on a terminal to be asked".into()]
        }
        error => error.hint().into_iter().collect(),
    }
}

pub(super) fn details(error: &StateError) -> Value {
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

/// Each difference on lines of its own.
pub(super) fn notes(error: &StateError) -> Vec<(&'static str, String)> {
    match error {
        StateError::Damaged { damage } => difference_notes(damage),
        _ => Vec::new(),
    }
}

pub(super) fn difference_notes(damage: &Damage) -> Vec<(&'static str, String)> {
    let one = |difference: &palyra_state::Difference| {
        [
            ("differs", difference.what.clone()),
            ("expected", difference.expected.clone()),
            ("found", difference.found.clone()),
            ("remedy", difference.remedy.clone()),
        ]
    };
    damage.differences.iter().flat_map(one).collect()
}
