//! `palyra tools show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, byte_count, duration_text, facts, shapes, skills};
use clap::Args;
use palyra_api::tools::ToolInfo;
use palyra_common::InOrder;
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra tools show acme.notes.add";

/// Show the schemas, risk and cost of a tool
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Tool: its id, its name for models, or an alias
    tool: String,
}

#[derive(Serialize)]
pub(super) struct Shown(ToolInfo);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "tools show", async |client| client.tool(&args.tool).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.tools.show/v1";

    fn data(&self) -> String {
        let Self(tool) = self;
        let summary = &tool.summary;
        let head = facts(&[
            ("tool", summary.tool_id.clone()),
            ("name", escape_untrusted(&summary.name)),
            ("for models", summary.model_name.clone()),
            ("also called", summary.aliases.join(", ")),
            ("skill", format!("{} {}", summary.skill_id, tool.version)),
            ("status", shapes::status(summary.status).to_owned()),
            (
                "approval",
                if summary.requires_approval { "each call needs approval" } else { "none" }.to_owned(),
            ),
            ("grants", grants(tool)),
            ("cost", cost(tool)),
        ]);
        let description = skills::indented(&escape_untrusted(&summary.description));
        let (input, output) = (schema(&tool.input_schema), schema(&tool.output_schema));
        format!("{head}\nWhat it does\n{description}\nInput\n{input}\nOutput\n{output}")
    }

    fn talk(&self) -> Vec<Remark> {
        let example =
            self.0.examples.first().map_or_else(|| "{}".to_owned(), |example| InOrder(example).to_string());
        vec![Remark::Next(format!("palyra run {} --input '{example}'", self.0.summary.tool_id))]
    }
}

fn grants(tool: &ToolInfo) -> String {
    let effect = if tool.read_only { "changes nothing" } else { "can change something" };
    match &tool.grants[..] {
        [] => format!("none; {effect}"),
        grants => format!("{}; {effect}", escape_untrusted(&grants.join(", "))),
    }
}

fn cost(tool: &ToolInfo) -> String {
    let cost = &tool.cost;
    let runs = cost.completed + cost.failed;
    let (Some(elapsed), Some(memory)) = (cost.median_elapsed_us, cost.most_memory_bytes) else {
        return "it has never run".into();
    };
    let elapsed = duration_text(Duration::from_micros(elapsed));
    format!("{runs} runs, {} failed; median time {elapsed}; peak memory {}", cost.failed, byte_count(memory))
}

fn schema(schema: &Value) -> String {
    skills::indented(&serde_json::to_string_pretty(&InOrder(schema)).unwrap_or_default())
}
