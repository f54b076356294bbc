//! Runs whose process has ended.

use crate::fixture::{Owner, begun};
use palyra_agent::{CallOutcome, Effect, Found, Input, Verdict};
use palyra_api::sessions::{AgentRunStatus, PauseKind, SessionEventBody, SessionLabels, ToolCallStatus};
use serde_json::json;

fn running(tool: &str) -> (Owner, String) {
    let mut owner = Owner::new(Some("m"));
    owner.begin();
    let effects = owner.calls(&[(tool, json!({ "n": 1 }))]);
    let id = begun(&effects)[0].clone();
    (owner, id)
}

fn resume(owner: &mut Owner, found: Vec<(String, Found)>) -> Vec<Effect> {
    owner.give(Input::Resume { found })
}

#[test]
fn request_to_the_model_or_the_router_is_repeated() {
    let mut model = Owner::new(Some("m"));
    assert_eq!(resume(&mut model, Vec::new()), [Effect::Think], "a queued run begins");
    assert_eq!(resume(&mut model, Vec::new()), [Effect::Think]);
    assert_eq!(model.run.used.turns, 1);
    let mut router = Owner::new(None);
    router.begin();
    assert_eq!(resume(&mut router, Vec::new()), [Effect::Route]);
}

#[test]
fn call_that_never_began_is_made_and_one_with_a_receipt_goes_on() {
    let (mut owner, id) = running("acme__write");
    assert_eq!(begun(&resume(&mut owner, vec![(id.clone(), Found::NotBegun)])).first(), Some(&id));
    let outcome = CallOutcome::Completed {
        tool_run_id: "run_1".into(),
        output: "{}".into(),
        document: None,
        replaces: None,
        labels: SessionLabels::default(),
    };
    assert_eq!(resume(&mut owner, vec![(id, Found::Ended(outcome))]), [Effect::Think]);
}

#[test]
fn interrupted_call_is_repeated_only_if_it_reads_or_a_person_says_so() {
    let (mut reads, id) = running("acme__read");
    assert_eq!(begun(&resume(&mut reads, vec![(id.clone(), Found::Interrupted)])), [id]);
    for (verdict, repeated) in [(Verdict::Yes, 1), (Verdict::No, 0), (Verdict::Expired, 0)] {
        let (mut writes, id) = running("acme__write");
        assert!(resume(&mut writes, vec![(id, Found::Interrupted)]).is_empty());
        assert_eq!(writes.run.pause.as_ref().unwrap().kind, PauseKind::Question);
        assert!(resume(&mut writes, Vec::new()).is_empty(), "a run that waits goes on waiting");
        assert_eq!(begun(&writes.decide(verdict)).len(), repeated);
    }
}

#[test]
fn router_run_whose_tool_was_interrupted_ends_truthfully() {
    let mut owner = Owner::new(None);
    owner.begin();
    let routed = palyra_agent::Routed {
        candidates: vec![palyra_agent::Candidate {
            tool_id: "acme.write".into(),
            arguments: Default::default(),
        }],
        clear: true,
    };
    owner.give(Input::Routed(routed));
    let effects = owner.decide(Verdict::Values(Default::default()));
    resume(&mut owner, vec![(begun(&effects)[0].clone(), Found::Interrupted)]);
    owner.decide(Verdict::No);
    assert_eq!(owner.ended().0, AgentRunStatus::Interrupted);
}

#[test]
fn stopped_run_says_that_a_doubtful_call_may_have_taken_effect() {
    let (mut owner, id) = running("acme__write");
    resume(&mut owner, vec![(id, Found::Interrupted)]);
    owner.give(Input::Stop { by: "owner".into() });
    assert_eq!(owner.ended().0, AgentRunStatus::Cancelled);
    let told = owner.events.iter().filter_map(|event| match event {
        SessionEventBody::ToolFinished { status, error, .. } => Some((*status, error.clone())),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let [(ToolCallStatus::Interrupted, Some(error))] = told.as_slice() else { panic!("{told:?}") };
    assert!(error.contains("unknown"), "{error}");
}

#[test]
fn call_with_a_receipt_is_kept_by_a_run_without_time_left() {
    let (mut owner, id) = running("acme__write");
    owner.run.used.wall_clock_ms = owner.run.budget.wall_clock_ms;
    let outcome = CallOutcome::Completed {
        tool_run_id: "run_1".into(),
        output: "{}".into(),
        document: None,
        replaces: None,
        labels: SessionLabels { private: true, untrusted: false },
    };
    resume(&mut owner, vec![(id, Found::Ended(outcome))]);
    assert_eq!(owner.ended(), (AgentRunStatus::OutOfBudget, "its time limit is reached"));
    assert!(owner.run.labels.private);
    let completed = owner.events.iter().any(|event| {
        matches!(event, SessionEventBody::ToolFinished { status: ToolCallStatus::Completed, .. })
    });
    assert!(completed);
    let (mut unbegun, id) = running("acme__write");
    unbegun.run.used.wall_clock_ms = unbegun.run.budget.wall_clock_ms;
    assert!(resume(&mut unbegun, vec![(id, Found::NotBegun)]).iter().all(|effect| *effect == Effect::Abort));
    assert_eq!((unbegun.ended().0, unbegun.run.used.tool_calls), (AgentRunStatus::OutOfBudget, 0));
}
