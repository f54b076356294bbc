//! Changes of the trust store by signed statements and accepted releases.

use std::collections::BTreeMap;

use super::change::{PublisherChange, ReleaseMark, TrustChange};
use super::error::TrustError;
use super::feed::{FeedError, FeedIssuer, FeedOutcome, SignedRevocations};
use super::publisher::{EndedBy, PublisherAnchor};
use super::revocation::{Revocation, RevocationScope, RevocationSource, RevocationTarget};
use super::rollback::check_rollback;
use super::rotation::{RotationOutcome, SignedRotation};
use super::skill::{KnownRelease, SkillOwnership};
use super::store::SkillTrustStore;
use crate::artifact::clip;
use crate::signing::{KeySet, PublisherKey};

/// Operations that signed statements cause.
impl SkillTrustStore {
    /// Applies a rotation. A second successor for one epoch, signed by the keys of that epoch, blocks the publisher.
    ///
    /// # Errors
    ///
    /// If the publisher is unknown or blocked, the rotation does not start at the current epoch, the trusted keys did
    /// not sign it, or a new key is revoked or was retired.
    pub fn rotate(&mut self, rotation: &SignedRotation) -> Result<RotationOutcome, TrustError> {
        let statement = rotation.statement();
        let publisher = &statement.publisher;
        self.check_not_blocked(publisher)?;
        let unknown = || TrustError::UnknownPublisher(clip(publisher));
        let anchor =
            self.publishers.get(publisher).and_then(|trust| trust.anchor.as_ref()).ok_or_else(unknown)?;
        let from = statement.from_epoch;
        // Keys that an operator repinned were not rotated, so a rotation from them is not a second successor.
        let ended = anchor.current_line().iter().rfind(|past| past.epoch == Some(from));
        if let Some(past) = ended {
            if past.ended_by == EndedBy::Rotation(rotation.digest()) {
                return Ok(RotationOutcome::AlreadyKnown);
            }
            self.check_signed_by(rotation, &past.keys)?;
            self.block(publisher, &format!("two different rotations from epoch {from}"));
            return Ok(RotationOutcome::Forked);
        }
        if let Some(known) = anchor.epoch.filter(|known| *known != from) {
            return Err(TrustError::EpochGap { publisher: publisher.clone(), found: from, known });
        }
        self.check_signed_by(rotation, &anchor.keys)?;
        self.check_usable(publisher, rotation.new_keys())?;
        check_no_return(publisher, anchor, rotation)?;
        if let Some(anchor) = self.publishers.get_mut(publisher).and_then(|trust| trust.anchor.as_mut()) {
            // Keys that an operator allowlisted without an epoch had the one that this rotation ends.
            anchor.epoch = Some(from);
            let ended_by = EndedBy::Rotation(rotation.digest());
            anchor.replace(rotation.new_keys().clone(), Some(statement.to_epoch), ended_by);
        }
        Ok(RotationOutcome::Rotated)
    }

    /// Applies a revocation list of a known publisher or of a followed feed.
    ///
    /// # Errors
    ///
    /// If the issuer is unknown or the list fails the checks of its signatures and number.
    pub fn apply_feed(&mut self, signed: &SignedRevocations) -> Result<FeedOutcome, FeedError> {
        let list = signed.list();
        let unknown = |name: &String| FeedError::UnknownIssuer(clip(name));
        let (scope, source) = match &list.issuer {
            FeedIssuer::Publisher(name) => {
                let trust = self.publishers.get(name).ok_or_else(|| unknown(name))?;
                let anchor = trust.anchor.as_ref().ok_or_else(|| unknown(name))?;
                let outcome = signed.check(&anchor.keys, |key| self.usable(key, name), trust.revocations)?;
                if outcome == FeedOutcome::AlreadyKnown {
                    return Ok(outcome);
                }
                let source = RevocationSource::Publisher { publisher: name.clone(), number: list.number };
                (RevocationScope::Publisher(name.clone()), source)
            }
            FeedIssuer::Feed(name) => {
                let feed = self.feeds.get(name).ok_or_else(|| unknown(name))?;
                let outcome = signed.check(&feed.keys, |key| self.usable(key, ""), feed.last)?;
                if outcome == FeedOutcome::AlreadyKnown {
                    return Ok(outcome);
                }
                let source = RevocationSource::Feed { feed: name.clone(), number: list.number };
                (RevocationScope::Everywhere, source)
            }
        };
        let keys = list.keys.iter().map(|key| (RevocationTarget::Key(key.key_id), &key.reason));
        let releases = list
            .releases
            .iter()
            .map(|release| (RevocationTarget::Payload(release.payload_sha256), &release.reason));
        let mut added = 0;
        for (target, reason) in keys.chain(releases) {
            let revocation = Revocation { reason: reason.clone(), source: source.clone() };
            added += usize::from(self.insert_revocation(target, scope.clone(), revocation));
        }
        match &list.issuer {
            FeedIssuer::Publisher(name) => {
                self.publishers.entry(name.clone()).or_default().revocations = Some(signed.mark());
            }
            FeedIssuer::Feed(name) => {
                if let Some(feed) = self.feeds.get_mut(name) {
                    feed.last = Some(signed.mark());
                }
            }
        }
        Ok(FeedOutcome::Applied { added })
    }

