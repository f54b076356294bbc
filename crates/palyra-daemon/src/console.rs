//! Sign-in to the console: a one-time code opens a session, a cookie identifies it, and it ends by time, by signing out
//! or by a revocation.
//!
//! Only hashes of codes and cookies are stored. Sessions survive a restart of the daemon in a private file next to
//! its endpoint; a process that can write that file can read the owner token too. Codes do not survive.

mod codes;
mod file;
mod link;
mod sessions;

pub(crate) use sessions::{SessionView, SignedInSession};

use std::sync::OnceLock;

use palyra_common::fs::FsError;
use palyra_state::StateRoot;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use codes::Codes;
use file::SessionFile;
use sessions::Sessions;

/// Maximum length of a code or cookie; a longer one is rejected without hashing it.
const MAX_SECRET_BYTES: usize = 128;

/// The codes and sessions of one daemon.
#[derive(Default)]
pub(crate) struct Console {
    /// URL for browsers; unset in a process that does not listen.
    url: OnceLock<String>,
    file: OnceLock<SessionFile>,
    codes: Mutex<Codes>,
    sessions: Mutex<Sessions>,
}

/// The session of a request, with a signal for its end.
#[derive(Debug, Clone)]
pub(crate) struct LiveSession {
    pub(crate) session_id: String,
    pub(crate) ended: CancellationToken,
}

/// A new code.
pub(crate) struct NewCode {
    pub(crate) code: Zeroizing<String>,
    pub(crate) expires_ms: u64,
}

impl Console {
    /// Enables sign-in at this URL, and loads the sessions of an earlier daemon; blocks the calling thread.
    pub(crate) fn listen(&self, url: String, root: &StateRoot) {
        let file = SessionFile::of(root);
        match file.read() {
            Ok(records) => self.sessions().restore(records),
            Err(error) => tracing::warn!(%error, "cannot read the stored console sessions"),
        }
        let _ = self.file.set(file);
        let _ = self.url.set(url);
    }

    /// Returns the address for browsers, if this process listens.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.get().map(String::as_str)
    }

    /// Creates a code that opens one session within a minute.
    pub(crate) fn new_code(&self, now_ms: u64) -> Result<NewCode, getrandom::Error> {
        let code = new_secret()?;
        let expires_ms = self.codes.lock().add(digest(&code), now_ms);
        Ok(NewCode { code, expires_ms })
    }

    /// Opens a session for a code and invalidates the code; returns `None` if it is unknown, used or expired.
    pub(crate) fn sign_in(
        &self,
        code: &str,
        browser: &str,
        now_ms: u64,
    ) -> Result<Option<SignedInSession>, getrandom::Error> {
        if code.len() > MAX_SECRET_BYTES || !self.codes.lock().redeem(&digest(code), now_ms) {
            return Ok(None);
        }
        let (secret, id) = (new_secret()?, new_id()?);
        Ok(Some(self.sessions().open(id, secret, browser, now_ms)))
    }

    /// Returns the session of a cookie and counts it as used. The second value is true if the file has to be saved.
    pub(crate) fn find(&self, secret: &str, now_ms: u64) -> Option<(LiveSession, bool)> {
        if secret.len() > MAX_SECRET_BYTES {
            return None;
        }
        self.sessions().touch(&digest(secret), now_ms)
    }

    /// Returns the session of a cookie without counting it as used.
    pub(crate) fn view(&self, secret: &str, now_ms: u64) -> Option<SessionView> {
        (secret.len() <= MAX_SECRET_BYTES).then(|| self.sessions().view(&digest(secret), now_ms))?
    }

    /// Returns whether a session is open.
    pub(crate) fn is_open(&self, session_id: &str, now_ms: u64) -> bool {
        self.sessions().is_open(session_id, now_ms)
    }

    /// Returns the open sessions, newest first.
    pub(crate) fn list(&self, now_ms: u64) -> Vec<SessionView> {
        self.sessions().list(now_ms)
    }

    /// Ends a session and its open streams.
    pub(crate) fn end(&self, session_id: &str, now_ms: u64) -> Option<SessionView> {
        self.sessions().end(session_id, now_ms)
    }

    /// Writes the open sessions to their file; blocks the calling thread.
    pub(crate) fn save(&self) -> Result<(), FsError> {
        match self.file.get() {
            Some(file) => file.write(|| self.sessions().records()),
            None => Ok(()),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock()
    }
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

fn new_secret() -> Result<Zeroizing<String>, getrandom::Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random)?;
    Ok(Zeroizing::new(hex::encode(*random)))
}

fn new_id() -> Result<String, getrandom::Error> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(format!("cs_{}", hex::encode(random)))
}
