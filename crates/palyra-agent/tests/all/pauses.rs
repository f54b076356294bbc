//! Approvals, forms of tools, and timeouts.

use crate::fixture::{Owner, begun};
use palyra_a2ui::A2uiDocument;
use palyra_agent::{CallOutcome, CallState, Effect, Input, Verdict};
use palyra_api::sessions::{AgentRunStatus, PauseKind, PauseStatus, SessionLabels, ToolCallStatus};
use palyra_models::Message;
use serde_json::json;

fn wants_approval(owner: &mut Owner) -> String {
    owner.begin();
    let effects = owner.calls(&[("acme__write", json!({ "n": 1 })), ("acme__write", json!({ "n": 2 }))]);
    let call_id = begun(&effects)[0].clone();
    let outcome = CallOutcome::NeedsApproval { approval_id: "apr_1".into(), expires_ms: 5_000 };
    assert!(owner.give(Input::CallEnded { call_id: call_id.clone(), outcome }).is_empty());
    call_id
}

#[test]
fn approval_is_for_one_call_and_the_next_one_waits() {
    let mut owner = Owner::new(Some("m"));
    let call_id = wants_approval(&mut owner);
    let pause = owner.run.pause.clone().unwrap();
    assert_eq!(
        (owner.run.status, pause.kind, pause.expires_ms),
        (AgentRunStatus::Paused, PauseKind::Approval, 5_000)
    );
    assert_eq!(pause.arguments.as_deref(), Some("{\"n\":1}"));
    assert_eq!(owner.run.used.tool_calls, 0, "what did not begin is not counted");
    let again = owner.decide(Verdict::Yes);
    assert_eq!(begun(&again), [call_id]);
    assert_eq!(owner.plan.as_ref().unwrap().pauses[0].status, PauseStatus::Answered);
}

#[test]
fn denial_and_time_out_end_the_call_and_the_model_hears_of_it() {
    for verdict in [Verdict::No, Verdict::Expired] {
        let mut owner = Owner::new(Some("m"));
        wants_approval(&mut owner);
        let effects = owner.decide(verdict.clone());
        assert_eq!(begun(&effects).len(), 1, "the next call of the batch begins");
        let CallState::Ended { status, .. } = &owner.call(0).state else { panic!() };
        assert_eq!(*status, ToolCallStatus::Denied);
    }
    let mut late = Owner::new(Some("m"));
    wants_approval(&mut late);
    late.now_ms = 5_000;
    late.decide(Verdict::Yes);
    assert_eq!(late.plan.as_ref().unwrap().pauses[0].status, PauseStatus::Expired, "a late yes is a no");
    let mut clock = Owner::new(Some("m"));
    wants_approval(&mut clock);
    clock.now_ms = 5_001;
    clock.give(Input::Clock);
    assert_eq!(clock.plan.as_ref().unwrap().pauses[0].status, PauseStatus::Expired);
}

#[test]
fn pause_is_bound_to_what_was_shown_and_answered_once() {
    let bound = |n: u32| {
        let mut owner = Owner::new(Some("m"));
        owner.begin();
        let effects = owner.calls(&[("acme__write", json!({ "n": n }))]);
        let outcome = CallOutcome::NeedsApproval { approval_id: "apr_1".into(), expires_ms: 5_000 };
        owner.give(Input::CallEnded { call_id: begun(&effects)[0].clone(), outcome });
        owner.run.pause.unwrap().bound_to
    };
    assert_eq!(bound(1), bound(1));
    assert_ne!(bound(1), bound(2));
    let mut owner = Owner::new(Some("m"));
    wants_approval(&mut owner);
    let pause_id = owner.run.pause.as_ref().unwrap().pause_id.clone();
    owner.decide(Verdict::No);
    let after = owner.run.clone();
    owner.give(Input::Decided { pause_id, verdict: Verdict::Yes, by: None });
    assert_eq!(owner.run, after);
}

#[test]
fn risky_labels_are_in_the_question_and_on_the_pause() {
    let mut owner = Owner::new(Some("m"));
    owner.run.labels = SessionLabels { private: true, untrusted: true };
    wants_approval(&mut owner);
    let pause = owner.run.pause.clone().unwrap();
    assert!(pause.question.contains("untrusted content and private data"), "{}", pause.question);
    assert!(pause.labels.is_risky());
}

#[test]
fn form_of_a_tool_pauses_the_run_and_its_values_go_to_the_tool_it_names() {
    let form = |tool: &str| {
        let fields = json!([{ "name": "n", "type": "number", "label": "N", "required": true }]);
        let form = json!({ "tool": tool, "fields": fields });
        let document = json!({ "v": 1, "surface": "order", "components": [{ "id": "f", "type": "form", "props": form }] });
        A2uiDocument::parse(&document.to_string()).unwrap()
    };
    let show = |owner: &mut Owner, tool: &str| {
        let effects = owner.calls(&[("acme__read", json!({ "n": owner.run.next_number }))]);
        let outcome = CallOutcome::Completed {
            tool_run_id: "run_1".into(),
            output: form(tool).to_json().as_str().to_owned(),
            document: Some(form(tool)),
            replaces: None,
            labels: SessionLabels::default(),
        };
        owner.give(Input::CallEnded { call_id: begun(&effects)[0].clone(), outcome });
        assert_eq!(
            (owner.run.status, owner.plan.as_ref().unwrap().surfaces[0].rev),
            (AgentRunStatus::Paused, 1)
        );
    };
    let ask = |tool: &str| {
        let mut owner = Owner::new(Some("m"));
        owner.begin();
        show(&mut owner, tool);
        owner
    };
    let values = || Verdict::Values(json!({ "n": 3 }).as_object().unwrap().clone());
    let mut owner = ask("acme.write");
    let effects = owner.decide(values());
    assert_eq!((begun(&effects).len(), owner.call(0).arguments.as_str()), (1, "{\"n\":3}"));
    owner.completed(&begun(&effects)[0], SessionLabels::default());
    assert_eq!(owner.plan.as_ref().unwrap().effects, [Effect::Think]);
    let Some(Message::User { text }) = owner.run.messages.last() else { panic!("{:?}", owner.run.messages) };
    assert!(text.contains("`acme.write`") && text.contains("\"untrusted\":true"), "{text}");
    show(&mut owner, "acme.write");
    assert_eq!(begun(&owner.decide(values())).len(), 1, "a person who submits the same again means it");
    let mut gone = ask("acme.gone");
    gone.decide(values());
    assert_eq!(gone.ended().0, AgentRunStatus::Failed);
    let mut refused = ask("acme.write");
    assert_eq!(refused.decide(Verdict::No), [Effect::Think], "without the form the model goes on");
}
