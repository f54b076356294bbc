//! `palyra run TOOL`: one call of a tool of an installed skill, with what its manifest asks for and somebody agreed to.
//!
//! The call walks the same corridor as every other: input against its schema, stored bytes against the index,
//! output against its schema, and a receipt in the journal.

use super::args::RunArgs;
use super::tape_file::TapeFile;
use super::{grants, json_source, sandbox};
use crate::cli::Globals;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::{Printer, Remark, Reply, compact_json, duration_text, pretty_json};
use crate::progress::with_progress;
use crate::standard_input::StandardInput;
use crate::state;
use crate::terminal::Terminal;
use palyra_common::{JsonText, RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::{LogLevel, LogLine, RunUsage};
use palyra_skills::Sha256Digest;
use palyra_state::State;
use palyra_state::call::{
    CallContext, CallError, CallerConfig, CapabilityUse, ToolCaller, ToolInvocation, ToolResult,
    approval_digest,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// On whose behalf a call of this command line is made.
const PRINCIPAL: &str = "owner";

/// What a call gave.
#[derive(Serialize)]
pub(super) struct CalledTool {
    tool: String,
    /// As the guest wrote it, but for space between tokens.
    result: Option<Box<RawValue>>,
    run_id: String,
    skill_id: String,
    payload: Sha256Digest,
    usage: RunUsage,
    /// How often each granted door was used.
    capabilities: CapabilityUse,
    log: Vec<LogLine>,
    /// Where the receipt stands in the journal.
    receipt: ShownLeaf,
    tape: Option<String>,
    #[serde(skip)]
    output: JsonText,
}

#[derive(Serialize)]
struct ShownLeaf {
    sequence: u64,
    hash: String,
}

/// Carries the call out.
pub(super) fn run(
    tool: &str,
    args: &RunArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<CalledTool, CliError> {
    let mut stdin = StandardInput::new(globals.no_input);
    let operator = grants::read_operator_grants(&args.grants)?;
    let limits = (!args.limits.is_empty()).then(|| grants::read_limits(&args.limits)).transpose()?;
    let most =
        limits.as_ref().map_or(RuntimeLimits::default().max_input_bytes, |limits| limits.max_input_bytes);
    let input = json_source::read_input(args.input.as_deref(), &mut stdin, most)?;
    let record = args.record.as_deref().map(TapeFile::prepare).transpose()?;
    let roots = args.ca_file.as_deref().map(sandbox::read_roots).transpose()?.unwrap_or_default();
    let config = CallerConfig {
        compiler: Arc::new(sandbox::compiler(args.compile_timeout_ms)?),
        keep_compiled_code: !args.no_cache,
        egress: Some(sandbox::guard(roots)?),
        ceiling: None,
        max_concurrent_runs: 2,
    };
    let state = Arc::new(state::open(globals, "run")?);
    let approved = approve(&state, tool, &input, globals)?;
    let invocation = ToolInvocation {
        tool: tool.to_owned(),
        skill_id: None,
        input,
        principal: PRINCIPAL.into(),
        operator,
        limits,
        approved,
        cancel: None,
        context: CallContext::default(),
    };
    let caller = ToolCaller::new(Arc::clone(&state), config)?;
    let result = call(caller, invocation, printer);
    close(state)?;
    let result = result?;
    let tape = record.map(|file| file.keep(&result.tape)).transpose()?;
    Ok(called(result, tape.map(|path| path.display().to_string())))
}

fn call(caller: ToolCaller, invocation: ToolInvocation, printer: &Printer) -> Result<ToolResult, CliError> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let threads = threads.worker_threads(2).enable_all().build();
    let threads = threads.map_err(CliError::io("no threads can be started"))?;
    let result = threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("signals cannot be heard"))?;
        let what = format!("running {}", invocation.tool);
        let invocation = ToolInvocation { cancel: Some(interrupt.token()), ..invocation };
        let running = with_progress(&what, printer.terminal(), caller.call(invocation));
        match running.await {
            Err(CallError::Run(WasmPluginRunError::Cancelled)) if interrupt.happened() => {
                Err(CliError::Interrupted)
            }
            Err(CallError::Run(error)) => Err(error.into()),
            Err(CallError::State(error)) => Err(error.into()),
            Ok(result) => Ok(result),
        }
    });
    drop(caller);
    // A name that is still being looked up must not hold the process.
    threads.shutdown_background();
    result
}

/// Stops cleanly, unless a request that goes on behind our back still holds the state.
fn close(state: Arc<State>) -> Result<(), CliError> {
    match Arc::into_inner(state) {
        Some(state) => state::finish(state),
        None => Ok(()),
    }
}

/// The owner on a terminal may decide for itself about a tool that asks for approval.
fn approve(
    state: &State,
    tool: &str,
    input: &JsonText,
    globals: &Globals,
) -> Result<Option<Sha256Digest>, CliError> {
    let view = state.view();
    let found = view.index().find_tool(tool).filter(|(_, tool)| tool.risk.requires_approval);
    let Some((record, tool)) = found else { return Ok(None) };
    let Some(mut person) = Terminal::of_person(globals) else { return Ok(None) };
    let question = format!("Let `{}` run with {}?", tool.id, shortened(&compact_json(input)));
    if !person.agrees(&question)? {
        return Err(CliError::Cancelled);
    }
    Ok(Some(approval_digest(&record.current.payload, &tool.id, PRINCIPAL, input)))
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 400;
    let short: String = text.chars().take(LONGEST).collect();
    let short = palyra_common::redact::escape_untrusted(&short);
    if text.chars().count() > LONGEST { format!("{short}…") } else { short }
}

fn called(result: ToolResult, tape: Option<String>) -> CalledTool {
    CalledTool {
        result: RawValue::from_string(compact_json(&result.output)).ok(),
        tool: result.tool_id,
        run_id: result.run_id,
        skill_id: result.skill_id,
        payload: result.payload,
        usage: result.usage,
        capabilities: result.capabilities,
        log: result.log,
        receipt: ShownLeaf { sequence: result.receipt.sequence, hash: result.receipt.hash.to_string() },
        tape,
        output: result.output,
    }
}

impl Reply for CalledTool {
    const SCHEMA: &'static str = "palyra.run/v1";

    fn data(&self) -> String {
        pretty_json(&self.output) + "\n"
    }

    fn talk(&self) -> Vec<Remark> {
        let line = |line: &LogLine| {
            let text = format!("{}: {}", self.tool, line.message);
            match line.level {
                LogLevel::Warn | LogLevel::Error => Remark::Warning(text),
                LogLevel::Trace | LogLevel::Debug | LogLevel::Info => Remark::Note(text),
            }
        };
        let end = Remark::Note(format!(
            "{} finished in {} · {} · receipt {} in the journal",
            self.tool,
            duration_text(self.usage.elapsed),
            self.run_id,
            self.receipt.sequence
        ));
        self.log.iter().map(line).chain([end]).collect()
    }
}
