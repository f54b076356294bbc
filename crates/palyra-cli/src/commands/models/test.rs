//! `palyra models test`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::output::{Printer, Remark, Reply, facts};
use clap::Args;
use palyra_api::models::{ModelFailure, ModelTest};
use serde::Serialize;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra models test gpt";

/// Test a model's latency, streaming and tool calls
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TestArgs {
    /// Name of the model
    model: String,
}

#[derive(Serialize)]
struct Tested(ModelTest);

/// Shows the results; a model that does not answer is a failure.
pub(super) fn run(args: &TestArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match client::ask(globals, "models test", async |client| client.test_model(&args.model).await) {
        Ok(test) => {
            let answers = test.answers;
            let written = printer.reply(&Tested(test));
            if answers { written } else { ExitCode::FAILURE }
        }
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

impl Reply for Tested {
    const SCHEMA: &'static str = "palyra.models.test/v1";

    fn data(&self) -> String {
        let test = &self.0;
        let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let after = |ms: Option<u64>| ms.map(|ms| format!("{ms} ms")).unwrap_or_default();
        let failure = |failure: &Option<ModelFailure>| match failure {
            Some(failure) => format!("{} ({})", failure.message, failure.code),
            None => String::new(),
        };
        let used = |usage: palyra_api::models::ModelUsage| {
            format!("{} in, {} out", usage.input_tokens, usage.output_tokens)
        };
        facts(&[
            ("model", test.name.clone()),
            ("answers", yes(test.answers)),
            ("failure", failure(&test.failure)),
            ("first token", after(test.first_piece_ms)),
            ("response", after(test.total_ms)),
            ("streams", if test.answers { yes(test.streams) } else { String::new() }),
            ("calls tools", if test.answers { yes(test.calls_tools) } else { String::new() }),
            ("tool failure", failure(&test.tool_failure)),
            ("tokens", test.usage.map(used).unwrap_or_default()),
            ("cost", test.cost.map(view::money).unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.answers && !self.0.calls_tools {
            vec![Remark::Note(
                "the model did not call a tool when asked to; small models often cannot".into(),
            )]
        } else {
            Vec::new()
        }
    }
}
