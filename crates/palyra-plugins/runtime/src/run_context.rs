//! The state of one run that all imports share: facts, capabilities, tape, log and the first violation.

mod channels;
mod files;
mod http;
mod memory;
mod secrets;
mod storage;

pub(crate) use files::{FileErrorCode, FileUse, denied_escape, denied_open, denied_write};
pub(crate) use http::{HttpAnswer, HttpHeader, HttpOutgoing, HttpSecret};
pub(crate) use secrets::GuardedSecrets;

use crate::backends::{BackendError, HostServices};
use crate::capabilities::CapabilityHandles;
use crate::invocation::CancelToken;
use crate::meter::MemoryMeter;
use crate::random::RunSeed;
use crate::report::HostCallTrace;
use crate::run_log::{LogLevel, RunLog};
use crate::step_times::StepTimes;
use crate::tape::{Begun, TapeFull, TapeMachine, rounded};
use ipnet::IpNet;
use palyra_common::{
    CapabilityGrantSet, CapabilityKind, Denial, JsonText, LimitKind, RuntimeLimits, WasmPluginRunError,
};
use palyra_egress::ByteBudget;
use parking_lot::{Mutex, MutexGuard};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum length of a traced subject, in bytes. Storage keys and names are shorter.
const MAX_SUBJECT_BYTES: usize = 2 << 10;

/// A run, as its host functions see it.
pub(crate) struct RunContext {
    pub(crate) run_id: Arc<str>,
    pub(crate) tool_id: Arc<str>,
    pub(crate) owner: Arc<str>,
    pub(crate) operator_config: JsonText,
    pub(crate) grants: Arc<CapabilityGrantSet>,
    pub(crate) allow_addresses: Arc<[IpNet]>,
    pub(crate) limits: RuntimeLimits,
    pub(crate) memory: MemoryMeter,
    /// The fuel used up to the last tick. The report has the exact amount.
    pub(crate) fuel: AtomicU64,
    pub(crate) services: Arc<HostServices>,
    pub(crate) handles: CapabilityHandles,
    pub(crate) secrets: GuardedSecrets,
    pub(crate) budget: ByteBudget,
    pub(crate) seed: RunSeed,
    pub(crate) started: Instant,
    pub(crate) deadline: Instant,
    pub(crate) cancel: Option<CancelToken>,
    pub(crate) tape_key: [u8; 32],
    pub(crate) is_replay: bool,
    /// Whether file access is recorded on the tape, which is not the case in version 1.
    pub(crate) tapes_files: bool,
    pub(crate) changing: Mutex<Changing>,
}

/// The mutable state of a run.
pub(crate) struct Changing {
    pub(crate) tape: TapeMachine,
    pub(crate) log: RunLog,
    pub(crate) violation: Option<WasmPluginRunError>,
    pub(crate) host_calls: u64,
    pub(crate) trace: Vec<HostCallTrace>,
    pub(crate) step_times: StepTimes,
    /// Whether the entry export was called. Earlier file lookups come from the toolchain and not from the guest.
    pub(crate) entered: bool,
    /// Number of HTTP responses in which a secret was masked.
    pub(crate) masked_responses: u32,
    /// The last name that was requested but not granted, which explains a later use of handle `-1`.
    pub(crate) missed: Option<(CapabilityKind, String)>,
}

/// The reason why a host operation failed: the WIT `host-error`, and one variant that never reaches the guest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HostFailure {
    Denied(Denial),
    Quota {
        limit: LimitKind,
        allowed: u64,
        used: u64,
    },
    Invalid(String),
    TimedOut,
    Unavailable(String),
    /// An error of the file system.
    File(FileErrorCode),
    /// A replay that cannot continue, so the guest is stopped.
    #[serde(skip)]
    Stopped,
}

