//! Responses that are read while they arrive.

use crate::support::{CANARY, Call, guard, url};
use bytes::Bytes;
use palyra_egress::testing::{RawEnd, RawReply, TestBody, TestReply, TestServer};
use palyra_egress::{EgressError, InjectionForm, StreamingResponse};
use std::time::Duration;

const GRANT: &str = "global/key hosts=api.example.com inject=bearer";

async fn rest(response: &mut StreamingResponse<'_>) -> Result<Vec<u8>, EgressError> {
    let mut whole = Vec::new();
    while let Some(piece) = response.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

#[tokio::test]
async fn piece_is_handed_on_before_the_next_one_exists() {
    let stalled = || TestReply::status(200).body(TestBody::Stalled(Bytes::from_static(b"data: 1\n\n")));
    let server = TestServer::http(move |_| stalled()).await.unwrap();
    let call = Call::get(url(&server, "/")).inject(GRANT, InjectionForm::Bearer, CANARY);
    let mut response = call.open(&guard()).await.unwrap();
    assert_eq!(response.next().await.unwrap().unwrap(), Bytes::from_static(b"data: 1\n\n"));
    // A wait for more data can be dropped and repeated; only dropping the response closes the connection.
    let wait = tokio::time::timeout(Duration::from_millis(1), response.next()).await;
    assert!(wait.is_err());
    assert!(tokio::time::timeout(Duration::from_millis(1), response.next()).await.is_err());
    drop(response);
    server.until_closed().await;
}

#[tokio::test]
async fn injected_secret_is_masked_however_its_response_is_cut() {
    let body = format!("<{CANARY}>").into_bytes();
    for size in 1..body.len() {
        let pieces: Vec<Bytes> = body.chunks(size).map(Bytes::copy_from_slice).collect();
        let reply = move || TestReply::status(401).header("x-echo", CANARY).pieces(pieces.clone());
        let server = TestServer::http(move |_| reply()).await.unwrap();
        let call = Call::get(url(&server, "/")).inject(GRANT, InjectionForm::Bearer, CANARY);
        let mut response = call.open(&guard()).await.unwrap();
        assert_eq!((response.status(), response.header("x-echo")), (401, Some("****")));
        assert_eq!(rest(&mut response).await.unwrap(), b"<****>", "in pieces of {size}");
    }
}

#[tokio::test]
async fn connection_is_used_again_after_a_whole_body_and_not_before() {
    let server = TestServer::http(|_| TestReply::ok("whole")).await.unwrap();
    let (guard, call) = (guard(), Call::get(url(&server, "/")));
    for _ in 0..3 {
        assert_eq!(rest(&mut call.open(&guard).await.unwrap()).await.unwrap(), b"whole");
    }
    assert_eq!(server.connections(), 1);
    let _unread = call.open(&guard).await.unwrap();
    assert_eq!(rest(&mut call.open(&guard).await.unwrap()).await.unwrap(), b"whole");
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn body_ends_at_the_cap_of_its_rule_and_a_cut_body_is_an_error() {
    let endless = || TestReply::status(200).body(TestBody::Endless(Bytes::from_static(&[7; 4096])));
    let server = TestServer::http(move |_| endless()).await.unwrap();
    let call = Call::get(url(&server, "/")).caps("response=100KiB");
    let mut response = call.open(&guard()).await.unwrap();
    let result = rest(&mut response).await;
    assert!(matches!(result, Err(EgressError::Quota { allowed: 102_400, .. })), "{result:?}");
    assert_eq!(response.next().await, Ok(None));
    server.until_closed().await;

    let cut = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
    let server = TestServer::raw(RawReply { bytes: cut.into(), end: RawEnd::Close }).await.unwrap();
    let call = Call::get(url(&server, "/"));
    let result = rest(&mut call.open(&guard()).await.unwrap()).await;
    assert!(matches!(result, Err(EgressError::Unavailable(_))), "{result:?}");
}
