//! `palyra skills info`.

use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Reply, facts, skills, table, when};
use crate::state;
use clap::Args;
use palyra_skills::RuntimeStatus;
use palyra_skills::consent::ConsentRequest;
use palyra_skills::trust::PublisherMode;
use palyra_state::SkillInfo;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills info acme.notes";

/// Who made a skill, what can it touch, what has it used, why is it in this state, what would change it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct InfoArgs {
    /// The skill
    id: String,
}

#[derive(Serialize)]
pub(super) struct Told(SkillInfo);

pub(super) fn run(args: &InfoArgs, globals: &Globals) -> Result<Told, CliError> {
    let state = state::open(globals, "skills info")?;
    installed_id(&state, &args.id)?;
    Ok(Told(state.info(&args.id)?))
}

impl super::Judged for Told {}

impl Reply for Told {
    const SCHEMA: &'static str = "palyra.skills.info/v1";

    fn data(&self) -> String {
        let info = &self.0;
        let mut text = head(info);
        text.push_str(&section("Who made it", &made_by(info)));
        text.push_str(&section("What can it touch", &can_touch(info)));
        text.push_str(&section("What has it used", &has_used(info)));
        text.push_str(&section("Why is it in this state", &format!("  {}\n", info.why)));
        text.push_str(&section("What would change it", &lines(&info.would_change)));
        if let Some(waiting) = &info.waiting {
            let (old, new) = (&info.entry.record.current, info.entry.record.waiting.as_ref());
            let new = new.map(|release| release.manifest.version.to_string()).unwrap_or_default();
            let diff = skills::two_columns(&waiting.diff, &old.manifest.version.to_string(), &new);
            text.push_str(&section("What waits", &diff));
        }
        if self.awaits_consent() {
            let digest = consent_request(info).digest();
            text.push_str(&section("What to agree to", &format!("  --consent {digest}\n")));
        }
        text
    }
}

impl Told {
    fn awaits_consent(&self) -> bool {
        let awaits = |status| status == RuntimeStatus::AwaitingConsent;
        awaits(self.0.entry.runtime_status)
            || self.0.waiting.as_ref().is_some_and(|waiting| awaits(waiting.status))
    }
}

/// What somebody agrees to: the release that waits, else the current one.
pub(super) fn consent_request(info: &SkillInfo) -> ConsentRequest {
    let current = &info.entry.record.current;
    let first = || ConsentRequest::new(&current.manifest, current.payload, None);
    info.waiting.as_ref().map_or_else(first, |waiting| waiting.consent.clone())
}

fn head(info: &SkillInfo) -> String {
    let record = &info.entry.record;
    let manifest = &record.current.manifest;
    let previous: Vec<String> = record.previous.iter().map(|past| past.version.to_string()).collect();
    facts(&[
        ("skill", format!("{} {}", record.skill_id, manifest.version)),
        ("name", manifest.name.clone()),
        ("summary", manifest.summary.clone().unwrap_or_default()),
        ("status", skills::status(info.entry.runtime_status).to_owned()),
        (
            "tools",
            manifest.entrypoints.tools.iter().map(|tool| tool.id.clone()).collect::<Vec<_>>().join(", "),
        ),
        ("earlier", previous.join(", ")),
        ("payload", record.current.payload.to_string()),
    ])
}

fn made_by(info: &SkillInfo) -> String {
    let known = match info.made_by.mode {
        Some(PublisherMode::Allowlisted) => "on the allowlist",
        Some(PublisherMode::TofuPinned) => "pinned at first use",
        Some(PublisherMode::Blocked) => "blocked",
        None => "unknown here",
    };
    let told = facts(&[
        ("publisher", format!("{}, {known}", info.made_by.publisher)),
        ("signed by", info.made_by.signers.join(", ")),
        ("standing", skills::trust(info.entry.record.current.trust).to_owned()),
    ]);
    skills::indented(&told)
}

fn can_touch(info: &SkillInfo) -> String {
    let mut text = skills::permissions(&info.can_touch.asks);
    for closed in &info.can_touch.closed {
        text.push_str(&format!("  but not, until somebody agrees: {closed}\n"));
    }
    text
}

fn has_used(info: &SkillInfo) -> String {
    let runs = &info.runs;
    let last = runs.last_started_ms.map(|at| format!(", last {}", when(at))).unwrap_or_default();
    let head = match runs.completed + runs.failed {
        0 => "  it never ran\n".to_owned(),
        _ => format!("  {} runs with a result, {} without{last}\n", runs.completed, runs.failed),
    };
    let row = |total: &palyra_state::CapabilityTotal| {
        [total.capability.clone(), total.used.to_string(), total.denied.to_string(), total.last_run.clone()]
    };
    let rows: Vec<_> = info.has_used.iter().map(row).collect();
    head + &skills::indented(&table(["door", "used", "refused", "last run"], &rows))
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("  {text}\n")).collect()
}

fn section(title: &str, text: &str) -> String {
    format!("\n{title}\n{text}")
}
