//! Directories of the user's files.

use palyra_common::env_vars::PALYRA_CACHE_DIR;
use std::ffi::OsString;
use std::path::PathBuf;

/// Directories of Palyra, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directories {
    /// Files that can be created again: `PALYRA_CACHE_DIR`, `$XDG_CACHE_HOME/palyra` or `~/.cache/palyra`.
    pub(crate) cache: Option<PathBuf>,
    /// Files that cannot: `$XDG_CONFIG_HOME/palyra` or `~/.config/palyra`.
    pub(crate) config: Option<PathBuf>,
    /// Default state root: `~/.palyra`.
    pub(crate) state: Option<PathBuf>,
}

impl Directories {
    /// Returns the directories according to the environment.
    pub(crate) fn from_environment() -> Self {
        Self::find(|name| std::env::var_os(name))
    }

    /// Ignores relative and empty values, which would depend on the working directory.
    fn find(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let below = |name: &str, path: &str| absolute(name).map(|directory| directory.join(path));
        Self {
            cache: absolute(PALYRA_CACHE_DIR)
                .or_else(|| below("XDG_CACHE_HOME", "palyra"))
                .or_else(|| below("HOME", ".cache/palyra")),
            config: below("XDG_CONFIG_HOME", "palyra").or_else(|| below("HOME", ".config/palyra")),
            state: below("HOME", ".palyra"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], cache: Option<&str>, config: Option<&str>) {
        let found = Directories::find(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        let expected = Directories {
            cache: cache.map(PathBuf::from),
            config: config.map(PathBuf::from),
            state: found.state.clone(),
        };
        assert_eq!(found, expected, "{variables:?}");
    }

    #[test]
    fn the_first_absolute_directory_wins() {
        let all =
            [("PALYRA_CACHE_DIR", "/p"), ("XDG_CACHE_HOME", "/x"), ("XDG_CONFIG_HOME", "/y"), ("HOME", "/h")];
        check(&all, Some("/p"), Some("/y/palyra"));
        check(&all[1..], Some("/x/palyra"), Some("/y/palyra"));
        check(&all[3..], Some("/h/.cache/palyra"), Some("/h/.config/palyra"));
        let home = Directories::find(|name| (name == "HOME").then(|| "/h".into()));
        assert_eq!(home.state, Some("/h/.palyra".into()));
        check(&[("PALYRA_CACHE_DIR", "here"), ("XDG_CONFIG_HOME", "")], None, None);
    }
}
