//! Runs without a model.

use crate::fixture::{Owner, begun};
use palyra_agent::{Candidate, Input, Routed, Verdict};
use palyra_api::sessions::{AgentRunStatus, PauseKind, SessionEventBody, SessionLabels};
use serde_json::{Value, json};

fn candidate(tool: &str, arguments: Value) -> Candidate {
    Candidate { tool_id: tool.into(), arguments: arguments.as_object().unwrap().clone() }
}

fn routed(owner: &mut Owner, candidates: Vec<Candidate>, clear: bool) {
    owner.begin();
    owner.give(Input::Routed(Routed { candidates, clear }));
}

fn values(values: Value) -> Verdict {
    Verdict::Values(values.as_object().unwrap().clone())
}

#[test]
fn clear_match_is_a_form_and_its_values_are_the_arguments() {
    let mut owner = Owner::new(None);
    routed(&mut owner, vec![candidate("acme.read", json!({ "n": 4 }))], true);
    let plan = owner.plan.clone().unwrap();
    assert_eq!((owner.run.status, plan.pauses[0].kind), (AgentRunStatus::Paused, PauseKind::Form));
    assert!(plan.surfaces[0].document.contains("\"default\":4"));
    assert!(plan.effects.is_empty(), "nothing is called before a person confirms");
    let effects = owner.decide(values(json!({ "n": 5 })));
    assert_eq!(owner.call(0).arguments, "{\"n\":5}");
    owner.completed(&begun(&effects)[0], SessionLabels::default());
    assert_eq!(owner.ended(), (AgentRunStatus::Finished, ""));
}

#[test]
fn thin_margin_is_a_choice_then_a_form() {
    let mut owner = Owner::new(None);
    let both = vec![candidate("acme.read", json!({})), candidate("acme.write", json!({ "n": 2 }))];
    routed(&mut owner, both, false);
    assert!(owner.plan.as_ref().unwrap().surfaces[0].document.contains("acme.write"));
    owner.decide(values(json!({ "tool": "acme.write" })));
    assert_eq!(owner.run.status, AgentRunStatus::Paused, "the chosen tool is confirmed");
    let effects = owner.decide(values(json!({ "n": 2 })));
    assert_eq!((begun(&effects).len(), owner.call(0).tool_id.as_str()), (1, "acme.write"));
}

#[test]
fn router_without_match_lists_tools_command() {
    let mut owner = Owner::new(None);
    routed(&mut owner, vec![candidate("acme.gone", json!({}))], true);
    assert_eq!(owner.ended().0, AgentRunStatus::Finished);
    let said = owner.events.iter().any(|event| {
        matches!(event, SessionEventBody::MessageCompleted { text, .. } if text.contains("No model is configured"))
    });
    assert!(said);
}

#[test]
fn denied_proposal_calls_nothing() {
    for verdict in [Verdict::No, Verdict::Expired] {
        let mut owner = Owner::new(None);
        routed(&mut owner, vec![candidate("acme.write", json!({}))], true);
        assert!(begun(&owner.decide(verdict)).is_empty());
        assert_eq!(owner.ended().0, AgentRunStatus::Cancelled);
    }
    let mut owner = Owner::new(None);
    routed(&mut owner, vec![candidate("acme.write", json!({}))], true);
    owner.decide(values(json!({ "n": "not a number" })));
    assert_eq!(owner.ended().0, AgentRunStatus::Failed);
}

#[test]
fn tool_without_arguments_is_a_question() {
    let mut owner = Owner::new(None);
    for tool in &mut owner.tools {
        tool.input_schema = json!({ "type": "object", "additionalProperties": false });
    }
    routed(&mut owner, vec![candidate("acme.read", json!({}))], true);
    assert_eq!(owner.run.pause.as_ref().unwrap().kind, PauseKind::Question);
    assert_eq!(begun(&owner.decide(Verdict::Yes)).len(), 1);
}
