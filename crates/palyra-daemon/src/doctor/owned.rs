//! Checks the state by opening it as its owner.

use palyra_control_plane::{RE_AUDIT, StateStore};
use palyra_journal::{Query, VerifyScope};
use palyra_state::hooks::{BindingChange, BindingsFileStatus};
use palyra_state::storage::StorageDatabase;
use palyra_state::{FireQuery, State, StateError};
use palyra_vault::{DeviceKeyError, VaultError};
use std::sync::Arc;

use super::system::answers;
use super::{AskDaemon, Check, Severity, Subject};
use crate::problem::sentence;

/// Tolerance for a clock behind the newest event, in milliseconds.
const SLACK_MS: u64 = 60_000;

/// Checks that require an open state.
const INSIDE: [&str; 11] = [
    "journal.checkpoint",
    "journal.verify",
    "runs.records",
    "system.clock",
    "skills.bytes",
    "storage.database",
    "skills.quarantined",
    "hooks.bindings",
    "vault.rollback",
    "vault.entries",
    "routines.re_audit",
];

/// Opens the state and checks it; a state that cannot be opened is a finding.
pub(super) fn checks(subject: &Subject, daemon: AskDaemon<'_>) -> Vec<Check> {
    match State::open(&subject.root, &subject.options) {
        Ok(state) => check_state(&Arc::new(state)),
        Err(StateError::Busy { .. }) if answers(subject) => beside_daemon(daemon),
        Err(error) => {
            let closed = closed(&error);
            let skipped = match closed.severity {
                Severity::Error => Vec::new(),
                _ => skipped("cannot open the state"),
            };
            std::iter::once(closed).chain(skipped).collect()
        }
    }
}

/// Returns the daemon's checks of its open state; without a response they are reported as skipped.
fn beside_daemon(daemon: AskDaemon<'_>) -> Vec<Check> {
    match daemon() {
        Ok(checks) => checks,
        Err(reason) => {
            let open = Check::ok("state.open", "a daemon is using it");
            let skipped = skipped(&format!("a daemon is using the state: {reason}"));
            std::iter::once(open).chain(skipped).collect()
        }
    }
}

fn skipped(reason: &str) -> Vec<Check> {
    INSIDE.into_iter().map(|id| Check::skipped(id, format!("not checked, because {reason}"))).collect()
}

/// Returns the check for a state that cannot be opened, by the required action.
fn closed(error: &StateError) -> Check {
    match error {
        StateError::Busy { holder } => {
            let who = holder.as_ref().map_or_else(
                || "another process".to_owned(),
                |holder| format!("process {} (`{}`, since {})", holder.pid, holder.command, holder.since),
            );
            Check::error("state.lock", format!("{who} is using it")).advise("wait for it, or stop it")
        }
        StateError::Damaged { damage } => {
            let found: Vec<String> = damage
                .differences
                .iter()
                .take(5)
                .map(|difference| {
                    format!(
                        "{}: expected {}, found {}",
                        difference.what, difference.expected, difference.found
                    )
                })
                .collect();
            Check::error("state.open", found.join("; "))
                .advise("restore a backup with `palyra restore FILE`, or see `palyra trust repair`")
        }
        StateError::Vault(vault) => match &**vault {
            VaultError::DeviceKey(DeviceKeyError::PassphraseNeeded { .. }) => {
                Check::skipped("state.open", "not checked, because the device key needs a passphrase")
                    .advise("pass `--passphrase-file FILE`")
            }
            VaultError::DeviceKey(key) => Check::error("vault.device_key", sentence(key))
                .advise("restore `vault` and its device key from one backup"),
            other => Check::error("state.open", sentence(other)),
        },
        other => Check::error("state.open", sentence(other)),
    }
}

fn check_state(state: &Arc<State>) -> Vec<Check> {
    let mut checks = vec![Check::ok("state.open", "database and vault match")];
    checks.extend([checkpoint(state), journal(state), records(state), clock(state), objects(state)]);
    checks.extend([storage(state), quarantined(state), bindings(state), device_key(state), entries(state)]);
    checks.extend(re_audit(state));
    checks
}

