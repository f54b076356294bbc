//! `palyra trust show`.

use super::view::publisher_facts;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::trust::{OwnedSkill, PublisherInfo, Revocation, TrustMode};
use palyra_skills::manifest::PublisherName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust show acme";

/// Show the keys, skills and revocations of a publisher
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the publisher
    publisher: PublisherName,
}

#[derive(Serialize)]
pub(super) struct Shown(PublisherInfo);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    let show = async |client: AnyClient| client.publisher(args.publisher.as_str()).await;
    client::ask(globals, "trust show", show).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.trust.show/v1";

    fn data(&self) -> String {
        let skill = |skill: &OwnedSkill| {
            let counter = skill.release_counter.map(|counter| counter.to_string()).unwrap_or_default();
            [skill.skill_id.clone(), skill.newest.clone().unwrap_or_default(), counter]
        };
        let gone = |gone: &Revocation| [gone.target.clone(), gone.source.clone(), gone.reason.clone()];
        let sections = [
            publisher_facts(&self.0.publisher),
            table(["skill", "newest", "counter"], &self.0.skills.iter().map(skill).collect::<Vec<_>>()),
            table(["revoked", "by", "reason"], &self.0.revocations.iter().map(gone).collect::<Vec<_>>()),
        ];
        sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        let name = &self.0.publisher.publisher;
        match self.0.publisher.mode {
            TrustMode::Pinned => vec![Remark::Next(format!(
                "verify the key with the publisher out of band, then `palyra trust allow {name} KEY`"
            ))],
            TrustMode::Blocked => {
                vec![Remark::Next(format!("unblock it with `palyra trust unblock {name}`"))]
            }
            TrustMode::Allowlisted | TrustMode::Unknown => Vec::new(),
        }
    }
}
