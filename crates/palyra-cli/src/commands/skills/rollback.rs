//! `palyra skills rollback`.

use super::installed_id;
use super::installing::{Verb, Walked, conclude, with_steps};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use palyra_common::env_vars::PALYRA_SKILLS_ROLLBACK_TO;

const EXAMPLE: &str = "\
Example:
  palyra skills rollback acme.notes
  palyra skills rollback acme.notes --to 1.0.0 --yes";

/// Go back to a release that ran before.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RollbackArgs {
    /// The skill
    id: String,

    /// The version to go back to [default: the last one that ran]
    #[arg(long = "to", value_name = "VERSION")]
    #[arg(env = PALYRA_SKILLS_ROLLBACK_TO, hide_env_values = true)]
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
    let state = state::open(globals, "skills rollback")?;
    let current = installed_id(&state, &args.id)?.current.manifest.version;
    let to = args
        .version
        .clone()
        .map_or_else(|| "the release before".to_owned(), |version| format!("`{version}`"));
    confirm(globals, &format!("Go back from `{current}` of `{}` to {to}?", args.id))?;
    let outcome = with_steps(printer, |step| state.rollback(&args.id, args.version.as_deref(), step))?;
    let answer = conclude(&state, outcome, globals, printer)?;
    state::finish(state)?;
    Ok(answer)
}
