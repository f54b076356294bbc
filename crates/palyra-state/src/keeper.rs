//! The owner's access to its vault: derived keys, the checkpoint signer and the anchor.

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

/// The vault with the lock that serializes changes of its entries.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) vault: Arc<Vault>,
    desk: Arc<Mutex<()>>,
}

impl Keeper {
    pub(crate) fn new(vault: Vault) -> Self {
        Self { vault: Arc::new(vault), desk: Arc::default() }
    }

    /// Locks the entries against changes by others. Taken before the commit lock, never while holding it.
    pub(crate) fn desk(&self) -> MutexGuard<'_, ()> {
        self.desk.lock()
    }

    /// Derives the key of all row MACs.
    pub(crate) fn row_key(&self) -> Arc<RowKey> {
        Arc::new(RowKey::new(self.vault.derive_key(ROW_KEY)))
    }

    /// Returns the signer of the journal's checkpoints. Its origin contains a hash of the key, so that two
    /// journals never share one.
    pub(crate) fn signer(&self) -> Result<CheckpointSigner, StateError> {
        let seed = self.vault.device_signing_seed();
        let failed = |error: KeyError| StateError::record("read", "journal key")(error);
        let unnamed = CheckpointSigner::from_seed("palyra", &seed).map_err(failed)?;
        let name = hex::encode(Sha256::digest(unnamed.key().public_key()));
        let origin = format!("palyra/{}", name.get(..16).unwrap_or_default());
        CheckpointSigner::from_seed(&origin, &seed).map_err(failed)
    }

    /// Reads the anchors; a record that was deleted, edited or rolled back is added to `damage`.
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

    /// Reads the journal's head as of the last clean shutdown or checkpoint.
    pub(crate) fn head(&self, damage: &mut Damage) -> Result<Option<TreeHead>, StateError> {
        match self.vault.journal_head().read() {
            Ok(value) => {
                let read = |value: AnchorValue| serde_json::from_slice(value.as_bytes());
                value.map(read).transpose().map_err(StateError::record("read", "journal head"))
            }
            Err(error) => unless_damaged(error, "the journal head in the vault", damage).map(|()| None),
        }
    }

    /// Stores the journal's head.
    pub(crate) fn keep_head(&self, head: TreeHead) -> Result<(), StateError> {
        self.vault.journal_head().write(encode_head(head)?).map_err(vault)
    }

    /// Writes the first anchor of a new vault.
    pub(crate) fn begin(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().initialise(encode(anchor)?).map_err(vault)
    }

    /// Stores the pending anchor, before its commit.
    pub(crate) fn promise(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().write_pending(encode(anchor)?).map_err(vault)
    }

    /// Marks the pending anchor as committed.
    pub(crate) fn fulfil(&self) -> Result<(), StateError> {
        settled(self.vault.anchor().commit())
    }

    /// Discards the pending anchor of a commit that did not happen.
    pub(crate) fn withdraw(&self) -> Result<(), StateError> {
        settled(self.vault.anchor().discard_pending())
    }

    /// Replaces anchor and head unconditionally, for a repair or restore that was confirmed.
    pub(crate) fn start_over(&self, anchor: &Anchor) -> Result<(), StateError> {
        self.vault.anchor().replace(encode(anchor)?).map_err(vault)?;
        self.vault.journal_head().replace(encode_head(anchor.journal)?).map_err(vault)
    }
}

/// Converts the error of a missing or foreign vault to the damage it means; other vault errors are failures to read it.
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

/// Treats a missing pending anchor as success: a crash between the two writes leaves exactly that.
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
