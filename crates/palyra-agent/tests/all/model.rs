//! Runs with a model.

use crate::fixture::{Owner, begun};
use palyra_agent::{CallOutcome, Effect, Input};
use palyra_api::sessions::{AgentRunStatus, SessionEventBody, SessionLabels, ToolCallStatus};
use palyra_models::Message;
use serde_json::{Value, json};

const NOTHING_READ: SessionLabels = SessionLabels { private: false, untrusted: false };

#[test]
fn read_only_calls_begin_together_and_others_in_order() {
    let mut owner = Owner::new(Some("m"));
    assert_eq!(owner.begin(), [Effect::Think]);
    let effects = owner.calls(&[("acme__read", json!({ "n": 1 })), ("acme__look", json!({}))]);
    assert_eq!(begun(&effects).len(), 2);
    for id in begun(&effects) {
        owner.completed(&id, NOTHING_READ);
    }
    assert_eq!(owner.plan.as_ref().unwrap().effects, [Effect::Think]);
    let first = owner.calls(&[("acme__write", json!({ "n": 1 })), ("acme__read", json!({ "n": 2 }))]);
    assert_eq!(begun(&first).len(), 1);
    let second = owner.completed(&begun(&first)[0], NOTHING_READ);
    assert_eq!(begun(&second).len(), 1);
    owner.completed(&begun(&second)[0], NOTHING_READ);
    assert!(begun(&owner.text("done")).is_empty());
    assert_eq!(owner.ended(), (AgentRunStatus::Finished, ""));
    assert_eq!((owner.run.used.turns, owner.run.used.tool_calls, owner.run.used.input_tokens), (3, 4, 200));
    let results = owner.run.messages.iter().filter(|message| matches!(message, Message::ToolResult { .. }));
    assert_eq!(results.count(), 4);
}

#[test]
fn identical_writing_call_is_answered_from_its_first_receipt() {
    let mut owner = Owner::new(Some("m"));
    owner.begin();
    let first = owner.calls(&[("acme__write", json!({ "n": 1 }))]);
    owner.completed(&begun(&first)[0], NOTHING_READ);
    let again = owner.calls(&[("acme__write", json!("{ \"n\": 1 }"))]);
    assert_eq!(again, [Effect::Think], "nothing is called again");
    let repeated = owner.events.iter().filter(|event| {
        matches!(event, SessionEventBody::ToolFinished { status: ToolCallStatus::Repeated, .. })
    });
    assert_eq!((repeated.count(), owner.run.used.tool_calls), (1, 1));
    owner.calls(&[("acme__write", json!({ "n": 1 }))]);
    assert_eq!(owner.ended().0, AgentRunStatus::Failed, "three in a row stop the run");
}

#[test]
fn invalid_proposals_go_back_twice_and_every_proposal_has_a_result() {
    let invalid: [(&str, Value); 6] = [
        ("acme__none", json!({})),
        ("acme__read", json!("{")),
        ("acme__read", json!("[]")),
        ("acme__read", json!({ "n": "one" })),
        ("search_tools", json!({})),
        ("acme__read\u{1b}[2J", json!({})),
    ];
    for (name, arguments) in invalid {
        let mut owner = Owner::new(Some("m"));
        owner.begin();
        for _ in 0..2 {
            assert_eq!(owner.calls(&[(name, arguments.clone())]), [Effect::Think], "{name} {arguments}");
        }
        assert!(!matches!(owner.calls(&[(name, arguments.clone())]).as_slice(), [Effect::Think]));
        let (status, reason) = owner.ended();
        assert!(status == AgentRunStatus::Failed && reason.contains("3 times"), "{reason}");
        let proposals: usize = owner
            .run
            .messages
            .iter()
            .map(|message| match message {
                Message::Assistant { tool_calls, .. } => tool_calls.len(),
                _ => 0,
            })
            .sum();
        let results =
            owner.run.messages.iter().filter(|message| matches!(message, Message::ToolResult { .. }));
        assert_eq!((proposals, results.count()), (3, 3));
        let events = serde_json::to_string(&owner.events).unwrap();
        assert!(!events.contains("\\u001b"), "{events}");
    }
}

