//! Connections are reused for the same route, never shared beyond it, and closed when they are idle.

use crate::support::{Call, LOOPBACK, guard, guard_with, url};
use bytes::Bytes;
use futures::future::join_all;
use palyra_egress::testing::{FixedResolver, RawEnd, RawReply, TestReply, TestServer};
use palyra_egress::{EgressConfig, EgressError, EgressGuard};
use std::sync::Arc;
use std::time::Duration;

async fn server() -> TestServer {
    TestServer::http(|request| TestReply::ok(request.body.clone())).await.unwrap()
}

#[tokio::test]
async fn requests_of_one_route_share_a_connection() {
    let server = server().await;
    let guard = guard();
    for index in 0..20 {
        let body = format!("request {index}");
        let response = Call::post(url(&server, "/"), body.clone()).send(&guard).await.unwrap();
        assert_eq!(response.body, body);
    }
    assert_eq!((server.requests().len(), server.connections()), (20, 1));
}

#[tokio::test]
async fn g16_connections_are_not_shared_between_owners_or_rules() {
    let server = server().await;
    let guard = guard();
    let call = || Call::get(url(&server, "/"));
    call().owner("acme.notes").send(&guard).await.unwrap();
    call().owner("evil.spy").send(&guard).await.unwrap();
    assert_eq!(server.connections(), 2, "another owner");
    call().caps("response=10").send(&guard).await.unwrap();
    assert_eq!(server.connections(), 3, "another rule");
    call().owner("acme.notes").send(&guard).await.unwrap();
    call().owner("evil.spy").send(&guard).await.unwrap();
    assert_eq!(server.connections(), 3, "each came back to its own");
}

#[tokio::test]
async fn connections_are_not_shared_between_names_of_one_address() {
    let server = server().await;
    let resolver = FixedResolver::new().with("a.example.com", [LOOPBACK]).with("b.example.com", [LOOPBACK]);
    let guard = guard_with(resolver);
    let port = server.address().port();
    for name in ["a", "b", "a", "b"] {
        let call = Call::get(format!("http://{name}.example.com:{port}/"))
            .rule(format!("http://*.example.com:{port}"));
        call.send(&guard).await.unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_connection_the_server_closed_is_replaced() {
    let reply = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_vec();
    let server = TestServer::raw(RawReply { bytes: reply, end: RawEnd::Close }).await.unwrap();
    let guard = guard();
    for count in 1..=3 {
        let response = Call::get(url(&server, "/")).send(&guard).await.unwrap();
        assert_eq!((&response.body[..], server.connections()), (&b"ok"[..], count));
        server.until_closed().await;
    }
}

#[tokio::test]
async fn unsolicited_bytes_never_answer_the_next_request() {
    let reply =
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirstHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"
            .to_vec();
    let server = TestServer::raw(RawReply { bytes: reply, end: RawEnd::Hold }).await.unwrap();
    let guard = guard();
    for count in 1..=2 {
        assert_eq!(Call::get(url(&server, "/")).send(&guard).await.unwrap().body, "first");
        assert_eq!(server.connections(), count);
    }
}

#[tokio::test]
async fn an_unused_connection_is_closed_in_time() {
    let server = server().await;
    let config = EgressConfig {
        resolver: Arc::new(FixedResolver::new().with("api.example.com", [LOOPBACK])),
        idle_lifetime: Duration::from_millis(20),
        ..EgressConfig::default()
    };
    let guard = EgressGuard::new(config).unwrap();
    Call::get(url(&server, "/")).send(&guard).await.unwrap();
    server.until_closed().await;
    Call::get(url(&server, "/")).send(&guard).await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn connections_end_with_the_guard() {
    let server = server().await;
    let guard = guard();
    Call::get(url(&server, "/")).send(&guard).await.unwrap();
    drop(guard);
    server.until_closed().await;
}

#[tokio::test]
async fn no_more_connections_are_kept_than_configured() {
    let server = server().await;
    let config = EgressConfig {
        resolver: Arc::new(FixedResolver::new().with("api.example.com", [LOOPBACK])),
        max_idle_connections: 0,
        ..EgressConfig::default()
    };
    let guard = EgressGuard::new(config).unwrap();
    for count in 1..=3 {
        Call::get(url(&server, "/")).send(&guard).await.unwrap();
        assert_eq!(server.connections(), count);
    }
    server.until_closed().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_at_once_get_their_own_answers() {
    let server = Arc::new(server().await);
    let guard = guard();
    for _round in 0..4 {
        let calls = (0..50).map(|index| {
            let (guard, body) = (guard.clone(), Bytes::from(format!("body {index}").repeat(index + 1)));
            let call = Call::post(url(&server, "/"), body.clone());
            tokio::spawn(async move { assert_eq!(call.send(&guard).await.unwrap().body, body) })
        });
        for call in join_all(calls).await {
            call.unwrap();
        }
    }
    assert_eq!(server.requests().len(), 200);
    assert!(server.connections() <= 50, "{} connections for 50 requests at once", server.connections());
}

#[tokio::test]
async fn a_closed_port_is_unavailable() {
    let server = server().await;
    let target = url(&server, "/");
    drop(server);
    let result = Call::get(target).send(&guard()).await;
    assert!(matches!(result, Err(EgressError::Unavailable(_))), "{result:?}");
}

#[test]
fn proxy_variables_are_ignored() {
    // Setting variables in this process would affect other tests, so one test runs again in a child process.
    let nowhere = "http://127.0.0.1:1";
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "connections::requests_of_one_route_share_a_connection"])
        .envs(
            ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
                .map(|name| (name, nowhere)),
        )
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&status.stdout);
    assert!(status.status.success() && told.contains("1 passed"), "{told}");
}
