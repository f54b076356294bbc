//! Limits of a run: defaults, names and notation.

use crate::byte_size::{format_byte_size, parse_byte_size};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Maximum size of a module or component, in bytes.
pub const MAX_MODULE_BYTES: u64 = 96 << 20;
/// Maximum size of a module in the body of a call, in bytes.
pub const MAX_INLINE_MODULE_BYTES: u64 = 40 << 20;
/// Maximum nesting of JSON from or for a guest.
pub const MAX_JSON_DEPTH: usize = 128;
/// Maximum number of resources that a component holds at once.
pub const MAX_RESOURCES: usize = 4_096;
/// Time after which a compiling process is killed, in milliseconds.
pub const COMPILE_TIMEOUT_MS: u64 = 120_000;
/// Address space of a compiling process, in bytes.
pub const COMPILE_MEMORY_BYTES: u64 = 8 << 30;
/// Stack size of a guest, in bytes. Fixed for the engine.
pub const MAX_STACK_BYTES: u64 = 512 << 10;
/// Maximum number of keys returned by one `storage.list`, also if the guest requests more.
pub const MAX_STORAGE_PAGE: u32 = 1_000;
/// Quota of a storage prefix whose grant has none, in bytes.
pub const DEFAULT_STORAGE_BYTES: u64 = 64 << 20;
/// Maximum number of keys under a storage prefix whose grant has no such limit.
pub const DEFAULT_STORAGE_KEYS: u64 = 1_000_000;
/// Maximum size of a policy, in bytes.
pub const MAX_POLICY_BYTES: usize = 64 << 10;
/// Maximum size of an audit policy, in bytes.
pub const MAX_AUDIT_POLICY_BYTES: usize = 256 << 10;
/// Maximum size of a stored list of advisories as JSON, in bytes.
pub const MAX_ADVISORY_BYTES: usize = 3 << 20;
/// Maximum number of rules in a policy. Each is evaluated for the requests that it can apply to.
pub const MAX_POLICY_RULES: usize = 256;
/// Maximum size of the body of a channel message, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 256 << 10;
/// Maximum size of the steps of a tape, in bytes, unless the run requests another limit. The traffic of a run with
/// the default `max_egress_bytes` fits.
pub const DEFAULT_TAPE_BYTES: u64 = 32 << 20;
/// Upper bound of `max_tape_bytes`.
pub const MAX_TAPE_BYTES: u64 = 256 << 20;
/// Maximum number of HTTP responses of one run from which a secret may be removed. One more ends the run.
pub const MAX_MASKED_RESPONSES: u32 = 8;
/// Maximum length of a storage key with its prefix, in bytes.
pub const MAX_STORAGE_KEY_BYTES: usize = 1_024;
/// Maximum estimated number of steps for checking a value against a schema. A step takes about ten
/// nanoseconds.
pub const MAX_SCHEMA_STEPS: u64 = 1 << 27;

/// The limits of a run. The default is that of the contract; a skill can request other values, up to the operator's
/// upper bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuntimeLimits {
    /// Fuel, roughly the number of instructions. Deterministic.
    pub fuel_budget: u64,
    /// Total size of all linear memories of the run.
    pub max_memory_bytes: u64,
    /// Total number of table elements of the run.
    pub max_table_elements: u64,
    /// Number of core instances in the run.
    pub max_instances: u64,
    /// Wall-clock time from resolving the skill to its result, in milliseconds, with host calls, without compilation.
    pub wall_clock_timeout_ms: u64,
    /// Size of the input as JSON.
    pub max_input_bytes: u64,
    /// Size of the output as JSON.
    pub max_output_bytes: u64,
    /// Total size of log text, standard output and standard error.
    pub max_log_bytes: u64,
    /// Number of calls of capability operations.
    pub max_host_calls: u64,
    /// Total size of HTTP requests and responses.
    pub max_egress_bytes: u64,
    /// Size of the steps of the tape. [`NO_TAPE_LIMIT`] only in tapes that were recorded before this limit existed.
    #[serde(skip_serializing_if = "has_no_tape_limit")]
    pub max_tape_bytes: u64,
}

/// The value of `max_tape_bytes` for tapes of version 1, which have no limit. Never serialized.
pub const NO_TAPE_LIMIT: u64 = u64::MAX;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn has_no_tape_limit(bytes: &u64) -> bool {
    *bytes == NO_TAPE_LIMIT
}

impl Default for RuntimeLimits {
    fn default() -> Self {
        Self {
            fuel_budget: 10_000_000,
            max_memory_bytes: 64 << 20,
            max_table_elements: 100_000,
            max_instances: 256,
            wall_clock_timeout_ms: 30_000,
            max_input_bytes: 1 << 20,
            max_output_bytes: 4 << 20,
            max_log_bytes: 256 << 10,
            max_host_calls: 256,
            max_egress_bytes: 16 << 20,
            max_tape_bytes: DEFAULT_TAPE_BYTES,
        }
    }
}

