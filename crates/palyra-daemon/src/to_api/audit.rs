//! Audits and audit policies.

use palyra_api::audit_policy::{AuditSettings, AuditTextThresholds, KeptAdvisories};
use palyra_api::skills as api;
use palyra_skills::audit::wasm::AuditWork;
use palyra_skills::audit::{
    AdvisoryList, AuditPolicy, AuditReport, Finding, FindingCounts, FindingId, TextThresholds,
};

use super::ToApi;

convert_fields! {
    AuditReport => api::AuditReport {
        verdict, risk, policy_version, policy_digest, advisory_date, counts, findings, work,
    }
    FindingCounts => api::FindingCounts { critical, high, medium, low, info, not_listed }
    AuditWork => api::AuditWork { module_bytes, modules, functions, steps, searched_bytes }
    Finding => api::Finding {
        id, subject, severity, certainty, effect, hard, message, evidence, remedy, silence,
    }
    TextThresholds => AuditTextThresholds { note, quarantine }
}

impl ToApi for FindingId {
    type Api = String;

    fn to_api(&self) -> String {
        self.as_str().to_owned()
    }
}

impl ToApi for AuditPolicy {
    type Api = AuditSettings;

    fn to_api(&self) -> AuditSettings {
        // The remaining field is the private list of advisories, which the API returns separately.
        let Self { version, rules, allowed_wildcard_hosts, allowed_devices, text, budgets, .. } = self;
        AuditSettings {
            version: *version,
            rules: rules.iter().map(|(rule, setting)| (rule.to_api(), setting.to_api())).collect(),
            allowed_wildcard_hosts: allowed_wildcard_hosts.clone(),
            allowed_devices: allowed_devices.clone(),
            text: text.to_api(),
            budgets: budgets.by_name().map(|(name, most)| (name.to_owned(), most)).collect(),
        }
    }
}

impl ToApi for AdvisoryList {
    type Api = KeptAdvisories;

    fn to_api(&self) -> KeptAdvisories {
        let Self { date, advisories } = self;
        KeptAdvisories {
            date: date.clone(),
            advisories: advisories.len() as u64,
            digest: self.digest().to_string(),
        }
    }
}
