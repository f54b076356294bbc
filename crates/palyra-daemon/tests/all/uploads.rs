//! Uploads that are too long, of another type, too slow, or not packages.

use crate::daemon::{Daemon, config};
use crate::raw::{ask, exchange, parse};
use palyra_api::client::full_body;
use palyra_api::packages::{MAX_PACKAGE_BYTES, PACKAGE_TYPE};
use palyra_api::skills::InstallQuery;
use palyra_common::Scope;
use palyra_daemon::ServerConfig;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PACKAGE: (&str, &str) = ("Content-Type", PACKAGE_TYPE);
const PATHS: [&str; 4] = ["/v1/skills", "/v1/packages/verify", "/v1/packages/audit", "/v1/packages/plan"];

fn head(daemon: &Daemon, more: &str) -> String {
    format!(
        "POST /v1/packages/audit HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {PACKAGE_TYPE}\r\n\
         Connection: close\r\n{more}\r\n",
        daemon.address,
        daemon.token.as_str()
    )
}

fn names(daemon: &Daemon) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> =
        std::fs::read_dir(daemon.root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_package_is_refused_and_leaves_nothing() {
    let daemon = Daemon::start().await;
    let token = Some(daemon.token.as_str());
    let before = names(&daemon);
    for path in PATHS {
        for (headers, body, status) in [
            (&[PACKAGE][..], "", 422),
            (&[PACKAGE], "PK\u{3}\u{4}", 422),
            (&[PACKAGE], "not an archive", 422),
            (&[], "x", 415),
            (&[("Content-Type", "application/json")], "{}", 415),
            (&[("Content-Type", "multipart/form-data; boundary=x")], "--x", 415),
        ] {
            let reply = ask(&daemon, "POST", path, token, headers, body).await;
            assert_eq!(reply.status, status, "{path} {body} {reply:?}");
        }
    }
    let claimed = format!("Content-Length: {}\r\n", MAX_PACKAGE_BYTES + 1);
    let reply = exchange(&daemon, head(&daemon, &claimed).as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    for query in [
        "?accept=nothing-like-it",
        "?consent=abc",
        "?secrets=global/token",
        "?allow_tofu=perhaps",
        "?everything=true",
        "?allow_tofu=true&allow_tofu=true",
    ] {
        let reply = ask(&daemon, "POST", &format!("/v1/skills{query}"), token, &[PACKAGE], "x").await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "usage"), "{query}");
    }
    assert_eq!(names(&daemon), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_over_the_ceiling_is_cut_off_while_it_comes() {
    let daemon = Daemon::start().await;
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    stream.write_all(head(&daemon, "Transfer-Encoding: chunked\r\n").as_bytes()).await.unwrap();
    let chunk = [b"100000\r\n".as_slice(), &vec![7; 1 << 20], b"\r\n"].concat();
    let mut sent = 0;
    // The daemon closes once the limit is exceeded.
    while sent < 2 * MAX_PACKAGE_BYTES && stream.write_all(&chunk).await.is_ok() {
        sent += 1 << 20;
    }
    assert!((MAX_PACKAGE_BYTES..2 * MAX_PACKAGE_BYTES).contains(&sent), "{sent}");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    assert_eq!(parse(&bytes).status, 413);
    assert!(daemon.over_tcp().health().await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_that_dawdles_or_breaks_off_is_let_go() {
    let short = ServerConfig { body_timeout: Duration::from_millis(200), ..config() };
    let daemon = Daemon::with(short).await;
    let before = names(&daemon);
    let slow = [head(&daemon, "Content-Length: 1000\r\n").as_bytes(), &[7; 10]].concat();
    let reply = exchange(&daemon, &slow).await;
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"));
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    stream.write_all(&slow).await.unwrap();
    drop(stream);
    assert_eq!(names(&daemon), before);
    assert!(daemon.over_tcp().health().await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_without_scope_is_denied_for_any_length() {
    let daemon = Daemon::start().await;
    let reader = daemon.token_with("reader", &[Scope::Read]);
    for client in [daemon.over_tcp_as(&reader), daemon.over_tcp_as("palyra_wrong")] {
        let sent = client.install(full_body(vec![7; 16 << 20]), &InstallQuery::default()).await;
        let code = sent.unwrap_err().into_problem().code;
        assert!(["forbidden", "authentication"].contains(&code.as_str()), "{code}");
    }
}
