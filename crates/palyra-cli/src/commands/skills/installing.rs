//! What `install`, `update`, `enable`, `consent` and `rollback` share: steps as they pass, the question of consent,
//! and the answer.

use super::Judged;
use crate::cli::{Globals, OutputForm};
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts, skills};
use crate::progress::with_progress_between;
use crate::terminal::Terminal;
use clap::Args;
use palyra_common::capabilities::SecretRef;
use palyra_skills::audit::Verdict;
use palyra_skills::consent::{ConsentGiven, Withheld};
use palyra_skills::index::{InstalledRelease, TrustState};
use palyra_skills::install::{InstallOutcome, InstallStep, Placement};
use palyra_skills::{RuntimeStatus, Sha256Digest, capability_grants_from_manifest};
use palyra_state::State;
use serde::Serialize;
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// Who agrees on this command line.
const PRINCIPAL: &str = "owner";

/// How a person agrees without being asked.
#[derive(Args, Clone)]
pub(super) struct ConsentFlags {
    /// Agree to what it asks for, by the digest that is shown with it
    #[arg(long, value_name = "DIGEST")]
    consent: Option<Sha256Digest>,

    /// Also give it this secret, as in `global/token`; a publisher that is only pinned gets no other
    #[arg(long = "allow-secret", value_name = "SCOPE/NAME", requires = "consent")]
    secrets: Vec<SecretRef>,
}

impl ConsentFlags {
    /// What was agreed to on the command line.
    pub(super) fn given(&self) -> Option<ConsentGiven> {
        let digest = self.consent?;
        Some(ConsentGiven {
            digest,
            principal: PRINCIPAL.into(),
            secrets: self.secrets.iter().cloned().collect(),
        })
    }
}

/// The verb of an answer, by the name of its JSON.
pub(super) trait Verb {
    /// `palyra.skills.<verb>/v1`.
    const SCHEMA: &'static str;
}

/// What came of an installation, or of a stored release that walked the same way again.
#[derive(Serialize)]
pub(super) struct Walked<V> {
    /// What to agree to, if somebody still has to.
    consent_digest: Option<Sha256Digest>,
    #[serde(flatten)]
    outcome: InstallOutcome,
    #[serde(skip)]
    answer: Answer,
    #[serde(skip)]
    verb: PhantomData<V>,
}

/// What a person said when asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Nobody was asked.
    NotAsked,
    Agreed,
    Declined,
}

/// Shows each step as it passes and, on a terminal, that the next one is under way.
pub(super) fn with_steps<T>(printer: &Printer, walk: impl FnOnce(&mut dyn FnMut(&InstallStep)) -> T) -> T {
    with_progress_between("checking", printer.terminal(), |between| {
        walk(&mut |step| between(&|| printer.remark(&[Remark::Note(skills::install_step(step))])))
    })
}

/// Whether there is a person to ask.
pub(super) fn can_ask(globals: &Globals) -> bool {
    globals.form() == OutputForm::Human && Terminal::of_person(globals).is_some()
}

