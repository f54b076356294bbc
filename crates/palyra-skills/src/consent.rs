//! Consent: what a person agreed to, for which release, and what follows from it.
//!
//! A first release is agreed to by the digest of its capabilities, as shown. A release that grows or speaks to
//! models in other words is agreed to by a digest over the pair of old and new payload, so that yesterday's
//! consent never covers today's release.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palyra_common::capabilities::{HostPattern, SecretGrant, SecretRef};
use palyra_common::{Capability, CapabilityGrantSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest::Sha256Digest;
use crate::grants::{capability_digest, capability_grants_from_manifest};
use crate::index::TrustState;
use crate::manifest::SkillManifest;
use crate::text::model_text_digest;

/// Consent required before a release can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentRequest {
    /// The skill.
    pub skill_id: String,
    /// The release it is about.
    pub payload: Sha256Digest,
    /// The running release it would replace.
    pub replaces: Option<Sha256Digest>,
    /// Permissions of the release.
    pub capability_digest: Sha256Digest,
    /// Texts for models.
    pub model_text_digest: Sha256Digest,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentGiven {
    /// The digest that was shown to the person.
    pub digest: Sha256Digest,
    /// The principal that consented.
    pub principal: String,
    /// Secrets agreed to one by one; a publisher that is only pinned gets no other.
    pub secrets: BTreeSet<SecretRef>,
}

/// A consent that was given or carried over, for exactly one release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentRecord {
    /// The consent.
    pub request: ConsentRequest,
    /// What it opens; a run gets what this and the manifest have in common.
    pub granted: CapabilityGrantSet,
    /// Why the consent is valid.
    pub basis: ConsentBasis,
}

/// Why a consent is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ConsentBasis {
    /// A person agreed.
    Given {
        /// Principal.
        principal: String,
    },
    /// The release asks for nothing its predecessor was not allowed.
    Carried {
        /// The consent it follows from.
        from: Sha256Digest,
    },
}

/// A grant the manifest asks for and consent leaves closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// The grant.
    pub grant: Capability,
    /// Why it is denied, and what would allow it.
    pub reason: String,
}

/// Consents by the payload they are for; a copy shares the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsentIndex(BTreeMap<Sha256Digest, Arc<ConsentRecord>>);

/// What a run of a skill may touch at most: what the manifest asks for and consent granted.
#[must_use]
pub fn consented_grants(manifest: &SkillManifest, consent: &ConsentRecord) -> CapabilityGrantSet {
    capability_grants_from_manifest(manifest).intersect(&consent.granted)
}

impl ConsentRequest {
    /// The request for a release, alone or in place of a running one.
    #[must_use]
    pub fn new(manifest: &SkillManifest, payload: Sha256Digest, replaces: Option<Sha256Digest>) -> Self {
        Self {
            skill_id: manifest.skill_id.clone(),
            payload,
            replaces,
            capability_digest: capability_digest(manifest),
            model_text_digest: model_text_digest(manifest),
        }
    }

    /// The digest a person names to agree.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        let Some(replaces) = self.replaces else { return self.capability_digest };
        let mut hasher = Sha256::new_with_prefix(b"palyra.update-consent/v1\0");
        for digest in [replaces, self.payload, self.capability_digest, self.model_text_digest] {
            hasher.update(digest.as_bytes());
        }
        Sha256Digest::from_bytes(hasher.finalize().into())
    }
}

impl ConsentRecord {
    /// Records an answer, with what a publisher of this standing can be given.
    pub(crate) fn given(
        request: ConsentRequest,
        given: &ConsentGiven,
        manifest: &SkillManifest,
        trust: TrustState,
    ) -> (Self, Vec<Withheld>) {
        let (granted, withheld) = grantable(manifest, trust, &given.secrets);
        let basis = ConsentBasis::Given { principal: given.principal.clone() };
        (Self { request, granted, basis }, withheld)
    }

    /// Carries a consent over to a release that grows in nothing.
    pub(crate) fn carried(&self, request: ConsentRequest, manifest: &SkillManifest) -> Self {
        let granted = consented_grants(manifest, self);
        Self { request, granted, basis: ConsentBasis::Carried { from: self.id() } }
    }

