//! Skills for people: steps, permissions, findings, and what an update changes.

mod columns;

pub(crate) use columns::two_columns;

use super::Remark;
use palyra_common::redact::escape_untrusted;
use palyra_skills::audit::{AuditReport, Finding, RiskLevel, Severity, Verdict};
use palyra_skills::grants::{Permission, PermissionSeverity};
use palyra_skills::index::TrustState;
use palyra_skills::install::{InstallStage, InstallStep};
use palyra_skills::verify::VerifyStep;
use palyra_skills::{RuntimeStatus, SkillManifest};

/// A person said no.
pub(crate) const DECLINED: u8 = 3;
/// Sound, and not believed.
pub(crate) const UNTRUSTED: u8 = 5;
/// The audit keeps it from running.
pub(crate) const QUARANTINED: u8 = 6;

/// One step of a verification, on a line.
pub(crate) fn verify_step(step: &VerifyStep) -> String {
    format!("ok  {:<10}  {}\n", step.name.wire_name(), escape_untrusted(&step.found))
}

/// One step of an installation, for a remark.
pub(crate) fn install_step(step: &InstallStep) -> String {
    let name = match step.stage {
        InstallStage::Verify(step) => step.wire_name(),
        InstallStage::Audit => "audit",
        InstallStage::Trust => "standing",
        InstallStage::Update => "update",
        InstallStage::Consent => "consent",
        InstallStage::Store => "store",
    };
    format!("ok  {name:<10}  {}", step.found)
}

/// What it may do, one line each; those that open much are marked.
pub(crate) fn permissions(permissions: &[Permission]) -> String {
    if permissions.is_empty() {
        return "  nothing outside its own computation\n".to_owned();
    }
    let line = |permission: &Permission| {
        let mark = match permission.severity {
            PermissionSeverity::Low => "  ",
            PermissionSeverity::Medium => "- ",
            PermissionSeverity::High => "! ",
        };
        format!("  {mark}{}\n", escape_untrusted(&permission.text))
    };
    permissions.iter().map(line).collect()
}

/// Verdict, risk, and each finding with its remedy.
pub(crate) fn audit(report: &AuditReport) -> String {
    let count = report.findings.len() as u64 + report.counts.not_listed;
    let head =
        format!("  {}, risk {}, {}\n", verdict(report.verdict), risk(report.risk), findings_counted(count));
    let findings: String = report.findings.iter().map(finding).collect();
    let rest = match report.counts.not_listed {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    format!("{head}{findings}{rest}")
}

/// The same as remarks, worst first; notes of no weight stay out.
pub(crate) fn finding_remarks(report: &AuditReport) -> Vec<Remark> {
    let worth = |finding: &&Finding| finding.quarantines() || finding.severity >= Severity::Medium;
    let remark = |finding: &Finding| {
        let text = format!("{}: {}; {}", finding.id, finding.message, finding.remedy);
        if finding.quarantines() { Remark::Warning(text) } else { Remark::Note(text) }
    };
    report.findings.iter().filter(worth).map(remark).collect()
}

/// Each tool with its description.
pub(crate) fn tools(manifest: &SkillManifest) -> String {
    let line = |tool: &palyra_skills::manifest::ToolEntrypoint| {
        let approval = if tool.risk.requires_approval { " (asks for approval)" } else { "" };
        format!("  {}{approval}: {}\n", escape_untrusted(&tool.id), escape_untrusted(&tool.description))
    };
    let hooks = manifest.entrypoints.hooks.iter();
    let hooks = hooks.map(|hook| format!("  {} on {}\n", escape_untrusted(&hook.id), hook.events.join(", ")));
    manifest.entrypoints.tools.iter().map(line).chain(hooks).collect()
}

/// The word for a verdict.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Quarantine => "quarantine",
        Verdict::Refuse => "refuse",
    }
}

/// The word for a risk.
pub(crate) fn risk(risk: RiskLevel) -> &'static str {
    match risk {
        RiskLevel::Low => "low",
        RiskLevel::Medium => "medium",
        RiskLevel::High => "high",
        RiskLevel::Critical => "critical",
    }
}

/// The words for a status.
pub(crate) fn status(status: RuntimeStatus) -> &'static str {
    match status {
        RuntimeStatus::Active => "active",
        RuntimeStatus::Quarantined => "quarantined",
        RuntimeStatus::AwaitingConsent => "awaiting consent",
        RuntimeStatus::Disabled => "disabled",
        RuntimeStatus::Error => "error",
    }
}

/// The word for a standing.
pub(crate) fn trust(trust: TrustState) -> &'static str {
    match trust {
        TrustState::Quarantine => "unknown publisher",
        TrustState::Tofu => "pinned at first use",
        TrustState::Trusted => "allowlisted",
        TrustState::Revoked => "revoked",
    }
}

/// Every line two further to the right.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn finding(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    };
    let mark = if finding.quarantines() { "!" } else { "-" };
    let mut text =
        format!("  {mark} {severity} {} in {}: {}\n", finding.id, finding.subject, finding.message);
    if let Some(evidence) = &finding.evidence {
        text.push_str(&format!("      found    {evidence}\n"));
    }
    text.push_str(&format!("      remedy   {}\n", finding.remedy));
    if finding.quarantines() {
        text.push_str(&format!("      silence  {}\n", finding.silence));
    }
    text
}

fn findings_counted(count: u64) -> String {
    match count {
        0 => "nothing found".to_owned(),
        1 => "one finding".to_owned(),
        many => format!("{many} findings"),
    }
}
