//! Hooks that continue, annotate, ask, block and fail.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{plugin, run};

plugin! { hooks: [gate, remark, broken] }

/// What the gate reads of an event.
#[derive(Deserialize)]
struct BeforeTool {
    tool_id: String,
}

/// The operator's rules: tool ids to block, and to ask about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Rules {
    block: Vec<String>,
    ask: Vec<String>,
}

#[hook(id = "hooks.gate", events = ["run:before_tool"])]
fn gate(event: Event) -> Result<HookDecision, ToolError> {
    let BeforeTool { tool_id } = event.payload_as()?;
    let rules: Rules = run::config()?;
    if rules.block.contains(&tool_id) {
        return Ok(HookDecision::Block(format!("`{tool_id}` is blocked by rule")));
    }
    if rules.ask.contains(&tool_id) {
        return Ok(HookDecision::RequestApproval(format!("`{tool_id}` needs a person")));
    }
    Ok(HookDecision::Continue)
}

#[hook(id = "hooks.remark", events = ["run:before_tool", "run:after_tool", "run:completed"])]
fn remark(event: Event) -> HookDecision {
    log::info!("saw {}", event.kind);
    HookDecision::Annotate(format!("seen: {}", event.kind))
}

#[hook(id = "hooks.broken", events = ["run:before_tool", "run:after_tool"])]
fn broken(_event: Event) -> Result<HookDecision, ToolError> {
    Err(ToolError::new("hook_failed", "this hook always fails"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use palyra_plugins_sdk::testing::{Harness, RunError};
    use serde_json::json;

    fn decide(tool_id: &str) -> HookDecision {
        let rules = json!({ "block": ["acme.erase"], "ask": ["acme.pay"] });
        let mut harness = Harness::new(&PLUGIN).with_config(&rules);
        harness.fire("hooks.gate", "run:before_tool", &json!({ "tool_id": tool_id })).unwrap()
    }

    #[test]
    fn the_gate_follows_the_rules() {
        assert!(matches!(decide("acme.erase"), HookDecision::Block(_)));
        assert!(matches!(decide("acme.pay"), HookDecision::RequestApproval(_)));
        assert_eq!(decide("acme.read"), HookDecision::Continue);
    }

    #[test]
    fn failures_are_errors() {
        let mut harness = Harness::new(&PLUGIN);
        let mut code = |hook: &str, kind: &str| match harness.fire(hook, kind, &json!({})) {
            Err(RunError::ToolFailed(error)) => error.code,
            other => panic!("{other:?}"),
        };
        assert_eq!(code("hooks.broken", "run:before_tool"), "hook_failed");
        assert_eq!(code("hooks.gate", "run:before_tool"), "invalid_input");
        assert_eq!(code("hooks.gate", "run:completed"), "unexpected_event");
        assert_eq!(code("hooks.other", "run:before_tool"), "unknown_hook");
    }
}
