//! `palyra run --module FILE --describe`, and descriptions of the modules of a package.

use super::call::describe_invocation;
use super::entry::describes;
use super::module_file::ModuleFile;
use super::sandbox::{HostSettings, Sandbox};
use super::{RunArgs, load};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::{Printer, Reply, Warnings, pretty_json};
use palyra_common::limits::{COMPILE_TIMEOUT_MS, MAX_MODULE_BYTES};
use palyra_common::{JsonText, RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::inspect_module;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::Path;

/// The description of one module.
pub(crate) type Answer = Result<JsonText, WasmPluginRunError>;

/// The description that a module returns.
#[derive(Serialize)]
pub(super) struct Described {
    description: Box<RawValue>,
    #[serde(skip)]
    text: JsonText,
}

pub(super) fn run(path: &Path, args: &RunArgs, printer: &Printer) -> Result<Described, CliError> {
    let module = ModuleFile::read(path, MAX_MODULE_BYTES)?;
    if !describes(&inspect_module(&module.bytes)?) {
        let message = format!("`{}` does not export `describe`", module.name);
        return Err(CliError::usage_with_hint(
            message,
            "the Rust SDK exports it; other guests do not need it",
        ));
    }
    let answers = ask(std::slice::from_ref(&module), !args.no_cache, args.compile_timeout_ms, printer)?;
    let text = answers.into_iter().next().transpose().map_err(CliError::Describe)?;
    let text = text.unwrap_or_else(JsonText::empty_object);
    let description = serde_json::from_str(text.as_str());
    let description = description.map_err(|error| {
        let reason = format!("invalid description: {error}");
        CliError::Describe(WasmPluginRunError::InvalidOutput { pointer: String::new(), reason })
    })?;
    Ok(Described { description, text })
}

/// Calls `describe()` of every module that has it, without grants; other modules are skipped.
pub(crate) fn describe_modules(
    modules: &[(String, Vec<u8>)],
    printer: &Printer,
) -> Result<Vec<(String, Answer)>, CliError> {
    let can = |bytes: &[u8]| inspect_module(bytes).is_ok_and(|shape| describes(&shape));
    let asked = modules.iter().filter(|(_, bytes)| can(bytes));
    let asked = asked.map(|(name, bytes)| ModuleFile { name: name.clone(), bytes: bytes.clone() });
    let asked: Vec<ModuleFile> = asked.collect();
    let answers = ask(&asked, true, COMPILE_TIMEOUT_MS, printer)?;
    Ok(asked.into_iter().map(|module| module.name).zip(answers).collect())
}

fn ask(
    modules: &[ModuleFile],
    cache: bool,
    compile_timeout_ms: u64,
    printer: &Printer,
) -> Result<Vec<Answer>, CliError> {
    if modules.is_empty() {
        return Ok(Vec::new());
    }
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("cannot install signal handlers"))?;
        let settings = HostSettings { cache, compile_timeout_ms, ..HostSettings::closed() };
        let sandbox = Sandbox::start(settings, &Warnings::default())?;
        let mut answers = Vec::new();
        for module in modules {
            answers.push(match load(&sandbox.runtime, module, printer, &interrupt).await {
                Ok(loaded) => {
                    let describe =
                        describe_invocation("describe".into(), RuntimeLimits::default(), &interrupt);
                    let output = sandbox.runtime.invoke(&loaded, describe).await.result;
                    output.map(|output| output.json().cloned().unwrap_or_else(JsonText::empty_object))
                }
                Err(CliError::Run(error)) => Err(error),
                Err(error) => return Err(error),
            });
            if interrupt.happened() {
                return Err(CliError::Interrupted);
            }
        }
        Ok(answers)
    })
}

impl Reply for Described {
    const SCHEMA: &'static str = "palyra.run.describe/v1";

    fn data(&self) -> String {
        pretty_json(&self.text) + "\n"
    }
}
