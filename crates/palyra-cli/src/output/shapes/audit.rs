//! What an audit found, for people.

use palyra_api::skills::{AuditReport, AuditVerdict, Finding, RiskLevel, Severity};
use palyra_common::redact::escape_untrusted;

/// Verdict, risk, and each finding with its remedy.
pub(crate) fn audit(report: &AuditReport) -> String {
    let count = (report.findings.len() as u64).saturating_add(report.counts.not_listed);
    let head =
        format!("  {}, risk {}, {}\n", verdict(report.verdict), risk(report.risk), findings_counted(count));
    let findings: String = report.findings.iter().map(finding).collect();
    let rest = match report.counts.not_listed {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    format!("{head}{findings}{rest}")
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
        0 => "nothing found".to_owned(),
        1 => "one finding".to_owned(),
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
