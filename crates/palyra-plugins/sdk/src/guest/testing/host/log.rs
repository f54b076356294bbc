//! `log`.

use super::with;
use crate::guest::raw::log::Level;

/// Keeps one line.
pub fn write(level: Level, message: &str) {
    with(|state| state.write_log(level, message));
}