impl RuntimeLimits {
    /// Applies `name=value`, as written in `--limit` and in manifests.
    ///
    /// Names are those of [`LimitKind`]. `timeout` takes `500ms`, `30s` or `2m`; sizes take `64MiB`.
    pub fn set(&mut self, assignment: &str) -> Result<(), LimitSyntaxError> {
        let (name, value) =
            assignment.split_once('=').ok_or_else(|| LimitSyntaxError::NoEquals(clip(assignment)))?;
        let name = name.trim();
        let kind = LimitKind::SETTABLE
            .into_iter()
            .find(|kind| kind.wire_name() == name)
            .ok_or_else(|| LimitSyntaxError::UnknownLimit(clip(name)))?;
        let bad = |_| LimitSyntaxError::BadValue { kind, value: clip(value) };
        let parsed = match kind {
            LimitKind::Timeout => parse_milliseconds(value).ok_or(()),
            _ => parse_byte_size(value).map_err(|_| ()),
        }
        .map_err(bad)?;
        if parsed == 0 && kind.must_be_positive() {
            return Err(LimitSyntaxError::BadValue { kind, value: clip(value) });
        }
        if let Some(field) = self.field_mut(kind) {
            *field = parsed;
        }
        Ok(())
    }

    /// Returns the value of a limit, or `None` for limits that do not depend on the run, such as `stack`.
    pub fn get(&self, kind: LimitKind) -> Option<u64> {
        let mut copy = self.clone();
        copy.field_mut(kind).copied()
    }

    /// Returns the smaller value of each limit.
    pub fn capped_by(&self, ceiling: &Self) -> Self {
        let mut out = self.clone();
        for kind in LimitKind::SETTABLE {
            if let (Some(field), Some(cap)) = (out.field_mut(kind), ceiling.get(kind)) {
                *field = (*field).min(cap);
            }
        }
        out
    }

    /// Returns the limits with one of them reduced to at most `most`.
    #[must_use]
    pub fn capped_at(&self, kind: LimitKind, most: u64) -> Self {
        let mut out = self.clone();
        if let Some(field) = out.field_mut(kind) {
            *field = (*field).min(most);
        }
        out
    }

    fn field_mut(&mut self, kind: LimitKind) -> Option<&mut u64> {
        Some(match kind {
            LimitKind::Fuel => &mut self.fuel_budget,
            LimitKind::Memory => &mut self.max_memory_bytes,
            LimitKind::Tables => &mut self.max_table_elements,
            LimitKind::Instances => &mut self.max_instances,
            LimitKind::Timeout => &mut self.wall_clock_timeout_ms,
            LimitKind::Input => &mut self.max_input_bytes,
            LimitKind::Output => &mut self.max_output_bytes,
            LimitKind::Log => &mut self.max_log_bytes,
            LimitKind::HostCalls => &mut self.max_host_calls,
            LimitKind::Egress => &mut self.max_egress_bytes,
            LimitKind::Tape => &mut self.max_tape_bytes,
            LimitKind::Stack
            | LimitKind::Compile
            | LimitKind::CompileMemory
            | LimitKind::Storage
            | LimitKind::Resources
            | LimitKind::HostData
            | LimitKind::Schema => return None,
        })
    }

    /// Returns limits so large that [`Self::capped_by`] with them changes nothing.
    #[must_use]
    pub fn unbounded() -> Self {
        let most = u64::MAX >> 1;
        Self {
            fuel_budget: most,
            max_memory_bytes: most,
            max_table_elements: most,
            max_instances: most,
            wall_clock_timeout_ms: most,
            max_input_bytes: most,
            max_output_bytes: most,
            max_log_bytes: most,
            max_host_calls: most,
            max_egress_bytes: most,
            max_tape_bytes: most,
        }
    }
}

/// The kind of limit that a run reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// `fuel_budget`, reported when the guest ran out of fuel.
    Fuel,
    /// `max_memory_bytes`, over all linear memories.
    Memory,
    /// `max_table_elements`, over all tables.
    Tables,
    /// `max_instances`, over all core instances.
    Instances,
    /// `wall_clock_timeout_ms`. Reported as `timed_out` instead of `quota_exceeded`.
    Timeout,
    /// `max_input_bytes`, checked before the run.
    Input,
    /// `max_output_bytes`, checked when the guest writes its result.
    Output,
    /// `max_log_bytes`, over logs, standard output and standard error.
    Log,
    /// `max_host_calls`, over all capabilities.
    HostCalls,
    /// `max_egress_bytes`, or the byte limit of an HTTP rule.
    Egress,
    /// `max_tape_bytes`, over all recorded steps.
    Tape,
    /// The stack of a guest, fixed for the engine.
    Stack,
    /// The time of a compilation.
    Compile,
    /// The memory of a compilation, or the size of its result.
    CompileMemory,
    /// The bytes or keys of a storage grant.
    Storage,
    /// The number of resources that a component holds at once.
    Resources,
    /// The bytes that one host call copies from the guest.
    HostData,
    /// The steps for checking a value against a schema.
    Schema,
}

