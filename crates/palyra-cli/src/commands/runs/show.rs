//! `palyra runs show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, byte_count, duration_text, facts, moment, table};
use clap::Args;
use palyra_api::ClientError;
use palyra_api::runs::{Refusal, RefusedBy, Run, RunFailure, RunInfo, RunStep, RunSteps};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra runs show latest
  palyra runs show run_01a1ec";

/// Show the result, cost and capability use of a run
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Run id, a unique prefix of it, or `latest`
    run: String,
}

/// Maximum number of listed host calls.
const MAX_CALLS: usize = 20;

#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    info: RunInfo,
    /// Host calls of the run, if its tape is stored.
    #[serde(skip)]
    steps: Option<RunSteps>,
}

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "runs show", async |client| {
        let info = client.run(&client::run_id(&client, &args.run).await?).await?;
        // A run is shown even without a tape.
        let steps = client.run_steps(&info.run.run_id, None).await.ok();
        Ok::<_, ClientError>(Shown { info, steps })
    })
}

/// Returns the fields of a run with their labels.
pub(super) fn known(run: &Run) -> Vec<(&'static str, String)> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    vec![
        ("run", run.run_id.clone()),
        ("status", run.status.clone()),
        ("error", text(&run.error)),
        ("tool", run.tool_id.clone()),
        ("skill", run.skill_id.clone()),
        ("release", run.payload.clone()),
        ("principal", text(&run.principal)),
        ("session", text(&run.session)),
        ("started", moment(run.started_ms)),
        ("ended", run.finished_ms.map(moment).unwrap_or_default()),
        ("tape", text(&run.tape)),
        ("receipt", run.receipt_leaf.map(|leaf| format!("leaf {leaf} of the journal")).unwrap_or_default()),
    ]
}

/// Returns the message of a failure, the refused capability or limit, and its cause.
fn failure(failure: &RunFailure) -> Vec<(&'static str, String)> {
    let mut lines = vec![("message", failure.message.clone())];
    if let Some(Refusal { what, target, by }) = &failure.refusal {
        lines.push(("refused", format!("{what} {target}, by {}", refused_by(*by))));
    }
    lines
}

fn refused_by(by: RefusedBy) -> &'static str {
    match by {
        RefusedBy::Manifest => "the manifest",
        RefusedBy::Consent => "consent",
        RefusedBy::Profile => "the profile",
        RefusedBy::RunnerPolicy => "the policy for every run",
        RefusedBy::Call => "the call",
        RefusedBy::Sandbox => "the sandbox",
    }
}

/// Formats the first host calls with their durations.
fn host_calls(steps: &RunSteps) -> String {
    let row = |step: &RunStep| {
        let took = step.elapsed_us.map(Duration::from_micros).map(duration_text);
        let subject = palyra_common::redact::escape_untrusted(&step.subject);
        [step.number.to_string(), step.op.clone(), subject, step.outcome.clone(), took.unwrap_or_default()]
    };
    let rows: Vec<_> = steps.steps.iter().take(MAX_CALLS).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let more = steps.total.saturating_sub(rows.len() as u64);
    let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
    format!("\nHost calls\n{}{more}", table(["step", "call", "about", "outcome", "took"], &rows))
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.runs.show/v1";

    fn data(&self) -> String {
        let details = &self.info.details;
        let text = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| details.get(name).and_then(Value::as_u64);
        let mut all = known(&self.info.run);
        all.extend([
            ("approved by", text("approval")),
            ("ended by", text("ended_by")),
            ("input", text("input_sha256")),
            ("output", text("output_sha256")),
            ("took", number("elapsed_us").map(Duration::from_micros).map(duration_text).unwrap_or_default()),
            ("fuel", number("fuel").map(|fuel| fuel.to_string()).unwrap_or_default()),
            ("memory", number("peak_memory_bytes").map(byte_count).unwrap_or_default()),
            ("egress", number("egress_bytes").filter(|bytes| *bytes > 0).map(byte_count).unwrap_or_default()),
        ]);
        all.splice(3..3, self.info.failure.iter().flat_map(failure));
        let capabilities = details.get("capabilities").and_then(Value::as_object).into_iter().flatten();
        let capabilities: String =
            capabilities.map(|(capability, uses)| capability_line(capability, uses)).collect();
        let capabilities =
            if capabilities.is_empty() { capabilities } else { format!("\nCapabilities\n{capabilities}") };
        facts(&all) + &capabilities + &self.steps.as_ref().map(host_calls).unwrap_or_default()
    }

    fn talk(&self) -> Vec<Remark> {
        let id = &self.info.run.run_id;
        let next = match self.info.run.receipt_leaf {
            Some(_) => Remark::Next(format!("palyra runs receipt {id}")),
            None => Remark::Next(format!("palyra runs events {id} --follow")),
        };
        altered(&self.info.run).into_iter().chain([next]).collect()
    }
}

/// Returns a warning if the row was changed by another program.
pub(super) fn altered(run: &Run) -> Option<Remark> {
    let fields = run.differs.join("`, `");
    (!run.differs.is_empty()).then(|| {
        let text = format!("the row of `{}` differs from its receipt in `{fields}`", run.run_id);
        Remark::Warning(format!("{text}: see `palyra journal verify`"))
    })
}

fn capability_line(capability: &str, uses: &Value) -> String {
    let count = |name: &str| uses.get(name).and_then(Value::as_u64).unwrap_or(0);
    let capability = palyra_common::redact::escape_untrusted(capability);
    format!(
        "  {capability}: used {}, denied {}, failed {}\n",
        count("used"),
        count("denied"),
        count("failed")
    )
}
