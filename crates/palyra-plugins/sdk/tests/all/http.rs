//! `http` against the harness.

use palyra_plugins_sdk::http::{self, Response, SecretForm};
use palyra_plugins_sdk::serde_json::json;
use palyra_plugins_sdk::testing::{Harness, RunError};
use palyra_plugins_sdk::{HostError, Plugin, ToolError};

static PLUGIN: Plugin = Plugin::new(&[], &[]);
const URL: &str = "https://api.example.com/items/1";

fn harness(grants: &[&str]) -> Harness {
    Harness::new(&PLUGIN).with_grants(grants.iter().copied()).unwrap()
}

fn get(harness: &mut Harness) -> Result<Response, RunError> {
    harness.within("a.b", || Ok(http::get(URL).send()?))
}

#[test]
fn a_request_arrives_as_it_was_built() {
    let mut harness = harness(&["http:POST https://api.example.com/items/*"]).with_answer(
        "POST",
        URL,
        Response::new(201).with_header("Location", "/items/2").with_body("[1,2]"),
    );
    let response = harness
        .within("a.b", || {
            let request = http::post(URL).header("x-a", "b").json(&json!({ "n": 1 }))?.timeout_ms(50);
            request.send()?.error_for_status()
        })
        .unwrap();
    assert_eq!((response.status, response.header("location")), (201, Some("/items/2")));
    assert_eq!(response.json::<Vec<u8>>().unwrap(), [1, 2]);
    assert_eq!(response.text().unwrap(), "[1,2]");

    let sent = &harness.requests()[0];
    assert_eq!((sent.method.as_str(), sent.url.as_str(), sent.timeout_ms), ("POST", URL, Some(50)));
    assert_eq!(
        sent.headers,
        [("x-a".into(), "b".into()), ("content-type".into(), "application/json".into())]
    );
    assert_eq!(sent.body.as_deref(), Some(br#"{"n":1}"#.as_slice()));
}

#[test]
fn answers_in_order_and_the_last_one_stays() {
    let mut harness = harness(&["http:https://api.example.com"])
        .with_failure("GET", URL, HostError::TimedOut)
        .with_answer("GET", URL, Response::new(200));
    let timed_out = get(&mut harness).unwrap_err();
    assert!(matches!(timed_out, RunError::ToolFailed(error) if error.code == "timed_out"));
    assert_eq!(get(&mut harness).unwrap().status, 200);
    assert_eq!(get(&mut harness).unwrap().status, 200);
}

#[test]
fn a_bad_status_is_an_error_when_asked() {
    let mut harness = harness(&["http:https://api.example.com"]).with_answer("GET", URL, Response::new(404));
    let error = get(&mut harness).unwrap().error_for_status().unwrap_err();
    assert_eq!((error.code.as_str(), error.details), ("http_status", Some(json!({ "status": 404 }))));
}

#[test]
fn secrets_are_named_and_never_seen() {
    let grant = "secret:global/token hosts=api.example.com inject=bearer,basic,header:x-key,query:k";
    let mut harness = harness(&["http:https://api.example.com", grant])
        .with_secret("global/token", "t0ken")
        .with_answer("GET", URL, Response::new(200));
    harness
        .within("a.b", || {
            let request = http::get(URL).bearer("global/token").secret_header("X-Key", "token");
            request.secret_query("k", "token").basic_password("me", "token").send()?;
            Ok(())
        })
        .unwrap();
    let forms: Vec<&SecretForm> = harness.requests()[0].secrets.iter().map(|(_, form)| form).collect();
    assert_eq!(
        forms,
        [
            &SecretForm::Bearer,
            &SecretForm::Header("X-Key".into()),
            &SecretForm::Query("k".into()),
            &SecretForm::BasicPassword("me".into()),
        ]
    );
    assert!(!format!("{:?}", harness.requests()).contains("t0ken"));
}

#[test]
fn mistakes_of_the_guest_do_not_end_the_run() {
    let mut harness = harness(&["http:https://api.example.com"]);
    for request in [
        http::get("api.example.com/items/1"),
        http::get("https://api.example.com/items/1#top"),
        http::Request::new("get", URL),
        http::get(URL).header("Host", "other.example"),
        http::get(URL).header("Proxy-Authorization", "x"),
        http::get(URL).header("bad name", "x"),
        http::get(URL).header("x", "a\r\nb: c"),
    ] {
        let debug = format!("{request:?}");
        let error = harness.within("a.b", || Ok(request.send().unwrap_err()));
        assert!(matches!(error, Ok(HostError::InvalidArgument(_))), "{debug}: {error:?}");
    }
    let unprepared = harness.within("a.b", || Ok(http::get(URL).send().unwrap_err()));
    assert!(matches!(unprepared, Ok(HostError::Unavailable(_))));
}

#[test]
fn caps_of_a_rule() {
    for (grant, body, answer) in [
        ("http:https://api.example.com request=2", "abc", ""),
        ("http:https://api.example.com response=2", "", "abc"),
        ("http:https://api.example.com total=3", "ab", "cd"),
    ] {
        let mut harness = harness(&[grant]).with_answer("PUT", URL, Response::new(200).with_body(answer));
        let result = harness.within("a.b", || Ok(http::put(URL).body(body).send()?));
        assert!(matches!(result, Err(RunError::QuotaExceeded(_))), "{grant}: {result:?}");
    }
}

#[test]
fn a_tool_error_keeps_the_code_of_the_host() {
    assert_eq!(ToolError::from(HostError::Unavailable("down".into())).to_string(), "unavailable: down");
}
