//! Routines and objectives over the API, and the scheduler with a clock that the test sets.

use crate::daemon::Daemon;
use async_trait::async_trait;
use palyra_api::approvals::{ApprovalQuery, ApprovalStatus, ApproveRequest};
use palyra_api::objectives::{ObjectiveRequest, ObjectiveState};
use palyra_api::policy::PolicyChange;
use palyra_api::routines::{Concurrency, Fire, Misfire, RoutineRequest};
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use palyra_control_plane::{Clock, RE_AUDIT};
use palyra_daemon::routines::schedule;
use palyra_journal::{EventKind, Query, RecordedEvent};
use palyra_policy::DEFAULT_POLICY;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

const ECHO: &str = "acme.bench.echo";

pub(crate) fn request(name: &str, tool: &str, input: &str) -> RoutineRequest {
    RoutineRequest {
        name: name.into(),
        tool: Some(tool.into()),
        input: Some(RawValue::from_string(input.into()).unwrap()),
        every: Some("1h".into()),
        wait_approval_seconds: Some(0),
        ..RoutineRequest::default()
    }
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn events(daemon: &Daemon, kind: EventKind) -> Vec<RecordedEvent> {
    let query = Query { kinds: vec![kind], limit: 1_000, ..Query::default() };
    daemon.state().journal().query(&query).unwrap().events
}

/// The daemon's clock, which notifies the test of waiting tasks.
struct HandClock {
    ms: Arc<AtomicU64>,
    moved: Notify,
    waits: Notify,
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(i64::try_from(self.ms.load(Ordering::SeqCst)).unwrap()).unwrap()
    }

    async fn until(&self, at: jiff::Timestamp) {
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            self.waits.notify_one();
            if self.now() >= at {
                return;
            }
            moved.await;
        }
    }
}

/// A daemon with its scheduler.
struct Scheduled {
    daemon: Daemon,
    clock: Arc<HandClock>,
    task: JoinHandle<()>,
}

impl Scheduled {
    async fn start() -> Self {
        let daemon = Daemon::with_bench().await;
        let clock = HandClock { ms: Arc::clone(daemon.clock()), moved: Notify::new(), waits: Notify::new() };
        let clock = Arc::new(clock);
        let task = tokio::spawn(schedule(Arc::clone(&daemon.app), Arc::clone(&clock) as Arc<dyn Clock>));
        clock.waits.notified().await;
        Self { daemon, clock, task }
    }

    fn advance(&self, ms: u64) {
        self.daemon.advance(ms);
        self.clock.moved.notify_waiters();
    }

    /// Returns the fires of a routine once this many have ended.
    async fn ended(&self, name: &str, count: usize) -> Vec<Fire> {
        let mut follower = self.daemon.state().journal().follow();
        loop {
            let fires = self.daemon.in_process().fires(name, None, None).await.unwrap().fires;
            if fires.iter().filter(|fire| fire.status != "running").count() >= count {
                return fires;
            }
            follower.next().await.unwrap();
        }
    }

