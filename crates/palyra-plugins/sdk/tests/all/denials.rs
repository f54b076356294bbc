//! The harness denies everything that the host denies, and a guest cannot undo a denial.

use palyra_plugins_sdk::http::{self, Response};
use palyra_plugins_sdk::raw;
use palyra_plugins_sdk::testing::{Harness, RunError};
use palyra_plugins_sdk::{
    Plugin, ToolError, channels, host_capability_channel_handle, host_capability_storage_handle, log,
    secrets, storage,
};

static PLUGIN: Plugin = Plugin::new(&[], &[]);

fn harness() -> Harness {
    let grants = [
        "http:GET https://api.example.com/items/*",
        "secret:global/token hosts=api.example.com inject=bearer",
        "secret:global/bound hosts=vault.example inject=bearer reveal",
        "storage:notes/",
        "channel:alerts",
    ];
    let harness = Harness::new(&PLUGIN).with_grants(grants).unwrap();
    harness.with_secret("global/token", "t0ken-value").with_secret("global/bound", "b0und-value")
}

const URL: &str = "https://api.example.com/items/1";

/// The guest ignores each denial, and the run is denied nevertheless.
#[test]
fn a_swallowed_denial_ends_the_run() {
    let attempts: [(&str, fn()); 16] = [
        ("host", || drop(http::get("https://evil.example/").send())),
        ("scheme", || drop(http::get("http://api.example.com/items/1").send())),
        ("port", || drop(http::get("https://api.example.com:8443/items/1").send())),
        ("path", || drop(http::get("https://api.example.com/other").send())),
        ("user information", || drop(http::get("https://api.example.com@evil.example/").send())),
        ("backslash", || drop(http::get("https://evil.example\\@api.example.com/items/1").send())),
        ("method", || drop(http::post(URL).send())),
        ("secret without a grant", || drop(http::get(URL).bearer("global/other").send())),
        ("secret in another form", || drop(http::get(URL).secret_header("x-key", "token").send())),
        ("secret to another host", || drop(http::get(URL).bearer("bound").send())),
        ("secret written by the guest", || drop(http::get(URL).header("x-note", "it is t0ken-value").send())),
        ("revealed secret to another host", || drop(http::get(URL).header("x", "b0und-value").send())),
        ("reveal", || drop(secrets::reveal("token"))),
        ("storage prefix", || drop(storage::open("other/").get("a"))),
        ("channel", || drop(channels::publish_text("other", "x"))),
        ("handle of another kind", || drop(raw::storage::get(host_capability_channel_handle(0), "a"))),
    ];
    for (what, attempt) in attempts {
        let result = harness().within("a.b", || {
            attempt();
            Ok("all is well")
        });
        assert!(matches!(result, Err(RunError::CapabilityDenied(_))), "{what}: {result:?}");
    }
}

#[test]
fn nothing_leaves_when_it_is_denied() {
    let mut harness = harness().with_answer("GET", URL, Response::new(200));
    let denied = harness.within("a.b", || Ok(http::get(URL).bearer("bound").send()?));
    assert!(matches!(denied, Err(RunError::CapabilityDenied(_))));
    assert!(harness.requests().is_empty());
    assert!(harness.within("a.b", || Ok(http::get(URL).send()?)).is_ok());
}

#[test]
fn a_handle_of_an_earlier_call_is_dead() {
    let mut harness = harness();
    let kept = harness.within("a.b", || Ok(host_capability_storage_handle(0))).unwrap();
    let result = harness.within("a.b", || Ok(raw::storage::get(kept, "a").is_ok()));
    assert!(matches!(result, Err(RunError::CapabilityDenied(_))));
}

#[test]
fn the_denial_names_the_grant() {
    let denied = harness().within("a.b", || Ok(http::get("https://evil.example/x").send()?));
    match denied {
        Err(RunError::CapabilityDenied(text)) => {
            assert!(text.contains("`http:GET https://evil.example/x`"), "{text}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_end_the_run_too() {
    let calls = harness().within("a.b", || {
        for _ in 0..257 {
            drop(storage::open("notes/").get("a"));
        }
        Ok(())
    });
    assert!(matches!(calls, Err(RunError::QuotaExceeded(text)) if text.starts_with("host_calls")));
    let mut harness = harness();
    let flood = harness.within("a.b", || {
        for _ in 0..257 {
            log::info!("{}", "x".repeat(1_024));
        }
        Ok(())
    });
    assert!(matches!(flood, Err(RunError::QuotaExceeded(text)) if text.starts_with("log")));
    assert_eq!(harness.log().len(), 256);
}

#[test]
fn a_panic_is_a_trap_and_the_harness_lives_on() {
    let mut harness = harness();
    let trapped = harness.within("a.b", || -> Result<(), ToolError> { panic!("on purpose") });
    assert_eq!(trapped, Err(RunError::Trapped("on purpose".to_owned())));
    assert_eq!(harness.within("a.b", || Ok(storage::open("notes/").get("a")?)), Ok(None));
}

#[test]
fn outside_a_harness_nothing_is_granted() {
    assert!(storage::open("notes/").get("a").is_err());
    assert!(http::get(URL).send().is_err());
}

#[test]
fn a_grant_line_that_cannot_be_read_is_named() {
    let error = Harness::new(&PLUGIN).with_grants(["storage:notes/", "http:GET"]).unwrap_err();
    assert_eq!(error.to_string(), "grant `http:GET`: it has no URL");
}
