//! `palyra up`: from nothing to a daemon with something to try.

mod examples;

use crate::cli::Globals;
use crate::client::daemon_answers;
use crate::commands::daemon::run::{ended, serve_state};
use crate::commands::init::{DeviceKeyPlace, make_root};
use crate::error::CliError;
use crate::output::{Printer, Remark};
use crate::state;
use clap::Args;
use clap::builder::FalseyValueParser;
use examples::Examples;
use palyra_api::Problem;
use palyra_common::env_vars::PALYRA_UP_NO_EXAMPLES;
use palyra_daemon::serve::ServeArgs;
use palyra_state::{State, StateError};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra up
  palyra up --device-key file --listen 127.0.0.1:0";

const MORE: &str = "\
Makes the state root if there is none, and then installs the example skills that were built with this program.
An example that asks for nothing outside its own storage may run at once; the others wait until you agree with
`palyra skills consent`.";

/// Start a daemon in the foreground, and make the state root first if there is none.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct UpArgs {
    /// Where the device key of a new state root is kept
    #[arg(long, value_enum, value_name = "PLACE", default_value_t)]
    device_key: DeviceKeyPlace,

    /// Install no examples into a new state root
    #[arg(long)]
    #[arg(env = PALYRA_UP_NO_EXAMPLES, hide_env_values = true, value_parser = FalseyValueParser::new())]
    no_examples: bool,

    #[command(flatten)]
    serve: ServeArgs,
}

/// Carries the command out.
pub(crate) fn run(args: &UpArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    ended(up(args, globals, &printer), &printer)
}

fn up(args: &UpArgs, globals: &Globals, printer: &Printer) -> Result<(), CliError> {
    let root = state::root(globals)?;
    if daemon_answers(&root) {
        let message = format!("a daemon already owns `{}`", root.path().display());
        let problem = Problem::new("state_busy", message).hint("see where with `palyra daemon status`");
        return Err(CliError::Problem(Box::new(problem)));
    }
    let (state, fresh) = open(args, globals)?;
    let mut talk = Vec::new();
    if fresh && !args.no_examples {
        let found = Examples::find();
        let installed = found.install(&state, printer)?;
        talk.extend(installed);
    }
    talk.extend(to_try(&state));
    serve_state(state, &args.serve, printer, talk)
}

/// Opens the state root, or makes it; says which.
fn open(args: &UpArgs, globals: &Globals) -> Result<(State, bool), CliError> {
    match state::open(globals, "up") {
        Err(CliError::State(StateError::NotInitialised { .. })) => {
            Ok((make_root(globals, args.device_key, "up")?, true))
        }
        opened => Ok((opened?, false)),
    }
}

/// Three commands to try, with a tool that can run if there is one.
fn to_try(state: &State) -> Vec<Remark> {
    let inventory = state.list();
    let runs = |entry: &&palyra_skills::SkillInventoryEntry| {
        entry.runtime_status == palyra_skills::RuntimeStatus::Active
    };
    let tools = inventory.iter().filter(runs).flat_map(|entry| {
        entry.record.current.manifest.entrypoints.tools.iter().map(move |tool| (&entry.record.skill_id, tool))
    });
    let mut tools: Vec<_> = tools.collect();
    tools.sort_by_key(|(_, tool)| tool.examples.is_empty());
    let mut commands = vec!["palyra tools list".to_owned()];
    if let Some((skill_id, tool)) = tools.first() {
        let input = tool.examples.first().map_or_else(|| "{}".to_owned(), ToString::to_string);
        commands.push(format!("palyra run {} --input '{input}'", tool.id));
        commands.push(format!("palyra skills info {skill_id}"));
    } else {
        commands.push("palyra skills install FILE --allow-tofu".to_owned());
        commands.push("palyra daemon status".to_owned());
    }
    commands.into_iter().map(Remark::Next).collect()
}
