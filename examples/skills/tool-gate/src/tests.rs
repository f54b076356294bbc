//! The gate against a host in memory.

use crate::PLUGIN;
use palyra_plugins_sdk::HookDecision;
use palyra_plugins_sdk::serde_json::json;
use palyra_plugins_sdk::testing::Harness;

fn decide(tool_id: &str) -> HookDecision {
    let rules = json!({ "block": "acme.disk.*, acme.mail.send", "ask": "acme.pay", "note": "acme.*" });
    let mut harness = Harness::new(&PLUGIN).with_config(&rules);
    harness.fire("palyra.tool_gate.before_tool", "run:before_tool", &json!({ "tool_id": tool_id })).unwrap()
}

#[test]
fn the_strictest_rule_decides() {
    assert_eq!(decide("acme.disk.erase"), HookDecision::Block("the rule `acme.disk.*` blocks it".into()));
    assert!(matches!(decide("acme.mail.send"), HookDecision::Block(_)));
    assert!(matches!(decide("acme.pay"), HookDecision::RequestApproval(_)));
    assert!(matches!(decide("acme.mail.read"), HookDecision::Annotate(_)));
    assert_eq!(decide("other.tool"), HookDecision::Continue);
}
