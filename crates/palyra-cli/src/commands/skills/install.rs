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
A skill runs once its publisher is believed, no finding keeps it back and somebody agreed to what it asks for.
On a terminal you are asked; elsewhere `--consent` names the digest shown by a first try. `--yes` never agrees.
Exit code 5: publisher unknown, stored in quarantine. 6: the audit keeps it back. 3: you said no.";

/// Verify, audit and store a skill; let it run once you agree.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct InstallArgs {
    /// The package
    file: PathBuf,

    /// Pin the keys of a publisher that was never seen here
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
    let query = InstallQuery { allow_tofu: args.allow_tofu, ..args.consent.query() };
    send("skills install", &args.file, query, globals, printer)
}
