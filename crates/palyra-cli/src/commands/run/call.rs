//! Prepares a call: reads and checks every argument before a sandbox exists.

use super::args::RunArgs;
use super::entry::WantedEntry;
use super::module_file::ModuleFile;
use super::sandbox::{HostSettings, read_roots, storage_in};
use super::tape_file::{TapeFile, read_tape};
use super::{grants, json_source, secrets};
use crate::cli::Globals;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output::Warnings;
use crate::standard_input::StandardInput;
use palyra_common::limits::MAX_MODULE_BYTES;
use palyra_common::{JsonText, OperatorGrants, RuntimeLimits};
use palyra_plugins_runtime::{Entry, Invocation, LoadedModule, Tape, WasmRuntime, inspect_module};
use std::path::Path;
use std::sync::Arc;

/// Name of the principal of a one-shot run.
const OWNER: &str = "local";

/// A checked command line with its files in memory.
pub(super) struct RunPlan {
    pub(super) module: ModuleFile,
    pub(super) call: Call,
    pub(super) record: Option<TapeFile>,
    pub(super) host: HostSettings,
}

/// A new run, or the replay of a tape.
pub(super) enum Call {
    Live(Box<LiveCall>),
    Replay { tape: Arc<Tape>, input: JsonText },
}

pub(super) struct LiveCall {
    entry: WantedEntry,
    input: JsonText,
    config: JsonText,
    grants: OperatorGrants,
    limits: RuntimeLimits,
}

impl RunPlan {
    /// Checks the flags first and then the files, cheapest checks first.
    pub(super) fn read(args: &RunArgs, globals: &Globals, warnings: &Warnings) -> Result<Self, CliError> {
        let mut stdin = StandardInput::new(globals.no_input);
        let grants = grants::read_grants(&args.grants, globals)?;
        if let Some(directory) = &args.storage_dir {
            grants::check_own_directory("--storage-dir", directory, globals)?;
        }
        let limits = grants::read_limits(&args.limits)?;
        let path = args.module.as_deref().ok_or_else(|| {
            CliError::usage(
                "missing tool: give a tool id or \
            `--module FILE`",
            )
        })?;
        let module = ModuleFile::read(path, MAX_MODULE_BYTES)?;
        let given = secrets::read_secrets(&args.secrets, &mut stdin, warnings)?;
        let call = match &args.replay {
            Some(path) => Call::replay(path, args, &grants, &mut stdin)?,
            None => {
                secrets::warn_about_strays(&given, &grants.capabilities, warnings);
                let input =
                    json_source::read_input(args.input.as_deref(), &mut stdin, limits.max_input_bytes)?;
                let config = json_source::read_config(args.config.as_deref(), &mut stdin)?;
                let shape = inspect_module(&module.bytes)?;
                let entry = WantedEntry::read(args.tool.clone(), args.export.clone(), &shape)?;
                Call::Live(Box::new(LiveCall { entry, input, config, grants, limits }))
            }
        };
        let host = HostSettings {
            secrets: given,
            storage: args.storage_dir.as_deref().map(storage_in).transpose()?,
            extra_roots: args.ca_file.as_deref().map(read_roots).transpose()?.unwrap_or_default(),
            outside: args.replay.is_none(),
            cache: !args.no_cache,
            taped: args.record.is_some() || args.replay.is_some(),
            compile_timeout_ms: args.compile_timeout_ms,
        };
        let record = args.record.as_deref().map(TapeFile::prepare).transpose()?;
        Ok(Self { module, call, record, host })
    }
}

impl Call {
    fn replay(
        path: &Path,
        args: &RunArgs,
        given: &OperatorGrants,
        stdin: &mut StandardInput,
    ) -> Result<Self, CliError> {
        let tape = read_tape(path)?;
        grants::check_replay_grants(given, &tape.header.grants)?;
        let input = match &args.input {
            None => tape.header.input.clone(),
            text => json_source::read_input(text.as_deref(), stdin, tape.header.limits.max_input_bytes)?,
        };
        Ok(Self::Replay { tape: Arc::new(tape), input })
    }

    /// Converts to an invocation, calling `describe()` of a component if its tools are needed.
    pub(super) async fn into_invocation(
        self,
        runtime: &WasmRuntime,
        module: &LoadedModule,
        interrupt: &Interrupt,
        warnings: &Warnings,
    ) -> Result<Invocation, CliError> {
        match self {
            Self::Live(call) => call.into_invocation(runtime, module, interrupt, warnings).await,
            Self::Replay { tape, input } => Ok(Invocation {
                entry: tape.header.entry.clone(),
                input,
                run_id: Arc::clone(&tape.header.run_id),
                owner: Arc::clone(&tape.header.owner),
                grants: Arc::clone(&tape.header.grants),
                allow_addresses: Arc::from([]),
                limits: tape.header.limits.clone(),
                operator_config: tape.header.operator_config.clone(),
                cancel: Some(interrupt.token()),
                replay: Some(tape),
            }),
        }
    }
}

impl LiveCall {
    async fn into_invocation(
        self,
        runtime: &WasmRuntime,
        module: &LoadedModule,
        interrupt: &Interrupt,
        warnings: &Warnings,
    ) -> Result<Invocation, CliError> {
        let describe = describe_invocation(new_run_id()?.into(), self.limits.clone(), interrupt);
        let entry = self.entry.find(runtime, module, describe.clone(), warnings).await;
        if interrupt.happened() {
            return Err(CliError::Interrupted);
        }
        Ok(Invocation {
            entry: entry?,
            input: self.input,
            grants: Arc::new(self.grants.capabilities),
            allow_addresses: self.grants.allow_addresses.into(),
            operator_config: self.config,
            ..describe
        })
    }
}

/// Returns the invocation of a component's `describe()`, without grants.
pub(super) fn describe_invocation(
    run_id: Arc<str>,
    limits: RuntimeLimits,
    interrupt: &Interrupt,
) -> Invocation {
    Invocation {
        entry: Entry::Describe,
        input: JsonText::empty_object(),
        run_id,
        owner: OWNER.into(),
        grants: Arc::default(),
        allow_addresses: Arc::from([]),
        limits,
        operator_config: JsonText::empty_object(),
        cancel: Some(interrupt.token()),
        replay: None,
    }
}

fn new_run_id() -> Result<String, CliError> {
    let mut bytes = [0; 10];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::Setup(format!("cannot read the system random source: {error}")))?;
    Ok(format!("run_{}", hex::encode(bytes)))
}
