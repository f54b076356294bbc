//! Verification, trust and the outcome of an installation.

use palyra_api::skills as api;
use palyra_common::Capability;
use palyra_skills::consent::Withheld;
use palyra_skills::index::TrustState;
use palyra_skills::install::{InstallOutcome, InstallStage, InstallStep};
use palyra_skills::signing::KeySet;
use palyra_skills::trust::TrustDecision;
use palyra_skills::verify::VerifyStep;
use palyra_skills::{Sha256Digest, SkillRecord, capability_grants_from_manifest};

use super::{ToApi, document};

impl ToApi for InstallOutcome {
    type Api = api::InstallOutcome;

    fn to_api(&self) -> api::InstallOutcome {
        let Self {
            placement,
            status,
            trust,
            decision,
            payload,
            archive,
            signers,
            permissions,
            audit,
            diff,
            consent_request,
            withheld,
            eligibility,
            steps,
            record,
            new_consent,
            trust_change,
            stores_bytes,
            events,
        } = self;
        api::InstallOutcome {
            consent_digest: consent_request.as_ref().map(|request| request.digest().to_string()),
            placement: placement.to_api(),
            status: status.to_api(),
            trust: trust.to_api(),
            decision: decision.to_api(),
            payload: payload.to_api(),
            archive: archive.to_api(),
            signers: signers.clone(),
            permissions: permissions.to_api(),
            secrets: secrets_to_agree_to(record, *payload),
            audit: audit.to_api(),
            diff: diff.to_api(),
            consent_request: consent_request.to_api(),
            withheld: withheld.to_api(),
            eligibility: eligibility.to_api(),
            steps: steps.to_api(),
            record: record.to_api(),
            new_consent: new_consent.as_ref().map(document),
            trust_change: trust_change.as_ref().map(document),
            stores_bytes: *stores_bytes,
            events: events.iter().map(document).collect(),
            code: None,
        }
    }
}

/// Returns the secrets of a release whose publisher is not allowlisted: each needs an agreement by name. The publisher is
/// pinned only after consent, so the trust state of the release decides, not the publisher's.
fn secrets_to_agree_to(record: &SkillRecord, payload: Sha256Digest) -> Vec<String> {
    // Consent to a skill that is trusted or built in covers its secrets, so there is nothing to ask.
    let trusted = |trust| matches!(trust, TrustState::Trusted | TrustState::BuiltIn);
    let release = record.release(payload).filter(|release| !trusted(release.trust));
    let grants = release.map(|release| capability_grants_from_manifest(&release.manifest));
    grants.iter().flat_map(|grants| grants.secrets()).map(|grant| grant.secret.to_string()).collect()
}

impl ToApi for Withheld {
    type Api = api::Withheld;

    fn to_api(&self) -> api::Withheld {
        let Self { grant, reason } = self;
        let secret = match grant {
            Capability::Secret(grant) => Some(grant.secret.to_string()),
            _ => None,
        };
        api::Withheld { grant: grant.to_api(), reason: reason.clone(), secret }
    }
}

impl ToApi for InstallStep {
    type Api = api::InstallStep;

    fn to_api(&self) -> api::InstallStep {
        let Self { stage, checked, found, blocks } = self;
        let (stage, step) = match stage {
            InstallStage::Verify(step) => (api::InstallStage::Verify, Some(step.wire_name().to_owned())),
            InstallStage::Audit => (api::InstallStage::Audit, None),
            InstallStage::Trust => (api::InstallStage::Trust, None),
            InstallStage::Update => (api::InstallStage::Update, None),
            InstallStage::Consent => (api::InstallStage::Consent, None),
            InstallStage::Store => (api::InstallStage::Store, None),
        };
        api::InstallStep { stage, step, checked: checked.clone(), found: found.clone(), blocks: *blocks }
    }
}

impl ToApi for VerifyStep {
    type Api = api::VerifyStep;

    fn to_api(&self) -> api::VerifyStep {
        let Self { name, checked, found } = self;
        api::VerifyStep {
            name: name.wire_name().to_owned(),
            checked: (*checked).to_owned(),
            found: found.clone(),
        }
    }
}

impl ToApi for TrustDecision {
    type Api = api::TrustDecision;

    fn to_api(&self) -> api::TrustDecision {
        match self {
            Self::BuiltIn => api::TrustDecision::BuiltIn,
            Self::Allowlisted => api::TrustDecision::Allowlisted,
            Self::Pinned => api::TrustDecision::Pinned,
            Self::Lineage { origin, from_epoch, to_epoch } => api::TrustDecision::Lineage {
                origin: origin.to_api(),
                from_epoch: *from_epoch,
                to_epoch: *to_epoch,
            },
            Self::TofuOffer { keys, epoch } => {
                api::TrustDecision::TofuOffer { keys: keys.to_api(), epoch: *epoch }
            }
            Self::Unknown { keys } => api::TrustDecision::Unknown { keys: keys.to_api() },
        }
    }
}

impl ToApi for KeySet {
    type Api = api::KeySet;

    fn to_api(&self) -> api::KeySet {
        api::KeySet { keys: self.keys().map(ToString::to_string).collect(), threshold: self.threshold() }
    }
}
