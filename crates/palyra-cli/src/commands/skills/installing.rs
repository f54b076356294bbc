//! Shared parts of `install`, `update`, `enable`, `consent` and `rollback`: progress, the prompt for consent, and the
//! result.

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
    ConsentAsked, ConsentBody, InstallOutcome, InstallQuery, InstallStep, Placement, QuarantineCause,
    SkillStatus, TrustDecision, Withheld,
};
use palyra_common::capabilities::SecretRef;
use palyra_common::{ErrorCode, InOrder};
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

/// Maximum wait for a compilation in the background of the daemon.
const PATIENCE: Duration = Duration::from_secs(3);

/// How a person agrees without being asked.
#[derive(Args, Clone)]
pub(super) struct ConsentFlags {
    /// Consent to the permissions that have this digest
    #[arg(long, value_name = "DIGEST")]
    consent: Option<Sha256Digest>,

    /// Secret to grant too, for example `global/token` (repeatable)
    #[arg(long = "allow-secret", value_name = "SCOPE/NAME")]
    secrets: Vec<SecretRef>,
}

impl ConsentFlags {
    /// Returns the consent given on the command line, for a request with a package.
    pub(super) fn query(&self) -> Result<InstallQuery, CliError> {
        let secrets = self.secrets();
        if self.consent.is_none() && !secrets.is_empty() {
            let message = "`--allow-secret` needs `--consent DIGEST` here";
            let hint = "install it first, then `palyra skills consent ID --allow-secret SCOPE/NAME`";
            return Err(CliError::usage_with_hint(message, hint));
        }
        Ok(InstallQuery {
            consent: self.consent.map(|digest| digest.to_string()),
            secrets: (!secrets.is_empty()).then(|| secrets.join(",")),
            ..InstallQuery::default()
        })
    }

    /// Returns the secrets granted on the command line.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.secrets.iter().map(ToString::to_string).collect()
    }

    /// Returns the consent given on the command line, for an installed skill.
    pub(super) fn body(&self) -> Option<ConsentBody> {
        Some(ConsentBody { digest: self.consent?.to_string(), secrets: self.secrets() })
    }
}

/// The command of a reply, which determines the name of its JSON.
pub(super) trait Verb {
    /// Schema name of the form `palyra.skills.<verb>/v1`.
    const SCHEMA: &'static str;
}

/// Result of an installation, or of repeated checks of a stored release.
#[derive(Serialize)]
pub(super) struct Walked<V> {
    #[serde(flatten)]
    outcome: InstallOutcome,
    #[serde(skip)]
    answer: Answer,
    /// Names of the keys in this state root that signed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    own_keys: Vec<String>,
    /// Reason why it cannot be called despite the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<String>,
    #[serde(skip)]
    verb: PhantomData<V>,
}

/// Answer to the question of consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The user was not asked.
    NotAsked,
    Agreed,
    Declined,
}

/// Sends a package to be installed, and asks for missing consent.
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

/// Waits for the result and prints each step, also those before a rejection.
pub(super) async fn walked(
    printer: &Printer,
    asked: impl Future<Output = Result<InstallOutcome, ClientError>>,
) -> Result<InstallOutcome, CliError> {
    let answered = with_progress("checking", printer.terminal(), asked).await;
    match &answered {
        Ok(outcome) => show_steps(printer, &outcome.steps, false),
        Err(ClientError::Problem(problem)) => {
            let steps = problem.details.get("steps").map(Vec::<InstallStep>::deserialize);
            show_steps(printer, &steps.and_then(Result::ok).unwrap_or_default(), true);
        }
        Err(_) => {}
    }
    Ok(answered?)
}

/// Prints all steps with `--verbose`, otherwise those that need attention.
fn show_steps(printer: &Printer, steps: &[InstallStep], refused: bool) {
    let all = refused || printer.is_verbose();
    let shown = steps.iter().filter(|step| all || step.blocks);
    let mut remarks: Vec<Remark> = shown.map(|step| Remark::Note(shapes::install_step(step))).collect();
    let passed = steps.iter().filter(|step| !step.blocks).count();
    if !all && passed > 0 {
        remarks.insert(0, Remark::Note(format!("{passed} checks passed (`-v` lists them)")));
    }
    printer.remark(&remarks);
}

/// Returns whether consent can be asked for on a terminal.
pub(super) fn can_ask(globals: &Globals) -> bool {
    person(globals).is_some()
}

fn person(globals: &Globals) -> Option<Terminal> {
    Terminal::of_person(globals).filter(|_| globals.form() == OutputForm::Human)
}

