//! Consent: the permissions a person agreed to, for one release.
//!
//! Consent for a first release names the digest of its capabilities. Consent for an update that requests more or
//! changes its texts for models names a digest over the old and the new payload, so an earlier consent never covers a
//! later release.

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

/// The consent that a release needs before it can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentRequest {
    /// The id of the skill.
    pub skill_id: String,
    /// The payload digest of the release.
    pub payload: Sha256Digest,
    /// The payload digest of the running release that it replaces, if any.
    pub replaces: Option<Sha256Digest>,
    /// The digest of the capabilities that the release requests.
    pub capability_digest: Sha256Digest,
    /// The digest of the texts that models can see.
    pub model_text_digest: Sha256Digest,
}

/// Consent as given by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentGiven {
    /// The digest that was shown to the person; it must equal [`ConsentRequest::digest`].
    pub digest: Sha256Digest,
    /// The principal that consented.
    pub principal: String,
    /// Secrets that the person named. A pinned publisher gets no others.
    pub secrets: BTreeSet<SecretRef>,
}

/// A consent that was given or carried over, for exactly one release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentRecord {
    /// The request that the consent covers.
    pub request: ConsentRequest,
    /// The granted capabilities; a call gets their intersection with those of the manifest.
    pub granted: CapabilityGrantSet,
    /// Why the consent is valid.
    pub basis: ConsentBasis,
}

/// Why a consent is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ConsentBasis {
    /// A person consented to this release.
    Given {
        /// The principal that consented.
        principal: String,
    },
    /// The release requests nothing that its predecessor was not granted.
    Carried {
        /// The id of the consent that it was carried over from.
        from: Sha256Digest,
    },
}

/// A capability that the manifest requests and consent does not grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// The capability that is withheld.
    pub grant: Capability,
    /// The reason for the denial, with the change that would allow it.
    pub reason: String,
}

/// Consents by the payload of their release. Clones share the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsentIndex(BTreeMap<Sha256Digest, Arc<ConsentRecord>>);

/// Returns the upper bound of the grants for a call: the intersection of the manifest's requests and the consent.
#[must_use]
pub fn consented_grants(manifest: &SkillManifest, consent: &ConsentRecord) -> CapabilityGrantSet {
    capability_grants_from_manifest(manifest).intersect(&consent.granted)
}

impl ConsentRequest {
    /// Creates the request for a release, with the running release that it replaces, if any.
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

    /// Returns the digest that a person names to consent.
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
    /// Creates a record from a person's consent, together with the grants that the publisher's trust state excludes.
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

    /// Carries a consent over to a release that requests nothing more.
    pub(crate) fn carried(&self, request: ConsentRequest, manifest: &SkillManifest) -> Self {
        let granted = consented_grants(manifest, self);
        Self { request, granted, basis: ConsentBasis::Carried { from: self.id() } }
    }

    /// Returns the capabilities that the manifest requests and this consent does not grant.
    #[must_use]
    pub fn withheld(&self, manifest: &SkillManifest, trust: TrustState) -> Vec<Withheld> {
        let agreed = self.granted.secrets().iter().map(|grant| grant.secret.clone()).collect();
        grantable(manifest, trust, &agreed).1
    }

    /// Returns the id of the consent, a digest over its contents.
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

    /// Returns whether the consent is for exactly this release.
    #[must_use]
    pub fn covers(&self, manifest: &SkillManifest, payload: Sha256Digest) -> bool {
        self.request.payload == payload
            && self.request.skill_id == manifest.skill_id
            && self.request.capability_digest == capability_digest(manifest)
            && self.request.model_text_digest == model_text_digest(manifest)
    }
}

impl ConsentIndex {
    /// Returns the consent for a release, if there is one.
    #[must_use]
    pub fn get(&self, payload: Sha256Digest) -> Option<&ConsentRecord> {
        self.0.get(&payload).map(Arc::as_ref)
    }

    /// Adds or replaces the consent for a release.
    pub fn put(&mut self, record: ConsentRecord) {
        self.0.insert(record.request.payload, Arc::new(record));
    }

    /// Removes the consent for a release. Returns whether there was one.
    pub fn remove(&mut self, payload: Sha256Digest) -> bool {
        self.0.remove(&payload).is_some()
    }

    /// Iterates over the consents, in the order of their payload digests.
    pub fn iter(&self) -> impl Iterator<Item = &ConsentRecord> {
        self.0.values().map(Arc::as_ref)
    }
}

impl FromIterator<ConsentRecord> for ConsentIndex {
    fn from_iter<I: IntoIterator<Item = ConsentRecord>>(records: I) -> Self {
        Self(records.into_iter().map(|record| (record.request.payload, Arc::new(record))).collect())
    }
}

/// Splits the requested capabilities into granted and withheld ones. An allowlisted publisher gets all of them; a
/// pinned one gets no wildcards, and only the secrets in `named`.
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
