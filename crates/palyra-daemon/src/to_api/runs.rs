//! Runs: rows, lines, receipts, replays, and what a call returns of its run.

use palyra_api::runs::{self as api, JournalReceipt, ReplayAnswer};
use palyra_api::tools as tools_api;
use palyra_journal::Receipt;
use palyra_plugins_runtime::{LogLevel, LogLine, RunUsage};
use palyra_runner::Replayed;
use palyra_state::RunReceipt;
use serde_json::Value;

use super::ToApi;

convert_fields! {
    RunReceipt => api::RunReceipt { schema, run_id, receipt, key }
    Receipt => JournalReceipt { leaf, proof, checkpoint }
}

impl ToApi for Replayed {
    type Api = ReplayAnswer;

    fn to_api(&self) -> ReplayAnswer {
        let Self { run_id, verdict, open, output, error, usage } = self;
        let output = output.as_ref().and_then(|text| serde_json::from_str(text.as_str()).ok());
        ReplayAnswer {
            run_id: run_id.clone(),
            verdict: verdict.clone(),
            open: *open,
            output: output.unwrap_or(Value::Null),
            error: error.to_api(),
            usage: usage.to_api(),
        }
    }
}

impl ToApi for RunUsage {
    type Api = tools_api::Usage;

    fn to_api(&self) -> tools_api::Usage {
        let Self { fuel, peak_memory_bytes, elapsed, host_calls, egress_bytes, log_bytes, output_bytes } =
            self;
        tools_api::Usage {
            fuel: *fuel,
            peak_memory_bytes: *peak_memory_bytes,
            elapsed_us: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
            host_calls: *host_calls,
            egress_bytes: *egress_bytes,
            log_bytes: *log_bytes,
            output_bytes: *output_bytes,
        }
    }
}

impl ToApi for LogLine {
    type Api = tools_api::LogLine;

    fn to_api(&self) -> tools_api::LogLine {
        let Self { level, source, message } = self;
        let level = match level {
            LogLevel::Trace => "trace",
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        };
        tools_api::LogLine { level: level.to_owned(), source: source.clone(), message: message.clone() }
    }
}
