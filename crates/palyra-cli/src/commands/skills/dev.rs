//! `palyra skills dev`.

mod watch;

use super::checked::parse;
use super::package::directory::SkillDirectory;
use super::source::build_modules;
use super::test::Suite;
use super::test::cases::find_tool;
use crate::cli::Globals;
use crate::commands::run::{SkillCall, SkillCalls, read_tool_input};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::{Printer, Remark, Reply, pretty_json};
use crate::standard_input::StandardInput;
use clap::Args;
use palyra_common::{JsonText, OperatorGrants};
use palyra_plugins_runtime::LogLine;
use palyra_skills::grants::grants_of_tool;
use palyra_state::effective_config;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::process::ExitCode;
use watch::Snapshot;

const EXAMPLE: &str = "\
Example:
  palyra skills dev hello
  palyra skills dev hello --tool acme.hello.greet --input '{\"name\": \"Ada\"}'";

const MORE: &str = "\
Builds the skill and runs its test cases, again after each change of a file, until Ctrl-C. With `--input` the
tool is called with that input instead. Nothing is signed or installed; a call has the permissions and limits
that skill.toml requests, and storage that is empty each time.";

/// Build and test a skill again after each change
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct DevArgs {
    /// Directory with `skill.toml` and `guest.toml`
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Call this tool instead of running the test cases [default with --input: the only one]
    #[arg(long, value_name = "ID")]
    tool: Option<String>,

    /// Input of the call: JSON text, a file, or `-` for standard input [default: {}]
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    input: Option<String>,

    /// Build and test once, and end
    #[arg(long)]
    once: bool,
}

pub(super) fn run(args: &DevArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    let input = match (&args.tool, &args.input) {
        (None, None) => Ok(None),
        (_, input) => read_tool_input(input.as_deref(), &mut StandardInput::new(globals.no_input)).map(Some),
    };
    let watched = input.and_then(|input| {
        let round = Round {
            directory: args.directory.clone(),
            tool: args.tool.clone(),
            input,
            globals: globals.clone(),
            printer: *printer,
        };
        watch(round, args.once)
    });
    watched.unwrap_or_else(|error| printer.fail(&error.into(), &[]))
}

/// The actions after each change.
#[derive(Clone)]
struct Round {
    directory: PathBuf,
    tool: Option<String>,
    /// Input of a single call, which replaces the test cases.
    input: Option<JsonText>,
    globals: Globals,
    printer: Printer,
}

fn watch(round: Round, once: bool) -> Result<ExitCode, CliError> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    let ended = threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("cannot install signal handlers"))?;
        loop {
            let before = Snapshot::take(&round.directory)?;
            let Some(code) = interrupt.or(round.run(&interrupt)).await else { return Ok(ExitCode::SUCCESS) };
            if once || interrupt.happened() {
                return Ok(code);
            }
            let place = round.directory.display();
            round.printer.remark(&[Remark::Note(format!("watching {place} for changes; Ctrl-C ends"))]);
            let Some(changed) = interrupt.or(watch::next_change(&round.directory, before)).await else {
                return Ok(ExitCode::SUCCESS);
            };
            round.printer.remark(&[Remark::Note(format!("changed: {}", changed?))]);
        }
    });
    // A build in progress ends with the process.
    threads.shutdown_background();
    ended
}

impl Round {
    /// Builds and tests once; errors are shown, and the watch continues.
    async fn run(&self, interrupt: &Interrupt) -> ExitCode {
        match self.build_and_call(interrupt).await {
            Ok(code) => code,
            Err(error) => self.printer.fail(&error.into(), &[]),
        }
    }

    async fn build_and_call(&self, interrupt: &Interrupt) -> Result<ExitCode, CliError> {
        let round = self.clone();
        let suite = tokio::task::spawn_blocking(move || {
            parse(&SkillDirectory::read(&round.directory)?.manifest)?;
            build_modules(&round.directory, false, &round.printer)?;
            Ok::<_, CliError>(())
        });
        suite.await.unwrap_or_else(|error| Err(CliError::Setup(error.to_string())))?;
        let round = self.clone();
        let suite = tokio::task::spawn_blocking(move || {
            Suite::read(&round.directory, None, &round.globals, &round.printer)
        });
        let suite = suite.await.unwrap_or_else(|error| Err(CliError::Setup(error.to_string())))?;
        match &self.input {
            Some(input) => Ok(self.printer.reply(&self.call(&suite, input.clone(), interrupt).await?)),
            None => Ok(super::show(&self.printer, Ok(suite.run(interrupt, &self.printer).await?))),
        }
    }

    async fn call(
        &self,
        suite: &Suite,
        input: JsonText,
        interrupt: &Interrupt,
    ) -> Result<CalledOnce, CliError> {
        let manifest = suite.manifest();
        let tool = find_tool(self.tool.as_deref(), manifest);
        let tool = tool.map_err(|(message, hint)| CliError::usage_with_hint(message, hint))?;
        let config = effective_config(&manifest.skill_id, manifest, None)?;
        let capabilities = grants_of_tool(manifest, tool);
        let grants = OperatorGrants { capabilities, allow_addresses: Vec::new() };
        let mut calls = SkillCalls::start(suite.modules(), Default::default(), interrupt, &self.printer)?;
        let called = calls.call(manifest, SkillCall { tool, input, config, grants }).await?;
        let output = called.result.inspect_err(|_| self.printer.remark(&log_remarks(&called.log)))?;
        Ok(CalledOnce { tool: tool.id.clone(), result: raw(&output)?, output, log: called.log })
    }
}

fn raw(output: &JsonText) -> Result<Box<RawValue>, CliError> {
    serde_json::from_str(output.as_str()).map_err(|error| CliError::Setup(error.to_string()))
}

/// Result of the call with `--input`.
#[derive(Serialize)]
struct CalledOnce {
    tool: String,
    result: Box<RawValue>,
    #[serde(skip)]
    output: JsonText,
    log: Vec<LogLine>,
}

impl Reply for CalledOnce {
    const SCHEMA: &'static str = "palyra.skills.dev/v1";

    fn data(&self) -> String {
        pretty_json(&self.output) + "\n"
    }

    fn talk(&self) -> Vec<Remark> {
        log_remarks(&self.log)
    }
}

fn log_remarks(log: &[LogLine]) -> Vec<Remark> {
    let line = |line: &LogLine| {
        let level = format!("{:?}", line.level).to_lowercase();
        Remark::Note(format!("[{level}] {}", line.message))
    };
    log.iter().map(line).collect()
}
