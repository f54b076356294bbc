//! The observer against a host in memory.

use crate::PLUGIN;
use palyra_plugins_sdk::HookDecision;
use palyra_plugins_sdk::serde_json::{Value, from_slice, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

#[test]
fn an_event_becomes_a_message_without_its_details() {
    let mut harness = Harness::new(&PLUGIN).with_grants(["channel:alerts"]).unwrap();
    let payload =
        json!({ "event": "run:failed", "sequence": 7, "tool_id": "acme.mail.send", "details": { "a": 1 } });
    assert_eq!(harness.fire("palyra.notify.tell", "run:failed", &payload).unwrap(), HookDecision::Continue);
    let messages = harness.messages();
    let told: Value = from_slice(&messages[0].body).unwrap();
    assert_eq!((told["tool_id"].as_str(), told.get("details")), (Some("acme.mail.send"), None));
}

#[test]
fn without_the_grant_nothing_is_told() {
    let fired =
        Harness::new(&PLUGIN).fire("palyra.notify.tell", "run:failed", &json!({ "event": "run:failed" }));
    assert!(matches!(fired, Err(RunError::CapabilityDenied(_))));
}
