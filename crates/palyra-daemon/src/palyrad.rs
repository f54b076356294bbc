//! `palyrad`: the daemon, for services and for commands that start one.
//!
//! The program `palyra` runs this when it is started under the name `palyrad`.

use palyra_common::ErrorCode;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use palyra_api::Problem;
use palyra_common::env_vars::{PALYRA_PASSPHRASE_FILE, PALYRA_STATE_ROOT};
use palyra_state::{State, StateOptions, StateRoot};
use palyra_vault::{CREDENTIALS_DIRECTORY, Passphrase};

use crate::app::AppConfig;
use crate::built_in::built_in_releases;
use crate::compile_child;
use crate::problem::ToProblem;
use crate::serve::{ServeArgs, ServeError, serve, start_logging};

/// Program name that selects the daemon.
pub const NAME: &str = "palyrad";

const EXAMPLE: &str = "\
Example:
  palyrad --state-root /var/lib/palyra --listen 127.0.0.1:7437";

/// Own a state root and serve it; `palyra up` does the same for people.
#[derive(Parser)]
#[command(name = "palyrad", version, before_help = EXAMPLE, max_term_width = 100)]
struct Palyrad {
    /// The state root: trust, skills, secrets and journal [default: ~/.palyra]
    #[arg(long, value_name = "DIR")]
    #[arg(env = PALYRA_STATE_ROOT, hide_env_values = true)]
    state_root: Option<PathBuf>,

    /// The file with the passphrase of the device key, where it has one
    #[arg(long, value_name = "FILE")]
    #[arg(env = PALYRA_PASSPHRASE_FILE, hide_env_values = true)]
    passphrase_file: Option<PathBuf>,

    #[command(flatten)]
    serve: ServeArgs,
}

/// Runs the daemon if the first argument, the name of the program, is `palyrad`.
pub fn as_daemon(arguments: &[OsString]) -> Option<ExitCode> {
    let called = Path::new(arguments.first()?).file_name()?;
    (called == NAME).then(|| main(arguments))
}

fn main(arguments: &[OsString]) -> ExitCode {
    match run(&Palyrad::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            tell(&problem);
            ExitCode::from(problem.exit_code())
        }
    }
}

fn run(args: &Palyrad) -> Result<(), Problem> {
    let usage = |message: String| Problem::new(ErrorCode::Usage, message);
    args.serve.check_profile().map_err(|refusal| serve_problem(&refusal.into()))?;
    start_logging(&args.serve).map_err(usage)?;
    let root =
        args.state_root.clone().or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".palyra")));
    let root = root.ok_or_else(|| {
        usage("cannot find a home directory; set the state root with `--state-root DIR`".into())
    })?;
    let root = std::path::absolute(&root).map_err(|error| usage(error.to_string()))?;
    let credentials = std::env::var_os(CREDENTIALS_DIRECTORY);
    let passphrase =
        Passphrase::given(args.passphrase_file.as_deref(), credentials.as_deref().map(Path::new));
    let passphrase = passphrase.map_err(|error| usage(error.to_string()))?.map(Arc::new);
    let options = StateOptions {
        command: NAME.into(),
        passphrase,
        built_in: built_in_releases(),
        ..StateOptions::default()
    };
    let state = State::open(&StateRoot::new(root), &options).map_err(|error| error.to_problem())?;
    let internal = |error: std::io::Error| Problem::new(ErrorCode::Internal, error.to_string());
    let config = AppConfig::new(Arc::new(compile_child::compiler().map_err(internal)?));
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(internal)?;
    threads.block_on(serve(state, config, &args.serve, |_, _| {})).map_err(|error| serve_problem(&error))
}

fn serve_problem(error: &ServeError) -> Problem {
    match error {
        ServeError::State(error) => error.to_problem(),
        ServeError::Server(server) => {
            Problem::new(ErrorCode::CannotListen, error.to_string()).hints(server.hint())
        }
        ServeError::Profile(refusal) => {
            Problem::new(ErrorCode::Usage, error.to_string()).hint(refusal.hint())
        }
        ServeError::Log(message) => Problem::new(ErrorCode::Usage, message.clone()),
        ServeError::Signals(_) => Problem::new(ErrorCode::Internal, error.to_string()),
    }
}

#[allow(clippy::print_stderr, reason = "the only output of this program to a terminal")]
fn tell(problem: &Problem) {
    eprintln!("error: {problem}");
    for hint in &problem.hints {
        eprintln!("hint: {hint}");
    }
}
