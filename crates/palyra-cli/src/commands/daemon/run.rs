//! `palyra daemon run`.

use crate::browser::Browser;
use crate::cli::Globals;
use crate::commands::run::default_sandbox;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts};
use crate::program::CommandPrefix;
use crate::state;
use clap::Args;
use palyra_common::Capability;
use palyra_daemon::access::OwnerToken;
use palyra_daemon::serve::{ServeArgs, ServeError, serve, start_logging};
use palyra_daemon::{App, Endpoint};
use palyra_skills::{RuntimeStatus, SkillManifest, capability_grants_from_manifest};
use palyra_state::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra daemon run --listen 127.0.0.1:0";

/// Run the daemon of the state root in the foreground
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    serve: ServeArgs,
}

/// A daemon that is ready to be used.
#[derive(Serialize, Deserialize)]
pub(crate) struct Started {
    url: String,
    /// A link that signs one browser in to the console within a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    console_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grpc_url: Option<String>,
    state_root: String,
    socket: String,
    token_file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_file: Option<String>,
    pid: u32,
    skills: SkillCounts,
    /// Ids of skills that require consent.
    awaiting_consent: Vec<String>,
    /// Events before the daemon was ready, and tasks for the user.
    notes: Vec<String>,
    next: Vec<String>,
}

impl Started {
    /// Opens the console if there is a link and a browser.
    pub(crate) fn open_console(&self, browser: Option<&Browser>) {
        if let (Some(browser), Some(url)) = (browser, &self.console_url) {
            browser.open(Path::new(&self.state_root), url);
        }
    }
}

/// Numbers of installed skills and of those that can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SkillCounts {
    pub(crate) installed: usize,
    pub(crate) active: usize,
}

pub(crate) fn run(args: &RunArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    let outcome = state::open(globals, "daemon run").and_then(|state| {
        let prefix = CommandPrefix::new(globals)?;
        serve_state(state, &args.serve, printer, &prefix, Introduction::default())
    });
    ended(outcome, printer)
}

/// Content of the ready message besides the addresses of the daemon.
#[derive(Default)]
pub(crate) struct Introduction {
    pub(crate) notes: Vec<String>,
    pub(crate) next: Vec<String>,
    /// True to print a link to the console, which must not be written to the log of a service.
    pub(crate) console: bool,
    /// Browser for the console link.
    pub(crate) browser: Option<Browser>,
}

/// Serves an open state until it shuts down; prints the ready message once it listens.
pub(crate) fn serve_state(
    state: State,
    args: &ServeArgs,
    printer: &Printer,
    prefix: &CommandPrefix,
    mut introduction: Introduction,
) -> Result<(), CliError> {
    start_logging(args).map_err(CliError::usage)?;
    let config = default_sandbox()?;
    let show_console = introduction.console && palyra_daemon::console_is_built();
    let browser = introduction.browser.take();
    let ready = ready(&state, args, prefix, introduction);
    let another_link = format!(
        "the console link signs in one browser within 60 seconds; create another with `{}`",
        prefix.command("console open")
    );
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    let announce = |app: &App, endpoint: &Endpoint| {
        // Without randomness there is no link, and `palyra console open` reports the error.
        let link = show_console.then(|| app.sign_in_link().ok().flatten()).flatten();
        let mut ready = ready;
        ready.notes.extend(link.as_ref().map(|_| another_link.clone()));
        let started = Started {
            url: endpoint.url.clone(),
            console_url: link.map(|link| link.url),
            grpc_url: endpoint.grpc_url.clone(),
            socket: endpoint.socket.display().to_string(),
            pid: endpoint.pid,
            ..ready
        };
        printer.reply(&started);
        started.open_console(browser.as_ref());
    };
    threads.block_on(serve(state, config, args, announce)).map_err(serve_error)
}

/// Returns the part of the ready message that is known before the daemon listens.
fn ready(state: &State, args: &ServeArgs, prefix: &CommandPrefix, introduction: Introduction) -> Started {
    let skills = state.skills().list();
    let with = |status: RuntimeStatus| skills.iter().filter(move |entry| entry.runtime_status == status);
    let Introduction { mut notes, next, console: _, browser: _ } = introduction;
    notes.extend(with(RuntimeStatus::AwaitingConsent).map(|entry| {
        let skill_id = &entry.record.skill_id;
        let consent = prefix.command(&format!("skills consent {skill_id}"));
        match outside_access(&entry.record.current.manifest) {
            None => format!("{skill_id} awaits consent: {consent}"),
            Some(access) => format!("{skill_id} awaits consent to use {access}: {consent}"),
        }
    }));
    Started {
        url: String::new(),
        console_url: None,
        grpc_url: None,
        state_root: state.root().path().display().to_string(),
        socket: String::new(),
        token_file: OwnerToken::path(state.root()).display().to_string(),
        log_file: args.log_file.as_ref().map(|path| path.display().to_string()),
        pid: 0,
        skills: SkillCounts { installed: skills.len(), active: with(RuntimeStatus::Active).count() },
        awaiting_consent: with(RuntimeStatus::AwaitingConsent)
            .map(|entry| entry.record.skill_id.clone())
            .collect(),
        notes,
        next,
    }
}

/// Lists the hosts, secrets, channels and directories that a skill requests; `None` if it requests only storage.
fn outside_access(manifest: &SkillManifest) -> Option<String> {
    let requested: Vec<Capability> = capability_grants_from_manifest(manifest).into();
    let name = |capability: &Capability| match capability {
        Capability::Http(rule) => Some(rule.host.to_string()),
        Capability::Secret(grant) => Some(format!("the secret {}", grant.secret)),
        Capability::Channel(channel) => Some(format!("the channel {channel}")),
        Capability::Filesystem(grant) => Some(format!("the directory {}", grant.root)),
        Capability::Storage(_) => None,
    };
    let names: BTreeSet<String> = requested.iter().filter_map(name).collect();
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(", "))
}

/// Converts an error of starting or stopping the daemon.
pub(crate) fn serve_error(error: ServeError) -> CliError {
    match error {
        ServeError::Server(error) => error.into(),
        ServeError::State(error) => error.into(),
        ServeError::Profile(refusal) => CliError::usage_with_hint(refusal.to_string(), refusal.hint()),
        ServeError::Log(message) => CliError::usage(message),
        ServeError::Signals(source) => CliError::Io { what: "cannot listen for signals".into(), source },
    }
}

/// Returns the exit code of a daemon that ended.
pub(crate) fn ended(outcome: Result<(), CliError>, printer: &Printer) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

impl Reply for Started {
    const SCHEMA: &'static str = "palyra.daemon.run/v1";

    fn data(&self) -> String {
        let mut rows = vec![("ready", self.url.clone())];
        rows.extend(self.console_url.clone().map(|url| ("console", url)));
        rows.extend(self.grpc_url.clone().map(|url| ("grpc", url)));
        rows.push(("state root", self.state_root.clone()));
        rows.extend(self.log_file.clone().map(|path| ("log", path)));
        rows.extend([("process", self.pid.to_string()), ("token file", self.token_file.clone())]);
        facts(&rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let SkillCounts { installed, active } = self.skills;
        let mut talk: Vec<Remark> = self.notes.iter().cloned().map(Remark::Note).collect();
        talk.push(Remark::Note(format!("skills: {installed} installed, {active} ready to run")));
        talk.extend(self.next.iter().cloned().map(Remark::Next));
        talk
    }
}
