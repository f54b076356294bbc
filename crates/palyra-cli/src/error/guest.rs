//! Errors of building guests.

use palyra_common::ErrorCode;
use palyra_daemon::problem::sentence;
use palyra_plugins_guestkit::{GuestkitError, Route};
use serde_json::{Value, json};

/// Returns the message without the output of the compiler.
pub(super) fn message(error: &GuestkitError) -> String {
    match error {
        GuestkitError::StepFailed { step, status, .. } => format!("{step} failed with {status}"),
        GuestkitError::StepTimedOut { step, seconds, .. } => format!("{step} did not end within {seconds} s"),
        GuestkitError::NoRustRoute { target, .. } => {
            format!("cannot compile Rust for `{target}` on this machine")
        }
        error => sentence(error),
    }
}

/// Returns the output of the compiler.
pub(super) fn output(error: &GuestkitError) -> Option<&str> {
    match error {
        GuestkitError::StepFailed { output, .. } | GuestkitError::StepTimedOut { output, .. } => Some(output),
        _ => None,
    }
}

pub(super) fn code(error: &GuestkitError) -> ErrorCode {
    match error {
        GuestkitError::GuestFile { .. }
        | GuestkitError::GuestField { .. }
        | GuestkitError::DuplicateName { .. }
        | GuestkitError::UnknownRoute { .. } => ErrorCode::Usage,
        GuestkitError::File { .. } | GuestkitError::StepStart { .. } => ErrorCode::Io,
        _ => ErrorCode::BuildRefused,
    }
}

/// Returns each attempted way to compile Rust with its error.
pub(super) fn notes(error: &GuestkitError) -> Vec<(&'static str, String)> {
    let GuestkitError::NoRustRoute { refusals, .. } = error else { return Vec::new() };
    let label = |route| match route {
        Route::Installed => "installed",
        Route::Rustup => "rustup",
        Route::Debian => "debian",
    };
    refusals.iter().map(|refusal| (label(refusal.route), refusal.reason.clone())).collect()
}

pub(super) fn details(error: &GuestkitError) -> Value {
    match output(error) {
        Some(output) => json!({ "output": output }),
        None => json!({}),
    }
}
