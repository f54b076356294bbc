//! The lock that permits one owner of a state root at a time, and names it.
//!
//! The lock decides who the owner is, not the text in its file. The root directory is locked as well as the
//! file, so that deleting `owner.lock` admits no second owner, and the journal checks before each commit that
//! the file is still the locked one.

use std::time::Duration;

use palyra_common::fs::{Directory, FsError, LockOutcome, OwnerLock};
use serde::{Deserialize, Serialize};

/// Name of the lock file in the state root.
pub const LOCK_FILE: &str = "owner.lock";
/// Time for which a short command waits for another owner to exit.
pub const SHORT_COMMAND_WAIT: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
const MAX_COMMAND_CHARS: usize = 100;

/// The owner of a state root as its lock file names it. For messages only: the content of the file proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id of the owner.
    pub pid: u32,
    /// Command line of the owner, reduced to 100 printable ASCII characters.
    pub command: String,
    /// Time at which it became the owner, in RFC 3339 format.
    pub since: String,
}

/// Why the state root could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process owns it.
    #[error("the state root is in use{}", holder_text(holder.as_ref()))]
    Busy {
        /// The owner, if its lock file names it.
        holder: Option<LockHolder>,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    File(#[from] FsError),
}

/// Takes the lock, waiting up to `limit` for another owner to exit.
pub fn acquire(root: &Directory, command: &str, limit: Duration) -> Result<OwnerLock, LockError> {
    acquire_with(root, command, limit, &mut std::thread::sleep)
}

/// Takes the lock like [`acquire`], with `pause` called between attempts; the sum of its arguments is at most `limit`.
pub fn acquire_with(
    root: &Directory,
    command: &str,
    limit: Duration,
    pause: &mut dyn FnMut(Duration),
) -> Result<OwnerLock, LockError> {
    let (mut waited, mut next) = (Duration::ZERO, FIRST_PAUSE);
    loop {
        let ours = holder_line(command);
        match OwnerLock::try_acquire(root, LOCK_FILE, &ours)? {
            LockOutcome::Acquired(lock) => return Ok(lock),
            LockOutcome::Held { holder } if waited >= limit => {
                return Err(LockError::Busy { holder: serde_json::from_str(&holder).ok() });
            }
            LockOutcome::Held { .. } => {}
        }
        let step = next.min(limit.saturating_sub(waited));
        pause(step);
        waited = waited.saturating_add(step);
        next = (next * 2).min(LONGEST_PAUSE);
    }
}

/// Returns whether the process `pid` holds the lock, according to the text of its file.
pub fn held_by(root: &Directory, pid: u32) -> Result<bool, LockError> {
    Ok(match OwnerLock::try_acquire(root, LOCK_FILE, "")? {
        LockOutcome::Acquired(_) => false,
        LockOutcome::Held { holder } => {
            serde_json::from_str::<LockHolder>(&holder).is_ok_and(|holder| holder.pid == pid)
        }
    })
}

/// Returns the text of the lock file: one short line without characters that need escaping.
fn holder_line(command: &str) -> String {
    let plain = |c: &char| c.is_ascii_graphic() && !matches!(c, '"' | '\\') || *c == ' ';
    let now = jiff::Timestamp::try_from(palyra_common::time::system_time()).unwrap_or_default();
    let holder = LockHolder {
        pid: std::process::id(),
        command: command.chars().filter(plain).take(MAX_COMMAND_CHARS).collect(),
        since: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    serde_json::to_string(&holder).unwrap_or_default()
}

fn holder_text(holder: Option<&LockHolder>) -> String {
    match holder {
        Some(LockHolder { pid, command, since }) => format!(" by process {pid} (`{command}`) since {since}"),
        None => String::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn root() -> (tempfile::TempDir, Directory) {
        let home = tempfile::tempdir().unwrap();
        let root = Directory::create_private(&home.path().join("root")).unwrap();
        (home, root)
    }

    #[test]
    fn a_second_owner_waits_its_time_and_learns_who_is_in() {
        let (_home, root) = root();
        let first = acquire(&root, "palyra skills list", Duration::ZERO).unwrap();
        let mut waited = Duration::ZERO;
        let busy = acquire_with(&root, "second", SHORT_COMMAND_WAIT, &mut |step| waited += step).unwrap_err();
        assert_eq!(waited, SHORT_COMMAND_WAIT);
        let expected = format!("by process {} (`palyra skills list`)", std::process::id());
        assert!(busy.to_string().contains(&expected), "{busy}");
        drop(first);
        acquire(&root, "second", Duration::ZERO).unwrap();
        assert!(root.contains(LOCK_FILE).unwrap());
    }

    #[test]
    fn an_owner_that_leaves_during_the_wait_is_followed() {
        let (_home, root) = root();
        let mut first = Some(acquire(&root, "first", Duration::ZERO).unwrap());
        let mut pauses = 0;
        acquire_with(&root, "second", SHORT_COMMAND_WAIT, &mut |_| {
            pauses += 1;
            if pauses == 3 {
                first.take();
            }
        })
        .unwrap();
        assert_eq!(pauses, 3);
    }

    #[test]
    fn held_by_names_only_the_process_that_holds_the_lock() {
        let (_home, root) = root();
        let ours = std::process::id();
        assert!(!held_by(&root, ours).unwrap());
        let lock = acquire(&root, "first", Duration::ZERO).unwrap();
        assert!(held_by(&root, ours).unwrap());
        assert!(!held_by(&root, ours + 1).unwrap());
        drop(lock);
        assert!(!held_by(&root, ours).unwrap());
    }

    #[test]
    fn a_holder_with_an_odd_name_is_still_named() {
        let (_home, root) = root();
        let _first =
            acquire(&root, &format!("x\"\\\u{202e}\n{}", "y".repeat(1_000)), Duration::ZERO).unwrap();
        let busy = acquire(&root, "second", Duration::ZERO).unwrap_err();
        assert!(busy.to_string().contains("(`xyyy"), "{busy}");
    }
}
