//! Delivery to console, file and webhook: slow, failing, redirecting and private targets, retries and dead letters.

use crate::daemon::Daemon;
use crate::hooks::{quick, until};
use hmac::{Hmac, KeyInit, Mac};
use palyra_api::channels::{AddChannelRequest, Channel, ChannelTarget};
use palyra_api::journal::VerifyRequest;
use palyra_api::tools::InvokeRequest;
use palyra_common::SecretValue;
use palyra_egress::testing::{TestBody, TestReply, TestServer};
use palyra_journal::{EventKind, Query};
use palyra_state::State;
use palyra_testkit::{build, install};
use sha2::Sha256;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEY: &[u8] = b"a key that only two know";

/// A module that publishes `hello` to its channel.
const PUBLISH: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (import "palyra:plugin/host-capabilities@1.0.0" "channel-handle" (func $handle (param i32) (result i32)))
    (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{\"op\":\"channels.publish\",\"handle\":")
    (data (i32.const 512) ",\"content_type\":\"text/plain\",\"body_text\":\"hello\"}")
    (data (i32.const 1024) "{}")
    (func $digits (param $at i32) (param $number i32) (result i32)
        (if (i32.ge_u (local.get $number) (i32.const 10))
            (then (local.set $at (call $digits (local.get $at) (i32.div_u (local.get $number) (i32.const 10))))))
        (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
        (i32.add (local.get $at) (i32.const 1)))
    (func (export "palyra_plugin_main") (result i32) (local $end i32)
        (local.set $end (call $digits (i32.const 34) (call $handle (i32.const 0))))
        (memory.copy (local.get $end) (i32.const 512) (i32.const 49))
        (drop (call $call (i32.const 0) (i32.add (local.get $end) (i32.const 49))))
        (drop (call $write (i32.const 1024) (i32.const 2)))
        (i32.const 0)))"#;

pub(crate) fn install_publisher(state: &State) {
    let manifest = r#"manifest_version = 1
skill_id = "acme.speaker"
name = "Speaker"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.speaker.say"
name = "Say"
description = "Says hello to a channel."
module = "modules/say.wasm"
input_schema = { type = "object" }
output_schema = { type = "object" }

[capabilities]
channels = ["alerts"]
"#;
    let module = wat::parse_str(PUBLISH).unwrap();
    install(state, &build(manifest, &[("modules/say.wasm", &module)], 1));
}

async fn daemon() -> Daemon {
    let daemon = Daemon::open().await;
    install_publisher(daemon.state());
    let secret = "global/hook_key".parse().unwrap();
    daemon.state().vault_store().put_secret(&secret, &SecretValue::new(KEY.to_vec()), "owner").unwrap();
    daemon.app.become_gateway(quick());
    daemon
}

async fn say(daemon: &Daemon) {
    daemon.over_socket().invoke("acme.speaker.say", &InvokeRequest::default()).await.unwrap();
}

async fn add_webhook(daemon: &Daemon, url: String, allow: &[&str]) -> Channel {
    let request = AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::Webhook,
        url: Some(url),
        secret: Some("global/hook_key".into()),
        allow_addresses: allow.iter().map(|&range| range.to_owned()).collect(),
        timeout_ms: Some(300),
        ..AddChannelRequest::default()
    };
    daemon.over_socket().add_channel(&request).await.unwrap()
}

/// Returns why a webhook is rejected when it is added.
async fn refused_webhook(daemon: &Daemon, url: String) -> String {
    let request = AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::Webhook,
        url: Some(url),
        secret: Some("global/hook_key".into()),
        ..AddChannelRequest::default()
    };
    daemon.over_socket().add_channel(&request).await.unwrap_err().into_problem().detail
}

fn count(daemon: &Daemon, kind: EventKind) -> usize {
    let query = Query { kinds: vec![kind], limit: 1_000, ..Query::default() };
    daemon.state().journal().query(&query).unwrap().events.len()
}

