//! An observer: every event it hears of becomes a message to the channel `alerts`.

#[cfg(test)]
mod tests;

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{channels, plugin};

plugin! { hooks: [tell] }

const CHANNEL: &str = "alerts";

/// The published part of an event; the details stay in the journal.
#[derive(Deserialize, Serialize)]
struct Told {
    event: String,
    sequence: Option<u64>,
    at_ms: Option<u64>,
    actor: Option<String>,
    skill_id: Option<String>,
    tool_id: Option<String>,
    run_id: Option<String>,
}

#[hook(
    id = "palyra.notify.tell",
    events = [
        "gateway:startup", "gateway:shutdown", "skill:installed", "skill:enabled", "skill:quarantined",
        "skill:disabled", "skill:removed", "run:after_tool", "run:completed", "run:failed",
        "approval:requested", "approval:decided", "routine:fired",
    ]
)]
fn tell(event: Event) -> Result<HookDecision, ToolError> {
    let told: Told = event.payload_as()?;
    channels::publish_json(CHANNEL, &told)?;
    Ok(HookDecision::Continue)
}
