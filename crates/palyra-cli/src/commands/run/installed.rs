//! `palyra run TOOL`: one call of a tool of an installed skill, with the permissions that were consented to.
//!
//! The call goes through the same checks as every other: input against its schema, stored bytes against the index,
//! output against its schema, and a receipt in the journal.

use super::args::RunArgs;
use super::tape_file::TapeFile;
use super::words::{Words, object};
use super::{grants, json_source, sandbox};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::forms::{Filled, ShownForm, draw, escaped};
use crate::output::{Printer, Remark, Reply, compact_json, duration_text, pretty_json};
use crate::program::CommandPrefix;
use crate::progress::with_progress_of;
use crate::standard_input::StandardInput;
use crate::terminal::Terminal;
use palyra_api::approvals::{ApproveRequest, DenyRequest};
use palyra_api::skills::SkillCodeState;
use palyra_api::tools::{InvokeAnswer, InvokeRequest, LogLine};
use palyra_api::{ClientError, Problem};
use palyra_common::{ErrorCode, JsonText, RuntimeLimits};
use palyra_daemon::{AppConfig, Outside};
use palyra_skills::Sha256Digest;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// Result of a call.
#[derive(Serialize)]
pub(super) struct CalledTool {
    #[serde(flatten)]
    answer: InvokeAnswer,
    #[serde(skip)]
    output: JsonText,
    /// True if the document was drawn together with its form.
    #[serde(skip)]
    drawn: bool,
}

