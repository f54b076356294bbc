//! Applies fixes. Each does exactly what its check describes, and nothing that widens permissions.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use palyra_control_plane::{RE_AUDIT, StateStore};
use palyra_state::State;

use super::files::open_below;
use super::{Subject, examine};
use crate::access::OwnerToken;
use crate::problem::sentence;
use crate::server::socket_path;

/// Actor of the events of a fix.
const OWNER: &str = "owner";

/// Reason why nothing was fixed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CannotFix {
    /// There is nothing to fix, or nothing that can be fixed automatically.
    #[error("`{0}` cannot be fixed automatically")]
    NotAutomatic(String),
    /// The fix was attempted and failed.
    #[error("`{id}` could not be fixed: {reason}")]
    Failed { id: String, reason: String },
}

/// Applies the fix that a check offers, if it still offers one.
pub fn fix(subject: &Subject, id: &str) -> Result<(), CannotFix> {
    let report = examine(subject);
    let offered = report.check(id).and_then(|check| check.fix.as_ref()).is_some_and(|fix| fix.automatic);
    if !offered {
        return Err(CannotFix::NotAutomatic(id.to_owned()));
    }
    carry_out(subject, id).map_err(|reason| CannotFix::Failed { id: id.to_owned(), reason })
}

fn carry_out(subject: &Subject, id: &str) -> Result<(), String> {
    let root = subject.root.path();
    match id {
        "root.permissions" => close_to_others(root),
        "vault.permissions" => close_all(&subject.root.vault()),
        "cache.permissions" => close_all(&root.join("cache")),
        "token.permissions" | "token.form" => remove(&OwnerToken::path(&subject.root)),
        "daemon.endpoint" => {
            remove(&root.join("run").join("endpoint.json")).and_then(|()| remove(&socket_path(&subject.root)))
        }
        "storage.database" => put_aside(&subject.root.storage(), (subject.options.clock)()),
        "journal.checkpoint" => with_state(subject, |state| {
            state.journal().checkpoint().wait().map(drop).map_err(|error| sentence(&error))
        }),
        "skills.bytes" => with_state(subject, |state| {
            state.skills().re_audit(None, OWNER).map(drop).map_err(|error| sentence(&error))
        }),
        "routines.re_audit" => with_state(subject, |state| {
            let store = StateStore::new(Arc::clone(state));
            store.switch_routine(RE_AUDIT, true, OWNER).map(drop).map_err(|error| error.to_string())
        }),
        other => Err(format!("no automatic fix for `{other}`")),
    }
}

fn with_state(subject: &Subject, work: impl FnOnce(&Arc<State>) -> Result<(), String>) -> Result<(), String> {
    let state = State::open(&subject.root, &subject.options).map_err(|error| sentence(&error))?;
    let state = Arc::new(state);
    work(&state)?;
    state.stop().map_err(|error| sentence(&error))
}

fn close_all(folder: &Path) -> Result<(), String> {
    open_below(folder).iter().try_for_each(|path| close_to_others(path))
}

/// Removes the permissions of other users; those of the owner are kept.
fn close_to_others(path: &Path) -> Result<(), String> {
    let mode = fs::symlink_metadata(path).map_err(reason)?.permissions().mode() & 0o700;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(reason)
}

fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(reason(error)),
        _ => Ok(()),
    }
}

fn put_aside(path: &Path, now_ms: u64) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for suffix in ["", "-wal", "-shm"] {
        let from = path.with_file_name(format!("{name}{suffix}"));
        let to = path.with_file_name(format!("{name}.damaged-{now_ms}{suffix}"));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(reason(error)),
            _ => {}
        }
    }
    Ok(())
}

fn reason(error: io::Error) -> String {
    error.to_string()
}
