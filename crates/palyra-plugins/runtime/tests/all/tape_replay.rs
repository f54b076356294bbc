//! Promise 7: a tape replays to the same output, or the replay reports where and why it diverged.

use crate::harness::*;
use palyra_common::{RuntimeLimits, SecretValue};
use palyra_plugins_runtime::{
    Divergence, HostServices, Invocation, MemorySecrets, ReplayVerdict, RunReport, RuntimeConfig, Tape,
    WasmRuntime,
};
use serde_json::json;
use std::sync::Arc;

/// The same call again, from its tape.
pub(crate) fn replayed(report: &RunReport) -> Invocation {
    let tape = Arc::new(Tape::decode(&report.tape.encode()).unwrap());
    let header = tape.header.clone();
    Invocation {
        entry: header.entry,
        grants: header.grants,
        limits: header.limits,
        run_id: header.run_id,
        owner: header.owner,
        replay: Some(tape),
        ..call("t", header.input.as_str())
    }
}

fn diverged(report: &RunReport) -> &Divergence {
    match &report.replay {
        Some(ReplayVerdict::Diverged(divergence)) => divergence,
        other => panic!("{other:?}"),
    }
}

fn edited(invocation: &Invocation, edit: impl FnOnce(&mut Tape)) -> Invocation {
    let mut tape = (**invocation.replay.as_ref().unwrap()).clone();
    edit(&mut tape);
    Invocation { replay: Some(Arc::new(tape)), ..invocation.clone() }
}

const REMAINING: &str = r#"{"op":"run.remaining-milliseconds"}"#;

#[tokio::test]
async fn a_replay_gives_the_same_answer_without_the_outside_world() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let live = runtime.invoke(&module, call("t", REMAINING)).await;
    let again = runtime.invoke(&module, replayed(&live)).await;
    assert_eq!(again.replay, Some(ReplayVerdict::Identical));
    assert_eq!(output(&again), output(&live));
    assert_eq!(again.usage.fuel, live.usage.fuel);
}

#[tokio::test]
async fn handles_are_the_same_on_replay_and_storage_is_not_asked() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let find = granted(
        call("t", r#"{"op":"host-capabilities.find","kind":"storage","name":"a/"}"#),
        &["storage:a/"],
    );
    let live = runtime.invoke(&module, find).await;
    let elsewhere = crate::harness::runtime();
    let same = load(&elsewhere, &wat(&core(PASS_THROUGH))).await;
    let again = elsewhere.invoke(&same, replayed(&live)).await;
    assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), output(&live)));
}

#[tokio::test]
async fn a_changed_module_input_answer_or_end_is_the_first_diverging_step() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let live = runtime.invoke(&module, call("t", REMAINING)).await;
    let replay = replayed(&live);

    let other = load(&runtime, &wat(&core(ECHO))).await;
    let report = runtime.invoke(&other, replay.clone()).await;
    assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (0, "module"));

    let report = runtime.invoke(&module, Invocation { input: call("t", "{}").input, ..replay.clone() }).await;
    assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (0, "input"));

    // Seventeen milliseconds, bytes that are no reading, and a reading of another clock.
    for (answer, step, what) in [("BCI=", 2, "output"), ("BA==", 1, "answer"), ("AAA=", 1, "op")] {
        let report =
            runtime.invoke(&module, edited(&replay, |tape| tape.steps[0].answer = json!(answer))).await;
        assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (step, what), "{answer}");
    }
    let report =
        runtime.invoke(&module, edited(&replay, |tape| tape.steps[0].op = "clock.wall".into())).await;
    assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (1, "op"));

    let report = runtime.invoke(&module, edited(&replay, |tape| tape.steps.clear())).await;
    assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (1, "steps"));

    let twice = edited(&replay, |tape| tape.steps.push(tape.steps[0].clone()));
    let report = runtime.invoke(&module, twice).await;
    assert_eq!((diverged(&report).step, diverged(&report).what.as_str()), (2, "steps"));

    let report = runtime.invoke(&module, edited(&replay, |tape| tape.end.fuel += 1)).await;
    assert_eq!(diverged(&report).what, "fuel");
    let report = runtime
        .invoke(
            &module,
            edited(&replay, |tape| {
                tape.end.fuel += 1;
                tape.header.engine = "another engine".into();
            }),
        )
        .await;
    assert_eq!(report.replay, Some(ReplayVerdict::Identical), "another engine promises output only");
}

