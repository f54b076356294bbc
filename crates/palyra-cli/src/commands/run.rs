//! `palyra run TOOL` calls a tool of an installed skill; see [`installed`].
//!
//! `palyra run --module` is one call of one module in this process, for authors. It reads nothing but what it is
//! given, a cache of compiled code and one key file; no state root is touched.

mod args;
mod call;
mod describe;
mod entry;
mod finished;
mod grants;
mod inline;
mod installed;
mod json_source;
mod key_file;
mod module_file;
mod sandbox;
mod secrets;
mod skill_calls;
mod tape_file;
mod words;

pub(crate) use args::RunArgs;
pub(crate) use describe::{Answer as DescribeAnswer, describe_modules};
pub(crate) use finished::{FinishedRun, ModuleFacts};
pub(crate) use grants::read_grants;
pub(crate) use json_source::read_tool_input;
pub(crate) use sandbox::default_sandbox;
pub(crate) use skill_calls::{Called, SkillCall, SkillCalls};

use crate::cli::Globals;
use crate::error::{CliError, Failure};
use crate::interrupt::Interrupt;
use crate::output::{Printer, Warnings};
use crate::progress::with_progress;
use args::Target;
use call::RunPlan;
use module_file::ModuleFile;
use palyra_common::WasmPluginRunError;
use palyra_plugins_runtime::{LoadedModule, ReplayVerdict, RunReport, WasmRuntime};
use sandbox::Sandbox;
use std::process::ExitCode;
use std::sync::Arc;
use words::Words;

/// Runs the command and prints its result.
pub(crate) fn run(args: &RunArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, args.trace);
    let (mut args, target) = match args.settled() {
        Ok(settled) => settled,
        Err(error) => return printer.fail(&error.into(), &[]),
    };
    if let Target::Installed(tool) = target {
        return printer.finish(installed::run(&tool, &args, globals, &printer));
    }
    // An inline module has no schema for the types of the words.
    match Words::read(&args.words).and_then(Words::untyped) {
        Ok(input) => args.input = input.or(args.input),
        Err(error) => return printer.fail(&error.into(), &[]),
    }
    if let (true, Some(module)) = (args.inline, &args.module) {
        return printer.finish(inline::run(module, &args, globals, &printer));
    }
    if let (true, Some(module)) = (args.describe, &args.module) {
        return printer.finish(describe::run(module, &args, &printer));
    }
    let warnings = Warnings::default();
    match execute(&args, globals, &printer, &warnings) {
        Ok(run) => printer.run(&run, &warnings.list()),
        Err(failure) => printer.fail(&failure, &warnings.list()),
    }
}

fn execute(
    args: &RunArgs,
    globals: &Globals,
    printer: &Printer,
    warnings: &Warnings,
) -> Result<FinishedRun, Failure> {
    let plan = RunPlan::read(args, globals, warnings)?;
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let threads =
        threads.worker_threads(2).enable_all().build().map_err(CliError::io("cannot start threads"))?;
    let finished = threads.block_on(run_once(plan, printer, warnings));
    // A name lookup in progress must not delay the end of the process.
    threads.shutdown_background();
    finished
}

async fn run_once(plan: RunPlan, printer: &Printer, warnings: &Warnings) -> Result<FinishedRun, Failure> {
    let interrupt = Interrupt::listen().map_err(CliError::io("cannot install signal handlers"))?;
    let sandbox = Sandbox::start(plan.host, warnings)?;
    let module = load(&sandbox.runtime, &plan.module, printer, &interrupt).await?;
    let invocation = plan.call.into_invocation(&sandbox.runtime, &module, &interrupt, warnings).await?;
    let tool = entry::name(&invocation.entry).to_owned();
    let report = sandbox.runtime.invoke(&module, invocation).await;
    let recorded = plan.record.map(|file| file.keep(&report.tape)).transpose()?;
    let run = FinishedRun {
        tool,
        module: ModuleFacts::of(&module, plan.module.bytes.len()),
        same_engine: *report.tape.header.engine == *sandbox.runtime.fingerprint(),
        channels: sandbox.channels.messages(),
        recorded,
        report,
    };
    match failure_of(&run.report, &interrupt) {
        None => Ok(run),
        Some(error) => Err(Failure { error, run: Some(Box::new(run)) }),
    }
}

async fn load(
    runtime: &WasmRuntime,
    module: &ModuleFile,
    printer: &Printer,
    interrupt: &Interrupt,
) -> Result<Arc<LoadedModule>, CliError> {
    let what = format!("compiling {}", module.name);
    let loading = with_progress(&what, printer.terminal(), runtime.load(&module.bytes));
    // Dropping the future ends the compiling child.
    let loaded = interrupt.or(loading).await.ok_or(CliError::Interrupted)?;
    loaded.map_err(|error| if interrupt.happened() { CliError::Interrupted } else { error.into() })
}

/// Returns the error of a run. A replay is judged by its verdict: one that fails exactly as recorded succeeds.
fn failure_of(report: &RunReport, interrupt: &Interrupt) -> Option<CliError> {
    match (&report.result, &report.replay) {
        (Err(WasmPluginRunError::Cancelled), _) if interrupt.happened() => Some(CliError::Interrupted),
        (_, Some(ReplayVerdict::Diverged(divergence))) => Some(CliError::Diverged(divergence.clone())),
        (_, Some(ReplayVerdict::Identical | ReplayVerdict::SamePrefix)) | (Ok(_), None) => None,
        (Err(error), None) => Some(error.clone().into()),
    }
}
