//! A gate by rule: the operator names tools that do not run, and tools a person is asked about first.

#[cfg(test)]
mod tests;

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{plugin, run};

plugin! { hooks: [before_tool] }

/// What the gate reads of a call.
#[derive(Deserialize)]
struct Call {
    tool_id: String,
}

/// The operator's rules.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Rules {
    block: String,
    ask: String,
    note: String,
}

#[hook(id = "palyra.tool_gate.before_tool", events = ["run:before_tool"])]
fn before_tool(event: Event) -> Result<HookDecision, ToolError> {
    let Call { tool_id } = event.payload_as()?;
    let rules: Rules = run::config()?;
    Ok(decide(&rules, &tool_id))
}

/// The strictest rule that names the tool.
fn decide(rules: &Rules, tool_id: &str) -> HookDecision {
    if let Some(rule) = rule_for(&rules.block, tool_id) {
        return HookDecision::Block(format!("the rule `{rule}` blocks it"));
    }
    if let Some(rule) = rule_for(&rules.ask, tool_id) {
        return HookDecision::RequestApproval(format!("the rule `{rule}` asks for a person"));
    }
    match rule_for(&rules.note, tool_id) {
        Some(rule) => HookDecision::Annotate(format!("the rule `{rule}` takes note")),
        None => HookDecision::Continue,
    }
}

fn rule_for<'r>(rules: &'r str, tool_id: &str) -> Option<&'r str> {
    let covers = |rule: &&str| match rule.strip_suffix('*') {
        Some(start) => tool_id.starts_with(start),
        None => *rule == tool_id,
    };
    rules.split(',').map(str::trim).filter(|rule| !rule.is_empty()).find(covers)
}
