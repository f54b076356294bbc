//! How a command can fail, and what the outside sees of it: code, exit code, hints, facts.
//!
//! Nothing else turns an error outward. Where a library has many errors a child of this file says what each
//! one means here: [`state`] for the state root and what is in it, [`refusals`] for files that are not believed.

mod chain;
mod refusals;
mod skills;
mod state;

pub(crate) use chain::sentence;
pub(crate) use refusals::FileRefusal;
pub(crate) use skills::SkillRefusal;

use crate::commands::run::FinishedRun;
use crate::files::FileError;
use crate::interrupt::INTERRUPTED;
use crate::suggest::closest;
use palyra_common::capabilities::GrantSyntaxError;
use palyra_common::limits::LimitSyntaxError;
use palyra_common::{CapabilityKind, Denial, LimitKind, WasmPluginRunError};
use palyra_plugins_runtime::{Divergence, RuntimeConfig, TapeError};
use palyra_skills::BuildError;
use palyra_skills::install::InstallRefusalReason;
use palyra_state::journal::{JournalError, VerifyReport};
use palyra_state::{SkillError, StateError};
use palyra_vault::VaultError;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line asks for something that makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to write instead.
        hints: Vec<String>,
    },
    /// The run failed, or could not begin.
    #[error(transparent)]
    Run(#[from] WasmPluginRunError),
    /// A component was asked for its tools and did not tell.
    #[error("the module cannot describe its tools: {0}")]
    Describe(WasmPluginRunError),
    /// A signal ended it.
    #[error("the run was interrupted")]
    Interrupted,
    /// A file is not a tape.
    #[error("`{}` is not a tape: {source}", path.display())]
    BadTape {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TapeError,
    },
    /// A replay went another way.
    #[error("{}", diverged(.0))]
    Diverged(Divergence),
    /// The system refused something that should have worked.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// The sandbox cannot be set up on this machine.
    #[error("{0}")]
    Setup(String),
    /// The state root, or something in it, could not be used.
    #[error("{}", state::message(.0))]
    State(#[from] StateError),
    /// A journal that opens is not the one that was written.
    #[error("the journal is damaged: {}", .0.damage.as_ref().map(ToString::to_string).unwrap_or_default())]
    JournalDamaged(Box<VerifyReport>),
    /// A file is not what it is said to be, or is not believed.
    #[error("{}", refusals::message(.0))]
    File(#[from] FileRefusal),
    /// A skill that is not packaged, not taken in, or not as it was.
    #[error("{}", skills::message(.0))]
    Skill(#[from] SkillRefusal),
    /// A statement proves that a publisher speaks with two tongues.
    #[error("publisher `{publisher}` signed two different successors for one epoch and is blocked now")]
    Equivocation {
        /// The publisher.
        publisher: String,
    },
    /// A name that nothing here has.
    #[error("there is no {kind} `{name}`")]
    NotFound {
        /// What kind of thing.
        kind: &'static str,
        /// The name that was written.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A person was asked and said no.
    #[error("cancelled: nothing was changed")]
    Cancelled,
}

/// An error, and the run it ended, as far as there was one.
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
    /// A mistake on the command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hints: Vec::new() }
    }

    /// A mistake on the command line, and what to write instead.
    pub(crate) fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hints: vec![hint.into()] }
    }

    /// Something the system refused, for [`Result::map_err`].
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what: what.into(), source }
    }

    /// A place named on the command line that the system does not let us use.
    pub(crate) fn unusable_place(what: &str, path: &Path, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => "no file can be made in it".to_owned(),
            io::ErrorKind::NotFound => "there is no such directory".to_owned(),
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "it is not a directory".to_owned(),
            kind => kind.to_string(),
        };
        Self::usage(format!("the {what} `{}` cannot be used: {reason}", path.display()))
    }

    /// The word for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::Run(error) | Self::Describe(error) => error.kind().wire_name(),
            Self::Interrupted => "interrupted",
            Self::BadTape { .. } => "bad_tape",
            Self::Diverged(_) => "diverged",
            Self::Io { .. } => "io",
            Self::Setup(_) => "internal",
            Self::State(error) => state::meaning(error).code,
            Self::JournalDamaged(_) => "state_damaged",
            Self::File(refusal) => refusal.code(),
            Self::Skill(refusal) => refusal.code(),
            Self::Equivocation { .. } => "equivocation",
            Self::NotFound { .. } => "not_found",
            Self::Cancelled => "cancelled",
        }
    }

    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            Self::Run(error) | Self::Describe(error) => error.kind().exit_code(),
            Self::Interrupted => INTERRUPTED,
            Self::BadTape { .. } | Self::Diverged(_) | Self::Io { .. } | Self::Setup(_) => 1,
            Self::State(error) => state::meaning(error).exit_code,
            Self::JournalDamaged(_) => state::DAMAGED,
            Self::File(refusal) => refusal.exit_code(),
            Self::Skill(refusal) => refusal.exit_code(),
            Self::Equivocation { .. } => refusals::REFUSED,
            Self::NotFound { .. } => state::NOT_FOUND,
            Self::Cancelled => 3,
        }
    }

    /// What a person can do next.
    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::Usage { hints, .. } => hints.clone(),
            Self::Run(error) => run_hints(error),
            Self::Describe(error) => [vec!["name the tool with `--tool`".into()], run_hints(error)].concat(),
            Self::BadTape { source, .. } => vec![tape_hint(source).into()],
            Self::Diverged(divergence) => diverged_hint(divergence).into_iter().map(Into::into).collect(),
            Self::State(error) => state::hints(error),
            Self::JournalDamaged(report) => {
                report.damage.iter().map(|damage| damage.hint().to_owned()).collect()
            }
            Self::File(refusal) => refusal.hints(),
            Self::Skill(refusal) => refusal.hints(),
            Self::Equivocation { publisher } => vec![
                "somebody else may have its keys: ask the publisher, over another way, which is its own"
                    .into(),
                format!(
                    "then name its keys yourself: `palyra trust unblock {publisher}` and `palyra trust repin {publisher} KEY`"
                ),
            ],
            Self::NotFound { name, known, .. } => not_found_hints(name, known),
            Self::Interrupted | Self::Io { .. } | Self::Setup(_) | Self::Cancelled => Vec::new(),
        }
    }

    /// The facts as JSON.
    pub(crate) fn details(&self) -> Value {
        match self {
            Self::Run(error) | Self::Describe(error) => error.details(),
            Self::BadTape { path, source } => {
                json!({ "path": path.display().to_string(), "line": tape_line(source) })
            }
            Self::Diverged(divergence) => json!(divergence),
            Self::State(error) => state::details(error),
            Self::JournalDamaged(report) => json!({ "report": report }),
            Self::File(refusal) => refusal.details(),
            Self::Skill(refusal) => refusal.details(),
            Self::Equivocation { publisher } => json!({ "publisher": publisher }),
            Self::NotFound { kind, name, known } => json!({ "kind": kind, "name": name, "known": known }),
            Self::Usage { .. } | Self::Interrupted | Self::Io { .. } | Self::Setup(_) | Self::Cancelled => {
                json!({})
            }
        }
    }

    /// The facts a person wants to read below the message: a label and a text each.
    pub(crate) fn notes(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Diverged(divergence) => {
                vec![("expected", divergence.expected.clone()), ("found", divergence.found.clone())]
            }
            Self::Run(WasmPluginRunError::Trapped { backtrace, .. }) => {
                backtrace.iter().map(|frame| ("in", frame.clone())).collect()
            }
            Self::Run(WasmPluginRunError::ToolFailed { code, details, .. }) => {
                let details = details.as_ref().map(|details| ("details", details.to_string()));
                std::iter::once(("code", code.clone())).chain(details).collect()
            }
            Self::Run(WasmPluginRunError::InvalidInput { pointer: Some(pointer), .. })
                if !pointer.is_empty() =>
            {
                vec![("at", clipped(pointer))]
            }
            Self::State(error) => state::notes(error),
            Self::File(refusal) => refusal.notes(),
            Self::Skill(refusal) => refusal.notes(),
            _ => Vec::new(),
        }
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        Self::Skill(Box::new(error).into())
    }
}

