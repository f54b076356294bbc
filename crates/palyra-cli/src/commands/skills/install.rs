//! `palyra skills install`.

use super::installing::{ConsentFlags, Verb, Walked, send};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use clap::Args;
use palyra_api::skills::InstallQuery;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills install notes.palyra-skill --allow-tofu
  palyra skills install notes.palyra-skill --allow-tofu --consent DIGEST --json";

const MORE: &str = "\
A skill runs once its publisher is trusted, no finding quarantines it and a person agreed to its permissions.
On a terminal you are asked; elsewhere pass the digest shown by a first try as `--consent DIGEST`. `--yes` never consents.
Exit codes of a skill that is installed and not runnable: 3 declined, 5 publisher not trusted, 6 quarantined by
the audit, 12 awaiting consent or unfit for this machine.";

/// Verify, audit and install a skill
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct InstallArgs {
    /// Package file
    file: PathBuf,

    /// Trust an unknown publisher on first use and pin its keys
    #[arg(long)]
    allow_tofu: bool,

    #[command(flatten)]
    consent: ConsentFlags,
}

/// The verb of the answer.
pub(super) enum Install {}

impl Verb for Install {
    const SCHEMA: &'static str = "palyra.skills.install/v1";
}

pub(super) fn run(
    args: &InstallArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<Install>, CliError> {
    let query = InstallQuery { allow_tofu: args.allow_tofu, ..args.consent.query()? };
    send("skills install", &args.file, query, globals, printer)
}
