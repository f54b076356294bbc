//! `palyra skills audit`.

use super::Judged;
use super::package_file::{Package, read};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, shapes, skills};
use clap::Args;
use palyra_api::skills::{AuditVerdict, SkillAudit, SkillAudits, SkillStatus};
use palyra_daemon::packages::Background;
use palyra_state::StateError;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

const EXAMPLE: &str = "\
Example:
  palyra skills audit
  palyra skills audit acme.notes
  palyra skills audit ./notes.palyra-skill";

const MORE: &str = "\
An audit compiles and runs nothing. An installed skill that fails is quarantined. Exit code 6: a skill is
quarantined.";

/// Audit a package, an installed skill, or all installed skills
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AuditArgs {
    /// Skill or package file [default: every installed skill]
    #[arg(value_name = "ID|FILE")]
    target: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Audited(SkillAudits);

pub(super) fn run(args: &AuditArgs, globals: &Globals) -> Result<Audited, CliError> {
    let audits = match args.target.as_deref() {
        Some(target) if is_file(target) => audit_file(Path::new(target), globals)?,
        target => client::ask(globals, "skills audit", async |client| match target {
            Some(skill_id) => client.audit_skill(skill_id).await,
            None => client.audit_skills().await,
        })?,
    };
    Ok(Audited(audits))
}

/// Returns whether the argument is a file: an id has neither a slash nor the extension of a package.
fn is_file(target: &str) -> bool {
    target.contains('/') || target.ends_with(".palyra-skill") || Path::new(target).is_file()
}

fn audit_file(path: &Path, globals: &Globals) -> Result<SkillAudits, CliError> {
    let package = Package::open(path)?;
    let asked =
        client::ask(globals, "skills audit", async |client| client.audit_package(package.body()).await);
    match asked {
        // Without a state root there is no audit policy, so the default applies.
        Err(CliError::State(StateError::NotInitialised { .. })) => {
            Ok(Background::nothing().audit(read(path)?)?)
        }
        asked => asked,
    }
}

fn holds_back(audit: &SkillAudit) -> bool {
    let judged = audit.report.as_ref().is_some_and(|report| report.verdict != AuditVerdict::Pass);
    // A finding that the operator accepted does not prevent the skill from running.
    let stopped = audit.runtime_status.is_none_or(|status| status == SkillStatus::Quarantined);
    audit.problem.is_some() || (judged && stopped)
}

impl Judged for Audited {
    fn exit_code(&self) -> u8 {
        if self.0.audits.iter().any(holds_back) { skills::QUARANTINED } else { 0 }
    }
}

impl Reply for Audited {
    const SCHEMA: &'static str = "palyra.skills.audit/v1";

    fn data(&self) -> String {
        let one = |audit: &SkillAudit| {
            let version = audit.version.as_deref().unwrap_or_default();
            let status = audit
                .runtime_status
                .map(|status| format!(", {}", shapes::status(status)))
                .unwrap_or_default();
            let status = if audit.kept_for_rollback { ", kept for rollback".to_owned() } else { status };
            let report = audit.report.as_ref().map(shapes::audit).unwrap_or_default();
            let problem =
                audit.problem.as_ref().map(|problem| format!("  ! {problem}\n")).unwrap_or_default();
            format!("{} {version}{status}\n{report}{problem}", audit.skill_id)
        };
        self.0.audits.iter().map(one).collect::<Vec<_>>().join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.audits.is_empty() {
            vec![
                Remark::Note("no skills are installed".into()),
                Remark::Next("palyra skills audit FILE".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.audits.iter().map(|audit| json!(audit)).collect())
    }
}
