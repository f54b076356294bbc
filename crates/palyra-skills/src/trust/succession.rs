//! The keys for the next release of a publisher, with their epoch and lineage.

use super::rotation::SignedRotation;
use crate::constants::MAX_LINEAGE;
use crate::signing::{KeySet, PublisherKey};

/// The keys, epoch and lineage for the next release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Succession {
    /// The publisher's keys and threshold; `None` if only the signing keys are known.
    pub keys: Option<KeySet>,
    /// The epoch of the keys; 0 if unknown.
    pub epoch: u64,
    /// The rotations that led to the keys, oldest first.
    pub lineage: Vec<SignedRotation>,
}

/// Trusted keys of a publisher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKeys {
    /// The keys and their threshold.
    pub keys: KeySet,
    /// The epoch of the keys, if known.
    pub epoch: Option<u64>,
}

impl Succession {
    /// Finds the latest keys of a publisher that contain every signer.
    ///
    /// `statements` are in the order of their creation. If a rotation was signed again for another epoch, the later
    /// statement is used. The result never contradicts the epoch of trusted keys.
    #[must_use]
    pub fn find(
        publisher: &str,
        signers: &[PublisherKey],
        statements: &[SignedRotation],
        trusted: Option<&TrustedKeys>,
    ) -> Self {
        let own: Vec<&SignedRotation> =
            statements.iter().filter(|rotation| rotation.statement().publisher == publisher).collect();
        let has_signers = |keys: &KeySet| signers.iter().all(|key| keys.contains(key));
        let trusted = trusted.filter(|trusted| has_signers(&trusted.keys));
        let epoch = trusted.and_then(|trusted| trusted.epoch);
        let fits = |rotation: &&&SignedRotation| {
            has_signers(rotation.new_keys())
                && epoch.is_none_or(|epoch| rotation.statement().to_epoch == epoch)
        };
        match (own.iter().rfind(fits), trusted) {
            (Some(last), _) => Self {
                keys: Some(last.new_keys().clone()),
                epoch: last.statement().to_epoch,
                lineage: lineage_to(last, &own),
            },
            (None, Some(trusted)) => Self {
                keys: Some(trusted.keys.clone()),
                epoch: epoch.unwrap_or_default(),
                lineage: Vec::new(),
            },
            (None, None) => Self::default(),
        }
    }
}

/// Returns the statements that lead to `last`, including it, oldest first.
fn lineage_to(last: &SignedRotation, statements: &[&SignedRotation]) -> Vec<SignedRotation> {
    let mut lineage = vec![last.clone()];
    let mut first = last;
    while lineage.len() < MAX_LINEAGE {
        let leads = |before: &&&SignedRotation| {
            before.statement().to_epoch == first.statement().from_epoch
                && before.new_keys().count_signed(first.signers()) >= before.new_keys().threshold()
        };
        let Some(before) = statements.iter().rfind(leads) else { break };
        lineage.push((*before).clone());
        first = before;
    }
    lineage.reverse();
    lineage
}
