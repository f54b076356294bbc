//! Formats packages for people: permissions, findings, and the changes of an update.

mod columns;

pub(crate) use columns::two_columns;

use super::Remark;
use palyra_common::redact::escape_untrusted;
use palyra_skills::SkillManifest;
use palyra_skills::audit::{AuditReport, Finding, Severity};
use palyra_skills::grants::{Permission, PermissionSeverity};

/// Exit code: the user declined.
pub(crate) const DECLINED: u8 = 3;
/// Exit code: valid, but not trusted.
pub(crate) const UNTRUSTED: u8 = 5;
/// Exit code: quarantined by the audit.
pub(crate) const QUARANTINED: u8 = 6;
/// Exit code: installed, but it needs consent, is disabled, or does not fit this machine.
pub(crate) const NOT_RUNNABLE: u8 = 12;

/// Formats permissions, one per line; broad ones are marked.
pub(crate) fn permissions(permissions: &[Permission]) -> String {
    if permissions.is_empty() {
        return "  none\n".to_owned();
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

/// Returns the findings that quarantine, and those of at least medium severity, as remarks.
pub(crate) fn finding_remarks(report: &AuditReport) -> Vec<Remark> {
    let worth = |finding: &&Finding| finding.quarantines() || finding.severity >= Severity::Medium;
    let remark = |finding: &Finding| {
        let text = format!("{}: {}; {}", finding.id, finding.message, finding.remedy);
        if finding.quarantines() { Remark::Warning(text) } else { Remark::Note(text) }
    };
    report.findings.iter().filter(worth).map(remark).collect()
}

/// Formats each tool with its description.
pub(crate) fn tools(manifest: &SkillManifest) -> String {
    let line = |tool: &palyra_skills::manifest::ToolEntrypoint| {
        let approval = if tool.risk.requires_approval { " (asks for approval)" } else { "" };
        format!("  {}{approval}: {}\n", escape_untrusted(&tool.id), escape_untrusted(&tool.description))
    };
    let hooks = manifest.entrypoints.hooks.iter();
    let hooks = hooks.map(|hook| format!("  {} on {}\n", escape_untrusted(&hook.id), hook.events.join(", ")));
    manifest.entrypoints.tools.iter().map(line).chain(hooks).collect()
}

/// Indents every line by two spaces.
pub(crate) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
