//! `palyra skills update`.

use super::installing::{ConsentFlags, Verb, Walked, send};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use clap::Args;
use palyra_api::skills::InstallQuery;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills update notes-1.1.palyra-skill";

const MORE: &str = "\
An update with more permissions, or with other texts for models, waits until you agree; the old release keeps
running. A quarantine by a person stays until `palyra skills enable` lifts it. Older releases, different bytes
under a known version and other publishers are rejected.";

/// Update an installed skill
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct UpdateArgs {
    /// Package file
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
    let query = InstallQuery { update: true, ..args.consent.query()? };
    send("skills update", &args.file, query, globals, printer)
}
