//! The arguments of `palyra run`.

use crate::error::CliError;
use clap::{ArgAction, Args};
use palyra_common::limits::COMPILE_TIMEOUT_MS;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra run acme.notes.add text='buy milk'
  palyra run acme.notes.add '{\"text\": \"buy milk\"}'
  palyra run ./counter.wat step=5 --grant storage:counter/
  palyra run --module fetch.wasm --tool web.fetch --input @request.json \\
      --grant 'http:GET https://api.example.com/items/*' --record fetch.tape
  palyra run --module fetch.wasm --replay fetch.tape
  palyra run --module counter.wat --inline";

const MORE: &str = "\
The result goes to standard output, everything else to standard error. A tool of an installed skill has
the permissions you consented to; `--grant` only maps its directories (`fs-read:NAME=DIR`) and allows private
addresses (`address:CIDR`). A module has only the permissions given with `--grant`; a denial names the grant
that would allow it. With `--inline` the daemon runs the module under its policies, without secrets or
writable storage, and writes a receipt to the journal.";

/// Run a tool of an installed skill, or a .wasm file
#[derive(Args, Clone)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct RunArgs {
    /// Tool of an installed skill, or a `.wasm` or `.wat` file
    #[arg(value_name = "TOOL|FILE", required_unless_present = "module")]
    pub(super) installed_tool: Option<String>,

    /// Input, typed by the tool's schema
    #[arg(value_name = "KEY=VALUE|JSON", conflicts_with_all = ["input", "replay"])]
    pub(super) words: Vec<String>,

    /// Module to run: a component or core module, binary or text (`.wat`)
    #[arg(long, value_name = "FILE")]
    pub(super) module: Option<PathBuf>,

    /// Tool of the module [default: the only one]
    #[arg(long, value_name = "ID", conflicts_with = "replay")]
    pub(super) tool: Option<String>,

    /// Exported function of a core module [default: palyra_plugin_main]
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    pub(super) export: Option<String>,

    /// Run the module in the daemon under the runner policy, with a receipt in the journal
    #[arg(long, action = ArgAction::SetTrue)]
    #[arg(conflicts_with_all = ["secrets", "config", "storage_dir", "replay", "trace"])]
    pub(super) inline: bool,

    /// Show the tools, hooks and schemas that the module describes, without a call
    #[arg(long, action = ArgAction::SetTrue)]
    #[arg(conflicts_with_all = ["inline", "tool", "export", "input", "config", "replay", "record", "trace"])]
    pub(super) describe: bool,

    /// Input: JSON text, a file, or `-` for standard input [default: {}]
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(super) input: Option<String>,

    /// Grant a capability, for example `storage:notes/` (repeatable)
    #[arg(long = "grant", value_name = "GRANT")]
    pub(super) grants: Vec<String>,

    /// Set a limit, for example `fuel=1000000` or `timeout=5s` (repeatable)
    #[arg(long = "limit", value_name = "NAME=VALUE", conflicts_with = "replay")]
    pub(super) limits: Vec<String>,

    /// Secret for this run, its value from a file or standard input (repeatable)
    #[arg(long = "secret", value_name = "NAME=@FILE|-")]
    pub(super) secrets: Vec<String>,

    /// Operator settings of the plugin: JSON text, a file, or `-` [default: {}]
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true, conflicts_with = "replay")]
    pub(super) config: Option<String>,

    /// Store the guest's data in this directory instead of in memory
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(super) storage_dir: Option<PathBuf>,

    /// Seconds to wait for an approval, for a tool that needs one
    #[arg(long, value_name = "SECONDS", conflicts_with = "replay")]
    pub(super) wait_approval: Option<u32>,

    /// Additional root certificates to trust, a PEM file
    #[arg(long, value_name = "PEM", conflicts_with = "replay")]
    pub(super) ca_file: Option<PathBuf>,

    /// Record all external inputs of the run to this file
    #[arg(long, value_name = "TAPE", conflicts_with = "replay")]
    pub(super) record: Option<PathBuf>,

    /// Replay a recording without external access, and compare
    #[arg(long, value_name = "TAPE")]
    pub(super) replay: Option<PathBuf>,

    /// List every host call
    #[arg(long, action = ArgAction::SetTrue)]
    pub(super) trace: bool,

    /// Compile without reading or writing the cache
    #[arg(long, action = ArgAction::SetTrue)]
    pub(super) no_cache: bool,

    /// Time limit of the compilation
    #[arg(long, hide = true, default_value_t = COMPILE_TIMEOUT_MS, value_name = "MS")]
    pub(super) compile_timeout_ms: u64,
}

/// The tool, module or tape to run.
pub(super) enum Target {
    /// The tool of an installed skill.
    Installed(String),
    /// The module given with `--module`.
    Module,
}

impl RunArgs {
    /// Determines whether the first word is a tool, a file, or a part of the input of `--module`, and rejects flags
    /// that do not apply.
    pub(super) fn settled(&self) -> Result<(Self, Target), CliError> {
        let mut args = self.clone();
        if args.module.is_some() {
            drop(args.words.splice(0..0, args.installed_tool.take()));
        } else if let Some(file) = args.installed_tool.take_if(|word| is_module_file(word)) {
            args.module = Some(file.into());
        }
        let target = args.installed_tool.take().map_or(Target::Module, Target::Installed);
        match &target {
            Target::Installed(tool) => args.only_tool_flags(tool)?,
            Target::Module if args.wait_approval.is_some() => {
                return Err(CliError::usage("`--wait-approval` is only for tools of installed skills"));
            }
            Target::Module => {}
        }
        Ok((args, target))
    }

    fn only_tool_flags(&self, tool: &str) -> Result<(), CliError> {
        let given = [
            ("--tool", self.tool.is_some()),
            ("--export", self.export.is_some()),
            ("--inline", self.inline),
            ("--describe", self.describe),
            ("--secret", !self.secrets.is_empty()),
            ("--config", self.config.is_some()),
            ("--storage-dir", self.storage_dir.is_some()),
            ("--replay", self.replay.is_some()),
            ("--trace", self.trace),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((flag, _)) => Err(CliError::usage_with_hint(
                format!("`{flag}` is for modules, and `{tool}` is a tool of an installed skill"),
                "pass a file with `--module FILE`",
            )),
        }
    }
}

/// Returns whether the word is a path to a module, rather than the id of a tool.
fn is_module_file(word: &str) -> bool {
    let path = Path::new(word);
    let module = ["wasm", "wat"]
        .iter()
        .any(|known| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known)));
    module && (word.contains('/') || path.is_file())
}
