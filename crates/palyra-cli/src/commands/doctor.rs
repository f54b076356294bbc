//! `palyra doctor`: problems of the installation, and their remedies.

mod bundle;

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply};
use crate::state;
use clap::Args;
use palyra_api::doctor::StateChecks;
use palyra_common::deployment_profiles::{DeploymentProfile, PROFILES};
use palyra_common::env_vars::PALYRA_PROFILE;
use palyra_common::redact::escape_untrusted;
use palyra_daemon::doctor::{Check, Report, Severity, Subject, examine_with, fix};
use palyra_state::StateOptions;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLE: &str = "\
Example:
  palyra doctor
  palyra doctor --profile single-vm --fix
  palyra doctor --bundle report.json";

const MORE: &str = "\
Changes nothing without `--fix`. A running daemon checks the state itself; stop it before fixing the state.";

/// Check this machine and the state root, and report problems
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct DoctorArgs {
    /// Deployment profile to check against: `local`, `single-vm` or `worker-enabled`
    #[arg(long, value_name = "PROFILE", default_value = DeploymentProfile::DEFAULT)]
    #[arg(env = PALYRA_PROFILE, hide_env_values = true)]
    profile: String,

    /// Fix what can be fixed automatically, then check again
    #[arg(long)]
    fix: bool,

    /// Write the report and versions to this new file, for a support request
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
}

#[derive(Serialize)]
struct Examined {
    #[serde(flatten)]
    report: Report,
    /// Problems that `--fix` solved.
    fixed: Vec<String>,
    /// Problems that `--fix` could not solve, with the reason.
    not_fixed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
}

pub(crate) fn run(args: &DoctorArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match execute(args, globals) {
        Ok(examined) => {
            let written = printer.reply(&examined);
            if examined.report.severity == Severity::Error { ExitCode::FAILURE } else { written }
        }
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn execute(args: &DoctorArgs, globals: &Globals) -> Result<Examined, CliError> {
    let subject = subject(args, globals)?;
    let ask = || ask_daemon(globals);
    let mut report = examine_with(&subject, &ask);
    let (mut fixed, mut not_fixed) = (Vec::new(), Vec::new());
    if args.fix {
        let automatic = |check: &&Check| check.fix.as_ref().is_some_and(|fix| fix.automatic);
        let offered: Vec<String> =
            report.checks.iter().filter(automatic).map(|check| check.id.to_string()).collect();
        for id in offered {
            match fix(&subject, &id) {
                Ok(()) => fixed.push(id),
                Err(error) => not_fixed.push(error.to_string()),
            }
        }
        report = examine_with(&subject, &ask);
    }
    let bundle = args.bundle.as_deref().map(|path| bundle::write(path, &subject, &report)).transpose()?;
    Ok(Examined { report, fixed, not_fixed, bundle })
}

/// Runs the checks that require the owner of the state.
fn ask_daemon(globals: &Globals) -> Result<Vec<Check>, String> {
    let checked = client::ask(globals, "doctor", async |client| client.check_state().await);
    match checked {
        Ok(StateChecks { checks }) => Ok(checks.into_iter().map(Check::from).collect()),
        Err(error) => Err(format!("the check failed: {error}")),
    }
}

fn subject(args: &DoctorArgs, globals: &Globals) -> Result<Subject, CliError> {
    let profile = DeploymentProfile::find(&args.profile).ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        let known = format!("choose from {}", names.join(", "));
        CliError::usage_with_hint(format!("unknown profile `{}`", escape_untrusted(&args.profile)), known)
    })?;
    let options = StateOptions {
        command: "palyra doctor".into(),
        passphrase: state::given_passphrase(globals)?.map(Arc::new),
        ..StateOptions::default()
    };
    Ok(Subject::new(state::root(globals)?, options, profile))
}

impl Reply for Examined {
    const SCHEMA: &'static str = "palyra.doctor/v1";

    fn data(&self) -> String {
        self.report.checks.iter().map(line).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        let mut remarks: Vec<Remark> =
            self.fixed.iter().map(|id| Remark::Note(format!("fixed `{id}`"))).collect();
        remarks.extend(self.not_fixed.iter().cloned().map(Remark::Warning));
        let open = self
            .report
            .findings()
            .filter(|check| check.fix.as_ref().is_some_and(|fix| fix.automatic))
            .count();
        match self.report.skipped {
            0 => {}
            1 => remarks.push(Remark::Warning("1 check was skipped".into())),
            skipped => remarks.push(Remark::Warning(format!("{skipped} checks were skipped"))),
        }
        match (self.report.findings().count(), open) {
            (0, _) => remarks.push(Remark::Note("no problems found".into())),
            (_, 0) => {}
            (_, 1) => remarks.push(Remark::Next("fix 1 problem automatically: palyra doctor --fix".into())),
            (_, open) => {
                remarks.push(Remark::Next(format!("fix {open} problems automatically: palyra doctor --fix")))
            }
        }
        remarks
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.report.checks.iter().map(|check| json!(check)).collect())
    }
}

fn line(check: &Check) -> String {
    let word = match check.severity {
        Severity::Ok => "ok",
        Severity::Note => "note",
        Severity::Skipped => "skipped",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let fix = match &check.fix {
        Some(fix) if fix.automatic => {
            format!("{:9}fix: {} (`--fix` does it)\n", "", escape_untrusted(&fix.says))
        }
        Some(fix) => format!("{:9}fix: {}\n", "", escape_untrusted(&fix.says)),
        None => String::new(),
    };
    format!("{word:<8} {:<26} {}\n{fix}", check.id, escape_untrusted(&check.evidence))
}