impl HostFailure {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Denied(_) => "denied",
            Self::Quota { .. } => "quota_exceeded",
            Self::Invalid(_) => "invalid_argument",
            Self::TimedOut => "timed_out",
            Self::Unavailable(_) => "unavailable",
            Self::File(code) => code.name(),
            Self::Stopped => "stopped",
        }
    }

    /// Returns the message for the guest. It contains nothing that a guest must not learn: no address of the operator's
    /// network, and about a blocked address only that it is blocked.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Denied(denial) => {
                let is_address = denial.grant.as_deref().is_some_and(|grant| grant.starts_with("address:"));
                let hints = if is_address { Vec::new() } else { denial.hints() };
                if hints.is_empty() { denial.to_string() } else { format!("{denial}; {}", hints.join("; ")) }
            }
            Self::Quota { limit, allowed, .. } => {
                format!("over the {limit} limit of {}", limit.format_value(*allowed))
            }
            Self::Invalid(reason) | Self::Unavailable(reason) => reason.clone(),
            Self::TimedOut => "no answer in time".into(),
            Self::File(code) => code.name().into(),
            Self::Stopped => "stopped".into(),
        }
    }

    /// Returns the error that the whole run ends with because of this failure, if any.
    pub(crate) fn violation(&self) -> Option<WasmPluginRunError> {
        match self {
            Self::Denied(denial) => Some(WasmPluginRunError::CapabilityDenied(denial.clone())),
            Self::Quota { limit, allowed, used } => {
                Some(WasmPluginRunError::QuotaExceeded { limit: *limit, allowed: *allowed, used: *used })
            }
            _ => None,
        }
    }
}

impl From<BackendError> for HostFailure {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::OverQuota { allowed, used } => {
                Self::Quota { limit: LimitKind::Storage, allowed, used }
            }
            BackendError::Unavailable(reason) => Self::Unavailable(reason),
        }
    }
}

/// A step that was written to the tape.
pub(crate) enum BegunStep {
    /// Perform the operation, then record its answer under this index.
    Live(usize),
    /// The answer from the tape.
    Replayed(usize, Value),
}

/// A step in progress.
pub(crate) struct Step {
    op: &'static str,
    subject: String,
    started: Instant,
}