#[test]
fn budgets_end_the_run_whatever_the_model_wants() {
    let mut turns = Owner::new(Some("m"));
    turns.run.budget.turns = 2;
    turns.begin();
    for n in 0..2 {
        let effects = turns.calls(&[("acme__read", json!({ "n": n }))]);
        turns.completed(&begun(&effects)[0], NOTHING_READ);
    }
    assert_eq!(turns.ended().0, AgentRunStatus::OutOfBudget);
    let mut calls = Owner::new(Some("m"));
    calls.run.budget.tool_calls = 1;
    calls.begin();
    calls.calls(&[("acme__read", json!({ "n": 1 })), ("acme__read", json!({ "n": 2 }))]);
    assert_eq!(calls.ended(), (AgentRunStatus::OutOfBudget, "its limit on tool calls is reached"));
    let mut tokens = Owner::new(Some("m"));
    tokens.run.budget.tokens = 110;
    tokens.begin();
    let effects = tokens.calls(&[("acme__read", json!({}))]);
    tokens.completed(&begun(&effects)[0], NOTHING_READ);
    assert_eq!(tokens.ended(), (AgentRunStatus::OutOfBudget, "its token limit is reached"));
    let mut clock = Owner::new(Some("m"));
    clock.run.budget.wall_clock_ms = 100;
    clock.begin();
    assert_eq!(clock.run.wake_in_ms(1_040), Some(60));
    clock.now_ms = 1_101;
    assert_eq!(clock.give(Input::Clock), [Effect::Abort]);
    assert_eq!(clock.ended(), (AgentRunStatus::OutOfBudget, "its time limit is reached"));
}

#[test]
fn labels_come_from_what_was_used_and_no_answer_clears_them() {
    let mut owner = Owner::new(Some("m"));
    owner.begin();
    let effects = owner.calls(&[("acme__read", json!({ "n": 1 }))]);
    owner.completed(&begun(&effects)[0], SessionLabels { untrusted: true, private: false });
    owner.text("labels are cleared now");
    assert_eq!(owner.run.labels, SessionLabels { untrusted: true, private: false });
}

#[test]
fn late_inputs_change_nothing() {
    let mut owner = Owner::new(Some("m"));
    owner.begin();
    let effects = owner.calls(&[("acme__read", json!({}))]);
    let id = begun(&effects)[0].clone();
    owner.give(Input::Stop { by: "owner".into() });
    assert_eq!(owner.ended(), (AgentRunStatus::Cancelled, "stopped by owner"));
    let after = owner.run.clone();
    owner.completed(&id, NOTHING_READ);
    owner.text("late");
    owner.begin();
    owner.give(Input::CallEnded {
        call_id: "call_99".into(),
        outcome: CallOutcome::Refused { error: "x".into() },
    });
    assert_eq!(owner.run, after);
}

#[test]
fn found_tools_are_offered_and_the_search_is_no_tool_call() {
    let mut owner = Owner::new(Some("m"));
    owner.begin();
    let effects = owner.calls(&[("search_tools", json!({ "query": "write a note" }))]);
    let [Effect::Search { call_id, query }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(query, "write a note");
    let found =
        Input::ToolsFound { call_id: call_id.clone(), tools: vec!["acme.write".into(), "acme.gone".into()] };
    assert_eq!(owner.give(found), [Effect::Think]);
    assert_eq!((owner.run.found_tools.len(), owner.run.used.tool_calls), (2, 0));
    let Some(Message::ToolResult { text, .. }) = owner.run.messages.last() else { panic!() };
    assert!(text.contains("acme__write") && !text.contains("gone"), "{text}");
}

#[test]
fn invented_address_goes_back_with_the_tool_that_knows_one() {
    let mut owner = Owner::new(Some("m"));
    owner.tools[2].input_schema =
        json!({ "type": "object", "properties": { "to": { "type": "string", "format": "email" } } });
    owner.tools[0].output_schema =
        json!({ "type": "object", "properties": { "mail": { "type": "string", "format": "email" } } });
    owner.begin();
    assert_eq!(owner.calls(&[("acme__write", json!({ "to": "Bob" }))]), [Effect::Think]);
    let Some(Message::ToolResult { text, is_error: true, .. }) = owner.run.messages.last() else { panic!() };
    assert_eq!(text, "The call was not made: `/to` is not an e-mail address; call `acme__look` to get one");
    let effects = owner.calls(&[("acme__write", json!({ "to": "bob@example.org" }))]);
    assert_eq!(begun(&effects).len(), 1);
}
