//! Executes a fire: a tool call, or an audit of everything installed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use palyra_common::redact::escape_untrusted;
use palyra_common::{
    ErrorCode, JsonText, LimitKind, OperatorGrants, Principal, Scope, Transport, WasmPluginRunError,
};
use palyra_control_plane::{Held, Routine, RoutineAction, RoutineRunner, RunOrder};
use palyra_runner::{CallContext, CallError, ToolInvocation, fuel_limit};
use palyra_state::{FireEnd, FireStatus, PrincipalId};
use tokio::sync::watch;

use super::re_audit;
use crate::app::App;
use crate::problem::ToProblem;

/// Maximum length of a message that is stored with a fire.
const MAX_MESSAGE_CHARS: usize = 500;

/// Executes fires with the app; the reference is weak because the app owns the scheduler.
pub(super) struct Runner(pub(super) Weak<App>);

#[async_trait]
impl RoutineRunner for Runner {
    fn hold(&self) -> Option<Held> {
        let permit = self.0.upgrade()?.begin_chore()?;
        Some(Box::new(permit))
    }

    fn most_fuel(&self, routine: &Routine) -> Option<u64> {
        fuel_limit(&self.0.upgrade()?.state().view(), routine.tool()?)
    }

    async fn run(&self, order: RunOrder, ended: watch::Receiver<bool>) -> FireEnd {
        let Some(app) = self.0.upgrade() else {
            return failed(
                ErrorCode::Cancelled,
                "the daemon has \
            stopped",
            );
        };
        match &order.routine.action {
            RoutineAction::Tool { tool, input } => call(&app, &order, tool, input, ended).await,
            RoutineAction::ReAudit => re_audit::run(&app, &order.routine.principal()).await,
        }
    }
}

/// Calls the tool of a routine. Both the routine's principal and its creator must be permitted.
async fn call(
    app: &Arc<App>,
    order: &RunOrder,
    tool: &str,
    input: &str,
    mut ended: watch::Receiver<bool>,
) -> FireEnd {
    let creator = match creator(app, &order.routine.creator) {
        Ok(creator) => creator,
        Err(reason) => return failed(ErrorCode::Forbidden, &reason),
    };
    let invocation = match invocation(app, order, creator, tool, input) {
        Ok(invocation) => invocation,
        Err(error) => return ended_with(&error),
    };
    // It cannot be cancelled once its slot is released.
    let end = async move {
        if ended.wait_for(|ended| *ended).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    match app.call_until(invocation, end).await {
        Ok(result) => FireEnd {
            status: FireStatus::Completed,
            run_id: Some(result.run_id),
            error: None,
            message: None,
            fuel: Some(result.usage.fuel),
        },
        Err(error) => ended_with(&error),
    }
}

/// Returns the current principal of the creator; fails if its token was removed or has expired.
fn creator(app: &App, id: &PrincipalId) -> Result<Principal, String> {
    let Some(token) = id.token else { return Ok(Principal::owner(Transport::Command)) };
    let record = app.tokens().find(&token).ok_or_else(|| {
        format!("the token `{}` that created this routine was removed or has expired", id.name)
    })?;
    if !record.scopes.contains(Scope::Invoke) {
        return Err(format!("the token `{}` that created this routine lacks the scope `invoke`", id.name));
    }
    Ok(Principal::token(record.name, *token.as_bytes(), record.scopes, Transport::Routine))
}

fn invocation(
    app: &App,
    order: &RunOrder,
    creator: Principal,
    tool: &str,
    input: &str,
) -> Result<ToolInvocation, CallError> {
    let routine = &order.routine;
    let principal = Principal::routine(&*routine.name, Arc::new(creator));
    let input = JsonText::from_text(input.to_owned())
        .map_err(|error| WasmPluginRunError::invalid_input("", error.to_string()))?;
    let wait = Duration::from_millis(routine.wait_approval_ms);
    Ok(ToolInvocation {
        tool: tool.to_owned(),
        skill_id: None,
        input,
        principal: Arc::new(principal),
        operator: OperatorGrants::default(),
        limits: order.fuel_left.map(|fuel| app.ceiling().capped_at(LimitKind::Fuel, fuel)),
        cancel: None,
        listener: None,
        context: CallContext {
            session: Some(order.key.session()),
            parent_run: None,
            wait_for_approval: (!wait.is_zero()).then_some(wait),
            ..CallContext::default()
        },
    })
}

fn ended_with(error: &CallError) -> FireEnd {
    let problem = error.to_problem();
    let end = failed(problem.code, &problem.detail);
    let run = error.failed_run();
    FireEnd { run_id: run.map(|run| run.run_id.clone()), fuel: run.map(|run| run.fuel), ..end }
}

/// Returns the end of a fire that failed before it had a run.
pub(super) fn failed(code: ErrorCode, message: &str) -> FireEnd {
    let message: String = message.chars().take(MAX_MESSAGE_CHARS).collect();
    FireEnd {
        status: FireStatus::Failed,
        run_id: None,
        error: Some(code.to_string()),
        message: Some(escape_untrusted(&message)),
        fuel: None,
    }
}
