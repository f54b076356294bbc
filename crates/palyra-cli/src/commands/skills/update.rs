//! `palyra skills update`.

use super::installing::{ConsentFlags, Verb, Walked, conclude, with_steps};
use super::package_file;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use crate::state;
use clap::Args;
use palyra_state::InstallOptions;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills update notes-1.1.palyra-skill";

const MORE: &str = "\
An update that can do more, or that reads differently to models, waits until you agree; the old release runs on
meanwhile. Older releases, other bytes under a known version and other publishers are refused.";

/// Bring a newer release of an installed skill.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct UpdateArgs {
    /// The package
    file: PathBuf,

    #[command(flatten)]
    consent: ConsentFlags,
}

/// The verb of the answer.
pub(super) enum Update {}

impl Verb for Update {
    const SCHEMA: &'static str = "palyra.skills.update/v1";
}

pub(super) fn run(
    args: &UpdateArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<Update>, CliError> {
    let bytes = package_file::read(&args.file)?;
    let state = state::open(globals, "skills update")?;
    let options = InstallOptions { consent: args.consent.given(), ..InstallOptions::default() };
    let outcome = with_steps(printer, |step| state.update(bytes, &options, step))?;
    let answer = conclude(&state, outcome, globals, printer)?;
    state::finish(state)?;
    Ok(answer)
}
