//! `palyra mcp`: the tools of installed skills, for MCP clients.

mod client_token;
mod config;
mod serve;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra mcp config claude-desktop
  palyra mcp serve --client claude-desktop";

/// Connect MCP clients to installed tools
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    verb: McpVerb,
}

#[derive(Subcommand)]
enum McpVerb {
    Serve(serve::ServeArgs),
    Config(config::ConfigArgs),
}

pub(crate) fn run(args: &McpArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        McpVerb::Serve(args) => serve::run(args, globals, &printer),
        McpVerb::Config(args) => printer.finish(config::execute(args, globals)),
    }
}