impl LimitKind {
    /// The limits that a caller can set per run.
    pub const SETTABLE: [Self; 11] = [
        Self::Fuel,
        Self::Memory,
        Self::Tables,
        Self::Instances,
        Self::Timeout,
        Self::Input,
        Self::Output,
        Self::Log,
        Self::HostCalls,
        Self::Egress,
        Self::Tape,
    ];

    /// Returns the name in errors, flags and JSON.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::Memory => "memory",
            Self::Tables => "tables",
            Self::Instances => "instances",
            Self::Timeout => "timeout",
            Self::Input => "input",
            Self::Output => "output",
            Self::Log => "log",
            Self::HostCalls => "host_calls",
            Self::Egress => "egress",
            Self::Tape => "tape",
            Self::Stack => "stack",
            Self::Compile => "compile",
            Self::CompileMemory => "compile_memory",
            Self::Storage => "storage",
            Self::Resources => "resources",
            Self::HostData => "host_data",
            Self::Schema => "schema",
        }
    }

    /// Formats a value of this limit with its unit.
    pub fn format_value(self, value: u64) -> String {
        match self {
            Self::Timeout | Self::Compile => format!("{value}ms"),
            Self::Memory
            | Self::CompileMemory
            | Self::Input
            | Self::Output
            | Self::Log
            | Self::Egress
            | Self::Tape
            | Self::Stack
            | Self::HostData => format_byte_size(value),
            _ => value.to_string(),
        }
    }

    pub(crate) fn must_be_positive(self) -> bool {
        matches!(self, Self::Fuel | Self::Memory | Self::Instances | Self::Timeout)
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.wire_name())
    }
}

/// A `--limit` that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum LimitSyntaxError {
    /// The text has no `=`.
    #[error("limit `{0}` has no `=`")]
    NoEquals(String),
    /// The name is not that of a settable limit.
    #[error("unknown limit `{0}`")]
    UnknownLimit(String),
    /// The value is invalid for the limit.
    #[error("invalid value `{value}` for limit `{kind}`")]
    BadValue { kind: LimitKind, value: String },
}

impl LimitSyntaxError {
    /// Returns advice on how to write the limit.
    pub fn hint(&self) -> String {
        match self {
            Self::BadValue { kind: LimitKind::Timeout, .. } => {
                "write `timeout=500ms`, `timeout=30s` or `timeout=2m`".into()
            }
            Self::BadValue { kind, .. } => {
                let counts = [LimitKind::Fuel, LimitKind::Tables, LimitKind::Instances, LimitKind::HostCalls];
                let example = if counts.contains(kind) { "1000" } else { "64MiB" };
                format!("write a number, for example `{kind}={example}`")
            }
            Self::NoEquals(_) | Self::UnknownLimit(_) => {
                let names: Vec<&str> = LimitKind::SETTABLE.iter().map(|kind| kind.wire_name()).collect();
                format!("write `NAME=VALUE` with one of {}", names.join(", "))
            }
        }
    }
}

fn parse_milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, scale) = if let Some(rest) = text.strip_suffix("ms") {
        (rest, 1)
    } else if let Some(rest) = text.strip_suffix('s') {
        (rest, 1_000)
    } else if let Some(rest) = text.strip_suffix('m') {
        (rest, 60_000)
    } else {
        (text, 1)
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(scale)
}

fn clip(text: &str) -> String {
    crate::text::clip(text, 64).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments() {
        let mut limits = RuntimeLimits::default();
        for assignment in ["fuel=5_000", "memory=1MiB", "timeout=2s", "host_calls=0", "output=10k"] {
            limits.set(assignment).unwrap();
        }
        assert_eq!(
            (
                limits.fuel_budget,
                limits.max_memory_bytes,
                limits.wall_clock_timeout_ms,
                limits.max_host_calls
            ),
            (5_000, 1 << 20, 2_000, 0)
        );
        for bad in ["fuel", "fuel=", "fuel=0", "speed=1", "timeout=1h", "memory=-1", "stack=1k"] {
            let error = limits.set(bad).unwrap_err();
            assert!(!error.hint().is_empty(), "{bad}");
        }
    }

    #[test]
    fn a_ceiling_only_lowers() {
        let ask = RuntimeLimits { fuel_budget: u64::MAX, max_log_bytes: 1, ..RuntimeLimits::default() };
        let got = ask.capped_by(&RuntimeLimits::default());
        assert_eq!(got.fuel_budget, 10_000_000);
        assert_eq!(got.max_log_bytes, 1);
    }
}
