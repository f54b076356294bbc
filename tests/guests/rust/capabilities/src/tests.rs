//! Every tool once, against the harness.

use crate::PLUGIN;
use palyra_plugins_sdk::http::{Response, SecretForm};
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

const GRANTS: [&str; 5] = [
    "http:https://api.example.com",
    "secret:global/token hosts=api.example.com inject=bearer,header:x-key",
    "secret:global/pin reveal",
    "storage:notes/",
    "channel:alerts",
];

fn harness() -> Harness {
    Harness::new(&PLUGIN)
        .with_grants(GRANTS)
        .unwrap()
        .with_secret("global/token", "t0ken")
        .with_secret("global/pin", "1234")
}

#[test]
fn requests() {
    let answer = || Response::new(201).with_header("x-a", "b").with_body("made");
    let mut harness = harness().with_answer("GET", "https://api.example.com/a", answer()).with_answer(
        "POST",
        "https://api.example.com/a",
        answer(),
    );
    let get = json!({ "url": "https://api.example.com/a", "bearer": "token" });
    let expected = json!({ "status": 201, "headers": { "x-a": "b" }, "body": "made" });
    assert_eq!(harness.call("capabilities.http_get", &get).unwrap(), expected);
    let post = json!({ "url": "https://api.example.com/a", "body": "x" });
    assert_eq!(harness.call("capabilities.http_post", &post).unwrap(), expected);
    let send = json!({
        "method": "POST", "url": "https://api.example.com/a", "secrets": [{ "secret": "global/token", "header": "X-Key" }],
    });
    assert_eq!(harness.call("capabilities.http_send", &send).unwrap(), expected);
    let secrets: Vec<_> = harness.requests().iter().flat_map(|request| request.secrets.clone()).collect();
    assert_eq!(
        secrets,
        [
            ("global/token".to_owned(), SecretForm::Bearer),
            ("global/token".to_owned(), SecretForm::Header("X-Key".to_owned())),
        ]
    );
}

#[test]
fn doors() {
    let mut harness = harness();
    let all = harness.call("capabilities.handles", &json!({})).unwrap();
    assert_eq!(all["secret"]["names"], json!(["global/token", "global/pin"]));
    assert_eq!((&all["http"]["count"], &all["channel"]["after_last"]), (&json!(1), &json!(-1)));
    let find = json!({ "kind": "http", "name": "https://api.example.com/x" });
    assert_eq!(harness.call("capabilities.find", &find).unwrap()["found"], true);
    assert_eq!(harness.call("capabilities.secret_reveal", &json!({ "name": "pin" })).unwrap(), "1234");
    let denied = harness.call("capabilities.secret_reveal", &json!({ "name": "token" })).unwrap_err();
    assert!(matches!(denied, RunError::CapabilityDenied(_)), "{denied}");
}

#[test]
fn keeping() {
    let mut harness = harness();
    let key = json!({ "prefix": "notes/", "key": "a" });
    let put = json!({ "prefix": "notes/", "key": "a", "value": "v" });
    assert_eq!(harness.call("capabilities.storage_get", &key).unwrap(), Value::Null);
    harness.call("capabilities.storage_put", &put).unwrap();
    assert_eq!(harness.call("capabilities.storage_get", &key).unwrap(), "v");
    assert_eq!(
        harness.call("capabilities.storage_list", &json!({ "prefix": "notes/" })).unwrap(),
        json!(["a"])
    );
    assert_eq!(harness.call("capabilities.storage_delete", &key).unwrap(), true);
}

#[test]
fn facts() {
    let mut harness = harness().with_config(&json!({ "unit": "km" }));
    let message = json!({ "channel": "alerts", "content_type": "text/plain", "body": "hot" });
    harness.call("capabilities.channel_publish", &message).unwrap();
    harness.call("capabilities.log", &json!({ "level": "warn", "message": "look" })).unwrap();
    let run = harness.call("capabilities.run", &json!({})).unwrap();
    assert_eq!((&run["tool_id"], &run["config"]["unit"]), (&json!("capabilities.run"), &json!("km")));
    assert_eq!(
        (harness.messages()[0].body.as_slice(), harness.log()[0].message.as_str()),
        (b"hot".as_slice(), "look")
    );
}
