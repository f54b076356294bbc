//! Calls that require approval: their MCP client asks a person, if it can and the operator permits that for its token.
//!
//! The answer of a client only counts for a token with the scope `elicit`, for a call of that token whose arguments the
//! question shows as a whole, and within the access policy. Every other client gets `approval_required` with the
//! command that approves.

use std::sync::Arc;
use std::time::Duration;

use palyra_api::Problem;
use palyra_common::{ErrorCode, Scope};
use palyra_state::{
    Approval, ApprovalDecision, ApprovalScope, ApprovalStatus, ApprovalVerdict, Presence, PrincipalId,
    decide_approval,
};
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult,
};
use serde_json::{Value, json};

use super::calls::{Call, structure};
use super::catalogue::Structure;

/// Id of the question about an approval.
const QUESTION: &str = "approval";
/// Name of the field in its answer.
const YES: &str = "approve";
/// Maximum time for a person to answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// Result of asking a person.
pub(super) enum Asked {
    /// Elicitation is not possible, or its answer does not count.
    Nobody,
    /// The call was approved.
    Yes,
    /// The person declined.
    No(Box<Problem>),
    /// The client asks the person, and repeats the call with the answer.
    Later(Box<InputRequiredResult>),
}

/// Reads the answer that a repeated call contains; `None` if there is none, or it is not about a call of this caller.
pub(super) async fn take_answer(call: &Call<'_>, request: &CallToolRequestParams) -> Option<Asked> {
    let answer = request.input_responses.as_ref().and_then(|answers| answers.get(QUESTION))?;
    let answer = serde_json::from_value::<ElicitResult>(answer.clone()).ok()?;
    let id = request.request_state.as_ref().filter(|_| may_ask(call))?;
    let approval = waiting(call, id).await?;
    Some(decide(call, &approval, &answer).await)
}

/// Asks the person behind the client about a call that requires approval.
pub(super) async fn ask(call: &Call<'_>, problem: &Problem) -> Asked {
    let id = problem.details.get("approval_id").and_then(Value::as_str);
    let Some(id) = id.filter(|_| problem.code == ErrorCode::ApprovalRequired && may_ask(call)) else {
        return Asked::Nobody;
    };
    let Some(approval) = waiting(call, id).await else { return Asked::Nobody };
    let Some(question) = question(&approval) else { return Asked::Nobody };
    if structure(call.context) == Structure::Any {
        let request = InputRequest::Elicitation(ElicitRequest::new(question));
        let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
        return Asked::Later(Box::new(InputRequiredResult::new(Some(requests), Some(id.to_owned()))));
    }
    let asking = call.context.peer.create_elicitation_with_timeout(question, Some(PATIENCE));
    let answer = tokio::select! {
        () = call.context.ct.cancelled() => return Asked::Nobody,
        answer = asking => answer,
    };
    match answer {
        Ok(answer) => decide(call, &approval, &answer).await,
        Err(_) => Asked::Nobody,
    }
}

/// Returns whether the client can ask a person, and the answer would count.
fn may_ask(call: &Call<'_>) -> bool {
    let can = call.context.client_capabilities().and_then(|can| can.elicitation);
    let can = can.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
    can && call.caller.principal.may(Scope::Elicit)
}

/// Returns the pending request of this caller for this tool.
async fn waiting(call: &Call<'_>, id: &str) -> Option<Approval> {
    let (app, id) = (Arc::clone(call.app), id.to_owned());
    let read = tokio::task::spawn_blocking(move || app.approvals().get(&id));
    let approval = read.await.ok()?.ok()?;
    let own = approval.requester.as_ref() == Some(&PrincipalId::from(&*call.caller.principal));
    (own && approval.status == ApprovalStatus::Pending).then_some(approval)
}

/// Decides the approval with the answer of a person, if the answer counts.
async fn decide(call: &Call<'_>, approval: &Approval, answer: &ElicitResult) -> Asked {
    let yes = answer.action == ElicitationAction::Accept
        && answer.content.as_ref().and_then(|content| content.get(YES)).and_then(Value::as_bool)
            == Some(true);
    let verdict = if yes { ApprovalVerdict::Approve(ApprovalScope::Once) } else { ApprovalVerdict::Deny };
    let principal = &call.caller.principal;
    let decision = ApprovalDecision {
        verdict,
        decider: Arc::clone(principal),
        presence: Presence::McpClient,
        reason: Some("answered in the MCP client".to_owned()),
        arguments_sha256: None,
    };
    match decide_approval(call.app.state(), &approval.approval_id, decision).await {
        Ok(_) if yes => Asked::Yes,
        Ok(_) => Asked::No(Box::new(
            Problem::new(ErrorCode::ApprovalRequired, "the person declined")
                .details(json!({ "approval_id": approval.approval_id })),
        )),
        Err(error) => {
            tracing::info!(%error, approval = approval.approval_id, "elicited approval was rejected");
            Asked::Nobody
        }
    }
}

/// Returns the question, or `None` if the arguments are too long for it.
fn question(approval: &Approval) -> Option<ElicitRequestParams> {
    if approval.arguments_omitted() > 0 {
        return None;
    }
    let Approval { tool_id, skill_id, arguments, .. } = approval;
    let message = format!(
        "Let `{tool_id}` of the skill `{skill_id}` run once, with exactly these arguments?\n{arguments}"
    );
    let yes = "Allow the call".to_owned();
    let schema =
        ElicitationSchema::builder().required_bool_property(YES, |field| field.description(yes)).build();
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema.ok()? })
}
