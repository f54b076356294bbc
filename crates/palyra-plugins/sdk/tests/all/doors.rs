//! Tier A, secrets, channels, log and run facts.

use palyra_plugins_sdk::log::{self, Level};
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};
use palyra_plugins_sdk::{
    CapabilityKind, HostError, Plugin, channels, host_capability_channel_count,
    host_capability_channel_handle, host_capability_find, host_capability_http_count,
    host_capability_http_handle, host_capability_name, host_capability_secret_count,
    host_capability_secret_handle, host_capability_storage_count, host_capability_storage_handle, run,
    secrets,
};

static PLUGIN: Plugin = Plugin::new(&[], &[]);

fn harness() -> Harness {
    let grants = [
        "http:GET https://api.example.com/items/*",
        "http:https://api.example.com",
        "secret:global/token hosts=api.example.com inject=bearer",
        "secret:skill:acme.notes/pin reveal",
        "storage:notes/",
        "channel:alerts",
    ];
    Harness::new(&PLUGIN).with_grants(grants).unwrap()
}

#[test]
fn handles_by_index() {
    harness()
        .within("a.b", || {
            assert_eq!(
                [
                    host_capability_http_count(),
                    host_capability_secret_count(),
                    host_capability_storage_count(),
                    host_capability_channel_count()
                ],
                [2, 2, 1, 1]
            );
            for (handle, name) in [
                (host_capability_http_handle(1), "https://api.example.com"),
                (host_capability_secret_handle(0), "global/token"),
                (host_capability_storage_handle(0), "notes/"),
                (host_capability_channel_handle(0), "alerts"),
            ] {
                assert!(handle > 0);
                assert_eq!(host_capability_name(handle).as_deref(), Some(name));
            }
            for missing in [
                host_capability_http_handle(2),
                host_capability_secret_handle(-1),
                host_capability_channel_handle(i32::MAX),
            ] {
                assert_eq!(missing, -1);
            }
            assert_eq!(host_capability_name(-1), None);
            Ok(())
        })
        .unwrap();
}

#[test]
fn handles_by_name() {
    harness()
        .within("a.b", || {
            for (kind, name, expected) in [
                (CapabilityKind::Http, "https://api.example.com/items/1", host_capability_http_handle(0)),
                (CapabilityKind::Http, "https://api.example.com/other", host_capability_http_handle(1)),
                (CapabilityKind::Http, "API.example.com", host_capability_http_handle(0)),
                (CapabilityKind::Http, "https://evil.example/", -1),
                (CapabilityKind::Secret, "pin", host_capability_secret_handle(1)),
                (CapabilityKind::Secret, "skill:acme.notes/pin", host_capability_secret_handle(1)),
                (CapabilityKind::Secret, "global/pin", -1),
                (CapabilityKind::Storage, "notes/", host_capability_storage_handle(0)),
                (CapabilityKind::Storage, "notes", -1),
                (CapabilityKind::Channel, "alerts", host_capability_channel_handle(0)),
                (CapabilityKind::Channel, "alert", -1),
            ] {
                assert_eq!(host_capability_find(kind, name), expected, "{name}");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_secret_is_revealed_only_with_that_grant() {
    let mut harness =
        harness().with_secret("skill:acme.notes/pin", "1234").with_secret("global/token", "t0ken");
    assert_eq!(harness.within("a.b", || secrets::reveal_string("pin")), Ok("1234".to_owned()));
    let denied = harness.within("a.b", || Ok(secrets::reveal("token")?));
    assert!(
        matches!(denied, Err(RunError::CapabilityDenied(text)) if text.contains("secret:global/token reveal"))
    );
}

#[test]
fn bytes_that_are_not_text_stay_out_of_the_error() {
    let mut harness = harness().with_secret("skill:acme.notes/pin", [0xff, b'k', b'e', b'y']);
    match harness.within("a.b", || secrets::reveal_string("pin")) {
        Err(RunError::ToolFailed(error)) => {
            assert_eq!(error.to_string(), "invalid_data: the secret is not UTF-8: pin")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_and_lines_are_kept() {
    let mut harness = harness();
    harness
        .within("a.b", || {
            channels::publish_text("alerts", "hot")?;
            channels::publish_json("alerts", &json!({ "t": 40 }))?;
            log::warn!("{} degrees", 40);
            log::trace!("done");
            assert!(matches!(
                channels::publish("alerts", "nonsense", b""),
                Err(HostError::InvalidArgument(_))
            ));
            Ok(())
        })
        .unwrap();
    let messages: Vec<(&str, &[u8])> =
        harness.messages().iter().map(|m| (m.content_type.as_str(), m.body.as_slice())).collect();
    assert_eq!(
        messages,
        [("text/plain; charset=utf-8", b"hot".as_slice()), ("application/json", br#"{"t":40}"#)]
    );
    let lines: Vec<(Level, &str)> =
        harness.log().iter().map(|line| (line.level, line.message.as_str())).collect();
    assert_eq!(lines, [(Level::Warn, "40 degrees"), (Level::Trace, "done")]);
}

#[test]
fn facts_of_the_run() {
    let mut harness =
        harness().with_run_id("run-7").with_remaining(5, 6).with_config(&json!({ "unit": "km" }));
    let facts = harness.within("acme.x", || {
        Ok((run::run_id(), run::tool_id(), run::remaining_fuel(), run::remaining_milliseconds()))
    });
    assert_eq!(facts, Ok(("run-7".to_owned(), "acme.x".to_owned(), 5, 6)));
    assert_eq!(harness.within("acme.x", run::config::<Value>), Ok(json!({ "unit": "km" })));
    let wrong = harness.within("acme.x", run::config::<Vec<u8>>);
    assert!(matches!(wrong, Err(RunError::ToolFailed(error)) if error.code == "invalid_config"));
}
