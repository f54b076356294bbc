//! G14: the time limit applies in every stage, and no task or connection remains after it.

use crate::support::{Call, LOOPBACK, guard, guard_with, url};
use bytes::Bytes;
use palyra_egress::EgressError;
use palyra_egress::testing::{FixedResolver, RawEnd, RawReply, TestBody, TestReply, TestServer};
use std::time::Duration;
use tokio::net::TcpListener;

const LIMIT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn g14_a_resolver_that_never_answers() {
    let guard = guard_with(FixedResolver::new().with_silence("api.example.com"));
    let result = Call::get("https://api.example.com/").timeout(LIMIT).send(&guard).await;
    assert_eq!(result, Err(EgressError::TimedOut));
}

#[tokio::test]
async fn g14_a_handshake_that_never_ends() {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let result = Call::get(format!("https://api.example.com:{port}/")).timeout(LIMIT).send(&guard()).await;
    assert_eq!(result, Err(EgressError::TimedOut));
}

#[tokio::test]
async fn g14_a_head_that_never_comes() {
    let silence = RawReply { bytes: b"HTTP/1.1 200 OK\r\n".to_vec(), end: RawEnd::Hold };
    let server = TestServer::raw(silence).await.unwrap();
    let result = Call::get(url(&server, "/")).timeout(LIMIT).send(&guard()).await;
    assert_eq!(result, Err(EgressError::TimedOut));
    server.until_closed().await;
}

#[tokio::test]
async fn g14_a_body_that_stalls() {
    let stalled = || TestBody::Stalled(Bytes::from_static(b"some"));
    let server = TestServer::http(move |_| TestReply::status(200).body(stalled())).await.unwrap();
    let result = Call::get(url(&server, "/")).timeout(LIMIT).send(&guard()).await;
    assert_eq!(result, Err(EgressError::TimedOut));
    server.until_closed().await;
}

#[tokio::test]
async fn g14_a_server_that_never_reads() {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let call = Call::post(format!("http://api.example.com:{port}/"), vec![0; 15 << 20]).timeout(LIMIT);
    assert_eq!(call.send(&guard()).await, Err(EgressError::TimedOut));
}

#[tokio::test]
async fn g14_a_dropped_request_closes_its_connection() {
    let stalled = || TestBody::Stalled(Bytes::from_static(b"some"));
    let server = TestServer::http(move |_| TestReply::status(200).body(stalled())).await.unwrap();
    let guard = guard();
    for count in 1..=3 {
        let (guard, call) = (guard.clone(), Call::get(url(&server, "/")));
        let task = tokio::spawn(async move { call.send(&guard).await });
        server.until_opened(count).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        server.until_closed().await;
    }
}

#[tokio::test]
async fn g14_a_time_limit_that_is_kept_changes_nothing() {
    let server = TestServer::http(|_| TestReply::ok("in time")).await.unwrap();
    let response = Call::get(url(&server, "/")).timeout(Duration::MAX).send(&guard()).await.unwrap();
    assert_eq!(response.body, "in time");
}
