//! What may be shown of a key.

use crate::error::CliError;
use crate::output::{facts, when};
use palyra_skills::signing::PublisherKey;
use palyra_state::State;
use palyra_vault::{KeyState, SigningKeyInfo, VaultError};
use serde::Serialize;

/// A signing key without its secret half.
#[derive(Debug, Clone, Serialize)]
pub(super) struct KeyView {
    pub(super) name: String,
    pub(super) key_id: String,
    pub(super) public_key: String,
    pub(super) state: &'static str,
    /// When it was retired or revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    pub(super) created: String,
}

impl KeyView {
    pub(super) fn of(info: &SigningKeyInfo) -> Result<Self, CliError> {
        let since = match info.state {
            KeyState::Active => None,
            KeyState::Retired { since_ms } | KeyState::Revoked { since_ms } => Some(when(since_ms)),
        };
        Ok(Self {
            name: info.name.clone(),
            key_id: info.key_id(),
            public_key: public(info)?.to_string(),
            state: info.state.name(),
            since,
            created: when(info.created_ms),
        })
    }

    pub(super) fn facts(&self) -> String {
        facts(&[
            ("name", self.name.clone()),
            ("key id", self.key_id.clone()),
            ("public key", self.public_key.clone()),
            ("state", self.state.to_owned()),
            ("since", self.since.clone().unwrap_or_default()),
        ])
    }
}

/// A key by its name; one that is not there comes with the names that are.
pub(super) fn find(state: &State, name: &str) -> Result<SigningKeyInfo, CliError> {
    match state.vault().keys().export_public(name) {
        Err(VaultError::UnknownKey { name }) => {
            let known = state.vault().keys().list()?.keys.into_iter().map(|key| key.name).collect();
            Err(CliError::NotFound { kind: "signing key", name, known })
        }
        found => Ok(found?),
    }
}

/// The public half as publishers are known by it.
pub(super) fn public(info: &SigningKeyInfo) -> Result<PublisherKey, CliError> {
    PublisherKey::from_bytes(&info.public_key).map_err(|error| CliError::File(error.into()))
}
