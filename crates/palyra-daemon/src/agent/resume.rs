//! Resumes the runs of an earlier process.

use std::sync::Arc;

use palyra_agent::{Call, CallOutcome, CallState, Found, Input, RunState};

use super::{call, driver};
use crate::app::App;

/// Resumes every unfinished run: each continues, stays paused, or ends with its actual outcome.
pub(crate) async fn resume_all(app: Arc<App>) {
    resume_each(&app).await;
    app.agent().set_resuming(false);
}

async fn resume_each(app: &Arc<App>) {
    let reading = Arc::clone(app);
    let rows = tokio::task::spawn_blocking(move || reading.sessions().open_runs()).await;
    let rows = match rows {
        Ok(Ok(rows)) => rows,
        Ok(Err(error)) => return tracing::error!(%error, "cannot read the agent runs"),
        Err(error) => return tracing::error!(%error, "cannot read the agent runs"),
    };
    for bytes in rows {
        let run: RunState = match serde_json::from_slice(&bytes) {
            Ok(run) => run,
            Err(error) => {
                tracing::error!(%error, "cannot read an agent run");
                continue;
            }
        };
        let mut found = Vec::new();
        for running in run.calls.iter().filter(|call| matches!(call.state, CallState::Running { .. })) {
            if !running.skill_id.is_empty() {
                found.push((running.call_id.clone(), find(app, &run, running).await));
            }
        }
        // A message may have started the run in between; it then has its driver already.
        if let Some(commands) = app.agent().open(&run.run_id) {
            driver::begin(app, run, Input::Resume { found }, commands);
        }
    }
}

/// Returns the state of a call: a run of a tool is stored before it can have an effect, and has one receipt.
async fn find(app: &Arc<App>, run: &RunState, running: &Call) -> Found {
    let CallState::Running { since_ms, tool_run_id } = running.state.clone() else { return Found::NotBegun };
    let (reading, session_id, tool_id) = (Arc::clone(app), run.session_id.clone(), running.tool_id.clone());
    let row = tokio::task::spawn_blocking(move || match tool_run_id {
        Some(id) => Ok(reading.state().runs().get(&id)?.map(|run| (run.run_id, run.status))),
        // Runs of earlier versions have an id that the session did not choose.
        None => reading.sessions().tool_run(&session_id, &tool_id, since_ms),
    });
    let (tool_run_id, status) = match row.await {
        Ok(Ok(None)) => return Found::NotBegun,
        Ok(Ok(Some(row))) => row,
        // If the lookup fails, the call may have had its effect.
        Ok(Err(_)) | Err(_) => return Found::Interrupted,
    };
    match status.as_str() {
        "completed" => Found::Ended(completed(app, running, tool_run_id).await),
        "failed" => Found::Ended(CallOutcome::Failed {
            tool_run_id: Some(tool_run_id),
            error: "the tool failed; see its receipt".to_owned(),
            labels: call::possible_labels(app, running),
        }),
        _ => Found::Interrupted,
    }
}

/// Returns the result of a call with a receipt: replaying its tape reproduces the output without effects.
async fn completed(app: &Arc<App>, running: &Call, tool_run_id: String) -> CallOutcome {
    let labels = call::possible_labels(app, running);
    let replayed = app.replay(tool_run_id.clone()).await;
    let output = match replayed {
        Ok(replayed) => replayed.output.map(|output| output.as_str().to_owned()),
        Err(_) => None,
    };
    let output = output.unwrap_or_else(|| {
        r#"{"note":"the call completed and took effect; its output was lost when the daemon stopped"}"#
            .to_owned()
    });
    let (reading, tool_id, shown) = (Arc::clone(app), running.tool_id.clone(), output.clone());
    let document =
        tokio::task::spawn_blocking(move || call::document_of(reading.state(), &tool_id, &shown)).await;
    let document = document.unwrap_or_default();
    CallOutcome::Completed { tool_run_id, output, document, replaces: None, labels }
}