    /// Returns the grants of the manifest that it leaves closed.
    #[must_use]
    pub fn withheld(&self, manifest: &SkillManifest, trust: TrustState) -> Vec<Withheld> {
        let agreed = self.granted.secrets().iter().map(|grant| grant.secret.clone()).collect();
        grantable(manifest, trust, &agreed).1
    }

    /// Its name: a digest over what it says.
    #[must_use]
    pub fn id(&self) -> Sha256Digest {
        let mut hasher = Sha256::new_with_prefix(b"palyra.consent/v1\0");
        let request = &self.request;
        for digest in
            [request.payload, request.digest(), request.capability_digest, request.model_text_digest]
        {
            hasher.update(digest.as_bytes());
        }
        let basis = match &self.basis {
            ConsentBasis::Given { principal } => format!("given by {principal}"),
            ConsentBasis::Carried { from } => format!("carried from {from}"),
        };
        let grants = Vec::<Capability>::from(self.granted.clone());
        for part in
            [request.skill_id.clone(), basis].into_iter().chain(grants.iter().map(ToString::to_string))
        {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        Sha256Digest::from_bytes(hasher.finalize().into())
    }

    /// Whether it is for exactly this release.
    #[must_use]
    pub fn covers(&self, manifest: &SkillManifest, payload: Sha256Digest) -> bool {
        self.request.payload == payload
            && self.request.skill_id == manifest.skill_id
            && self.request.capability_digest == capability_digest(manifest)
            && self.request.model_text_digest == model_text_digest(manifest)
    }
}

impl ConsentIndex {
    /// The consent for a release.
    #[must_use]
    pub fn get(&self, payload: Sha256Digest) -> Option<&ConsentRecord> {
        self.0.get(&payload).map(Arc::as_ref)
    }

    /// Adds or replaces the consent for a release.
    pub fn put(&mut self, record: ConsentRecord) {
        self.0.insert(record.request.payload, Arc::new(record));
    }

    /// Forgets the consent for a release; says whether there was one.
    pub fn remove(&mut self, payload: Sha256Digest) -> bool {
        self.0.remove(&payload).is_some()
    }

    /// Every consent.
    pub fn iter(&self) -> impl Iterator<Item = &ConsentRecord> {
        self.0.values().map(Arc::as_ref)
    }
}

impl FromIterator<ConsentRecord> for ConsentIndex {
    fn from_iter<I: IntoIterator<Item = ConsentRecord>>(records: I) -> Self {
        Self(records.into_iter().map(|record| (record.request.payload, Arc::new(record))).collect())
    }
}

/// What consent can open: everything for an allowlisted publisher; without wildcards, and with secrets only one
/// by one, for a pinned one.
fn grantable(
    manifest: &SkillManifest,
    trust: TrustState,
    named: &BTreeSet<SecretRef>,
) -> (CapabilityGrantSet, Vec<Withheld>) {
    let asked: Vec<Capability> = capability_grants_from_manifest(manifest).into();
    if matches!(trust, TrustState::Trusted | TrustState::BuiltIn) {
        return (asked.into_iter().collect(), Vec::new());
    }
    let (mut granted, mut withheld) = (Vec::new(), Vec::new());
    for grant in asked {
        match closed_for_pinned(&grant, named) {
            None => granted.push(grant),
            Some(reason) => withheld.push(Withheld { grant, reason }),
        }
    }
    (granted.into_iter().collect(), withheld)
}

fn closed_for_pinned(grant: &Capability, named: &BTreeSet<SecretRef>) -> Option<String> {
    let wildcard =
        "the publisher is only pinned, so wildcards are denied; allowlist it with `palyra trust allow`";
    match grant {
        Capability::Http(rule) if rule.host.is_wildcard() => Some(wildcard.to_owned()),
        Capability::Secret(SecretGrant { secret, .. }) if !named.contains(secret) => Some(format!(
            "the publisher is only pinned, so each secret needs consent; agree to `{secret}` by name"
        )),
        Capability::Secret(grant) if grant.hosts().iter().any(HostPattern::is_wildcard) => {
            Some(wildcard.to_owned())
        }
        _ => None,
    }
}
