//! The child process that compiles modules: this program, started with an internal name.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use palyra_common::limits::{COMPILE_MEMORY_BYTES, COMPILE_TIMEOUT_MS};
use palyra_plugins_runtime::{ChildCompiler, compile_child_main};

/// The first argument of a process that compiles one module.
pub const NAME: &str = "__compile-module";

/// Compiles a module if this process was started as `PROGRAM __compile-module TIMEOUT_MS MEMORY_BYTES`.
pub fn as_child(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
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

/// Returns a compiler that starts this program for each module; its `main` must begin with [`as_child`].
pub fn compiler() -> std::io::Result<ChildCompiler> {
    let compiler = ChildCompiler::new(std::env::current_exe()?, vec![NAME.into()]);
    Ok(compiler.with_limits(Duration::from_millis(COMPILE_TIMEOUT_MS), COMPILE_MEMORY_BYTES))
}
