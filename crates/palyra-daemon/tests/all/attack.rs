//! Attacks with hostile clients, guests, files and kills against a real `palyrad`, during honest requests.
//!
//! The ordinary test tries each class a few times and checks counts and memory. With `PALYRA_ATTACK_SECONDS` each class
//! lasts that long and the latency of honest requests is checked too; `PALYRA_ATTACK_REPORT` names the file of the
//! report, `PALYRA_ATTACK_CLASS` the only class to try. `cargo xtask attack` sets them.
//!
//! A class is one file below `attack/` with a function `run`, and a line in [`CLASSES`].

mod approvals;
mod backups;
mod edited_rows;
mod half_heads;
mod honest;
mod hostile_guests;
mod kills;
mod oversized_bodies;
mod report;
mod rounds;
mod schemas;
mod slow_bodies;
mod target;
mod unread_answers;

use futures::FutureExt;
use futures::future::BoxFuture;
use honest::Honest;
use report::{ClassReport, Report};
use rounds::Rounds;
use std::sync::Arc;
use std::time::Duration;
use target::Target;

/// Result of the attempts of one class.
#[derive(Debug, Default)]
struct Tally {
    tried: u64,
    /// Attempts that succeeded: a missing rejection, or stored data that is gone.
    lost: Vec<String>,
}

impl Tally {
    fn of(tried: u64) -> Self {
        Self { tried, lost: Vec::new() }
    }
}

/// Makes attempts until the rounds are over.
type Attack = fn(Arc<Target>, Arc<Rounds>) -> BoxFuture<'static, Tally>;

/// A class of attacks: its name, the number of attempts in the ordinary test, and the attack.
struct Class {
    name: &'static str,
    few: u64,
    run: Attack,
}

const CLASSES: [Class; 10] = [
    Class { name: "half heads", few: 2_500, run: |target, rounds| half_heads::run(target, rounds).boxed() },
    Class { name: "slow bodies", few: 90, run: |target, rounds| slow_bodies::run(target, rounds).boxed() },
    Class {
        name: "unread answers",
        few: 40,
        run: |target, rounds| unread_answers::run(target, rounds).boxed(),
    },
    Class {
        name: "oversized bodies",
        few: 16,
        run: |target, rounds| oversized_bodies::run(target, rounds).boxed(),
    },
    Class {
        name: "hostile guests",
        few: 8,
        run: |target, rounds| hostile_guests::run(target, rounds).boxed(),
    },
    Class { name: "schemas", few: 2, run: |target, rounds| schemas::run(target, rounds).boxed() },
    Class { name: "approvals", few: 4, run: |target, rounds| approvals::run(target, rounds).boxed() },
    Class { name: "backups", few: 4, run: |target, rounds| backups::run(target, rounds).boxed() },
    Class { name: "edited rows", few: 4, run: |target, rounds| edited_rows::run(target, rounds).boxed() },
    Class { name: "kills", few: 1, run: |target, rounds| kills::run(target, rounds).boxed() },
];

#[tokio::test(flavor = "multi_thread")]
async fn attacks_are_stopped_while_honest_requests_succeed() {
    let seconds = std::env::var("PALYRA_ATTACK_SECONDS").ok().map(|text| text.parse().unwrap());
    let target = Arc::new(Target::start().await);
    let quiet = Honest::start(&target);
    quiet.until(500).await;
    let idle = quiet.stop().await;
    let mut report = Report::new(&idle, target.rss_kib());
    let only = std::env::var("PALYRA_ATTACK_CLASS").ok();
    for Class { name, few, run } in CLASSES {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let rounds = Arc::new(match seconds {
            Some(seconds) => Rounds::lasting(Duration::from_secs(seconds)),
            None => Rounds::counted(few),
        });
        target.reset_peak();
        let honest = Honest::start(&target);
        let tally = generate(run, &target, &rounds).await;
        // Honest requests are also made after the attack, even if it was short.
        honest.until(honest.made() + 20).await;
        let honest = honest.stop().await;
        report.classes.push(ClassReport::new(name, tally, &honest, target.peak_rss_kib()));
    }
    assert!(!report.classes.is_empty(), "class {only:?} does not exist");
    report.judge(seconds.is_some());
    if let Some(path) = std::env::var_os("PALYRA_ATTACK_REPORT") {
        std::fs::write(path, serde_json::to_vec_pretty(&report).unwrap()).unwrap();
    }
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    target.stop_and_check();
}

/// Runs an attack on its own thread, pinned to one processor so that the daemon keeps the others.
async fn generate(run: Attack, target: &Arc<Target>, rounds: &Arc<Rounds>) -> Tally {
    let (target, rounds) = (Arc::clone(target), Arc::clone(rounds));
    let (done, tally) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut one = rustix::thread::CpuSet::new();
        let allowed = rustix::thread::sched_getaffinity(None).unwrap();
        let first = (0..rustix::thread::CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).unwrap();
        one.set(first);
        rustix::thread::sched_setaffinity(None, &one).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let tally = runtime.block_on(async {
            let attempts = run(target, Arc::clone(&rounds));
            attempts.await
        });
        runtime.shutdown_background();
        let _ = done.send(tally);
    });
    // The panic was printed by its thread.
    tally.await.unwrap_or_else(|_| Tally { tried: 1, lost: vec!["the attack broke off".into()] })
}
