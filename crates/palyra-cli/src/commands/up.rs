//! `palyra up`: creates a state root if there is none, installs the example skills, and starts a daemon.

mod built_in;

use crate::browser::Browser;
use crate::cli::Globals;
use crate::client::{daemon_answers, start_daemon};
use crate::commands::daemon::run::{Introduction, ended, serve_error, serve_state};
use crate::commands::init::{DeviceKeyPlace, make_root};
use crate::error::CliError;
use crate::output::Printer;
use crate::program::{CommandPrefix, quoted};
use crate::progress::with_progress_blocking;
use crate::state;
use clap::Args;
use clap::builder::FalseyValueParser;
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_common::env_vars::PALYRA_UP_NO_EXAMPLES;
use palyra_daemon::serve::{ServeArgs, check_start, log_path};
use palyra_state::{State, StateError};
use std::ffi::OsString;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra up
  palyra up -d --listen 127.0.0.1:0";

const MORE: &str = "\
Creates the state root if needed, and installs the built-in example skills on first start. Examples that \
need nothing outside their own storage can run at once; the others need `palyra skills consent` first.

At a terminal with a display, the console opens in a browser.";

/// Start the daemon; create the state root if it does not exist
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct UpArgs {
    /// Run in the background; `palyra logs` shows its log, `palyra daemon stop` stops it
    #[arg(short, long)]
    detach: bool,

    /// Where a new state root stores its device key
    #[arg(long, value_enum, value_name = "PLACE", default_value_t)]
    device_key: DeviceKeyPlace,

    /// Install no example skills
    #[arg(long)]
    #[arg(env = PALYRA_UP_NO_EXAMPLES, hide_env_values = true, value_parser = FalseyValueParser::new())]
    no_examples: bool,

    /// Print the link to the console without opening a browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    serve: ServeArgs,
}

impl UpArgs {
    fn browser(&self, globals: &Globals) -> Option<Browser> {
        if self.no_open { None } else { Browser::of_person(globals) }
    }
}

pub(crate) fn run(args: &UpArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    ended(up(args, globals, &printer), &printer)
}

fn up(args: &UpArgs, globals: &Globals, printer: &Printer) -> Result<(), CliError> {
    let root = state::root(globals)?;
    let prefix = CommandPrefix::new(globals)?;
    if daemon_answers(&root) {
        let message = format!("a daemon already owns `{}`", root.path().display());
        let hint = format!("see where it listens with `{}`", prefix.command("status"));
        return Err(CliError::Problem(Box::new(Problem::new(ErrorCode::StateBusy, message).hint(hint))));
    }
    // Checked before anything is created, so that a port in use leaves nothing behind.
    check(&args.serve)?;
    if args.detach {
        return detach(args, globals, printer);
    }
    let mut notes = Vec::new();
    let state = open(args, globals, &mut notes)?;
    if !args.no_examples {
        notes.extend(built_in::install(&state, printer));
    }
    let introduction =
        Introduction { notes, next: to_try(&state, &prefix), console: true, browser: args.browser(globals) };
    serve_state(state, &args.serve, printer, &prefix, introduction)
}

fn check(serve: &ServeArgs) -> Result<(), CliError> {
    let threads = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    threads.block_on(check_start(serve)).map_err(serve_error)
}

/// Opens the state root, or creates it.
fn open(args: &UpArgs, globals: &Globals, notes: &mut Vec<String>) -> Result<State, CliError> {
    match state::open(globals, "up") {
        Err(CliError::State(StateError::NotInitialised { .. })) => {
            let state = make_root(globals, args.device_key, "up")?;
            let (path, key) = (state.root().path().display(), state.vault().describe().name());
            notes.push(format!("created the state root `{path}`, its device key in {key}"));
            Ok(state)
        }
        opened => opened,
    }
}

/// Starts this command again in the background, and waits until it is ready.
fn detach(args: &UpArgs, globals: &Globals, printer: &Printer) -> Result<(), CliError> {
    let root = state::root(globals)?;
    let log = args.serve.log_file.clone().unwrap_or_else(|| log_path(&root));
    let mut arguments: Vec<OsString> =
        vec!["up".into(), "--device-key".into(), args.device_key.name().into()];
    arguments.extend(args.no_examples.then(|| "--no-examples".into()));
    arguments.extend(ServeArgs { log_file: Some(log), ..args.serve.clone() }.to_arguments());
    let started = with_progress_blocking("starting the daemon", printer.terminal(), || {
        start_daemon(globals, &root, arguments)
    })?;
    match started {
        Some(started) => {
            printer.reply(&started);
            started.open_console(args.browser(globals).as_ref());
        }
        // Another command has started a daemon at the same time, and has its output.
        None => {
            printer.finish(crate::commands::status::execute(globals));
        }
    }
    Ok(())
}

/// Returns three commands to try, with a tool that can run if there is one.
fn to_try(state: &State, prefix: &CommandPrefix) -> Vec<String> {
    let inventory = state.skills().list();
    let runs = |entry: &&palyra_skills::SkillInventoryEntry| {
        entry.runtime_status == palyra_skills::RuntimeStatus::Active
    };
    let tools = inventory.iter().filter(runs).flat_map(|entry| entry.record.current.tools());
    let mut tools: Vec<_> = tools.collect();
    tools.sort_by_key(|tool| tool.examples.is_empty());
    let call = tools.first().map(|tool| {
        let input = tool.examples.first().map_or_else(|| "{}".to_owned(), ToString::to_string);
        format!("run {} --input {}", tool.id, quoted(&input))
    });
    let commands = match call {
        Some(call) => ["tools list".to_owned(), call, "runs list".to_owned()],
        None => ["status".to_owned(), "skills list".to_owned(), "skills install --help".to_owned()],
    };
    commands.iter().map(|words| prefix.command(words)).collect()
}
