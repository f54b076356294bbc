//! Signing in to the console, and every way a session ends.

use crate::daemon::{Daemon, config};
use crate::raw::{Reply, ask};
use palyra_api::console::SignInLink;
use palyra_common::Scope;
use palyra_daemon::ServerConfig;
use palyra_journal::{EventKind, Query};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const JSON: (&str, &str) = ("Content-Type", "application/json");
const SAME: (&str, &str) = ("Sec-Fetch-Site", "same-origin");
const HOUR: u64 = 3_600_000;

async fn link(daemon: &Daemon) -> SignInLink {
    daemon.over_socket().sign_in_link().await.unwrap()
}

async fn code(daemon: &Daemon) -> String {
    link(daemon).await.url.split_once("#code=").unwrap().1.to_owned()
}

async fn sign_in(daemon: &Daemon, code: &str, headers: &[(&str, &str)]) -> Reply {
    let body = json!({ "code": code }).to_string();
    ask(daemon, "POST", "/console/session", None, &[&[JSON], headers].concat(), &body).await
}

/// Signs a browser in; returns its `Cookie` header.
async fn signed_in(daemon: &Daemon) -> String {
    let reply = sign_in(daemon, &code(daemon).await, &[SAME, ("User-Agent", "Test/1.0")]).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    cookie(&reply)
}

fn set_cookie(reply: &Reply) -> &str {
    let line = reply.head.lines().find(|line| line.to_lowercase().starts_with("set-cookie:"));
    line.unwrap_or_else(|| panic!("{reply:?}")).split_once(": ").unwrap().1
}

fn cookie(reply: &Reply) -> String {
    set_cookie(reply).split(';').next().unwrap().to_owned()
}

async fn get(daemon: &Daemon, path: &str, cookie: &str) -> Reply {
    ask(daemon, "GET", path, None, &[("Cookie", cookie), SAME], "").await
}

fn body(reply: &Reply) -> Value {
    serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{reply:?}"))
}

