//! Starts other programs in the root of the project, and prints their command lines.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{output, project};

/// Returns a command for the cargo that runs this program.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns a command that runs in the root of the project.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(project::root());
    // Build scripts depend on these variables, and would run again whenever the caller of cargo changes.
    for (name, _) in std::env::vars_os().filter(|(name, _)| tells_about_us(name)) {
        command.env_remove(name);
    }
    command
}

/// Returns whether cargo sets this variable to describe the program it runs.
fn tells_about_us(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_"]
        .iter()
        .any(|about| name.starts_with(about))
}

/// Prints the command and runs it; fails if it fails.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let words = words(&command);
    output::say(&words);
    let status = command.status().with_context(|| format!("cannot start `{words}`"))?;
    if !status.success() {
        bail!("`{words}` failed with {status}");
    }
    Ok(())
}

/// Formats the command as it would be typed.
fn words(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| quoted(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_does_not_inherit_what_is_about_us() {
        for (name, about) in
            [("CARGO_PKG_NAME", true), ("CARGO_MANIFEST_DIR", true), ("CARGO_TARGET_DIR", false)]
        {
            assert_eq!(tells_about_us(OsStr::new(name)), about, "{name}");
        }
    }

    #[test]
    fn a_command_reads_as_one_would_type_it() {
        let mut command = Command::new("/usr/bin/palyra");
        command.args(["run", "--input", r#"{"message":"it's"}"#, ""]);
        assert_eq!(words(&command), r#"palyra run --input '{"message":"it'\''s"}' ''"#);
    }

    #[test]
    fn a_failure_names_the_command() {
        let mut command = Command::new("sh");
        command.args(["-c", "exit 3"]);
        let error = run(command).unwrap_err().to_string();
        assert!(error.contains("sh -c 'exit 3'") && error.contains('3'), "{error}");
        let missing = run(Command::new("/nonexistent/tool")).unwrap_err().to_string();
        assert!(missing.contains("cannot start `tool`"), "{missing}");
    }
}
