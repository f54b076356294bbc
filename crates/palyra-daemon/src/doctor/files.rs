//! Checks the files of the state root: existence, completeness and permissions.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::system::answers;
use super::{Check, Subject};
use crate::access::{OwnerToken, OwnerTokenError};
use crate::server::Endpoint;

/// Runs the checks; returns whether there is a state to open.
pub(super) fn checks(subject: &Subject) -> (Vec<Check>, bool) {
    let root = subject.root.path();
    if !root.is_dir() {
        let missing = Check::error("root.exists", format!("no state root at `{}`", root.display()));
        return (
            vec![missing.advise("create one with `palyra up -d`, or restore one with `palyra restore FILE`")],
            false,
        );
    }
    if root.join("initialising").exists() {
        let unfinished = Check::error("root.unfinished", "its creation was interrupted");
        return (vec![unfinished.advise("create it again with `palyra init`; it was empty")], false);
    }
    let mut checks = vec![
        Check::ok("root.exists", root.display().to_string()),
        private("root.permissions", &[root.to_owned()], "the state root"),
        missing_files(root),
        private("vault.permissions", &open_below(&subject.root.vault()), "the vault"),
        private("cache.permissions", &open_below(&root.join("cache")), "compiled code"),
        token(subject),
    ];
    checks.extend(endpoint(subject));
    checks.extend(leftovers(root));
    (checks, true)
}

/// Returns files and folders that other users may read or write.
pub(super) fn open_below(folder: &Path) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(metadata) = fs::symlink_metadata(&folder) else { continue };
        if metadata.permissions().mode() & 0o077 != 0 && !metadata.is_symlink() {
            open.push(folder.clone());
        }
        if metadata.is_dir() {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(entries.map(|entry| entry.path()));
        }
    }
    open.sort();
    open
}

fn private(id: &'static str, paths: &[PathBuf], what: &str) -> Check {
    let mode = |path: &PathBuf| fs::metadata(path).ok().map(|metadata| metadata.permissions().mode() & 0o777);
    let open: Vec<String> = paths
        .iter()
        .filter_map(|path| mode(path).filter(|mode| mode & 0o077 != 0).map(|mode| (path, mode)))
        .map(|(path, mode)| format!("`{}` has mode {mode:04o}", path.display()))
        .collect();
    match open.first() {
        None => Check::ok(id, format!("other users cannot read {what}")),
        Some(first) => {
            let more = if open.len() > 1 { format!(", and {} more", open.len() - 1) } else { String::new() };
            Check::error(
                id,
                format!(
                    "other users can read {what}: \
                {first}{more}"
                ),
            )
            .fixable("remove the permissions of other users")
        }
    }
}

fn missing_files(root: &Path) -> Check {
    let missing: Vec<&str> =
        ["state.db", "objects", "vault"].into_iter().filter(|name| !root.join(name).exists()).collect();
    if missing.is_empty() {
        Check::ok("root.files", "no files are missing")
    } else {
        Check::error("root.files", format!("`{}` is missing", missing.join("`, `")))
            .advise("restore a backup with `palyra restore FILE`")
    }
}

/// Checks the mode of the token file; a token that others could read is compromised.
fn token(subject: &Subject) -> Check {
    let path = OwnerToken::path(&subject.root);
    let Ok(metadata) = fs::symlink_metadata(&path) else {
        return Check::ok("token.permissions", "no daemon has run here");
    };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let evidence = format!("other users can read the owner token: mode {mode:04o}");
        return Check::error("token.permissions", evidence)
            .fixable("remove it and restart the daemon, which creates a new one");
    }
    match OwnerToken::read(&subject.root) {
        Err(OwnerTokenError::NotAToken) => {
            Check::error("token.form", "`owner.token` does not hold an owner token")
                .fixable("remove it; the next daemon creates a new one")
        }
        _ => Check::ok("token.permissions", "other users cannot read the owner token"),
    }
}

fn endpoint(subject: &Subject) -> Vec<Check> {
    let Some(endpoint) = Endpoint::read(&subject.root).ok().flatten() else { return Vec::new() };
    if !answers(subject) {
        let evidence = format!("`run/endpoint.json` names process {}, which does not answer", endpoint.pid);
        return vec![Check::warning("daemon.endpoint", evidence).fixable("remove the stale file")];
    }
    let ours = env!("CARGO_PKG_VERSION");
    let version = if endpoint.version == ours {
        Check::ok("daemon.version", format!("the daemon has the same version, {ours}"))
    } else {
        Check::warning(
            "daemon.version",
            format!(
                "the daemon has version {}, this program \
                {ours}",
                endpoint.version
            ),
        )
        .advise("restart it with `palyra daemon stop`, then `palyra up`")
    };
    vec![Check::ok("daemon.endpoint", format!("the daemon answers, process {}", endpoint.pid)), version]
}

fn leftovers(root: &Path) -> Option<Check> {
    let names = fs::read_dir(root).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let old: Vec<String> = names.filter(|name| name.contains(".damaged-")).collect();
    let note = || {
        Check::note("root.leftovers", format!("a repair moved `{}` aside", old.join("`, `")))
            .advise("remove it when no investigation needs it any more")
    };
    (!old.is_empty()).then(note)
}
