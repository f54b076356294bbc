//! The tape: every external input of a guest, in order.
//!
//! As text it is one JSON object a line: a header, the steps, the large values their answers refer to, an end. There is
//! exactly one spelling of a tape; anything else is refused, so equal tapes are equal bytes.
//!
//! Version 2 keeps readings of clocks in blocks, large values once by their digest, and file access as steps; it has a
//! byte limit. Tapes of version 1 are read, written back and replayed as they were made.

mod facts;
mod format;
mod machine;
mod recording;
mod shared;

pub(crate) use facts::rounded;
pub use format::TapeError;
pub(crate) use machine::{Begun, TapeMachine};
pub(crate) use recording::TapeFull;

use crate::invocation::Entry;
use palyra_common::{CapabilityGrantSet, JsonText, RuntimeLimits};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The schema name in a tape's first line.
pub(crate) const TAPE_SCHEMA: &str = "palyra.tape/v2";
/// The schema name of tapes without blocks, large values, files and a limit.
pub(crate) const TAPE_SCHEMA_V1: &str = "palyra.tape/v1";

/// A recording of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tape {
    /// How the run began.
    pub header: TapeHeader,
    /// Its requests and their answers.
    pub steps: Vec<TapeStep>,
    /// Values that were too large for a step, by the SHA-256 of their JSON text; each is here once.
    pub blobs: BTreeMap<String, serde_json::Value>,
    /// Status.
    pub end: TapeEnd,
}

/// How a run began; its texts are shared with the run, because each call has a tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeHeader {
    /// `palyra.tape/v2`, or `palyra.tape/v1` for an older tape.
    pub schema: Cow<'static, str>,
    /// SHA-256 of the module, hexadecimal.
    #[serde(with = "shared")]
    pub module_sha256: Arc<str>,
    /// The engine and its settings.
    #[serde(with = "shared")]
    pub engine: Arc<str>,
    /// The called entry.
    pub entry: Entry,
    /// The run's id.
    #[serde(with = "shared")]
    pub run_id: Arc<str>,
    /// The skill.
    #[serde(with = "shared")]
    pub owner: Arc<str>,
    /// The input, JSON text.
    #[serde(with = "shared::json_text")]
    pub input: JsonText,
    /// The operator's settings, JSON text.
    #[serde(with = "shared::json_text")]
    pub operator_config: JsonText,
    /// The granted capabilities.
    #[serde(with = "shared")]
    pub grants: Arc<CapabilityGrantSet>,
    /// The limits in force.
    pub limits: RuntimeLimits,
    /// The seed of all randomness; written in hexadecimal.
    #[serde(with = "shared::hexadecimal")]
    pub seed: [u8; 32],
}

impl TapeHeader {
    /// Whether the tape is of version 1: a step for each reading of a clock, no files, no limit.
    pub fn is_version_1(&self) -> bool {
        self.schema == TAPE_SCHEMA_V1
    }
}

/// One question to the outside world and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeStep {
    /// The operation.
    pub op: String,
    /// What was asked, secrets redacted.
    #[serde(with = "palyra_common::json::in_order")]
    pub request: serde_json::Value,
    /// What was answered; `null` when the run ended first.
    #[serde(with = "palyra_common::json::in_order")]
    pub answer: serde_json::Value,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeEnd {
    /// `ok` or the wire name of the error.
    pub outcome: Cow<'static, str>,
    /// The output, when there was one.
    #[serde(with = "shared::json_text_or_none")]
    pub output: Option<JsonText>,
    /// Fuel used.
    pub fuel: u64,
    /// Whether the run opened files that are not on the tape; only in version 1.
    pub open: bool,
}

/// Result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum ReplayVerdict {
    /// Same steps, same outcome, same output and, on the same engine, the same fuel.
    Identical,
    /// The recorded run was timed out or cancelled; the replay is identical up to that point.
    SamePrefix,
    /// The replay diverged.
    Diverged(Divergence),
}

/// Location and reason of a divergence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Divergence {
    /// The step, counted from 1; 0 is the header, the number after the last step is the end.
    pub step: usize,
    /// What differs: `module`, `input`, `op`, `request`, `answer`, `secret`, `outcome`, `output`, `fuel`, `steps`, `files`.
    pub what: String,
    /// The value on the tape.
    pub expected: String,
    /// The finding.
    pub found: String,
}
