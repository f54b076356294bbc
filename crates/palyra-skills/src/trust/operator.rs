//! Decisions of the operator about publishers, builders and feeds.

use super::error::TrustError;
use super::feed::FeedTrust;
use super::publisher::{EndedBy, KeyOrigin, PublisherAnchor, PublisherTrust};
use super::revocation::{Revocation, RevocationScope, RevocationSource, RevocationTarget};
use super::store::{BuilderKey, SkillTrustStore};
use crate::signing::KeySet;

/// Operations of the operator. A failed operation changes nothing.
impl SkillTrustStore {
    /// Allowlists the keys of a publisher. A pinned publisher with the same keys becomes allowlisted.
    ///
    /// # Errors
    ///
    /// If the publisher is blocked, a key is revoked, or other keys are trusted.
    pub fn allow(&mut self, publisher: &str, keys: KeySet) -> Result<(), TrustError> {
        self.check_not_blocked(publisher)?;
        self.check_usable(publisher, &keys)?;
        let trust = self.publishers.entry(publisher.to_owned()).or_default();
        match &mut trust.anchor {
            Some(anchor) if anchor.keys == keys => anchor.origin = KeyOrigin::Allowlisted,
            Some(_) => return Err(TrustError::OtherKeys(publisher.to_owned())),
            empty => {
                *empty = Some(PublisherAnchor {
                    origin: KeyOrigin::Allowlisted,
                    epoch: None,
                    keys,
                    past: Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// Pins the keys of an unknown publisher. Pinning the same keys again has no effect.
    ///
    /// # Errors
    ///
    /// If the publisher is blocked, a key is revoked, or other keys are trusted.
    pub fn pin(&mut self, publisher: &str, keys: KeySet, epoch: u64) -> Result<(), TrustError> {
        self.check_not_blocked(publisher)?;
        self.check_usable(publisher, &keys)?;
        let trust = self.publishers.entry(publisher.to_owned()).or_default();
        match &trust.anchor {
            Some(anchor) if anchor.keys == keys => Ok(()),
            Some(_) => Err(TrustError::OtherKeys(publisher.to_owned())),
            None => {
                let origin = KeyOrigin::TofuPinned;
                trust.anchor = Some(PublisherAnchor { origin, epoch: Some(epoch), keys, past: Vec::new() });
                Ok(())
            }
        }
    }

    /// Replaces a publisher's keys without a signed rotation, for lost keys.
    ///
    /// # Errors
    ///
    /// If the publisher is unknown or blocked, or a key is revoked.
    pub fn repin(&mut self, publisher: &str, keys: KeySet) -> Result<(), TrustError> {
        self.check_not_blocked(publisher)?;
        self.check_usable(publisher, &keys)?;
        let anchor = self.publishers.get_mut(publisher).and_then(|trust| trust.anchor.as_mut());
        let anchor = anchor.ok_or_else(|| TrustError::UnknownPublisher(publisher.to_owned()))?;
        if anchor.keys != keys {
            anchor.replace(keys, None, EndedBy::Repin);
        }
        Ok(())
    }

    /// Blocks a publisher: all its releases are refused until the block ends.
    pub fn block(&mut self, publisher: &str, reason: &str) {
        self.publishers.entry(publisher.to_owned()).or_default().blocked = Some(reason.to_owned());
    }

    /// Ends a block; the earlier trust is restored.
    ///
    /// # Errors
    ///
    /// If the publisher is unknown or not blocked.
    pub fn unblock(&mut self, publisher: &str) -> Result<(), TrustError> {
        let trust = self.publishers.get_mut(publisher);
        let trust = trust.ok_or_else(|| TrustError::UnknownPublisher(publisher.to_owned()))?;
        trust.blocked.take().map(|_| ()).ok_or_else(|| TrustError::NotBlocked(publisher.to_owned()))?;
        if *trust == PublisherTrust::default() {
            self.publishers.remove(publisher);
        }
        Ok(())
    }

    /// Revokes a key or a release permanently; returns false if it was revoked already.
    pub fn revoke(&mut self, target: RevocationTarget, reason: &str) -> bool {
        let revocation = Revocation { reason: reason.to_owned(), source: RevocationSource::Operator };
        self.insert_revocation(target, RevocationScope::Everywhere, revocation)
    }

    /// Trusts a builder's provenance statements up to a level, from 1 to 3.
    ///
    /// # Errors
    ///
    /// If the level is out of range or the key is revoked.
    pub fn allow_builder(&mut self, builder: BuilderKey) -> Result<(), TrustError> {
        if !(1..=3).contains(&builder.level) {
            return Err(TrustError::Level(builder.level));
        }
        self.check_usable("", &KeySet::single(builder.key))?;
        self.builders.insert(builder.key.key_id(), builder);
        Ok(())
    }

    /// Adds a revocation feed or replaces its keys; the number of its last list is kept.
    pub fn follow_feed(&mut self, name: &str, keys: KeySet) -> Result<(), TrustError> {
        self.check_usable("", &keys)?;
        match self.feeds.get_mut(name) {
            Some(feed) => feed.keys = keys,
            None => {
                self.feeds.insert(name.to_owned(), FeedTrust { keys, last: None });
            }
        }
        Ok(())
    }
}