/// Runs the call and returns its result.
pub(super) fn run(
    tool: &str,
    args: &RunArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<CalledTool, CliError> {
    let words = Words::read(&args.words)?;
    let request = read(args, &words, globals)?;
    let record = args.record.as_deref().map(TapeFile::prepare).transpose()?;
    let sandbox = sandbox_of(args)?;
    let prefix = CommandPrefix::new(globals)?;
    let call = async |client: client::AnyClient| {
        let what = async || match (compiles(&client, tool).await, args.wait_approval) {
            (true, _) => format!("compiling {tool} (first call only)"),
            (false, None) => format!("running {tool}"),
            (false, Some(_)) => format!("running {tool} (approve with `palyra approvals approve latest`)"),
        };
        let request = typed(&client, tool, request, &words).await?;
        let called = match with_progress_of(&what, printer.terminal(), client.invoke(tool, &request)).await {
            Err(ClientError::Problem(problem)) if problem.code == ErrorCode::ApprovalRequired => {
                approve(&client, tool, globals, *problem).await?;
                let again = with_progress_of(&what, printer.terminal(), client.invoke(tool, &request)).await;
                again.map_err(CliError::from)
            }
            Err(ClientError::Problem(problem)) if problem.code == ErrorCode::InvalidInput => {
                let input = prefix.command(&format!("tools show {tool}"));
                Err(problem.hint(format!("see its input with `{input}`")).into())
            }
            other => other.map_err(CliError::from),
        };
        fill_in(&client, globals, printer, called?).await
    };
    // The approver has to reach the owner of the state, so a daemon must own it instead of this process.
    let (answer, drawn) = match args.wait_approval {
        None => client::ask_with(globals, "run", Some(sandbox), call)?,
        Some(_) => client::stay(globals, call)?,
    };
    Ok(CalledTool { drawn, ..kept(answer, record)? })
}

/// Fills in the forms of a document with the user; returns the last result, and whether it was already shown.
async fn fill_in(
    client: &client::AnyClient,
    globals: &Globals,
    printer: &Printer,
    mut answer: InvokeAnswer,
) -> Result<(InvokeAnswer, bool), CliError> {
    let person = Terminal::of_person(globals).filter(|_| printer.is_for_person() && reads_drawings());
    let Some(person) = person else { return Ok((answer, false)) };
    while let Some(surface_id) = answer.surface_id.clone() {
        let shown = client.call_surface(&surface_id).await?;
        let Some(form) = ShownForm::of(&shown.document)? else { return Ok((answer, false)) };
        let Some(tool) = form.tool().map(str::to_owned) else { return Ok((answer, false)) };
        printer.show(&draw(&shown.document));
        printer.remark(&[Remark::Note(format!("the values go to `{}`", escaped(&tool)))]);
        let submit = match form.fill_in(person, printer, shown.rev).await? {
            Filled::Submit(submit) => submit,
            Filled::No | Filled::Stop => return Ok((answer, true)),
        };
        let submitted = match client.submit_form(&surface_id, &submit).await {
            Err(ClientError::Problem(problem)) if problem.code == ErrorCode::ApprovalRequired => {
                approve(client, &tool, globals, *problem).await?;
                client.submit_form(&surface_id, &submit).await
            }
            other => other,
        };
        let tape = answer.tape.take();
        answer = InvokeAnswer { tape, ..submitted? };
    }
    Ok((answer, false))
}

/// Returns whether documents are drawn; a pipe gets them as JSON.
fn reads_drawings() -> bool {
    std::io::stdout().is_terminal()
}

/// Returns whether a call waits for compilation; false if the tool cannot be looked up.
async fn compiles(client: &client::AnyClient, tool: &str) -> bool {
    let code = client.tool(tool).await.ok().and_then(|tool| tool.code);
    code.is_some_and(|code| code.state == SkillCodeState::Compiling)
}

/// Writes the tape of an answer to the requested file.
pub(super) fn kept(mut answer: InvokeAnswer, record: Option<TapeFile>) -> Result<CalledTool, CliError> {
    let tape = record.zip(answer.tape.take());
    let tape = tape.map(|(file, tape)| file.keep_text(tape.as_bytes())).transpose()?;
    answer.tape = tape.map(|path| path.display().to_string());
    called(answer)
}

fn read(args: &RunArgs, words: &Words, globals: &Globals) -> Result<InvokeRequest, CliError> {
    // Parsed here as well, so that an invalid grant is an error of the command line.
    grants::read_operator_grants(&args.grants, globals)?;
    let input = match words {
        Words::Json(json) => read_input(&RunArgs { input: Some(json.clone()), ..args.clone() }, globals)?,
        Words::None | Words::Pairs(_) => read_input(args, globals)?,
    };
    Ok(InvokeRequest {
        input: Some(input),
        limits: args.limits.clone(),
        grants: args.grants.clone(),
        record: args.record.is_some(),
        wait_seconds: args.wait_approval,
        ..InvokeRequest::default()
    })
}

/// Converts the words to the input of the request. If the tool cannot be looked up, the call reports the error.
async fn typed(
    client: &client::AnyClient,
    tool: &str,
    request: InvokeRequest,
    words: &Words,
) -> Result<InvokeRequest, CliError> {
    let Words::Pairs(pairs) = words else { return Ok(request) };
    let schema = client.tool(tool).await.ok().map(|tool| tool.input_schema);
    let input = object(pairs, schema.as_ref())?;
    let input = RawValue::from_string(input.to_string());
    let input = input.map_err(|error| CliError::Setup(error.to_string()))?;
    Ok(InvokeRequest { input: Some(input), ..request })
}

/// Reads the input, within the input limit.
pub(super) fn read_input(args: &RunArgs, globals: &Globals) -> Result<Box<RawValue>, CliError> {
    let mut stdin = StandardInput::new(globals.no_input);
    let limits = (!args.limits.is_empty()).then(|| grants::read_limits(&args.limits)).transpose()?;
    let most =
        limits.as_ref().map_or(RuntimeLimits::default().max_input_bytes, |limits| limits.max_input_bytes);
    let input = json_source::read_input(args.input.as_deref(), &mut stdin, most)?;
    let input = RawValue::from_string(input.as_str().trim().to_owned());
    input.map_err(|error| CliError::Setup(error.to_string()))
}

/// Returns the sandbox settings for a state that this process opens; a daemon has its own.
pub(super) fn sandbox_of(args: &RunArgs) -> Result<AppConfig, CliError> {
    let roots = args.ca_file.as_deref().map(sandbox::read_roots).transpose()?.unwrap_or_default();
    // Unusable directories are errors of the command line.
    sandbox::guard(roots.clone())?;
    Ok(AppConfig {
        keep_compiled_code: !args.no_cache,
        max_concurrent_runs: 2,
        outside: Outside::Open { extra_roots: roots },
        ..AppConfig::new(Arc::new(sandbox::compiler(args.compile_timeout_ms)?))
    })
}

/// Asks the owner at a terminal to approve the call.
async fn approve(
    client: &client::AnyClient,
    tool: &str,
    globals: &Globals,
    wanted: Problem,
) -> Result<(), ClientError> {
    let id = wanted.details.get("approval_id").and_then(|id| id.as_str()).map(str::to_owned);
    let (Some(person), Some(id)) = (Terminal::of_person(globals), id) else {
        return Err(ClientError::Problem(Box::new(wanted)));
    };
    // Shows the complete request as the daemon stores it, because that is what is approved.
    let Ok(asked) = client.whole_approval(&id).await else {
        return Err(ClientError::Problem(Box::new(wanted)));
    };
    let question = format!("Run `{tool}` with {}?", asked.arguments);
    let agreed =
        person.agrees_between(question).await.map_err(|error| ClientError::Protocol(error.to_string()))?;
    let decided = if agreed {
        let arguments_sha256 = Some(Sha256Digest::of(asked.arguments.as_bytes()).to_string());
        let request = ApproveRequest { owner_present: true, arguments_sha256, ..Default::default() };
        client.approve(&id, &request).await
    } else {
        client.deny(&id, &DenyRequest { owner_present: true, ..Default::default() }).await
    };
    match decided {
        Ok(_) if agreed => Ok(()),
        Ok(_) => {
            let problem = Problem::new(ErrorCode::Cancelled, "cancelled: the call was denied");
            Err(ClientError::Problem(Box::new(problem)))
        }
        // This principal cannot approve, so the original error, which asks for another one, is returned.
        Err(ClientError::Problem(problem)) if problem.code == ErrorCode::Forbidden => {
            Err(ClientError::Problem(Box::new(wanted)))
        }
        Err(error) => Err(error),
    }
}

fn called(mut answer: InvokeAnswer) -> Result<CalledTool, CliError> {
    let unreadable = |error: String| CliError::Setup(format!("cannot read the result: {error}"));
    let output =
        JsonText::from_text(answer.result.get().to_owned()).map_err(|error| unreadable(error.to_string()))?;
    let compact = RawValue::from_string(compact_json(&output));
    answer.result = compact.map_err(|error| unreadable(error.to_string()))?;
    Ok(CalledTool { answer, output, drawn: false })
}

impl Reply for CalledTool {
    const SCHEMA: &'static str = "palyra.run/v1";

    fn data(&self) -> String {
        if self.answer.surface_id.is_none() || !reads_drawings() {
            return pretty_json(&self.output) + "\n";
        }
        if self.drawn {
            return String::new();
        }
        draw(&serde_json::from_str(self.output.as_str()).unwrap_or_default())
    }

    fn talk(&self) -> Vec<Remark> {
        let answer = &self.answer;
        let line = |line: &LogLine| {
            let text = format!("{}: {}", answer.tool, line.message);
            match line.level.as_str() {
                "warn" | "error" => Remark::Warning(text),
                _ => Remark::Note(text),
            }
        };
        let compiled = answer.compile_us.map(Duration::from_micros);
        let compiled = compiled.map(|waited| format!(" · code compiled in {}", duration_text(waited)));
        let end = Remark::Note(format!(
            "{} finished in {}{} · {} · receipt {} in the journal",
            answer.tool,
            duration_text(Duration::from_micros(answer.usage.elapsed_us)),
            compiled.unwrap_or_default(),
            answer.run_id,
            answer.receipt.sequence
        ));
        answer.log.iter().map(line).chain([end]).collect()
    }
}
