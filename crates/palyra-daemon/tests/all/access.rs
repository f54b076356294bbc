//! Authorization of every route.

use crate::daemon::{Daemon, config};
use crate::raw::ask;
use palyra_common::Scope;
use palyra_daemon::ServerConfig;
use palyra_daemon::transport::http::routes;
use palyra_journal::{EventKind, Query};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn concrete(path: &str) -> String {
    path.split('/')
        .map(|part| if part.starts_with('{') { "some.name" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_needs_a_token_with_its_scope() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 100_000, ..config() }).await;
    for scope in Scope::ALL {
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
        daemon.token_with(&format!("all-but-{scope}"), &others);
    }
    for route in routes().into_iter().filter(|route| !route.public) {
        let (method, path) = (route.method.as_str(), concrete(route.path));
        let without = ask(&daemon, method, &path, None, &[JSON], "{}").await;
        assert_eq!((without.status, without.code().as_str()), (401, "authentication"), "{method} {path}");
        assert!(without.head.to_lowercase().contains("www-authenticate: bearer"));
        let wrong = ask(&daemon, method, &path, Some("palyra_0000"), &[JSON], "{}").await;
        assert_eq!((wrong.status, wrong.code().as_str()), (401, "authentication"), "{method} {path}");
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != route.scope).collect();
        let token = daemon.token_with(&format!("t{}", daemon.state().tokens().list().len()), &others);
        let narrow = ask(&daemon, method, &path, Some(&token), &[JSON], "{}").await;
        assert_eq!((narrow.status, narrow.code().as_str()), (403, "forbidden"), "{method} {path}");
        if let Some(also) = route.also {
            let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != also).collect();
            let token = daemon.token_with(&format!("t{}", daemon.state().tokens().list().len()), &others);
            let narrow = ask(&daemon, method, &path, Some(&token), &[JSON], "{}").await;
            assert_eq!((narrow.status, narrow.code().as_str()), (403, "forbidden"), "{method} {path}");
        }
    }
}

/// Compares the scope, action and resource of every route with a snapshot, in which a new route shows up.
#[test]
fn the_table_of_routes() {
    let line = |route: &palyra_daemon::transport::http::route::Route| {
        let scopes = [Some(route.scope).filter(|_| !route.public), route.also];
        let scopes = scopes.into_iter().flatten().map(|scope| scope.wire_name());
        format!(
            "{:<7} {:<40} {:<8} {:<8} {:<9} {}\n",
            route.method.as_str(),
            route.path,
            scopes.collect::<Vec<_>>().join("+"),
            route.action.as_str(),
            route.about().0.as_str(),
            route.body_limit
        )
    };
    let table: String = routes().iter().map(line).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/routes.txt");
    if std::env::var_os("PALYRA_WRITE_GENERATED").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        table,
        "set PALYRA_WRITE_GENERATED=1 to write it anew"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_and_a_rebinding_name_are_turned_away() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 100, ..config() }).await;
    let token = Some(daemon.token.as_str());
    let own = format!("http://{}", daemon.address);
    for (headers, status, code) in [
        (&[("Origin", "http://evil.example")][..], 403, "forbidden"),
        (&[("Origin", "null")], 403, "forbidden"),
        (&[("Origin", "http://127.0.0.1:1")], 403, "forbidden"),
        (&[("Sec-Fetch-Site", "cross-site")], 403, "forbidden"),
        (&[("Sec-Fetch-Site", "same-site")], 403, "forbidden"),
        (&[("Host", "evil.example")], 421, "misdirected"),
        (&[("Host", "localhost.evil.example:7437")], 421, "misdirected"),
        (&[("Host", "127.0.0.1"), ("Host", "evil.example")], 421, "misdirected"),
        (&[("Host", "")], 421, "misdirected"),
        (&[("Host", "[::1].evil.example")], 421, "misdirected"),
        (&[("Host", "[::1]@evil.example")], 421, "misdirected"),
        (&[("Host", "localhost:x.evil")], 421, "misdirected"),
        (&[("Origin", own.as_str()), ("Origin", "http://evil.example")], 403, "forbidden"),
        (&[("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")], 403, "forbidden"),
    ] {
        let reply = ask(&daemon, "GET", "/v1/health", token, headers, "").await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{headers:?}");
        assert!(!reply.head.to_lowercase().contains("access-control"), "{reply:?}");
    }
    for headers in [
        &[("Origin", own.as_str()), ("Sec-Fetch-Site", "same-origin")][..],
        &[("Host", "localhost:7437")],
        &[("Host", "[::1]:7437"), ("Sec-Fetch-Site", "none")],
    ] {
        assert_eq!(ask(&daemon, "GET", "/v1/health", token, headers, "").await.status, 200, "{headers:?}");
    }
    let preflight = ask(&daemon, "OPTIONS", "/v1/health", token, &[], "").await;
    assert_eq!((preflight.status, preflight.code().as_str()), (405, "method_not_allowed"));
    assert!(!preflight.head.to_lowercase().contains("access-control"));
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_recorded_and_guessing_is_bounded() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 5, ..config() }).await;
    let mut codes = Vec::new();
    for _ in 0..12 {
        codes.push(ask(&daemon, "GET", "/v1/health", Some("palyra_guess"), &[], "").await.code());
    }
    assert_eq!(codes[..5], vec!["authentication"; 5]);
    assert_eq!(codes.last().unwrap(), "rate_limited");
    let right = ask(&daemon, "GET", "/v1/health", Some(&daemon.token), &[], "").await;
    assert_eq!(right.status, 200, "a right token is let in all the same");
    // The journal has one writer, so this also waits for earlier events.
    daemon.token_with("last", &[Scope::Read]);
    let refused = Query { kinds: vec![EventKind::AccessRefused], ..Query::default() };
    let refused = daemon.state().journal().query(&refused).unwrap().events;
    assert!((5..=8).contains(&refused.len()), "{}", refused.len());
    assert!(!serde_json::to_string(&refused).unwrap().contains("palyra_guess"));
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_and_removed_tokens_are_rejected() {
    let daemon = Daemon::start().await;
    let scopes = [Scope::Read].into_iter().collect();
    let made =
        daemon.state().tokens().add("short", scopes, Some(daemon.state().now_ms() + 1_000), "owner").unwrap();
    let (short, lasting) = (made.secret, daemon.token_with("lasting", &[Scope::Read]));
    assert!(daemon.over_tcp_as(&short).health().await.is_ok());
    daemon.advance(1_000);
    let code = |error: palyra_api::ClientError| error.into_problem().code.to_string();
    assert_eq!(code(daemon.over_tcp_as(&short).health().await.unwrap_err()), "authentication");
    assert!(daemon.over_tcp_as(&lasting).health().await.is_ok());
    daemon.in_process().remove_token("lasting").await.unwrap();
    assert_eq!(code(daemon.over_tcp_as(&lasting).health().await.unwrap_err()), "authentication");
    let listed = daemon.in_process().tokens().await.unwrap().tokens;
    assert_eq!(listed.len(), 1);
    assert!(listed[0].expired);
}
