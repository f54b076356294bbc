//! Runs: what they leave behind, how they end early, how they are shown to others and done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palyra_common::{WasmPluginRunError, WasmPluginRunErrorKind as Kind, WasmPluginRunnerPolicy};
use palyra_journal::{CheckpointSigner, EventKind};
use palyra_plugins_runtime::{CancelToken, ReplayVerdict};
use palyra_runner::{CallError, CallerConfig, ToolCaller, ToolInvocation, ToolResult};
use palyra_skills::trust::RevocationTarget;
use palyra_state::runs::{RunQuery, RunRetention, RunUpdate, RunningRun};
use palyra_state::{RunReceiptError, decide_approval, verify_receipt};
use palyra_testkit::{COUNTER, Release, counting_to, install, one_operation, signing_key, update};
use tokio::task::JoinHandle;

use crate::calls::{World, caller, caller_config, failure, invocation};

const TOOL: &str = "acme.notes.add";
const MUCH_FUEL: &str =
    "[capabilities.quotas]\nfuel_budget = 400000000000000\nwall_clock_timeout_ms = 120000";
const STORAGE: &str = "[capabilities]\nstorage_prefixes = [\"counters/\"]";

/// Returns a world with a skill whose calls loop this many times.
fn slow(turns: u64) -> Arc<World> {
    let release = Release { wat: counting_to(turns), tables: MUCH_FUEL, ..Release::default() };
    Arc::new(World::new(&release))
}

fn counter() -> World {
    World::new(&Release { wat: COUNTER.into(), tables: STORAGE, ..Release::default() })
}

/// Starts a call and waits until it is in the list of running ones.
async fn under_way(world: &Arc<World>) -> (JoinHandle<Result<ToolResult, CallError>>, RunningRun) {
    under_way_besides(world, "").await
}

/// Does the same while the run `other` is in progress.
async fn under_way_besides(
    world: &Arc<World>,
    other: &str,
) -> (JoinHandle<Result<ToolResult, CallError>>, RunningRun) {
    let calling = Arc::clone(world);
    let call = tokio::spawn(async move { calling.caller.call(invocation(TOOL, "{}")).await });
    let is_started =
        |run: &RunningRun| run.run_id != other && world.state.runs().get(&run.run_id).unwrap().is_some();
    loop {
        match world.state.runs().running().into_iter().find(is_started) {
            Some(run) => return (call, run),
            None => tokio::task::yield_now().await,
        }
    }
}

const FOR_EVER: u64 = u64::MAX >> 2;

