//! `palyra skills consent`.

use super::installing::{ConsentFlags, Verb, Walked, can_ask, conclude, grant_withheld, walked};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Printer;
use clap::Args;
use palyra_api::skills::{ConsentAsked, InstallOutcome, SkillStatus};

const EXAMPLE: &str = "\
Example:
  palyra skills consent acme.notes
  palyra skills consent acme.notes --consent DIGEST
  palyra skills consent acme.notes --allow-secret global/token";

const MORE: &str = "\
Consent is for one release, and for an update for this pair of releases. For a skill that already runs
it grants secrets that were withheld: those that `--allow-secret` names, or those you agree to when asked.";

/// Consent to the permissions of a skill or its update
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ConsentArgs {
    /// Skill id
    id: String,

    #[command(flatten)]
    consent: ConsentFlags,
}

/// The verb of the answer.
pub(super) enum Consent {}

impl Verb for Consent {
    const SCHEMA: &'static str = "palyra.skills.consent/v1";
}

pub(super) fn run(
    args: &ConsentArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<Consent>, CliError> {
    client::ask(globals, "skills consent", async |client| {
        let outcome = match args.consent.body() {
            Some(body) => walked(printer, client.consent_to_skill(&args.id, &body)).await?,
            None => {
                let pending = client.consent_asked(&args.id).await?;
                if !pending.needed && pending.outcome.status == SkillStatus::Active {
                    return grant_withheld(&client, pending, args.consent.secrets(), globals, printer).await;
                }
                asked(&args.id, pending, globals)?
            }
        };
        conclude(&client, outcome, globals, printer).await
    })
}

/// Returns the planned outcome of the release that needs consent, or an error without a terminal.
fn asked(id: &str, asked: ConsentAsked, globals: &Globals) -> Result<InstallOutcome, CliError> {
    if can_ask(globals) {
        Ok(asked.outcome)
    } else {
        Err(CliError::Usage {
            message: format!("not a terminal, so consent to `{id}` cannot be asked for"),
            hints: vec![
                format!("read its permissions with `palyra skills show {id}`"),
                format!("then agree with `palyra skills consent {id} --consent {}`", asked.digest),
            ],
        })
    }
}
