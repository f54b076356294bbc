//! `palyra skills show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts, shapes, skills, table, when};
use clap::Args;
use palyra_api::skills::{
    CapabilityTotal, CompiledCode, PublisherMode, SkillCodeState, SkillInfo, TrustState,
};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills show acme.notes";

/// Show a skill: publisher, permissions, use and status
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct InfoArgs {
    /// Skill id
    id: String,
}

#[derive(Serialize)]
pub(super) struct ShownSkill(SkillInfo);

pub(super) fn run(args: &InfoArgs, globals: &Globals) -> Result<ShownSkill, CliError> {
    client::ask(globals, "skills info", async |client| client.skill(&args.id).await).map(ShownSkill)
}

impl super::Judged for ShownSkill {}

impl Reply for ShownSkill {
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
            let new = new.map(|release| release.manifest_text("version")).unwrap_or_default();
            let diff = skills::two_columns(&waiting.diff.rows, old.manifest_text("version"), new);
            text.push_str(&section("Pending update", &diff));
        }
        if let Some(digest) = &info.consent_digest {
            text.push_str(&section("Consent", &format!("  --consent {digest}\n")));
        }
        text
    }
}

fn head(info: &SkillInfo) -> String {
    let record = &info.entry.record;
    let current = &record.current;
    let previous: Vec<&str> = record.previous.iter().map(|past| past.version.as_str()).collect();
    facts(&[
        ("skill", format!("{} {}", record.skill_id, current.manifest_text("version"))),
        ("name", current.manifest_text("name").to_owned()),
        ("summary", current.manifest_text("summary").to_owned()),
        ("status", shapes::status(info.entry.runtime_status).to_owned()),
        ("code", info.entry.code.as_ref().map(code).unwrap_or_default()),
        ("tools", current.tool_ids().join(", ")),
        ("earlier", previous.join(", ")),
        ("payload", current.payload.clone()),
    ])
}

fn code(code: &CompiledCode) -> String {
    match code.state {
        SkillCodeState::NotCompiled => "not compiled, the first call does".to_owned(),
        SkillCodeState::Compiling => "compiling".to_owned(),
        SkillCodeState::Ready => "ready".to_owned(),
        SkillCodeState::Failed => {
            format!("compilation failed: {}", code.problem.as_deref().unwrap_or_default())
        }
    }
}

fn made_by(info: &SkillInfo) -> String {
    let known = match info.made_by.mode {
        _ if info.entry.record.current.trust == TrustState::BuiltIn => "shipped with palyra",
        Some(PublisherMode::Allowlisted) => "on the allowlist",
        Some(PublisherMode::TofuPinned) => "pinned at first use",
        Some(PublisherMode::Blocked) => "blocked",
        None => "unknown here",
    };
    let summary = facts(&[
        ("publisher", format!("{}, {known}", info.made_by.publisher)),
        ("signed by", info.made_by.signers.join(", ")),
        ("trust", shapes::trust(info.entry.record.current.trust).to_owned()),
    ]);
    skills::indented(&summary)
}

fn can_touch(info: &SkillInfo) -> String {
    let mut text = skills::permissions(&info.can_touch.asks);
    for closed in &info.can_touch.closed {
        text.push_str(&format!("  not until you consent: {closed}\n"));
    }
    text
}

fn has_used(info: &SkillInfo) -> String {
    let runs = &info.runs;
    let last = runs.last_started_ms.map(|at| format!(", last {}", when(at))).unwrap_or_default();
    let head = match runs.completed + runs.failed {
        0 => "  it has never run\n".to_owned(),
        1 if runs.failed == 0 => format!("  1 run succeeded{last}\n"),
        _ => format!("  {} runs succeeded, {} failed{last}\n", runs.completed, runs.failed),
    };
    let row = |total: &CapabilityTotal| {
        [total.capability.clone(), total.used.to_string(), total.denied.to_string(), total.last_run.clone()]
    };
    let rows: Vec<_> = info.has_used.iter().map(row).collect();
    head + &skills::indented(&table(["capability", "used", "refused", "last run"], &rows))
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("  {text}\n")).collect()
}

fn section(title: &str, text: &str) -> String {
    format!("\n{title}\n{text}")
}
