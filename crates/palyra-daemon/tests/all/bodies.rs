//! Bodies that are too long, malformed, or of another type.

use crate::daemon::Daemon;
use crate::raw::{ask, exchange};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const INVOKE: &str = "/v1/tools/acme.bench.echo/invoke";

#[tokio::test(flavor = "multi_thread")]
async fn malformed_bodies_are_refused_and_leave_nothing() {
    let daemon = Daemon::with_bench().await;
    let token = Some(daemon.token.as_str());
    let before = daemon.state().journal().head().size;
    let deep = format!("{{\"input\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    for (headers, body, status, code) in [
        (&[JSON][..], "", 400, "usage"),
        (&[JSON], "{", 400, "usage"),
        (&[JSON], "[]", 400, "usage"),
        (&[JSON], "null", 400, "usage"),
        (&[JSON], "{\"inputs\":{}}", 400, "usage"),
        (&[JSON], "{\"input\":{},\"input\":{}}", 400, "usage"),
        (&[JSON], "{} {}", 400, "usage"),
        (&[JSON], "{\"limits\":[\"fuel\"]}", 400, "usage"),
        (&[JSON], "{\"grants\":[\"everything\"]}", 400, "usage"),
        (&[JSON], "{\"input\":\"\\ud800\"}", 400, "invalid_input"),
        (&[], "{}", 415, "unsupported_media_type"),
        (&[("Content-Type", "text/plain")], "{}", 415, "unsupported_media_type"),
        (&[("Content-Type", "application/x-www-form-urlencoded")], "a=b", 415, "unsupported_media_type"),
    ] {
        let reply = ask(&daemon, "POST", INVOKE, token, headers, body).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{body} {headers:?} {reply:?}");
    }
    let reply = ask(&daemon, "POST", INVOKE, token, &[JSON], &deep).await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert_eq!(daemon.state().journal().head().size, before, "nothing ran and nothing was refused by a tool");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_longer_than_its_route_reads_is_refused() {
    let daemon = Daemon::start().await;
    let token = Some(daemon.token.as_str());
    let long = format!("{{\"name\":\"{}\",\"scopes\":[]}}", "x".repeat(70_000));
    let reply = ask(&daemon, "POST", "/v1/tokens", token, &[JSON], &long).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    // The claimed length is not trusted: only received bytes count.
    let head = format!(
        "POST /v1/tokens HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 18446744073709551615\r\n\r\n{{}}",
        daemon.address,
        daemon.token.as_str()
    );
    let reply = exchange(&daemon, head.as_bytes()).await;
    assert!(matches!(reply.status, 400 | 413 | 431), "{reply:?}");
    let chunked = format!(
        "POST /v1/tokens HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        daemon.address,
        daemon.token.as_str()
    );
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let reply = exchange(&daemon, format!("{chunked}{chunk}{chunk}0\r\n\r\n").as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_are_no_http_end_the_connection() {
    let daemon = Daemon::start().await;
    for bytes in [
        "GARBAGE\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        format!("GET /v1/health HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(5_000)),
        format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(200_000)),
        "GET /v1/health HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_owned(),
    ] {
        let reply = exchange(&daemon, bytes.as_bytes()).await;
        assert!(matches!(reply.status, 0 | 400 | 401 | 414 | 421 | 431), "{reply:?}");
    }
    assert!(daemon.over_tcp().health().await.is_ok());
}
