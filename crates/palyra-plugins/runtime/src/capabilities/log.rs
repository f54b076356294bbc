//! `log`: lines attributed to the run.

use super::bindings::palyra::plugin::log::{Host, Level};
use crate::run_log::LogLevel;
use crate::run_state::RunState;

impl Host for RunState {
    async fn write(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.run.log(level.into(), "log", &message);
        Ok(())
    }
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Trace => Self::Trace,
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Error => Self::Error,
        }
    }
}
