//! The trust step: revoked > blocked > built in > allowlisted > pinned > lineage > TOFU offer > unknown.

use super::change::PublisherChange;
use super::decision::{TrustDecision, TrustRefusal};
use super::lineage::{LineageProblem, check_lineage};
use super::publisher::{KeyOrigin, PublisherAnchor};
use super::revocation::RevocationTarget;
use super::rotation::{RotationOutcome, SignedRotation};
use super::skill::SkillOwnership;
use super::snapshot::TrustSnapshot;
use super::store::SkillTrustStore;
use crate::artifact::clip;
use crate::digest::Sha256Digest;
use crate::signing::{KeyId, KeySet, PublisherKey};

/// The facts of a verified artifact that the trust step needs.
pub(crate) struct Offer<'a> {
    pub(crate) publisher: &'a str,
    pub(crate) skill_id: &'a str,
    pub(crate) payload: Sha256Digest,
    /// The publisher's keys, as listed in the statement.
    pub(crate) keys: &'a KeySet,
    pub(crate) epoch: u64,
    /// The keys with valid signatures.
    pub(crate) signers: &'a [PublisherKey],
    pub(crate) lineage: &'a [SignedRotation],
}

/// Whether an artifact is new or an installed one is checked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerifyMode {
    /// Offered for installation or update.
    Offered,
    /// Accepted before: a retired key or a newer accepted version does not refuse it.
    Installed,
}

/// A refusal, with the change to the publisher that it requires.
pub(crate) type Refused = (TrustRefusal, Option<PublisherChange>);

/// Returns the trust in an artifact's publisher, and the change to its keys to store on acceptance.
pub(crate) fn judge(
    trust: &TrustSnapshot,
    offer: &Offer<'_>,
    mode: VerifyMode,
) -> Result<(TrustDecision, Option<PublisherChange>), Refused> {
    let store = trust.store();
    check_revoked(store, offer).map_err(|refusal| (refusal, None))?;
    let known = store.publisher(offer.publisher);
    if let Some(reason) = known.and_then(|known| known.blocked.as_ref()) {
        let (publisher, reason) = (offer.publisher.to_owned(), reason.clone());
        return Err((TrustRefusal::Blocked { publisher, reason }, None));
    }
    let skill = store.skill(offer.skill_id);
    let accepted =
        mode == VerifyMode::Installed && skill.is_some_and(|skill| skill.accepted_as_built_in(offer.payload));
    if accepted || trust.is_built_in(offer.payload) {
        return Ok((TrustDecision::BuiltIn, None));
    }
    let (decision, change) = match known.and_then(|known| known.anchor.as_ref()) {
        Some(anchor) => judge_known(store, anchor, offer, mode)?,
        None => judge_first_contact(trust, offer)?,
    };
    // A key that was pinned on first use must not take over a skill that is part of the program.
    if skill.is_some_and(SkillOwnership::has_built_in) && !decision.is_allowlisted() {
        let (skill_id, publisher) = (offer.skill_id.to_owned(), offer.publisher.to_owned());
        return Err((TrustRefusal::BuiltInSkill { skill_id, publisher }, None));
    }
    Ok((decision, change))
}

fn check_revoked(store: &SkillTrustStore, offer: &Offer<'_>) -> Result<(), TrustRefusal> {
    let signers = offer.signers.iter().map(|key| RevocationTarget::Key(key.key_id()));
    let mut targets = signers.chain([RevocationTarget::Payload(offer.payload)]);
    match targets.find_map(|target| Some((target, store.revoked(target, offer.publisher)?))) {
        Some((target, revocation)) => Err(TrustRefusal::Revoked { target, reason: clip(&revocation.reason) }),
        None => Ok(()),
    }
}

/// Checks the artifact's rotation statements as a whole, before any decision about its keys.
fn check_offered_lineage(offer: &Offer<'_>) -> Result<(), LineageProblem> {
    check_lineage(offer.publisher, offer.lineage, offer.keys, offer.epoch)
}

