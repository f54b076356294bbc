//! Standard input, which only one argument can use.

use crate::error::CliError;
use crate::files::read_at_most;
use std::io::IsTerminal;

/// Standard input, with the flag that has read it.
pub(crate) struct StandardInput {
    taken_by: Option<String>,
    no_input: bool,
}

impl StandardInput {
    /// Creates a reader of standard input; with `no_input` a terminal is never read.
    pub(crate) fn new(no_input: bool) -> Self {
        Self { taken_by: None, no_input }
    }

    /// Reads standard input for a flag; returns the bytes, and whether there were at most `most`.
    pub(crate) fn read(&mut self, flag: &str, most: u64) -> Result<(Vec<u8>, bool), CliError> {
        if let Some(other) = self.taken_by.replace(flag.to_owned()) {
            return Err(CliError::usage_with_hint(
                format!("`{other}` and `{flag}` cannot both read standard input"),
                "use a file for one of them: `@FILE`",
            ));
        }
        if self.no_input && std::io::stdin().is_terminal() {
            return Err(CliError::usage(format!(
                "`{flag}` would read from the terminal, and `--no-input` forbids that"
            )));
        }
        read_at_most(std::io::stdin().lock(), most.min(64 << 10), most)
            .map_err(|error| CliError::usage(format!("cannot read standard input: {error}")))
    }
}
