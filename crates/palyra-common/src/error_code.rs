//! The error codes, which are the same on every transport.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::run_error::WasmPluginRunErrorKind;

/// Declares the codes with their names on the wire.
macro_rules! error_codes {
    ($($variant:ident = $text:literal,)+) => {
        /// The stable code of an error.
        ///
        /// The list is closed: a new kind is a new variant, and the tables of each transport (HTTP status, gRPC status,
        /// MCP error, exit code) do not compile without a row for it. The texts are part of the API and do not change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the name of a variant is its wire text, explained in docs/daemon.md")]
        pub enum ErrorCode {
            $($variant,)+
            /// A code of a newer daemon, as parsed by a client. This version never produces it.
            Unknown,
        }

        impl ErrorCode {
            /// Every code that this version produces.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown => "unknown",
                }
            }
        }

        impl FromStr for ErrorCode {
            type Err = std::convert::Infallible;

            /// A text that is not listed is [`ErrorCode::Unknown`], so that a client can read codes of a newer daemon.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(match text {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown,
                })
            }
        }
    };
}

error_codes! {
    // Runs.
    Disabled = "disabled",
    NotFound = "not_found",
    NotRunnable = "not_runnable",
    InvalidInput = "invalid_input",
    InvalidOutput = "invalid_output",
    ApprovalRequired = "approval_required",
    CapabilityDenied = "capability_denied",
    QuotaExceeded = "quota_exceeded",
    TimedOut = "timed_out",
    ToolFailed = "tool_failed",
    Trapped = "trapped",
    Busy = "busy",
    Cancelled = "cancelled",
    Internal = "internal",
    // The request itself.
    Usage = "usage",
    Authentication = "authentication",
    Forbidden = "forbidden",
    MethodNotAllowed = "method_not_allowed",
    RequestTimeout = "request_timeout",
    BodyTooLarge = "body_too_large",
    UnsupportedMediaType = "unsupported_media_type",
    Misdirected = "misdirected",
    RateLimited = "rate_limited",
    TooManyStreams = "too_many_streams",
    TooManyUploads = "too_many_uploads",
    Unreachable = "unreachable",
    ShuttingDown = "shutting_down",
    CannotListen = "cannot_listen",
    // The state.
    NotInitialised = "not_initialised",
    AlreadyInitialised = "already_initialised",
    StateBusy = "state_busy",
    StateDamaged = "state_damaged",
    StateIo = "state_io",
    RepairRefused = "repair_refused",
    DeviceKey = "device_key",
    BadBackup = "bad_backup",
    AlreadyExists = "already_exists",
    KeyNotActive = "key_not_active",
    BadKeyFile = "bad_key_file",
    WrongPassphrase = "wrong_passphrase",
    // Trust and verification.
    TrustRefused = "trust_refused",
    Equivocation = "equivocation",
    BadStatement = "bad_statement",
    BadCheckpoint = "bad_checkpoint",
    TooLarge = "too_large",
    ArchiveNotCanonical = "archive_not_canonical",
    BadLineage = "bad_lineage",
    ThresholdNotMet = "threshold_not_met",
    KeyIdDiffers = "key_id_differs",
    StatementMismatch = "statement_mismatch",
    BadManifest = "bad_manifest",
    Incompatible = "incompatible",
    SidecarNotBound = "sidecar_not_bound",
    BadSignature = "bad_signature",
    BadKey = "bad_key",
    BadEnvelope = "bad_envelope",
    BuiltInSkill = "built_in_skill",
    CounterJump = "counter_jump",
    CounterWentBack = "counter_went_back",
    KeyMismatch = "key_mismatch",
    OtherOwner = "other_owner",
    PublisherBlocked = "publisher_blocked",
    PublisherForked = "publisher_forked",
    RetiredKey = "retired_key",
    Revoked = "revoked",
    Rollback = "rollback",
    StaleEpoch = "stale_epoch",
    UnknownRotation = "unknown_rotation",
    WrongNamespace = "wrong_namespace",
    // Skills.
    AuditRefused = "audit_refused",
    ModelNameTaken = "model_name_taken",
    ConsentMismatch = "consent_mismatch",
    OtherRelease = "other_release",
    RollbackBlocked = "rollback_blocked",
    NotInstalled = "not_installed",
    NoEarlierRelease = "no_earlier_release",
    ObjectDamaged = "object_damaged",
    AliasRefused = "alias_refused",
    // Approvals, runs and plugins.
    AlreadyDecided = "already_decided",
    InvalidScope = "invalid_scope",
    NotEnded = "not_ended",
    NotUnderWay = "not_under_way",
    Diverged = "diverged",
    TapeDamaged = "tape_damaged",
    BadReceipt = "bad_receipt",
    InvalidSetting = "invalid_setting",
    InvalidPolicy = "invalid_policy",
    ChangedMeanwhile = "changed_meanwhile",
    // Routines and objectives.
    InUse = "in_use",
    NotFired = "not_fired",
    // Channels.
    NotDelivered = "not_delivered",
    // Hooks.
    BadBindings = "bad_bindings",
    BindingsEdited = "bindings_edited",
    // Commands.
    BadTape = "bad_tape",
    BuildRefused = "build_refused",
    Interrupted = "interrupted",
    Io = "io",
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(|never: std::convert::Infallible| match never {})
    }
}

impl From<WasmPluginRunErrorKind> for ErrorCode {
    fn from(kind: WasmPluginRunErrorKind) -> Self {
        match kind {
            WasmPluginRunErrorKind::Disabled => Self::Disabled,
            WasmPluginRunErrorKind::NotFound => Self::NotFound,
            WasmPluginRunErrorKind::NotRunnable => Self::NotRunnable,
            WasmPluginRunErrorKind::InvalidInput => Self::InvalidInput,
            WasmPluginRunErrorKind::InvalidOutput => Self::InvalidOutput,
            WasmPluginRunErrorKind::ApprovalRequired => Self::ApprovalRequired,
            WasmPluginRunErrorKind::CapabilityDenied => Self::CapabilityDenied,
            WasmPluginRunErrorKind::QuotaExceeded => Self::QuotaExceeded,
            WasmPluginRunErrorKind::TimedOut => Self::TimedOut,
            WasmPluginRunErrorKind::ToolFailed => Self::ToolFailed,
            WasmPluginRunErrorKind::Trapped => Self::Trapped,
            WasmPluginRunErrorKind::Busy => Self::Busy,
            WasmPluginRunErrorKind::Cancelled => Self::Cancelled,
            WasmPluginRunErrorKind::Internal => Self::Internal,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_from_its_text() {
        let mut seen = std::collections::BTreeSet::new();
        for code in ErrorCode::ALL {
            assert!(seen.insert(code.as_str()), "duplicate code `{code}`");
            let json = serde_json::to_string(code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
            assert_eq!(serde_json::from_str::<ErrorCode>(&json).unwrap(), *code);
        }
    }

    #[test]
    fn code_of_a_newer_daemon_reads_as_unknown() {
        assert_eq!(serde_json::from_str::<ErrorCode>("\"later\"").unwrap(), ErrorCode::Unknown);
        assert!(!ErrorCode::ALL.contains(&ErrorCode::Unknown));
    }
}
