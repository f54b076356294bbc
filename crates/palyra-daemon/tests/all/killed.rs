//! `kill -9` of `palyrad` at random points, during calls, approvals, receipts, installations and routines.
//!
//! `PALYRA_KILL_POINTS` sets the number of kills; `PALYRA_KILL_SEED` repeats a failed run.

mod aftermath;
mod agent_runs;
mod busy;
mod deliveries;

use crate::process::{options, start};
use aftermath::check;
pub(crate) use busy::Acknowledged;
use busy::keep_busy;
use palyra_state::StateRoot;
use palyra_state::lock::SHORT_COMMAND_WAIT;

/// Number of kills in an ordinary test run.
const FEW: u64 = 10;
/// Maximum number of answers before a kill.
const MOST_ANSWERS: u64 = 120;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_loses_and_doubles_nothing() {
    let points = number("PALYRA_KILL_POINTS").unwrap_or(FEW);
    let seed = number("PALYRA_KILL_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut point = 0;
    let all = kill_while(seed, || {
        point += 1;
        point <= points
    })
    .await;
    assert!(!all.runs.is_empty() && !all.decided.is_empty() && all.release > 1, "{all:?}");
    assert!(!all.fired.is_empty() && !all.agent_runs.is_empty(), "{all:?}");
}

/// Kills a daemon at random points while `go_on` returns true, and checks its state after each kill.
pub(crate) async fn kill_while(seed: u64, mut go_on: impl FnMut() -> bool) -> Acknowledged {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
    crate::guests::install(&state, "bench", "");
    crate::guests::install(&state, "other", "");
    busy::add_tokens(&state, &root);
    let state = busy::add_routines(state);
    state.close().unwrap();
    let mut all = Acknowledged::default();
    let mut random = seed;
    for point in 0.. {
        if !go_on() {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let answers = (random >> 33) % MOST_ANSWERS;
        let mut daemon = Victim(start(&root, &[]));
        all.add(keep_busy(&root, point, answers, || daemon.0.kill().unwrap()).await);
        drop(daemon);
        let (root, known) = (root.clone(), all.clone());
        let checked = tokio::task::spawn_blocking(move || check(&root, &known)).await;
        assert!(checked.is_ok(), "PALYRA_KILL_SEED={seed}, point {point}, after {answers} answers");
    }
    all
}

/// A daemon that is killed with its test.
struct Victim(std::process::Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}
