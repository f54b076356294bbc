//! Output of the commands: results on stdout, everything else on stderr.

use std::error::Error;
use std::io::Write;

use palyra_plugins_guestkit::{BuiltGuest, Finding, GuestkitError};
use serde::Serialize;

/// Prints a line about a long step.
pub(super) fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "guestkit: {message}");
}

/// Prints an error with its causes, and its hint if there is one.
pub(super) fn complain(error: &GuestkitError) {
    let mut text = format!("error: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(&format!("\n  caused by: {source}"));
        cause = source.source();
    }
    if let Some(hint) = error.hint() {
        text.push_str(&format!("\nhint: {hint}"));
    }
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints built guests, one line each or as JSON.
pub(super) fn show_guests(guests: &[BuiltGuest], json: bool) {
    #[derive(Serialize)]
    struct Document<'a> {
        guests: &'a [BuiltGuest],
    }
    if json {
        return print_json(&Document { guests });
    }
    for guest in guests {
        let state = if guest.from_cache { "unchanged" } else { "built" };
        print(&format!("{} ({}, {} bytes, {state})", guest.path.display(), guest.language, guest.size));
    }
}

/// Prints findings, one line each or as JSON.
pub(super) fn show_findings(findings: &[Finding], json: bool) {
    #[derive(Serialize)]
    struct Document<'a> {
        findings: &'a [Finding],
    }
    if json {
        return print_json(&Document { findings });
    }
    for finding in findings {
        let mark = if finding.works { "yes" } else { "no " };
        print(&format!("{mark}  {:<36} {}", finding.subject, finding.detail));
    }
}

pub(super) fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn print_json(value: &impl Serialize) {
    if let Ok(text) = serde_json::to_string_pretty(value) {
        print(&text);
    }
}
