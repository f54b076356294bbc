//! Conversion of host failures to errors of the guest.

use super::bindings::palyra::plugin::types::{CapabilityKind as WitKind, Host, HostError};
use crate::fault::{ReplayStopped, RunFault};
use crate::run_context::HostFailure;
use crate::run_state::RunState;
use palyra_common::CapabilityKind;

impl Host for RunState {}

/// Returns host failures to the guest as values; a stopped replay ends the guest.
pub(super) fn to_guest<T>(answer: Result<T, HostFailure>) -> wasmtime::Result<Result<T, HostError>> {
    match answer {
        Ok(value) => Ok(Ok(value)),
        Err(HostFailure::Stopped) => Err(ReplayStopped.into()),
        Err(failure) => {
            let message = failure.message();
            Ok(Err(match failure {
                HostFailure::Denied(_) => HostError::Denied(message),
                HostFailure::Quota { .. } => HostError::QuotaExceeded(message),
                HostFailure::Invalid(_) => HostError::InvalidArgument(message),
                HostFailure::TimedOut => HostError::TimedOut,
                HostFailure::Unavailable(_) | HostFailure::File(_) | HostFailure::Stopped => {
                    HostError::Unavailable(message)
                }
            }))
        }
    }
}

/// Unwraps an answer that has no error type for the guest: a failure ends the run.
pub(crate) fn or_stop<T>(answer: Result<T, HostFailure>) -> wasmtime::Result<T> {
    answer.map_err(|failure| match failure.violation() {
        Some(violation) => RunFault(violation).into(),
        None => ReplayStopped.into(),
    })
}

impl From<WitKind> for CapabilityKind {
    fn from(kind: WitKind) -> Self {
        match kind {
            WitKind::Http => Self::Http,
            WitKind::Secret => Self::Secret,
            WitKind::Storage => Self::Storage,
            WitKind::Channel => Self::Channel,
        }
    }
}
