//! The interface `log` of the harness.

use super::with;
use crate::guest::raw::log::Level;

/// Stores a log line, which the harness returns to the test.
pub fn write(level: Level, message: &str) {
    with(|state| state.write_log(level, message));
}