/// Checks the state that a daemon serves. It signs a checkpoint when it stops and for each receipt, so that events
/// without one are no warning.
pub(crate) fn check_served_state(state: &Arc<State>) -> Vec<Check> {
    let mut checks = check_state(state);
    for check in &mut checks {
        if check.id == "journal.checkpoint" && check.severity == Severity::Warning {
            *check = Check::note("journal.checkpoint", check.evidence.clone())
                .advise("the daemon signs one when it stops; sign one now with `palyra journal checkpoint`");
        }
    }
    checks
}

fn uncovered(events: u64) -> String {
    match events {
        1 => "no signed checkpoint covers the last event".to_owned(),
        events => format!("no signed checkpoint covers the last {events} events"),
    }
}

fn checkpoint(state: &State) -> Check {
    let head = state.journal().head();
    match state.journal().last_checkpoint() {
        Ok(last) if last.head().size < head.size => {
            let behind = head.size - last.head().size;
            Check::warning("journal.checkpoint", uncovered(behind)).fixable("sign one")
        }
        Ok(last) => Check::ok(
            "journal.checkpoint",
            format!(
                "a signed checkpoint covers all {} \
            events",
                last.head().size
            ),
        ),
        Err(error) => {
            Check::error("journal.checkpoint", sentence(&error)).advise("see `palyra trust repair`")
        }
    }
}

fn journal(state: &State) -> Check {
    match state.journal().verify(VerifyScope::Everything, None) {
        Ok(report) => match report.damage {
            None => Check::ok("journal.verify", format!("{} events are intact", report.events_checked)),
            Some(damage) => Check::error("journal.verify", damage.to_string()).advise(
                "restore a backup with `palyra restore FILE`, and find out which program wrote to \
                    `state.db`",
            ),
        },
        Err(error) => Check::error("journal.verify", sentence(&error)),
    }
}

/// Checks rows of runs, totals and messages against their receipts and MACs.
fn records(state: &State) -> Check {
    let report = match state.runs().verify_records() {
        Ok(report) => report,
        Err(error) => return Check::error("runs.records", sentence(&error)),
    };
    let found: Vec<String> = report.differences.iter().take(5).map(ToString::to_string).collect();
    let more = report.more.saturating_add((report.differences.len() - found.len()) as u64);
    match (report.is_intact(), report.unsealed_messages) {
        (true, 0) => {
            let checked = format!("{} runs match their receipts", report.runs);
            Check::ok("runs.records", checked)
        }
        (true, unsealed) => Check::note(
            "runs.records",
            format!("channel messages without a MAC, which are not delivered: {unsealed}"),
        )
        .advise("earlier versions wrote none; inspect them with `palyra channels tail NAME`"),
        (false, _) => {
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            Check::error("runs.records", format!("{}{more}", found.join("; "))).advise(
                "find out which program wrote to `state.db`, and restore a backup with `palyra \
                    restore FILE`",
            )
        }
    }
}

/// Checks that every secret and signing key can be opened.
fn entries(state: &State) -> Check {
    match state.vault_store().faults() {
        Ok(faults) if faults.is_empty() => {
            Check::ok("vault.entries", "all secrets and signing keys can be decrypted")
        }
        Ok(faults) => Check::error("vault.entries", faults.join("; ")).advise(
            "add the entry again with `palyra vault put` or `palyra keys import`, or restore a backup with \
            `palyra restore FILE`",
        ),
        Err(error) => Check::error("vault.entries", sentence(&error)),
    }
}

fn clock(state: &State) -> Check {
    let newest = Query { newest_first: true, limit: 1, ..Query::default() };
    let newest = state.journal().query(&newest).ok().and_then(|page| page.events.into_iter().next());
    let (now, newest) = (state.now_ms(), newest.map_or(0, |recorded| recorded.event.at_ms));
    if newest > now.saturating_add(SLACK_MS) {
        Check::warning(
            "system.clock",
            format!("the clock is {} s behind the newest event", (newest - now) / 1_000),
        )
        .advise("set the clock of this machine")
    } else {
        Check::ok("system.clock", "the clock is not behind the journal")
    }
}

