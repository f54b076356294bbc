//! What an audit returns: findings in a fixed order, a risk, and a verdict that is not the same thing.

use std::collections::BTreeMap;

use palyra_common::text::clip_marked;
use serde::{Deserialize, Serialize};

use super::finding::{Certainty, Effect, Finding, FindingId, Severity};
use super::policy::AuditPolicy;
use super::wasm::AuditWork;
use crate::digest::Sha256Digest;

/// Findings kept of one rule; the rest is counted.
const FINDINGS_PER_RULE: usize = 64;
/// Longest evidence and subject, in characters.
const MAX_QUOTE: usize = 160;

/// What the audit does to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It can run.
    Pass,
    /// It is stored and cannot run.
    Quarantine,
    /// It is not stored.
    Refuse,
}

/// How much harm the skill could do if it is what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// No unusual findings.
    Low,
    /// Look at the findings.
    Medium,
    /// Look closely.
    High,
    /// Do not run it.
    Critical,
}

/// How many findings there are of each severity, those not kept included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingCounts {
    /// Of severity critical.
    pub critical: u64,
    /// Of severity high.
    pub high: u64,
    /// Of severity medium.
    pub medium: u64,
    /// Of severity low.
    pub low: u64,
    /// Of severity info.
    pub info: u64,
    /// Found but not listed, because their rule had more than a report holds.
    pub not_listed: u64,
}

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// Consequence for the skill.
    pub verdict: Verdict,
    /// Risk.
    pub risk: RiskLevel,
    /// The operator's version number of the policy.
    pub policy_version: u64,
    /// The digest of policy, rules and advisories: another digest means another audit.
    pub policy_digest: Sha256Digest,
    /// The date of the imported advisories, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisory_date: Option<String>,
    /// Number of findings by severity.
    pub counts: FindingCounts,
    /// The findings: worst effect first, then rule, then place.
    pub findings: Vec<Finding>,
    /// Scope of the audit.
    pub work: AuditWork,
}

impl AuditReport {
    /// The rules an operator would have to accept for the skill to run; empty for a verdict of pass.
    ///
    /// Nothing is left to accept either when a finding is hard.
    #[must_use]
    pub fn acceptable_findings(&self) -> Vec<FindingId> {
        let soft = self.findings.iter().filter(|finding| finding.quarantines() && !finding.hard);
        let mut ids: Vec<_> = soft.map(|finding| finding.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The verdict after an operator accepted some soft findings.
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

    /// Adds a finding unless the policy switched its rule off.
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

/// Untrusted text for a report: escaped, so that it cannot forge a line, and clipped.
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

/// The worst severity, one step lower where the audit is not sure.
fn risk_of(findings: &[Finding]) -> RiskLevel {
    let level = |finding: &Finding| match (finding.severity, finding.certainty) {
        (Severity::Info | Severity::Low, _) | (Severity::Medium, Certainty::Possible) => RiskLevel::Low,
        (Severity::Medium, _) | (Severity::High, Certainty::Possible) => RiskLevel::Medium,
        (Severity::High, _) | (Severity::Critical, Certainty::Possible) => RiskLevel::High,
        (Severity::Critical, _) => RiskLevel::Critical,
    };
    findings.iter().map(level).max().unwrap_or(RiskLevel::Low)
}
