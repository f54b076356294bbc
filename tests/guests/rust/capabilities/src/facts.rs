//! Channels, log and facts of the run.

use palyra_plugins_sdk::log::Level;
use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{channels, run, serde_json};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Publish {
    channel: String,
    content_type: String,
    body: String,
}

#[tool(id = "capabilities.channel_publish", description = "Publish a message")]
pub(crate) fn publish(input: Publish) -> Result<(), HostError> {
    channels::publish(&input.channel, &input.content_type, input.body.as_bytes())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LineLevel {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Line {
    level: LineLevel,
    message: String,
}

#[tool(id = "capabilities.log", description = "Write a log line")]
pub(crate) fn write_log(input: Line) {
    let level = match input.level {
        LineLevel::Trace => Level::Trace,
        LineLevel::Debug => Level::Debug,
        LineLevel::Info => Level::Info,
        LineLevel::Warn => Level::Warn,
        LineLevel::Error => Level::Error,
    };
    log::write(level, &input.message);
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Facts {
    run_id: String,
    tool_id: String,
    remaining_fuel: u64,
    remaining_milliseconds: u64,
    config: serde_json::Value,
}

#[tool(id = "capabilities.run", description = "Facts about this call")]
pub(crate) fn run_facts() -> Result<Facts, ToolError> {
    Ok(Facts {
        run_id: run::run_id(),
        tool_id: run::tool_id(),
        remaining_fuel: run::remaining_fuel(),
        remaining_milliseconds: run::remaining_milliseconds(),
        config: run::config()?,
    })
}
