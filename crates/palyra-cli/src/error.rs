//! Errors of commands, and their code, exit code, hints and details.
//!
//! The daemon's library converts errors of the state, of skills and of runs to a [`Problem`], so that every transport
//! reports the same; [`refusals`] and [`build`] are about files that only this command line reads.

mod build;
mod guest;
mod problem;
mod refusals;

pub(crate) use palyra_daemon::problem::sentence;
pub(crate) use refusals::FileRefusal;

use crate::commands::run::FinishedRun;
use crate::files::FileError;
use crate::interrupt::INTERRUPTED;
use palyra_api::{ClientError, Problem, TransportError, codes};
use palyra_common::capabilities::GrantSyntaxError;
use palyra_common::limits::LimitSyntaxError;
use palyra_common::text::clip_marked;
use palyra_common::{ErrorCode, WasmPluginRunError};
use palyra_daemon::problem::run_hints;
use palyra_daemon::{ServerError, ToProblem};
use palyra_plugins_guestkit::GuestkitError;
use palyra_plugins_runtime::{Divergence, TapeError};
use palyra_skills::{BuildError, ManifestError};
use palyra_state::journal::JournalError;
use palyra_state::{SkillError, StateError};
use palyra_vault::VaultError;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line is invalid.
    #[error("{message}")]
    Usage {
        message: String,
        /// Suggested corrections.
        hints: Vec<String>,
    },
    /// The run failed, or could not start.
    #[error(transparent)]
    Run(#[from] WasmPluginRunError),
    /// `describe()` of a component failed.
    #[error("the module cannot describe its tools: {0}")]
    Describe(WasmPluginRunError),
    /// A signal interrupted the command.
    #[error("interrupted")]
    Interrupted,
    /// The file is not a tape.
    #[error("`{}` is not a tape: {source}", path.display())]
    BadTape {
        path: PathBuf,
        /// The problem of the tape.
        source: TapeError,
    },
    /// A replay differs from its tape.
    #[error("{}", diverged(.0))]
    Diverged(Divergence),
    /// An operating system call failed unexpectedly.
    #[error("{what}: {source}")]
    Io {
        /// Description of the failed operation.
        what: String,
        /// The operating system error.
        source: io::Error,
    },
    /// The sandbox cannot be created on this machine.
    #[error("{0}")]
    Setup(String),
    /// An error of the state root or its content.
    #[error("{}", .0.to_problem())]
    State(#[from] StateError),
    /// The daemon returned a problem.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// The daemon cannot listen.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// A file is invalid or not trusted.
    #[error("{}", refusals::message(.0))]
    File(#[from] FileRefusal),
    /// A skill cannot be packaged.
    #[error("{}", sentence(.0))]
    Build(Box<BuildError>),
    /// A manifest is invalid; there is at least one error.
    #[error("{}", build::manifest_message(.0))]
    Manifest(Vec<ManifestError>),
    /// A guest cannot be built.
    #[error("{}", guest::message(.0))]
    Guest(Box<GuestkitError>),
    /// The user declined.
    #[error("cancelled: nothing was changed")]
    Cancelled,
}

/// An error, with the report of the run it ended, if there is one.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: CliError,
    pub(crate) run: Option<Box<FinishedRun>>,
}

impl<E: Into<CliError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { error: error.into(), run: None }
    }
}

