//! The location of the cache.

use std::ffi::OsString;
use std::path::PathBuf;

use palyra_common::env_vars::PALYRA_CACHE_DIR;

use crate::error::GuestkitError;

/// Returns `PALYRA_CACHE_DIR`, else `$XDG_CACHE_HOME/palyra`, else `~/.cache/palyra`.
///
/// A relative or empty value is ignored: it would be a different directory for each guest.
pub(crate) fn cache_root(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, GuestkitError> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(PALYRA_CACHE_DIR)
        .or_else(|| absolute("XDG_CACHE_HOME").map(|path| path.join("palyra")))
        .or_else(|| absolute("HOME").map(|path| path.join(".cache/palyra")))
        .ok_or(GuestkitError::NoCacheDirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let root = cache_root(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        assert_eq!(root.ok(), expected.map(PathBuf::from), "{variables:?}");
    }

    #[test]
    fn the_first_absolute_directory_wins() {
        let all = [("PALYRA_CACHE_DIR", "/p"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        check(&all, Some("/p"));
        check(&all[1..], Some("/x/palyra"));
        check(&all[2..], Some("/h/.cache/palyra"));
        check(
            &[("PALYRA_CACHE_DIR", "here"), ("XDG_CACHE_HOME", ""), ("HOME", "/h")],
            Some("/h/.cache/palyra"),
        );
        check(&[], None);
    }
}
