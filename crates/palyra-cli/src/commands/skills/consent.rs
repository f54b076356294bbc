//! `palyra skills consent`.

use super::installed_id;
use super::installing::{ConsentFlags, Verb, Walked, can_ask, conclude, with_steps};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use crate::state;
use clap::Args;
use palyra_skills::consent::ConsentRequest;
use palyra_skills::install::InstallOutcome;
use palyra_state::{SkillError, SkillInfo, State};

const EXAMPLE: &str = "\
Example:
  palyra skills consent acme.notes
  palyra skills consent acme.notes --consent DIGEST --allow-secret global/token";

const MORE: &str = "\
Consent is for exactly one release, and for an update for exactly this pair of releases.";

/// Agree to what a skill asks for, or to what its update changes.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ConsentArgs {
    /// The skill
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
    let state = state::open(globals, "skills consent")?;
    installed_id(&state, &args.id)?;
    let outcome = match args.consent.given() {
        Some(given) => with_steps(printer, |step| state.consent(&args.id, given, step))?,
        None if can_ask(globals) => look_again(&state, &args.id)?,
        None => return Err(nobody_to_ask(&state, &args.id)?),
    };
    let answer = conclude(&state, outcome, globals, printer)?;
    state::finish(state)?;
    Ok(answer)
}

/// The release a person decides about, as it stands now.
fn look_again(state: &State, skill_id: &str) -> Result<InstallOutcome, CliError> {
    let last = state.re_audit(Some(skill_id))?.pop();
    let gone = || SkillError::NotInstalled { skill_id: skill_id.to_owned() };
    Ok(last.ok_or_else(gone)?.result?)
}

fn nobody_to_ask(state: &State, skill_id: &str) -> Result<CliError, CliError> {
    let digest = consent_request(&state.info(skill_id)?).digest();
    Ok(CliError::Usage {
        message: format!("nobody can be asked whether `{skill_id}` may do what it asks for"),
        hints: vec![
            format!("read what that is with `palyra skills info {skill_id}`"),
            format!("then agree with `--consent {digest}`"),
        ],
    })
}

/// What somebody agrees to: the release that waits, else the current one.
fn consent_request(info: &SkillInfo) -> ConsentRequest {
    let current = &info.entry.record.current;
    let first = || ConsentRequest::new(&current.manifest, current.payload, None);
    info.waiting.as_ref().map_or_else(first, |waiting| waiting.consent.clone())
}