async fn check_ended(
    world: &World,
    call: JoinHandle<Result<ToolResult, CallError>>,
    run: &RunningRun,
    why: &str,
) {
    assert_eq!(failure(call.await.unwrap()).kind(), Kind::Cancelled, "{why}");
    let row = world.state.runs().get(&run.run_id).unwrap().unwrap();
    assert_eq!((row.status.as_str(), row.error.as_deref()), ("cancelled", Some("cancelled")), "{why}");
    let leaves = world.events(EventKind::RunFailed);
    assert_eq!((leaves.len(), leaves[0].event.details["ended_by"].as_str()), (1, Some(why)));
    assert!(world.state.runs().running().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g18_quarantine_disable_and_remove_cancel_running_calls() {
    for why in ["quarantined", "disabled", "removed"] {
        let world = slow(FOR_EVER);
        let (call, run) = under_way(&world).await;
        match why {
            "quarantined" => world.state.skills().quarantine("acme.notes", "it looks odd", "owner").unwrap(),
            "disabled" => world.state.skills().disable("acme.notes", "later", "owner").unwrap(),
            _ => world.state.skills().remove("acme.notes", "owner").unwrap(),
        }
        check_ended(&world, call, &run, why).await;
        let next = failure(world.call(TOOL, "{}").await);
        assert_eq!(next.kind(), if why == "removed" { Kind::NotFound } else { Kind::NotRunnable }, "{next}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i05_t10_revocation_cancels_running_calls() {
    let key = || RevocationTarget::Key(signing_key(1).public().key_id());
    let world = slow(FOR_EVER);
    let payload = world.state.view().index().get("acme.notes").unwrap().current.payload;
    for (target, why) in [(key(), "quarantined"), (RevocationTarget::Payload(payload), "revoked")] {
        let world = slow(FOR_EVER);
        let (call, run) = under_way(&world).await;
        world.state.trust().revoke(target, "stolen", "owner").unwrap();
        check_ended(&world, call, &run, why).await;
        assert_eq!(failure(world.call(TOOL, "{}").await).kind(), Kind::NotRunnable);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g18_running_call_finishes_on_old_release_after_update() {
    let world = slow(600_000_000);
    let old = world.state.view().index().get("acme.notes").unwrap().current.payload;
    let (call, run) = under_way(&world).await;
    let next = Release { number: 2, tables: MUCH_FUEL, ..Release::default() }.build();
    update(&world.state, &next);
    let new = world.state.view().index().get("acme.notes").unwrap().current.payload;
    assert_ne!(old, new);
    let result = call.await.unwrap().unwrap();
    assert_eq!((result.run_id.as_str(), result.payload), (run.run_id.as_str(), old));
    assert_eq!(world.call(TOOL, "{}").await.unwrap().payload, new);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_cancelled_by_its_id_and_followed_to_its_end() {
    let world = slow(FOR_EVER);
    assert!(!world.state.runs().cancel("run_x"));
    let (call, run) = under_way(&world).await;
    let mut updates = world.state.runs().follow(&run.run_id, None).unwrap();
    assert!(world.state.runs().cancel(&run.run_id));
    check_ended(&world, call, &run, "operator").await;
    assert_eq!(updates.next().await.unwrap(), RunUpdate::Finished { status: "cancelled".into() });
    assert!(world.state.runs().follow(&run.run_id, None).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_caller_goes_away_is_closed_with_a_leaf() {
    let world = slow(FOR_EVER);
    let mut journal = world.state.journal().follow();
    let (call, run) = under_way(&world).await;
    call.abort();
    while world.events(EventKind::RunFailed).is_empty() {
        journal.next().await.unwrap();
    }
    let row = world.state.runs().get(&run.run_id).unwrap().unwrap();
    assert_eq!((row.status.as_str(), row.receipt_leaf.is_some()), ("interrupted", true));
    assert_eq!(world.events(EventKind::RunFailed)[0].event.details["why"], "caller_left");
}

#[tokio::test]
async fn a_run_left_by_a_dead_owner_is_closed_once() {
    let World { home, state, caller } = World::new(&Release::default());
    drop((caller, state));
    home.sql(
        "INSERT INTO runs (run_id, skill_id, tool_id, payload, status, started_at)
         VALUES ('run_1', 'acme.notes', 'acme.notes.add', 'x', 'started', 1)",
    );
    for _ in 0..2 {
        let state = home.open();
        let row = state.runs().get("run_1").unwrap().unwrap();
        assert_eq!((row.status.as_str(), row.error.as_deref()), ("interrupted", Some("interrupted")));
        let query = palyra_journal::Query { run: Some("run_1".into()), ..Default::default() };
        assert_eq!(state.journal().query(&query).unwrap().events.len(), 1);
        let receipt = serde_json::to_vec(&state.runs().receipt("run_1").unwrap()).unwrap();
        assert!(!verify_receipt(&receipt, None).unwrap().completed);
        state.close().unwrap();
    }
}

#[tokio::test]
async fn a_receipt_is_checked_without_the_state() {
    let world = counter();
    let first = world.call(TOOL, r#"{"step":5}"#).await.unwrap();
    world.call(TOOL, "{}").await.unwrap();
    let receipt = world.state.runs().receipt(&first.run_id).unwrap();
    let key = world.state.journal().key().unwrap().clone();
    drop(world);
    let bytes = serde_json::to_vec(&receipt).unwrap();
    let shown = verify_receipt(&bytes, Some(&key)).unwrap();
    assert!(shown.completed && shown.run_id == first.run_id && shown.sequence == first.receipt.sequence);
    assert_eq!((shown.skill_id.as_str(), shown.tool_id.as_str()), ("acme.notes", TOOL));
    assert_eq!(shown.details["capabilities"]["storage:counters/"]["used"], 2);
    let tape = palyra_skills::Sha256Digest::of(&first.tape.encode()).to_string();
    assert_eq!(shown.details["tape_sha256"], tape.as_str());
    // Every change of the receipt is detected.
    let other = CheckpointSigner::from_seed("elsewhere", &[9; 32]).unwrap();
    assert!(matches!(verify_receipt(&bytes, Some(other.key())), Err(RunReceiptError::OtherKey { .. })));
    let text = String::from_utf8(bytes).unwrap();
    for (from, to) in [
        ("\\\"used\\\":2", "\\\"used\\\":1"),
        (first.run_id.as_str(), "run_000000000000"),
        ("\"run_id\"", "\"run\""),
        ("receipt/v1", "receipt/v2"),
    ] {
        let forged = text.replace(from, to);
        assert_ne!(forged, text, "{from}");
        assert!(verify_receipt(forged.as_bytes(), Some(&key)).is_err(), "{from}");
    }
    assert!(verify_receipt(&vec![b' '; 64 << 20], None).is_err());
}

#[tokio::test]
async fn a_stored_run_replays_to_the_same_output_and_touches_nothing() {
    let world = counter();
    let first = world.call(TOOL, r#"{"step":5}"#).await.unwrap();
    world.call(TOOL, r#"{"step":5}"#).await.unwrap();
    assert_eq!(world.state.runs().tape(&first.run_id).unwrap(), first.tape);
    for _ in 0..2 {
        let again = world.caller.replay(&first.run_id, CancelToken::default()).await.unwrap();
        assert_eq!(again.verdict, ReplayVerdict::Identical);
        assert_eq!(again.output.unwrap(), first.output);
    }
    assert_eq!(world.call(TOOL, r#"{"step":5}"#).await.unwrap().output.as_str(), r#"{"count":15}"#);
    // Replays after an update use the release that ran.
    let next = Release { number: 2, tables: STORAGE, ..Release::default() }.build();
    update(&world.state, &next);
    let again = world.caller.replay(&first.run_id, CancelToken::default()).await.unwrap();
    assert_eq!(again.verdict, ReplayVerdict::Identical);
    world.state.skills().quarantine("acme.notes", "odd", "owner").unwrap();
    match world.caller.replay(&first.run_id, CancelToken::default()).await {
        Err(CallError::Run(WasmPluginRunError::NotRunnable { .. })) => {}
        other => panic!("{other:?}"),
    }
    match world.caller.replay("run_x", CancelToken::default()).await {
        Err(CallError::Run(WasmPluginRunError::NotFound { what, .. })) => assert_eq!(what, "run"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn changed_tape_fails_verification() {
    let world = counter();
    let run = world.call(TOOL, "{}").await.unwrap();
    let sql = |text: &str| {
        rusqlite::Connection::open(world.state.root().database()).unwrap().execute(text, []).unwrap()
    };
    let change = "UPDATE run_tapes
        SET bytes = CAST(replace(CAST(bytes AS TEXT), 'counters/', 'countess/') AS BLOB)";
    assert_eq!(sql(change), 1, "a small tape is beside its receipt");
    assert_eq!(world.state.runs().tape(&run.run_id).unwrap_err().code().as_str(), "tape_damaged");
    assert!(world.caller.replay(&run.run_id, CancelToken::default()).await.is_err());
    assert_eq!(sql("DELETE FROM run_tapes"), 1);
    assert_eq!(world.state.runs().tape(&run.run_id).unwrap_err().code().as_str(), "not_found");
}

#[tokio::test]
async fn changed_spooled_tape_fails_verification() {
    let world = counter();
    let input = format!("{{\"note\": \"{}\"}}", "x".repeat(9 << 10));
    let run = world.call(TOOL, &input).await.unwrap();
    world.state.runs().tape(&run.run_id).unwrap();
    let folder = world.state.root().tapes();
    let shard = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(shard).unwrap().next().unwrap().unwrap().path();
    let other = std::fs::read_to_string(&file).unwrap().replace("counters/", "countess/");
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, other).unwrap();
    assert_eq!(world.state.runs().tape(&run.run_id).unwrap_err().code().as_str(), "tape_damaged");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(world.state.runs().tape(&run.run_id).unwrap_err().code().as_str(), "not_found");
}

#[tokio::test]
async fn runs_are_listed_by_page_and_filter() {
    let world = counter();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(world.call(TOOL, "{}").await.unwrap().run_id);
    }
    ids.sort();
    ids.reverse();
    let mut seen = Vec::new();
    let mut query = RunQuery { limit: 2, skill_id: Some("acme.notes".into()), ..RunQuery::default() };
    loop {
        let page = world.state.runs().list(&query).unwrap();
        seen.extend(page.runs.into_iter().map(|run| run.run_id));
        match page.next {
            Some(next) => query.before = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, ids);
    let count = |query: RunQuery| world.state.runs().list(&query).unwrap().runs.len();
    for (query, wanted) in [
        (RunQuery { tool_id: Some(TOOL.into()), ..RunQuery::default() }, 5),
        (RunQuery { tool_id: Some("acme.notes.wipe".into()), ..RunQuery::default() }, 0),
        (RunQuery { status: Some("completed".into()), ..RunQuery::default() }, 5),
        (RunQuery { status: Some("failed".into()), ..RunQuery::default() }, 0),
        (RunQuery { since_ms: Some(1_700_000_000_000), ..RunQuery::default() }, 5),
        (RunQuery { until_ms: Some(1_700_000_000_000), ..RunQuery::default() }, 0),
        (RunQuery { since_ms: Some(u64::MAX), ..RunQuery::default() }, 0),
        (RunQuery { until_ms: Some(u64::MAX), ..RunQuery::default() }, 5),
    ] {
        assert_eq!(count(query.clone()), wanted, "{query:?}");
    }
}

#[tokio::test]
async fn nothing_is_replayed_where_nothing_runs() {
    let world = counter();
    let run = world.call(TOOL, "{}").await.unwrap();
    let policy = WasmPluginRunnerPolicy { enabled: false, ..Default::default() };
    world.state.settings().set_runner_policy(&policy, "owner").unwrap();
    match world.caller.replay(&run.run_id, CancelToken::default()).await {
        Err(CallError::Run(WasmPluginRunError::Disabled { .. })) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn old_tapes_and_lines_go_and_receipts_stay() {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    let time = Arc::new(AtomicU64::new(1_700_000_000_000));
    let tables = "[capabilities]\nchannels = [\"alerts\"]";
    let rest = r#","content_type":"text/plain","body_text":"milk"}"#;
    let wat = one_operation("channel-handle", r#"{"op":"channels.publish","handle":"#, rest);
    let world = World::with_clock(&Release { wat, tables, ..Release::default() }, Arc::clone(&time));
    let old = world.call(TOOL, "{}").await.unwrap().run_id;
    assert_eq!(world.state.runs().trim().unwrap().runs, 0);
    time.fetch_add(31 * DAY, Ordering::SeqCst);
    let new = world.call(TOOL, "{}").await.unwrap().run_id;
    let trimmed = world.state.runs().trim().unwrap();
    assert_eq!((trimmed.runs, trimmed.tapes), (1, 1));
    assert!(world.state.runs().events(&old).unwrap().is_empty());
    assert_eq!(world.state.runs().tape(&old).unwrap_err().code().as_str(), "not_found");
    let receipt = serde_json::to_vec(&world.state.runs().receipt(&old).unwrap()).unwrap();
    assert!(verify_receipt(&receipt, None).unwrap().completed);
    assert!(world.state.runs().tape(&new).is_ok() && !world.state.runs().events(&new).unwrap().is_empty());
    world
        .state
        .runs()
        .set_retention(&RunRetention { max_runs: 0, max_age_days: 1, ..RunRetention::default() }, "owner")
        .unwrap();
    assert_eq!(world.state.runs().trim().unwrap().runs, 1);
    assert!(world.state.runs().tape(&new).is_err());
}

#[tokio::test]
async fn oldest_tapes_go_when_all_take_more_than_their_quota() {
    let time = Arc::new(AtomicU64::new(1_700_000_000_000));
    let world = World::with_clock(&Release::default(), Arc::clone(&time));
    let quota = 70_000;
    let retention = RunRetention { max_tape_store_bytes: quota, ..RunRetention::default() };
    world.state.runs().set_retention(&retention, "owner").unwrap();
    // A tape has its input, so each of these is a spooled object of twenty kilobytes.
    let input = format!(r#"{{"text":"{}"}}"#, "x".repeat(20_000));
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(world.call(TOOL, &input).await.unwrap().run_id);
        // Runs are ordered by the time in their ids.
        time.fetch_add(1_000, Ordering::SeqCst);
        let folder = world.state.root().tapes();
        let shards = std::fs::read_dir(folder).unwrap().map(|shard| shard.unwrap().path());
        let files = shards.flat_map(|shard| std::fs::read_dir(shard).unwrap());
        let total: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(total <= quota, "{total}");
    }
    let kept: Vec<bool> = runs.iter().map(|run_id| world.state.runs().tape(run_id).is_ok()).collect();
    assert!(kept.is_sorted() && !kept[0] && kept[4] && kept[5], "the oldest go first: {kept:?}");
    assert_eq!(world.state.runs().tape(&runs[0]).unwrap_err().code().as_str(), "not_found");
    let receipt = serde_json::to_vec(&world.state.runs().receipt(&runs[0]).unwrap()).unwrap();
    assert!(verify_receipt(&receipt, None).unwrap().completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_ends_after_later_ones_were_trimmed_is_trimmed_as_well() {
    let world = slow(FOR_EVER);
    world
        .state
        .runs()
        .set_retention(&RunRetention { max_runs: 0, max_age_days: 1, ..RunRetention::default() }, "owner")
        .unwrap();
    let (first, long) = under_way(&world).await;
    let (second, short) = under_way_besides(&world, &long.run_id).await;
    let kept = |run: &RunningRun| world.state.runs().tape(&run.run_id).is_ok();
    assert_eq!(world.state.runs().trim().unwrap().runs, 0);
    for (call, run) in [(second, &short), (first, &long)] {
        assert!(world.state.runs().cancel(&run.run_id));
        assert_eq!(failure(call.await.unwrap()).kind(), Kind::Cancelled);
        assert!(kept(run));
        assert_eq!(world.state.runs().trim().unwrap().runs, 1);
        assert!(!kept(run));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_skill_cannot_take_all_the_room() {
    let World { home, state, caller: _ } =
        World::new(&Release { wat: counting_to(FOR_EVER), tables: MUCH_FUEL, ..Release::default() });
    install(&state, &Release { skill: "mail", tool: "acme.mail.send", ..Release::default() }.build());
    let config = CallerConfig { queue_time: Duration::from_millis(50), ..caller_config() };
    let room = ToolCaller::new(Arc::clone(&state), config).unwrap();
    let world = Arc::new(World { home, state, caller: room });
    let mut calls = Vec::new();
    for _ in 0..6 {
        let world = Arc::clone(&world);
        calls.push(tokio::spawn(async move { world.caller.call(invocation(TOOL, "{}")).await }));
    }
    while world.state.runs().running().len() < 6 {
        tokio::task::yield_now().await;
    }
    assert_eq!(failure(world.call(TOOL, "{}").await).kind(), Kind::Busy);
    world.call("acme.mail.send", "{}").await.unwrap();
    assert_eq!(world.events(EventKind::RunRefused)[0].event.details["error"], "busy");
    world.state.runs().running().iter().for_each(|run| assert!(world.state.runs().cancel(&run.run_id)));
    for call in calls {
        assert_eq!(failure(call.await.unwrap()).kind(), Kind::Cancelled);
    }
}

#[tokio::test]
async fn reports_say_what_was_declared_used_and_touched() {
    let tables = "[capabilities]\nstorage_prefixes = [\"counters/\", \"spare/\"]\nchannels = [\"alerts\"]";
    let world = World::new(&Release { wat: COUNTER.into(), tables, ..Release::default() });
    let first = world.call(TOOL, "{}").await.unwrap().run_id;
    let last = world.call(TOOL, "{}").await.unwrap().run_id;
    let report = palyra_runner::declared_versus_used(&world.state, "acme.notes").unwrap();
    let used = |name: &str| report.declared.iter().find(|door| door.capability == name).unwrap().used;
    assert_eq!((used("storage:counters/"), used("storage:spare/"), used("channel:alerts")), (4, 0, 0));
    assert!(report.undeclared.is_empty());
    let radius = world.state.runs().blast_radius("acme.notes").unwrap();
    let touch = &radius.key_prefixes[0];
    assert_eq!((touch.subject.as_str(), touch.uses), ("counters/", 4));
    assert_eq!((&touch.first_run, &touch.last_run), (&first, &last));
    assert!(radius.hosts.is_empty() && radius.secrets.is_empty() && !radius.more);
    assert_eq!((radius.totals.completed, radius.runs.len()), (2, 2));
    // The record of touched resources survives the removal of the skill.
    world.state.skills().remove("acme.notes", "owner").unwrap();
    assert_eq!(world.state.runs().blast_radius("acme.notes").unwrap().key_prefixes.len(), 1);
}

#[tokio::test]
async fn a_call_that_finds_no_room_keeps_its_yes() {
    let World { home, state, caller: _ } =
        World::new(&Release { risk: "risk = { requires_approval = true }", ..Release::default() });
    let world = World { home, caller: caller(&state), state };
    let call = ToolInvocation { principal: crate::calls::holder("agent"), ..invocation(TOOL, "{}") };
    let asked = match failure(world.caller.call(call.clone()).await) {
        WasmPluginRunError::ApprovalRequired { approval_id, .. } => approval_id,
        other => panic!("{other}"),
    };
    let verdict = palyra_state::ApprovalVerdict::Approve(palyra_state::ApprovalScope::Once);
    let decision = palyra_state::ApprovalDecision {
        verdict,
        decider: crate::calls::holder("other"),
        presence: palyra_state::Presence::Unknown,
        reason: None,
        arguments_sha256: None,
    };
    decide_approval(&world.state, &asked, decision).await.unwrap();
    let cancel = palyra_plugins_runtime::CancelToken::default();
    cancel.cancel();
    let cancelled = ToolInvocation { cancel: Some(cancel), ..call.clone() };
    assert_eq!(failure(world.caller.call(cancelled).await).kind(), Kind::Cancelled);
    world.caller.call(call).await.unwrap();
}
