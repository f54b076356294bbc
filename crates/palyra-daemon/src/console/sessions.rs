//! The open sessions: each has the hash of its cookie, an idle timeout and a maximum lifetime.

use palyra_common::redact::escape_untrusted;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::{LiveSession, digest};

/// Maximum lifetime of a session after its sign-in.
const LIFETIME_MS: u64 = 24 * 60 * 60 * 1_000;
/// Time without a request after which a session ends.
const IDLE_MS: u64 = 8 * 60 * 60 * 1_000;
/// Interval after which a use is stored, so that few requests write the file.
const SAVE_EVERY_MS: u64 = 60_000;
/// Maximum number of open sessions; another one ends the least recently used.
pub(super) const MAX_SESSIONS: usize = 16;
/// Maximum length of a stored browser name.
const MAX_BROWSER: usize = 160;

/// The stored form of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionRecord {
    session_id: String,
    /// SHA-256 of its cookie.
    cookie: Sha256Digest,
    browser: String,
    signed_in_ms: u64,
    used_ms: u64,
}

/// A session without its secrets, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionView {
    pub(crate) session_id: String,
    pub(crate) browser: String,
    pub(crate) signed_in_ms: u64,
    pub(crate) used_ms: u64,
    pub(crate) expires_ms: u64,
    pub(crate) idle_expires_ms: u64,
}

/// A new session.
pub(crate) struct SignedInSession {
    pub(crate) view: SessionView,
    /// Value of its cookie.
    pub(crate) secret: Zeroizing<String>,
    /// The session that was ended because the maximum number was reached.
    pub(crate) replaced: Option<SessionView>,
}

struct OpenSession {
    record: SessionRecord,
    /// Time of the last use that was saved, in Unix milliseconds.
    saved_ms: u64,
    ended: CancellationToken,
}

/// The sessions of a daemon.
#[derive(Default)]
pub(super) struct Sessions(Vec<OpenSession>);

impl Sessions {
    pub(super) fn restore(&mut self, records: Vec<SessionRecord>) {
        self.0 = records.into_iter().take(MAX_SESSIONS).map(OpenSession::new).collect();
    }

    pub(super) fn open(
        &mut self,
        id: String,
        secret: Zeroizing<String>,
        browser: &str,
        now_ms: u64,
    ) -> SignedInSession {
        self.end_expired(now_ms);
        let oldest = self.0.iter().enumerate().min_by_key(|(_, session)| session.record.used_ms);
        let oldest = oldest.map(|(index, _)| index).filter(|_| self.0.len() >= MAX_SESSIONS);
        let replaced = oldest.map(|index| self.0.remove(index).end());
        let browser: String = escape_untrusted(browser).chars().take(MAX_BROWSER).collect();
        let session = OpenSession::new(SessionRecord {
            session_id: id,
            cookie: Sha256Digest::from_bytes(digest(&secret)),
            browser,
            signed_in_ms: now_ms,
            used_ms: now_ms,
        });
        let view = session.view();
        self.0.push(session);
        SignedInSession { view, secret, replaced }
    }

    pub(super) fn touch(&mut self, cookie: &[u8; 32], now_ms: u64) -> Option<(LiveSession, bool)> {
        let session = self.of_cookie(cookie, now_ms)?;
        session.record.used_ms = session.record.used_ms.max(now_ms);
        let save = session.record.used_ms.saturating_sub(session.saved_ms) >= SAVE_EVERY_MS;
        if save {
            session.saved_ms = session.record.used_ms;
        }
        let session_id = session.record.session_id.clone();
        Some((LiveSession { session_id, ended: session.ended.clone() }, save))
    }

    pub(super) fn view(&mut self, cookie: &[u8; 32], now_ms: u64) -> Option<SessionView> {
        self.of_cookie(cookie, now_ms).map(|session| session.view())
    }

    pub(super) fn is_open(&mut self, session_id: &str, now_ms: u64) -> bool {
        self.end_expired(now_ms);
        self.0.iter().any(|session| session.record.session_id == session_id)
    }

    pub(super) fn list(&mut self, now_ms: u64) -> Vec<SessionView> {
        self.end_expired(now_ms);
        self.0.iter().rev().map(OpenSession::view).collect()
    }

