//! What the next release of a publisher says about its keys: which they are, their epoch, and how it came to them.

use super::rotation::SignedRotation;
use crate::constants::MAX_LINEAGE;
use crate::signing::{KeySet, PublisherKey};

/// The keys, epoch and lineage of the next release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Succession {
    /// The publisher's keys and threshold; none where nothing is known but the keys that sign.
    pub keys: Option<KeySet>,
    /// Their epoch.
    pub epoch: u64,
    /// The rotations that lead to them, oldest first.
    pub lineage: Vec<SignedRotation>,
}

/// Keys that are trusted for a publisher, and their epoch if it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKeys {
    /// The keys and their threshold.
    pub keys: KeySet,
    /// Their epoch.
    pub epoch: Option<u64>,
}

impl Succession {
    /// Finds the latest keys of a publisher that contain every signer.
    ///
    /// `statements` are in the order they were made: where one was written again for another epoch, the later one
    /// counts. The epoch of keys that are trusted already is not contradicted.
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

/// The statements that lead to one, that one included, oldest first.
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
