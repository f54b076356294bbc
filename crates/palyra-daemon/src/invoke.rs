//! One tool call, from API types to the call pipeline and back.

use std::sync::Arc;
use std::time::Duration;

use palyra_api::Problem;
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_common::{
    ErrorCode, JsonText, OperatorGrants, Principal, RuntimeLimits, Scope, WasmPluginRunError,
};
use palyra_policy::{Action, Resource};
use palyra_runner::{CallContext, ToolInvocation, ToolResult};
use palyra_state::runs::RunListener;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::App;
use crate::problem::{ToProblem, deciding_rule, installed};
use crate::surfaces;
use crate::to_api::ToApi;

/// Maximum length of a session or parent run name in bytes.
const MAX_NAME: usize = 100;

/// Calls a tool on behalf of a principal; the listener receives the output of the run while it is in progress.
pub(crate) async fn invoke(
    app: &Arc<App>,
    principal: &Arc<Principal>,
    tool: String,
    request: InvokeRequest,
    listener: Option<Arc<RunListener>>,
) -> Result<InvokeAnswer, Problem> {
    let record = request.record;
    check_record(principal, record)?;
    let invocation = ToolInvocation { listener, ..read(app, principal, tool.clone(), request)? };
    let limits = invocation.limits.clone();
    let result = app.call(invocation).await.map_err(|error| {
        let problem = error.to_problem();
        match installed::hints(app.state(), &tool, &error, limits.as_ref()) {
            Some(hints) => Problem { hints, ..problem },
            None => problem,
        }
    })?;
    let mut answer = answer(result, record)?;
    answer.surface_id = surfaces::keep(app, principal, &answer).await;
    Ok(answer)
}

/// Requires the scope `read` to record a tape, because it contains settings, grants and every host response of the run.
pub(crate) fn check_record(principal: &Principal, record: bool) -> Result<(), Problem> {
    if !record || principal.may(Scope::Read) {
        return Ok(());
    }
    let problem = Problem::new(
        ErrorCode::Forbidden,
        "`record` requires the scope `read` in addition to \
        `invoke`",
    );
    Err(problem.details(json!({ "scope": Scope::Read })))
}

fn read(
    app: &App,
    principal: &Arc<Principal>,
    tool: String,
    request: InvokeRequest,
) -> Result<ToolInvocation, Problem> {
    let InvokeRequest { input, skill_id, limits, grants, record: _, wait_seconds, session, parent_run } =
        request;
    Ok(ToolInvocation {
        tool,
        skill_id,
        input: read_input(input)?,
        principal: Arc::clone(principal),
        operator: read_grants(app, principal, &grants)?,
        limits: read_limits(&limits, RuntimeLimits::unbounded())?,
        cancel: None,
        listener: None,
        context: read_context(session, parent_run, wait_seconds)?,
    })
}

pub(crate) fn read_input(input: Option<Box<RawValue>>) -> Result<JsonText, Problem> {
    let Some(input) = input else { return Ok(JsonText::empty_object()) };
    let text = JsonText::from_text(String::from(Box::<str>::from(input)));
    text.map_err(|error| WasmPluginRunError::invalid_input("", error.to_string()).to_problem())
}

/// Parses the grants of a call. Opening a directory or an address widens a run, so it requires more than the scope
/// `invoke`.
pub(crate) fn read_grants(
    app: &App,
    principal: &Principal,
    grants: &[String],
) -> Result<OperatorGrants, Problem> {
    if !grants.is_empty() {
        let decision = app.authorizer().decide(principal, Action::Grant, Resource::Daemon);
        if !principal.may(Scope::Admin) {
            return Err(Problem::new(
                ErrorCode::Forbidden,
                "mapping directories and allowing addresses requires the scope `admin`",
            )
            .details(json!({ "scope": Scope::Admin, "action": Action::Grant,
                    "policy": deciding_rule(&decision) })));
        }
        if !decision.allowed {
            return Err(decision.to_problem());
        }
    }
    OperatorGrants::parse(grants)
        .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))
}

/// Reads the limits of a caller; limits it does not name keep their value in `most`.
pub(crate) fn read_limits(
    limits: &[String],
    mut most: RuntimeLimits,
) -> Result<Option<RuntimeLimits>, Problem> {
    if limits.is_empty() {
        return Ok(None);
    }
    for limit in limits {
        most.set(limit)
            .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))?;
    }
    Ok(Some(most))
}

/// Returns the session, parent run and approval timeout of a call.
pub(crate) fn read_context(
    session: Option<String>,
    parent_run: Option<String>,
    wait_seconds: Option<u32>,
) -> Result<CallContext, Problem> {
    Ok(CallContext {
        session: read_name("session", session)?,
        parent_run: read_name("parent_run", parent_run)?,
        wait_for_approval: wait_seconds.map(|seconds| Duration::from_secs(seconds.into())),
        ..CallContext::default()
    })
}

/// Checks a session or parent run name, which is stored with the run and shown to people.
fn read_name(field: &str, name: Option<String>) -> Result<Option<String>, Problem> {
    let plain = |name: &String| {
        (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match name {
        Some(name) if !plain(&name) => {
            let expected = format!("up to {MAX_NAME} printable ASCII characters without spaces");
            Err(Problem::new(ErrorCode::Usage, format!("invalid `{field}`: use {expected}")))
        }
        name => Ok(name),
    }
}

pub(crate) fn answer(result: ToolResult, record: bool) -> Result<InvokeAnswer, Problem> {
    let internal = |error: String| Problem::new(ErrorCode::Internal, error);
    let tape = record.then(|| String::from_utf8(result.tape.encode())).transpose();
    Ok(InvokeAnswer {
        tool: result.tool_id,
        result: RawValue::from_string(result.output.as_str().to_owned())
            .map_err(|error| internal(error.to_string()))?,
        run_id: result.run_id,
        skill_id: result.skill_id,
        payload: result.payload.to_string(),
        usage: result.usage.to_api(),
        capabilities: result.capabilities.into_iter().map(|(name, count)| (name, count.to_api())).collect(),
        log: result.log.to_api(),
        receipt: result.receipt.to_api(),
        tape: tape.map_err(|error| internal(error.to_string()))?,
        compile_us: compile_us(result.stages.compile),
        surface_id: None,
    })
}

/// Returns the wait for compilation in microseconds; `None` for a call whose code was ready.
fn compile_us(waited: Duration) -> Option<u64> {
    (!waited.is_zero()).then(|| u64::try_from(waited.as_micros()).unwrap_or(u64::MAX))
}
