//! Formats the result of an audit.

use palyra_api::skills::{AuditReport, AuditVerdict, Finding, RiskLevel, Severity};
use palyra_common::redact::escape_untrusted;

/// Formats the audit for the question of consent; minor findings are only counted.
pub(crate) fn audit_for_consent(report: &AuditReport) -> String {
    let minor = |finding: &Finding| {
        !finding.quarantines() && matches!(finding.severity, Severity::Info | Severity::Low)
    };
    let folded = report.findings.iter().filter(|finding| minor(finding)).count();
    if folded == 0 {
        return audit(report);
    }
    let mut rest = report.clone();
    rest.findings.retain(|finding| !minor(finding));
    let line = match folded {
        1 => "  - 1 finding of low severity".to_owned(),
        many => format!("  - {many} findings of low severity"),
    };
    format!("{}{}{line}, listed by `palyra skills audit`\n", head(report), listed(&rest))
}

/// Formats verdict, risk, and each finding with its remedy.
pub(crate) fn audit(report: &AuditReport) -> String {
    head(report) + &listed(report)
}

fn head(report: &AuditReport) -> String {
    let count = (report.findings.len() as u64).saturating_add(report.counts.not_listed);
    format!("  {}, risk {}, {}\n", verdict(report.verdict), risk(report.risk), findings_counted(count))
}

fn listed(report: &AuditReport) -> String {
    let findings: String = report.findings.iter().map(finding).collect();
    let rest = match report.counts.not_listed {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    findings + &rest
}

fn finding(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Info => "info",
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    };
    let shown = |text: &str| escape_untrusted(text);
    let mark = if finding.quarantines() { "!" } else { "-" };
    let (id, subject) = (shown(&finding.id), shown(&finding.subject));
    let mut text = format!("  {mark} {severity} {id} in {subject}: {}\n", shown(&finding.message));
    if let Some(evidence) = &finding.evidence {
        text.push_str(&format!("      found    {}\n", shown(evidence)));
    }
    text.push_str(&format!("      remedy   {}\n", shown(&finding.remedy)));
    if finding.quarantines() {
        text.push_str(&format!("      silence  {}\n", shown(&finding.silence)));
    }
    text
}

fn findings_counted(count: u64) -> String {
    match count {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    }
}

fn verdict(verdict: AuditVerdict) -> &'static str {
    match verdict {
        AuditVerdict::Pass => "pass",
        AuditVerdict::Quarantine => "quarantine",
        AuditVerdict::Refuse => "refuse",
    }
}

fn risk(risk: RiskLevel) -> &'static str {
    match risk {
        RiskLevel::Low => "low",
        RiskLevel::Medium => "medium",
        RiskLevel::High => "high",
        RiskLevel::Critical => "critical",
    }
}
