//! The flags of `palyra run`.

use clap::{ArgAction, Args};
use palyra_common::limits::COMPILE_TIMEOUT_MS;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra run acme.notes.add --input '{\"text\": \"buy milk\"}'
  palyra run --module counter.wat --grant storage:counter/ --input '{\"step\": 5}'
  palyra run --module fetch.wasm --tool web.fetch --input @request.json \\
      --grant 'http:GET https://api.example.com/items/*' --record fetch.tape
  palyra run --module fetch.wasm --replay fetch.tape
  palyra run --module counter.wat --inline";

const MORE: &str = "\
The result goes to standard output, everything else to standard error. A tool of an installed skill gets what
its manifest asks for and you agreed to; `--grant` only maps its directories (`fs-read:NAME=DIR`) and opens
private addresses (`address:CIDR`). For a module nothing is granted unless a `--grant` says so; a refusal names
the grant that would have allowed it. With `--inline` a module runs as one that came with the call: under the
daemon's policies, without secrets or anything to write to, and with a receipt in the journal.";

/// Call a tool of an installed skill, or of a module with only the doors open that you name.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct RunArgs {
    /// The tool of an installed skill, as in `acme.notes.add`
    #[arg(value_name = "TOOL", required_unless_present = "module")]
    #[arg(conflicts_with_all = ["module", "tool", "export", "secrets", "config", "storage_dir", "replay", "trace", "inline"])]
    pub(super) installed_tool: Option<String>,

    /// The module: a component or core module, as binary or as text (`.wat`)
    #[arg(long, value_name = "FILE")]
    pub(super) module: Option<PathBuf>,

    /// The tool to call; may be left out when the module has only one
    #[arg(long, value_name = "ID", conflicts_with = "replay")]
    pub(super) tool: Option<String>,

    /// The function of a core module [default: palyra_plugin_main]
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    pub(super) export: Option<String>,

    /// Run the module in the daemon, where the runner's policy allows it, with a receipt in the journal
    #[arg(long, action = ArgAction::SetTrue, requires = "module")]
    #[arg(conflicts_with_all = ["secrets", "config", "storage_dir", "replay", "trace"])]
    pub(super) inline: bool,

    /// Show the tools, hooks and schemas that the module describes, and call nothing
    #[arg(long, action = ArgAction::SetTrue, requires = "module")]
    #[arg(conflicts_with_all = ["installed_tool", "inline", "tool", "export", "input", "config", "replay", "record", "trace"])]
    pub(super) describe: bool,

    /// The input: JSON text, a file, or `-` for standard input [default: {}]
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(super) input: Option<String>,

    /// Open a door, as in `storage:notes/`; may be given again
    #[arg(long = "grant", value_name = "GRANT")]
    pub(super) grants: Vec<String>,

    /// Set a limit, as in `fuel=1000000` or `timeout=5s`; may be given again
    #[arg(long = "limit", value_name = "NAME=VALUE", conflicts_with = "replay")]
    pub(super) limits: Vec<String>,

    /// Keep a secret for this run, its value from a file or standard input; may be given again
    #[arg(long = "secret", value_name = "NAME=@FILE|-")]
    pub(super) secrets: Vec<String>,

    /// The operator's settings for the plugin: JSON text, a file, or `-` [default: {}]
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true, conflicts_with = "replay")]
    pub(super) config: Option<String>,

    /// Keep the guest's storage in this directory instead of in memory
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(super) storage_dir: Option<PathBuf>,

    /// Wait so long for somebody to approve the call, where one has to
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["module", "replay"])]
    pub(super) wait_approval: Option<u32>,

    /// Trust the root certificates in this file, besides the usual ones
    #[arg(long, value_name = "PEM", conflicts_with = "replay")]
    pub(super) ca_file: Option<PathBuf>,

    /// Write everything the run was told by the outside world to this file
    #[arg(long, value_name = "TAPE", conflicts_with = "replay")]
    pub(super) record: Option<PathBuf>,

    /// Run again from a tape, without the outside world, and compare
    #[arg(long, value_name = "TAPE")]
    pub(super) replay: Option<PathBuf>,

    /// List every host call
    #[arg(long, action = ArgAction::SetTrue)]
    pub(super) trace: bool,

    /// Compile anew and keep nothing
    #[arg(long, action = ArgAction::SetTrue)]
    pub(super) no_cache: bool,

    /// How long the compilation may take
    #[arg(long, hide = true, default_value_t = COMPILE_TIMEOUT_MS, value_name = "MS")]
    pub(super) compile_timeout_ms: u64,
}
