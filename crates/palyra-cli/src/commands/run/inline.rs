//! `palyra run --module FILE --inline`: one call of an inline module in the daemon.
//!
//! It goes through the call pipeline of installed tools, if the runner policy allows it: without writable storage or
//! secrets, and with a receipt in the journal.

use super::args::RunArgs;
use super::grants;
use super::installed::{CalledTool, kept, read_input, sandbox_of};
use super::module_file::ModuleFile;
use super::tape_file::TapeFile;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Printer;
use crate::progress::with_progress;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_api::modules::RunModuleRequest;
use palyra_common::limits::MAX_INLINE_MODULE_BYTES;
use std::path::Path;

/// Runs the call and returns its result.
pub(super) fn run(
    module: &Path,
    args: &RunArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<CalledTool, CliError> {
    // Parsed here as well, so that an invalid grant is an error of the command line.
    grants::read_grants(&args.grants, globals)?;
    let module = ModuleFile::read(module, MAX_INLINE_MODULE_BYTES)?;
    let request = RunModuleRequest {
        tool: args.tool.clone(),
        export: args.export.clone(),
        input: Some(read_input(args, globals)?),
        limits: args.limits.clone(),
        grants: args.grants.clone(),
        record: args.record.is_some(),
        ..RunModuleRequest::new(STANDARD.encode(&module.bytes))
    };
    let record = args.record.as_deref().map(TapeFile::prepare).transpose()?;
    let what = format!("running {}", module.name);
    let call = async |client: client::AnyClient| {
        with_progress(&what, printer.terminal(), client.run_module(&request)).await
    };
    kept(client::ask_with(globals, "run", Some(sandbox_of(args)?), call)?, record)
}
