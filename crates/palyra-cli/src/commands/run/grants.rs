//! `--grant` and `--limit`.

use crate::cli::Globals;
use crate::directories::Directories;
use crate::error::CliError;
use palyra_common::capabilities::FilesystemGrant;
use palyra_common::env_vars::PALYRA_STATE_ROOT;
use palyra_common::{Capability, CapabilityGrantSet, LimitKind, OperatorGrants, RuntimeLimits};
use palyra_plugins_runtime::RuntimeConfig;
use std::path::{Path, PathBuf};

/// Parses grants; a directory must be named, and must not contain Palyra's own keys, code or state.
pub(crate) fn read_grants(texts: &[String], globals: &Globals) -> Result<OperatorGrants, CliError> {
    let grants = OperatorGrants::parse(texts)?;
    let own = own_directories(globals);
    for grant in grants.capabilities.filesystem() {
        check_directory(grant, &own)?;
    }
    Ok(grants)
}

/// Rejects a directory that contains Palyra's own keys, code or state, or is inside of them.
pub(super) fn check_own_directory(flag: &str, directory: &Path, globals: &Globals) -> Result<(), CliError> {
    match own_directory(directory, &own_directories(globals)) {
        None => Ok(()),
        Some(own) => Err(opens_own(&format!("`{flag} {}`", directory.display()), &own)),
    }
}

/// Returns the directories of Palyra, including the state roots by flag, by variable and by default, whichever is used.
fn own_directories(globals: &Globals) -> Vec<PathBuf> {
    let directories = Directories::from_environment();
    let variable = std::env::var_os(PALYRA_STATE_ROOT).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = [globals.state_root.clone(), variable, directories.state];
    [directories.config, directories.cache].into_iter().chain(state).flatten().collect()
}

/// Parses the grants that an operator may add to an installed skill: directories for its roots, and addresses.
pub(super) fn read_operator_grants(texts: &[String], globals: &Globals) -> Result<OperatorGrants, CliError> {
    let grants = read_grants(texts, globals)?;
    let capabilities = Vec::<Capability>::from(grants.capabilities.clone());
    match capabilities.into_iter().find(|grant| !matches!(grant, Capability::Filesystem(_))) {
        None => Ok(grants),
        Some(grant) => Err(CliError::usage_with_hint(
            format!("grant `{grant}` cannot be added to an installed skill"),
            "a skill has the grants that its manifest requests and you consented to; only `fs-read:`, \
            `fs-write:` and `address:` can be added",
        )),
    }
}

fn check_directory(grant: &FilesystemGrant, own: &[PathBuf]) -> Result<(), CliError> {
    let Some(directory) = grant.directory() else {
        return Err(CliError::usage_with_hint(
            format!("grant `{grant}` has no directory"),
            format!("write it as `{grant}=DIRECTORY`"),
        ));
    };
    match own_directory(directory, own) {
        None => Ok(()),
        Some(own) => Err(opens_own(&format!("grant `{grant}`"), &own)),
    }
}

/// Returns the directory of Palyra that contains the given directory or is inside it.
fn own_directory(directory: &Path, own: &[PathBuf]) -> Option<PathBuf> {
    let directory = real(directory);
    own.iter().map(|path| real(path)).find(|own| own.starts_with(&directory) || directory.starts_with(own))
}

fn opens_own(what: &str, own: &Path) -> CliError {
    CliError::usage_with_hint(
        format!("{what} would expose `{}`, which holds Palyra's own keys, code or state", own.display()),
        "choose a directory that neither contains it nor is inside it",
    )
}

/// Resolves the links of a path, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    match existing {
        Some((ancestor, canonical)) => match absolute.strip_prefix(ancestor) {
            Ok(rest) if !rest.as_os_str().is_empty() => canonical.join(rest),
            _ => canonical,
        },
        None => absolute,
    }
}

