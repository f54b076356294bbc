//! Bytes of a run and of a rule, counted over all requests.

use crate::support::{Call, guard, url};
use palyra_egress::testing::{TestReply, TestServer};
use palyra_egress::{ByteBudget, EgressError, InjectionForm};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

async fn thousand_bytes() -> TestServer {
    TestServer::http(|_| TestReply::ok(vec![b'x'; 1_000])).await.unwrap()
}

#[tokio::test]
async fn g10_the_budget_runs_out_over_several_requests() {
    let server = thousand_bytes().await;
    let (guard, budget) = (guard(), Arc::new(ByteBudget::new(5_000)));
    let mut answered = 0;
    let error = loop {
        match Call::get(url(&server, "/")).budget(&budget).send(&guard).await {
            Ok(response) => answered += u64::from(response.status == 200),
            Err(error) => break error,
        }
    };
    assert_eq!(answered, 4, "each costs a thousand bytes and two heads");
    assert!(matches!(error, EgressError::Quota { allowed: 5_000, used } if used > 5_000), "{error:?}");
}

#[tokio::test]
async fn g10_a_rule_has_a_total_of_its_own() {
    let server = thousand_bytes().await;
    let (guard, budget) = (guard(), Arc::new(ByteBudget::new(1 << 20)));
    let narrow = || Call::get(url(&server, "/")).caps("total=2500").budget(&budget);
    assert!(narrow().send(&guard).await.is_ok());
    assert!(narrow().send(&guard).await.is_ok());
    let result = narrow().send(&guard).await;
    assert!(matches!(result, Err(EgressError::Quota { allowed: 2_500, .. })), "{result:?}");
    assert!(Call::get(url(&server, "/")).budget(&budget).send(&guard).await.is_ok(), "another rule goes on");
    let fresh = Arc::new(ByteBudget::new(1 << 20));
    assert!(narrow().budget(&fresh).send(&guard).await.is_ok(), "another run starts anew");
}

#[tokio::test]
async fn g10_a_request_over_its_cap_is_not_sent() {
    let server = thousand_bytes().await;
    let guard = guard();
    let result = Call::post(url(&server, "/"), vec![0; 101]).caps("request=100").send(&guard).await;
    assert_eq!(result, Err(EgressError::Quota { allowed: 100, used: 101 }));
    let small = Arc::new(ByteBudget::new(1_000));
    let result = Call::post(url(&server, "/"), vec![0; 1_000]).budget(&small).send(&guard).await;
    assert!(matches!(result, Err(EgressError::Quota { allowed: 1_000, .. })), "{result:?}");
    assert_eq!((small.used(), server.connections()), (0, 0));
    assert!(Call::post(url(&server, "/"), vec![0; 100]).caps("request=100").send(&guard).await.is_ok());
}

#[tokio::test]
async fn bytes_on_the_wire_are_the_bytes_counted() {
    let reply = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    for (method, body, secret) in
        [("GET", "", None), ("POST", "", None), ("POST", "hello", Some("s3cr3t")), ("DELETE", "", None)]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let grant = "global/k hosts=api.example.com inject=query:k";
        let mut call = Call::post(format!("http://api.example.com:{port}/path?q=1"), body).header("x-a", "b");
        call.request.method = method.into();
        if let Some(secret) = secret {
            call = call.inject(grant, InjectionForm::Query("k".into()), secret);
        }
        let guard = guard();
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = Vec::new();
            while !seen.ends_with(b"\r\n\r\n") && !seen.ends_with(b"hello") {
                stream.read_buf(&mut seen).await.unwrap();
            }
            stream.write_all(reply).await.unwrap();
            seen
        };
        let (seen, response) = tokio::join!(serve, call.send(&guard));
        let response = response.unwrap();
        let text = String::from_utf8_lossy(&seen);
        assert_eq!(response.bytes_sent, seen.len() as u64, "{method}: {text}");
        assert_eq!(response.bytes_received, reply.len() as u64);
        assert_eq!(call.budget.used(), response.bytes_sent + response.bytes_received);
    }
}
