//! `palyra daemon run`.

use crate::cli::Globals;
use crate::commands::run::default_sandbox;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_daemon::Endpoint;
use palyra_daemon::access::OwnerToken;
use palyra_daemon::serve::{ServeArgs, ServeError, serve, start_logging};
use palyra_state::State;
use serde::Serialize;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra daemon run --listen 127.0.0.1:0";

/// Own the state root and serve it in the foreground.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    serve: ServeArgs,
}

/// Where a daemon was started.
#[derive(Serialize)]
pub(crate) struct Started {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    grpc_url: Option<String>,
    socket: String,
    token_file: String,
    pid: u32,
    #[serde(skip)]
    talk: Vec<Remark>,
}

pub(crate) fn run(args: &RunArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    let outcome = state::open(globals, "daemon run")
        .and_then(|state| serve_state(state, &args.serve, printer, Vec::new()));
    ended(outcome, printer)
}

/// Serves an open state to its clean stop; says where once it listens.
pub(crate) fn serve_state(
    state: State,
    args: &ServeArgs,
    printer: &Printer,
    talk: Vec<Remark>,
) -> Result<(), CliError> {
    start_logging(args).map_err(CliError::usage)?;
    let config = default_sandbox()?;
    let token_file = OwnerToken::path(state.root()).display().to_string();
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let threads = threads.map_err(CliError::io("no threads can be started"))?;
    let announce = |endpoint: &Endpoint| {
        printer.reply(&Started {
            url: endpoint.url.clone(),
            grpc_url: endpoint.grpc_url.clone(),
            socket: endpoint.socket.display().to_string(),
            pid: endpoint.pid,
            token_file,
            talk,
        });
    };
    threads.block_on(serve(state, config, args, announce)).map_err(|error| match error {
        ServeError::Server(error) => error.into(),
        ServeError::State(error) => error.into(),
        ServeError::Profile(refusal) => CliError::usage_with_hint(refusal.to_string(), refusal.hint()),
        ServeError::Signals(source) => CliError::Io { what: "signals cannot be heard".into(), source },
    })
}

/// The exit code of a daemon that ended.
pub(crate) fn ended(outcome: Result<(), CliError>, printer: &Printer) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

impl Reply for Started {
    const SCHEMA: &'static str = "palyra.daemon.run/v1";

    fn data(&self) -> String {
        let mut told = vec![("address", self.url.clone())];
        told.extend(self.grpc_url.clone().map(|url| ("grpc", url)));
        told.extend([("socket", self.socket.clone()), ("token file", self.token_file.clone())]);
        facts(&told)
    }

    fn talk(&self) -> Vec<Remark> {
        self.talk.clone()
    }
}
