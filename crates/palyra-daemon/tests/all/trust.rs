//! Trusted publishers and keys, over HTTP.

use crate::daemon::Daemon;
use crate::raw::ask;
use palyra_api::ClientError;
use palyra_api::trust::{BuilderRequest, KeysRequest, TrustMode};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query};
use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_skills::trust::{
    FeedIssuer, RevocationList, RevokedKey, SignedRevocations, SignedRotation, TrustStatement,
};
use palyra_testkit::signing_key;

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn keys(seeds: &[u8]) -> KeysRequest {
    let keys = seeds.iter().map(|seed| signing_key(*seed).public().to_string()).collect();
    KeysRequest { keys, threshold: 1 }
}

/// Returns a rotation of `acme` from one key to another.
fn rotation(from: u8, to: u8) -> Vec<u8> {
    let (old, new) = (signing_key(from), signing_key(to));
    let set = |key: &SkillSigningKey| KeySet::new([key.public()], 1).unwrap();
    let signed = SignedRotation::sign("acme", 1, &set(&old), &set(&new), &[&old, &new]).unwrap();
    TrustStatement::Rotation(Box::new(signed)).encode().unwrap()
}

fn revocation(number: u64) -> Vec<u8> {
    let list = RevocationList {
        issuer: FeedIssuer::Publisher("acme".into()),
        number,
        keys: vec![RevokedKey { key_id: signing_key(9).public().key_id(), reason: "stolen".into() }],
        releases: Vec::new(),
    };
    let signed = SignedRevocations::sign(list, &[&signing_key(1)]).unwrap();
    TrustStatement::Revocations(Box::new(signed)).encode().unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_from_first_to_last() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let pinned = client.publisher("acme").await.unwrap();
    assert_eq!(pinned.publisher.mode, TrustMode::Pinned);
    assert_eq!(pinned.skills[0].skill_id, "acme.bench");
    assert!(client.allow_publisher("acme", &keys(&[1])).await.unwrap().changed);
    assert!(!client.allow_publisher("acme", &keys(&[1])).await.unwrap().changed);
    let blocked = client.block_publisher("acme", "phones home").await.unwrap();
    assert_eq!((blocked.mode, blocked.blocked.as_deref()), (TrustMode::Blocked, Some("phones home")));
    let stopped = client.skill("acme.bench").await.unwrap();
    assert_eq!(stopped.entry.runtime_status, palyra_api::skills::SkillStatus::Quarantined);
    assert_eq!(code(client.allow_publisher("acme", &keys(&[1])).await), "trust_refused");
    assert_eq!(client.unblock_publisher("acme").await.unwrap().mode, TrustMode::Allowlisted);
    assert_eq!(code(client.unblock_publisher("acme").await), "trust_refused");
    assert_eq!(code(client.allow_publisher("acme", &keys(&[2])).await), "trust_refused");
    assert_eq!(client.repin_publisher("acme", &keys(&[2])).await.unwrap().past.len(), 1);
    assert_eq!(code(client.repin_publisher("nobody", &keys(&[2])).await), "not_found");
    assert_eq!(client.trust().await.unwrap(), daemon.in_process().trust().await.unwrap());
    let guess = client.publisher("acne").await.unwrap_err().into_problem();
    assert_eq!((guess.code.as_str(), guess.hints[0].as_str()), ("not_found", "did you mean `acme`?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_builders_and_what_is_none() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    assert!(client.follow_feed("advisories", &keys(&[1, 2])).await.unwrap().changed);
    let builder = BuilderRequest { key: signing_key(3).public().to_string(), level: 2 };
    assert_eq!(client.allow_builder("ci", &builder).await.unwrap().kind, "builder");
    let known = client.trust().await.unwrap();
    assert_eq!((known.feeds[0].keys.len(), known.builders[0].level), (2, 2));
    let before = daemon.state().journal().head().size;
    let high = BuilderRequest { level: 9, ..builder };
    assert_eq!(code(client.allow_builder("ci", &high).await), "trust_refused");
    for (name, request) in [
        ("Acme", keys(&[1])),
        ("..", keys(&[1])),
        ("acme", KeysRequest { keys: Vec::new(), threshold: 1 }),
        ("acme", KeysRequest { keys: vec!["ed25519-public:AAAA".into()], threshold: 1 }),
        ("acme", KeysRequest { threshold: 2, ..keys(&[1]) }),
        ("acme", keys(&[1, 1])),
    ] {
        assert_eq!(code(client.allow_publisher(name, &request).await), "usage", "{name} {request:?}");
    }
    let reason = "x".repeat(501);
    assert_eq!(code(client.block_publisher("acme", &reason).await), "usage");
    assert_eq!(daemon.state().journal().head().size, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_are_followed_as_they_were_published() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    assert_eq!(code(client.apply_statement(rotation(1, 2)).await), "not_found");
    client.allow_publisher("acme", &keys(&[1])).await.unwrap();
    assert_eq!(client.apply_statement(revocation(4)).await.unwrap().newly_revoked, Some(1));
    assert_eq!(client.apply_statement(revocation(4)).await.unwrap().outcome, "already_known");
    assert_eq!(code(client.apply_statement(revocation(3)).await), "trust_refused");
    assert_eq!(client.apply_statement(rotation(1, 2)).await.unwrap().to_epoch, Some(2));
    let forked = client.apply_statement(rotation(1, 3)).await.unwrap_err().into_problem();
    assert_eq!((forked.code.as_str(), forked.status), ("equivocation", 409));
    assert_eq!(client.publisher("acme").await.unwrap().publisher.mode, TrustMode::Blocked);
    for body in [&b"{}"[..], b"", b"hello", b"[1]"] {
        assert_eq!(code(client.apply_statement(body.to_vec()).await), "bad_statement", "{body:?}");
    }
    let mut edited = rotation(1, 2);
    edited.insert(1, b' ');
    assert_eq!(code(client.apply_statement(edited).await), "bad_statement", "another spelling is refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_admin_changes_trust_and_the_journal_names_it() {
    let daemon = Daemon::start().await;
    let all_but = [Scope::Read, Scope::Invoke, Scope::Operate, Scope::Approve];
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &all_but));
    assert!(reader.trust().await.is_ok());
    assert_eq!(code(reader.allow_publisher("acme", &keys(&[1])).await), "forbidden");
    let night = daemon.token_with("night", &[Scope::Admin]);
    daemon.over_tcp_as(&night).allow_publisher("acme", &keys(&[1])).await.unwrap();
    let query = Query { kinds: vec![EventKind::TrustAllowed], ..Query::default() };
    let events = daemon.state().journal().query(&query).unwrap().events;
    assert_eq!(events[0].event.actor.as_deref(), Some("night"));
    let unknown = ask(
        &daemon,
        "PUT",
        "/v1/trust/publishers/acme",
        Some(&night),
        &[JSON],
        "{\"keys\":[],\"force\":true}",
    );
    assert_eq!(unknown.await.status, 400);
}
