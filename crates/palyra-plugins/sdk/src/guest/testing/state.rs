//! The state of a harness: the simulated host, and the current call.

use super::error::RunError;
use super::grants::Grants;
use super::handles::Handles;
use crate::guest::http::{Response, SecretForm};
use crate::guest::raw::log::Level;
use crate::guest::raw::types::{CapabilityKind, HostError};
use std::collections::BTreeMap;

/// Maximum number of capability operations in one call, as on the real host.
const MAX_HOST_CALLS: u32 = 256;
/// Maximum size of the log of one call in bytes, as on the real host.
const MAX_LOG_BYTES: usize = 256 << 10;

/// A log line of the guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The severity of the line.
    pub level: Level,
    /// The text, without escaping.
    pub message: String,
}

/// A message that the guest published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The name of the channel.
    pub channel: String,
    /// The media type of the body.
    pub content_type: String,
    /// The body of the message.
    pub body: Vec<u8>,
}

/// A request that a grant allowed, before the host would inject secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// The HTTP method.
    pub method: String,
    /// The URL as the guest wrote it.
    pub url: String,
    /// The header lines, in order.
    pub headers: Vec<(String, String)>,
    /// The body; `None` if the guest set none.
    pub body: Option<Vec<u8>>,
    /// The secrets to inject, by name, with their placements.
    pub secrets: Vec<(String, SecretForm)>,
    /// The time limit of the request, in milliseconds.
    pub timeout_ms: Option<u32>,
}

/// A prepared response to one method and URL. The last one for the same request is used repeatedly.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) answer: Result<Response, HostError>,
}

/// The simulated host: grants, values, prepared responses, and the records of calls.
#[derive(Debug)]
pub(super) struct State {
    pub(super) grants: Grants,
    pub(super) secret_values: BTreeMap<String, Vec<u8>>,
    pub(super) answers: Vec<Prepared>,
    pub(super) stored: BTreeMap<String, Vec<u8>>,
    pub(super) requests: Vec<SentRequest>,
    pub(super) log: Vec<LogLine>,
    pub(super) messages: Vec<Message>,
    pub(super) config: String,
    pub(super) run_id: String,
    pub(super) fuel: u64,
    pub(super) milliseconds: u64,
    pub(super) call: Call,
}

/// The handles and counters of one call.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) tool_id: String,
    pub(super) handles: Handles,
    pub(super) egress: BTreeMap<usize, u64>,
    host_calls: u32,
    log_bytes: usize,
    verdict: Option<RunError>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            grants: Grants::default(),
            secret_values: BTreeMap::new(),
            answers: Vec::new(),
            stored: BTreeMap::new(),
            requests: Vec::new(),
            log: Vec::new(),
            messages: Vec::new(),
            config: "{}".to_owned(),
            run_id: "run-of-the-harness".to_owned(),
            fuel: 10_000_000,
            milliseconds: 30_000,
            call: Call::default(),
        }
    }
}

impl State {
    /// Starts a call with new handles and without any usage.
    pub(super) fn begin_call(&mut self, tool_id: &str) {
        let handles = Handles::draw(&self.grants);
        self.call = Call { tool_id: tool_id.to_owned(), handles, ..Call::default() };
    }

    /// Returns the error that the call ends with regardless of the guest's result.
    pub(super) fn take_verdict(&mut self) -> Option<RunError> {
        self.call.verdict.take()
    }

    /// Counts an operation and resolves its handle.
    pub(super) fn granted_index(&mut self, kind: CapabilityKind, handle: i32) -> Result<usize, HostError> {
        self.call.host_calls += 1;
        if self.call.host_calls > MAX_HOST_CALLS {
            return Err(self.exceed(format!("host_calls: the limit is {MAX_HOST_CALLS}")));
        }
        self.resolve(kind, handle)
    }

    /// Resolves a handle without counting an operation.
    pub(super) fn resolve(&mut self, kind: CapabilityKind, handle: i32) -> Result<usize, HostError> {
        match self.call.handles.resolve(handle) {
            Some((actual, index)) if actual == kind => Ok(index),
            _ => Err(self.deny(format!("{handle} is not a {kind:?} handle of this call"))),
        }
    }

    /// Stores a denial as the error of the call, unless there is an earlier one.
    pub(super) fn deny(&mut self, text: String) -> HostError {
        self.call.verdict.get_or_insert_with(|| RunError::CapabilityDenied(text.clone()));
        HostError::Denied(text)
    }

    /// Stores a reached limit as the error of the call, unless there is an earlier one.
    pub(super) fn exceed(&mut self, text: String) -> HostError {
        self.call.verdict.get_or_insert_with(|| RunError::QuotaExceeded(text.clone()));
        HostError::QuotaExceeded(text)
    }

    /// Stores a log line, unless the log reached its limit.
    pub(super) fn write_log(&mut self, level: Level, message: &str) {
        self.call.log_bytes = self.call.log_bytes.saturating_add(message.len());
        if self.call.log_bytes > MAX_LOG_BYTES {
            self.exceed(format!("log: the limit is {MAX_LOG_BYTES} bytes"));
            return;
        }
        self.log.push(LogLine { level, message: message.to_owned() });
    }
}
