//! `palyra tools alias` and `palyra tools unalias`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::tools::Alias;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra tools alias add_note acme.notes.add";

/// Give a tool an alias, which MCP clients see
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AliasArgs {
    /// Alias: lower-case letters, digits, `_` and `.`
    alias: String,

    /// Tool id
    tool: String,
}

const UNALIAS: &str = "\
Example:
  palyra tools unalias add_note";

/// Remove an alias of a tool
#[derive(Args)]
#[command(before_help = UNALIAS)]
pub(super) struct UnaliasArgs {
    /// Alias to remove
    alias: String,
}

#[derive(Serialize)]
pub(super) struct Named(Alias);

#[derive(Serialize)]
pub(super) struct Unnamed(Alias);

pub(super) fn set(args: &AliasArgs, globals: &Globals) -> Result<Named, CliError> {
    client::ask(globals, "tools alias", async |client| client.set_alias(&args.alias, &args.tool).await)
        .map(Named)
}

pub(super) fn remove(args: &UnaliasArgs, globals: &Globals) -> Result<Unnamed, CliError> {
    client::ask(globals, "tools unalias", async |client| client.remove_alias(&args.alias).await).map(Unnamed)
}

impl Reply for Named {
    const SCHEMA: &'static str = "palyra.tools.alias/v1";

    fn data(&self) -> String {
        format!("{} is {}\n", self.0.alias, self.0.tool_id)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("palyra tools show {}", self.0.alias))]
    }
}

impl Reply for Unnamed {
    const SCHEMA: &'static str = "palyra.tools.unalias/v1";

    fn data(&self) -> String {
        format!("removed the alias {}\n", self.0.alias)
    }
}
