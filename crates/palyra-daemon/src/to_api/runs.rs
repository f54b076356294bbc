//! Runs: rows, lines, receipts, replays, and what a call returns of its run.

use palyra_api::runs::{self as api, JournalReceipt, ReplayAnswer};
use palyra_api::tools as tools_api;
use palyra_journal::Receipt;
use palyra_plugins_runtime::{Divergence, LogLevel, LogLine, ReplayVerdict, RunUsage};
use palyra_runner::Replayed;
use palyra_state::RunReceipt;
use palyra_state::runs::{Refusal, RefusedBy, RunEvent, RunFailure, RunPage, RunRow, ToolCost, UseCount};
use serde_json::Value;

use super::ToApi;

convert_fields! {
    RunPage => api::RunList { runs, next }
    RunRow => api::Run {
        run_id, skill_id, tool_id, payload, status, started_ms, finished_ms, receipt_leaf, principal, session, error,
        tape, differs,
    }
    Refusal => api::Refusal { what, target, by }
    RunEvent => api::RunLine { number, kind, text }
    RunReceipt => api::RunReceipt { schema, run_id, receipt, key }
    Receipt => JournalReceipt { leaf, proof, checkpoint }
    UseCount => tools_api::UseCount { used, denied, failed }
    ToolCost => tools_api::ToolCost { completed, failed, median_elapsed_us, most_fuel, most_memory_bytes }
}

impl ToApi for RunFailure {
    type Api = api::RunFailure;

    fn to_api(&self) -> api::RunFailure {
        let Self { message, refusal, details } = self;
        api::RunFailure { message: message.clone(), refusal: refusal.to_api(), details: details.clone() }
    }
}

convert_variants! {
    RefusedBy => api::RefusedBy { Manifest, Consent, Profile, RunnerPolicy, Call, Sandbox }
}

impl ToApi for Replayed {
    type Api = ReplayAnswer;

    fn to_api(&self) -> ReplayAnswer {
        let Self { run_id, verdict, open, output, error, usage } = self;
        let output = output.as_ref().and_then(|text| serde_json::from_str(text.as_str()).ok());
        ReplayAnswer {
            run_id: run_id.clone(),
            verdict: verdict.to_api(),
            open: *open,
            output: output.unwrap_or(Value::Null),
            error: error.to_api(),
            usage: usage.to_api(),
        }
    }
}

impl ToApi for ReplayVerdict {
    type Api = api::ReplayVerdict;

    fn to_api(&self) -> api::ReplayVerdict {
        match self {
            Self::Identical => api::ReplayVerdict::Identical,
            Self::SamePrefix => api::ReplayVerdict::SamePrefix,
            Self::Diverged(divergence) => api::ReplayVerdict::Diverged(divergence.to_api()),
        }
    }
}

impl ToApi for Divergence {
    type Api = api::Divergence;

    fn to_api(&self) -> api::Divergence {
        let Self { step, what, expected, found } = self;
        api::Divergence {
            step: *step as u64,
            what: what.clone(),
            expected: expected.clone(),
            found: found.clone(),
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
