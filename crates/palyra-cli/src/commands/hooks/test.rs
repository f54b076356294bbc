//! `palyra hooks test`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, duration_text, facts};
use clap::Args;
use palyra_api::hooks::{HookTest, TestRequest};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra hooks test tool-gate
  palyra hooks test tool-gate --payload '{\"tool_id\": \"acme.mail.send\"}'";

/// Send a sample event to a hook and show its decision
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TestArgs {
    /// Name of the binding
    binding: String,

    /// Event payload as JSON [default: a sample of its event]
    #[arg(long, value_name = "JSON")]
    payload: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Tested(pub(super) HookTest);

pub(super) fn execute(args: &TestArgs, globals: &Globals) -> Result<Tested, CliError> {
    let payload = args.payload.as_deref().map(serde_json::from_str::<serde_json::Value>).transpose();
    let payload = payload.map_err(|error| CliError::usage(format!("`--payload` is not JSON: {error}")))?;
    let request = TestRequest { payload };
    client::ask(globals, "hooks test", async |client| client.test_hook(&args.binding, &request).await)
        .map(Tested)
}

/// Formats the answer of a hook.
pub(in super::super) fn answer(test: &HookTest) -> String {
    let mut text = facts(&[
        ("decision", test.decision.clone()),
        ("says", test.text.as_deref().map(escape_untrusted).unwrap_or_default()),
        ("event", test.event.clone()),
        ("run", test.run_id.clone()),
        ("took", duration_text(Duration::from_micros(test.usage.elapsed_us))),
    ]);
    for line in &test.log {
        text.push_str(&format!("log  {}: {}\n", line.level, escape_untrusted(&line.message)));
    }
    text
}

impl Reply for Tested {
    const SCHEMA: &'static str = "palyra.hooks.test/v1";

    fn data(&self) -> String {
        answer(&self.0)
    }
}