/// Returns the reason of the first message that was given up.
async fn given_up(daemon: &Daemon) -> String {
    until(daemon, "it is given up", |daemon| count(daemon, EventKind::ChannelDeadLettered) == 1).await;
    let channel = daemon.over_socket().channel("alerts").await.unwrap();
    assert_eq!((channel.dead_letters.len(), channel.dead_letters[0].attempts), (1, 3));
    assert_eq!(count(daemon, EventKind::ChannelDelivered), 0);
    channel.dead_letters[0].reason.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn channel_stream_resumes_after_last_event_id() {
    let daemon = daemon().await;
    let client = daemon.over_socket();
    let request = AddChannelRequest { name: "alerts".into(), ..AddChannelRequest::default() };
    assert_eq!(client.add_channel(&request).await.unwrap().to, "console");
    assert_eq!(
        client.add_channel(&request).await.unwrap_err().into_problem().code.as_str(),
        "already_exists"
    );
    let mut stream = client.follow_channel("alerts", None).await.unwrap();
    say(&daemon).await;
    let first = stream.next().await.unwrap().unwrap();
    let message: palyra_api::channels::Message = serde_json::from_str(&first.data).unwrap();
    assert_eq!((message.body.as_str(), message.skill_id.as_str()), ("hello", "acme.speaker"));
    assert_eq!(message.content_type, "text/plain");
    say(&daemon).await;
    let mut again = client.follow_channel("alerts", Some(message.id)).await.unwrap();
    let second: palyra_api::channels::Message =
        serde_json::from_str(&again.next().await.unwrap().unwrap().data).unwrap();
    assert!(second.id > message.id);
    assert_eq!(client.channel_messages("alerts", None).await.unwrap().messages.len(), 2);
    assert_eq!(
        client.follow_channel("alert", None).await.err().unwrap().into_problem().code.as_str(),
        "not_found"
    );
    client.remove_channel("alerts").await.unwrap();
    assert!(client.channels().await.unwrap().channels.is_empty());
    // An undefined channel accepts messages: they are only stored with their run.
    say(&daemon).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_gets_each_message_once_and_can_check_who_sent_it() {
    let daemon = daemon().await;
    let server = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    add_webhook(&daemon, format!("http://{}/hook?x=1", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    say(&daemon).await;
    until(&daemon, "both are delivered", |daemon| count(daemon, EventKind::ChannelDelivered) == 2).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let header = |name: &str| requests[0].headers[name].to_str().unwrap().to_owned();
    assert_eq!((requests[0].method.as_str(), requests[0].target.as_str()), ("POST", "/hook?x=1"));
    assert_eq!(&requests[0].body[..], b"hello");
    let (timestamp, message) = (header("palyra-timestamp"), header("palyra-message"));
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY).unwrap();
    mac.update(format!("{timestamp}.{message}.hello").as_bytes());
    let expected = format!("t={timestamp},v1={}", hex::encode(mac.finalize().into_bytes()));
    assert_eq!(header("palyra-signature"), expected);
    assert_eq!(header("palyra-skill"), "acme.speaker");
    let channel = daemon.over_socket().channel("alerts").await.unwrap();
    assert_eq!(channel.cursor.unwrap().delivered, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_fails_is_tried_again_in_order() {
    let daemon = daemon().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&asked);
    let server = TestServer::http(move |_| match seen.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => TestReply::status(503),
        _ => TestReply::ok(""),
    });
    let server = server.await.unwrap();
    add_webhook(&daemon, format!("http://{}/", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    say(&daemon).await;
    until(&daemon, "both are delivered", |daemon| count(daemon, EventKind::ChannelDelivered) == 2).await;
    let messages: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.headers["palyra-message"].to_str().unwrap().to_owned())
        .collect();
    assert_eq!(messages.len(), 4);
    assert!(
        messages[0] == messages[1] && messages[1] == messages[2] && messages[2] != messages[3],
        "{messages:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_down_is_given_up_with_its_reason() {
    let daemon = daemon().await;
    let gone = TestServer::http(|_| TestReply::ok("")).await.unwrap().address();
    add_webhook(&daemon, format!("http://{gone}/"), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    let reason = given_up(&daemon).await;
    assert!(reason.contains("127.0.0.1"), "{reason}");
    // The publisher is not notified, and calls continue.
    say(&daemon).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_slow_is_given_up_with_its_reason() {
    let daemon = daemon().await;
    let server =
        TestServer::http(|_| TestReply::ok("").body(TestBody::Stalled(bytes::Bytes::new()))).await.unwrap();
    add_webhook(&daemon, format!("http://{}/", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    assert_eq!(given_up(&daemon).await, "the request did not finish in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_a_private_address_is_not_followed() {
    let daemon = daemon().await;
    let inside = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    let target = format!("http://{}/inside", inside.address());
    let server = TestServer::http(move |_| TestReply::status(302).header("location", &target)).await.unwrap();
    add_webhook(&daemon, format!("http://{}/", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    assert_eq!(given_up(&daemon).await, "the server answered 302; redirects are not followed");
    assert!(inside.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_is_refused_unless_an_operator_opened_it() {
    let daemon = daemon().await;
    let server = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    let reason = refused_webhook(&daemon, format!("http://{}/", server.address())).await;
    assert!(reason.contains("loopback"), "{reason}");
    // Names are resolved only when a message is delivered.
    add_webhook(&daemon, format!("http://localhost:{}/", server.address().port()), &[]).await;
    say(&daemon).await;
    let reason = given_up(&daemon).await;
    assert!(reason.contains("loopback"), "{reason}");
    assert!(server.requests().is_empty());
    // A webhook can never reach the daemon's own listener.
    daemon.over_socket().remove_channel("alerts").await.unwrap();
    add_webhook(&daemon, format!("http://{}/v1/health", daemon.address), &["127.0.0.0/8"]).await;
    say(&daemon).await;
    until(&daemon, "it is given up", |daemon| count(daemon, EventKind::ChannelDeadLettered) == 2).await;
    let reason = daemon.over_socket().channel("alerts").await.unwrap().dead_letters[0].reason.clone();
    assert!(reason.contains("a listener of Palyra"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_gets_a_line_for_each_message() {
    let daemon = daemon().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alerts.jsonl");
    std::fs::write(&path, "half a li").unwrap();
    let request = |path: &std::path::Path| AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::File,
        path: Some(path.display().to_string()),
        ..AddChannelRequest::default()
    };
    let inside = daemon.root.path().join("alerts.jsonl");
    for refused in [inside.as_path(), std::path::Path::new("alerts.jsonl")] {
        let problem = daemon.over_socket().add_channel(&request(refused)).await.unwrap_err().into_problem();
        assert_eq!((problem.code.as_str(), &problem.details["field"]), ("invalid_setting", &"path".into()));
    }
    daemon.over_socket().add_channel(&request(&path)).await.unwrap();
    say(&daemon).await;
    say(&daemon).await;
    until(&daemon, "both are written", |daemon| count(daemon, EventKind::ChannelDelivered) == 2).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "half a li"));
    let told: serde_json::Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!((told["body"].as_str(), told["skill_id"].as_str()), (Some("hello"), Some("acme.speaker")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_a_channel_is_refused() {
    let daemon = daemon().await;
    let webhook = |url: &str, secret: &str| AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::Webhook,
        url: Some(url.into()),
        secret: Some(secret.into()),
        ..AddChannelRequest::default()
    };
    let cases = [
        (webhook("example.com", "global/k"), "invalid_setting"),
        (webhook("ftp://example.com/", "global/k"), "invalid_setting"),
        (webhook("https://example.com/#part", "global/k"), "invalid_setting"),
        (webhook("https://example.com/", "k"), "invalid_setting"),
        (AddChannelRequest { url: None, ..webhook("", "global/k") }, "usage"),
        (
            AddChannelRequest {
                allow_addresses: vec!["all".into()],
                ..webhook("https://a.example/", "global/k")
            },
            "usage",
        ),
        (AddChannelRequest { name: "A b".into(), ..AddChannelRequest::default() }, "invalid_setting"),
        (
            AddChannelRequest {
                path: Some("/x".into()),
                ..AddChannelRequest { name: "a".into(), ..Default::default() }
            },
            "usage",
        ),
    ];
    for (request, code) in cases {
        let problem = daemon.over_socket().add_channel(&request).await.unwrap_err().into_problem();
        assert_eq!(problem.code.as_str(), code, "{request:?} {}", problem.detail);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_was_given_up_is_sent_again_or_dropped() {
    let daemon = daemon().await;
    let works = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let now = Arc::clone(&works);
    let server =
        TestServer::http(
            move |_| if now.load(Ordering::SeqCst) { TestReply::ok("") } else { TestReply::status(500) },
        );
    let server = server.await.unwrap();
    add_webhook(&daemon, format!("http://{}/", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    say(&daemon).await;
    until(&daemon, "both are given up", |daemon| count(daemon, EventKind::ChannelDeadLettered) == 2).await;
    let client = daemon.over_socket();
    let letters = client.channel_dead_letters("alerts", None).await.unwrap().dead_letters;
    let [second, first] = &letters[..] else { panic!("{letters:?}") };
    assert!(second.letter > first.letter && second.message > first.message);
    let refused = client.retry_channel_letter("alerts", first.letter).await.unwrap_err().into_problem();
    assert_eq!(
        (refused.code.as_str(), &refused.details["reason"]),
        ("not_delivered", &"the server answered 500".into())
    );
    let tried = client.channel_dead_letters("alerts", None).await.unwrap().dead_letters[1].clone();
    assert_eq!((tried.letter, tried.attempts), (first.letter, 4));
    works.store(true, Ordering::SeqCst);
    let before = server.requests().len();
    assert_eq!(client.retry_channel_letter("alerts", first.letter).await.unwrap().letter, first.letter);
    let sent = &server.requests()[before..];
    assert_eq!((sent.len(), &sent[0].body[..]), (1, &b"hello"[..]));
    assert_eq!(sent[0].headers["palyra-message"].to_str().unwrap(), first.message.to_string());
    let query = Query { kinds: vec![EventKind::ChannelDelivered], ..Query::default() };
    let delivered = daemon.state().journal().query(&query).unwrap().events;
    let facts = &delivered[0].event.details;
    assert_eq!((facts["message"].as_u64(), facts["attempts"].as_u64()), (Some(first.message), Some(5)));
    assert_eq!(client.channel("alerts").await.unwrap().cursor.unwrap().delivered, 1);
    assert_eq!(client.drop_channel_letter("alerts", second.letter).await.unwrap().message, second.message);
    assert_eq!(count(&daemon, EventKind::ChannelLetterDropped), 1);
    assert!(client.channel_dead_letters("alerts", None).await.unwrap().dead_letters.is_empty());
    for (channel, letter) in [("alerts", second.letter), ("alerts", 0), ("alert", first.letter)] {
        for problem in [
            client.retry_channel_letter(channel, letter).await.unwrap_err().into_problem(),
            client.drop_channel_letter(channel, letter).await.unwrap_err().into_problem(),
        ] {
            assert_eq!(problem.code.as_str(), "not_found", "{channel} {letter}: {}", problem.detail);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_was_given_up_outlives_newer_ones() {
    let daemon = daemon().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not-there").join("alerts.jsonl");
    let request = AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::File,
        path: Some(path.display().to_string()),
        ..AddChannelRequest::default()
    };
    daemon.over_socket().add_channel(&request).await.unwrap();
    say(&daemon).await;
    until(&daemon, "it is given up", |daemon| count(daemon, EventKind::ChannelDeadLettered) == 1).await;
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    let letter = daemon.over_socket().channel("alerts").await.unwrap().dead_letters[0].letter;
    let newer = move |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
                   INSERT INTO channel_messages (channel, skill_id, run_id, content_type, body, at)
                   SELECT 'alerts', 's', 'r', 't', x'', 0 FROM n";
        let made = transaction.sql().execute(sql, []).unwrap();
        let passed = "UPDATE delivery_cursors SET next = 100000";
        transaction.sql().execute(passed, []).unwrap();
        Ok::<usize, palyra_journal::JournalError>(made)
    };
    daemon.state().journal().transaction(palyra_journal::Durability::Normal, newer).await.unwrap();
    assert_eq!(daemon.state().channels().trim().unwrap(), 200);
    daemon.over_socket().retry_channel_letter("alerts", letter).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    daemon.state().channels().trim().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_messages_are_missed_by_the_journal() {
    let daemon = daemon().await;
    let client = daemon.over_socket();
    // The channel does not exist yet, so the message is stored nowhere.
    say(&daemon).await;
    let request = AddChannelRequest { name: "alerts".into(), ..AddChannelRequest::default() };
    client.add_channel(&request).await.unwrap();
    daemon.advance(1);
    for _ in 0..3 {
        say(&daemon).await;
    }
    let intact = client.verify_journal(&VerifyRequest::default()).await.unwrap();
    assert_eq!(intact.messages_checked, 3);
    daemon.edit("DELETE FROM channel_messages WHERE id = (SELECT max(id) - 1 FROM channel_messages)").await;
    let problem = client.verify_journal(&VerifyRequest::default()).await.unwrap_err().into_problem();
    assert_eq!(problem.code.as_str(), "state_damaged");
    let differences = problem.details["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(differences[0]["what"], "row `channel_messages/alerts`");
    // Removing a channel removes its messages.
    client.remove_channel("alerts").await.unwrap();
    client.verify_journal(&VerifyRequest::default()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn message_written_into_the_database_is_not_delivered() {
    let daemon = daemon().await;
    let server = TestServer::http(|_| TestReply::ok("")).await.unwrap();
    add_webhook(&daemon, format!("http://{}/", server.address()), &["127.0.0.1/32"]).await;
    say(&daemon).await;
    until(&daemon, "it is delivered", |daemon| count(daemon, EventKind::ChannelDelivered) == 1).await;
    // Rows without a MAC, with the MAC of another row, and with a random MAC.
    let plant = |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        for mac in ["NULL", "mac", "randomblob(32)"] {
            let sql = format!(
                "INSERT INTO channel_messages (channel, skill_id, run_id, content_type, body, at, mac)
                 SELECT channel, skill_id, run_id, content_type, x'706c616e746564', at, {mac}
                 FROM channel_messages ORDER BY id LIMIT 1"
            );
            transaction.sql().execute(&sql, []).unwrap();
        }
        Ok::<(), palyra_journal::JournalError>(())
    };
    daemon.state().journal().transaction(palyra_journal::Durability::Normal, plant).await.unwrap();
    say(&daemon).await;
    until(&daemon, "the last is delivered", |daemon| count(daemon, EventKind::ChannelDelivered) == 2).await;
    assert_eq!(count(&daemon, EventKind::ChannelDeadLettered), 3);
    assert!(server.requests().iter().all(|request| &request.body[..] == b"hello"));
    // A person can send the message without a MAC, which an earlier version may have written, but none with a wrong
    // one.
    let client = daemon.over_socket();
    let letters = client.channel_dead_letters("alerts", None).await.unwrap().dead_letters;
    let [made_up, copied, without] = &letters[..] else { panic!("{letters:?}") };
    assert!(without.reason.contains("no MAC") && copied.reason.contains("was changed"), "{letters:?}");
    for letter in [made_up, copied] {
        let refused = client.retry_channel_letter("alerts", letter.letter).await.unwrap_err().into_problem();
        assert_eq!(refused.code.as_str(), "not_delivered");
    }
    client.retry_channel_letter("alerts", without.letter).await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn file_channel_does_not_follow_a_folder_that_became_a_link() {
    let daemon = daemon().await;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("out");
    std::fs::create_dir(&folder).unwrap();
    let request = AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::File,
        path: Some(folder.join("owner.token").display().to_string()),
        ..AddChannelRequest::default()
    };
    daemon.over_socket().add_channel(&request).await.unwrap();
    std::fs::remove_dir(&folder).unwrap();
    std::os::unix::fs::symlink(daemon.root.path(), &folder).unwrap();
    let token = std::fs::read(daemon.root.path().join("owner.token")).ok();
    say(&daemon).await;
    let reason = given_up(&daemon).await;
    assert!(reason.contains("is a link or a file, not a directory"), "{reason}");
    assert_eq!(std::fs::read(daemon.root.path().join("owner.token")).ok(), token);
}
