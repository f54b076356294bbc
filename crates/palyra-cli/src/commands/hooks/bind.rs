//! `palyra hooks bind`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::hooks::{BindRequest, HookBinding};
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra hooks bind --event run:before_tool --plugin palyra.tool_gate --tool 'acme.mail.*'
  palyra hooks bind --id tell-me --event run:failed --plugin palyra.notify --timeout 5s";

/// Bind a hook of an installed skill to an event
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct BindArgs {
    /// Event, such as `run:before_tool` or `skill:quarantined`
    #[arg(long, value_name = "EVENT")]
    event: String,

    /// Skill that has the hook
    #[arg(long, value_name = "SKILL")]
    plugin: String,

    /// Hook of the skill [default: the only one for the event]
    #[arg(long, value_name = "HOOK")]
    hook: Option<String>,

    /// Name of the binding [default: from skill and event]
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Only events about this skill (repeatable)
    #[arg(long = "skill", value_name = "SKILL")]
    skills: Vec<String>,

    /// Only events about this tool or name prefix such as `acme.mail.*` (repeatable)
    #[arg(long = "tool", value_name = "TOOL")]
    tools: Vec<String>,

    /// Order among gates, lowest first [default: 100]
    #[arg(long, value_name = "N")]
    order: Option<u32>,

    /// Time limit, for example `500ms` or `5s` [default: 2s for a gate, 10s for an observer]
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,

    /// Fuel limit
    #[arg(long, value_name = "N")]
    fuel: Option<u64>,

    /// Delivery attempts per event for an observer [default: 5]
    #[arg(long, value_name = "N")]
    attempts: Option<u32>,

    /// Create the binding disabled
    #[arg(long)]
    disabled: bool,
}

#[derive(Serialize)]
pub(super) struct Bound(HookBinding);

pub(super) fn execute(args: &BindArgs, globals: &Globals) -> Result<Bound, CliError> {
    let request = BindRequest {
        id: args.id.clone(),
        event: args.event.clone(),
        plugin: args.plugin.clone(),
        hook: args.hook.clone(),
        disabled: args.disabled,
        order: args.order,
        timeout_ms: args.timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        fuel: args.fuel,
        max_attempts: args.attempts,
        skills: args.skills.clone(),
        tools: args.tools.clone(),
    };
    client::ask(globals, "hooks bind", async |client| client.bind_hook(&request).await).map(Bound)
}

/// Parses a duration in milliseconds, or in the units of the daemon's flags.
fn time(text: &str) -> Result<Duration, String> {
    match text.strip_suffix("ms").and_then(|number| number.parse::<u64>().ok()) {
        Some(ms) => Ok(Duration::from_millis(ms)),
        None => palyra_daemon::serve::parse_duration(text).map_err(|error| error.to_string()),
    }
}

impl Reply for Bound {
    const SCHEMA: &'static str = "palyra.hooks.bind/v1";

    fn data(&self) -> String {
        view::binding(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("test it with `palyra hooks test {}`", self.0.id))]
    }
}
