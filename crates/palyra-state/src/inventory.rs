//! The installed skills, and the report about one skill: publisher, permissions, use of capabilities, the
//! reason for its status, and the commands that change it.

pub use palyra_common::model::runs::{CapabilityTotal, RunTotals};
pub use palyra_common::model::skills::MadeBy;

use palyra_common::{Capability, CapabilityGrantSet};
use palyra_journal::JournalError;
use palyra_skills::consent::{ConsentRequest, consented_grants};
use palyra_skills::grants::{Permission, describe_permissions};
use palyra_skills::index::{InstalledRelease, QuarantineCause};
use palyra_skills::{
    RuntimeStatus, SkillInventoryEntry, SkillRecord, UpdateDiff, capability_grants_from_manifest,
};
use rusqlite::Connection;
use serde::Serialize;

use crate::skills::{SkillError, SkillStore};
use crate::view::View;

/// Report about one installed skill.
#[derive(Debug, Clone, Serialize)]
pub struct SkillInfo {
    /// Its record, with the status on this machine.
    pub entry: SkillInventoryEntry,
    /// Publisher and signing keys.
    pub made_by: MadeBy,
    /// Requested and granted permissions.
    pub can_touch: CanTouch,
    /// Use of each capability over all runs.
    pub has_used: Vec<CapabilityTotal>,
    /// Numbers of runs by outcome.
    pub runs: RunTotals,
    /// Reason for its current status.
    pub why: String,
    /// Commands that change its status, most useful first.
    pub would_change: Vec<String>,
    /// The pending release and its differences, if there is one.
    pub waiting: Option<WaitingRelease>,
}

/// Permissions of a skill's runs.
#[derive(Debug, Clone, Serialize)]
pub struct CanTouch {
    /// Permissions that the manifest requests, as text.
    pub asks: Vec<Permission>,
    /// Permissions that are requested and consented to.
    pub granted: CapabilityGrantSet,
    /// Permissions that are requested but not consented to.
    pub closed: Vec<Capability>,
}

/// A pending release of an installed skill, which runs once its consent or review is given.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingRelease {
    /// Why it does not run yet.
    pub status: RuntimeStatus,
    /// Differences from the current release, row by row.
    pub diff: UpdateDiff,
    /// Permissions that need consent.
    pub consent: ConsentRequest,
}

impl SkillStore<'_> {
    /// Returns every installed skill with its status on this machine.
    pub fn list(&self) -> Vec<SkillInventoryEntry> {
        self.state.view().index().inventory(&self.state.platform)
    }

    /// Returns the report about one skill.
    pub fn info(&self, skill_id: &str) -> Result<SkillInfo, SkillError> {
        let view = self.state.view();
        let record = self.record(skill_id)?;
        let entry = SkillInventoryEntry::new(record.clone(), &self.state.platform);
        let (has_used, runs) = self
            .state
            .journal
            .read(|connection| totals(connection, skill_id))
            .map_err(crate::StateError::from)?;
        Ok(SkillInfo {
            made_by: made_by(&view, &record),
            can_touch: can_touch(&view, &record.current),
            why: why(&entry),
            would_change: would_change(&entry),
            waiting: waiting(&view, &record),
            has_used,
            runs,
            entry,
        })
    }
}

fn made_by(view: &View, record: &SkillRecord) -> MadeBy {
    let mode = view.trust().publisher(&record.publisher).and_then(|trust| trust.mode());
    MadeBy { publisher: record.publisher.clone(), mode, signers: record.current.signers.clone() }
}

fn can_touch(view: &View, release: &InstalledRelease) -> CanTouch {
    let consent = view.consents().get(release.payload);
    let granted = consent.map(|consent| consented_grants(&release.manifest, consent)).unwrap_or_default();
    let asked: Vec<Capability> = capability_grants_from_manifest(&release.manifest).into();
    let one = |grant: &Capability| CapabilityGrantSet::from_iter([grant.clone()]);
    let closed = asked.into_iter().filter(|grant| !one(grant).is_within(&granted)).collect();
    CanTouch { asks: describe_permissions(&release.manifest), granted, closed }
}

