//! State shared by the guest's imports in one run: facts, capabilities, tape, log and the first violation.

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

/// Longest subject of a step that is traced; storage keys and names are shorter.
const MAX_SUBJECT_BYTES: usize = 2 << 10;

/// One run, as its host functions see it.
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
    /// Whether files are on the tape; they are not on one of version 1.
    pub(crate) tapes_files: bool,
    pub(crate) changing: Mutex<Changing>,
}

/// The part of a run that changes.
pub(crate) struct Changing {
    pub(crate) tape: TapeMachine,
    pub(crate) log: RunLog,
    pub(crate) violation: Option<WasmPluginRunError>,
    pub(crate) host_calls: u64,
    pub(crate) trace: Vec<HostCallTrace>,
    pub(crate) step_times: StepTimes,
    /// Whether the entry export was called: what a toolchain looks for before that is not the guest's doing.
    pub(crate) entered: bool,
    /// HTTP responses from which a secret was removed.
    pub(crate) masked_responses: u32,
    /// The last name asked for and not granted, so that a later use of `-1` can be explained.
    pub(crate) missed: Option<(CapabilityKind, String)>,
}

/// Why a host operation did not happen; the WIT `host-error`, and one that never reaches the guest.
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
    /// What the file system answered.
    File(FileErrorCode),
    /// A replay that cannot go on: the guest is stopped.
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

    /// The text a guest gets. It says nothing a guest does not know: no address of the operator's network, and nothing
    /// about a closed address but that it is closed.
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

    /// The error the whole run ends with because of this, if it must.
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

/// A question that is on the tape.
pub(crate) enum BegunStep {
    /// Ask it, then put the answer under this number.
    Live(usize),
    /// The tape's answer.
    Replayed(usize, Value),
}

/// A step on its way.
pub(crate) struct Step {
    op: &'static str,
    subject: String,
    started: Instant,
}

impl RunContext {
    /// One capability operation: counted, taped, traced. `live` runs only when this is not a replay.
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

    /// A question to the outside world that is on the tape but is no capability operation. `live` runs only when this
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

    /// The same for an answer that is there at once.
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

    /// Puts the question on the tape, secrets removed.
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

    /// Puts the answer on the tape; an answer it has no room for becomes a reached limit.
    fn settle<T: Serialize>(&self, index: usize, answer: Result<T, HostFailure>) -> Result<T, HostFailure> {
        let taped = serde_json::to_value(&answer).unwrap_or(Value::Null);
        self.settle_as(index, taped, |failure| {
            serde_json::to_value(Err::<(), _>(failure)).unwrap_or(Value::Null)
        })?;
        answer
    }

    /// The same for an answer of another form, with the form of a failure.
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

    /// A reading from outside that is not a capability: a clock, fuel left. Taped, not counted.
    pub(crate) fn observe(&self, op: &'static str, live: impl FnOnce() -> u64) -> Result<u64, HostFailure> {
        let begun = self.changing().tape.begin_reading(op);
        match self.begun(begun)? {
            BegunStep::Live(_) => {
                let reading = rounded(op, live());
                self.changing().tape.reading(op, reading);
                Ok(reading)
            }
            // As version 1 has it.
            BegunStep::Replayed(_, Value::Bool(reading)) => Ok(u64::from(reading)),
            BegunStep::Replayed(index, answer) => self.read_taped(index, answer),
        }
    }

    /// Counts an operation against the limit; what a guest calls things may not tell a secret.
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

    /// Traces a finished operation and remembers the first broken rule.
    pub(crate) fn note<T>(&self, step: Step, answer: Result<T, HostFailure>) -> Result<T, HostFailure> {
        let outcome = answer.as_ref().err().map_or("ok", HostFailure::code);
        let mut changing = self.changing();
        // Beyond the limit only the first refusal is worth a line.
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

    /// Remembers the first broken rule, which decides the run whatever the guest does next.
    fn remember_violation<T>(&self, answer: &Result<T, HostFailure>) {
        if let Some(violation) = answer.as_ref().err().and_then(HostFailure::violation) {
            self.changing().violation.get_or_insert(violation);
        }
    }

    /// Refuses a use before it becomes a step.
    pub(crate) fn refuse<T>(&self, op: &'static str, denial: Denial) -> Result<T, HostFailure> {
        let step = self.count(op, denial.subject.clone())?;
        self.note(step, Err(HostFailure::Denied(denial)))
    }

    /// Writes a log line; one with a secret in it is not written, and ends the run.
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

    /// Nanoseconds since the run began, as the guest may see them.
    pub(crate) fn monotonic_nanos(&self) -> Result<u64, HostFailure> {
        self.observe("clock.monotonic", || saturating_nanos(self.started.elapsed()))
    }

    /// Nanoseconds since 1970, as the guest may see them.
    pub(crate) fn wall_nanos(&self) -> Result<u64, HostFailure> {
        self.observe("clock.wall", || {
            saturating_nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
        })
    }

    /// Milliseconds to the deadline, as the guest may see them.
    pub(crate) fn remaining_millis(&self) -> Result<u64, HostFailure> {
        self.observe("run.remaining_milliseconds", || {
            let left = self.deadline.saturating_duration_since(Instant::now());
            u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// Says that the entry export is called now.
    pub(crate) fn enter(&self) {
        self.changing().entered = true;
    }

    /// Whether the run must stop now, and as what.
    pub(crate) fn interruption(&self) -> Option<WasmPluginRunError> {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return Some(WasmPluginRunError::Cancelled);
        }
        let late = Instant::now() >= self.deadline;
        late.then_some(WasmPluginRunError::TimedOut { limit_ms: self.limits.wall_clock_timeout_ms })
    }

    pub(crate) fn changing(&self) -> MutexGuard<'_, Changing> {
        // A panic while this was held cannot leave it half-changed in a way that matters.
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

/// A subject as it is traced: a URL is as long as the guest wants it.
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

/// Bytes on a tape: base64 text.
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

/// How bytes appear in a taped request: short ones as they are, long ones as their digest.
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
