//! `palyra trust repair`: shows the damage, and repairs it only with the digest of the shown plan.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_skills::Sha256Digest;
use palyra_state::{Difference, JournalFate, RepairPlan};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust repair
  palyra trust repair --accept DIGEST";

const MORE: &str = "\
A repair grants nothing: rows that cannot be verified are left out, and every skill is quarantined until you
enable it again. If you have a backup of the state root, restore that instead.";

/// Show state damage and rebuild from verifiable records
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RepairArgs {
    /// Perform the repair with this digest, as shown without the flag
    #[arg(long, value_name = "DIGEST")]
    accept: Option<Sha256Digest>,
}

#[derive(Serialize)]
pub(super) struct Repair {
    /// True if the repair was carried out.
    repaired: bool,
    differences: Vec<Difference>,
    rows_kept: usize,
    skills_quarantined: Vec<String>,
    journal: JournalFate,
    /// Digest that accepts exactly these differences; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<Sha256Digest>,
}

pub(super) fn execute(args: &RepairArgs, globals: &Globals) -> Result<Repair, CliError> {
    let plan = state::with_root(globals, "trust repair", |root, options| root.repair_plan(options))?;
    let Some(accept) = args.accept else { return Ok(Repair::of(plan, false)) };
    let state = state::with_root(globals, "trust repair", |root, options| root.repair(options, &accept))?;
    state::finish(state)?;
    Ok(Repair::of(plan, true))
}

impl Repair {
    fn of(plan: RepairPlan, repaired: bool) -> Self {
        let damaged = !plan.damage.is_none();
        Self {
            repaired,
            differences: plan.damage.differences,
            rows_kept: plan.rows_kept,
            skills_quarantined: plan.skills_quarantined,
            journal: plan.journal,
            accept: (damaged && !repaired).then_some(plan.accept),
        }
    }

    fn outcome(&self) -> String {
        let journal = match self.journal {
            JournalFate::GoesOn => "continues after the last intact event",
            JournalFate::BeginsAnew => "a new journal is started; the old file is kept",
        };
        facts(&[
            ("rows kept", self.rows_kept.to_string()),
            ("quarantined", self.skills_quarantined.join(", ")),
            ("journal", journal.to_owned()),
            ("accept", self.accept.map(|digest| digest.to_string()).unwrap_or_default()),
        ])
    }
}

impl Reply for Repair {
    const SCHEMA: &'static str = "palyra.trust.repair/v1";

    fn data(&self) -> String {
        if self.differences.is_empty() {
            return String::new();
        }
        let difference = |difference: &Difference| {
            facts(&[
                ("differs", difference.what.clone()),
                ("expected", difference.expected.clone()),
                ("found", difference.found.clone()),
                ("remedy", difference.remedy.clone()),
            ])
        };
        let sections: Vec<String> = self.differences.iter().map(difference).chain([self.outcome()]).collect();
        sections.join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        match self.accept {
            _ if self.repaired => vec![
                Remark::Note("repaired, and recorded in the journal".into()),
                Remark::Next("review the trusted publishers with `palyra trust list`".into()),
            ],
            Some(digest) => vec![Remark::Next(format!(
                "restore a backup, or accept exactly this repair with `palyra trust repair --accept {digest}`"
            ))],
            None => vec![Remark::Note("no damage found".into())],
        }
    }
}
