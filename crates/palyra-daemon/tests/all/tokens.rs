//! Creating tokens, and the limits of their permissions.

use crate::daemon::Daemon;
use palyra_api::ClientError;
use palyra_api::tokens::NewTokenRequest;
use palyra_api::tools::InvokeRequest;
use palyra_common::Scope;

fn request(name: &str, scopes: &[&str]) -> NewTokenRequest {
    NewTokenRequest {
        name: name.into(),
        scopes: scopes.iter().map(|scope| scope.parse::<Scope>().unwrap()).collect(),
        lifetime_seconds: None,
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_kept_as_a_hash() {
    let daemon = Daemon::start().await;
    let made = daemon.over_socket().add_token(&request("editor", &["read", "invoke"])).await.unwrap();
    assert!(made.secret.starts_with("palyra_") && made.secret.len() > 60);
    assert!(!format!("{made:?}").contains(&made.secret));
    let listed = daemon.over_tcp().tokens().await.unwrap();
    assert_eq!(listed.tokens, std::slice::from_ref(&made.token));
    assert!(daemon.over_tcp_as(&made.secret).skills().await.is_ok());
    let secret = made.secret.clone();
    let (state, home) = daemon.stop_and_reopen().await;
    assert_eq!(state.tokens().list().len(), 1, "it outlives the daemon");
    drop(state);
    let mut folders = vec![home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.is_file() => {
                    let bytes = std::fs::read(&path).unwrap();
                    assert!(
                        !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
                        "{path:?}"
                    );
                }
                false => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_scopes_are_checked() {
    let daemon = Daemon::start().await;
    let client = daemon.in_process();
    for bad in ["", "UPPER", "a b", "ä", "a/b", &"x".repeat(41)] {
        assert_eq!(code(client.add_token(&request(bad, &["read"])).await), "usage", "{bad}");
    }
    assert_eq!(code(client.add_token(&request("a", &[])).await), "usage");
    assert_eq!(code(client.add_token(&request("owner", &["read"])).await), "already_exists");
    let odd = serde_json::json!({ "name": "a", "scopes": ["everything"] });
    let odd = client.send::<serde_json::Value>(http::Method::POST, "/v1/tokens", &odd).await;
    assert_eq!(code(odd), "usage");
    let expired = NewTokenRequest { lifetime_seconds: Some(0), ..request("a", &["read"]) };
    assert_eq!(code(client.add_token(&expired).await), "usage");
    client.add_token(&request("a", &["read"])).await.unwrap();
    assert_eq!(code(client.add_token(&request("a", &["read"])).await), "already_exists");
    assert_eq!(code(client.remove_token("b").await), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_cannot_grant_scopes_it_lacks() {
    let daemon = Daemon::with_bench().await;
    let admin = daemon.over_tcp_as(&daemon.token_with("admin", &[Scope::Admin, Scope::Read]));
    assert_eq!(code(admin.add_token(&request("x", &["approve"])).await), "forbidden");
    assert!(admin.add_token(&request("x", &["read"])).await.is_ok());
    let caller = daemon.over_tcp_as(&daemon.token_with("caller", &[Scope::Invoke, Scope::Approve]));
    let wide = InvokeRequest { grants: vec!["address:127.0.0.1".into()], ..InvokeRequest::default() };
    assert_eq!(code(caller.invoke("acme.bench.echo", &wide).await), "forbidden");
}
