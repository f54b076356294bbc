//! Decisions of the operator about publishers, builders and feeds.

use super::error::TrustError;
use super::feed::FeedTrust;
use super::publisher::{EndedBy, KeyOrigin, PublisherAnchor, PublisherTrust};
use super::revocation::{Revocation, RevocationScope, RevocationSource, RevocationTarget};
use super::store::{BuilderKey, SkillTrustStore};
use crate::signing::{KeyId, KeySet};

/// Operations of the operator. A failed operation changes nothing.
impl SkillTrustStore {
    /// Allowlists the keys of a publisher. A pinned publisher with the same keys becomes allowlisted.
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

    /// Pins the keys of a publisher never seen before.
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

    /// Replaces a publisher's keys without its word: for keys that are lost.
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

    /// Accepts nothing of a publisher from now on.
    pub fn block(&mut self, publisher: &str, reason: &str) {
        self.publishers.entry(publisher.to_owned()).or_default().blocked = Some(reason.to_owned());
    }

    /// Ends a block; the earlier trust is restored.
    pub fn unblock(&mut self, publisher: &str) -> Result<(), TrustError> {
        let trust = self.publishers.get_mut(publisher);
        let trust = trust.ok_or_else(|| TrustError::UnknownPublisher(publisher.to_owned()))?;
        trust.blocked.take().map(|_| ()).ok_or_else(|| TrustError::NotBlocked(publisher.to_owned()))?;
        if *trust == PublisherTrust::default() {
            self.publishers.remove(publisher);
        }
        Ok(())
    }

    /// Revokes a key or a release for good; says whether that is new.
    pub fn revoke(&mut self, target: RevocationTarget, reason: &str) -> bool {
        let revocation = Revocation { reason: reason.to_owned(), source: RevocationSource::Operator };
        self.insert_revocation(target, RevocationScope::Everywhere, revocation)
    }

    /// Trusts a builder's provenance statements up to a level.
    pub fn allow_builder(&mut self, builder: BuilderKey) -> Result<(), TrustError> {
        if !(1..=3).contains(&builder.level) {
            return Err(TrustError::Level(builder.level));
        }
        self.check_usable("", &KeySet::single(builder.key))?;
        self.builders.insert(builder.key.key_id(), builder);
        Ok(())
    }

    /// No longer trusts a builder.
    pub fn remove_builder(&mut self, key: KeyId) -> Result<(), TrustError> {
        let missing = || TrustError::NotFound { kind: "builder", name: key.to_string() };
        self.builders.remove(&key).map(|_| ()).ok_or_else(missing)
    }

    /// Follows a revocation feed; its keys may be replaced, its number stays.
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

    /// Stops following a feed; what it revoked stays revoked.
    pub fn unfollow_feed(&mut self, name: &str) -> Result<(), TrustError> {
        let missing = || TrustError::NotFound { kind: "feed", name: name.to_owned() };
        self.feeds.remove(name).map(|_| ()).ok_or_else(missing)
    }
}
