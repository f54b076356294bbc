//! Problems of runs that were refused or failed.

use palyra_api::Problem;
use palyra_common::{CapabilityKind, Denial, ErrorCode, LimitKind, WasmPluginRunError};
use palyra_plugins_runtime::RuntimeConfig;
use palyra_runner::{CallError, GateReason, GateRefusal, MAKE_A_SKILL, NEVER_INLINE};
use serde_json::json;

use super::{ToProblem, closest};

impl ToProblem for CallError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Run(error) => error.to_problem(),
            Self::Failed(run) => Problem { run_id: Some(run.run_id.clone()), ..run.error.to_problem() },
            Self::State(error) => error.to_problem(),
            Self::Denied { skill_id, tool_id, decision } => {
                let mut problem = decision.to_problem();
                problem.details["skill_id"] = skill_id.as_str().into();
                problem.details["tool_id"] = tool_id.as_str().into();
                problem
            }
            Self::Gated(refusal) => gated(refusal),
        }
    }
}

/// Returns the problem of a gate's denial. It names the gate so that an operator can inspect it, but not its settings.
fn gated(refusal: &GateRefusal) -> Problem {
    let GateRefusal { binding, plugin, skill_id, tool_id, reason } = refusal;
    let (blocked, error) = match reason {
        GateReason::Blocked { .. } => (true, None),
        GateReason::Failed { code, .. } => (false, Some(*code)),
    };
    Problem::new(ErrorCode::Forbidden, refusal.to_string())
        .hint(format!("see the gate with `palyra hooks show {binding}`"))
        .details(
            json!({ "gate": { "binding": binding, "plugin": plugin, "blocked": blocked, "error": error },
            "skill_id": skill_id, "tool_id": tool_id }),
        )
}

impl ToProblem for WasmPluginRunError {
    fn to_problem(&self) -> Problem {
        Problem::new(self.kind().into(), self.to_string()).hints(run_hints(self)).details(self.details())
    }
}

/// Returns the hints for a failed run, including those that depend on the sandbox's ceiling.
pub fn run_hints(error: &WasmPluginRunError) -> Vec<String> {
    let mut hints = error.hints();
    match error {
        WasmPluginRunError::QuotaExceeded { limit, used, .. } => {
            hints = limit_hint(*limit, *used).map_or(hints, |hint| vec![hint]);
        }
        WasmPluginRunError::NotFound { name, known, .. } => {
            if let Some(name) = closest(name, known) {
                hints.insert(0, format!("did you mean `{name}`?"));
            }
        }
        WasmPluginRunError::CapabilityDenied(denial) if denial.reason.contains(NEVER_INLINE) => {
            hints.push(MAKE_A_SKILL.to_owned());
        }
        WasmPluginRunError::CapabilityDenied(denial @ Denial { grant: None, .. }) => {
            hints.extend(example_grant(denial.kind).map(Into::into));
        }
        _ => {}
    }
    hints
}

/// Returns the hint if twice the use is more than the sandbox permits.
fn limit_hint(limit: LimitKind, used: u64) -> Option<String> {
    let most = RuntimeConfig::default().ceiling.get(limit).filter(|most| used.saturating_mul(2) > *most)?;
    let flag = format!("--limit {limit}={}", limit.format_value(most));
    Some(if used > most {
        format!("no run can use more than `{flag}`")
    } else {
        format!("allow more with `{flag}`")
    })
}

/// Returns an example for a guest without a handle: the sandbox does not know which name it looked for.
fn example_grant(kind: CapabilityKind) -> Option<&'static str> {
    match kind {
        CapabilityKind::Storage => Some("grant a storage prefix with `--grant storage:NAME/`"),
        CapabilityKind::Secret => {
            Some("grant a secret with `--grant 'secret:global/NAME hosts=HOST inject=bearer'`")
        }
        CapabilityKind::Channel => Some("grant a channel with `--grant channel:NAME`"),
        CapabilityKind::Http | CapabilityKind::Filesystem => None,
    }
}
