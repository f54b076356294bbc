//! G10: responses that exceed a limit.

use crate::support::{Call, guard, header, url};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use palyra_egress::testing::{RawEnd, RawReply, TestBody, TestReply, TestServer};
use palyra_egress::{ByteBudget, EgressError};
use std::sync::Arc;
use std::time::Duration;

fn raw(bytes: impl Into<Vec<u8>>, end: RawEnd) -> RawReply {
    RawReply { bytes: bytes.into(), end }
}

#[tokio::test]
async fn g10_an_endless_body_ends_at_the_cap_of_its_rule() {
    let server =
        TestServer::http(|_| TestReply::status(200).body(TestBody::Endless(Bytes::from_static(&[7; 4096]))))
            .await
            .unwrap();
    let call = Call::get(url(&server, "/")).caps("response=100KiB");
    let Err(EgressError::Quota { allowed, used }) = call.send(&guard()).await else { panic!("not a quota") };
    assert_eq!(allowed, 100 << 10);
    assert!(used > allowed && used <= allowed + (64 << 10), "{used} bytes were kept or counted");
    server.until_closed().await;
}

#[tokio::test]
async fn g10_a_body_without_a_length_ends_at_the_budget_of_the_run() {
    let pieces = || (0..1_000).map(|_| Bytes::from_static(&[7; 4096]));
    let server = TestServer::http(move |_| TestReply::status(200).pieces(pieces())).await.unwrap();
    let call = Call::get(url(&server, "/")).budget(&Arc::new(ByteBudget::new(50_000)));
    let Err(EgressError::Quota { allowed, used }) = call.send(&guard()).await else { panic!("not a quota") };
    assert_eq!(allowed, 50_000);
    assert!(used > allowed && used <= allowed + (64 << 10), "{used}");
}

#[tokio::test]
async fn g10_a_body_that_announces_too_much_is_refused_unread() {
    let server =
        TestServer::raw(raw("HTTP/1.1 200 OK\r\ncontent-length: 1099511627776\r\n\r\nx", RawEnd::Hold))
            .await
            .unwrap();
    let guard = guard();
    let result = Call::get(url(&server, "/")).caps("response=1MiB").send(&guard).await;
    assert_eq!(result, Err(EgressError::Quota { allowed: 1 << 20, used: 1 << 40 }));
    let result = Call::get(url(&server, "/")).send(&guard).await;
    assert!(matches!(result, Err(EgressError::Quota { allowed, .. }) if allowed == 16 << 20), "{result:?}");
}

#[tokio::test]
async fn g10_a_body_of_exactly_the_cap_passes() {
    let server = TestServer::http(|request| match request.target.as_str() {
        "/whole" => TestReply::ok(vec![1; 1000]),
        _ => TestReply::status(200).pieces((0..1000).map(|_| Bytes::from_static(&[1]))),
    })
    .await
    .unwrap();
    let guard = guard();
    for path in ["/whole", "/pieces"] {
        let response = Call::get(url(&server, path)).caps("response=1000").send(&guard).await.unwrap();
        assert_eq!(response.body.len(), 1000);
        let result = Call::get(url(&server, path)).caps("response=999").send(&guard).await;
        assert_eq!(result, Err(EgressError::Quota { allowed: 999, used: 1000 }), "{path}");
    }
}

#[tokio::test]
async fn g10_a_slow_drip_ends_at_the_time_limit() {
    let drip = || TestBody::Drip(Bytes::from_static(b"."), Duration::from_millis(5));
    let server = TestServer::http(move |_| TestReply::status(200).body(drip())).await.unwrap();
    let result = Call::get(url(&server, "/")).timeout(Duration::from_millis(60)).send(&guard()).await;
    assert_eq!(result, Err(EgressError::TimedOut));
    server.until_closed().await;
}

#[tokio::test]
async fn g10_ten_thousand_headers_are_refused() {
    let many: String = (0..10_000).map(|index| format!("x-{index}: y\r\n")).collect();
    let long = format!("x-long: {}\r\n", "y".repeat(1 << 20));
    for head in [many, long] {
        let server =
            TestServer::raw(raw(format!("HTTP/1.1 200 OK\r\n{head}\r\n"), RawEnd::Hold)).await.unwrap();
        let call = Call::get(url(&server, "/"));
        let result = call.send(&guard()).await;
        assert!(matches!(result, Err(EgressError::Quota { allowed: 32768, .. })), "{result:?}");
        assert!(call.budget.used() < 130 << 10, "{} bytes were read of it", call.budget.used());
    }
}

#[tokio::test]
async fn g10_a_head_of_ordinary_size_passes() {
    let many: String = (0..120).map(|index| format!("x-{index}: {}\r\n", "y".repeat(200))).collect();
    let head = format!("HTTP/1.1 200 OK\r\n{many}content-length: 0\r\n\r\n");
    let server = TestServer::raw(raw(head, RawEnd::Hold)).await.unwrap();
    assert_eq!(Call::get(url(&server, "/")).send(&guard()).await.unwrap().headers.len(), 121);
}

#[tokio::test]
async fn g10_endless_interim_responses_end_at_the_budget() {
    let server =
        TestServer::raw(raw("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", RawEnd::Repeat)).await.unwrap();
    let call = Call::get(url(&server, "/")).budget(&Arc::new(ByteBudget::new(200_000)));
    let result = call.send(&guard()).await;
    assert!(matches!(result, Err(EgressError::Quota { allowed: 200_000, .. })), "{result:?}");
}

#[tokio::test]
async fn g10_a_gzip_bomb_stays_packed() {
    // 64 KiB of zeros in 96 bytes.
    const BOMB: &str = "H4sIAAAAAAAC/+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAauuOl9cAAAEA";
    let packed = Bytes::from(STANDARD.decode(BOMB).unwrap());
    let reply = packed.clone();
    let server = TestServer::http(move |_| TestReply::ok(reply.clone()).header("content-encoding", "gzip"))
        .await
        .unwrap();
    let call = Call::get(url(&server, "/")).header("accept-encoding", "gzip").caps("response=96");
    let response = call.send(&guard()).await.unwrap();
    assert_eq!((response.body.clone(), header(&response, "content-encoding")), (packed, Some("gzip")));
    assert_eq!(
        server.requests()[0].headers["accept-encoding"],
        "gzip",
        "without a secret the guest may ask for it"
    );
}

#[tokio::test]
async fn g10_broken_answers_are_unavailable() {
    for (bytes, end) in [
        ("", RawEnd::Close),
        ("SSH-2.0-OpenSSH_9.6\r\n", RawEnd::Hold),
        ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort", RawEnd::Close),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", RawEnd::Hold),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx", RawEnd::Hold),
        ("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n", RawEnd::Hold),
        (
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
            RawEnd::Close,
        ),
    ] {
        let server = TestServer::raw(raw(bytes, end)).await.unwrap();
        let result = Call::get(url(&server, "/")).send(&guard()).await;
        assert!(matches!(result, Err(EgressError::Unavailable(_))), "{bytes:?}: {result:?}");
    }
}

#[tokio::test]
async fn g10_a_response_to_head_may_announce_any_length() {
    let server =
        TestServer::raw(raw("HTTP/1.1 200 OK\r\ncontent-length: 1099511627776\r\n\r\n", RawEnd::Hold))
            .await
            .unwrap();
    let mut call = Call::get(url(&server, "/"));
    call.request.method = "HEAD".into();
    let response = call.send(&guard()).await.unwrap();
    assert_eq!((response.body.len(), header(&response, "content-length")), (0, Some("1099511627776")));
}
