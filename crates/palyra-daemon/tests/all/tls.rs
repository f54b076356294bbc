//! Listeners on addresses that other machines can reach.

use crate::daemon::{Daemon, config};
use palyra_api::Client;
use palyra_api::client::remote::{Place, Remote};
use palyra_daemon::server::TlsFiles;
use palyra_daemon::{App, AppConfig, Server, ServerConfig, ServerError};
use palyra_plugins_runtime::InProcessCompiler;
use palyra_state::StateRoot;
use rustls_pki_types::CertificateDer;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

#[tokio::test(flavor = "multi_thread")]
async fn a_token_never_travels_in_the_clear() {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = root.init(&crate::daemon::options(&Arc::new(AtomicU64::new(1)))).unwrap();
    let app = App::new(state, AppConfig::new(Arc::new(InProcessCompiler)));
    let outside = ServerConfig { listen: ([0, 0, 0, 0], 0).into(), ..config() };
    let refused = Server::bind(app, outside).await.err().unwrap();
    assert!(matches!(refused, ServerError::ClearText(_)), "{refused}");
    assert!(refused.hint().unwrap().contains("--tls-cert"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_serves_its_certificate_and_rejects_others() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let daemon = Daemon::with(ServerConfig { tls: Some(TlsFiles { certificate, key }), ..config() }).await;
    let place: Place = format!("https://localhost:{}", daemon.address.port()).parse().unwrap();
    let stranger = Client::new(Remote::new(place.clone(), Some(daemon.token.clone())));
    assert_eq!(stranger.health().await.unwrap_err().into_problem().code.as_str(), "unreachable");
    let roots = vec![CertificateDer::from(made.cert.der().to_vec())];
    let known = Client::new(Remote::new(place, Some(daemon.token.clone())).with_roots(roots).unwrap());
    assert_eq!(known.health().await.unwrap().status, "ok");
}
