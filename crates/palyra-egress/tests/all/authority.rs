//! G08: requests compared with grants.

use crate::support::{Call, guard, url};
use palyra_common::CapabilityKind;
use palyra_common::capabilities::Capability;
use palyra_egress::testing::{TestReply, TestServer};
use palyra_egress::{EgressError, OutgoingRequest};

const RULE: &str = "GET,POST https://api.example.com/items/*";

fn authorize(rules: &[&str], method: &str, url: &str) -> Result<String, EgressError> {
    let rules: Vec<_> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
    let request = OutgoingRequest { method: method.into(), url: url.into(), ..OutgoingRequest::default() };
    guard().authorize(&rules, request).map(|request| request.url().to_owned())
}

#[tokio::test]
async fn g08_granted_spellings_are_one_request() {
    for spelled in [
        "https://api.example.com/items/42",
        "HTTPS://API.EXAMPLE.COM:443/items/42",
        "https://api.example.com/x/../items/./42",
        "https://api.example.com/%2e%2e/items/42",
    ] {
        assert_eq!(
            authorize(&[RULE], "GET", spelled).as_deref(),
            Ok("https://api.example.com/items/42"),
            "{spelled}"
        );
    }
}

#[tokio::test]
async fn g08_denied_with_the_grant_that_would_allow_it() {
    for (method, url, reason, grant) in [
        (
            "GET",
            "https://evil.example/",
            "no rule covers the host `evil.example`",
            "http:GET https://evil.example/",
        ),
        (
            "GET",
            "https://api.example.com.evil.example/items/1",
            "no rule covers the host",
            "http:GET https://api.example.com.evil.example/items/1",
        ),
        (
            "GET",
            "https://xapi.example.com/items/1",
            "no rule covers the host",
            "http:GET https://xapi.example.com/items/1",
        ),
        (
            "GET",
            "https://аpi.example.com/items/1",
            "no rule covers the host `xn--",
            "http:GET https://xn--pi-6kc.example.com/items/1",
        ),
        (
            "GET",
            "http://api.example.com/items/42",
            "scheme `https`, not `http`",
            "http:GET http://api.example.com/items/42",
        ),
        (
            "GET",
            "https://api.example.com:8443/items/42",
            "port 443, not 8443",
            "http:GET https://api.example.com:8443/items/42",
        ),
        (
            "DELETE",
            "https://api.example.com/items/42",
            "the method `DELETE`",
            "http:DELETE https://api.example.com/items/42",
        ),
        (
            "GET",
            "https://api.example.com/items/42/x",
            "the path `/items/42/x`",
            "http:GET https://api.example.com/items/42/x",
        ),
        (
            "GET",
            "https://api.example.com/items/%2e%2e/admin",
            "the path `/admin`",
            "http:GET https://api.example.com/admin",
        ),
        ("GET", "https://api.example.com/items/..%2fadmin", "the path", "http:GET https://api.example.com"),
        ("GET", "https://api.example.com/items/..;/admin", "the path", "http:GET https://api.example.com"),
        ("GET", "https://api.example.com/a*b", "the path", "http:GET https://api.example.com/*"),
        (
            "GET",
            "https://127.0.0.1/items/42",
            "no rule covers the host `127.0.0.1`",
            "http:GET https://127.0.0.1/items/42",
        ),
        (
            "GET",
            "https://[::1]/items/42",
            "no rule covers the host `[::1]`",
            "http:GET https://[::1]/items/42",
        ),
        (
            "GET",
            "https://[::ffff:127.0.0.1]/",
            "no rule covers the host",
            "http:GET https://[::ffff:127.0.0.1]/",
        ),
        (
            "GET",
            "https://[64:ff9b::7f00:1]/",
            "no rule covers the host",
            "http:GET https://[64:ff9b::7f00:1]/",
        ),
    ] {
        let Err(EgressError::Denied(denial)) = authorize(&[RULE], method, url) else {
            panic!("{method} {url}")
        };
        assert_eq!(denial.kind, CapabilityKind::Http);
        assert!(denial.reason.contains(reason), "{url}: {}", denial.reason);
        assert_eq!(denial.grant.as_deref(), Some(grant), "{url}");
        let Ok(Capability::Http(rule)) = grant.parse() else { panic!("{grant}") };
        assert!(authorize(&[&rule.to_string()], method, url).is_ok(), "{grant} should allow {url}");
    }
}