fn lineage_refusal(offer: &Offer<'_>, problem: LineageProblem) -> TrustRefusal {
    let publisher = offer.publisher.to_owned();
    match problem {
        LineageProblem::Forked(epoch) => TrustRefusal::Forked { publisher, epoch },
        problem => TrustRefusal::Lineage { publisher, problem },
    }
}

fn block_for(refusal: &TrustRefusal) -> PublisherChange {
    PublisherChange::Block { reason: refusal.to_string() }
}

fn judge_first_contact(
    trust: &TrustSnapshot,
    offer: &Offer<'_>,
) -> Result<(TrustDecision, Option<PublisherChange>), Refused> {
    check_offered_lineage(offer).map_err(|problem| {
        // The signers of the release signed this lineage too, so these keys are compromised.
        let misuse = problem.is_misuse();
        let refusal = lineage_refusal(offer, problem);
        let change = misuse.then(|| block_for(&refusal));
        (refusal, change)
    })?;
    // A key set with a revoked member must not be pinned, even if that member did not sign.
    for key in offer.keys.keys() {
        let target = RevocationTarget::Key(key.key_id());
        if let Some(revocation) = trust.store().revoked(target, offer.publisher) {
            return Err((TrustRefusal::Revoked { target, reason: clip(&revocation.reason) }, None));
        }
    }
    let (keys, epoch, lineage) = (offer.keys.clone(), offer.epoch, offer.lineage.to_vec());
    if !trust.allows_tofu() {
        return Ok((TrustDecision::Unknown { keys }, None));
    }
    let change = PublisherChange::Pin { keys: keys.clone(), epoch, lineage };
    Ok((TrustDecision::TofuOffer { keys, epoch }, Some(change)))
}

fn judge_known(
    store: &SkillTrustStore,
    anchor: &PublisherAnchor,
    offer: &Offer<'_>,
    mode: VerifyMode,
) -> Result<(TrustDecision, Option<PublisherChange>), Refused> {
    // Proof by the trusted keys comes first, because only that may block the publisher.
    let lineage = follow_lineage(store, offer)?;
    check_offered_lineage(offer)
        .and_then(|()| check_history(anchor, offer, mode))
        .map_err(|problem| (lineage_refusal(offer, problem), None))?;
    let refusal = match check_current(anchor, offer, mode) {
        Ok(()) => {
            let (epoch, lineage) = (offer.epoch, offer.lineage.to_vec());
            let change = anchor.epoch.is_none().then_some(PublisherChange::LearnEpoch { epoch, lineage });
            return Ok((by_origin(anchor.origin), change));
        }
        Err(refusal) => refusal,
    };
    if let Some((after, rotations)) = lineage
        && check_current(&after, offer, mode).is_ok()
    {
        let decision =
            TrustDecision::Lineage { origin: anchor.origin, from_epoch: anchor.epoch, to_epoch: offer.epoch };
        return Ok((decision, Some(PublisherChange::Rotate(rotations))));
    }
    if mode == VerifyMode::Installed && was_accepted_under_past_keys(store, anchor, offer) {
        return Ok((by_origin(anchor.origin), None));
    }
    Err((refusal, None))
}

/// Returns the publisher after the artifact's rotations, and the rotations that are new. `None` if there are none.
fn follow_lineage(
    store: &SkillTrustStore,
    offer: &Offer<'_>,
) -> Result<Option<(PublisherAnchor, Vec<SignedRotation>)>, Refused> {
    if offer.lineage.is_empty() {
        return Ok(None);
    }
    let mut after = store.clone();
    let mut followed = Vec::new();
    for rotation in offer.lineage.iter().filter(|rotation| rotation.statement().publisher == offer.publisher)
    {
        match after.rotate(rotation) {
            Ok(RotationOutcome::Rotated) => followed.push(rotation.clone()),
            Ok(RotationOutcome::AlreadyKnown) => {}
            Ok(RotationOutcome::Forked) => {
                let (publisher, epoch) = (offer.publisher.to_owned(), rotation.statement().from_epoch);
                let refusal = TrustRefusal::Forked { publisher, epoch };
                let block = block_for(&refusal);
                return Err((refusal, Some(block)));
            }
            // Statements that are older than the known epoch, or signed by untrusted keys, are ignored here;
            // `check_history` compares them with the known keys.
            Err(_) => {}
        }
    }
    let anchor = after.publisher(offer.publisher).and_then(|trust| trust.anchor.clone());
    Ok(anchor.filter(|_| !followed.is_empty()).map(|anchor| (anchor, followed)))
}