    /// Applies the change that a verification proposed, completely or not at all.
    pub fn apply(&mut self, change: &TrustChange) -> Result<(), TrustError> {
        let mut next = self.clone();
        let publisher = change.publisher.as_str();
        match &change.keys {
            None => {}
            Some(PublisherChange::Pin { keys, epoch, lineage }) => {
                next.pin(publisher, keys.clone(), *epoch)?;
                next.remember_lineage(publisher, lineage);
            }
            Some(PublisherChange::Rotate(rotations)) => {
                for rotation in rotations {
                    next.rotate(rotation)?;
                }
            }
            Some(PublisherChange::LearnEpoch { epoch, lineage }) => {
                next.learn_epoch(publisher, *epoch)?;
                next.remember_lineage(publisher, lineage);
            }
            Some(PublisherChange::Block { reason }) => next.block(publisher, reason),
        }
        if let Some(release) = &change.release {
            next.record_release(publisher, release)?;
        }
        *self = next;
        Ok(())
    }

    /// Records an accepted release. The skill id then belongs to the publisher, and older releases are refused.
    pub fn record_release(&mut self, publisher: &str, release: &ReleaseMark) -> Result<(), TrustError> {
        let known = self.skills.get(&release.skill_id);
        if known.is_some_and(|known| known.owner == publisher && known.knows(release.payload)) {
            return Ok(());
        }
        check_rollback(known, publisher, release)?;
        let ownership = self
            .skills
            .entry(release.skill_id.clone())
            .or_insert_with(|| SkillOwnership { owner: publisher.to_owned(), releases: BTreeMap::new() });
        let known = KnownRelease {
            payload: release.payload,
            release_counter: release.release_counter,
            built_in: release.built_in,
        };
        ownership.releases.insert(release.version.clone(), known);
        Ok(())
    }

    fn remember_lineage(&mut self, publisher: &str, lineage: &[SignedRotation]) {
        if let Some(anchor) = self.publishers.get_mut(publisher).and_then(|trust| trust.anchor.as_mut()) {
            anchor.remember_lineage(lineage);
        }
    }

    fn learn_epoch(&mut self, publisher: &str, epoch: u64) -> Result<(), TrustError> {
        let anchor = self.publishers.get_mut(publisher).and_then(|trust| trust.anchor.as_mut());
        let anchor = anchor.ok_or_else(|| TrustError::UnknownPublisher(publisher.to_owned()))?;
        anchor.epoch.get_or_insert(epoch);
        Ok(())
    }

    fn check_signed_by(&self, rotation: &SignedRotation, keys: &KeySet) -> Result<(), TrustError> {
        let publisher = &rotation.statement().publisher;
        let found = keys.count_signed(rotation.signers().iter().filter(|key| self.usable(key, publisher)));
        if found >= keys.threshold() {
            return Ok(());
        }
        Err(TrustError::NotTheirs { publisher: publisher.clone(), found, needed: keys.threshold() })
    }

    /// Inserts a revocation and returns whether it is new. An existing one keeps its reason and source.
    pub(super) fn insert_revocation(
        &mut self,
        target: RevocationTarget,
        scope: RevocationScope,
        revocation: Revocation,
    ) -> bool {
        match self.revocations.entry((target, scope)) {
            std::collections::btree_map::Entry::Occupied(_) => false,
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(revocation);
                true
            }
        }
    }
}

/// Rejects a rotation to a retired key, which would make the order of epochs ambiguous.
fn check_no_return(
    publisher: &str,
    anchor: &PublisherAnchor,
    rotation: &SignedRotation,
) -> Result<(), TrustError> {
    let was_retired = |key: &&PublisherKey| {
        !anchor.keys.contains(key) && anchor.current_line().iter().any(|past| past.keys.contains(key))
    };
    match rotation.new_keys().keys().find(was_retired) {
        Some(key) => Err(TrustError::KeyReturns { publisher: publisher.to_owned(), key: key.key_id() }),
        None => Ok(()),
    }
}
