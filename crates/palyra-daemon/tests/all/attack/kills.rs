//! `kill -9` at random points, with the checks of the `killed` tests.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::killed::kill_while;
use std::sync::Arc;

pub(super) async fn run(_: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let mut tried = 0;
    let seed = u64::from(std::process::id());
    // Lost or duplicated results fail the test there, with the seed.
    kill_while(seed, || {
        let go_on = rounds.next();
        tried += u64::from(go_on);
        go_on
    })
    .await;
    Tally::of(tried)
}
