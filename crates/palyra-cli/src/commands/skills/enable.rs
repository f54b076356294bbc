//! `palyra skills enable`.

use super::installing::{Verb, Walked, conclude, walked};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Printer;
use clap::Args;
use palyra_api::skills::EnableBody;
use palyra_skills::audit::FindingId;

const EXAMPLE: &str = "\
Example:
  palyra skills enable acme.notes
  palyra skills enable acme.notes --accept url-undeclared";

const MORE: &str = "\
Findings about imports, invisible characters and budgets cannot be accepted.";

/// Enable a skill that is disabled or quarantined
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct EnableArgs {
    /// Skill id
    id: String,

    /// Accept an audit finding, by the id of its rule (repeatable)
    #[arg(long = "accept", value_name = "FINDING")]
    accept: Vec<FindingId>,
}

/// The verb of the answer.
pub(super) enum Enable {}

impl Verb for Enable {
    const SCHEMA: &'static str = "palyra.skills.enable/v1";
}

pub(super) fn run(
    args: &EnableArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<Enable>, CliError> {
    let body = EnableBody { accept: args.accept.iter().map(ToString::to_string).collect() };
    client::ask(globals, "skills enable", async |client| {
        let outcome = walked(printer, client.enable_skill(&args.id, &body)).await?;
        conclude(&client, outcome, globals, printer).await
    })
}
