//! `#[hook]` and its dispatch.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::json;
use palyra_plugins_sdk::testing::{Harness, RunError};

palyra_plugins_sdk::plugin! { tools: [noop], hooks: [gate, observe] }

#[tool(id = "acme.noop", description = "Does nothing")]
fn noop() {}

#[derive(Deserialize)]
struct BeforeTool {
    tool_id: String,
}

#[hook(id = "acme.gate", events = ["run:before_tool"])]
fn gate(event: Event) -> Result<HookDecision, ToolError> {
    let before: BeforeTool = event.payload_as()?;
    Ok(match before.tool_id.as_str() {
        "acme.erase" => HookDecision::Block("never".into()),
        _ => HookDecision::Continue,
    })
}

#[hook(id = "acme.observe", events = ["run:before_tool", "run:completed"])]
fn observe(event: Event) -> HookDecision {
    HookDecision::Annotate(event.kind)
}

#[test]
fn the_run_names_the_hook() {
    let mut harness = Harness::new(&PLUGIN);
    let payload = json!({ "tool_id": "acme.erase" });
    assert_eq!(
        harness.fire("acme.gate", "run:before_tool", &payload),
        Ok(HookDecision::Block("never".into()))
    );
    let remark = HookDecision::Annotate("run:before_tool".into());
    assert_eq!(harness.fire("acme.observe", "run:before_tool", &payload), Ok(remark));
    assert_eq!(harness.call("acme.noop", &json!({})), Ok(json!(null)));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut harness = Harness::new(&PLUGIN);
    for (hook_id, kind, code) in [
        ("acme.gate", "run:before_tool", "invalid_input"),
        ("acme.gate", "run:completed", "unexpected_event"),
        ("acme.noop", "run:before_tool", "unknown_hook"),
    ] {
        match harness.fire(hook_id, kind, &json!({})) {
            Err(RunError::ToolFailed(error)) => assert_eq!(error.code, code),
            other => panic!("{hook_id} {kind}: {other:?}"),
        }
    }
    let not_json = harness.within("acme.gate", || PLUGIN.on_event("run:before_tool", "{").map(|_| ()));
    assert!(matches!(not_json, Err(RunError::ToolFailed(error)) if error.code == "invalid_input"));
}

#[test]
fn described() {
    let described = Harness::new(&PLUGIN).describe().unwrap();
    assert_eq!(
        described["hooks"],
        json!([
            { "id": "acme.gate", "events": ["run:before_tool"] },
            { "id": "acme.observe", "events": ["run:before_tool", "run:completed"] },
        ])
    );
}
