//! Decisions of an operator or of signed statements about publishers, each with its rows and leaf in one commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_journal::{EventKind, NewEvent};
use palyra_skills::signing::KeySet;
use palyra_skills::trust::{
    BuilderKey, FeedIssuer, FeedOutcome, RevocationTarget, RotationOutcome, SkillTrustStore, TrustSnapshot,
    TrustStatement,
};
use serde_json::json;

use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::{StateError, TrustRefused};
use crate::view::View;

/// Result of applying a signed statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementOutcome {
    /// The publisher's keys were replaced by their successors.
    Rotated,
    /// Two different successors were signed for one epoch; the publisher is blocked.
    Forked,
    /// Keys and releases were revoked.
    Revoked {
        /// Number of keys and releases that were not revoked before.
        added: usize,
    },
    /// The statement had been applied before.
    AlreadyKnown,
}

crate::state::store! {
    /// Changes the trust in publishers, keys, feeds and builders.
    TrustStore, trust
}

impl TrustStore<'_> {
    /// Returns the trust for a verification: a trust store, and the releases embedded in this program.
    pub fn snapshot(&self, store: impl Into<Arc<SkillTrustStore>>) -> TrustSnapshot {
        TrustSnapshot::new(store).with_built_in(Arc::clone(&self.state.built_in))
    }

    /// Adds a publisher with its keys to the allowlist; returns whether this is a change.
    pub fn allow_publisher(&self, publisher: &str, keys: KeySet, by: &str) -> Result<bool, StateError> {
        let event = self.state.event(EventKind::TrustAllowed, by).subject(publisher);
        let event = event.details(json!({ "keys": key_ids(&keys) }));
        self.change_trust(event, by, |store| Ok(store.allow(publisher, keys)?)).map(|((), changed)| changed)
    }

    /// Blocks a publisher: rejects its releases and quarantines those that are installed.
    pub fn block_publisher(&self, publisher: &str, reason: &str, by: &str) -> Result<(), StateError> {
        let event = self.state.event(EventKind::TrustBlocked, by).subject(publisher);
        let event = event.details(json!({ "reason": reason }));
        self.change_trust(event, by, |store| {
            store.block(publisher, reason);
            Ok(())
        })?;
        Ok(())
    }

    /// Unblocks a publisher; its quarantined releases stay quarantined until they are enabled.
    pub fn unblock_publisher(&self, publisher: &str, by: &str) -> Result<(), StateError> {
        let event = self.state.event(EventKind::TrustUnblocked, by).subject(publisher);
        self.change_trust(event, by, |store| Ok(store.unblock(publisher)?))?;
        Ok(())
    }

    /// Replaces the pinned keys of a publisher without a rotation statement.
    pub fn repin_publisher(&self, publisher: &str, keys: KeySet, by: &str) -> Result<(), StateError> {
        let event = self.state.event(EventKind::TrustRepinned, by).subject(publisher);
        let event = event.details(json!({ "keys": key_ids(&keys) }));
        self.change_trust(event, by, |store| Ok(store.repin(publisher, keys)?))?;
        Ok(())
    }

    /// Revokes a key or a release permanently; returns whether this is a change.
    pub fn revoke(&self, target: RevocationTarget, reason: &str, by: &str) -> Result<bool, StateError> {
        let event = self.state.event(EventKind::TrustRevoked, by).subject(target.to_string());
        let event = event.details(json!({ "reason": reason }));
        self.change_trust(event, by, |store| Ok(store.revoke(target, reason))).map(|(new, _)| new)
    }

    /// Applies a signed rotation or revocation list.
    pub fn apply_statement(
        &self,
        statement: &TrustStatement,
        by: &str,
    ) -> Result<StatementOutcome, StateError> {
        let applied = match statement {
            TrustStatement::Rotation(rotation) => {
                let event = self.state.event(EventKind::TrustRotated, by);
                let event = event.subject(&rotation.statement().publisher);
                let event = event.details(json!({ "to_epoch": rotation.statement().to_epoch }));
                self.change_trust(event, by, |store| {
                    Ok(match store.rotate(rotation)? {
                        RotationOutcome::Rotated => StatementOutcome::Rotated,
                        RotationOutcome::Forked => StatementOutcome::Forked,
                        RotationOutcome::AlreadyKnown => StatementOutcome::AlreadyKnown,
                    })
                })
            }
            TrustStatement::Revocations(signed) => {
                let issuer = match &signed.list().issuer {
                    FeedIssuer::Publisher(name) | FeedIssuer::Feed(name) => name,
                };
                let event = self.state.event(EventKind::TrustFeedApplied, by).subject(issuer);
                let event = event.details(json!({ "number": signed.list().number }));
                self.change_trust(event, by, |store| {
                    Ok(match store.apply_feed(signed)? {
                        FeedOutcome::Applied { added } => StatementOutcome::Revoked { added },
                        FeedOutcome::AlreadyKnown => StatementOutcome::AlreadyKnown,
                    })
                })
            }
        };
        applied.map(|(outcome, _)| outcome)
    }

    /// Subscribes to a revocation feed with these keys; returns whether this is a change.
    pub fn follow_feed(&self, name: &str, keys: KeySet, by: &str) -> Result<bool, StateError> {
        let details = json!({ "feed": name, "keys": key_ids(&keys) });
        let event = self.state.event(EventKind::TrustAllowed, by).subject(format!("feed/{name}"));
        let event = event.details(details);
        self.change_trust(event, by, |store| Ok(store.follow_feed(name, keys)?)).map(|((), changed)| changed)
    }

    /// Trusts a builder's provenance statements up to a level; returns whether that is new.
    pub fn allow_builder(&self, builder: BuilderKey, by: &str) -> Result<bool, StateError> {
        let event =
            self.state.event(EventKind::TrustAllowed, by).subject(format!("builder/{}", builder.name));
        let event = event.details(json!({ "key": builder.key.key_id().to_string(), "level": builder.level }));
        self.change_trust(event, by, |store| Ok(store.allow_builder(builder)?)).map(|(_, changed)| changed)
    }

    /// Commits one change of the trust store together with the quarantines that follow from it; returns
    /// whether anything changed.
    fn change_trust<T>(
        &self,
        event: NewEvent,
        by: &str,
        work: impl FnOnce(&mut SkillTrustStore) -> Result<T, TrustRefused>,
    ) -> Result<(T, bool), StateError> {
        let mut gate = self.state.gate();
        let mut store = SkillTrustStore::clone(gate.view.trust());
        let outcome = work(&mut store)?;
        if store == **gate.view.trust() {
            return Ok((outcome, false));
        }
        let mut rows = trust_rows(&gate.view, &store)?;
        let mut events = vec![event];
        self.state.skills().quarantine_untrusted(&gate.view, &store, &mut rows, &mut events, by)?;
        self.state.commit(&mut gate, Change { rows, events })?;
        Ok((outcome, true))
    }
}

/// Returns the changes from the trust rows of a view to those of a store.
pub(crate) fn trust_rows(view: &View, store: &SkillTrustStore) -> Result<Vec<RowChange>, StateError> {
    let rows = store.rows().map_err(StateError::record("written", "trust rows"))?;
    let wanted: BTreeMap<String, Vec<u8>> = rows.into_iter().map(|row| (row.key, row.bytes)).collect();
    Ok(view.rows().changes_to(SealedTable::Trust, &wanted))
}

fn key_ids(keys: &KeySet) -> Vec<String> {
    keys.keys().map(|key| key.key_id().to_string()).collect()
}
