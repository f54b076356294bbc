//! `palyra skills enable`.

use super::installed_id;
use super::installing::{Verb, Walked, conclude, with_steps};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use crate::state;
use clap::Args;
use palyra_skills::audit::FindingId;

const EXAMPLE: &str = "\
Example:
  palyra skills enable acme.notes
  palyra skills enable acme.notes --accept url-undeclared";

const MORE: &str = "\
Findings about imports, invisible characters and budgets cannot be accepted.";

/// Lift a quarantine, or switch a skill on again.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct EnableArgs {
    /// The skill
    id: String,

    /// Accept what the audit found, by the name of its rule; may be given again
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
    let state = state::open(globals, "skills enable")?;
    installed_id(&state, &args.id)?;
    let accept = args.accept.iter().copied().collect();
    let outcome = with_steps(printer, |step| state.enable(&args.id, accept, step))?;
    let answer = conclude(&state, outcome, globals, printer)?;
    state::finish(state)?;
    Ok(answer)
}
