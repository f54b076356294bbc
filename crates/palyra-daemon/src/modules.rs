//! One inline module call, from API types to the call pipeline and back.

use std::sync::Arc;

use palyra_api::Problem;
use palyra_api::modules::RunModuleRequest;
use palyra_api::tools::InvokeAnswer;
use palyra_common::{ErrorCode, Principal, RuntimeLimits};
use palyra_runner::InlineInvocation;

use crate::app::App;
use crate::invoke::{answer, check_record, read_context, read_grants, read_input, read_limits};
use crate::problem::ToProblem;

/// Maximum length of a tool or function name in bytes.
const MAX_NAME: usize = 200;

/// Runs a module on behalf of a principal.
pub(crate) async fn run_module(
    app: &Arc<App>,
    principal: &Arc<Principal>,
    request: RunModuleRequest,
) -> Result<InvokeAnswer, Problem> {
    let record = request.record;
    check_record(principal, record)?;
    let invocation = read(app, principal, request)?;
    let result = app.call_inline(invocation).await.map_err(|error| error.to_problem())?;
    answer(result, record)
}

fn read(
    app: &App,
    principal: &Arc<Principal>,
    request: RunModuleRequest,
) -> Result<InlineInvocation, Problem> {
    let RunModuleRequest {
        module_base64,
        tool,
        export,
        input,
        limits,
        grants,
        wait_seconds,
        session,
        parent_run,
        record: _,
    } = request;
    Ok(InlineInvocation {
        tool: short("tool", tool)?,
        export: short("export", export)?,
        operator: read_grants(app, principal, &grants)?,
        // A module declares no limits of its own, so the defaults of the contract apply.
        limits: read_limits(&limits, RuntimeLimits::default())?,
        context: read_context(session, parent_run, wait_seconds)?,
        ..InlineInvocation::new(module_base64, read_input(input)?, Arc::clone(principal))
    })
}

fn short(field: &str, name: Option<String>) -> Result<Option<String>, Problem> {
    match name {
        Some(name) if name.is_empty() || name.len() > MAX_NAME => {
            Err(Problem::new(ErrorCode::Usage, format!("`{field}` must have 1 to {MAX_NAME} bytes")))
        }
        name => Ok(name),
    }
}
