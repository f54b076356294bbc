//! Commands for this program and state root that work when pasted into another shell.

use crate::cli::Globals;
use crate::directories::Directories;
use crate::error::CliError;
use crate::state;
use palyra_state::StateRoot;
use std::ffi::OsStr;
use std::path::Path;

/// Writes commands that work as pasted, in any working directory.
pub(crate) struct CommandPrefix(String);

impl CommandPrefix {
    /// Creates the prefix: the program by the name that finds it, and `--state-root` unless it is the default.
    pub(crate) fn new(globals: &Globals) -> Result<Self, CliError> {
        let program =
            std::env::current_exe().map_err(CliError::io("cannot find the path of this program"))?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let root = state::root(globals)?;
        let usual = Directories::from_environment().state.map(StateRoot::new);
        let named = (usual.as_ref() != Some(&root)).then(|| root.path().to_owned());
        Ok(Self(prefix(&program, &path, named.as_deref())))
    }

    pub(crate) fn command(&self, words: &str) -> String {
        format!("{} {words}", self.0)
    }
}

fn prefix(program: &Path, search_path: &OsStr, state_root: Option<&Path>) -> String {
    let found = std::env::split_paths(search_path)
        .filter_map(|directory| directory.join("palyra").canonicalize().ok())
        .next();
    let name = if program.canonicalize().is_ok_and(|program| found == Some(program)) {
        "palyra".to_owned()
    } else {
        quoted(&program.to_string_lossy())
    };
    match state_root {
        None => name,
        Some(root) => format!("{name} --state-root {}", quoted(&root.to_string_lossy())),
    }
}

/// Quotes a word for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn program_on_the_path_is_called_by_its_name() {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("palyra");
        std::fs::write(&program, "").unwrap();
        assert_eq!(prefix(&program, home.path().as_os_str(), None), "palyra");
        assert_eq!(prefix(&program, OsStr::new("/nonexistent"), None), program.display().to_string());
        let odd = prefix(&program, home.path().as_os_str(), Some(Path::new("/srv/my state")));
        assert_eq!(odd, "palyra --state-root '/srv/my state'");
    }

    #[test]
    fn another_palyra_on_the_path_is_not_taken_for_this_one() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for directory in [&home, &other] {
            std::fs::write(directory.path().join("palyra"), "").unwrap();
        }
        let program = home.path().join("palyra");
        assert_eq!(prefix(&program, other.path().as_os_str(), None), program.display().to_string());
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted(r#"{"it's": 1}"#), r#"'{"it'\''s": 1}'"#);
        assert_eq!((quoted("a-b_c.1"), quoted("")), ("a-b_c.1".into(), "''".into()));
    }
}
