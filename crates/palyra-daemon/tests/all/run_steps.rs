//! Host calls of a run, reasons of denials, profiles that remove grants, and runs over time.

use crate::channels::install_publisher;
use crate::daemon::Daemon;
use palyra_api::activity::ActivityQuery;
use palyra_api::plugins::{ProfileChange, ShrinkRequest};
use palyra_api::runs::{RefusedBy, RunFilter, RunSteps};
use palyra_api::tools::InvokeRequest;
use palyra_api::{ClientError, Problem};
use palyra_skills::consent::ConsentGiven;
use palyra_state::{InstallOptions, State};
use std::collections::BTreeSet;

/// Returns a module that publishes to a handle it was never given.
fn push() -> Vec<u8> {
    let request = r#"{"op":"channels.publish","handle":-1,"content_type":"text/plain","body_text":"x"}"#;
    let (text, length) = (request.replace('"', "\\\""), request.len());
    let module = format!(
        r#"(module
        (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
        (memory (export "memory") 1)
        (data (i32.const 0) "{text}")
        (func (export "palyra_plugin_main") (result i32)
            (drop (call $call (i32.const 0) (i32.const {length})))
            (i32.const 0)))"#
    );
    wat::parse_str(module).unwrap()
}

fn install_pusher(state: &State) {
    let manifest = r#"manifest_version = 1
skill_id = "acme.pusher"
name = "Pusher"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.pusher.push"
name = "Push"
description = "Publishes to a channel."
module = "modules/push.wasm"
input_schema = { type = "object" }
output_schema = { type = "object" }

[capabilities]
channels = ["alerts"]
"#;
    let (bytes, digest) = crate::guests::build(manifest, &[("modules/push.wasm".to_owned(), push())]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    state.skills().install(bytes, &options, "owner", &mut |_| {}).unwrap();
}

const ID: &str = "acme.speaker";
const TOOL: &str = "acme.speaker.say";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_come_from_the_tape_with_meters_against_the_limits() {
    let daemon = Daemon::start().await;
    install_publisher(daemon.state());
    let client = daemon.over_tcp();
    let run = client.invoke(TOOL, &InvokeRequest::default()).await.unwrap().run_id;
    let steps = client.run_steps(&run, None).await.unwrap();
    assert_eq!((steps.outcome.as_str(), steps.total, steps.next), ("ok", steps.steps.len() as u64, None));
    let published = steps.steps.iter().find(|step| step.op == "channels.publish").unwrap();
    assert_eq!((published.subject.as_str(), published.outcome.as_str()), ("alerts", "ok"));
    assert!(published.elapsed_us.is_some());
    let meter = |name: &str| steps.meters.iter().find(|meter| meter.limit == name).unwrap();
    for name in ["fuel", "memory", "timeout", "host_calls"] {
        assert!(meter(name).used <= meter(name).allowed && meter(name).allowed > 0, "{name}");
    }
    assert_eq!(meter("host_calls").used, 1);
    let rest = client.run_steps(&run, Some(published.number)).await.unwrap();
    assert_eq!((rest.steps.len() as u64, rest.total), (steps.total - published.number, steps.total));
    assert_eq!(problem(client.run_denial(&run).await).code.as_str(), "not_found");
    assert_eq!(problem(client.run_steps("run_0", None).await).code.as_str(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn meters_of_a_run_in_progress_grow_until_it_ends() {
    let daemon = Daemon::start().await;
    daemon.install(
        "long",
        "[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000\n",
    );
    let client = daemon.over_tcp();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.invoke("acme.long.spin", &InvokeRequest::default()).await }
    });
    let run = loop {
        if let Some(run) = client.runs(&RunFilter::default()).await.unwrap().runs.pop() {
            break run.run_id;
        }
    };
    let used = |steps: &RunSteps, name: &str| {
        let meter = steps.meters.iter().find(|meter| meter.limit == name).unwrap();
        assert!(meter.used <= meter.allowed, "{meter:?}");
        meter.used
    };
    let first = loop {
        let steps = client.run_steps(&run, None).await.unwrap();
        if used(&steps, "fuel") > 0 {
            break steps;
        }
    };
    assert_eq!((first.outcome.as_str(), first.total, first.meters.len()), ("started", 0, 5));
    let later = loop {
        let steps = client.run_steps(&run, None).await.unwrap();
        if used(&steps, "fuel") > used(&first, "fuel") {
            break steps;
        }
    };
    assert!(used(&later, "timeout") > used(&first, "timeout"));
    client.cancel_run(&run).await.unwrap();
    assert_eq!(problem(call.await.unwrap()).code.as_str(), "cancelled");
    let ended = client.run_steps(&run, None).await.unwrap();
    assert_eq!(ended.outcome, "cancelled");
    assert!(used(&ended, "fuel") >= used(&later, "fuel"));
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_run_names_the_grant_and_who_refused_it() {
    let daemon = Daemon::start().await;
    install_pusher(daemon.state());
    let client = daemon.over_tcp();
    let nothing = ProfileChange { only: true, ..ProfileChange::default() };
    client.set_profile("acme.pusher", &nothing).await.unwrap();
    for _ in 0..2 {
        let denied = problem(client.invoke("acme.pusher.push", &InvokeRequest::default()).await);
        assert_eq!(denied.code.as_str(), "capability_denied");
    }
    let runs = client.runs(&RunFilter::default()).await.unwrap().runs;
    let failure = client.run(&runs[0].run_id).await.unwrap().failure.unwrap();
    let refusal = failure.refusal.unwrap();
    assert_eq!((refusal.what.as_str(), refusal.by), ("channel", RefusedBy::Profile));
    assert!(failure.message.contains("is not granted"), "{}", failure.message);
    let why = client.run_denial(&runs[0].run_id).await.unwrap();
    assert_eq!((why.op.as_str(), why.denial.kind.as_str()), ("channels.publish", "channel"));
    assert_eq!(why.denial.grant.as_deref(), Some("channel:alerts"));
    assert_eq!(why.allows.as_deref(), Some("Publish messages to the channel `alerts`"));
    assert_eq!(why.allows.as_ref(), why.derivation.as_ref().map(|one| &one.text));
    assert!(why.requested && why.remedy.as_ref().unwrap().contains("profile set"), "{why:?}");
    assert_eq!((why.covers, why.denied_runs), (2, 2));
    let verdicts = why.derivation.unwrap().steps;
    assert_eq!(verdicts.len(), 3, "the profile refused it, and nobody after it was asked");
    let activity =
        client.activity(&ActivityQuery { buckets: Some(4), ..ActivityQuery::default() }).await.unwrap();
    assert_eq!(activity.buckets.len(), 4);
    let last = activity.buckets[3];
    assert_eq!((last.calls, last.failed, last.denied), (2, 2, 2));
    let other = ActivityQuery { skill_id: Some("acme.other".into()), ..ActivityQuery::default() };
    assert!(client.activity(&other).await.unwrap().buckets.iter().all(|bucket| bucket.calls == 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn shrinking_keeps_what_was_used_and_refuses_another_plan() {
    let daemon = Daemon::start().await;
    install_publisher(daemon.state());
    let client = daemon.over_tcp();
    let unused = client.shrink_plan(ID).await.unwrap();
    assert_eq!(
        (unused.keep.len(), unused.remove.clone(), unused.runs),
        (0, vec!["channel:alerts".to_owned()], 0)
    );
    client.invoke(TOOL, &InvokeRequest::default()).await.unwrap();
    let stale = ShrinkRequest { revision: unused.revision, remove: unused.remove };
    assert_eq!(problem(client.shrink(ID, &stale).await).code.as_str(), "consent_mismatch");
    let plan = client.shrink_plan(ID).await.unwrap();
    assert_eq!((plan.keep, plan.remove.len(), plan.runs), (vec!["channel:alerts".to_owned()], 0, 1));
    assert_eq!(plan.command, format!("palyra plugins profile set {ID} --only --grant 'channel:alerts'"));
    daemon.install("wide", "[capabilities]\nstorage_prefixes = [\"notes/\"]\n");
    let plan = client.shrink_plan("acme.wide").await.unwrap();
    let apply = ShrinkRequest { revision: plan.revision, remove: plan.remove };
    let profile = client.shrink("acme.wide", &apply).await.unwrap();
    assert_eq!(profile.grants, Some(Vec::new()));
    assert!(client.plugin_grants("acme.wide").await.unwrap().grants.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn components_and_key_history_are_read_from_what_is_stored() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let made_of = client.components("acme.bench").await.unwrap();
    assert_eq!((made_of.version.as_str(), made_of.modules.len()), ("1.0.0", 7));
    assert!(made_of.modules.iter().all(|module| module.sha256.len() == 64));
    assert_eq!(problem(client.components("acme.none").await).code.as_str(), "not_found");
    client.block_publisher("acme", "lost key").await.unwrap();
    let history = client.publisher_history("acme").await.unwrap().changes;
    let kinds: Vec<&str> = history.iter().map(|change| change.kind.as_str()).collect();
    assert_eq!(kinds, ["trust:blocked", "trust:pinned"]);
    assert_eq!(history[0].by.as_deref(), Some("owner"));
    assert!(client.publisher_history("nobody").await.unwrap().changes.is_empty());
}
