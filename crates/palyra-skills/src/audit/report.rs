//! The audit report: findings in a fixed order, the risk level, and the verdict, which is independent of the risk.

pub use palyra_common::model::audit::{AuditVerdict as Verdict, RiskLevel};

use std::collections::BTreeMap;

use palyra_common::text::clip_marked;
use serde::{Deserialize, Serialize};

use super::finding::{Certainty, Effect, Finding, FindingId, Severity};
use super::policy::AuditPolicy;
use super::wasm::AuditWork;
use crate::digest::Sha256Digest;

/// Maximum number of findings listed for one rule; further ones are only counted.
const FINDINGS_PER_RULE: usize = 64;
/// Maximum length of evidence and subject, in characters.
const MAX_QUOTE: usize = 160;

/// The number of findings of each severity, including those that are not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingCounts {
    /// Number of critical findings.
    pub critical: u64,
    /// Number of findings of high severity.
    pub high: u64,
    /// Number of findings of medium severity.
    pub medium: u64,
    /// Number of findings of low severity.
    pub low: u64,
    /// Number of informational findings.
    pub info: u64,
    /// Counted but not listed, because their rule reached its maximum per report.
    pub not_listed: u64,
}

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// The consequence for the skill.
    pub verdict: Verdict,
    /// The risk level. It informs the operator and does not affect the verdict.
    pub risk: RiskLevel,
    /// The operator's version number of the policy.
    pub policy_version: u64,
    /// The digest of policy, rules and advisories. A changed digest means that the skill is audited again.
    pub policy_digest: Sha256Digest,
    /// The date of the imported advisories, if a list was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisory_date: Option<String>,
    /// Number of findings by severity.
    pub counts: FindingCounts,
    /// The findings, sorted by effect (worst first), then rule, then subject.
    pub findings: Vec<Finding>,
    /// The amount of data and validation work.
    pub work: AuditWork,
}

impl AuditReport {
    /// Returns the rules that an operator must accept for the skill to run; empty if the verdict is a pass.
    ///
    /// Hard findings are not included, so accepting the returned rules may not be enough.
    #[must_use]
    pub fn acceptable_findings(&self) -> Vec<FindingId> {
        let soft = self.findings.iter().filter(|finding| finding.quarantines() && !finding.hard);
        let mut ids: Vec<_> = soft.map(|finding| finding.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the verdict after an operator accepted the given rules. Hard findings cannot be accepted.
    #[must_use]
    pub fn verdict_accepting(&self, accepted: &[FindingId]) -> Verdict {
        let remaining =
            self.findings.iter().filter(|finding| finding.hard || !accepted.contains(&finding.id));
        verdict_of(remaining)
    }
}

/// Collects findings under a policy.
pub(crate) struct Findings<'policy> {
    policy: &'policy AuditPolicy,
    kept: Vec<Finding>,
    kept_of: BTreeMap<FindingId, usize>,
    counts: FindingCounts,
}

impl<'policy> Findings<'policy> {
    pub(crate) fn new(policy: &'policy AuditPolicy) -> Self {
        Self { policy, kept: Vec::new(), kept_of: BTreeMap::new(), counts: FindingCounts::default() }
    }

    pub(crate) const fn policy(&self) -> &'policy AuditPolicy {
        self.policy
    }

    /// Adds a finding, unless the policy turned its rule off.
    pub(crate) fn add(&mut self, id: FindingId, subject: &str, message: String, evidence: Option<&str>) {
        let Some(effect) = self.policy.effect(id) else { return };
        let rule = id.rule();
        let count = match rule.severity {
            Severity::Critical => &mut self.counts.critical,
            Severity::High => &mut self.counts.high,
            Severity::Medium => &mut self.counts.medium,
            Severity::Low => &mut self.counts.low,
            Severity::Info => &mut self.counts.info,
        };
        *count += 1;
        let kept_of_rule = self.kept_of.entry(id).or_default();
        if *kept_of_rule >= FINDINGS_PER_RULE {
            self.counts.not_listed += 1;
            return;
        }
        *kept_of_rule += 1;
        self.kept.push(Finding {
            id,
            subject: quote(subject),
            severity: rule.severity,
            certainty: rule.certainty,
            effect,
            hard: rule.hard,
            message,
            evidence: evidence.map(quote),
            remedy: rule.remedy.to_owned(),
            silence: id.silence(),
        });
    }

    pub(crate) fn into_report(mut self, work: AuditWork) -> AuditReport {
        self.kept.sort_by(|a, b| b.effect.cmp(&a.effect).then_with(|| a.cmp(b)));
        AuditReport {
            verdict: verdict_of(self.kept.iter()),
            risk: risk_of(&self.kept),
            policy_version: self.policy.version,
            policy_digest: self.policy.digest(),
            advisory_date: self.policy.advisories().map(|list| list.date.clone()),
            counts: self.counts,
            findings: self.kept,
            work,
        }
    }
}

/// Escapes and clips untrusted text for a report, so that it cannot forge a line.
pub(crate) fn quote(text: &str) -> String {
    palyra_common::redact::escape_untrusted(&clip_marked(text, MAX_QUOTE))
}

fn verdict_of<'finding>(findings: impl Iterator<Item = &'finding Finding>) -> Verdict {
    match findings.map(|finding| finding.effect).max() {
        None | Some(Effect::Note) => Verdict::Pass,
        Some(Effect::Quarantine) => Verdict::Quarantine,
        Some(Effect::Refuse) => Verdict::Refuse,
    }
}

/// Returns the worst severity, one step lower where the rule is uncertain.
fn risk_of(findings: &[Finding]) -> RiskLevel {
    let level = |finding: &Finding| match (finding.severity, finding.certainty) {
        (Severity::Info | Severity::Low, _) | (Severity::Medium, Certainty::Possible) => RiskLevel::Low,
        (Severity::Medium, _) | (Severity::High, Certainty::Possible) => RiskLevel::Medium,
        (Severity::High, _) | (Severity::Critical, Certainty::Possible) => RiskLevel::High,
        (Severity::Critical, _) => RiskLevel::Critical,
    };
    findings.iter().map(level).max().unwrap_or(RiskLevel::Low)
}