    pub(super) fn end(&mut self, session_id: &str, now_ms: u64) -> Option<SessionView> {
        self.end_expired(now_ms);
        let index = self.0.iter().position(|session| session.record.session_id == session_id)?;
        Some(self.0.remove(index).end())
    }

    pub(super) fn records(&self) -> Vec<SessionRecord> {
        self.0.iter().map(|session| session.record.clone()).collect()
    }

    fn of_cookie(&mut self, cookie: &[u8; 32], now_ms: u64) -> Option<&mut OpenSession> {
        self.end_expired(now_ms);
        self.0.iter_mut().find(|session| session.record.cookie.as_bytes().ct_eq(cookie).into())
    }

    fn end_expired(&mut self, now_ms: u64) {
        self.0.retain(|session| {
            let open = now_ms < session.idle_expires_ms();
            if !open {
                session.ended.cancel();
            }
            open
        });
    }
}

impl OpenSession {
    fn new(record: SessionRecord) -> Self {
        Self { saved_ms: record.used_ms, record, ended: CancellationToken::new() }
    }

    fn view(&self) -> SessionView {
        let SessionRecord { session_id, cookie: _, browser, signed_in_ms, used_ms } = &self.record;
        SessionView {
            session_id: session_id.clone(),
            browser: browser.clone(),
            signed_in_ms: *signed_in_ms,
            used_ms: *used_ms,
            expires_ms: self.expires_ms(),
            idle_expires_ms: self.idle_expires_ms(),
        }
    }

    fn expires_ms(&self) -> u64 {
        self.record.signed_in_ms.saturating_add(LIFETIME_MS)
    }

    /// Returns when the session expires without another request, at most its absolute expiry.
    fn idle_expires_ms(&self) -> u64 {
        self.record.used_ms.saturating_add(IDLE_MS).min(self.expires_ms())
    }

    fn end(self) -> SessionView {
        self.ended.cancel();
        self.view()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn open(sessions: &mut Sessions, name: &str, now_ms: u64) -> SignedInSession {
        sessions.open(name.into(), Zeroizing::new(name.into()), "browser\u{202e}", now_ms)
    }

    #[test]
    fn session_ends_when_idle_and_at_its_absolute_end() {
        let mut sessions = Sessions::default();
        open(&mut sessions, "a", 0);
        let cookie = digest("a");
        let mut now = 0;
        while now + IDLE_MS - 1 < LIFETIME_MS {
            now += IDLE_MS - 1;
            assert!(sessions.touch(&cookie, now).is_some(), "{now}");
        }
        let (live, _) = sessions.touch(&cookie, LIFETIME_MS - 1).unwrap();
        assert!(sessions.view(&cookie, LIFETIME_MS).is_none() && live.ended.is_cancelled());
        open(&mut sessions, "b", 0);
        assert!(sessions.is_open("b", IDLE_MS - 1) && !sessions.is_open("b", IDLE_MS));
    }

    #[test]
    fn looking_at_a_session_does_not_keep_it_open() {
        let mut sessions = Sessions::default();
        open(&mut sessions, "a", 0);
        assert!(sessions.view(&digest("a"), IDLE_MS - 1).is_some());
        assert!(sessions.view(&digest("a"), IDLE_MS).is_none());
    }

    #[test]
    fn one_session_too_many_ends_the_least_recently_used() {
        let mut sessions = Sessions::default();
        for number in 0..MAX_SESSIONS {
            let opened = open(&mut sessions, &format!("s{number}"), number as u64);
            assert!(opened.replaced.is_none() && opened.view.browser == r"browser\u{202e}");
        }
        sessions.touch(&digest("s0"), 1_000);
        let opened = open(&mut sessions, "new", 1_001);
        assert_eq!(opened.replaced.unwrap().session_id, "s1");
        assert!(sessions.is_open("s0", 1_001) && sessions.list(1_001).len() == MAX_SESSIONS);
    }

    #[test]
    fn use_is_written_down_once_a_minute() {
        let mut sessions = Sessions::default();
        open(&mut sessions, "a", 0);
        let mut saves = |now| sessions.touch(&digest("a"), now).unwrap().1;
        assert_eq!([saves(59_999), saves(60_000), saves(60_001)], [false, true, false]);
    }
}
