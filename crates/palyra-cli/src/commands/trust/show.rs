//! `palyra trust show`.

use super::view::{PublisherView, RevocationView};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use crate::state;
use clap::Args;
use palyra_skills::manifest::PublisherName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust show acme";

/// Show what is known of a publisher: its keys, their past, its skills, what is revoked.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// The publisher
    publisher: PublisherName,
}

#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    publisher: PublisherView,
    skills: Vec<OwnedSkill>,
    revocations: Vec<RevocationView>,
}

/// A skill this publisher owns here, installed or not.
#[derive(Serialize)]
struct OwnedSkill {
    skill_id: String,
    newest: Option<String>,
    release_counter: Option<u64>,
}

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    let state = state::open(globals, "trust show")?;
    let view = state.view();
    let (trust, name) = (view.trust(), args.publisher.as_str());
    let not_found = || CliError::NotFound {
        kind: "publisher",
        name: name.to_owned(),
        known: trust.publishers().map(|(name, _)| name.to_owned()).collect(),
    };
    let publisher = PublisherView::of(name, trust.publisher(name).ok_or_else(not_found)?);
    let owned = trust.skills().filter(|(_, skill)| skill.owner == name);
    let skills = owned.map(|(skill_id, skill)| {
        let newest = skill.high_water();
        OwnedSkill {
            skill_id: skill_id.to_owned(),
            newest: newest.as_ref().map(|mark| mark.version.to_string()),
            release_counter: newest.map(|mark| mark.release_counter),
        }
    });
    let gone = trust.revocations().filter(|(_, scope, _)| scope.covers(name));
    Ok(Shown {
        publisher,
        skills: skills.collect(),
        revocations: gone.map(|(target, scope, why)| RevocationView::of(target, scope, why)).collect(),
    })
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.trust.show/v1";

    fn data(&self) -> String {
        let skill = |skill: &OwnedSkill| {
            let counter = skill.release_counter.map(|counter| counter.to_string()).unwrap_or_default();
            [skill.skill_id.clone(), skill.newest.clone().unwrap_or_default(), counter]
        };
        let gone = |gone: &RevocationView| [gone.target.clone(), gone.source.clone(), gone.reason.clone()];
        let sections = [
            self.publisher.facts(),
            table(["skill", "newest", "counter"], &self.skills.iter().map(skill).collect::<Vec<_>>()),
            table(["revoked", "by", "reason"], &self.revocations.iter().map(gone).collect::<Vec<_>>()),
        ];
        sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        let name = &self.publisher.publisher;
        match self.publisher.mode {
            "pinned" => vec![Remark::Next(format!(
                "compare the key with the publisher over another way, then `palyra trust allow {name} KEY`"
            ))],
            "blocked" => vec![Remark::Next(format!("end the block with `palyra trust unblock {name}`"))],
            _ => Vec::new(),
        }
    }
}