async fn events(daemon: &Daemon, kind: EventKind) -> Vec<Value> {
    // The journal has one writer, so this also waits for earlier events.
    daemon.token_with(&format!("t{}", daemon.state().tokens().list().len()), &[Scope::Read]);
    let query = Query { kinds: vec![kind], ..Query::default() };
    let events = daemon.state().journal().query(&query).unwrap().events;
    events.iter().map(|event| serde_json::to_value(&event.event).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn link_signs_one_browser_in_once_and_the_journal_has_it() {
    let daemon = Daemon::start().await;
    let link = link(&daemon).await;
    assert!(link.url.starts_with(&format!("http://{}/#code=", daemon.address)), "{}", link.url);
    let code = link.url.split_once("#code=").unwrap().1;
    let reply = sign_in(&daemon, code, &[SAME, ("User-Agent", "Test/1.0")]).await;
    let now = daemon.state().now_ms();
    let at = |hours: u64| palyra_daemon::when(now + hours * HOUR);
    let expected = json!({ "principal": "owner", "expires_at": at(24), "idle_expires_at": at(8) });
    assert_eq!(body(&reply), expected);
    let cookie = cookie(&reply);
    let shown = get(&daemon, "/console/session", &cookie).await;
    assert_eq!((shown.status, body(&shown)), (200, expected));
    assert_eq!(get(&daemon, "/v1/skills", &cookie).await.status, 200);
    let again = sign_in(&daemon, code, &[SAME]).await;
    assert_eq!((again.status, again.code().as_str()), (401, "authentication"));
    let events = events(&daemon, EventKind::ConsoleSignedIn).await;
    assert_eq!((events.len(), &events[0]["actor"]), (1, &json!("owner")));
    assert_eq!(events[0]["details"]["browser"], "Test/1.0");
    let secret = cookie.split_once('=').unwrap().1;
    let everything = daemon.state().journal().query(&Query::default()).unwrap().events;
    let everything = serde_json::to_string(&everything).unwrap();
    assert!(!everything.contains(secret) && !everything.contains(code));
}

#[tokio::test(flavor = "multi_thread")]
async fn cookie_is_closed_to_scripts_and_to_other_sites() {
    let daemon = Daemon::start().await;
    let own = format!("http://{}", daemon.address);
    let reply = sign_in(&daemon, &code(&daemon).await, &[("Origin", &own)]).await;
    let port = daemon.address.port();
    let set = set_cookie(&reply);
    assert!(set.starts_with(&format!("palyra_console_{port}=")), "{set}");
    assert!(set.ends_with("; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict"), "{set}");
    let tls = format!("https://{}", daemon.address);
    let reply = sign_in(&daemon, &code(&daemon).await, &[("Origin", &tls)]).await;
    assert!(set_cookie(&reply).ends_with("; SameSite=Strict; Secure"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_expires_and_guessing_is_bounded() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 3, ..config() }).await;
    let late = code(&daemon).await;
    daemon.advance(60_000);
    assert_eq!(sign_in(&daemon, &late, &[SAME]).await.status, 401);
    let guess = "0".repeat(64);
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(sign_in(&daemon, &guess, &[SAME]).await.status);
    }
    assert!(
        statuses.contains(&429) && statuses.iter().all(|status| [401, 429].contains(status)),
        "{statuses:?}"
    );
    assert_eq!(sign_in(&daemon, &"a".repeat(10_000), &[SAME]).await.status, 429);
    let in_time = code(&daemon).await;
    daemon.advance(59_999);
    assert_eq!(sign_in(&daemon, &in_time, &[SAME]).await.status, 200, "a right code is taken all the same");
    let refused = events(&daemon, EventKind::AccessRefused).await;
    assert!((3..=5).contains(&refused.len()), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_on_this_machine_makes_links() {
    let daemon = Daemon::start().await;
    let everything = daemon.token_with("everything", &Scope::ALL);
    for token in [&*daemon.token, &everything] {
        let reply = ask(&daemon, "POST", "/console/codes", Some(token), &[JSON], "{}").await;
        assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"));
    }
    let cookie = signed_in(&daemon).await;
    let reply = ask(&daemon, "POST", "/console/codes", None, &[("Cookie", &cookie), SAME], "").await;
    assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_sites_other_names_and_silent_clients_change_nothing() {
    let daemon = Daemon::with(ServerConfig { failure_burst: 1_000, ..config() }).await;
    let cookie = signed_in(&daemon).await;
    let own = format!("http://{}", daemon.address);
    for (headers, status) in [
        (&[("Origin", "http://evil.example")][..], 403),
        (&[("Origin", "null")], 403),
        (&[("Sec-Fetch-Site", "cross-site")], 403),
        (&[("Sec-Fetch-Site", "same-site")], 403),
        (&[("Sec-Fetch-Site", "none")], 403),
        (&[], 403),
        (&[("Host", "evil.example")], 421),
        (&[("Host", "evil.example"), ("Origin", "http://evil.example"), SAME], 421),
    ] {
        let headers = [headers, &[("Cookie", cookie.as_str()), JSON]].concat();
        for (method, path) in [
            ("POST", "/v1/tokens"),
            ("PUT", "/v1/policy"),
            ("DELETE", "/console/session"),
            ("GET", "/v1/events"),
        ] {
            let reply = ask(&daemon, method, path, None, &headers, "{}").await;
            assert_eq!(reply.status, status, "{method} {path} {headers:?}");
        }
    }
    for headers in
        [&[("Origin", "http://evil.example")][..], &[("Sec-Fetch-Site", "cross-site")], &[("Host", "a.b")]]
    {
        let reply = sign_in(&daemon, &code(&daemon).await, headers).await;
        assert!([403, 421].contains(&reply.status), "{headers:?} {reply:?}");
    }
    assert!(daemon.state().tokens().list().is_empty());
    let headers = [("Cookie", cookie.as_str()), ("Origin", own.as_str()), JSON];
    let made = ask(&daemon, "POST", "/v1/tokens", None, &headers, r#"{"name":"a","scopes":["read"]}"#).await;
    assert_eq!(made.status, 200, "{made:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_ends_by_idleness_and_at_its_absolute_end() {
    let daemon = Daemon::start().await;
    let idle = signed_in(&daemon).await;
    daemon.advance(8 * HOUR - 1);
    assert_eq!(get(&daemon, "/console/session", &idle).await.status, 200, "looking does not keep it open");
    daemon.advance(1);
    assert_eq!(get(&daemon, "/v1/skills", &idle).await.code(), "authentication");
    let busy = signed_in(&daemon).await;
    for _ in 0..3 {
        daemon.advance(8 * HOUR - 1);
        let alive = get(&daemon, "/v1/health", &busy).await;
        assert_eq!(alive.status, 200);
    }
    daemon.advance(3);
    assert_eq!(get(&daemon, "/v1/health", &busy).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_takes_the_cookie_away_and_ends_the_session() {
    let daemon = Daemon::start().await;
    let cookie = signed_in(&daemon).await;
    let headers = [("Cookie", cookie.as_str()), SAME];
    let out = ask(&daemon, "DELETE", "/console/session", None, &headers, "").await;
    assert_eq!(out.status, 200);
    assert!(set_cookie(&out).contains("=; ") && set_cookie(&out).contains("Max-Age=0"), "{out:?}");
    assert_eq!(get(&daemon, "/v1/health", &cookie).await.status, 401);
    assert_eq!(get(&daemon, "/console/session", &cookie).await.status, 401);
    let ended = events(&daemon, EventKind::ConsoleSessionEnded).await;
    assert_eq!(ended[0]["details"]["reason"], "signed out");
}

/// Opens a stream and reads its head, and keeps the connection open.
async fn open_stream(daemon: &Daemon, cookie: &str) -> TcpStream {
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n",
        daemon.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_a_session_ends_its_streams_and_no_others() {
    let daemon = Daemon::start().await;
    let (lost, kept) = (signed_in(&daemon).await, signed_in(&daemon).await);
    let (mut lost_stream, kept_stream) =
        (open_stream(&daemon, &lost).await, open_stream(&daemon, &kept).await);
    let client = daemon.over_socket();
    let sessions = client.console_sessions().await.unwrap().sessions;
    assert_eq!(sessions.len(), 2);
    let lost_id = &sessions[1].id;
    let listed = body(&get(&daemon, "/console/sessions", &lost).await);
    assert_eq!(
        (&listed["sessions"][0]["current"], &listed["sessions"][1]["current"]),
        (&json!(false), &json!(true))
    );
    client.revoke_console_session(lost_id).await.unwrap();
    let mut rest = Vec::new();
    lost_stream.read_to_end(&mut rest).await.unwrap();
    assert_eq!(get(&daemon, "/v1/health", &lost).await.status, 401);
    assert_eq!(get(&daemon, "/v1/health", &kept).await.status, 200);
    let mut byte = [0; 1];
    kept_stream.readable().await.unwrap();
    assert!(kept_stream.try_read(&mut byte).unwrap() == 1, "the other stream is open");
    let unknown = client.revoke_console_session(lost_id).await.unwrap_err().into_problem();
    assert_eq!(unknown.code.as_str(), "not_found");
    let ended = events(&daemon, EventKind::ConsoleSessionEnded).await;
    assert_eq!((&ended[0]["subject"], &ended[0]["details"]["reason"]), (&json!(lost_id), &json!("revoked")));
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_of_an_expired_session_ends_with_its_next_event() {
    let daemon = Daemon::start().await;
    let cookie = signed_in(&daemon).await;
    let mut stream = open_stream(&daemon, &cookie).await;
    daemon.advance(8 * HOUR);
    daemon.token_with("after", &[Scope::Read]);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(!rest.contains("token:added"), "{rest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_outlives_a_restart_and_a_revoked_one_does_not() {
    let daemon = Daemon::start().await;
    let (kept, gone) = (signed_in(&daemon).await, signed_in(&daemon).await);
    let headers = [("Cookie", gone.as_str()), SAME];
    assert_eq!(ask(&daemon, "DELETE", "/console/session", None, &headers, "").await.status, 200);
    let unused = code(&daemon).await;
    let daemon = daemon.restart().await;
    // The new port changes the name of the cookie.
    let renamed = |cookie: &str| {
        format!("palyra_console_{}={}", daemon.address.port(), cookie.split_once('=').unwrap().1)
    };
    assert_eq!(get(&daemon, "/v1/health", &renamed(&kept)).await.status, 200);
    assert_eq!(get(&daemon, "/v1/health", &renamed(&gone)).await.status, 401);
    assert_eq!(sign_in(&daemon, &unused, &[SAME]).await.status, 401, "codes do not outlive their daemon");
}

#[tokio::test(flavor = "multi_thread")]
async fn cookie_counts_over_tcp_alone_and_never_beside_a_token() {
    let daemon = Daemon::start().await;
    let cookie = signed_in(&daemon).await;
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let headers = [("Cookie", cookie.as_str()), SAME, JSON];
    let both = ask(&daemon, "POST", "/v1/tokens", Some(&reader), &headers, "{}").await;
    assert_eq!(both.code(), "forbidden", "the token decides");
    let wrong = ask(&daemon, "GET", "/v1/health", Some("palyra_0"), &headers, "").await;
    assert_eq!(wrong.status, 401);
    let name = cookie.split_once('=').unwrap().0;
    for bad in [format!("{name}="), format!("{name}={}", "0".repeat(64)), format!("{cookie}; {cookie}")] {
        assert_eq!(get(&daemon, "/v1/health", &bad).await.status, 401, "{bad}");
    }
    let mcp = ask(&daemon, "POST", "/mcp", None, &headers, "{}").await;
    assert_eq!(mcp.code(), "forbidden", "a model never speaks as the owner");
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_in_the_console_decides_its_own_request() {
    let daemon = Daemon::with_bench().await;
    let cookie = signed_in(&daemon).await;
    let headers = [("Cookie", cookie.as_str()), SAME, JSON];
    let call =
        ask(&daemon, "POST", "/v1/tools/acme.bench.ask/invoke", None, &headers, r#"{"input":{"n":1}}"#).await;
    assert_eq!(call.code(), "approval_required");
    let approval = body(&call)["details"]["approval_id"].as_str().unwrap().to_owned();
    let approve = format!("/v1/approvals/{approval}/approve");
    let over_http = ask(&daemon, "POST", &approve, Some(&daemon.token), &[JSON], "{}").await;
    assert_eq!(over_http.code(), "forbidden", "the owner's token is no person");
    let approved = ask(&daemon, "POST", &approve, None, &headers, "{}").await;
    assert_eq!((approved.status, &body(&approved)["status"]), (200, &json!("approved")));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_served_to_everybody_and_nothing_else_is() {
    let daemon = Daemon::start().await;
    for path in ["/", "/approvals/apr_1", "/skills/acme.notes/versions"] {
        let page = ask(&daemon, "GET", path, None, &[("Sec-Fetch-Site", "cross-site")], "").await;
        let head = page.head.to_lowercase();
        assert_eq!(page.status, 200, "{path}");
        assert!(head.contains("text/html") && head.contains("frame-ancestors 'none'"), "{head}");
        assert!(head.contains("nosniff") && !head.contains("set-cookie"), "{head}");
    }
    assert_eq!(ask(&daemon, "GET", "/assets/none.js", None, &[], "").await.status, 404);
    assert_eq!(ask(&daemon, "GET", "/", None, &[("Host", "evil.example")], "").await.status, 421);
    for (method, path) in
        [("GET", "/v1"), ("GET", "/console/sessions"), ("GET", "/console"), ("POST", "/home")]
    {
        assert_eq!(ask(&daemon, method, path, None, &[], "").await.status, 401, "{method} {path}");
    }
}
