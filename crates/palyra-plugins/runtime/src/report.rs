//! What a run did.

use crate::invocation::HookDecision;
use crate::run_log::LogLine;
use crate::step_times::StepTime;
use crate::tape::{ReplayVerdict, Tape};
use palyra_common::{JsonText, WasmPluginRunError};
use serde::Serialize;
use std::time::Duration;

/// Everything known about one finished run.
#[derive(Debug)]
pub struct RunReport {
    /// The result, or why there is none.
    pub result: Result<RunOutput, WasmPluginRunError>,
    /// The used resources.
    pub usage: RunUsage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Host calls, in order.
    pub host_calls: Vec<HostCallTrace>,
    /// How long the first steps of the tape took; a replay has no times.
    pub step_times: Vec<StepTime>,
    /// The recording.
    pub tape: Tape,
    /// How a replay compared with its tape; `None` for a live run.
    pub replay: Option<ReplayVerdict>,
}

/// What a guest returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutput {
    /// JSON text of a tool or a description.
    Json(JsonText),
    /// The decision of a hook.
    Decision(HookDecision),
}

impl RunOutput {
    /// The JSON text, if it is some.
    pub fn json(&self) -> Option<&JsonText> {
        match self {
            Self::Json(text) => Some(text),
            Self::Decision(_) => None,
        }
    }
}

/// Resource use of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunUsage {
    /// Fuel.
    pub fuel: u64,
    /// Peak memory in bytes.
    pub peak_memory_bytes: u64,
    /// Wall clock, compilation excluded.
    #[serde(rename = "elapsed_us", serialize_with = "as_micros")]
    pub elapsed: Duration,
    /// Capability operations.
    pub host_calls: u64,
    /// Bytes sent and received.
    pub egress_bytes: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
}

/// One host call, for traces and for "declared versus used".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostCallTrace {
    /// The operation, such as `storage.get`.
    pub op: &'static str,
    /// What it was about: a URL, a key, a name.
    pub subject: String,
    /// `ok` or the code of the error.
    pub outcome: &'static str,
    /// How long it took.
    #[serde(rename = "elapsed_us", serialize_with = "as_micros")]
    pub elapsed: Duration,
}

/// The origin of a loaded module's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleOrigin {
    /// It was compiled now.
    Compiled,
    /// A checked file of the disk cache.
    DiskCache,
}

fn as_micros<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}
