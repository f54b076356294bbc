//! Log lines: `log::info!("{count} items")`, attributed to this run by the host.

pub use super::raw::log::Level;

use super::raw::log as raw;

#[doc(inline)]
pub use crate::{
    __log_debug as debug, __log_error as error, __log_info as info, __log_trace as trace, __log_warn as warn,
};

/// Writes a log line.
pub fn write(level: Level, message: &str) {
    raw::write(level, message);
}

/// Installs a panic hook that writes the message to the log before the run ends.
///
/// A guest has no standard error, so without this the operator sees only the trap. Call it first in a tool.
#[cfg(target_arch = "wasm32")]
pub fn panics() {
    std::panic::set_hook(Box::new(|information| write(Level::Error, &information.to_string())));
}

/// Does nothing in a native build, where the test harness reports panics.
#[cfg(not(target_arch = "wasm32"))]
pub fn panics() {}

/// Writes a line with level `trace`; takes the arguments of `format!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_trace {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Trace, &::std::format!($($part)+)) };
}

/// Writes a line with level `debug`; takes the arguments of `format!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_debug {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Debug, &::std::format!($($part)+)) };
}

/// Writes a line with level `info`; takes the arguments of `format!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_info {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Info, &::std::format!($($part)+)) };
}

/// Writes a line with level `warn`; takes the arguments of `format!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_warn {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Warn, &::std::format!($($part)+)) };
}

/// Writes a line with level `error`; takes the arguments of `format!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_error {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Error, &::std::format!($($part)+)) };
}
