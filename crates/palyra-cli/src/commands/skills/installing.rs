//! What `install`, `update`, `enable`, `consent` and `rollback` share: steps as they pass, the question of consent,
//! and the answer.

use super::Judged;
use super::package_file::Package;
use crate::cli::{Globals, OutputForm};
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts, shapes, skills};
use crate::progress::with_progress;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::ClientError;
use palyra_api::skills::{
    ConsentBody, InstallOutcome, InstallQuery, InstallStep, Placement, QuarantineCause, SkillStatus, Withheld,
};
use palyra_common::capabilities::SecretRef;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::path::Path;

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
    /// What was agreed to on the command line, with a package.
    pub(super) fn query(&self) -> InstallQuery {
        let secrets: Vec<String> = self.secrets.iter().map(ToString::to_string).collect();
        InstallQuery {
            consent: self.consent.map(|digest| digest.to_string()),
            secrets: (!secrets.is_empty()).then(|| secrets.join(",")),
            ..InstallQuery::default()
        }
    }

    /// What was agreed to on the command line, for a skill that is stored.
    pub(super) fn body(&self) -> Option<ConsentBody> {
        let digest = self.consent?.to_string();
        Some(ConsentBody { digest, secrets: self.secrets.iter().map(ToString::to_string).collect() })
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

/// Sends a package to be installed, and asks for the consent that is missing.
pub(super) fn send<V: Verb>(
    command: &str,
    path: &Path,
    query: InstallQuery,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<V>, CliError> {
    let package = Package::open(path)?;
    client::ask(globals, command, async |client| {
        let outcome = walked(printer, client.install(package.body(), &query)).await?;
        conclude(&client, outcome, globals, printer).await
    })
}

/// Waits for what comes of it, and shows each step that passed, also those before a refusal.
pub(super) async fn walked(
    printer: &Printer,
    asked: impl Future<Output = Result<InstallOutcome, ClientError>>,
) -> Result<InstallOutcome, CliError> {
    let answered = with_progress("checking", printer.terminal(), asked).await;
    match &answered {
        Ok(outcome) => show_steps(printer, &outcome.steps),
        Err(ClientError::Problem(problem)) => {
            let steps = problem.details.get("steps").map(Vec::<InstallStep>::deserialize);
            show_steps(printer, &steps.and_then(Result::ok).unwrap_or_default());
        }
        Err(_) => {}
    }
    Ok(answered?)
}

fn show_steps(printer: &Printer, steps: &[InstallStep]) {
    let remarks: Vec<Remark> = steps.iter().map(|step| Remark::Note(shapes::install_step(step))).collect();
    printer.remark(&remarks);
}

/// Whether there is a person to ask.
pub(super) fn can_ask(globals: &Globals) -> bool {
    person(globals).is_some()
}

fn person(globals: &Globals) -> Option<Terminal> {
    Terminal::of_person(globals).filter(|_| globals.form() == OutputForm::Human)
}

/// Asks for the consent that is still missing, where somebody can be asked, and makes the answer.
pub(super) async fn conclude<V: Verb>(
    client: &AnyClient,
    outcome: InstallOutcome,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<V>, CliError> {
    let (outcome, answer) = ask(client, outcome, globals, printer).await?;
    Ok(Walked { outcome, answer, verb: PhantomData })
}

async fn ask(
    client: &AnyClient,
    outcome: InstallOutcome,
    globals: &Globals,
    printer: &Printer,
) -> Result<(InstallOutcome, Answer), CliError> {
    let waits = outcome.status == SkillStatus::AwaitingConsent;
    let (Some(digest), Some(person), true) = (outcome.consent_digest.clone(), person(globals), waits) else {
        return Ok((outcome, Answer::NotAsked));
    };
    printer.show(&story(&outcome));
    if !person.agrees_between("Let it do this?".into()).await? {
        return Ok((outcome, Answer::Declined));
    }
    let body = ConsentBody { digest, secrets: agreed_secrets(person, &outcome).await? };
    // The same steps passed a moment ago.
    Ok((client.consent_to_skill(&outcome.record.skill_id, &body).await?, Answer::Agreed))
}

/// A publisher that is not allowlisted gets its secrets one by one.
async fn agreed_secrets(person: Terminal, outcome: &InstallOutcome) -> Result<Vec<String>, CliError> {
    let mut agreed = Vec::new();
    for secret in &outcome.secrets {
        if person.agrees_between(format!("Also give it the secret `{secret}`?")).await? {
            agreed.push(secret.clone());
        }
    }
    Ok(agreed)
}

fn version(outcome: &InstallOutcome) -> &str {
    outcome.release().map(|release| release.manifest_text("version")).unwrap_or_default()
}

/// Permissions, findings and changes: what a person reads before agreeing.
fn story(outcome: &InstallOutcome) -> String {
    let mut text = format!("\nIt asks to\n{}", shapes::permissions(&outcome.permissions));
    if let Some(report) = &outcome.audit {
        text.push_str(&format!("\nAudit\n{}", shapes::audit(report)));
    }
    if let Some(diff) = &outcome.diff {
        let running = outcome.record.current.manifest_text("version");
        let old = if outcome.placement == Placement::Waiting { running } else { "before" };
        text.push_str(&format!("\nChanges\n{}", shapes::two_columns(diff, old, version(outcome))));
    }
    text
}

/// What it asks for and does not get, even now.
fn not_given(outcome: &InstallOutcome) -> String {
    let summary = |withheld: &Withheld| format!("\nNot given: {}\n  {}\n", withheld.grant, withheld.reason);
    outcome.withheld.iter().map(summary).collect()
}

/// What keeps the release from running.
fn cause(outcome: &InstallOutcome) -> Option<QuarantineCause> {
    Some(outcome.release()?.quarantine.as_ref()?.cause)
}

/// The command that accepts what the audit found, where an operator may accept all of it.
fn after_audit(outcome: &InstallOutcome) -> String {
    let id = &outcome.record.skill_id;
    let found = outcome.audit.iter().flat_map(|report| &report.findings);
    let stops: Vec<_> = found.filter(|finding| finding.quarantines()).collect();
    if stops.is_empty() || stops.iter().any(|finding| finding.hard) {
        return format!(
            "`palyra skills info {id}` lists the findings; ask the publisher for a corrected release"
        );
    }
    let rules: BTreeSet<&str> = stops.iter().map(|finding| finding.id.as_str()).collect();
    let accept: String = rules.iter().map(|rule| format!(" --accept {rule}")).collect();
    format!("if you judge the findings harmless, accept them: `palyra skills enable {id}{accept}`")
}

impl<V: Verb> Judged for Walked<V> {
    fn exit_code(&self) -> u8 {
        match (self.answer, self.outcome.status, cause(&self.outcome)) {
            (Answer::Declined, ..) => skills::DECLINED,
            (_, SkillStatus::Quarantined, Some(QuarantineCause::Audit)) => skills::QUARANTINED,
            (_, SkillStatus::Quarantined, _) => skills::UNTRUSTED,
            _ => 0,
        }
    }
}

impl<V: Verb> Reply for Walked<V> {
    const SCHEMA: &'static str = V::SCHEMA;

    fn data(&self) -> String {
        let outcome = &self.outcome;
        let current = outcome.record.current.manifest_text("version");
        let waits = match outcome.placement {
            Placement::Waiting => format!("; {current} runs on meanwhile"),
            Placement::Current => String::new(),
        };
        let quarantine = outcome.release().and_then(|release| release.quarantine.as_ref());
        let summary = facts(&[
            ("skill", format!("{} {}", outcome.record.skill_id, version(outcome))),
            ("status", format!("{}{waits}", shapes::status(outcome.status))),
            ("because", quarantine.map(|quarantine| quarantine.reason.clone()).unwrap_or_default()),
            ("publisher", format!("{}, {}", outcome.record.publisher, shapes::trust(outcome.trust))),
            ("signed by", outcome.signers.join(", ")),
            ("payload", outcome.payload.clone()),
            ("unfit", outcome.eligibility.missing.join("; ")),
            ("consent", outcome.consent_digest.clone().unwrap_or_default()),
        ]);
        match self.answer {
            Answer::NotAsked => summary + &story(outcome) + &not_given(outcome),
            // It was read a moment ago.
            Answer::Agreed | Answer::Declined => summary + &not_given(outcome),
        }
    }

    fn talk(&self) -> Vec<Remark> {
        let record = &self.outcome.record;
        let (id, publisher) = (&record.skill_id, &record.publisher);
        match (self.outcome.status, cause(&self.outcome)) {
            (SkillStatus::Active, _) => {
                let tool = record.current.tool_ids().into_iter().next();
                tool.map(|tool| Remark::Next(format!("palyra run {tool} --input JSON"))).into_iter().collect()
            }
            (SkillStatus::AwaitingConsent, _) => {
                let digest = self.outcome.consent_digest.as_ref();
                let digest = digest.map(|digest| format!(" --consent {digest}")).unwrap_or_default();
                vec![Remark::Next(format!(
                    "read what it asks for, then agree: palyra skills consent {id}{digest}"
                ))]
            }
            (SkillStatus::Quarantined, Some(QuarantineCause::UnknownPublisher)) => {
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
            (SkillStatus::Quarantined, Some(QuarantineCause::Audit)) => vec![
                Remark::Warning("the audit keeps it from running; it is stored".into()),
                Remark::Next(after_audit(&self.outcome)),
            ],
            (SkillStatus::Quarantined, _) => {
                vec![Remark::Next(format!("palyra skills info {id} says what would change it"))]
            }
            (SkillStatus::Disabled, _) => vec![Remark::Next(format!("palyra skills enable {id}"))],
            (SkillStatus::Error, _) => vec![Remark::Warning("it does not fit this machine".into())],
        }
    }
}
