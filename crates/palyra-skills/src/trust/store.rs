//! The trust store: plain data and pure operations; a refused operation changes nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::TrustError;
use super::feed::FeedTrust;
use super::publisher::PublisherTrust;
use super::revocation::{Revocation, RevocationScope, RevocationTarget};
use super::skill::SkillOwnership;
use crate::signing::{KeyId, KeySet, PublisherKey};

/// The trust of this machine in publishers, skills, builders and feeds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillTrustStore {
    pub(super) publishers: BTreeMap<String, PublisherTrust>,
    pub(super) skills: BTreeMap<String, SkillOwnership>,
    pub(super) builders: BTreeMap<KeyId, BuilderKey>,
    pub(super) feeds: BTreeMap<String, FeedTrust>,
    pub(super) revocations: BTreeMap<(RevocationTarget, RevocationScope), Revocation>,
}

/// A key whose provenance statements count as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuilderKey {
    /// The operator's name for the builder.
    pub name: String,
    /// Its key.
    pub key: PublisherKey,
    /// The highest SLSA build level that the operator trusts for it, 1 to 3.
    pub level: u8,
}

/// Questions.
impl SkillTrustStore {
    /// A publisher in the trust store.
    #[must_use]
    pub fn publisher(&self, publisher: &str) -> Option<&PublisherTrust> {
        self.publishers.get(publisher)
    }

    /// Every publisher by name.
    pub fn publishers(&self) -> impl Iterator<Item = (&str, &PublisherTrust)> {
        self.publishers.iter().map(|(name, trust)| (name.as_str(), trust))
    }

    /// What is remembered of a skill.
    #[must_use]
    pub fn skill(&self, skill_id: &str) -> Option<&SkillOwnership> {
        self.skills.get(skill_id)
    }

    /// Every skill ever accepted, by id.
    pub fn skills(&self) -> impl Iterator<Item = (&str, &SkillOwnership)> {
        self.skills.iter().map(|(id, ownership)| (id.as_str(), ownership))
    }

    /// Builders whose provenance is evidence.
    pub fn builders(&self) -> impl Iterator<Item = &BuilderKey> {
        self.builders.values()
    }

    /// Revocation feeds by name.
    pub fn feeds(&self) -> impl Iterator<Item = (&str, &FeedTrust)> {
        self.feeds.iter().map(|(name, feed)| (name.as_str(), feed))
    }

    /// Everything that is revoked.
    pub fn revocations(&self) -> impl Iterator<Item = (&RevocationTarget, &RevocationScope, &Revocation)> {
        self.revocations.iter().map(|((target, scope), revocation)| (target, scope, revocation))
    }

    /// Why something is revoked for a publisher, if it is.
    #[must_use]
    pub fn revoked(&self, target: RevocationTarget, publisher: &str) -> Option<&Revocation> {
        let scopes = [RevocationScope::Everywhere, RevocationScope::Publisher(publisher.to_owned())];
        scopes.into_iter().find_map(|scope| self.revocations.get(&(target, scope)))
    }

    pub(super) fn usable(&self, key: &PublisherKey, publisher: &str) -> bool {
        self.revoked(RevocationTarget::Key(key.key_id()), publisher).is_none()
    }

    pub(super) fn check_usable(&self, publisher: &str, keys: &KeySet) -> Result<(), TrustError> {
        match keys.keys().find(|key| !self.usable(key, publisher)) {
            Some(key) => Err(TrustError::Revoked(RevocationTarget::Key(key.key_id()))),
            None => Ok(()),
        }
    }

    pub(super) fn check_not_blocked(&self, publisher: &str) -> Result<(), TrustError> {
        match self.publishers.get(publisher).and_then(|trust| trust.blocked.as_ref()) {
            Some(reason) => {
                Err(TrustError::Blocked { publisher: publisher.to_owned(), reason: reason.clone() })
            }
            None => Ok(()),
        }
    }
}