#[tokio::test]
async fn g08_spellings_that_no_grant_allows() {
    for (url, reason) in [
        ("https://api.example.com@evil.example/", "user information"),
        ("https://api.example.com:443@evil.example/", "user information"),
        ("https://user:pass@api.example.com/items/1", "user information"),
        ("https://api.example.com./items/1", "ends with a dot"),
        ("https://api.example.com\\@evil.example/items/1", "backslash"),
        ("https://api.example.com/items/1\r\nhost: evil", "control character"),
        ("https://2130706433/", "an obfuscated address"),
        ("https://0x7f.0.0.1/", "an obfuscated address"),
        ("https://0177.0.0.1/", "an obfuscated address"),
        ("https://127.1/", "an obfuscated address"),
        ("https://api.example.com%2eevil.example/", "not allowed in a host name"),
        ("https://ａｐｉ.example.com/items/1", "another spelling of `api.example.com`"),
        ("gopher://api.example.com/items/1", "only `https` and `http`"),
    ] {
        let Err(EgressError::Denied(denial)) =
            authorize(&["https://api.example.com", "https://127.0.0.1"], "GET", url)
        else {
            panic!("{url}")
        };
        assert!(denial.reason.contains(reason), "{url}: {}", denial.reason);
        assert_eq!((denial.grant, denial.manifest), (None, None), "{url}");
        assert!(!denial.subject.contains('\n'), "{url}");
    }
}

#[tokio::test]
async fn g08_connect_and_trace_are_never_granted() {
    for method in ["CONNECT", "TRACE"] {
        let result = authorize(&["https://api.example.com"], method, "https://api.example.com/");
        assert!(matches!(result, Err(EgressError::Denied(denial)) if denial.grant.is_none()), "{method}");
    }
    for method in ["get", "", "GET ", "GET\r\nx: y", "M_SEARCH", "ABCDEFGHIJKLMNOPQRSTU"] {
        let result = authorize(&["https://api.example.com"], method, "https://api.example.com/");
        assert!(matches!(result, Err(EgressError::InvalidRequest(_))), "{method:?}");
    }
}

#[tokio::test]
async fn g08_a_denial_says_what_to_write_into_the_manifest() {
    for (url, expected) in [
        (
            "https://api.example.com/items/42?page=2",
            r#"add `[[capabilities.http_rules]]` with host = "api.example.com", methods = ["GET"], paths = ["/items/42"]"#,
        ),
        (
            "http://api.example.com:8080/a%2fb",
            r#"add `[[capabilities.http_rules]]` with host = "api.example.com", scheme = "http", ports = [8080], methods = ["GET"]"#,
        ),
    ] {
        let Err(EgressError::Denied(denial)) = authorize(&[], "GET", url) else { panic!("{url}") };
        assert_eq!(denial.manifest.as_deref(), Some(expected));
        assert_eq!(denial.reason, "no HTTP rule is granted");
        assert!(!denial.subject.contains("page"), "a query may hold anything and is not shown");
    }
}

#[tokio::test]
async fn g08_a_wildcard_covers_one_label() {
    let rules = ["https://*.example.com"];
    assert!(authorize(&rules, "GET", "https://a.example.com/").is_ok());
    for url in ["https://example.com/", "https://a.b.example.com/", "https://aexample.com/"] {
        assert!(matches!(authorize(&rules, "GET", url), Err(EgressError::Denied(_))), "{url}");
    }
}

#[tokio::test]
async fn g08_the_first_rule_that_covers_is_the_rule() {
    let rules: Vec<_> =
        ["https://a.example", "GET https://api.example.com response=1", "https://api.example.com"]
            .iter()
            .map(|rule| rule.parse().unwrap())
            .collect();
    let request = |method: &str| OutgoingRequest {
        method: method.into(),
        url: "https://api.example.com/x".into(),
        ..OutgoingRequest::default()
    };
    let guard = guard();
    assert_eq!(guard.authorize(&rules, request("GET")).unwrap().rule(), &rules[1]);
    assert_eq!(guard.authorize(&rules, request("POST")).unwrap().rule(), &rules[2]);
}

