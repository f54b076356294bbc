//! Reports of runs.

use crate::invocation::HookDecision;
use crate::run_log::LogLine;
use crate::step_times::StepTime;
use crate::tape::{ReplayVerdict, Tape};
use palyra_common::{JsonText, WasmPluginRunError};
use serde::Serialize;
use std::time::Duration;

/// The report of a finished run.
#[derive(Debug)]
pub struct RunReport {
    /// The output, or the error that the run ended with.
    pub result: Result<RunOutput, WasmPluginRunError>,
    /// The resources that the run used.
    pub usage: RunUsage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Host calls, in order.
    pub host_calls: Vec<HostCallTrace>,
    /// The durations of the first steps on the tape; empty for a replay.
    pub step_times: Vec<StepTime>,
    /// The recording of the run.
    pub tape: Tape,
    /// The result of comparing a replay with its tape; `None` for a live run.
    pub replay: Option<ReplayVerdict>,
}

/// The output of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutput {
    /// JSON text of a tool or a description.
    Json(JsonText),
    /// The decision of a hook.
    Decision(HookDecision),
}

impl RunOutput {
    /// Returns the JSON text of a tool or description.
    pub fn json(&self) -> Option<&JsonText> {
        match self {
            Self::Json(text) => Some(text),
            Self::Decision(_) => None,
        }
    }
}

/// The resources that a run used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunUsage {
    /// Fuel used, roughly the number of instructions.
    pub fuel: u64,
    /// Peak memory in bytes.
    pub peak_memory_bytes: u64,
    /// Wall-clock time, without compilation.
    #[serde(rename = "elapsed_us", serialize_with = "as_micros")]
    pub elapsed: Duration,
    /// Number of capability operations.
    pub host_calls: u64,
    /// Number of bytes sent and received over HTTP.
    pub egress_bytes: u64,
    /// Size of the log, including a fixed amount per line.
    pub log_bytes: u64,
    /// Size of the output, in bytes.
    pub output_bytes: u64,
}

/// A host call, for traces and for comparing declared with used capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostCallTrace {
    /// The operation, such as `storage.get`.
    pub op: &'static str,
    /// The subject of the call, such as a URL, a key or a name, with secrets masked.
    pub subject: String,
    /// `ok`, or the code of the error.
    pub outcome: &'static str,
    /// The duration of the call.
    #[serde(rename = "elapsed_us", serialize_with = "as_micros")]
    pub elapsed: Duration,
}

/// The source of a loaded module's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleOrigin {
    /// The module was compiled for this load.
    Compiled,
    /// The code was read from a verified file of the disk cache.
    DiskCache,
}

fn as_micros<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}
