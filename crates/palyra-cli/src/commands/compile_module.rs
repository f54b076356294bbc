//! `palyra __compile-module`: the child in which modules are compiled. It is not for people, so no help names it.

use palyra_plugins_runtime::compile_child_main;
use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument that makes this process a compiler.
pub(crate) const NAME: &str = "__compile-module";

/// Compiles, if this process was started for that: `palyra __compile-module TIMEOUT_MS MEMORY_BYTES`.
pub(crate) fn as_child(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != NAME {
        return None;
    }
    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    Some(match (number(), number()) {
        (Some(timeout_ms), Some(memory_bytes)) => compile_child_main(timeout_ms, memory_bytes),
        _ => ExitCode::from(2),
    })
}
