//! Restores of backups with one changed byte.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::process::options;
use http_body_util::BodyExt;
use palyra_state::journal::VerifyScope;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{RestoreAcceptance, State, StateRoot, check_backup};
use std::sync::Arc;

/// Accepts neither an unsigned backup nor one of another state root.
const REFUSE_DOUBTFUL: RestoreAcceptance = RestoreAcceptance { unsigned: false, other_key: false };

/// Minimum number of attempts, however long the backup takes.
const FEWEST: u64 = 4;

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let backup = target.over_socket(&target.owner).backup().await.unwrap();
    let bytes = backup.collect().await.unwrap().to_bytes();
    let mut tally = Tally::default();
    let mut random = 1_u64;
    // The backup of a busy state may take the whole duration.
    while rounds.next() || tally.tried < FEWEST {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut changed = bytes.to_vec();
        let at = (random >> 33) as usize % changed.len();
        changed[at] ^= 1 << (random % 8);
        let stopped = tokio::task::spawn_blocking(move || is_stopped(&changed)).await.unwrap();
        tally.tried += 1;
        if !stopped {
            tally.lost.push(format!("a backup with byte {at} changed was restored to something else"));
        }
    }
    tally
}

/// Returns whether the backup is rejected, or restores to a state that verifies: a changed padding byte affects
/// nothing.
fn is_stopped(backup: &[u8]) -> bool {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("backup.tar");
    std::fs::write(&file, backup).unwrap();
    if check_backup(&file).is_err() {
        return true;
    }
    let root = StateRoot::new(home.path().join("root"));
    let options = options(SHORT_COMMAND_WAIT);
    let restored = root.stage_restore(&options, &file).and_then(|staged| staged.finish(&REFUSE_DOUBTFUL));
    if restored.is_err() {
        return true;
    }
    let Ok(state) = State::open(&root, &options) else { return true };
    let verified = state.journal().verify(VerifyScope::Everything, None);
    verified.is_ok_and(|verified| verified.damage.is_none())
        && state.skills().verify_installed("acme.bench", "owner").is_ok()
}