fn why(entry: &SkillInventoryEntry) -> String {
    let record = &entry.record;
    match (entry.runtime_status, &record.current.quarantine, &record.disabled) {
        (RuntimeStatus::Active, ..) => "it can run".into(),
        (RuntimeStatus::Quarantined, Some(quarantine), _) => quarantine.reason.clone(),
        (RuntimeStatus::Quarantined, None, _) => "its publisher is not trusted".into(),
        (RuntimeStatus::AwaitingConsent, ..) => "its permissions have not been approved".into(),
        (RuntimeStatus::Disabled, _, Some(reason)) if !reason.is_empty() => {
            format!("an operator disabled it: {reason}")
        }
        (RuntimeStatus::Disabled, ..) => "an operator disabled it".into(),
        (RuntimeStatus::Error, ..) => entry.eligibility.missing.join("; "),
    }
}

fn would_change(entry: &SkillInventoryEntry) -> Vec<String> {
    let record = &entry.record;
    let id = &record.skill_id;
    let mut commands = match entry.runtime_status {
        RuntimeStatus::Active => Vec::new(),
        RuntimeStatus::Disabled => vec![format!("palyra skills enable {id}")],
        RuntimeStatus::AwaitingConsent => vec![format!("palyra skills consent {id}")],
        RuntimeStatus::Error => vec![format!(
            "run it on a machine that meets its requirements: \
            {}",
            why(entry)
        )],
        RuntimeStatus::Quarantined => leave_quarantine(record),
    };
    if let Some(waiting) = &record.waiting {
        commands.push(match waiting.status() {
            RuntimeStatus::AwaitingConsent => format!("palyra skills consent {id}"),
            _ => format!("palyra skills enable {id}"),
        });
    }
    if entry.runtime_status == RuntimeStatus::Active {
        commands.push(format!("palyra skills disable {id}"));
        commands.push(format!("palyra skills quarantine {id} --reason TEXT"));
    }
    if !record.previous.is_empty() {
        commands.push(format!("palyra skills rollback {id}"));
    }
    commands.push(format!("palyra skills remove {id}"));
    commands
}

fn leave_quarantine(record: &SkillRecord) -> Vec<String> {
    let (id, publisher) = (&record.skill_id, &record.publisher);
    let enable = format!("palyra skills enable {id}");
    match record.current.quarantine.as_ref().map(|quarantine| quarantine.cause) {
        Some(QuarantineCause::UnknownPublisher) | None => {
            vec![format!("palyra trust allow {publisher} KEY"), enable]
        }
        Some(QuarantineCause::Audit) => {
            let audit = &record.current.audit;
            let open = audit.findings.difference(&audit.accepted);
            let accept: String = open.map(|finding| format!(" --accept {}", finding.as_str())).collect();
            vec![format!("palyra skills audit {id}"), format!("{enable}{accept}")]
        }
        Some(QuarantineCause::Trust) => vec![format!("palyra trust show {publisher}"), enable],
        Some(QuarantineCause::Damage) => vec!["palyra skills install FILE".into(), enable],
        Some(QuarantineCause::Operator | QuarantineCause::Describe) => vec![enable],
    }
}

fn waiting(view: &View, record: &SkillRecord) -> Option<WaitingRelease> {
    let waiting = record.waiting.as_deref()?;
    let agreed = record.current.consent.is_some() && view.consents().get(record.current.payload).is_some();
    let replaces = agreed.then_some(record.current.payload);
    Some(WaitingRelease {
        status: waiting.status(),
        diff: UpdateDiff::between(&record.current.manifest, &waiting.manifest),
        consent: ConsentRequest::new(&waiting.manifest, waiting.payload, replaces),
    })
}

pub(crate) fn totals(
    connection: &Connection,
    skill_id: &str,
) -> Result<(Vec<CapabilityTotal>, RunTotals), JournalError> {
    let read = || -> rusqlite::Result<_> {
        let sql = "SELECT capability, uses, denials, last_run FROM capability_use WHERE skill_id = ?1 ORDER BY capability";
        let used = connection
            .prepare(sql)?
            .query_map([skill_id], |row| {
                Ok(CapabilityTotal {
                    capability: row.get(0)?,
                    used: count(row.get(1)?),
                    denied: count(row.get(2)?),
                    last_run: row.get(3)?,
                })
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let sql = "SELECT coalesce(sum(status = 'completed'), 0), coalesce(sum(status NOT IN ('started', 'completed')), 0), max(started_at)
                   FROM runs WHERE skill_id = ?1";
        let runs = connection.query_row(sql, [skill_id], |row| {
            let last: Option<i64> = row.get(2)?;
            Ok(RunTotals {
                completed: count(row.get(0)?),
                failed: count(row.get(1)?),
                last_started_ms: last.map(count),
            })
        })?;
        Ok((used, runs))
    };
    read().map_err(JournalError::sqlite("read what a skill used"))
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