#[tokio::test]
async fn narrowed_rule_denies_paths_that_servers_read_differently() {
    let narrowed = "https://api.example.com/items/*";
    for path in [
        "/items/%252e%252e%252fadmin",
        "/items/..%c0%af..%c0%afadmin",
        "/items/1%00",
        "/items/..\u{FF0F}admin",
        "/items/..%EF%BC%8Fadmin",
        "/items/%u002e%u002e",
        "/items/%",
    ] {
        let url = format!("https://api.example.com{path}");
        let Err(EgressError::Denied(denial)) = authorize(&[narrowed], "GET", &url) else { panic!("{path}") };
        assert_eq!(denial.grant.as_deref(), Some("http:GET https://api.example.com"), "{path}");
        assert!(authorize(&["https://api.example.com"], "GET", &url).is_ok(), "{path}");
    }
    for path in ["/items/50%25", "/items/%C3%BC", "/items/a%20b"] {
        assert!(authorize(&[narrowed], "GET", &format!("https://api.example.com{path}")).is_ok(), "{path}");
    }
}

#[tokio::test]
async fn narrowed_rule_denies_override_headers() {
    let authorize = |rules: &[&str], header: &str| {
        let rules: Vec<_> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        let request = OutgoingRequest {
            method: "GET".into(),
            url: "https://api.example.com/items/1".into(),
            headers: vec![("accept".into(), "*/*".into()), (header.into(), "DELETE".into())],
            ..OutgoingRequest::default()
        };
        guard().authorize(&rules, request)
    };
    for header in [
        "X-HTTP-Method-Override",
        "x-http-method",
        "X-Method-Override",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-Forwarded-Host",
        "X_HTTP_Method_Override",
    ] {
        for narrowed in ["GET https://api.example.com", "https://api.example.com/items/*"] {
            let Err(EgressError::Denied(denial)) = authorize(&[narrowed], header) else { panic!("{header}") };
            assert!(denial.reason.contains("can change the method, path or host"), "{}", denial.reason);
            assert_eq!(denial.grant.as_deref(), Some("http:https://api.example.com"));
            assert!(authorize(&[narrowed, "https://api.example.com"], header).is_ok(), "{header}");
        }
        assert!(authorize(&["https://api.example.com"], header).is_ok(), "{header}");
    }
    assert!(authorize(&["GET https://api.example.com/items/*"], "X-Request-Id").is_ok());
}

#[tokio::test]
async fn each_method_of_a_url_is_covered_by_its_own_rule() {
    let rules = ["POST https://api.example.com/items/1", "GET https://api.example.com/items/*"];
    assert!(authorize(&rules, "POST", "https://api.example.com/items/1").is_ok());
    assert!(authorize(&rules, "GET", "https://api.example.com/items/1").is_ok());
    assert!(authorize(&rules, "POST", "https://api.example.com/items/2").is_err());
}

#[tokio::test]
async fn g08_the_host_sets_the_host() {
    let server = TestServer::http(|_| TestReply::ok("hello")).await.unwrap();
    let response =
        Call::get(url(&server, "/a/../b?c=d e".replace(' ', "%20").as_str())).send(&guard()).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (200, &b"hello"[..]));
    assert_eq!(response.address, server.address());
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", "/b?c=d%20e"));
    let names: Vec<&str> = request.headers.keys().map(|name| name.as_str()).collect();
    assert_eq!(names, ["host"], "nothing is sent that the guest did not ask for");
    assert_eq!(request.headers["host"], format!("api.example.com:{}", server.address().port()));

    for name in [
        "Host",
        "Connection",
        "Transfer-Encoding",
        "Content-Length",
        "Proxy-Authorization",
        "Expect",
        "Upgrade",
    ] {
        let result = Call::get(url(&server, "/")).header(name, "x").send(&guard()).await;
        assert!(matches!(result, Err(EgressError::InvalidRequest(_))), "{name}");
    }
    assert_eq!(server.requests().len(), 1);
}
