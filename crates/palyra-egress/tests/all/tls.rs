//! HTTPS: the certificate must be valid for the granted name, whichever address is connected.

use crate::support::{Call, LOOPBACK};
use palyra_egress::testing::{FixedResolver, TestReply, TestServer};
use palyra_egress::{CertificateDer, EgressConfig, EgressError, EgressGuard, EgressSetupError};
use std::sync::Arc;

fn guard_trusting(roots: Vec<CertificateDer<'static>>) -> EgressGuard {
    let resolver =
        FixedResolver::new().with("api.example.com", [LOOPBACK]).with("other.example.com", [LOOPBACK]);
    let config = EgressConfig { resolver: Arc::new(resolver), extra_roots: roots, ..EgressConfig::default() };
    EgressGuard::new(config).unwrap()
}

async fn server(names: &[&str]) -> TestServer {
    TestServer::https(names, |request| TestReply::ok(request.headers["host"].to_str().unwrap().to_owned()))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_trusted_certificate_for_the_name_is_accepted_and_kept() {
    let server = server(&["api.example.com", "127.0.0.1"]).await;
    let guard = guard_trusting(vec![server.root().unwrap()]);
    let port = server.address().port();
    for _ in 0..3 {
        let response = Call::get(format!("https://api.example.com:{port}/")).send(&guard).await.unwrap();
        assert_eq!(response.body, format!("api.example.com:{port}"));
    }
    assert_eq!(server.connections(), 1);
    let response = Call::get(format!("https://127.0.0.1:{port}/")).send(&guard).await.unwrap();
    assert_eq!(response.body, format!("127.0.0.1:{port}"), "an address in the certificate counts as well");
}

#[tokio::test]
async fn g09_a_certificate_for_another_name_is_refused() {
    let server = server(&["api.example.com"]).await;
    let guard = guard_trusting(vec![server.root().unwrap()]);
    let port = server.address().port();
    for host in ["other.example.com", "127.0.0.1"] {
        let result = Call::get(format!("https://{host}:{port}/")).send(&guard).await;
        let Err(EgressError::Unavailable(text)) = result else { panic!("{host}: {result:?}") };
        assert!(text.contains("no TLS with") && text.contains("certificate"), "{text}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn unknown_root_certificate_is_not_trusted() {
    let server = server(&["api.example.com"]).await;
    let port = server.address().port();
    let result =
        Call::get(format!("https://api.example.com:{port}/")).send(&guard_trusting(Vec::new())).await;
    assert!(matches!(result, Err(EgressError::Unavailable(_))), "{result:?}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn plain_and_encrypted_never_mix() {
    let server = server(&["api.example.com"]).await;
    let guard = guard_trusting(vec![server.root().unwrap()]);
    let port = server.address().port();
    let result = Call::get(format!("http://api.example.com:{port}/")).send(&guard).await;
    assert!(matches!(result, Err(EgressError::Unavailable(_))), "{result:?}");
}

#[test]
fn a_root_that_is_no_certificate_is_refused_at_start() {
    let config =
        EgressConfig { extra_roots: vec![CertificateDer::from(vec![1, 2, 3])], ..EgressConfig::default() };
    assert!(matches!(EgressGuard::new(config), Err(EgressSetupError::BadRoot { index: 0, .. })));
}
