//! Limits of one connection: bytes sent, and time without a call.

use super::unfinished::{connect, status_before_message};
use super::{Wire, call, problem};
use crate::daemon::{Daemon, config};
use crate::raw::ask;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::grpc::gateway::v1::{GetHealthRequest, SubscribeEventsRequest};
use palyra_api::grpc::skills::v1::QuarantineSkillRequest;
use palyra_api::grpc::skills::v1::skills_service_client::SkillsServiceClient;
use palyra_common::Scope;
use palyra_daemon::server::TlsFiles;
use palyra_daemon::{App, AppConfig, Server, ServerConfig, ServerError};
use palyra_plugins_runtime::InProcessCompiler;
use palyra_state::StateRoot;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_long_is_refused() {
    let daemon = Daemon::with_bench().await;
    let wire = Wire::owner(&daemon);
    let reason = "x".repeat(5 << 20);
    let long = QuarantineSkillRequest { skill_id: "acme.bench".into(), reason };
    let refused = problem(SkillsServiceClient::new(wire.clone()).quarantine_skill(long).await);
    assert_eq!((refused.code.as_str(), &refused.details["limit"]), ("body_too_large", &(64 << 10).into()));
    // Within the limit of the message, but too long for the path of the HTTP request.
    let reason = "\u{1}".repeat(60 << 10);
    let long = QuarantineSkillRequest { skill_id: "acme.bench".into(), reason };
    let refused = problem(SkillsServiceClient::new(wire.clone()).quarantine_skill(long).await);
    assert_eq!(refused.code.as_str(), "body_too_large");
    let text = format!("{{\"text\": \"{}\"}}", "é".repeat(1 << 20));
    let refused = problem(GatewayServiceClient::new(wire).invoke(call("acme.bench.echo", &text)).await);
    assert_eq!(refused.code.as_str(), "quota_exceeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_says_nothing_and_one_that_is_idle_are_let_go_of() {
    let short = ServerConfig { header_timeout: Duration::from_millis(50), ..config() };
    let daemon = Daemon::with(short).await;
    for first_words in ["", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = TcpStream::connect(daemon.grpc).await.unwrap();
        stream.write_all(first_words.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "{first_words:?} is still there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_when_the_daemon_stops_and_the_state_opens_again() {
    let daemon = Daemon::with_bench().await;
    let mut client = GatewayServiceClient::new(Wire::owner(&daemon));
    client.get_health(GetHealthRequest {}).await.unwrap();
    let mut events = client.subscribe_events(SubscribeEventsRequest::default()).await.unwrap().into_inner();
    let stopping = tokio::spawn(daemon.stop_and_reopen());
    while let Ok(Some(_)) = events.message().await {}
    stopping.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_never_travels_in_the_clear_over_grpc_either() {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = root.init(&crate::daemon::options(&Arc::new(AtomicU64::new(1)))).unwrap();
    let app = App::new(state, AppConfig::new(Arc::new(InProcessCompiler)));
    let outside = ServerConfig { grpc_listen: Some(([0, 0, 0, 0], 0).into()), ..config() };
    let refused = Server::bind(app, outside).await.err().unwrap();
    assert!(matches!(refused, ServerError::ClearText(_)), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn under_tls_it_speaks_http_2() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let daemon = Daemon::with(ServerConfig { tls: Some(TlsFiles { certificate, key }), ..config() }).await;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(daemon.grpc).await.unwrap();
    let name = "localhost".try_into().unwrap();
    let stream = tokio_rustls::TlsConnector::from(Arc::new(tls)).connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::post("https://localhost/palyra.gateway.v1.GatewayService/GetHealth")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", format!("Bearer {}", daemon.token.as_str()))
        .body(http_body_util::Full::new(bytes::Bytes::from_static(&[0; 5])))
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let answer = http_body_util::BodyExt::collect(response.into_body()).await.unwrap();
    assert_eq!(answer.trailers().unwrap()["grpc-status"], "0");
}

const INVOKE: &str = "/palyra.gateway.v1.GatewayService/Invoke";
const HEALTH: &str = "/grpc.health.v1.Health/Check";
const PERMISSION_DENIED: &str = "7";
const RESOURCE_EXHAUSTED: &str = "8";
const UNAUTHENTICATED: &str = "16";

#[tokio::test(flavor = "multi_thread")]
async fn token_and_scope_are_decided_before_a_message_is_read() {
    let daemon = Daemon::with_bench().await;
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let sender = connect(daemon.grpc).await.unwrap();
    for (token, status) in
        [(None, UNAUTHENTICATED), (Some("palyra_0"), UNAUTHENTICATED), (Some(&*reader), PERMISSION_DENIED)]
    {
        let told = status_before_message(sender.clone(), daemon.grpc, INVOKE, token, (60 << 20, 0)).await;
        assert_eq!(told.unwrap(), status, "{token:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_check_takes_a_short_message_and_few_at_once() {
    let daemon = Daemon::start().await;
    let sender = connect(daemon.grpc).await.unwrap();
    let told = status_before_message(sender.clone(), daemon.grpc, HEALTH, None, ((64 << 10) + 1, 0)).await;
    assert_eq!(told.unwrap(), RESOURCE_EXHAUSTED);
    let mut calls: FuturesUnordered<_> = (0..5)
        .map(|_| status_before_message(sender.clone(), daemon.grpc, HEALTH, None, (64 << 10, 0)))
        .collect();
    for _ in 0..3 {
        assert_eq!(calls.next().await.unwrap().unwrap(), RESOURCE_EXHAUSTED, "two at once are enough");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_bodies_under_way_share_one_budget() {
    let daemon = Daemon::with_bench().await;
    let token = daemon.token_with("caller", &[Scope::Read, Scope::Invoke]);
    let sender = connect(daemon.grpc).await.unwrap();
    let mut calls: FuturesUnordered<_> = (0..8)
        .map(|_| status_before_message(sender.clone(), daemon.grpc, INVOKE, Some(&token), (60 << 20, 0)))
        .collect();
    for _ in 0..5 {
        assert_eq!(calls.next().await.unwrap().unwrap(), RESOURCE_EXHAUSTED, "192 MiB are three of them");
    }
    let long = format!("{{\"input\":{{\"text\":\"{}\"}}}}", "x".repeat(20 << 20));
    let json = &[("Content-Type", "application/json")];
    let path = "/v1/tools/acme.bench.echo/invoke";
    let reply = ask(&daemon, "POST", path, Some(&token), json, &long).await;
    assert_eq!((reply.status, reply.code().as_str()), (429, "too_many_uploads"));
    let other = ask(&daemon, "POST", path, Some(&daemon.token), json, "{\"input\":{}}").await;
    assert_eq!(other.status, 200, "{other:?}");
    drop(calls);
}