impl RunContext {
    /// Performs a capability operation: counted, recorded and traced. `live` runs only if this is not a replay.
    pub(crate) async fn step<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        subject: String,
        request: Value,
        live: impl Future<Output = Result<T, HostFailure>>,
    ) -> Result<T, HostFailure> {
        let step = self.count(op, subject)?;
        let answer = self.taped(op, request, live).await;
        self.note(step, answer)
    }

    /// Performs an operation that is recorded on the tape but is not a capability operation. `live` runs only if this
    /// is not a replay.
    pub(crate) async fn taped<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        request: Value,
        live: impl Future<Output = Result<T, HostFailure>>,
    ) -> Result<T, HostFailure> {
        match self.begin(op, request)? {
            BegunStep::Live(index) => self.settle(index, live.await),
            BegunStep::Replayed(index, answer) => self.read_answer(index, answer),
        }
    }

    /// Like [`Self::taped`], for an operation that completes immediately.
    pub(crate) fn taped_now<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        request: Value,
        live: impl FnOnce() -> Result<T, HostFailure>,
    ) -> Result<T, HostFailure> {
        match self.begin(op, request)? {
            BegunStep::Live(index) => self.settle(index, live()),
            BegunStep::Replayed(index, answer) => self.read_answer(index, answer),
        }
    }

    /// Writes a request to the tape, with secrets masked.
    pub(crate) fn begin(&self, op: &'static str, request: Value) -> Result<BegunStep, HostFailure> {
        let request = self.secrets.redact_value(request);
        let mut changing = self.changing();
        let begun = changing.tape.begin(op, request);
        if let Begun::Live(index) = begun {
            changing.step_times.begin(index);
        }
        drop(changing);
        self.begun(begun)
    }

    fn begun(&self, begun: Begun) -> Result<BegunStep, HostFailure> {
        match begun {
            Begun::Live(index) => Ok(BegunStep::Live(index)),
            Begun::Replayed(index, answer) => Ok(BegunStep::Replayed(index, answer)),
            Begun::Stopped => Err(HostFailure::Stopped),
            Begun::Full(full) => Err(self.tape_is_full(full)),
        }
    }

    /// Writes an answer to the tape. If it does not fit, it becomes a limit that was reached.
    fn settle<T: Serialize>(&self, index: usize, answer: Result<T, HostFailure>) -> Result<T, HostFailure> {
        let taped = serde_json::to_value(&answer).unwrap_or(Value::Null);
        self.settle_as(index, taped, |failure| {
            serde_json::to_value(Err::<(), _>(failure)).unwrap_or(Value::Null)
        })?;
        answer
    }

    /// Like `settle`, for an answer that the caller encoded; `failed` encodes a failure.
    pub(crate) fn settle_as(
        &self,
        index: usize,
        taped: Value,
        failed: impl FnOnce(&HostFailure) -> Value,
    ) -> Result<(), HostFailure> {
        let mut changing = self.changing();
        changing.step_times.end(index);
        let full = changing.tape.answer(index, taped);
        drop(changing);
        full.map_err(|full| {
            let failure = self.tape_is_full(full);
            self.changing().tape.answer_shortly(index, failed(&failure));
            failure
        })
    }

    fn tape_is_full(&self, TapeFull { allowed, used }: TapeFull) -> HostFailure {
        let failure = HostFailure::Quota { limit: LimitKind::Tape, allowed, used };
        self.remember_violation(&Err::<(), _>(failure.clone()));
        failure
    }

    /// Records a reading that is not a capability operation, such as a clock or the remaining fuel. Not counted.
    pub(crate) fn observe(&self, op: &'static str, live: impl FnOnce() -> u64) -> Result<u64, HostFailure> {
        let begun = self.changing().tape.begin_reading(op);
        match self.begun(begun)? {
            BegunStep::Live(_) => {
                let reading = rounded(op, live());
                self.changing().tape.reading(op, reading);
                Ok(reading)
            }
            // Version 1 recorded some readings as booleans.
            BegunStep::Replayed(_, Value::Bool(reading)) => Ok(u64::from(reading)),
            BegunStep::Replayed(index, answer) => self.read_taped(index, answer),
        }
    }

    /// Counts an operation against the limit. Secrets in the subject are masked, because the guest chooses it.
    pub(crate) fn count(&self, op: &'static str, subject: String) -> Result<Step, HostFailure> {
        let subject = clipped(self.secrets.redact_text(&subject).into_owned());
        let step = Step { op, subject, started: Instant::now() };
        let allowed = self.limits.max_host_calls;
        let used = {
            let mut changing = self.changing();
            changing.host_calls = changing.host_calls.saturating_add(1);
            changing.host_calls
        };
        if used > allowed {
            return self.note(step, Err(HostFailure::Quota { limit: LimitKind::HostCalls, allowed, used }));
        }
        Ok(step)
    }

    /// Traces a finished operation and stores the first violation.
    pub(crate) fn note<T>(&self, step: Step, answer: Result<T, HostFailure>) -> Result<T, HostFailure> {
        let outcome = answer.as_ref().err().map_or("ok", HostFailure::code);
        let mut changing = self.changing();
        // Beyond the limit, only the first refusal is traced.
        if (changing.trace.len() as u64) <= self.limits.max_host_calls {
            let trace = HostCallTrace {
                op: step.op,
                subject: step.subject,
                outcome,
                elapsed: step.started.elapsed(),
            };
            changing.trace.push(trace);
        }
        drop(changing);
        self.remember_violation(&answer);
        answer
    }

    /// Stores the first violation, which determines the result of the run even if the guest ignores it.
    fn remember_violation<T>(&self, answer: &Result<T, HostFailure>) {
        if let Some(violation) = answer.as_ref().err().and_then(HostFailure::violation) {
            self.changing().violation.get_or_insert(violation);
        }
    }

    /// Counts and traces a denied operation, which is not recorded on the tape.
    pub(crate) fn refuse<T>(&self, op: &'static str, denial: Denial) -> Result<T, HostFailure> {
        let step = self.count(op, denial.subject.clone())?;
        self.note(step, Err(HostFailure::Denied(denial)))
    }

    /// Writes a log line. A line with a secret is not written, and ends the run.
    pub(crate) fn log(&self, level: LogLevel, source: &'static str, message: &str) {
        if self.check_no_secret("log.write", "a log line", message.as_bytes()).is_err() {
            return;
        }
        let mut changing = self.changing();
        match (changing.log.push(level, source, message), &self.services.on_line) {
            (Ok(line), Some(on_line)) => on_line(&self.run_id, line),
            (Ok(_), None) => {}
            (Err(used), _) => {
                let allowed = self.limits.max_log_bytes;
                changing.violation.get_or_insert(WasmPluginRunError::QuotaExceeded {
                    limit: LimitKind::Log,
                    allowed,
                    used,
                });
            }
        }
    }

    /// Returns the nanoseconds since the start of the run, as visible to the guest.
    pub(crate) fn monotonic_nanos(&self) -> Result<u64, HostFailure> {
        self.observe("clock.monotonic", || saturating_nanos(self.started.elapsed()))
    }

    /// Returns the nanoseconds since 1970, as visible to the guest.
    pub(crate) fn wall_nanos(&self) -> Result<u64, HostFailure> {
        self.observe("clock.wall", || {
            saturating_nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
        })
    }

    /// Returns the milliseconds until the deadline, as visible to the guest.
    pub(crate) fn remaining_millis(&self) -> Result<u64, HostFailure> {
        self.observe("run.remaining_milliseconds", || {
            let left = self.deadline.saturating_duration_since(Instant::now());
            u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// Records that the entry export is called now.
    pub(crate) fn enter(&self) {
        self.changing().entered = true;
    }

    /// Returns the error to stop the run with, if it was cancelled or its deadline passed.
    pub(crate) fn interruption(&self) -> Option<WasmPluginRunError> {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return Some(WasmPluginRunError::Cancelled);
        }
        let late = Instant::now() >= self.deadline;
        late.then_some(WasmPluginRunError::TimedOut { limit_ms: self.limits.wall_clock_timeout_ms })
    }

    pub(crate) fn changing(&self) -> MutexGuard<'_, Changing> {
        // A panic while this is locked cannot leave it in an inconsistent state that matters.
        self.changing.lock()
    }

    pub(crate) fn read_answer<T: DeserializeOwned>(
        &self,
        index: usize,
        answer: Value,
    ) -> Result<T, HostFailure> {
        self.read_taped::<Result<T, HostFailure>>(index, answer)?
    }

    fn read_taped<T: DeserializeOwned>(&self, index: usize, answer: Value) -> Result<T, HostFailure> {
        serde_json::from_value(answer).map_err(|error| {
            self.changing().tape.diverge(
                index,
                "answer",
                "an answer of this operation".into(),
                error.to_string(),
            );
            HostFailure::Stopped
        })
    }
}