    async fn stop(self) {
        self.daemon.app.begin_stop();
        self.task.await.unwrap();
        self.daemon.stop_and_reopen().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_called_once_in_a_name_of_its_own() {
    let scheduled = Scheduled::start().await;
    let client = scheduled.daemon.in_process();
    let added = client.add_routine(&request("pulse", ECHO, r#"{"n": 1}"#)).await.unwrap();
    assert_eq!(added.next_ms.len(), 5);
    assert_eq!(added.next_ms[1] - added.next_ms[0], 3_600_000);
    scheduled.clock.waits.notified().await;
    scheduled.advance(3_600_000);
    let fires = scheduled.ended("pulse", 1).await;
    let fire = &fires[0];
    assert_eq!((fires.len(), fire.status.as_str(), fire.cause.as_str()), (1, "completed", "schedule"));
    assert_eq!((fire.due_ms, fire.late_ms), (added.next_ms[0], 0));
    let run = client.run(fire.run_id.as_deref().unwrap()).await.unwrap();
    assert_eq!(run.run.principal.as_deref(), Some("routine:pulse"));
    assert_eq!(fire.fuel, run.details["fuel"].as_u64());
    let fired = events(&scheduled.daemon, EventKind::RoutineFired);
    assert_eq!((fired.len(), fired[0].event.actor.as_deref()), (1, Some("routine:pulse")));
    assert_eq!(fired[0].event.details["due_ms"], added.next_ms[0]);
    assert!(fired[0].leaf.sequence < run.run.receipt_leaf.unwrap(), "recorded before it happens");
    // A disabled definition is no longer due.
    assert!(client.disable_routine("pulse").await.unwrap().next_ms.is_empty());
    scheduled.advance(36_000_000);
    assert!(!client.enable_routine("pulse").await.unwrap().next_ms.is_empty());
    assert_eq!(client.fires("pulse", None, None).await.unwrap().fires.len(), 1, "nothing is made up for");
    drop(client);
    scheduled.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_was_away_makes_up_for_what_its_routine_says() {
    let scheduled = Scheduled::start().await;
    let client = scheduled.daemon.in_process();
    let catch_up = RoutineRequest {
        misfire: Misfire::CatchUp,
        catch_up: Some(3),
        concurrency: Concurrency::Queue,
        ..request("late", ECHO, "{}")
    };
    client.add_routine(&catch_up).await.unwrap();
    client.add_routine(&request("never-late", ECHO, "{}")).await.unwrap();
    scheduled.clock.waits.notified().await;
    scheduled.advance(10 * 3_600_000 + 1_800_000);
    let fires = scheduled.ended("late", 4).await;
    let statuses: Vec<&str> = fires.iter().map(|fire| fire.status.as_str()).collect();
    assert_eq!(statuses, ["completed", "completed", "completed", "skipped"]);
    assert_eq!(fires[0].late_ms, 1_800_000);
    let skipped = scheduled.ended("never-late", 1).await;
    assert_eq!((skipped.len(), skipped[0].reason.as_deref()), (1, Some("missed")));
    drop(client);
    scheduled.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_needs_a_person_asks_and_waits() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_socket();
    let asking =
        RoutineRequest { wait_approval_seconds: None, ..request("ask", "acme.bench.ask", r#"{"n": 7}"#) };
    client.add_routine(&asking).await.unwrap();
    let firing = client.clone();
    let fire = tokio::spawn(async move { firing.fire_routine("ask").await });
    let pending = ApprovalQuery { status: Some(ApprovalStatus::Pending), ..ApprovalQuery::default() };
    let id = loop {
        let listed = client.approvals(&pending).await.unwrap().approvals;
        if let Some(first) = listed.first() {
            assert_eq!((first.principal.as_str(), first.arguments.as_str()), ("routine:ask", r#"{"n":7}"#));
            break first.approval_id.clone();
        }
    };
    assert_eq!(client.routine("ask").await.unwrap().under_way, 1);
    // The owner created the routine and is its requester, so only the owner in person can decide.
    assert_eq!(problem(client.approve(&id, &ApproveRequest::default()).await).code.as_str(), "forbidden");
    let in_person = ApproveRequest { owner_present: true, ..ApproveRequest::default() };
    client.approve(&id, &in_person).await.unwrap();
    assert_eq!(fire.await.unwrap().unwrap().status, "completed");
    assert_eq!(client.approval(&id).await.unwrap().status, ApprovalStatus::Used);
    // Another fire needs another approval; without a wait it fails with `approval_required`.
    let at_once = RoutineRequest { replace: true, ..request("ask", "acme.bench.ask", r#"{"n": 7}"#) };
    client.add_routine(&at_once).await.unwrap();
    let refused = client.fire_routine("ask").await.unwrap();
    assert_eq!((refused.status.as_str(), refused.error.as_deref()), ("failed", Some("approval_required")));
}

#[tokio::test(flavor = "multi_thread")]
async fn routine_cannot_call_tool_its_creator_cannot_call() {
    let daemon = Daemon::with_bench().await;
    let owner = daemon.in_process();
    let operator = daemon.over_tcp_as(&daemon.token_with("operator", &[Scope::Read, Scope::Operate]));
    let refused = problem(operator.add_routine(&request("r", ECHO, "{}")).await);
    assert_eq!((refused.code.as_str(), refused.details["scope"].as_str()), ("forbidden", Some("invoke")));
    let both = daemon.over_tcp_as(&daemon.token_with("both", &[Scope::Read, Scope::Operate, Scope::Invoke]));
    both.add_routine(&request("r", ECHO, "{}")).await.unwrap();
    // A policy about routines applies to this one, regardless of its creator.
    let rule = "@id(\"no-routines\") @advice(\"not at night\")\n\
        forbid (principal == Principal::\"routine/r\", action == Action::\"invoke\", resource);";
    owner.set_policy(&PolicyChange { text: format!("{DEFAULT_POLICY}\n{rule}\n") }).await.unwrap();
    let fire = owner.fire_routine("r").await.unwrap();
    assert_eq!((fire.status.as_str(), fire.error.as_deref()), ("failed", Some("forbidden")));
    assert!(fire.message.unwrap().contains("no-routines"));
    let rule = rule.replace("Principal::\"routine/r\"", "Principal::\"token/both\"");
    owner.set_policy(&PolicyChange { text: format!("{DEFAULT_POLICY}\n{rule}\n") }).await.unwrap();
    assert_eq!(problem(both.add_routine(&request("s", ECHO, "{}")).await).code.as_str(), "forbidden");
    // The routine may not call a tool that its creator may no longer call, regardless of who fires it.
    let fire = owner.fire_routine("r").await.unwrap();
    assert_eq!((fire.status.as_str(), fire.error.as_deref()), ("failed", Some("forbidden")));
}

#[tokio::test(flavor = "multi_thread")]
async fn objectives_bound_what_their_routines_use() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let budget = |name: &str, runs, fuel| ObjectiveRequest {
        name: name.into(),
        goal: "keep it going".into(),
        max_runs: runs,
        max_fuel: fuel,
    };
    client.add_objective(&budget("two", Some(2), None)).await.unwrap();
    let charged = RoutineRequest { objective: Some("two".into()), ..request("r", ECHO, "{}") };
    client.add_routine(&charged).await.unwrap();
    for _ in 0..2 {
        assert_eq!(client.fire_routine("r").await.unwrap().status, "completed");
    }
    let third = client.fire_routine("r").await.unwrap();
    assert_eq!((third.status.as_str(), third.reason.as_deref()), ("skipped", Some("budget")));
    let shown = client.objective("two").await.unwrap();
    assert_eq!(
        (shown.state, shown.used_runs, shown.routines),
        (ObjectiveState::Exhausted, 2, vec!["r".into()])
    );
    assert!(shown.used_fuel > 0);
    let exhausted = events(&daemon, EventKind::ObjectiveChanged);
    assert_eq!(exhausted.last().unwrap().event.details["what"], "exhausted");
    assert_eq!(problem(client.remove_objective("two").await).code.as_str(), "in_use");
    // The last run gets only the remaining fuel, and its use is charged although it failed.
    client.add_objective(&budget("fuel", None, Some(50_000))).await.unwrap();
    let spin = RoutineRequest { objective: Some("fuel".into()), ..request("s", "acme.bench.spin", "{}") };
    client.add_routine(&spin).await.unwrap();
    let fire = client.fire_routine("s").await.unwrap();
    assert_eq!((fire.status.as_str(), fire.error.as_deref()), ("failed", Some("quota_exceeded")));
    assert!(fire.run_id.is_some() && fire.fuel.unwrap() >= 50_000, "{fire:?}");
    assert_eq!(client.objective("fuel").await.unwrap().state, ObjectiveState::Exhausted);
    assert_eq!(client.fire_routine("s").await.unwrap().reason.as_deref(), Some("budget"));
    client.pause_objective("fuel").await.unwrap();
    assert_eq!(client.fire_routine("s").await.unwrap().reason.as_deref(), Some("paused"));
    assert_eq!(client.resume_objective("fuel").await.unwrap().state, ObjectiveState::Exhausted);
    assert_eq!(client.finish_objective("fuel").await.unwrap().state, ObjectiveState::Done);
    assert_eq!(client.fire_routine("s").await.unwrap().reason.as_deref(), Some("done"));
    client.remove_routine("s").await.unwrap();
    client.remove_objective("fuel").await.unwrap();
    assert_eq!(client.objectives().await.unwrap().objectives.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_routine_finds_tampering_and_quarantines_it() {
    let scheduled = Scheduled::start().await;
    let client = scheduled.daemon.in_process();
    scheduled.daemon.install("other", "");
    let shown = client.routine(RE_AUDIT).await.unwrap();
    assert!(shown.built_in && shown.enabled && shown.tool.is_none() && shown.next_ms.len() == 5);
    let whole = client.fire_routine(RE_AUDIT).await.unwrap();
    assert_eq!(whole.status, "completed");
    assert_eq!(whole.message.as_deref(), Some("2 releases and the journal are intact"));
    // The stored bytes of one release are edited.
    let archive = scheduled.daemon.state().view().index().get("acme.other").unwrap().current.archive;
    let object = find(scheduled.daemon.root.path(), &archive.to_string());
    let mut bytes = std::fs::read(&object).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let mut permissions = std::fs::metadata(&object).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    std::fs::set_permissions(&object, permissions).unwrap();
    std::fs::write(&object, bytes).unwrap();
    // It fires by schedule in the next night.
    scheduled.advance(25 * 3_600_000);
    let fires = scheduled.ended(RE_AUDIT, 2).await;
    assert_eq!((fires[0].cause.as_str(), fires[0].status.as_str()), ("schedule", "completed"), "{fires:?}");
    let found = Some("2 releases checked, damaged: acme.other 1.0.0");
    assert_eq!(fires[0].message.as_deref(), found);
    let quarantined = events(&scheduled.daemon, EventKind::SkillQuarantined);
    // The next audit reports it again, and records no new event.
    assert_eq!(client.fire_routine(RE_AUDIT).await.unwrap().message.as_deref(), found);
    assert_eq!(events(&scheduled.daemon, EventKind::SkillQuarantined).len(), quarantined.len());
    let last = &quarantined.last().unwrap().event;
    assert_eq!(
        (last.skill.as_deref(), last.actor.as_deref()),
        (Some("acme.other"), Some("routine:re-audit"))
    );
    let refused = problem(client.invoke("acme.other.echo", &Default::default()).await);
    assert!(["not_runnable", "forbidden"].contains(&refused.code.as_str()), "{refused:?}");
    client.invoke(ECHO, &Default::default()).await.unwrap();
    let removed = problem(client.remove_routine(RE_AUDIT).await);
    assert_eq!((removed.code.as_str(), removed.hints.len()), ("in_use", 1));
    assert!(!client.disable_routine(RE_AUDIT).await.unwrap().enabled);
    let sooner = RoutineRequest {
        name: RE_AUDIT.into(),
        every: Some("6h".into()),
        replace: true,
        ..RoutineRequest::default()
    };
    assert_eq!(client.add_routine(&sooner).await.unwrap().every_seconds, Some(21_600));
    drop(client);
    scheduled.stop().await;
}

fn find(folder: &std::path::Path, digest: &str) -> std::path::PathBuf {
    let short = digest.rsplit(':').next().unwrap();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                folders.push(path);
            } else if name.contains(short)
                || format!("{}{name}", path.parent().unwrap().file_name().unwrap().to_string_lossy())
                    .contains(short)
            {
                return path;
            }
        }
    }
    panic!("no object {digest}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_a_fire_and_writes_its_end_down() {
    let scheduled = Scheduled::start().await;
    let client = scheduled.daemon.in_process();
    client.add_routine(&request("pulse", ECHO, "{}")).await.unwrap();
    scheduled.clock.waits.notified().await;
    scheduled.advance(3_600_000);
    let mut follower = scheduled.daemon.state().journal().follow();
    while events(&scheduled.daemon, EventKind::RoutineFired).is_empty() {
        follower.next().await.unwrap();
    }
    drop(client);
    let Scheduled { daemon, task, .. } = scheduled;
    daemon.app.begin_stop();
    task.await.unwrap();
    let (state, _home) = daemon.stop_and_reopen().await;
    let fires = state.control().fires("pulse", &Default::default()).unwrap().fires;
    assert_eq!((fires.len(), fires[0].status.as_str()), (1, "completed"), "{fires:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_say_what_to_write_instead() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let good = || request("r", ECHO, "{}");
    for (request, code) in [
        (RoutineRequest { name: "A".into(), ..good() }, "usage"),
        (RoutineRequest { tool: Some("acme.bench.eko".into()), ..good() }, "not_found"),
        (RoutineRequest { tool: None, ..good() }, "usage"),
        (RoutineRequest { every: None, ..good() }, "usage"),
        (RoutineRequest { cron: Some("* * * * *".into()), ..good() }, "usage"),
        (RoutineRequest { every: Some("1w".into()), ..good() }, "usage"),
        (RoutineRequest { every: None, at: Some("2001-01-01T00:00:00Z".into()), ..good() }, "usage"),
        (RoutineRequest { time_zone: Some("Mars/Olympus".into()), ..good() }, "usage"),
        (RoutineRequest { quiet: Some("late".into()), ..good() }, "usage"),
        (RoutineRequest { catch_up: Some(3), ..good() }, "usage"),
        (RoutineRequest { misfire: Misfire::CatchUp, catch_up: Some(0), ..good() }, "usage"),
        (RoutineRequest { objective: Some("none".into()), ..good() }, "not_found"),
        (RoutineRequest { wait_approval_seconds: Some(901), ..good() }, "usage"),
    ] {
        let told = problem(client.add_routine(&request).await);
        assert_eq!(told.code.as_str(), code, "{told:?}");
    }
    client.add_routine(&good()).await.unwrap();
    let twice = problem(client.add_routine(&good()).await);
    assert_eq!((twice.code.as_str(), twice.hints[0].contains("--replace")), ("already_exists", true));
    for missing in [
        problem(client.routine("x").await),
        problem(client.fire_routine("x").await),
        problem(client.fires("x", None, None).await),
        problem(client.remove_routine("x").await),
        problem(client.objective("x").await),
        problem(client.pause_objective("x").await),
    ] {
        assert_eq!((missing.code.as_str(), missing.status), ("not_found", 404));
    }
}