/// Checks the lineage against known epochs: a statement that introduces a known epoch must be signed by the keys known
/// for it, because every new key signs.
fn check_history(
    anchor: &PublisherAnchor,
    offer: &Offer<'_>,
    mode: VerifyMode,
) -> Result<(), LineageProblem> {
    // The lineage of an accepted release may include rotations from before an operator repinned the publisher.
    if mode == VerifyMode::Installed {
        return Ok(());
    }
    let past = anchor.current_line().iter().map(|past| (past.epoch, &past.keys));
    let known: Vec<(Option<u64>, &KeySet)> = past.chain([(anchor.epoch, &anchor.keys)]).collect();
    let differs = |rotation: &&SignedRotation| {
        let epoch = Some(rotation.statement().to_epoch);
        let signed = |keys: &KeySet| keys.count_signed(rotation.signers()) >= keys.threshold();
        known.iter().any(|(known_epoch, keys)| *known_epoch == epoch && !signed(keys))
    };
    match offer.lineage.iter().find(differs) {
        Some(rotation) => Err(LineageProblem::OtherHistory(rotation.statement().to_epoch)),
        None => Ok(()),
    }
}

/// Checks that enough of the current keys signed, in the current epoch.
fn check_current(anchor: &PublisherAnchor, offer: &Offer<'_>, mode: VerifyMode) -> Result<(), TrustRefusal> {
    let publisher = || offer.publisher.to_owned();
    let (found, needed) = (anchor.keys.count_signed(offer.signers), anchor.keys.threshold());
    if found < needed {
        if found > 0 {
            return Err(TrustRefusal::Threshold { publisher: publisher(), found, needed });
        }
        if let Some(key) = offer.signers.iter().find(|key| anchor.is_retired(key)) {
            return Err(TrustRefusal::RetiredKey { publisher: publisher(), key: key.key_id() });
        }
        return Err(TrustRefusal::KeyMismatch {
            publisher: publisher(),
            expected: ids(anchor.keys.keys()),
            found: ids(offer.signers),
        });
    }
    match anchor.epoch {
        Some(expected) if offer.epoch < expected && mode == VerifyMode::Offered => {
            Err(TrustRefusal::StaleEpoch { publisher: publisher(), found: offer.epoch, expected })
        }
        Some(expected) if offer.epoch > expected => {
            Err(TrustRefusal::EpochAhead { publisher: publisher(), found: offer.epoch, expected })
        }
        _ => Ok(()),
    }
}

fn was_accepted_under_past_keys(
    store: &SkillTrustStore,
    anchor: &PublisherAnchor,
    offer: &Offer<'_>,
) -> bool {
    let accepted = store.skill(offer.skill_id).is_some_and(|skill| skill.knows(offer.payload));
    let signed = |keys: &KeySet| keys.count_signed(offer.signers) >= keys.threshold();
    accepted && anchor.past.iter().any(|past| signed(&past.keys))
}

fn by_origin(origin: KeyOrigin) -> TrustDecision {
    match origin {
        KeyOrigin::Allowlisted => TrustDecision::Allowlisted,
        KeyOrigin::TofuPinned => TrustDecision::Pinned,
    }
}

fn ids<'a>(keys: impl IntoIterator<Item = &'a PublisherKey>) -> Vec<KeyId> {
    keys.into_iter().map(PublisherKey::key_id).collect()
}
