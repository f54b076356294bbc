//! `palyra tools`: the tools that can be called.

mod alias;
mod list;
mod search;
mod show;

use crate::cli::Globals;
use crate::output::{Printer, shapes, table};
use clap::{Args, Subcommand};
use palyra_api::tools::ToolSummary;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra tools list
  palyra tools show acme.notes.add";

/// List, search and inspect tools, and give them aliases
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    verb: ToolsVerb,
}

#[derive(Subcommand)]
enum ToolsVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Alias(alias::AliasArgs),
    Unalias(alias::UnaliasArgs),
}

pub(crate) fn run(args: &ToolsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ToolsVerb::List(_) => printer.finish(list::execute(globals)),
        ToolsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ToolsVerb::Search(args) => printer.finish(search::execute(args, globals)),
        ToolsVerb::Alias(args) => printer.finish(alias::set(args, globals)),
        ToolsVerb::Unalias(args) => printer.finish(alias::remove(args, globals)),
    }
}

/// Maximum length of a description in a list.
const MAX_DESCRIPTION_CHARS: usize = 120;

/// Formats tools, one per line.
fn rows(tools: &[ToolSummary]) -> String {
    let row = |tool: &ToolSummary| {
        let approval = if tool.requires_approval { "required" } else { "" };
        let description = tool.description.lines().next().unwrap_or_default().chars();
        // A pipe has no width, so the description is truncated here.
        let description: String = description.take(MAX_DESCRIPTION_CHARS).collect();
        [tool.tool_id.clone(), shapes::status(tool.status).to_owned(), approval.to_owned(), description]
    };
    let rows: Vec<_> = tools.iter().map(row).collect();
    table(["tool", "status", "approval", "description"], &rows)
}