/// Asks for missing consent on a terminal, and builds the result.
pub(super) async fn conclude<V: Verb>(
    client: &AnyClient,
    outcome: InstallOutcome,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<V>, CliError> {
    let own_keys = own_keys(client, &outcome).await;
    let (mut outcome, answer) = ask(client, outcome, globals, printer).await?;
    let unusable = prepare(client, &mut outcome, printer).await;
    Ok(Walked { outcome, answer, own_keys, unusable, verb: PhantomData })
}

/// Compiles a skill that can run now; returns the reason if it cannot run after all.
///
/// A daemon compiles in the background, so that users wait only for short operations.
async fn prepare(client: &AnyClient, outcome: &mut InstallOutcome, printer: &Printer) -> Option<String> {
    if outcome.status != SkillStatus::Active {
        return None;
    }
    let id = outcome.record.skill_id.clone();
    let compiling = format!("compiling {id}");
    let preparing = with_progress(&compiling, printer.terminal(), client.prepare_skill(&id));
    let prepared = match outcome.code {
        None => preparing.await,
        Some(_) => tokio::time::timeout(PATIENCE, preparing).await.ok()?,
    };
    outcome.code = None;
    match prepared {
        Err(ClientError::Problem(problem)) if problem.code == ErrorCode::NotRunnable => Some(problem.detail),
        // The first call compiles the skill and reports the error.
        Ok(_) | Err(_) => None,
    }
}

/// Returns the keys in the vault that signed a release; empty if the token may not list keys.
async fn own_keys(client: &AnyClient, outcome: &InstallOutcome) -> Vec<String> {
    let Ok(list) = client.keys().await else { return Vec::new() };
    let own = list.keys.into_iter().filter(|key| outcome.signers.contains(&key.key_id));
    own.map(|key| key.name).collect()
}

/// Returns the public keys of an unknown publisher, in the form that `palyra trust allow` accepts.
fn unknown_keys(outcome: &InstallOutcome) -> Vec<String> {
    match &outcome.decision {
        Some(TrustDecision::Unknown { keys } | TrustDecision::TofuOffer { keys, .. }) => keys.keys.clone(),
        _ => Vec::new(),
    }
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
    let record = &outcome.record;
    let (id, version, publisher) = (&record.skill_id, version(&outcome), &record.publisher);
    if !person.agrees_between(format!("Allow {id} {version} by {publisher} to do this?")).await? {
        return Ok((outcome, Answer::Declined));
    }
    let body = ConsentBody { digest, secrets: agreed_secrets(person, outcome.secrets.clone()).await? };
    // The same checks passed a moment ago.
    Ok((client.consent_to_skill(&outcome.record.skill_id, &body).await?, Answer::Agreed))
}

/// Asks for each secret separately if the publisher is not on the allowlist.
async fn agreed_secrets(person: Terminal, secrets: Vec<String>) -> Result<Vec<String>, CliError> {
    let mut agreed = Vec::new();
    for secret in secrets {
        if person.agrees_between(format!("Also give it the secret `{secret}`?")).await? {
            agreed.push(secret);
        }
    }
    Ok(agreed)
}

/// Grants secrets that an earlier consent withheld: the named ones, or else those the user agrees to now.
pub(super) async fn grant_withheld<V: Verb>(
    client: &AnyClient,
    asked: ConsentAsked,
    named: Vec<String>,
    globals: &Globals,
    printer: &Printer,
) -> Result<Walked<V>, CliError> {
    let outcome = asked.outcome;
    let withheld: Vec<String> =
        outcome.withheld.iter().filter_map(|withheld| withheld.secret.clone()).collect();
    let granted = outcome.secrets.iter().filter(|secret| !withheld.contains(secret)).cloned();
    let granted: Vec<String> = granted.collect();
    let more = match person(globals) {
        _ if !named.is_empty() => named,
        Some(person) => {
            printer.show(&not_given(&outcome));
            agreed_secrets(person, withheld).await?
        }
        None => Vec::new(),
    };
    if more.iter().all(|secret| granted.contains(secret)) {
        let own_keys = own_keys(client, &outcome).await;
        return Ok(Walked { outcome, answer: Answer::NotAsked, own_keys, unusable: None, verb: PhantomData });
    }
    let body = ConsentBody { digest: asked.digest, secrets: granted.into_iter().chain(more).collect() };
    let outcome = walked(printer, client.consent_to_skill(&outcome.record.skill_id, &body)).await?;
    let own_keys = own_keys(client, &outcome).await;
    // The skill could run before this command.
    let outcome = InstallOutcome { code: None, ..outcome };
    Ok(Walked { outcome, answer: Answer::Agreed, own_keys, unusable: None, verb: PhantomData })
}

fn version(outcome: &InstallOutcome) -> &str {
    outcome.release().map(|release| release.manifest_text("version")).unwrap_or_default()
}

/// Formats permissions, findings and changes for the prompt.
fn story(outcome: &InstallOutcome) -> String {
    let legend = if outcome.permissions.is_empty() { "" } else { " (! broad, - notable)" };
    let mut text = format!("\nPermissions{legend}\n{}", skills::permissions(&outcome.permissions));
    if let Some(report) = &outcome.audit {
        text.push_str(&format!("\nAudit\n{}", shapes::audit_for_consent(report)));
    }
    if let Some(diff) = &outcome.diff {
        let running = outcome.record.current.manifest_text("version");
        let old = if outcome.placement == Placement::Waiting { running } else { "replaced release" };
        text.push_str(&format!("\nChanges\n{}", skills::two_columns(&diff.rows, old, version(outcome))));
    }
    text
}

/// Formats requested permissions that are not granted.
fn not_given(outcome: &InstallOutcome) -> String {
    let summary = |withheld: &Withheld| format!("\nNot given: {}\n  {}\n", withheld.grant, withheld.reason);
    outcome.withheld.iter().map(summary).collect()
}

/// Returns why the release is quarantined.
fn cause(outcome: &InstallOutcome) -> Option<QuarantineCause> {
    Some(outcome.release()?.quarantine.as_ref()?.cause)
}

/// Returns the command that accepts the audit findings, if an operator can accept all of them.
fn after_audit(outcome: &InstallOutcome) -> String {
    let id = &outcome.record.skill_id;
    let found = outcome.audit.iter().flat_map(|report| &report.findings);
    let stops: Vec<_> = found.filter(|finding| finding.quarantines()).collect();
    if stops.is_empty() || stops.iter().any(|finding| finding.hard) {
        return format!(
            "`palyra skills show {id}` lists the findings; ask the publisher for a corrected release"
        );
    }
    let rules: BTreeSet<&str> = stops.iter().map(|finding| finding.id.as_str()).collect();
    let accept: String = rules.iter().map(|rule| format!(" --accept {rule}")).collect();
    format!("if you judge the findings harmless, accept them: `palyra skills enable {id}{accept}`")
}

/// Formats the signing keys, marking those of this state root.
fn signed_by(outcome: &InstallOutcome, own_keys: &[String]) -> String {
    let signers = outcome.signers.join(", ");
    match own_keys {
        [] => signers,
        [name] => format!("{signers} (your key `{name}`)"),
        names => format!("{signers} (your keys `{}`)", names.join("`, `")),
    }
}

/// Returns the first command to try: an example of the manifest, else the help of a tool, else the binding of a hook.
fn first_use(outcome: &InstallOutcome) -> Option<String> {
    let entrypoints = outcome.record.current.manifest.get("entrypoints")?;
    let listed = |kind: &str| entrypoints.get(kind).and_then(Value::as_array).cloned().unwrap_or_default();
    let id = |entry: &Value| entry.get("id").and_then(Value::as_str).map(str::to_owned);
    let tools = listed("tools");
    let example = |tool: &Value| Some((id(tool)?, tool.get("examples")?.as_array()?.first()?.clone()));
    if let Some((tool, example)) = tools.iter().find_map(example) {
        let input = InOrder(&example).to_string().replace('\'', "'\\''");
        return Some(format!("palyra run {tool} --input '{input}'"));
    }
    if let Some(tool) = tools.iter().find_map(id) {
        return Some(format!("palyra tools show {tool}"));
    }
    let event = |hook: &Value| hook.pointer("/events/0").and_then(Value::as_str).map(str::to_owned);
    let event = listed("hooks").iter().find_map(event)?;
    Some(format!("palyra hooks bind --event {event} --plugin {}", outcome.record.skill_id))
}

impl<V: Verb> Judged for Walked<V> {
    fn exit_code(&self) -> u8 {
        if self.unusable.is_some() {
            return skills::QUARANTINED;
        }
        match (self.answer, self.outcome.status, cause(&self.outcome)) {
            (Answer::Declined, ..) => skills::DECLINED,
            (_, SkillStatus::Quarantined, Some(QuarantineCause::Audit)) => skills::QUARANTINED,
            (_, SkillStatus::Quarantined, _) => skills::UNTRUSTED,
            (_, SkillStatus::AwaitingConsent | SkillStatus::Disabled | SkillStatus::Error, _) => {
                skills::NOT_RUNNABLE
            }
            (_, SkillStatus::Active, _) => 0,
        }
    }
}

impl<V: Verb> Reply for Walked<V> {
    const SCHEMA: &'static str = V::SCHEMA;

    fn data(&self) -> String {
        let outcome = &self.outcome;
        let current = outcome.record.current.manifest_text("version");
        let waits = match outcome.placement {
            Placement::Waiting => format!("; {current} keeps running"),
            Placement::Current => String::new(),
        };
        let quarantine = outcome.release().and_then(|release| release.quarantine.as_ref());
        let summary = facts(&[
            ("skill", format!("{} {}", outcome.record.skill_id, version(outcome))),
            ("status", format!("{}{waits}", shapes::status(outcome.status))),
            ("because", quarantine.map(|quarantine| quarantine.reason.clone()).unwrap_or_default()),
            ("publisher", format!("{}, {}", outcome.record.publisher, shapes::trust(outcome.trust))),
            ("signed by", signed_by(outcome, &self.own_keys)),
            ("public key", unknown_keys(outcome).join(", ")),
            ("payload", outcome.payload.clone()),
            ("unfit", outcome.eligibility.missing.join("; ")),
            ("consent", outcome.consent_digest.clone().unwrap_or_default()),
        ]);
        match self.answer {
            Answer::NotAsked => summary + &story(outcome) + &not_given(outcome),
            // The user has just read it.
            Answer::Agreed | Answer::Declined => summary + &not_given(outcome),
        }
    }

    fn talk(&self) -> Vec<Remark> {
        let record = &self.outcome.record;
        let (id, publisher) = (&record.skill_id, &record.publisher);
        if let Some(reason) = &self.unusable {
            return vec![
                Remark::Warning(reason.clone()),
                Remark::Next(format!("see what would change it: palyra skills show {id}")),
            ];
        }
        let withheld = self.outcome.withheld.iter().find_map(|withheld| withheld.secret.clone());
        match (self.outcome.status, cause(&self.outcome)) {
            (SkillStatus::Active, _) => {
                let grant = withheld.map(|secret| {
                    format!("to grant the secret later: palyra skills consent {id} --allow-secret {secret}")
                });
                let compiling = self.outcome.code.is_some().then(|| {
                    Remark::Note(
                        "compiling in the background: `palyra skills list` says when it is ready".into(),
                    )
                });
                let next = first_use(&self.outcome).into_iter().chain(grant).map(Remark::Next);
                compiling.into_iter().chain(next).collect()
            }
            (SkillStatus::AwaitingConsent, _) => {
                let digest = self.outcome.consent_digest.as_ref();
                let digest = digest.map(|digest| format!(" --consent {digest}")).unwrap_or_default();
                vec![Remark::Next(format!(
                    "read its permissions, then agree: palyra skills consent {id}{digest}"
                ))]
            }
            (SkillStatus::Quarantined, Some(QuarantineCause::UnknownPublisher)) => {
                let keys = unknown_keys(&self.outcome);
                let keys = if keys.is_empty() { "KEY".to_owned() } else { keys.join(" ") };
                let check = match self.own_keys.as_slice() {
                    [] => "verify the key with the publisher through another channel, then",
                    _ => "it is signed by a key of this state root:",
                };
                vec![
                    Remark::Warning(format!(
                        "publisher `{publisher}` is unknown here; the skill is stored and cannot run"
                    )),
                    Remark::Next(format!(
                        "{check} `palyra trust allow {publisher} {keys}` and `palyra skills enable {id}`, or \
                         install again with `--allow-tofu`"
                    )),
                ]
            }
            (SkillStatus::Quarantined, Some(QuarantineCause::Operator)) => {
                let release = self.outcome.release().and_then(|release| release.quarantine.as_ref());
                let reason = release.map(|quarantine| quarantine.reason.as_str()).unwrap_or_default();
                vec![
                    Remark::Warning(format!("`{id}` was quarantined by a person: {reason}")),
                    Remark::Next(format!("to lift the quarantine: palyra skills enable {id}")),
                ]
            }
            (SkillStatus::Quarantined, Some(QuarantineCause::Audit)) => vec![
                Remark::Warning("quarantined by the audit; the skill is stored but cannot run".into()),
                Remark::Next(after_audit(&self.outcome)),
            ],
            (SkillStatus::Quarantined, _) => {
                vec![Remark::Next(format!("see what would change it: palyra skills show {id}"))]
            }
            (SkillStatus::Disabled, _) => vec![Remark::Next(format!("palyra skills enable {id}"))],
            (SkillStatus::Error, _) => vec![Remark::Warning("it cannot run on this machine".into())],
        }
    }
}
