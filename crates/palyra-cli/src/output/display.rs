//! Properties of standard output: width, colour and time zone.
//!
//! On a terminal, tables fit its width and times are relative. A pipe gets whole tables and ISO times in UTC, so that
//! scripts get the same output on every machine.

use anstyle::{AnsiColor, Style};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;

/// Number of columns of a terminal that does not report its width.
const DEFAULT_WIDTH: usize = 80;
/// Smaller reported widths are treated as unknown.
const MIN_TERMINAL_WIDTH: usize = 9;
/// Age in seconds from which a date is shown instead of a number of days.
const RELATIVE_SECONDS: i64 = 7 * 86_400;

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// The properties of standard output.
#[derive(Debug, Clone, Default)]
pub(crate) struct Display {
    /// `None` in a pipe.
    width: Option<usize>,
    colour: bool,
    /// Time zone for people; `None` for ISO times in UTC.
    zone: Option<TimeZone>,
}

impl Display {
    /// Detects the properties of standard output and applies them to this process.
    pub(crate) fn apply(utc: bool) {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        let display = Self {
            width: terminal.then(|| width(&stdout)),
            colour: anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never,
            zone: (terminal && !utc).then(local_zone),
        };
        // Applied once, after the command line is parsed.
        let _ = DISPLAY.set(display);
    }

    /// Returns the display of this process, or that of a pipe before one is set.
    pub(super) fn current() -> &'static Self {
        static PIPE: Display = Display { width: None, colour: false, zone: None };
        DISPLAY.get().unwrap_or(&PIPE)
    }

    /// Returns the number of columns of the terminal, or `None` in a pipe.
    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Colours a status.
    pub(super) fn status(&self, shown: &str, word: &str) -> String {
        match status_style(word).filter(|_| self.colour) {
            Some(style) => format!("{style}{shown}{style:#}"),
            None => shown.to_owned(),
        }
    }

    #[cfg(test)]
    pub(super) fn with_width(width: usize) -> Self {
        Self { width: Some(width), ..Self::default() }
    }

    fn age(&self, at_ms: u64, now: Timestamp) -> String {
        match (&self.zone, instant(at_ms)) {
            (Some(zone), Some(at)) => relative(at, now, zone),
            _ => palyra_daemon::when(at_ms),
        }
    }

    fn date(&self, at_ms: u64) -> String {
        match (&self.zone, instant(at_ms)) {
            (Some(zone), Some(at)) => local(at, zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
            _ => palyra_daemon::when(at_ms),
        }
    }
}

/// Formats a time in a table: `5 min ago` on a terminal, ISO in a pipe.
pub(crate) fn when(at_ms: u64) -> String {
    Display::current().age(at_ms, now())
}

/// Formats the time of a log line as date and time.
pub(crate) fn timestamp(at_ms: u64) -> String {
    Display::current().date(at_ms)
}

/// Formats a time among facts: date and age on a terminal.
pub(crate) fn moment(at_ms: u64) -> String {
    let display = Display::current();
    let (date, age) = (display.date(at_ms), display.age(at_ms, now()));
    if date.starts_with(&age) { date } else { format!("{date} ({age})") }
}

/// Formats an ISO time as [`when`] does; other text is unchanged.
pub(crate) fn when_text(text: &str) -> String {
    let at = text.parse::<Timestamp>().ok().and_then(|at| u64::try_from(at.as_millisecond()).ok());
    at.map_or_else(|| text.to_owned(), when)
}

/// Truncates a line to the width of the terminal; in a pipe it is unchanged.
pub(crate) fn fitted(line: &str) -> String {
    match Display::current().width() {
        Some(width) if line.chars().count() > width => line.chars().take(width - 1).chain(['…']).collect(),
        _ => line.to_owned(),
    }
}

