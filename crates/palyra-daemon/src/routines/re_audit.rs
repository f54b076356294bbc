//! The built-in routine: audits every stored release again, and verifies the whole journal.

use palyra_common::ErrorCode;
use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_journal::VerifyScope;
use palyra_skills::index::QuarantineCause;
use palyra_state::{FireEnd, FireStatus, ReAudit, SkillError, State};

use super::runner::failed;
use crate::app::App;
use crate::problem::{ToProblem, sentence};

/// Runs the audit once.
pub(super) async fn run(app: &Arc<App>, principal: &str) -> FireEnd {
    let (state, principal) = (Arc::clone(app.state()), principal.to_owned());
    let looked = tokio::task::spawn_blocking(move || re_audit(&state, &principal)).await;
    looked.unwrap_or_else(|error| failed(ErrorCode::Internal, &error.to_string()))
}

fn re_audit(state: &Arc<State>, principal: &str) -> FireEnd {
    let before = quarantined(state);
    let audits = match state.skills().re_audit(None, principal) {
        Ok(audits) => audits,
        Err(error) => return ended(&error),
    };
    let new: Vec<String> = quarantined(state).difference(&before).cloned().collect();
    let broken = |audit: &&ReAudit| matches!(&audit.result, Err(error) if !is_verdict(error));
    if let Some(audit) = audits.iter().find(broken) {
        let reason = audit.result.as_ref().err().map(|error| sentence(error)).unwrap_or_default();
        return failed(ErrorCode::StateIo, &format!("cannot audit `{}`: {reason}", audit.skill_id));
    }
    if let Some(end) = journal(state) {
        return end;
    }
    FireEnd {
        status: FireStatus::Completed,
        run_id: None,
        error: None,
        message: Some(summary(audits.len(), &new, &damaged(state))),
        fuel: None,
    }
}

/// Returns whether an error is a result of an audit, rather than a failure to audit.
fn is_verdict(error: &SkillError) -> bool {
    !matches!(error, SkillError::State(_))
}

fn journal(state: &State) -> Option<FireEnd> {
    match state.journal().verify(VerifyScope::Everything, None) {
        Ok(report) => report.damage.map(|damage| {
            tracing::error!(%damage, "the journal is damaged");
            failed(ErrorCode::StateDamaged, &format!("the journal is damaged: {damage}"))
        }),
        Err(error) => {
            let problem = error.to_problem();
            Some(failed(problem.code, &problem.detail))
        }
    }
}

fn quarantined(state: &State) -> BTreeSet<String> {
    let view = state.view();
    let releases =
        view.index().iter().flat_map(|record| record.releases().map(move |release| (record, release)));
    let kept = releases.filter(|(_, release)| release.quarantine.is_some());
    kept.map(|(record, release)| format!("{} {}", record.skill_id, release.manifest.version)).collect()
}

/// Returns every stored release with damaged bytes, which each fire reports until it is repaired.
fn damaged(state: &State) -> BTreeSet<String> {
    let view = state.view();
    let mut damaged = BTreeSet::new();
    for record in view.index().iter() {
        let by_bytes =
            |quarantine: &palyra_skills::index::Quarantine| quarantine.cause == QuarantineCause::Damage;
        let releases = record.releases().filter(|release| release.quarantine.as_ref().is_some_and(by_bytes));
        let past = record.previous.iter().filter(|past| past.damage.is_some());
        let versions =
            releases.map(|release| &release.manifest.version).chain(past.map(|past| &past.version));
        damaged.extend(versions.map(|version| format!("{} {version}", record.skill_id)));
    }
    damaged
}

fn summary(looked_at: usize, new: &[String], damaged: &BTreeSet<String>) -> String {
    let releases = if looked_at == 1 { "1 release".to_owned() } else { format!("{looked_at} releases") };
    let new: Vec<&str> = new.iter().filter(|name| !damaged.contains(*name)).map(String::as_str).collect();
    let damaged: Vec<&str> = damaged.iter().map(String::as_str).collect();
    let found = [("damaged", damaged), ("quarantined", new)];
    let found = found.iter().filter(|(_, names)| !names.is_empty());
    let found: Vec<String> = found.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect();
    if found.is_empty() {
        format!("{releases} and the journal are intact")
    } else {
        format!("{releases} checked, {}", found.join("; "))
    }
}

fn ended(error: &SkillError) -> FireEnd {
    let problem = error.to_problem();
    failed(problem.code, &problem.detail)
}
