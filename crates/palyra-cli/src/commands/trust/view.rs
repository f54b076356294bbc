//! What is known of publishers, feeds and builders, as it is shown.

use crate::error::{CliError, FileRefusal};
use crate::output::facts;
use palyra_skills::signing::{KeySet, PublisherKey};
use palyra_skills::trust::{
    EndedBy, FeedTrust, KeyOrigin, PublisherMode, PublisherTrust, Revocation, RevocationScope,
    RevocationSource, RevocationTarget,
};
use palyra_state::State;
use serde::Serialize;

/// A public key and its name.
#[derive(Debug, Clone, Serialize)]
pub(super) struct KeyView {
    pub(super) key_id: String,
    pub(super) public_key: String,
}

/// What is known of a publisher.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PublisherView {
    pub(super) publisher: String,
    pub(super) mode: &'static str,
    pub(super) origin: Option<&'static str>,
    pub(super) epoch: Option<u64>,
    pub(super) threshold: Option<u32>,
    pub(super) keys: Vec<KeyView>,
    pub(super) past: Vec<PastView>,
    pub(super) blocked: Option<String>,
    pub(super) revocation_list: Option<u64>,
}

/// Keys that were replaced.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PastView {
    pub(super) epoch: Option<u64>,
    pub(super) keys: Vec<KeyView>,
    pub(super) ended_by: String,
}

/// A feed that is followed.
#[derive(Debug, Clone, Serialize)]
pub(super) struct FeedView {
    pub(super) feed: String,
    pub(super) threshold: u32,
    pub(super) keys: Vec<KeyView>,
    pub(super) last_number: Option<u64>,
}

/// Something that is gone for good.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RevocationView {
    pub(super) target: String,
    pub(super) scope: String,
    pub(super) reason: String,
    pub(super) source: String,
}

impl PublisherView {
    pub(super) fn of(publisher: &str, trust: &PublisherTrust) -> Self {
        let anchor = trust.anchor.as_ref();
        let past = anchor.map(|anchor| anchor.past.as_slice()).unwrap_or_default();
        Self {
            publisher: publisher.to_owned(),
            mode: mode(trust.mode()),
            origin: anchor.map(|anchor| origin(anchor.origin)),
            epoch: anchor.and_then(|anchor| anchor.epoch),
            threshold: anchor.map(|anchor| anchor.keys.threshold()),
            keys: anchor.map(|anchor| key_views(&anchor.keys)).unwrap_or_default(),
            past: past
                .iter()
                .map(|past| PastView {
                    epoch: past.epoch,
                    keys: key_views(&past.keys),
                    ended_by: ended_by(past.ended_by),
                })
                .collect(),
            blocked: trust.blocked.clone(),
            revocation_list: trust.revocations.map(|mark| mark.number),
        }
    }

    /// As the state knows the publisher now.
    pub(super) fn now(state: &State, publisher: &str) -> Self {
        let view = state.view();
        let unknown = PublisherTrust::default();
        Self::of(publisher, view.trust().publisher(publisher).unwrap_or(&unknown))
    }

    pub(super) fn facts(&self) -> String {
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut pairs = vec![
            ("publisher", self.publisher.clone()),
            ("mode", self.mode.to_owned()),
            ("blocked", self.blocked.clone().unwrap_or_default()),
            ("keys are", self.origin.unwrap_or_default().to_owned()),
            ("epoch", number(self.epoch)),
        ];
        if let Some(threshold) = self.threshold.filter(|_| self.keys.len() > 1) {
            pairs.push(("must sign", format!("{threshold} of {}", self.keys.len())));
        }
        for key in &self.keys {
            pairs.push(("key", key.key_id.clone()));
            pairs.push(("", key.public_key.clone()));
        }
        for past in &self.past {
            let ids: Vec<&str> = past.keys.iter().map(|key| key.key_id.as_str()).collect();
            pairs.push(("earlier", format!("{} ended by {}", ids.join(", "), past.ended_by)));
        }
        let list = self.revocation_list.map(|number| format!("its list {number} was applied"));
        pairs.push(("revocations", list.unwrap_or_default()));
        facts(&pairs)
    }
}

impl FeedView {
    pub(super) fn of(name: &str, feed: &FeedTrust) -> Self {
        Self {
            feed: name.to_owned(),
            threshold: feed.keys.threshold(),
            keys: key_views(&feed.keys),
            last_number: feed.last.map(|mark| mark.number),
        }
    }
}

impl RevocationView {
    pub(super) fn of(target: &RevocationTarget, scope: &RevocationScope, revocation: &Revocation) -> Self {
        Self {
            target: match target {
                RevocationTarget::Key(id) => id.to_string(),
                RevocationTarget::Payload(digest) => format!("release {digest}"),
            },
            scope: match scope {
                RevocationScope::Everywhere => "everywhere".into(),
                RevocationScope::Publisher(name) => format!("publisher {name}"),
            },
            reason: revocation.reason.clone(),
            source: match &revocation.source {
                RevocationSource::Operator => "operator".into(),
                RevocationSource::Feed { feed, number } => format!("feed {feed}, list {number}"),
                RevocationSource::Publisher { publisher, number } => {
                    format!("publisher {publisher}, list {number}")
                }
            },
        }
    }
}

/// Keys from the command line, of which so many must sign.
pub(super) fn key_set(keys: &[PublisherKey], threshold: u32) -> Result<KeySet, CliError> {
    Ok(KeySet::new(keys.iter().copied(), threshold).map_err(FileRefusal::from)?)
}

fn key_views(keys: &KeySet) -> Vec<KeyView> {
    keys.keys().map(|key| KeyView { key_id: key.key_id().to_string(), public_key: key.to_string() }).collect()
}

fn mode(mode: Option<PublisherMode>) -> &'static str {
    match mode {
        Some(PublisherMode::Allowlisted) => "allowlisted",
        Some(PublisherMode::TofuPinned) => "pinned",
        Some(PublisherMode::Blocked) => "blocked",
        None => "unknown",
    }
}

fn origin(origin: KeyOrigin) -> &'static str {
    match origin {
        KeyOrigin::Allowlisted => "named by an operator",
        KeyOrigin::TofuPinned => "pinned with the first skill",
    }
}

fn ended_by(ended_by: EndedBy) -> String {
    match ended_by {
        EndedBy::Rotation(digest) => format!("rotation {digest}"),
        EndedBy::Repin => "an operator who pinned other keys".into(),
    }
}
