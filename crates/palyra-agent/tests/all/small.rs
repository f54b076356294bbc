//! Runs with a small model: it fills in arguments and decides nothing.

use crate::fixture::{Owner, begun};
use palyra_agent::{Candidate, Effect, Input, Routed, SmallForm, Verdict, small_request};
use palyra_api::sessions::{AgentRunStatus, PauseKind, SessionEventBody, SessionLabels};
use palyra_models::{ModelAnswer, StopReason, ToolChoice};
use serde_json::{Value, json};

/// Returns a run whose message the router matched to these tools.
fn ranked(tools: &[&str]) -> (Owner, Vec<Effect>) {
    let mut owner = Owner::new(Some("tiny"));
    owner.run.small_model = true;
    assert_eq!(owner.begin(), [Effect::Route], "the router comes first");
    let candidate =
        |tool: &&str| Candidate { tool_id: (*tool).to_owned(), arguments: serde_json::Map::new() };
    let candidates = tools.iter().map(candidate).collect();
    let effects = owner.give(Input::Routed(Routed { candidates, clear: true }));
    (owner, effects)
}

fn answer(owner: &mut Owner, text: &str) -> Vec<Effect> {
    let answer = ModelAnswer { text: text.into(), stop: Some(StopReason::EndTurn), ..ModelAnswer::default() };
    owner.give(Input::Answered(Box::new(answer)))
}

#[test]
fn model_fills_in_the_arguments_and_a_person_confirms() {
    let (mut owner, effects) = ranked(&["acme.read", "acme.write"]);
    assert_eq!((effects, owner.run.used.turns), (vec![Effect::Think], 1));
    let effects = answer(&mut owner, r#"{"name":"acme__write","arguments":{"n":4}}"#);
    assert!(effects.is_empty(), "nothing is called before a person confirms");
    let plan = owner.plan.clone().unwrap();
    assert_eq!((owner.run.status, plan.pauses[0].kind), (AgentRunStatus::Paused, PauseKind::Form));
    let document = &plan.surfaces[0].document;
    assert!(document.contains("\"default\":4") && document.contains("A small model filled in"), "{document}");
    let effects = owner.decide(Verdict::Values(json!({ "n": 5 }).as_object().unwrap().clone()));
    let effects = owner.completed(&begun(&effects)[0], SessionLabels::default());
    assert_eq!(effects, [Effect::Abort], "the model does not go on");
    assert_eq!(owner.ended(), (AgentRunStatus::Finished, ""));
}

#[test]
fn tool_call_counts_like_the_text_and_only_of_a_ranked_tool() {
    let (mut owner, _) = ranked(&["acme.read"]);
    assert_eq!(owner.calls(&[("acme__write", json!({ "n": 1 }))]), [Effect::Think], "it was not offered");
    owner.calls(&[("acme__read", json!({ "n": 1 })), ("acme__read", json!({ "n": 2 }))]);
    assert!(owner.plan.as_ref().unwrap().surfaces[0].document.contains("\"default\":1"));
}

#[test]
fn no_match_ends_the_run_without_asking_the_model() {
    let (owner, effects) = ranked(&[]);
    assert_eq!((effects, owner.ended().0), (vec![Effect::Abort], AgentRunStatus::Finished));
    let said = owner.events.iter().any(|event| {
        matches!(event, SessionEventBody::MessageCompleted { text, .. } if text.starts_with("No tool matches"))
    });
    assert!(said && owner.run.used.turns == 0);
}

#[test]
fn unusable_answers_leave_the_choice_to_the_person() {
    let (mut owner, _) = ranked(&["acme.read", "acme.write"]);
    for text in ["I cannot.", r#"{"name":"acme__read","arguments":{"n":"four"}}"#] {
        assert_eq!(answer(&mut owner, text), [Effect::Think], "{text}");
    }
    assert!(answer(&mut owner, r#"{"name":"acme__gone","arguments":{}}"#).is_empty());
    let document = owner.plan.as_ref().unwrap().surfaces[0].document.clone();
    assert!(document.contains("acme.write") && document.contains("gave no usable call"), "{document}");
    let shown = owner.events.iter().filter(|event| matches!(event, SessionEventBody::ToolProposed { .. }));
    assert_eq!(shown.count(), 3, "each unusable answer is on record");
}

#[test]
fn run_of_a_small_model_goes_on_where_it_was() {
    let (mut owner, _) = ranked(&["acme.read"]);
    assert_eq!(owner.give(Input::Resume { found: Vec::new() }), [Effect::Think]);
    let mut unranked = Owner::new(Some("tiny"));
    unranked.run.small_model = true;
    unranked.begin();
    assert_eq!(unranked.give(Input::Resume { found: Vec::new() }), [Effect::Route]);
}

#[test]
fn request_offers_nothing_but_a_call() {
    let (owner, _) = ranked(&["acme.read"]);
    let shown: Vec<_> = owner.tools.iter().take(2).collect();
    let json = small_request(&owner.run, &shown, SmallForm::Json);
    let schema: Value = serde_json::from_str(json.response_schema.unwrap().as_str()).unwrap();
    assert_eq!(schema["anyOf"][1]["properties"]["name"]["const"], "acme__read");
    assert_eq!(schema["anyOf"][1]["properties"]["arguments"], owner.tools[1].input_schema);
    assert!(json.tools.is_empty() && json.system.contains("Does look."));
    let tools = small_request(&owner.run, &shown, SmallForm::Tools);
    assert_eq!(
        (tools.tools.len(), tools.tool_choice, tools.response_schema),
        (2, ToolChoice::Required, None)
    );
}
