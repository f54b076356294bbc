//! `palyra skills rollback`.

use super::installing::{Verb, Walked, conclude, walked};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Printer;
use crate::terminal::confirm_between;
use clap::Args;
use palyra_api::skills::RollbackBody;

const EXAMPLE: &str = "\
Example:
  palyra skills rollback acme.notes
  palyra skills rollback acme.notes --to 1.0.0 --yes";

/// Roll back to an earlier release
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RollbackArgs {
    /// Skill id
    id: String,

    /// Version to roll back to [default: the last one that ran]
    #[arg(long = "to", value_name = "VERSION")]
    version: Option<String>,
}

/// The verb of the answer.
pub(super) enum Rollback {}

impl Verb for Rollback {
    const SCHEMA: &'static str = "palyra.skills.rollback/v1";
}

pub(super) fn run(
    args: &RollbackArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<Rollback>, CliError> {
    let (id, body) = (&args.id, RollbackBody { version: args.version.clone() });
    let to = args
        .version
        .as_ref()
        .map_or_else(|| "the previous release".to_owned(), |version| format!("`{version}`"));
    client::ask(globals, "skills rollback", async |client| {
        let info = client.skill(id).await?;
        let current = info.entry.record.current.manifest_text("version");
        confirm_between(globals, format!("Roll `{id}` back from {current} to {to}?")).await?;
        let outcome = walked(printer, client.roll_back_skill(id, &body)).await?;
        conclude(&client, outcome, globals, printer).await
    })
}
