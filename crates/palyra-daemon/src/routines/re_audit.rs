//! The built-in routine: everything installed walks corridor 2 again, and the journal is verified as a whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_journal::VerifyScope;
use palyra_state::{FireEnd, FireStatus, ReAudit, SkillError, State};

use super::runner::failed;
use crate::app::App;
use crate::problem::{ToProblem, sentence};

/// Looks at everything once.
pub(super) async fn run(app: &Arc<App>, principal: &str) -> FireEnd {
    let (state, principal) = (Arc::clone(app.state()), principal.to_owned());
    let looked = tokio::task::spawn_blocking(move || look(&state, &principal)).await;
    looked.unwrap_or_else(|error| failed("internal", &error.to_string(), None))
}

fn look(state: &Arc<State>, principal: &str) -> FireEnd {
    let before = quarantined(state);
    let audits = match state.acting(principal, || state.re_audit(None)) {
        Ok(audits) => audits,
        Err(error) => return ended(&error),
    };
    let new: Vec<String> = quarantined(state).difference(&before).cloned().collect();
    let broken = |audit: &&ReAudit| matches!(&audit.result, Err(error) if !is_verdict(error));
    if let Some(audit) = audits.iter().find(broken) {
        let reason = audit.result.as_ref().err().map(|error| sentence(error)).unwrap_or_default();
        return failed("state_io", &format!("`{}` cannot be looked at: {reason}", audit.skill_id), None);
    }
    if let Some(end) = journal(state) {
        return end;
    }
    FireEnd {
        status: FireStatus::Completed,
        run_id: None,
        error: None,
        message: Some(told(audits.len(), &new)),
        fuel: None,
    }
}

/// What is found about a release is a verdict; only what keeps one from looking is a failure.
fn is_verdict(error: &SkillError) -> bool {
    !matches!(error, SkillError::State(_))
}

fn journal(state: &State) -> Option<FireEnd> {
    match state.journal().verify(VerifyScope::Everything, None) {
        Ok(report) => report.damage.map(|damage| {
            tracing::error!(%damage, "the journal is damaged");
            failed("state_damaged", &format!("the journal is damaged: {damage}"), None)
        }),
        Err(error) => {
            let problem = error.to_problem();
            Some(failed(&problem.code, &problem.detail, None))
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

fn told(looked_at: usize, new: &[String]) -> String {
    let releases = if looked_at == 1 { "1 release".to_owned() } else { format!("{looked_at} releases") };
    match new.is_empty() {
        true => format!("{releases} and the journal are as they were left"),
        false => format!("{releases} looked at, quarantined: {}", new.join(", ")),
    }
}

fn ended(error: &SkillError) -> FireEnd {
    let problem = error.to_problem();
    failed(&problem.code, &problem.detail, None)
}
