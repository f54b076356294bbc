//! `palyra skills audit`.

use super::package_file::{Background, read};
use super::{Judged, installed_id};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, skills};
use crate::state;
use clap::Args;
use palyra_skills::audit::{AuditReport, Verdict, audit_skill_artifact_security};
use palyra_skills::{RuntimeStatus, Sha256Digest};
use palyra_state::ReAudit;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

const EXAMPLE: &str = "\
Example:
  palyra skills audit
  palyra skills audit acme.notes
  palyra skills audit ./notes.palyra-skill";

const MORE: &str = "\
An audit reads; it compiles nothing and runs nothing. For installed skills its verdict takes effect: what must
not run is quarantined. Exit code 6 when anything is.";

/// Look for trouble in a package, an installed skill, or everything installed.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AuditArgs {
    /// A skill or a package file [default: every installed skill]
    #[arg(value_name = "ID|FILE")]
    target: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Audited {
    audits: Vec<OneAudit>,
}

#[derive(Serialize)]
struct OneAudit {
    skill_id: String,
    version: Option<String>,
    payload: Sha256Digest,
    /// The status after the audit; none for a file.
    runtime_status: Option<RuntimeStatus>,
    report: Option<AuditReport>,
    /// Why it could not be audited.
    problem: Option<String>,
}

pub(super) fn run(args: &AuditArgs, globals: &Globals) -> Result<Audited, CliError> {
    match args.target.as_deref() {
        Some(target) if is_file(target) => {
            Ok(Audited { audits: vec![audit_file(Path::new(target), globals)?] })
        }
        target => audit_installed(target, globals),
    }
}

/// An id has neither a slash nor the ending of a package.
fn is_file(target: &str) -> bool {
    target.contains('/') || target.ends_with(".palyra-skill") || Path::new(target).is_file()
}

fn audit_file(path: &Path, globals: &Globals) -> Result<OneAudit, CliError> {
    let bytes = read(path)?;
    let background = Background::read(globals, "skills audit")?;
    let skill = background.verify(bytes, true)?.skill;
    let report = audit_skill_artifact_security(&skill, &background.policy, &background.tools);
    Ok(OneAudit {
        skill_id: skill.manifest().skill_id.clone(),
        version: Some(skill.manifest().version.to_string()),
        payload: skill.payload(),
        runtime_status: None,
        report: Some(report),
        problem: None,
    })
}

fn audit_installed(target: Option<&str>, globals: &Globals) -> Result<Audited, CliError> {
    let state = state::open(globals, "skills audit")?;
    if let Some(id) = target {
        installed_id(&state, id)?;
    }
    let audits = state.re_audit(target)?.into_iter().map(one).collect();
    state::finish(state)?;
    Ok(Audited { audits })
}

fn one(audited: ReAudit) -> OneAudit {
    let ReAudit { skill_id, payload, result } = audited;
    match result {
        Ok(outcome) => {
            let version = outcome.record.release(payload).map(|release| release.manifest.version.to_string());
            let (status, report) = (outcome.status, outcome.audit);
            OneAudit { skill_id, version, payload, runtime_status: Some(status), report, problem: None }
        }
        Err(error) => {
            let problem = Some(error.to_string());
            let runtime_status = Some(RuntimeStatus::Quarantined);
            OneAudit { skill_id, version: None, payload, runtime_status, report: None, problem }
        }
    }
}

impl OneAudit {
    fn holds_back(&self) -> bool {
        let judged = self.report.as_ref().is_some_and(|report| report.verdict != Verdict::Pass);
        // A finding that an operator accepted keeps nothing back.
        let stopped = self.runtime_status.is_none_or(|status| status == RuntimeStatus::Quarantined);
        self.problem.is_some() || (judged && stopped)
    }
}

impl Judged for Audited {
    fn exit_code(&self) -> u8 {
        if self.audits.iter().any(OneAudit::holds_back) { skills::QUARANTINED } else { 0 }
    }
}

impl Reply for Audited {
    const SCHEMA: &'static str = "palyra.skills.audit/v1";

    fn data(&self) -> String {
        let one = |audit: &OneAudit| {
            let version = audit.version.as_deref().unwrap_or_default();
            let status = audit
                .runtime_status
                .map(|status| format!(", {}", skills::status(status)))
                .unwrap_or_default();
            let report = audit.report.as_ref().map(skills::audit).unwrap_or_default();
            let problem =
                audit.problem.as_ref().map(|problem| format!("  ! {problem}\n")).unwrap_or_default();
            format!("{} {version}{status}\n{report}{problem}", audit.skill_id)
        };
        self.audits.iter().map(one).collect::<Vec<_>>().join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        match self.audits.is_empty() {
            true => vec![
                Remark::Note("no skill is installed".into()),
                Remark::Next("palyra skills audit FILE".into()),
            ],
            false => Vec::new(),
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.audits.iter().map(|audit| json!(audit)).collect())
    }
}
