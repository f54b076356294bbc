//! What the owner asks of its vault: keys that are derived, and the anchor that is kept.

use std::sync::Arc;

use palyra_journal::{CheckpointSigner, KeyError, TreeHead};
use palyra_vault::{AnchorError, AnchorState, AnchorValue, Vault, VaultError};
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};

use crate::anchor::{Anchor, Anchors};
use crate::damage::Damage;
use crate::db::RowKey;
use crate::error::StateError;

const ROW_KEY: &str = "palyra-state: MACs of sealed rows v1";
const RESTORE: &str =
    "restore the vault from a backup, or accept the current state with `palyra trust repair`";

/// The vault as the owner uses it.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) vault: Arc<Vault>,
    desk: Arc<Mutex<()>>,
}

impl Keeper {
    pub(crate) fn new(vault: Vault) -> Self {
        Self { vault: Arc::new(vault), desk: Arc::default() }
    }

    /// Its holder is the only one that changes entries; taken before the commit lock, never under it.
    pub(crate) fn desk(&self) -> MutexGuard<'_, ()> {
        self.desk.lock()
    }

    /// The key of all row MACs.
    pub(crate) fn row_key(&self) -> Arc<RowKey> {
        Arc::new(RowKey::new(self.vault.derive_key(ROW_KEY)))
    }

    /// Signs the journal's checkpoints; the origin names the key, so that two journals never share one.
    pub(crate) fn signer(&self) -> Result<CheckpointSigner, StateError> {
        let seed = self.vault.device_signing_seed();
        let failed = |error: KeyError| StateError::record("read", "journal key")(error);
        let unnamed = CheckpointSigner::from_seed("palyra", &seed).map_err(failed)?;
        let name = hex::encode(Sha256::digest(unnamed.key().public_key()));
        let origin = format!("palyra/{}", name.get(..16).unwrap_or_default());
        CheckpointSigner::from_seed(&origin, &seed).map_err(failed)
    }

    /// What is kept; a record that is not as it was left is a difference.
    pub(crate) fn anchors(&self, damage: &mut Damage) -> Result<Anchors, StateError> {
        match self.vault.anchor().read() {
            Ok(Some(AnchorState { committed, pending })) => Ok(Anchors {
                committed: Some(decode(&committed)?),
                pending: pending.as_ref().map(decode).transpose()?,
            }),
            Ok(None) => Ok(Anchors::default()),
            Err(error) => {
                unless_damaged(error, "the anchor in the vault", damage).map(|()| Anchors::default())
            }
        }
    }

    /// The journal's head as of the last clean stop or checkpoint.
    pub(crate) fn head(&self, damage: &mut Damage) -> Result<Option<TreeHead>, StateError> {
        match self.vault.journal_head().read() {
            Ok(value) => {
                let read = |value: AnchorValue| serde_json::from_slice(value.as_bytes());
                value.map(read).transpose().map_err(StateError::record("read", "journal head"))
            }
            Err(error) => unless_damaged(error, "the journal head in the vault", damage).map(|()| None),
        }
    }

    /// Remembers the journal's head.
    pub(crate) fn keep_head(&self, head: TreeHead) -> Result<(), StateError> {
        self.vault.journal_head().write(encode_head(head)?).map_err(vault)
    }

    /// Gives a new vault its first anchor.
    pub(crate) fn begin(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().initialise(encode(anchor)?).map_err(vault)
    }

    /// Says that a commit may be about to happen.
    pub(crate) fn promise(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().write_pending(encode(anchor)?).map_err(vault)
    }

    /// Says that the promised commit has happened.
    pub(crate) fn fulfil(&self) -> Result<(), StateError> {
        settled(self.vault.anchor().commit())
    }

    /// Says that the promised commit never happened.
    pub(crate) fn withdraw(&self) -> Result<(), StateError> {
        settled(self.vault.anchor().discard_pending())
    }

    /// Replaces whatever is kept: for a repair that a person confirmed.
    pub(crate) fn start_over(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().replace(encode(anchor)?).map_err(vault)?;
        self.vault.journal_head().replace(encode_head(anchor.journal)?).map_err(vault)
    }
}

/// A vault that is not there or not ours is damage of the state, not a failure to look.
pub(crate) fn vault_damage(error: &VaultError) -> Option<Damage> {
    use VaultError as E;
    let missing = matches!(
        error,
        E::NotInitialised { .. } | E::HeaderMissing { .. } | E::BadHeader { .. } | E::WrongDeviceKey { .. }
    );
    missing.then(|| {
        let mut damage = Damage::default();
        let remedy =
            "restore `vault` and its device key from one backup; without them nothing here can be verified";
        damage.add("`vault`", "the vault of this state root", error, remedy);
        damage
    })
}

/// Nothing pending is as good as settled: a stop between two writes leaves exactly that.
fn settled(result: Result<(), AnchorError>) -> Result<(), StateError> {
    match result {
        Err(AnchorError::NothingPending { .. }) => Ok(()),
        other => other.map_err(vault),
    }
}

fn unless_damaged(error: AnchorError, what: &str, damage: &mut Damage) -> Result<(), StateError> {
    use AnchorError as E;
    match error {
        E::Deleted { .. } | E::Truncated { .. } | E::Edited { .. } | E::RolledBack { .. } => {
            damage.add(what, "the record of the last commit", &error, RESTORE);
            Ok(())
        }
        error => Err(vault(error)),
    }
}

fn vault(error: AnchorError) -> StateError {
    VaultError::from(error).into()
}

fn encode(anchor: &Anchor) -> Result<AnchorValue, StateError> {
    let bytes = anchor.to_bytes().map_err(StateError::record("written", "anchor"))?;
    AnchorValue::new(bytes).map_err(vault)
}

fn encode_head(head: TreeHead) -> Result<AnchorValue, StateError> {
    let bytes = serde_json::to_vec(&head).map_err(StateError::record("written", "journal head"))?;
    AnchorValue::new(bytes).map_err(vault)
}

fn decode(value: &AnchorValue) -> Result<Anchor, StateError> {
    Anchor::from_bytes(value.as_bytes()).map_err(StateError::record("read", "anchor"))
}
