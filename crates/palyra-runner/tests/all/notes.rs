//! Reports of a call that waits for compilation, and the notes of its run.

use std::sync::Arc;
use std::time::Duration;

use palyra_common::{PluginCapabilityProfile, RuntimeLimits};
use palyra_runner::{CallerConfig, CodeState, RunListener, ToolCaller, ToolInvocation, stored_code_state};
use palyra_state::runs::{RefusedBy, RunQuery};
use palyra_testkit::{COUNTER, ECHO, Release};

use crate::calls::{World, caller_config, invocation};

fn caller_keeping_code(world: &World) -> ToolCaller {
    let config = CallerConfig { keep_compiled_code: true, ..caller_config() };
    ToolCaller::new(Arc::clone(&world.state), config).unwrap()
}

#[tokio::test]
async fn call_that_waits_for_code_says_so_and_how_long() {
    let world = World::new(&Release { wat: ECHO.into(), ..Release::default() });
    let caller = caller_keeping_code(&world);
    for first in [true, false] {
        let (listener, mut lines) = RunListener::new();
        let call = ToolInvocation { listener: Some(listener), ..invocation("acme.notes.add", r#"{"a":1}"#) };
        let result = caller.call(call).await.unwrap();
        assert_eq!(result.stages.compile > Duration::ZERO, first);
        assert_eq!(lines.try_recv().ok().as_deref(), first.then_some("compiling (first call only)"));
        assert_eq!(caller.code_state(&result.payload), CodeState::Ready);
    }
    let again = caller_keeping_code(&world);
    let result = again.call(invocation("acme.notes.add", r#"{"a":1}"#)).await.unwrap();
    assert_eq!(result.stages.compile, Duration::ZERO, "its code was on disk");
    assert_eq!(stored_code_state(&world.state, &result.payload), CodeState::Ready);
    std::fs::remove_dir_all(world.home.root.path().join("cache")).unwrap();
    assert_eq!(stored_code_state(&world.state, &result.payload), CodeState::NotCompiled);
}

#[tokio::test]
async fn failed_run_keeps_what_was_refused_and_by_what() {
    let tables = "[capabilities]\nstorage_prefixes = [\"counters/\"]";
    let world = World::new(&Release { wat: COUNTER.into(), tables, ..Release::default() });
    let profile = PluginCapabilityProfile::parse(["channel:other"]).unwrap();
    world.state.settings().set_profile("acme.notes", &profile, "owner").unwrap();
    world.call("acme.notes.add", "{}").await.unwrap_err();
    let failed = &world.state.runs().list(&RunQuery::default()).unwrap().runs[0];
    let notes = world.state.runs().notes(&failed.run_id).unwrap();
    let failure = notes.read_failure().unwrap();
    assert!(failure.message.contains("the profile does not include it"), "{failure:?}");
    let refusal = failure.refusal.unwrap();
    assert_eq!((refusal.what.as_str(), refusal.by), ("storage", RefusedBy::Profile));
    let over = Some(RuntimeLimits { fuel_budget: 10, ..RuntimeLimits::unbounded() });
    let call = ToolInvocation { limits: over, ..invocation("acme.notes.add", "{}") };
    caller_keeping_code(&world).call(call).await.unwrap_err();
    // Both may have started in the same millisecond, so the order of the list is undefined.
    let runs = world.state.runs().list(&RunQuery::default()).unwrap().runs;
    let over = runs.iter().find(|run| run.run_id != failed.run_id).unwrap();
    let failure = world.state.runs().notes(&over.run_id).unwrap().read_failure().unwrap();
    let refusal = failure.refusal.unwrap();
    assert_eq!((refusal.what.as_str(), refusal.target.as_str(), refusal.by), ("fuel", "10", RefusedBy::Call));
    assert!(world.state.runs().verify_records().unwrap().is_intact());
}

#[tokio::test]
async fn steps_have_times_that_no_digest_depends_on() {
    let tables = "[capabilities]\nstorage_prefixes = [\"counters/\"]";
    let world = World::new(&Release { wat: COUNTER.into(), tables, ..Release::default() });
    let result = world.call("acme.notes.add", "{}").await.unwrap();
    let steps: Vec<u64> = world
        .state
        .runs()
        .notes(&result.run_id)
        .unwrap()
        .step_times
        .iter()
        .map(|(number, _)| *number)
        .collect();
    let taped = world.state.runs().tape(&result.run_id).unwrap().steps;
    let calls = taped
        .iter()
        .zip(1_u64..)
        .filter(|(step, _)| step.op.starts_with("storage."))
        .map(|(_, number)| number);
    assert_eq!(steps, calls.collect::<Vec<_>>());
    let text = String::from_utf8(world.state.runs().tape_bytes(&result.run_id).unwrap().to_vec()).unwrap();
    assert!(!text.contains("elapsed"), "{text}");
}
