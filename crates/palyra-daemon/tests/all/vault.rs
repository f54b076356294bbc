//! Secrets: names can be read, values only written.

use crate::daemon::Daemon;
use crate::raw::ask;
use palyra_api::vault::{MAX_SECRET_BODY_BYTES, PutSecretRequest};
use palyra_api::{ClientError, SecretBytes};
use palyra_common::Scope;
use palyra_common::capabilities::SecretRef;
use palyra_journal::{EventKind, Query};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const CANARY: &str = "hunter2-canary-hunter2";

fn secret(text: &str) -> SecretRef {
    text.parse().unwrap()
}

fn value(bytes: &[u8]) -> PutSecretRequest {
    PutSecretRequest { value: SecretBytes::new(bytes), allow_weak: true }
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_put_listed_and_removed_whichever_way() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    let first = daemon.over_socket().put_secret(&secret("global/token"), &value(b"one")).await.unwrap();
    assert!(!first.replaced && first.created == first.updated);
    daemon.advance(60_000);
    let second = client.put_secret(&secret("global/token"), &value(b"\xff\xfe")).await.unwrap();
    assert!(second.replaced && second.created == first.created && second.updated > first.updated);
    let kept = daemon.state().vault().secrets().get(&secret("global/token")).unwrap().unwrap();
    assert_eq!(kept.expose(), b"\xff\xfe");
    client.put_secret(&secret("skill:acme.notes/pin"), &value(b"1234")).await.unwrap();
    let listed = client.secrets().await.unwrap();
    let names: Vec<&str> = listed.secrets.iter().map(|entry| entry.secret.as_str()).collect();
    assert_eq!(names, ["global/token", "skill:acme.notes/pin"]);
    assert_eq!(listed, daemon.in_process().secrets().await.unwrap());
    assert_eq!(listed.device_key, "a private file");
    client.remove_secret(&secret("global/token")).await.unwrap();
    let gone = client.remove_secret(&secret("global/token")).await.unwrap_err().into_problem();
    assert_eq!((gone.code.as_str(), gone.status), ("not_found", 404));
    assert_eq!(gone.details["known"], serde_json::json!(["skill:acme.notes/pin"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn weak_secret_is_refused_unless_allowed() {
    let daemon = Daemon::start().await;
    let (client, pin) = (daemon.over_tcp(), secret("skill:acme.notes/pin"));
    for guessable in [&b"1234"[..], b"483920", b"aaaaaaaaaaaaaaaa"] {
        let strict = PutSecretRequest { value: SecretBytes::new(guessable), allow_weak: false };
        let refused = client.put_secret(&pin, &strict).await.unwrap_err().into_problem();
        assert_eq!((refused.code.as_str(), refused.status), ("usage", 400));
        let told = serde_json::to_string(&refused).unwrap();
        assert!(
            told.contains("--allow-weak") && !told.contains(std::str::from_utf8(guessable).unwrap()),
            "{told}"
        );
    }
    assert!(client.secrets().await.unwrap().secrets.is_empty());
    client.put_secret(&pin, &value(b"1234")).await.unwrap();
    let strong = PutSecretRequest { value: SecretBytes::new(CANARY.as_bytes()), allow_weak: false };
    client.put_secret(&secret("global/token"), &strong).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_says_who_put_it() {
    let daemon = Daemon::start().await;
    let admin = daemon.over_tcp_as(&daemon.token_with("night", &[Scope::Admin]));
    admin.put_secret(&secret("global/token"), &value(b"12345678")).await.unwrap();
    admin.remove_secret(&secret("global/token")).await.unwrap();
    assert_eq!(code(admin.secrets().await), "forbidden", "admin does not imply read");
    let query = Query { kinds: vec![EventKind::VaultPut, EventKind::VaultRemoved], ..Query::default() };
    let events = daemon.state().journal().query(&query).unwrap().events;
    assert_eq!(events.len(), 2);
    for event in events {
        assert_eq!(event.event.actor.as_deref(), Some("night"));
        assert_eq!(event.event.subject.as_deref(), Some("global/token"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_refusal_repeats_a_value() {
    let daemon = Daemon::start().await;
    let token = Some(daemon.token.as_str());
    let long = format!("{{\"value\":\"{CANARY}{}\"}}", "x".repeat(64 << 10));
    for (path, body, status) in [
        ("/v1/vault/global/token", format!("\"{CANARY}\""), 400),
        ("/v1/vault/global/token", format!("{{\"{CANARY}\":1}}"), 400),
        ("/v1/vault/global/token", format!("{{\"value\":[\"{CANARY}\"]}}"), 400),
        ("/v1/vault/global/token", format!("{{\"value\":{{\"base64\":\"{CANARY}!\"}}}}"), 400),
        ("/v1/vault/global/token", format!("{{\"value\":\"{CANARY}\""), 400),
        ("/v1/vault/global/token", "{\"value\":\"\"}".to_owned(), 400),
        ("/v1/vault/hunter2-canary-hunter2/a", "{\"value\":\"a\"}".to_owned(), 400),
        ("/v1/vault/global/hunter2-canary-hunter2%20", "{\"value\":\"a\"}".to_owned(), 400),
        ("/v1/vault/global/token", long, 400),
        ("/v1/vault/global/token", format!("\"{CANARY}{}\"", "x".repeat(MAX_SECRET_BODY_BYTES)), 413),
    ] {
        let reply = ask(&daemon, "PUT", path, token, &[JSON], &body).await;
        assert_eq!(reply.status, status, "{path} {reply:?}");
        assert!(!reply.body.contains("hunter2") && !reply.head.contains("hunter2"), "{reply:?}");
    }
    assert_eq!(daemon.in_process().secrets().await.unwrap().secrets, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_of_the_root_has_a_value() {
    let daemon = Daemon::start().await;
    daemon.over_tcp().put_secret(&secret("global/token"), &value(CANARY.as_bytes())).await.unwrap();
    let (state, home) = daemon.stop_and_reopen().await;
    assert!(state.vault().secrets().get(&secret("global/token")).unwrap().is_some());
    drop(state);
    let mut folders = vec![home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
                assert!(!found, "{path:?}");
            }
        }
    }
}
