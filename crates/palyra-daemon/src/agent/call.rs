//! One call of a run: through the ordinary call pipeline, as the agent of the session's creator.

use std::sync::Arc;

use palyra_a2ui::A2uiDocument;
use palyra_agent::{Call, CallOutcome, CallState, RunState, SessionState, used_labels};
use palyra_api::sessions::{SessionEvent, SessionEventBody};
use palyra_common::{
    InformationLabels, JsonText, OperatorGrants, Principal, Scope, ScopeSet, Transport, WasmPluginRunError,
};
use palyra_runner::{
    CallContext, CallError, RunListener, ToolInvocation, ToolResult, effective_grants_of_tool,
};
use palyra_skills::Sha256Digest;
use palyra_state::{REQUEST_LIFETIME_MS, State};
use tokio::sync::watch;

use crate::app::App;
use crate::problem::ToProblem;
use crate::surfaces::returns_document;

/// Executes a call, until the run is stopped.
pub(super) async fn call(
    app: Arc<App>,
    session: SessionState,
    run: RunState,
    call: Call,
    mut stopped: watch::Receiver<bool>,
) -> CallOutcome {
    let creator = match creator(&app, &session) {
        Ok(creator) => creator,
        Err(error) => return CallOutcome::Refused { error },
    };
    let input = match JsonText::from_text(call.arguments.clone()) {
        Ok(input) => input,
        Err(error) => return CallOutcome::Refused { error: error.to_string() },
    };
    let run_id = match &call.state {
        CallState::Running { tool_run_id, .. } => tool_run_id.clone(),
        _ => None,
    };
    let (listener, mut lines) = RunListener::new();
    let invocation = ToolInvocation {
        tool: call.tool_id.clone(),
        skill_id: Some(call.skill_id.clone()),
        input,
        principal: Arc::new(Principal::agent(Arc::new(creator))),
        operator: OperatorGrants::default(),
        limits: None,
        cancel: None,
        listener: Some(listener),
        context: CallContext {
            session: Some(run.session_id.clone()),
            parent_run: Some(run.run_id.clone()),
            wait_for_approval: None,
            labels: run.labels,
            run_id,
        },
    };
    let end = async move {
        // The sender is dropped only with the run itself.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    let calling = app.call_until(invocation, end);
    tokio::pin!(calling);
    let result = loop {
        tokio::select! {
            biased;
            Some(text) = lines.recv() => {
                let body = SessionEventBody::ToolLog { call_id: call.call_id.clone(), text };
                let event = SessionEvent { number: None, at_ms: app.now_ms(), run_id: run.run_id.clone(), body };
                app.agent().hub().passing(&run.session_id, event);
            }
            result = &mut calling => break result,
        }
    };
    match result {
        Ok(result) => completed(&app, result).await,
        Err(error) => failed(&app, &call, &error).await,
    }
}

/// Returns the current principal of the session's creator; fails if its token was removed or has expired.
pub(super) fn creator(app: &App, session: &SessionState) -> Result<Principal, String> {
    let Some(token) = session.owner_token.map(Sha256Digest::from_bytes) else {
        return Ok(Principal::owner(Transport::Command));
    };
    let record = app.tokens().find(&token);
    let record = record
        .ok_or_else(|| format!("the token `{}` of this session was removed or has expired", session.owner))?;
    if !record.scopes.contains(Scope::Invoke) {
        return Err(format!("the token `{}` of this session lacks the scope `invoke`", session.owner));
    }
    let scopes: ScopeSet = record.scopes;
    Ok(Principal::token(record.name, *token.as_bytes(), scopes, Transport::Agent))
}

async fn completed(app: &Arc<App>, result: ToolResult) -> CallOutcome {
    let used = result.capabilities.iter().filter(|(_, count)| count.used + count.failed > 0);
    let labels = used_labels(used.map(|(name, _)| name.as_str()));
    let (app, tool_id) = (Arc::clone(app), result.tool_id.clone());
    let (tool_run_id, output) = (result.run_id, result.output.as_str().to_owned());
    let shown = output.clone();
    let document = tokio::task::spawn_blocking(move || document_of(app.state(), &tool_id, &shown)).await;
    let document = document.unwrap_or_default();
    CallOutcome::Completed { tool_run_id, output, document, replaces: None, labels }
}

/// Parses the output as a document, if the tool returns one. The call pipeline checked it; output that cannot be parsed
/// is shown as JSON.
pub(super) fn document_of(state: &State, tool_id: &str, output: &str) -> Option<A2uiDocument> {
    returns_document(state, tool_id).then(|| A2uiDocument::parse(output).ok())?
}

async fn failed(app: &Arc<App>, call: &Call, error: &CallError) -> CallOutcome {
    if let Some(WasmPluginRunError::ApprovalRequired { approval_id, .. }) = error.run_error() {
        let (state, id) = (Arc::clone(app.state()), approval_id.clone());
        let approval = tokio::task::spawn_blocking(move || state.approvals().get(&id)).await;
        let expires_ms = match approval {
            Ok(Ok(approval)) => approval.expires_ms,
            _ => app.now_ms().saturating_add(REQUEST_LIFETIME_MS),
        };
        return CallOutcome::NeedsApproval { approval_id: approval_id.clone(), expires_ms };
    }
    let problem = error.to_problem();
    match error.failed_run() {
        Some(run) => CallOutcome::Failed {
            tool_run_id: Some(run.run_id.clone()),
            error: problem.detail,
            labels: possible_labels(app, call),
        },
        None => CallOutcome::Refused { error: problem.detail },
    }
}

/// Returns the labels of the data a failed run may have read: those of all its grants.
pub(super) fn possible_labels(app: &App, call: &Call) -> InformationLabels {
    let effective = effective_grants_of_tool(app.state(), &call.skill_id, &call.tool_id);
    // If the skill was removed during the call, its grants are unknown and any label is possible.
    let Ok(effective) = effective else { return InformationLabels { private: true, untrusted: true } };
    let grants = &effective.grants;
    InformationLabels {
        private: !grants.storage().is_empty()
            || !grants.filesystem().is_empty()
            || !grants.secrets().is_empty(),
        untrusted: !grants.http().is_empty(),
    }
}