/// Applies limits to the defaults of the contract; a value above the ceiling of the sandbox is rejected.
pub(super) fn read_limits(texts: &[String]) -> Result<RuntimeLimits, CliError> {
    let mut limits = RuntimeLimits::default();
    for text in texts {
        limits.set(text)?;
    }
    let ceiling = RuntimeConfig::default().ceiling;
    for kind in LimitKind::SETTABLE {
        if let (Some(value), Some(most)) = (limits.get(kind), ceiling.get(kind))
            && value > most
        {
            let (value, most) = (kind.format_value(value), kind.format_value(most));
            let message = format!("limit `{kind}={value}` is above the ceiling");
            return Err(CliError::usage_with_hint(message, format!("the maximum is `{kind}={most}`")));
        }
    }
    Ok(limits)
}

/// Rejects grants of a replay other than those of its tape. A replay opens no directory; the directories of the
/// recorded run are accepted, because older versions required them, but stay closed.
pub(super) fn check_replay_grants(
    given: &OperatorGrants,
    taped: &CapabilityGrantSet,
) -> Result<(), CliError> {
    let directories: CapabilityGrantSet =
        taped.filesystem().iter().cloned().map(palyra_common::Capability::Filesystem).collect();
    let none_or_same = given.capabilities.is_empty() || given.capabilities == directories;
    if none_or_same && given.allow_addresses.is_empty() {
        return Ok(());
    }
    Err(CliError::usage_with_hint(
        "`--grant` cannot be used with `--replay`",
        "a replay uses the grants on its tape",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_directories_stay_closed() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let own = [home.join("config/palyra")];
        std::fs::create_dir_all(home.join("config/other")).unwrap();
        std::os::unix::fs::symlink(home.join("config"), home.join("link")).unwrap();
        let check = |path: &str| {
            let grant = OperatorGrants::parse([format!("fs-read:x={}", home.join(path).display())]).unwrap();
            check_directory(&grant.capabilities.filesystem()[0], &own)
        };
        for open in ["config/other", "config/palyra-notes", "data"] {
            assert!(check(open).is_ok(), "{open}");
        }
        for closed in ["", "config", "config/palyra", "config/palyra/deeper", "link", "link/palyra"] {
            assert!(check(closed).is_err(), "{closed}");
        }
    }

    #[test]
    fn limits_above_the_ceiling_are_refused() {
        let read = |text: &str| read_limits(&[text.to_owned()]).map_err(|error| error.hints().join(" "));
        assert_eq!(read("memory=512MiB").unwrap().max_memory_bytes, 512 << 20);
        assert_eq!(read("memory=513MiB"), Err("the maximum is `memory=512MiB`".into()));
        assert_eq!(read("timeout=11m"), Err("the maximum is `timeout=600000ms`".into()));
    }

    #[test]
    fn a_replay_has_the_grants_of_its_tape() {
        let check = |given: &[&str], taped: &[&str]| {
            let taped = OperatorGrants::parse(taped).unwrap().capabilities;
            check_replay_grants(&OperatorGrants::parse(given).unwrap(), &taped)
                .map_err(|error| error.hints().join(" "))
        };
        assert_eq!(check(&[], &["storage:a/"]), Ok(()));
        assert_eq!(check(&["fs-read:a=/x"], &["fs-read:a=/x", "channel:c"]), Ok(()));
        assert_eq!(check(&["channel:c"], &["channel:c"]), Err("a replay uses the grants on its tape".into()));
        assert_eq!(check(&["address:10.0.0.1"], &[]), Err("a replay uses the grants on its tape".into()));
        assert_eq!(check(&[], &["fs-write:a=/x"]), Ok(()));
        for given in [&["fs-write:a=/x"][..], &["fs-read:a=/y"], &["fs-read:a=/x", "channel:c"]] {
            assert_eq!(
                check(given, &["fs-read:a=/x", "channel:c"]),
                Err("a replay uses the grants on its tape".into()),
                "{given:?}"
            );
        }
    }
}
