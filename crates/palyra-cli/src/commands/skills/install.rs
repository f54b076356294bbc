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
A skill can run once its publisher is trusted, no audit finding quarantines it and a person consented to its
permissions.
On a terminal the command asks; elsewhere pass the digest that a first attempt prints as `--consent DIGEST`.
`--yes` never consents.

Exit codes if the skill is installed but cannot run: 3 declined, 5 publisher not trusted, 6 quarantined by
the audit, 12 awaiting consent, or this machine does not meet its requirements.";

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
