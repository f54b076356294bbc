//! What people see: everything on stderr, so that stdout belongs to the programs we start.

use std::io::Write;

use palyra_plugins_guestkit::GuestkitError;

/// One line about what happens next.
pub(crate) fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "xtask: {message}");
}

/// One line as it is.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// An error with its causes and, when there is one, its remedy.
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
