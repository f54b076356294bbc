//! A lineage as a whole: the rotation statements that lead from earlier keys of a publisher to those of a release.

use std::collections::{BTreeMap, BTreeSet};

use super::rotation::SignedRotation;
use crate::artifact::clip;
use crate::signing::{KeyId, KeySet, PublisherKey};

/// Why rotation statements do not form a lineage to the keys of a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum LineageProblem {
    /// A statement of another publisher.
    #[error("it contains a rotation of publisher `{0}`")]
    OtherPublisher(String),
    /// Two successors for one epoch.
    #[error("it contains two different rotations from epoch {0}")]
    Forked(u64),
    /// A retired key is used again.
    #[error("key `{key}` returns at epoch {epoch} after it was retired")]
    KeyReturns {
        key: KeyId,
        /// The epoch it returns at.
        epoch: u64,
    },
    /// A gap, a repetition or another order than oldest first.
    #[error("found a rotation from epoch {found}, expected one from epoch {expected}")]
    Order {
        /// The epoch of the statement.
        found: u64,
        /// The epoch it must have.
        expected: u64,
    },
    /// A statement that the keys before it did not sign.
    #[error("{found} of the keys of epoch {epoch} signed the rotation that ends it, {needed} are required")]
    NotLinked {
        epoch: u64,
        /// How many of its keys signed.
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// It does not lead to the release.
    #[error("it ends at epoch {ends} or with other keys, the release has epoch {epoch}")]
    OtherEnd {
        ends: u64,
        /// The epoch of the release.
        epoch: u64,
    },
    /// It names other keys for an epoch than are known here.
    #[error("its keys for epoch {0} differ from the known keys")]
    OtherHistory(u64),
}

impl LineageProblem {
    /// Returns whether the refusal proves misuse of the keys.
    pub(crate) fn is_misuse(&self) -> bool {
        matches!(self, Self::Forked(_) | Self::KeyReturns { .. })
    }
}

/// Checks that statements, oldest first, are one line of succession that ends with these keys at this epoch.
///
/// Each statement is already valid on its own; whether the first keys are trusted is not checked.
pub(crate) fn check_lineage(
    publisher: &str,
    lineage: &[SignedRotation],
    keys: &KeySet,
    epoch: u64,
) -> Result<(), LineageProblem> {
    let foreign = lineage.iter().find(|rotation| rotation.statement().publisher != publisher);
    if let Some(foreign) = foreign {
        return Err(LineageProblem::OtherPublisher(clip(&foreign.statement().publisher)));
    }
    check_one_successor(lineage)?;
    let mut retired: BTreeSet<&PublisherKey> = BTreeSet::new();
    let mut before: Option<&SignedRotation> = None;
    for rotation in lineage {
        if let Some(before) = before {
            check_follows(before, rotation)?;
        }
        retired.extend(rotation.old_keys().keys().filter(|key| !rotation.new_keys().contains(key)));
        if let Some(key) = rotation.new_keys().keys().find(|key| retired.contains(key)) {
            let epoch = rotation.statement().to_epoch;
            return Err(LineageProblem::KeyReturns { key: key.key_id(), epoch });
        }
        before = Some(rotation);
    }
    match before {
        Some(last) if last.statement().to_epoch != epoch || last.new_keys() != keys => {
            Err(LineageProblem::OtherEnd { ends: last.statement().to_epoch, epoch })
        }
        _ => Ok(()),
    }
}

fn check_one_successor(lineage: &[SignedRotation]) -> Result<(), LineageProblem> {
    let mut by_epoch = BTreeMap::new();
    for rotation in lineage {
        let epoch = rotation.statement().from_epoch;
        if *by_epoch.entry(epoch).or_insert(rotation.digest()) != rotation.digest() {
            return Err(LineageProblem::Forked(epoch));
        }
    }
    Ok(())
}

fn check_follows(before: &SignedRotation, rotation: &SignedRotation) -> Result<(), LineageProblem> {
    let (found, expected) = (rotation.statement().from_epoch, before.statement().to_epoch);
    if found != expected {
        return Err(LineageProblem::Order { found, expected });
    }
    let keys = before.new_keys();
    let (found, needed) = (keys.count_signed(rotation.signers()), keys.threshold());
    if found < needed {
        return Err(LineageProblem::NotLinked { epoch: expected, found, needed });
    }
    Ok(())
}