fn now() -> Timestamp {
    Timestamp::try_from(palyra_common::time::system_time()).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn instant(at_ms: u64) -> Option<Timestamp> {
    i64::try_from(at_ms).ok().and_then(|at| Timestamp::from_millisecond(at).ok())
}

fn local(at: Timestamp, zone: &TimeZone) -> Zoned {
    at.to_zoned(zone.clone())
}

fn relative(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let seconds = now.as_second() - at.as_second();
    let amount = match seconds.abs() {
        0..5 => return "now".to_owned(),
        age @ 5..60 => format!("{age} s"),
        age @ 60..3_600 => format!("{} min", age / 60),
        age @ 3_600..86_400 => format!("{} h", age / 3_600),
        age @ 86_400..RELATIVE_SECONDS => format!("{} d", age / 86_400),
        _ => return local(at, zone).strftime("%Y-%m-%d %H:%M").to_string(),
    };
    if seconds > 0 { format!("{amount} ago") } else { format!("in {amount}") }
}

/// Returns the zone that `TZ` or `/etc/localtime` names, or else UTC.
fn local_zone() -> TimeZone {
    let named = std::env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned());
    let named = named.filter(|name| !name.is_empty()).or_else(|| {
        let link = Path::new("/etc/localtime").read_link().ok()?;
        link.to_str()?.split_once("zoneinfo/").map(|(_, name)| name.to_owned())
    });
    named.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC)
}

/// Truncates a line to the width of standard error, so that it can be erased.
pub(crate) fn fitting_line(text: &str) -> String {
    let width = width(&std::io::stderr()) - 1;
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        text.chars().take(width - 1).chain(['…']).collect()
    }
}

fn width(terminal: &impl std::os::fd::AsFd) -> usize {
    let columns = rustix::termios::tcgetwinsize(terminal).map(|size| usize::from(size.ws_col));
    columns.ok().filter(|columns| *columns > MIN_TERMINAL_WIDTH).unwrap_or(DEFAULT_WIDTH)
}

/// Returns green for success, red for failure and yellow for pending states.
fn status_style(word: &str) -> Option<Style> {
    let first = word.split([' ', ',', ':']).next().unwrap_or_default();
    let colour = match first {
        "active" | "completed" | "ok" | "approved" | "running," | "running" | "enabled" | "delivered"
        | "valid" => AnsiColor::Green,
        "failed" | "quarantined" | "error" | "denied" | "revoked" | "blocked" | "problem" | "cancelled"
        | "interrupted" => AnsiColor::Red,
        "pending" | "awaiting" | "started" | "disabled" | "paused" | "expired" | "warning" | "not"
        | "skipped" => AnsiColor::Yellow,
        // Error codes of runs are failures.
        _ if word.contains('_') => AnsiColor::Red,
        _ => return None,
    };
    Some(colour.on_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative_for_a_week_then_dates() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let zone = TimeZone::get("Europe/Prague").unwrap();
        let check = |at: &str, expected: &str| {
            assert_eq!(relative(at.parse().unwrap(), now, &zone), expected, "{at}");
        };
        check("2026-03-10T11:59:58Z", "now");
        check("2026-03-10T11:59:18Z", "42 s ago");
        check("2026-03-10T11:01:00Z", "59 min ago");
        check("2026-03-10T01:00:00Z", "11 h ago");
        check("2026-03-05T11:00:00Z", "5 d ago");
        check("2026-03-10T12:05:00Z", "in 5 min");
        check("2026-01-31T12:00:00Z", "2026-01-31 13:00");
    }

    #[test]
    fn pipe_gets_iso_times_and_no_colour() {
        let pipe = Display::default();
        assert_eq!(pipe.age(1_767_225_600_000, now()), "2026-01-01T00:00:00Z");
        assert_eq!(pipe.date(1_767_225_600_000), "2026-01-01T00:00:00Z");
        assert_eq!(pipe.status("failed", "failed"), "failed");
        let colour = Display { colour: true, ..Display::default() };
        assert!(colour.status("failed  ", "failed").starts_with("\u{1b}[31mfailed  "));
    }
}