/// Clips a subject for the trace, because the guest determines the length of a URL.
fn clipped(subject: String) -> String {
    if subject.len() > MAX_SUBJECT_BYTES {
        subject[..subject.floor_char_boundary(MAX_SUBJECT_BYTES)].to_owned()
    } else {
        subject
    }
}

fn saturating_nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Bytes that are base64 text on a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blob(pub(crate) Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&base64::display::Base64Display::new(
            &self.0,
            &base64::engine::general_purpose::STANDARD,
        ))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use base64::Engine;
        let text = String::deserialize(deserializer)?;
        base64::engine::general_purpose::STANDARD.decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

/// Returns the length and digest of bytes, which represent them in a recorded request.
pub(crate) fn taped_bytes(bytes: &[u8]) -> Value {
    use sha2::Digest;
    json!({ "bytes": bytes.len(), "sha256": hex::encode(sha2::Sha256::digest(bytes)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denial_for_a_guest_has_no_address_of_the_network() {
        let denial = Denial {
            kind: CapabilityKind::Http,
            subject: "http://api.example.com/".into(),
            reason: "`api.example.com` resolves to a private address".into(),
            grant: Some("address:10.1.2.3/32".into()),
            manifest: None,
        };
        let message = HostFailure::Denied(denial).message();
        assert!(message.contains("a private address") && !message.contains("10.1.2.3"), "{message}");
    }
}