/// Version 1 has a step for each reading.
#[tokio::test]
async fn a_version_1_tape_replays() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let live = runtime.invoke(&module, call("t", REMAINING)).await;
    let milliseconds = output(&live)["ok"].clone();
    let mut tape = live.tape.clone();
    tape.header.schema = "palyra.tape/v1".into();
    tape.header.limits.max_tape_bytes = palyra_common::limits::NO_TAPE_LIMIT;
    tape.steps[0].op = "run.remaining_milliseconds".into();
    (tape.steps[0].request, tape.steps[0].answer) = (json!(null), milliseconds);
    let tape = Tape::decode(&tape.encode()).unwrap();
    let again =
        runtime.invoke(&module, Invocation { replay: Some(Arc::new(tape)), ..call("t", REMAINING) }).await;
    assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), output(&live)));
}

#[tokio::test]
async fn a_run_ended_by_time_replays_to_the_same_prefix() {
    let runtime = runtime();
    let body = PASS_THROUGH.replace("(drop (call $output_write", "(loop (br 0)) (drop (call $output_write");
    let module = load(&runtime, &wat(&core(&body))).await;
    let limits =
        RuntimeLimits { fuel_budget: u64::MAX >> 1, wall_clock_timeout_ms: 50, ..RuntimeLimits::default() };
    let live = runtime.invoke(&module, Invocation { limits, ..call("t", REMAINING) }).await;
    assert_eq!(kind(&live), "timed_out");
    let again = runtime.invoke(&module, replayed(&live)).await;
    assert_eq!(again.replay, Some(ReplayVerdict::SamePrefix));
}

#[tokio::test]
async fn a_denied_run_replays_to_the_same_denial() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    let live = runtime.invoke(&module, call("t", r#"{"op":"storage.get","handle":5,"key":"k"}"#)).await;
    let again = runtime.invoke(&module, replayed(&live)).await;
    assert_eq!((again.replay.clone(), error(&again)), (Some(ReplayVerdict::Identical), error(&live)));
}

fn with_secret(value: Option<&str>) -> WasmRuntime {
    let secrets: MemorySecrets =
        value.map(|value| ("global/pin".parse().unwrap(), SecretValue::new(value))).into_iter().collect();
    let services = HostServices { secrets: Arc::new(secrets), ..HostServices::default() };
    WasmRuntime::new(RuntimeConfig { services, ..config() }).unwrap()
}

#[tokio::test]
async fn a_revealed_secret_replays_only_where_the_value_is_kept() {
    let bytes = wat(&two_calls());
    let find = r#"{"op":"host-capabilities.find","kind":"secret","name":"pin"}"#;
    let input = json!([find, r#"{"op":"secrets.reveal","handle":HHHHHHHHHH}"#]).to_string();
    let here = with_secret(Some("1234567"));
    let module = load(&here, &bytes).await;
    let live = here.invoke(&module, granted(call("t", &input), &["secret:global/pin reveal"])).await;
    assert_eq!(
        live.host_calls.last().map(|call| (call.op, call.outcome)),
        Some(("secrets.reveal", "ok")),
        "{:?}",
        live.host_calls
    );
    assert_eq!(here.invoke(&module, replayed(&live)).await.replay, Some(ReplayVerdict::Identical));
    for (value, found) in [(Some("7654321"), "another value"), (None, "no such secret")] {
        let elsewhere = with_secret(value);
        let module = load(&elsewhere, &bytes).await;
        let report = elsewhere.invoke(&module, replayed(&live)).await;
        assert_eq!((diverged(&report).what.as_str(), diverged(&report).found.as_str()), ("secret", found));
    }
}
