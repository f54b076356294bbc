//! Converts publishers, feeds, builders and revocations to API types.

use palyra_api::Problem;
use palyra_api::trust::{
    Allowed, AppliedStatement, Builder, Feed, OwnedSkill, PastKeys, PublicKey, Publisher, PublisherInfo,
    Revocation, TrustList, TrustMode,
};
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::KeySet;
use palyra_skills::trust::{
    BuilderKey, EndedBy, FeedIssuer, FeedTrust, KeyOrigin, PublisherMode, PublisherTrust, RevocationScope,
    RevocationSource, RevocationTarget, TrustStatement,
};
use palyra_state::View;

use crate::problem::not_found;

/// Returns publishers, feeds, builders and revocations.
pub(super) fn list(view: &View) -> TrustList {
    let trust = view.trust();
    TrustList {
        generation: view.generation(),
        publishers: trust.publishers().map(|(name, trust)| publisher(name, trust)).collect(),
        feeds: trust.feeds().map(|(name, trust)| feed(name, trust)).collect(),
        builders: trust.builders().map(builder).collect(),
        revocations: trust.revocations().map(revocation).collect(),
    }
}

/// Returns one publisher with its skills.
pub(super) fn info(view: &View, name: &str) -> Result<PublisherInfo, Problem> {
    let trust = view.trust();
    let Some(known) = trust.publisher(name) else {
        let known = trust.publishers().map(|(name, _)| name.to_owned()).collect();
        return Err(not_found("publisher", name, known));
    };
    let owned = trust.skills().filter(|(_, skill)| skill.owner == name);
    let skills = owned.map(|(skill_id, skill)| {
        let newest = skill.high_water();
        OwnedSkill {
            skill_id: skill_id.to_owned(),
            newest: newest.as_ref().map(|mark| mark.version.to_string()),
            release_counter: newest.map(|mark| mark.release_counter),
        }
    });
    let gone = trust.revocations().filter(|(_, scope, _)| scope.covers(name));
    Ok(PublisherInfo {
        publisher: publisher(name, known),
        skills: skills.collect(),
        revocations: gone.map(revocation).collect(),
    })
}

/// Returns the current trust in a publisher, which may be unknown.
pub(super) fn publisher_now(view: &View, name: &str) -> Publisher {
    let unknown = PublisherTrust::default();
    publisher(name, view.trust().publisher(name).unwrap_or(&unknown))
}

/// Returns the response for a trusted publisher, feed or builder.
pub(super) fn allowed(kind: &str, name: &PublisherName, keys: &KeySet) -> Allowed {
    Allowed {
        kind: kind.to_owned(),
        name: name.as_str().to_owned(),
        keys: keys.keys().map(|key| key.key_id().to_string()).collect(),
        threshold: keys.threshold(),
        changed: false,
    }
}

/// Returns the subject of a statement.
pub(super) fn statement(statement: &TrustStatement) -> AppliedStatement {
    let (kind, issuer, to_epoch, number) = match statement {
        TrustStatement::Rotation(rotation) => {
            let rotation = rotation.statement();
            ("rotation", rotation.publisher.clone(), Some(rotation.to_epoch), None)
        }
        TrustStatement::Revocations(signed) => {
            let (FeedIssuer::Publisher(name) | FeedIssuer::Feed(name)) = &signed.list().issuer;
            ("revocations", name.clone(), None, Some(signed.list().number))
        }
    };
    AppliedStatement {
        kind: kind.into(),
        issuer,
        outcome: String::new(),
        to_epoch,
        number,
        newly_revoked: None,
    }
}

fn publisher(name: &str, trust: &PublisherTrust) -> Publisher {
    let anchor = trust.anchor.as_ref();
    let past = anchor.map(|anchor| anchor.past.as_slice()).unwrap_or_default();
    let past = past.iter().map(|past| PastKeys {
        epoch: past.epoch,
        keys: public_keys(&past.keys),
        ended_by: ended_by(past.ended_by),
    });
    Publisher {
        publisher: name.to_owned(),
        mode: mode(trust.mode()),
        origin: anchor.map(|anchor| origin(anchor.origin).to_owned()),
        epoch: anchor.and_then(|anchor| anchor.epoch),
        threshold: anchor.map(|anchor| anchor.keys.threshold()),
        keys: anchor.map(|anchor| public_keys(&anchor.keys)).unwrap_or_default(),
        past: past.collect(),
        blocked: trust.blocked.clone(),
        revocation_list: trust.revocations.map(|mark| mark.number),
    }
}

fn feed(name: &str, feed: &FeedTrust) -> Feed {
    Feed {
        feed: name.to_owned(),
        threshold: feed.keys.threshold(),
        keys: public_keys(&feed.keys),
        last_number: feed.last.map(|mark| mark.number),
    }
}

fn builder(builder: &BuilderKey) -> Builder {
    Builder { builder: builder.name.clone(), key_id: builder.key.key_id().to_string(), level: builder.level }
}

fn revocation(
    (target, scope, why): (&RevocationTarget, &RevocationScope, &palyra_skills::trust::Revocation),
) -> Revocation {
    Revocation {
        target: match target {
            RevocationTarget::Key(id) => id.to_string(),
            RevocationTarget::Payload(digest) => format!("release {digest}"),
        },
        scope: match scope {
            RevocationScope::Everywhere => "everywhere".into(),
            RevocationScope::Publisher(name) => format!("publisher {name}"),
        },
        reason: why.reason.clone(),
        source: match &why.source {
            RevocationSource::Operator => "operator".into(),
            RevocationSource::Feed { feed, number } => format!("feed {feed}, list {number}"),
            RevocationSource::Publisher { publisher, number } => {
                format!("publisher {publisher}, list {number}")
            }
        },
    }
}

fn public_keys(keys: &KeySet) -> Vec<PublicKey> {
    let public_key = |key: &palyra_skills::signing::PublisherKey| PublicKey {
        key_id: key.key_id().to_string(),
        public_key: key.to_string(),
    };
    keys.keys().map(public_key).collect()
}

fn mode(mode: Option<PublisherMode>) -> TrustMode {
    match mode {
        Some(PublisherMode::Allowlisted) => TrustMode::Allowlisted,
        Some(PublisherMode::TofuPinned) => TrustMode::Pinned,
        Some(PublisherMode::Blocked) => TrustMode::Blocked,
        None => TrustMode::Unknown,
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