/// Checks that the stored bytes of runnable releases are intact.
fn objects(state: &State) -> Check {
    let view = state.view();
    let releases =
        view.index().iter().flat_map(|record| record.releases().map(move |release| (record, release)));
    let runnable = releases.filter(|(_, release)| release.quarantine.is_none());
    let broken: Vec<String> = runnable
        .filter_map(|(record, release)| {
            let error = state.objects().get(&release.archive).err()?;
            Some(format!("{} {}: {error}", record.skill_id, release.manifest.version))
        })
        .collect();
    if broken.is_empty() {
        Check::ok("skills.bytes", "the packages of all installed releases are intact")
    } else {
        Check::error("skills.bytes", broken.join("; "))
            .fixable("quarantine them, then install them again from their package files")
    }
}

fn storage(state: &State) -> Check {
    let path = state.root().storage();
    if !path.exists() {
        return Check::ok("storage.database", "no skill has stored data");
    }
    match StorageDatabase::open(&path) {
        Ok(_) => Check::ok("storage.database", "the data of skills is readable"),
        Err(error) => Check::error("storage.database", sentence(&error))
            .fixable("move it aside; skills start with empty storage"),
    }
}

fn quarantined(state: &State) -> Check {
    let view = state.view();
    let kept = view.index().iter().filter(|record| record.current.quarantine.is_some());
    let names: Vec<&str> = kept.map(|record| record.skill_id.as_str()).collect();
    if names.is_empty() {
        Check::ok("skills.quarantined", "no skills are quarantined")
    } else {
        Check::note("skills.quarantined", format!("quarantined: {}", names.join(", ")))
            .advise("see `palyra skills show ID`")
    }
}

/// Checks whether `hooks/bindings.json` matches the applied bindings.
fn bindings(state: &State) -> Check {
    let name = |change: &BindingChange| match change {
        BindingChange::Added(id) => format!("`{id}` is added"),
        BindingChange::Removed(id) => format!("`{id}` is removed"),
        BindingChange::Changed(id) => format!("`{id}` is changed"),
    };
    let found = match state.hooks().file_status() {
        BindingsFileStatus::Applied => {
            return Check::ok("hooks.bindings", "`hooks/bindings.json` matches the applied bindings");
        }
        BindingsFileStatus::Missing => "the file is missing".to_owned(),
        BindingsFileStatus::Edited(changes) if changes.is_empty() => {
            "the file is formatted differently".to_owned()
        }
        BindingsFileStatus::Edited(changes) => changes.iter().map(name).collect::<Vec<_>>().join(", "),
        BindingsFileStatus::Unreadable(reason) => format!("cannot read the file: {reason}"),
    };
    Check::warning(
        "hooks.bindings",
        format!(
            "`hooks/bindings.json` differs from the applied bindings: \
        {found}"
        ),
    )
    .advise("accept it with `palyra hooks apply`, or restore the file with `palyra hooks apply --restore`")
}

fn device_key(state: &State) -> Check {
    let protection = state.vault().describe();
    if protection.detects_restored_copies() {
        Check::ok("vault.rollback", "a restored old copy is detected")
    } else {
        Check::note("vault.rollback", "restoring an old copy of the whole state root cannot be detected")
            .advise(
                "store a checkpoint on another machine, and compare it with `palyra journal verify \
                    --against FILE`",
            )
    }
}

fn re_audit(state: &Arc<State>) -> Vec<Check> {
    let store = StateStore::new(Arc::clone(state));
    let routine = match store.routine(RE_AUDIT) {
        Ok(routine) => routine,
        Err(error) => return vec![Check::error("routines.read", error.to_string())],
    };
    let enabled = if routine.enabled {
        Check::ok("routines.re_audit", "installed skills are audited again on schedule")
    } else {
        Check::warning(
            "routines.re_audit",
            "installed skills are not audited again: the routine `re-audit` is disabled",
        )
        .fixable("enable it with `palyra routines enable re-audit`")
    };
    let last = state.control().fires(RE_AUDIT, &FireQuery { limit: 1, ..FireQuery::default() });
    let last = last.ok().and_then(|page| page.fires.into_iter().next());
    let failed = last.filter(|fire| fire.status == "failed").map(|fire| {
        let why = fire.message.or(fire.error).unwrap_or_default();
        Check::warning("routines.re_audit_failed", format!("`re-audit` failed: {why}"))
            .advise("read its error, then run `palyra routines fire re-audit`")
    });
    std::iter::once(enabled).chain(failed).collect()
}
