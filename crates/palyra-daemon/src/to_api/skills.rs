//! Installed skills.

use palyra_api::skills as api;
use palyra_skills::compat::Eligibility;
use palyra_skills::index::{
    AuditSummary, InstalledRelease, PastRelease, Quarantine, SkillInventoryEntry, SkillRecord,
};

use super::{ToApi, document};

convert_fields! {
    SkillRecord => api::SkillRecord { skill_id, publisher, current, waiting, previous, disabled }
    Quarantine => api::Quarantine { cause, reason }
    AuditSummary => api::AuditSummary { verdict, risk, policy_digest, findings, accepted }
    Eligibility => api::Eligibility { missing }
}

impl ToApi for SkillInventoryEntry {
    type Api = api::SkillEntry;

    /// Leaves `code` empty; the handler adds the state of compiled code.
    fn to_api(&self) -> api::SkillEntry {
        let Self { record, runtime_status, eligibility } = self;
        api::SkillEntry {
            record: record.to_api(),
            runtime_status: runtime_status.to_api(),
            eligibility: eligibility.to_api(),
            code: None,
        }
    }
}

impl ToApi for InstalledRelease {
    type Api = api::InstalledRelease;

    fn to_api(&self) -> api::InstalledRelease {
        let Self { payload, archive, signers, trust, quarantine, consent, tofu_permitted, audit, manifest } =
            self;
        api::InstalledRelease {
            payload: payload.to_api(),
            archive: archive.to_api(),
            signers: signers.to_api(),
            trust: trust.to_api(),
            quarantine: quarantine.to_api(),
            consent: consent.to_api(),
            tofu_permitted: *tofu_permitted,
            audit: audit.to_api(),
            manifest: document(manifest),
        }
    }
}

impl ToApi for PastRelease {
    type Api = api::PastRelease;

    fn to_api(&self) -> api::PastRelease {
        let Self { version, payload, archive, damage } = self;
        api::PastRelease {
            version: version.to_string(),
            payload: payload.to_api(),
            archive: archive.to_api(),
            damage: damage.clone(),
        }
    }
}
