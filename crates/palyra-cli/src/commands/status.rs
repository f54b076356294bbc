//! `palyra status`: whether a daemon runs, and a summary of its state.

use crate::cli::Globals;
use crate::client::{self, daemon_answers};
use crate::commands::daemon::run::SkillCounts;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, duration_text, facts};
use crate::program::CommandPrefix;
use crate::state;
use clap::Args;
use palyra_api::approvals::{ApprovalQuery, ApprovalStatus};
use palyra_api::health::Health;
use palyra_api::skills::SkillStatus;
use palyra_daemon::Endpoint;
use palyra_daemon::serve::log_path;
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra status
  palyra status --json";

const MORE: &str = "\
Exit code 9: no daemon is running.";

/// Maximum number of pending approvals that are counted.
const MOST_APPROVALS: u16 = 100;
/// Exit code if no daemon runs.
const NOT_RUNNING: u8 = 9;

/// Show whether the daemon is running and what needs attention
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct StatusArgs {}

#[derive(Serialize)]
pub(crate) struct Status {
    running: bool,
    state_root: String,
    /// Whether the state root was created.
    created: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    daemon: Option<Daemon>,
    #[serde(skip)]
    next: Vec<String>,
}

impl Status {
    /// Returns whether a daemon answers.
    pub(crate) fn running(&self) -> bool {
        self.running
    }
}

#[derive(Serialize)]
struct Daemon {
    #[serde(flatten)]
    health: Health,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grpc_url: Option<String>,
    skills: SkillCounts,
    pending_approvals: usize,
}

pub(crate) fn run(_args: &StatusArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match execute(globals) {
        Ok(status) => {
            let written = printer.reply(&status);
            if status.running { written } else { ExitCode::from(NOT_RUNNING) }
        }
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

pub(crate) fn execute(globals: &Globals) -> Result<Status, CliError> {
    let root = state::root(globals)?;
    let remote = globals.url.is_some();
    let running = remote || daemon_answers(&root);
    let daemon = if running { Some(daemon(globals)?) } else { None };
    let log = Some(log_path(&root)).filter(|path| !remote && path.exists());
    let created = root.database().exists();
    let prefix = CommandPrefix::new(globals)?;
    let next = match &daemon {
        None => vec![prefix.command("up")],
        Some(daemon) if daemon.pending_approvals > 0 => vec![prefix.command("approvals list")],
        Some(_) => Vec::new(),
    };
    Ok(Status {
        running,
        state_root: daemon
            .as_ref()
            .map_or_else(|| root.path().display().to_string(), |daemon| daemon.health.state_root.clone()),
        created: remote || created,
        log_file: log.map(|path| path.display().to_string()),
        daemon,
        next,
    })
}

fn daemon(globals: &Globals) -> Result<Daemon, CliError> {
    let pending = ApprovalQuery {
        status: Some(ApprovalStatus::Pending),
        limit: Some(MOST_APPROVALS),
        ..ApprovalQuery::default()
    };
    let asked = client::ask(globals, "status", async |client| {
        let (health, skills) = (client.health().await?, client.skills().await?);
        Ok::<_, palyra_api::ClientError>((health, skills, client.approvals(&pending).await?))
    });
    let (health, skills, approvals) = asked?;
    let active = skills.skills.iter().filter(|skill| skill.runtime_status == SkillStatus::Active).count();
    let endpoint = match &globals.url {
        Some(_) => None,
        None => Endpoint::read(&state::root(globals)?).ok().flatten(),
    };
    Ok(Daemon {
        health,
        url: globals.url.clone().or_else(|| endpoint.as_ref().map(|endpoint| endpoint.url.clone())),
        grpc_url: endpoint.and_then(|endpoint| endpoint.grpc_url),
        skills: SkillCounts { installed: skills.skills.len(), active },
        pending_approvals: approvals.approvals.len(),
    })
}

impl Reply for Status {
    const SCHEMA: &'static str = "palyra.status/v1";

    fn data(&self) -> String {
        let root = if self.created {
            self.state_root.clone()
        } else {
            format!("{} (not created yet)", self.state_root)
        };
        let log = self.log_file.clone().unwrap_or_default();
        let Some(daemon) = &self.daemon else {
            return facts(&[("daemon", "not running".into()), ("state root", root), ("log", log)]);
        };
        let health = &daemon.health;
        let up_for = duration_text(Duration::from_millis(health.uptime_ms));
        let approvals = match daemon.pending_approvals {
            0 => "none pending".to_owned(),
            many if many >= usize::from(MOST_APPROVALS) => format!("{many} or more pending"),
            many => format!("{many} pending"),
        };
        let skills = format!("{} installed, {} ready to run", daemon.skills.installed, daemon.skills.active);
        facts(&[
            ("daemon", format!("running, process {}, up for {up_for}", health.pid)),
            ("address", daemon.url.clone().unwrap_or_default()),
            ("grpc", daemon.grpc_url.clone().unwrap_or_default()),
            ("state root", root),
            ("version", health.version.clone()),
            ("skills", skills),
            ("approvals", approvals),
            ("events", health.journal_size.to_string()),
            ("log", log),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        self.next.iter().cloned().map(Remark::Next).collect()
    }
}
