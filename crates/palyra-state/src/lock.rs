//! One owner at a time, and who it is.
//!
//! The lock decides who owns, not the text in its file. The root directory is locked as well as the file, so that
//! deleting `owner.lock` lets no second owner in, and the journal asks before each commit whether the file is still
//! the one that was locked.

use std::time::Duration;

use palyra_common::fs::{Directory, FsError, LockOutcome, OwnerLock};
use serde::{Deserialize, Serialize};

/// The lock file of a state root.
pub const LOCK_FILE: &str = "owner.lock";
/// How long a short command waits for another owner.
pub const SHORT_COMMAND_WAIT: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
const MAX_COMMAND_CHARS: usize = 100;

/// The owner of a state root; for messages only, because the lock decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// The process.
    pub pid: u32,
    /// What it was started as.
    pub command: String,
    /// Time at which it became the owner, RFC 3339.
    pub since: String,
}

/// Why the state root could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process owns it.
    #[error("the state root is in use{}", holder_text(holder.as_ref()))]
    Busy {
        /// Who, if it said so.
        holder: Option<LockHolder>,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    File(#[from] FsError),
}

/// Takes the lock, waiting up to `limit` for another owner to leave.
pub fn acquire(root: &Directory, command: &str, limit: Duration) -> Result<OwnerLock, LockError> {
    acquire_with(root, command, limit, &mut std::thread::sleep)
}

/// Takes the lock; `pause` is called between attempts, and the sum of its arguments is the wait.
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

/// Whether the process `pid` holds the lock, according to what the holder wrote into the file.
pub fn held_by(root: &Directory, pid: u32) -> Result<bool, LockError> {
    Ok(match OwnerLock::try_acquire(root, LOCK_FILE, "")? {
        LockOutcome::Acquired(_) => false,
        LockOutcome::Held { holder } => {
            serde_json::from_str::<LockHolder>(&holder).is_ok_and(|holder| holder.pid == pid)
        }
    })
}

/// One short line; only characters that need no escaping on the way back.
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
