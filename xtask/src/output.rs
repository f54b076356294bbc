//! Output on stderr, because stdout belongs to the programs that are started.

use std::io::Write;

use palyra_plugins_guestkit::GuestkitError;

/// Prints a line about the next step.
pub(crate) fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "xtask: {message}");
}

/// Prints a line without a prefix.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints an error with its causes and its hint, if it has one.
pub(crate) fn complain(error: &anyhow::Error) {
    line(&format!("error: {error}"));
    for cause in error.chain().skip(1) {
        line(&format!("  caused by: {cause}"));
    }
    let hint = error.chain().find_map(|cause| cause.downcast_ref::<GuestkitError>()?.hint());
    if let Some(hint) = hint {
        line(&format!("hint: {hint}"));
    }
}
