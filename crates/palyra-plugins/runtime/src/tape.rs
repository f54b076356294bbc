//! The tape: every external input of a guest, in order.
//!
//! Its text form has one JSON object per line: a header, the steps, the large values that answers refer to, and an end.
//! A tape has exactly one encoding and anything else is rejected, so equal tapes are equal bytes.
//!
//! Version 2 stores clock readings in blocks, large values once by their digest, and file access as steps; it has a
//! size limit. Tapes of version 1 are read, written and replayed in their own format.

mod facts;
mod format;
mod machine;
mod recording;
mod shared;

pub(crate) use facts::rounded;
pub use format::TapeError;
pub(crate) use machine::{Begun, TapeMachine};
pub use palyra_common::model::runs::{Divergence, ReplayVerdict};
pub(crate) use recording::TapeFull;

use crate::invocation::Entry;
use palyra_common::{CapabilityGrantSet, JsonText, RuntimeLimits};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The schema name in the first line of a tape.
pub(crate) const TAPE_SCHEMA: &str = "palyra.tape/v2";
/// The schema name of tapes without blocks, large values, files and a limit.
pub(crate) const TAPE_SCHEMA_V1: &str = "palyra.tape/v1";

/// The recording of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tape {
    /// The initial state of the run.
    pub header: TapeHeader,
    /// The requests of the run, with their answers.
    pub steps: Vec<TapeStep>,
    /// Values that are too large for a step, by the SHA-256 of their JSON text. Each is stored once.
    pub blobs: BTreeMap<String, serde_json::Value>,
    /// The result of the run.
    pub end: TapeEnd,
}

/// The initial state of a run. Its texts are shared with the run, because each call has a tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeHeader {
    /// `palyra.tape/v2`, or `palyra.tape/v1` for an older tape.
    pub schema: Cow<'static, str>,
    /// SHA-256 of the module, hexadecimal.
    #[serde(with = "shared")]
    pub module_sha256: Arc<str>,
    /// The version and settings of the engine.
    #[serde(with = "shared")]
    pub engine: Arc<str>,
    /// The export that was called.
    pub entry: Entry,
    /// The id of the run.
    #[serde(with = "shared")]
    pub run_id: Arc<str>,
    /// The skill that the run belongs to.
    #[serde(with = "shared")]
    pub owner: Arc<str>,
    /// The input as JSON text.
    #[serde(with = "shared::json_text")]
    pub input: JsonText,
    /// The operator's settings as JSON text.
    #[serde(with = "shared::json_text")]
    pub operator_config: JsonText,
    /// The capabilities that the guest could use.
    #[serde(with = "shared")]
    pub grants: Arc<CapabilityGrantSet>,
    /// The limits in effect.
    pub limits: RuntimeLimits,
    /// The seed of all randomness, serialized in hexadecimal.
    #[serde(with = "shared::hexadecimal")]
    pub seed: [u8; 32],
}

impl TapeHeader {
    /// Returns whether the tape is of version 1: one step per clock reading, no files, no limit.
    pub fn is_version_1(&self) -> bool {
        self.schema == TAPE_SCHEMA_V1
    }
}

/// A request of the guest to the outside, with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeStep {
    /// The operation, such as `storage.get`.
    pub op: String,
    /// The request, with secrets masked.
    #[serde(with = "palyra_common::json::in_order")]
    pub request: serde_json::Value,
    /// The answer; `null` if the run ended before it.
    #[serde(with = "palyra_common::json::in_order")]
    pub answer: serde_json::Value,
}

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapeEnd {
    /// `ok`, or the name of the error.
    pub outcome: Cow<'static, str>,
    /// The output; `None` if there was none.
    #[serde(with = "shared::json_text_or_none")]
    pub output: Option<JsonText>,
    /// The fuel used.
    pub fuel: u64,
    /// Whether the run opened files that are not on the tape. Only in version 1.
    pub open: bool,
}