impl CliError {
    /// Creates an error about the command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hints: Vec::new() }
    }

    /// Creates an error about the command line with a suggested correction.
    pub(crate) fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hints: vec![hint.into()] }
    }

    /// Returns a closure that wraps an I/O error, for [`Result::map_err`].
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what: what.into(), source }
    }

    /// Creates an error about a path on the command line that cannot be used.
    pub(crate) fn unusable_place(what: &str, path: &Path, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => "cannot create files in it".to_owned(),
            io::ErrorKind::NotFound => "no such directory".to_owned(),
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "it is not a directory".to_owned(),
            kind => kind.to_string(),
        };
        Self::usage(format!("cannot use the {what} `{}`: {reason}", path.display()))
    }

    /// Returns the error code for programs.
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Usage { .. } => ErrorCode::Usage,
            Self::Run(error) | Self::Describe(error) => error.kind().into(),
            Self::Interrupted => ErrorCode::Interrupted,
            Self::BadTape { .. } => ErrorCode::BadTape,
            Self::Diverged(_) => ErrorCode::Diverged,
            Self::Io { .. } => ErrorCode::Io,
            Self::Setup(_) => ErrorCode::Internal,
            Self::State(error) => error.to_problem().code,
            Self::Problem(problem) => problem.code,
            Self::Server(_) => ErrorCode::CannotListen,
            Self::File(refusal) => refusal.code(),
            Self::Build(error) => build::code(error),
            Self::Manifest(_) => ErrorCode::BadManifest,
            Self::Guest(error) => guest::code(error),
            Self::Cancelled => ErrorCode::Cancelled,
        }
    }

    /// Returns the id of the failed run, if one was recorded.
    pub(crate) fn run_id(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => problem.run_id.as_deref(),
            _ => None,
        }
    }

    /// Returns the exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            Self::Run(error) | Self::Describe(error) => codes::exit_code(error.kind().into()),
            Self::Interrupted => INTERRUPTED,
            Self::BadTape { .. } | Self::Diverged(_) | Self::Io { .. } | Self::Setup(_) => 1,
            Self::State(StateError::NothingToRepair) | Self::Server(_) => 1,
            Self::State(error) => error.to_problem().exit_code(),
            Self::Problem(problem) => problem.exit_code(),
            Self::File(refusal) => refusal.exit_code(),
            Self::Guest(error) if guest::code(error) == ErrorCode::Usage => 2,
            Self::Build(_) | Self::Manifest(_) | Self::Guest(_) => 1,
            Self::Cancelled => 3,
        }
    }

    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::Usage { hints, .. } => hints.clone(),
            Self::Run(error) => run_hints(error),
            Self::Describe(error) => {
                [vec!["choose the tool with `--tool`".into()], run_hints(error)].concat()
            }
            Self::BadTape { source, .. } => vec![tape_hint(source).into()],
            Self::Diverged(divergence) => diverged_hint(divergence).into_iter().map(Into::into).collect(),
            Self::State(error) => error.to_problem().hints,
            Self::Problem(problem) => {
                let run =
                    problem.run_id.as_ref().map(|run| format!("see the run with `palyra runs show {run}`"));
                problem.hints.iter().cloned().chain(run).collect()
            }
            Self::Server(error) => error.hint().into_iter().collect(),
            Self::File(refusal) => refusal.hints(),
            Self::Build(error) => vec![error.hint()],
            Self::Manifest(problems) => build::manifest_hints(problems),
            Self::Guest(error) => error.hint().into_iter().collect(),
            Self::Interrupted | Self::Io { .. } | Self::Setup(_) | Self::Cancelled => Vec::new(),
        }
    }

    /// Returns the details as JSON.
    pub(crate) fn details(&self) -> Value {
        match self {
            Self::Run(error) | Self::Describe(error) => error.details(),
            Self::BadTape { path, source } => {
                json!({ "path": path.display().to_string(), "line": tape_line(source) })
            }
            Self::Diverged(divergence) => json!(divergence),
            Self::State(error) => error.to_problem().details,
            Self::Problem(problem) => problem.details.clone(),
            Self::File(refusal) => refusal.details(),
            Self::Build(error) => build::details(error),
            Self::Manifest(problems) => build::manifest_details(problems),
            Self::Guest(error) => guest::details(error),
            Self::Usage { .. }
            | Self::Interrupted
            | Self::Io { .. }
            | Self::Setup(_)
            | Self::Server(_)
            | Self::Cancelled => json!({}),
        }
    }

    /// Returns the details for people, as pairs of label and text.
    pub(crate) fn notes(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Diverged(divergence) => {
                vec![("expected", divergence.expected.clone()), ("found", divergence.found.clone())]
            }
            Self::Run(error) => problem::notes(&error.to_problem()),
            Self::State(error) => problem::notes(&error.to_problem()),
            Self::Problem(problem) => problem::notes(problem),
            Self::File(refusal) => refusal.notes(),
            Self::Build(error) => build::notes(error),
            Self::Manifest(problems) => build::manifest_notes(problems),
            Self::Guest(error) => guest::notes(error),
            _ => Vec::new(),
        }
    }

    /// Returns the output of a failed program, such as a compiler.
    pub(crate) fn output(&self) -> Option<&str> {
        match self {
            Self::Guest(error) => guest::output(error),
            _ => None,
        }
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        Self::Build(Box::new(error))
    }
}

impl From<GuestkitError> for CliError {
    fn from(error: GuestkitError) -> Self {
        Self::Guest(Box::new(error))
    }
}

impl From<SkillError> for CliError {
    fn from(error: SkillError) -> Self {
        match error {
            SkillError::State(error) => Self::State(error),
            error => error.to_problem().into(),
        }
    }
}

impl From<Problem> for CliError {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        error.into_problem().into()
    }
}

impl From<TransportError> for CliError {
    fn from(error: TransportError) -> Self {
        ClientError::from(error).into()
    }
}

impl From<VaultError> for CliError {
    fn from(error: VaultError) -> Self {
        Self::State(error.into())
    }
}

impl From<JournalError> for CliError {
    fn from(error: JournalError) -> Self {
        Self::State(error.into())
    }
}

impl From<GrantSyntaxError> for CliError {
    fn from(error: GrantSyntaxError) -> Self {
        Self::usage_with_hint(error.to_string(), error.hint())
    }
}

impl From<LimitSyntaxError> for CliError {
    fn from(error: LimitSyntaxError) -> Self {
        Self::usage_with_hint(error.to_string(), error.hint())
    }
}

/// Files named on the command line are part of it, so their errors are usage errors.
impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::NotRegular(_) => {
                Self::usage_with_hint(error.to_string(), "use `-` to read from a pipe")
            }
            _ => Self::usage(error.to_string()),
        }
    }
}

fn diverged(divergence: &Divergence) -> String {
    let what = &divergence.what;
    match divergence.step {
        0 => format!("the replay diverged from its tape before the first step: the {what} differs"),
        step => format!("the replay diverged from its tape at step {step}: the {what} differs"),
    }
}

fn diverged_hint(divergence: &Divergence) -> Option<&'static str> {
    match divergence.what.as_str() {
        "module" => Some("the tape was recorded with another module; record a new one with `--record`"),
        "secret" => Some("pass the secret of the recorded run with `--secret NAME=@FILE`"),
        _ => None,
    }
}

fn clipped(text: &str) -> String {
    clip_marked(text, 200).into_owned()
}

fn tape_line(error: &TapeError) -> Option<usize> {
    match error {
        TapeError::TooLong { .. } => None,
        TapeError::BadLine { line, .. } | TapeError::Cut { line } | TapeError::NotNormal { line } => {
            Some(*line)
        }
    }
}

fn tape_hint(error: &TapeError) -> &'static str {
    match error {
        TapeError::NotNormal { .. } => {
            "a tape must be byte-for-byte as it was written; this one was reformatted"
        }
        TapeError::Cut { .. } => "the file is truncated; record it again with `--record`",
        TapeError::TooLong { .. } | TapeError::BadLine { .. } => {
            "record a tape with `palyra run --record FILE`"
        }
    }
}