/// What the state or a file says is told as that; the rest is about the skill.
impl From<SkillError> for CliError {
    fn from(error: SkillError) -> Self {
        match error {
            SkillError::State(error) => Self::State(error),
            SkillError::Refused(refusal) => match refusal.reason {
                InstallRefusalReason::Verify(refusal) => Self::File(refusal.into()),
                _ => Self::Skill(refusal.into()),
            },
            error => Self::Skill(SkillRefusal::State(Box::new(error))),
        }
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

/// A file named on the command line is part of the command line.
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

fn run_hints(error: &WasmPluginRunError) -> Vec<String> {
    let mut hints = error.hints();
    match error {
        WasmPluginRunError::QuotaExceeded { limit, used, .. } => {
            hints = limit_hint(*limit, *used).map_or(hints, |hint| vec![hint]);
        }
        WasmPluginRunError::NotFound { name, known, .. } => {
            if let Some(name) = closest(name, known) {
                hints.insert(0, format!("did you mean `{name}`?"));
            }
        }
        WasmPluginRunError::CapabilityDenied(denial @ Denial { grant: None, .. }) => {
            hints.extend(example_grant(denial.kind).map(Into::into));
        }
        _ => {}
    }
    hints
}

fn not_found_hints(name: &str, known: &[String]) -> Vec<String> {
    let meant = closest(name, known).map(|name| format!("did you mean `{name}`?"));
    let all = (1..=10).contains(&known.len()).then(|| format!("there is `{}`", known.join("`, `")));
    meant.into_iter().chain(all).collect()
}

/// What to say when twice the use is more than the sandbox can allow.
fn limit_hint(limit: LimitKind, used: u64) -> Option<String> {
    let most = RuntimeConfig::default().ceiling.get(limit).filter(|most| used.saturating_mul(2) > *most)?;
    let flag = format!("--limit {limit}={}", limit.format_value(most));
    Some(if used > most {
        format!("no run may use more than `{flag}`")
    } else {
        format!("allow more with `{flag}`")
    })
}

/// For a guest that used a handle it does not have: the sandbox cannot know which name it had in mind.
fn example_grant(kind: CapabilityKind) -> Option<&'static str> {
    match kind {
        CapabilityKind::Storage => Some("a storage prefix is granted as in `--grant storage:NAME/`"),
        CapabilityKind::Secret => {
            Some("a secret is granted as in `--grant 'secret:global/NAME hosts=HOST inject=bearer'`")
        }
        CapabilityKind::Channel => Some("a channel is granted as in `--grant channel:NAME`"),
        CapabilityKind::Http | CapabilityKind::Filesystem => None,
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
        "secret" => Some("give the secret the run had with `--secret NAME=@FILE`"),
        _ => None,
    }
}

fn clipped(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
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
        TapeError::NotNormal { .. } => "a tape is read only as it was written; this one was formatted anew",
        TapeError::Cut { .. } => "the file was cut; record it anew with `--record`",
        TapeError::TooLong { .. } | TapeError::BadLine { .. } => {
            "a tape is what `palyra run --record FILE` writes"
        }
    }
}
