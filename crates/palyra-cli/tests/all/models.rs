//! `palyra models`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use palyra_models::testing::{ProviderServer, ServerReply};
use palyra_models::{ModelEvent, StopReason};
use serde_json::json;

#[test]
fn models_are_added_listed_chosen_and_removed() {
    let environment = TestEnvironment::with_state();
    let shown = |words: &[&str]| environment.palyra(words).shown();
    let url = "https://api.example.com";
    let claude = ["models", "add", "big", "--protocol", "messages", "--base-url", url, "--model", "big-1"];
    let price = ["--key", "global/big_key", "--input-price", "3", "--output-price", "15.5"];
    let local = ["models", "add", "local", "--base-url", "http://127.0.0.1:11434", "--model", "qwen3:8b"];
    let told = [
        shown(&["models", "list"]),
        shown(&[&claude[..], &price[..]].concat()),
        shown(&local),
        shown(&[&local[..], &["--allow-loopback"]].concat()),
        shown(&["models", "list"]),
        shown(&["models", "default", "local"]),
        shown(&["models", "show", "bgi"]),
        shown(&["models", "remove", "big"]),
    ];
    assert_snapshot!(told.join("\n"));
    let listed = environment.palyra(&["models", "list", "--json"]).json();
    assert_eq!((&listed["schema"], &listed["default"]), (&json!("palyra.models.list/v1"), &json!("local")));
    assert_eq!(listed["models"][0]["allow_loopback"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_test_shows_what_works_and_fails_without_an_answer() {
    let text = |text: &str| ModelEvent::Text(text.into());
    let answer = ServerReply::events([text("1 "), text("2"), ModelEvent::Finished(StopReason::EndTurn)]);
    let refused = ServerReply::Status(401, Vec::new(), r#"{"error":{"message":"no key"}}"#.into());
    let server = ProviderServer::start([answer.clone(), answer, refused]).await.unwrap();
    let environment = TestEnvironment::with_state();
    let url = server.base_url();
    let added =
        environment.palyra(&["models", "add", "m", "--base-url", &url, "--model", "s", "--allow-loopback"]);
    assert_eq!(added.code, 0, "{}", added.shown());
    let tested = environment.palyra(&["models", "test", "m"]);
    assert_eq!(tested.code, 0);
    for line in ["answers      yes", "streams      yes", "calls tools  no", "did not call a tool"] {
        assert!(tested.shown().contains(line), "{}", tested.shown());
    }
    let failed = environment.palyra(&["models", "test", "m", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, &shown["answers"]), (1, &json!(false)));
    assert!(shown["failure"]["message"].as_str().unwrap().contains("no key"));
}
