//! A finished run, for every output format.

use palyra_common::JsonText;
use palyra_plugins_runtime::{
    ChannelMessage, LoadedModule, ModuleKind, ModuleOrigin, RunOutput, RunReport, RuntimeLimits,
};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Everything about one run, for output.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) tool: String,
    pub(crate) report: RunReport,
    pub(crate) channels: Vec<ChannelMessage>,
    pub(crate) module: ModuleFacts,
    /// Path of the recorded tape.
    pub(crate) recorded: Option<PathBuf>,
    /// True if the tape is from this engine; on another one a replay does not compare fuel.
    pub(crate) same_engine: bool,
}

/// Facts about the module.
#[derive(Debug, Serialize)]
pub(crate) struct ModuleFacts {
    pub(crate) sha256: String,
    pub(crate) bytes: usize,
    pub(crate) kind: ModuleKind,
    pub(crate) origin: ModuleOrigin,
    #[serde(rename = "load_ms", serialize_with = "as_milliseconds")]
    pub(crate) load_time: Duration,
}

impl FinishedRun {
    /// Returns the JSON result, if there is one.
    pub(crate) fn result(&self) -> Option<JsonText> {
        match self.report.result.as_ref().ok()? {
            RunOutput::Json(text) => Some(text.clone()),
            RunOutput::Decision(decision) => serde_json::to_value(decision).ok().as_ref().map(JsonText::from),
        }
    }

    /// Returns the limits that were in effect.
    pub(crate) fn limits(&self) -> &RuntimeLimits {
        &self.report.tape.header.limits
    }

    /// Returns the id of the run.
    pub(crate) fn run_id(&self) -> &str {
        &self.report.tape.header.run_id
    }
}

impl ModuleFacts {
    pub(super) fn of(module: &LoadedModule, bytes: usize) -> Self {
        Self {
            sha256: hex::encode(module.sha256()),
            bytes,
            kind: module.shape().kind,
            origin: module.origin,
            load_time: module.load_time,
        }
    }
}

fn as_milliseconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
