//! The trust store: plain data and pure operations. A failed operation changes nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::TrustError;
use super::feed::FeedTrust;
use super::publisher::PublisherTrust;
use super::revocation::{Revocation, RevocationScope, RevocationTarget};
use super::skill::SkillOwnership;
use crate::signing::{KeyId, KeySet, PublisherKey};

/// Trust in publishers, skills, builders and feeds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillTrustStore {
    pub(super) publishers: BTreeMap<String, PublisherTrust>,
    pub(super) skills: BTreeMap<String, SkillOwnership>,
    pub(super) builders: BTreeMap<KeyId, BuilderKey>,
    pub(super) feeds: BTreeMap<String, FeedTrust>,
    pub(super) revocations: BTreeMap<(RevocationTarget, RevocationScope), Revocation>,
}

/// A builder whose signed provenance counts as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuilderKey {
    /// The operator's name for the builder.
    pub name: String,
    /// The key that signs provenance statements.
    pub key: PublisherKey,
    /// The highest SLSA build level that the operator trusts for it, 1 to 3.
    pub level: u8,
}

/// Queries.
impl SkillTrustStore {
    /// Returns a publisher by name.
    #[must_use]
    pub fn publisher(&self, publisher: &str) -> Option<&PublisherTrust> {
        self.publishers.get(publisher)
    }

    /// Iterates over the publishers, sorted by name.
    pub fn publishers(&self) -> impl Iterator<Item = (&str, &PublisherTrust)> {
        self.publishers.iter().map(|(name, trust)| (name.as_str(), trust))
    }

    /// Returns the permanent record of a skill id, which remains after the skill is removed.
    #[must_use]
    pub fn skill(&self, skill_id: &str) -> Option<&SkillOwnership> {
        self.skills.get(skill_id)
    }

    /// Iterates over every skill ever accepted, sorted by id.
    pub fn skills(&self) -> impl Iterator<Item = (&str, &SkillOwnership)> {
        self.skills.iter().map(|(id, ownership)| (id.as_str(), ownership))
    }

    /// Iterates over the builders whose provenance counts as evidence.
    pub fn builders(&self) -> impl Iterator<Item = &BuilderKey> {
        self.builders.values()
    }

    /// Iterates over the revocation feeds, sorted by name.
    pub fn feeds(&self) -> impl Iterator<Item = (&str, &FeedTrust)> {
        self.feeds.iter().map(|(name, feed)| (name.as_str(), feed))
    }

    /// Iterates over all revocations.
    pub fn revocations(&self) -> impl Iterator<Item = (&RevocationTarget, &RevocationScope, &Revocation)> {
        self.revocations.iter().map(|((target, scope), revocation)| (target, scope, revocation))
    }

    /// Returns the revocation of a key or release that applies to a publisher, if there is one.
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