/// Asks for the consent that is still missing, where somebody can be asked, and makes the answer.
pub(super) fn conclude<V: Verb>(
    state: &State,
    outcome: InstallOutcome,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<V>, CliError> {
    let (outcome, answer) = ask(state, outcome, globals, printer)?;
    let consent_digest = outcome.consent_request.as_ref().map(|request| request.digest());
    Ok(Walked { consent_digest, outcome, answer, verb: PhantomData })
}

fn ask(
    state: &State,
    outcome: InstallOutcome,
    globals: &Globals,
    printer: &Printer,
) -> Result<(InstallOutcome, Answer), CliError> {
    let Some(request) = &outcome.consent_request else { return Ok((outcome, Answer::NotAsked)) };
    let person = Terminal::of_person(globals).filter(|_| globals.form() == OutputForm::Human);
    let (Some(mut person), true) = (person, outcome.status == RuntimeStatus::AwaitingConsent) else {
        return Ok((outcome, Answer::NotAsked));
    };
    printer.show(&story(&outcome));
    if !person.agrees("Let it do this?")? {
        return Ok((outcome, Answer::Declined));
    }
    let given = ConsentGiven {
        digest: request.digest(),
        principal: PRINCIPAL.into(),
        secrets: agreed_secrets(&mut person, &outcome)?,
    };
    let skill_id = outcome.record.skill_id.clone();
    // The same steps passed a moment ago.
    Ok((state.consent(&skill_id, given, &mut |_| {})?, Answer::Agreed))
}

/// A publisher that is not allowlisted gets its secrets one by one; it is pinned only once somebody agreed.
fn agreed_secrets(person: &mut Terminal, outcome: &InstallOutcome) -> Result<BTreeSet<SecretRef>, CliError> {
    let mut agreed = BTreeSet::new();
    let Some(release) = release(outcome).filter(|release| release.trust != TrustState::Trusted) else {
        return Ok(agreed);
    };
    for grant in capability_grants_from_manifest(&release.manifest).secrets() {
        if person.agrees(&format!("Also give it the secret `{}`?", grant.secret))? {
            agreed.insert(grant.secret.clone());
        }
    }
    Ok(agreed)
}

fn release(outcome: &InstallOutcome) -> Option<&InstalledRelease> {
    outcome.record.release(outcome.payload)
}

/// Permissions, findings and changes: what a person reads before agreeing.
fn story(outcome: &InstallOutcome) -> String {
    let mut text = format!("\nIt asks to\n{}", skills::permissions(&outcome.permissions));
    if let Some(report) = &outcome.audit {
        text.push_str(&format!("\nAudit\n{}", skills::audit(report)));
    }
    if let Some(diff) = &outcome.diff {
        let version =
            release(outcome).map(|release| release.manifest.version.to_string()).unwrap_or_default();
        let running = outcome.record.current.manifest.version.to_string();
        let old = if outcome.placement == Placement::Waiting { running } else { "before".to_owned() };
        text.push_str(&format!("\nChanges\n{}", skills::two_columns(diff, &old, &version)));
    }
    text
}

/// What it asks for and does not get, even now.
fn not_given(outcome: &InstallOutcome) -> String {
    let told = |withheld: &Withheld| format!("\nNot given: {}\n  {}\n", withheld.grant, withheld.reason);
    outcome.withheld.iter().map(told).collect()
}

impl<V: Verb> Judged for Walked<V> {
    fn exit_code(&self) -> u8 {
        let audited = self.outcome.audit.as_ref().is_none_or(|report| report.verdict == Verdict::Pass);
        match (self.answer, self.outcome.status) {
            (Answer::Declined, _) => skills::DECLINED,
            (_, RuntimeStatus::Quarantined) if self.outcome.trust == TrustState::Quarantine => {
                skills::UNTRUSTED
            }
            (_, RuntimeStatus::Quarantined) if audited => skills::UNTRUSTED,
            (_, RuntimeStatus::Quarantined) => skills::QUARANTINED,
            _ => 0,
        }
    }
}

impl<V: Verb> Reply for Walked<V> {
    const SCHEMA: &'static str = V::SCHEMA;

    fn data(&self) -> String {
        let outcome = &self.outcome;
        let version =
            release(outcome).map(|release| release.manifest.version.to_string()).unwrap_or_default();
        let waits = match outcome.placement {
            Placement::Waiting => format!("; {} runs on meanwhile", outcome.record.current.manifest.version),
            Placement::Current => String::new(),
        };
        let quarantine = release(outcome).and_then(|release| release.quarantine.as_ref());
        let told = facts(&[
            ("skill", format!("{} {version}", outcome.record.skill_id)),
            ("status", format!("{}{waits}", skills::status(outcome.status))),
            ("because", quarantine.map(|quarantine| quarantine.reason.clone()).unwrap_or_default()),
            ("publisher", format!("{}, {}", outcome.record.publisher, skills::trust(outcome.trust))),
            ("signed by", outcome.signers.join(", ")),
            ("payload", outcome.payload.to_string()),
            ("unfit", outcome.eligibility.missing.join("; ")),
            ("consent", self.consent_digest.map(|digest| digest.to_string()).unwrap_or_default()),
        ]);
        match self.answer {
            Answer::NotAsked => told + &story(outcome) + &not_given(outcome),
            // It was read a moment ago.
            Answer::Agreed | Answer::Declined => told + &not_given(outcome),
        }
    }

    fn talk(&self) -> Vec<Remark> {
        let record = &self.outcome.record;
        let (id, publisher) = (&record.skill_id, &record.publisher);
        match self.outcome.status {
            RuntimeStatus::Active => {
                let tool = record.current.tools().next();
                tool.map(|tool| Remark::Next(format!("palyra run {} --input JSON", tool.id)))
                    .into_iter()
                    .collect()
            }
            RuntimeStatus::AwaitingConsent => {
                let digest =
                    self.consent_digest.map(|digest| format!(" --consent {digest}")).unwrap_or_default();
                vec![Remark::Next(format!(
                    "read what it asks for, then agree: palyra skills consent {id}{digest}"
                ))]
            }
            RuntimeStatus::Quarantined if self.outcome.trust == TrustState::Quarantine => {
                let key = self.outcome.signers.first().cloned().unwrap_or_default();
                vec![
                    Remark::Warning(format!(
                        "nobody here knows publisher `{publisher}`; it is stored and cannot run"
                    )),
                    Remark::Next(format!(
                        "compare {key} with the publisher over another way, then install again with `--allow-tofu`, or \
                         `palyra trust allow {publisher} KEY` and `palyra skills enable {id}`"
                    )),
                ]
            }
            RuntimeStatus::Quarantined => {
                vec![Remark::Next(format!("palyra skills info {id} says what would change it"))]
            }
            RuntimeStatus::Disabled => vec![Remark::Next(format!("palyra skills enable {id}"))],
            RuntimeStatus::Error => vec![Remark::Warning("it does not fit this machine".into())],
        }
    }
}
